"""What an index answers with: ids and scores in a fixed order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["Hits", "Ids", "Scores", "best", "distinct"]

Ids = npt.NDArray[np.int64]
Scores = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Hits:
    """Ids with their scores, higher is better: by score descending, then by id ascending."""

    ids: Ids
    scores: Scores

    def __len__(self) -> int:
        return len(self.ids)


def distinct(ids: Ids) -> Ids:
    """*ids* ascending, each once; ``np.unique`` hashes, which costs twenty times the sort."""
    ordered = np.sort(ids)
    once: Ids = ordered[np.diff(ordered, prepend=ordered[:1] - 1) != 0]
    return once


def best(ids: Ids, scores: Scores, limit: int) -> Hits:
    """The *limit* best of the rows given, in the order of :class:`Hits`."""
    order = np.lexsort((ids, -scores))[:limit]
    return Hits(ids[order], scores[order])
