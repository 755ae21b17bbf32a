"""A query to scored candidates: one list a channel, all candidates scored by every channel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chapterverse.engine.fuse import Channel
from chapterverse.engine.hits import Hits, Ids, distinct
from chapterverse.engine.indexes import IndexSet
from chapterverse.engine.keyword import KeywordIndex
from chapterverse.schema import lookup
from chapterverse.schema.embedder import Vectors
from chapterverse.schema.errors import IndexDamaged
from chapterverse.schema.reader import Reader

__all__ = ["Candidates", "Query", "Weights", "find_candidates"]

_SCORED_DIRECTLY = 5_000


@dataclass(frozen=True, slots=True)
class Weights:
    """What each channel counts, all at least 0.

    ``dense`` the cosine of query and child, ``keyword`` BM25 of the child, ``parent`` BM25 of the
    child's parent, which knows the terms that stand beside the child.
    """

    dense: float
    keyword: float
    parent: float


@dataclass(frozen=True, slots=True)
class Candidates:
    """Channels over the living candidates; ``ids`` of all of them, ascending, and their parents."""

    channels: tuple[Channel, ...]
    ids: Ids
    parents: Ids

    def parents_of(self, ids: Ids) -> Ids:
        """The parent of each of *ids*, which are candidates."""
        found: Ids = self.parents[np.searchsorted(self.ids, ids)]
        return found


@dataclass(frozen=True, slots=True)
class Query:
    """A query as the channels take it; ``vector`` is ``None`` where dense search is off."""

    tokens: Sequence[str]
    vector: Vectors | None


def find_candidates(
    reader: Reader,
    indexes: IndexSet,
    query: Query,
    weights: Weights,
    *,
    pool: int,
    exact_limit: int,
    seq: int,
    allowed: Ids | None,
) -> Candidates:
    """The *pool* best children of each channel that live at *seq*, scored by all channels.

    ``allowed`` restricts to these child ids (ascending).
    """
    dense = _dense_hits(indexes, query.vector, pool, exact_limit, allowed)
    keyword = _keyword_hits(indexes.keyword, query.tokens, pool, allowed)
    found = distinct(np.concatenate([dense.ids, keyword.ids]))
    living, parents = _living(reader, indexes, found, seq)
    channels = [
        _dense_channel(indexes, query.vector, dense, living, weights.dense),
        _keyword_channel(indexes, query.tokens, keyword, living, weights.keyword),
        _parent_channel(indexes, query.tokens, living, parents, weights.parent),
    ]
    return Candidates(tuple(channels), living, parents)


def _living(reader: Reader, indexes: IndexSet, ids: Ids, seq: int) -> tuple[Ids, Ids]:
    """Those of *ids* whose revision lives at *seq*, and their parents.

    The vector file knows where a child belongs; asking the database for the few revisions is
    several times quicker than asking it for each child.
    """
    known, revisions, parents = indexes.vectors.places(ids)
    there = distinct(revisions)
    live = lookup.live_revisions(reader, there.tolist(), seq)
    if len(live) < len(there):
        keep = np.isin(revisions, np.array(live, np.int64))
        known, parents = known[keep], parents[keep]
    return known, parents


def _dense_hits(
    indexes: IndexSet, vector: Vectors | None, pool: int, exact_limit: int, allowed: Ids | None
) -> Hits:
    if vector is None:
        return _NOTHING
    if allowed is None and indexes.vectors.count() > exact_limit:
        try:
            return indexes.chroma.search(vector, pool)
        except IndexDamaged:
            # Another process is making it anew; the vector file answers the same, more slowly.
            pass
    return indexes.vectors.search(vector, pool, allowed)


def _keyword_hits(
    index: KeywordIndex, tokens: Sequence[str], pool: int, allowed: Ids | None
) -> Hits:
    if allowed is None:
        return index.search_children(tokens, pool)
    if len(allowed) <= _SCORED_DIRECTLY:
        scores = index.score_children(tokens, allowed)
        known = ~np.isnan(scores)
        order = np.lexsort((allowed[known], -scores[known]))[:pool]
        return Hits(allowed[known][order], scores[known][order])
    limit = pool
    while True:
        limit *= 4
        hits = index.search_children(tokens, limit)
        fits = np.isin(hits.ids, allowed)
        if fits.sum() >= pool or len(hits) < limit:
            return Hits(hits.ids[fits][:pool], hits.scores[fits][:pool])


def _dense_channel(
    indexes: IndexSet, vector: Vectors | None, hits: Hits, living: Ids, weight: float
) -> Channel:
    if vector is None:
        return Channel("dense", 0.0, living[:0], np.empty(0), 0)
    own, others = _split(hits, living)
    rest = indexes.vectors.scores(vector, others)
    return _joined("dense", weight, own, others, rest)


def _keyword_channel(
    indexes: IndexSet, tokens: Sequence[str], hits: Hits, living: Ids, weight: float
) -> Channel:
    own, others = _split(hits, living)
    rest = indexes.keyword.score_children(tokens, others)
    return _joined("keyword", weight, own, others, rest)


def _parent_channel(
    indexes: IndexSet,
    tokens: Sequence[str],
    living: Ids,
    parents: Ids,
    weight: float,
) -> Channel:
    each = distinct(parents)
    scores = indexes.keyword.score_parents(tokens, each)[np.searchsorted(each, parents)]
    known = ~np.isnan(scores)
    ids, scores = living[known], scores[known]
    order = np.lexsort((ids, -scores))
    return Channel("parent", weight, ids[order], scores[order].astype(np.float64), len(ids))


def _split(hits: Hits, living: Ids) -> tuple[Hits, Ids]:
    """Those of *hits* that live, and the living that are not among them."""
    if not len(living):
        return _NOTHING, living
    place = np.searchsorted(living, hits.ids)
    place[place == len(living)] = 0
    alive = living[place] == hits.ids
    rest = np.ones(len(living), np.bool_)
    rest[place[alive]] = False
    return Hits(hits.ids[alive], hits.scores[alive]), living[rest]


def _joined(name: str, weight: float, own: Hits, others: Ids, rest: Vectors) -> Channel:
    known = ~np.isnan(rest)
    return Channel(
        name,
        weight,
        np.concatenate([own.ids, others[known]]),
        np.concatenate([own.scores, rest[known]]).astype(np.float64),
        len(own),
    )


_NOTHING = Hits(np.empty(0, np.int64), np.empty(0, np.float32))
