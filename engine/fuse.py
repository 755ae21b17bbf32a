"""Ranked lists of several channels to one list.

Three methods, each a weighted sum ``score(d) = Σ_c w_c · n_c(d)`` over the channels *c* that know
*d*; a channel that does not adds nothing. They differ in the normalised score ``n_c``:

- ``zscore``: ``(s - min) / std`` over the channel's candidates. This is the standard score shifted
  so that the channel's lowest candidate is 0, which makes "not found" the floor rather than the
  mean (Renda and Straccia, "Web metasearch: rank vs. score based rank aggregation methods", SAC
  2003, section 3.1).
- ``minmax``: ``(s - min) / (max - min)`` (Lee, "Analyses of multiple evidence combination", SIGIR
  1997, equation 1).
- ``rrf``: ``1 / (k + rank)`` (Cormack, Clarke and Büttcher, "Reciprocal rank fusion outperforms
  Condorcet and individual rank learning methods", SIGIR 2009, section 2).

A channel whose candidates all have one score normalises them to 1, so that a lone hit counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from chapterverse.engine.hits import distinct

__all__ = ["Channel", "Fused", "Method", "fuse"]

Method = Literal["zscore", "minmax", "rrf"]
Ids = npt.NDArray[np.int64]
Scores = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Channel:
    """Candidates of one channel. ``ids`` int64 [n] are distinct, ``scores`` [n] are finite.

    ``ranked`` says how many leading rows are the channel's own candidate list, best first; rows
    after it were found by other channels and scored here afterwards. The list alone decides the
    normalisation, so a candidate's score does not depend on what other channels found.
    """

    name: str
    weight: float
    ids: Ids
    scores: Scores
    ranked: int


@dataclass(frozen=True, slots=True)
class Fused:
    """All candidates, best first; ties go to the smaller id.

    ``raw``, ``ranks`` and ``normalised`` hold one row a channel; NaN (rank 0) where the channel
    does not know the candidate.
    """

    ids: Ids
    scores: Scores
    channels: tuple[Channel, ...]
    raw: Scores
    ranks: npt.NDArray[np.int64]
    normalised: Scores


def fuse(channels: Sequence[Channel], method: Method, rrf_k: int = 60) -> Fused:
    """Fuse *channels* on ids; one vote a channel and id, whatever the texts are."""
    used = tuple(channel for channel in channels if channel.weight > 0)
    ids = distinct(np.concatenate([c.ids for c in used])) if used else np.empty(0, np.int64)
    shape = (len(used), len(ids))
    raw = np.full(shape, np.nan)
    normalised = np.full(shape, np.nan)
    ranks = np.zeros(shape, np.int64)
    for row, channel in enumerate(used):
        at = np.searchsorted(ids, channel.ids)
        raw[row, at] = channel.scores
        ranks[row, at[: channel.ranked]] = np.arange(1, channel.ranked + 1)
        normalised[row, at] = _normalise(channel, method, rrf_k)
    weights = np.array([c.weight for c in used])
    scores = np.nansum(normalised * weights[:, None], axis=0) if used else np.empty(0)
    order = np.lexsort((ids, -scores))
    return Fused(
        ids[order], scores[order], used, raw[:, order], ranks[:, order], normalised[:, order]
    )


def _normalise(channel: Channel, method: Method, rrf_k: int) -> Scores:
    if method == "rrf":
        out = np.full(len(channel.ids), np.nan)
        out[: channel.ranked] = 1.0 / (rrf_k + np.arange(1, channel.ranked + 1))
        return out
    own = channel.scores[: channel.ranked]
    if len(own) == 0:
        return np.zeros(len(channel.ids))
    low, high = float(own.min()), float(own.max())
    spread = float(own.std()) if method == "zscore" else high - low
    # A spread below rounding noise says nothing about order: all candidates count alike.
    if spread <= 1e-9 * max(1.0, abs(high)):
        return np.where(channel.scores >= low, 1.0, 0.0)
    return (channel.scores - low) / spread
