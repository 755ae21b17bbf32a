"""A query to scored candidates: one list a channel.

The cosine is computed for every candidate, since every child has one. A child that is not among
the best by keyword has none of that channel: its own score would be normalised to less than
nothing, so a child that shares a word would stand behind one that shares none. The same goes for
parents. (Scoring these as well took more time than both engines and moved nDCG@10 by at most
0.003 on three sets.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chapterverse.engine.fuse import Channel
from chapterverse.engine.hits import Hits, Ids, best, distinct
from chapterverse.engine.indexes import IndexSet
from chapterverse.engine.keyword import KeywordIndex
from chapterverse.schema import lookup
from chapterverse.schema.embedder import Vectors
from chapterverse.schema.errors import IndexDamaged
from chapterverse.schema.reader import Snapshot

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
    snapshot: Snapshot,
    indexes: IndexSet,
    query: Query,
    weights: Weights,
    *,
    pool: int,
    exact_limit: int,
    seq: int,
    allowed: Ids | None,
) -> Candidates:
    """The *pool* best children of each channel that live at *seq*, with their scores.

    ``allowed`` restricts to these child ids (ascending).
    """
    if not weights.keyword and not weights.parent:
        query = Query((), query.vector)
    dense = _dense_hits(indexes, query.vector, pool, exact_limit, allowed)
    keyword = _keyword_hits(indexes.keyword, query.tokens, pool, allowed)
    found = distinct(np.concatenate([dense.ids, keyword.ids]))
    living, parents = _living(snapshot, indexes, found, seq)
    above = _parent_hits(indexes.keyword, query.tokens, pool, parents, limited=allowed is not None)
    channels = [
        _dense_channel(indexes, query.vector, dense, living, weights.dense),
        _channel("keyword", weights.keyword, _split(keyword, living)[0]),
        _channel("parent", weights.parent, _hits_by_parent(above, living, parents)),
    ]
    return Candidates(tuple(channels), living, parents)


def _living(snapshot: Snapshot, indexes: IndexSet, ids: Ids, seq: int) -> tuple[Ids, Ids]:
    """Those of *ids* whose revision lives at *seq*, and their parents.

    The vector file knows where a child belongs; the database is asked for the few revisions.
    """
    known, revisions, parents = indexes.vectors.places(ids)
    live = lookup.are_live(snapshot, revisions, seq)
    return known[live], parents[live]


def _dense_hits(
    indexes: IndexSet, vector: Vectors | None, pool: int, exact_limit: int, allowed: Ids | None
) -> Hits:
    if vector is None:
        return _NOTHING
    if allowed is None and indexes.has_chroma and indexes.vectors.count() > exact_limit:
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
        return best(allowed[known], scores[known], pool)
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
    known = ~np.isnan(rest)
    return Channel(
        "dense",
        weight,
        np.concatenate([own.ids, others[known]]),
        np.concatenate([own.scores, rest[known]]).astype(np.float64),
        len(own),
    )


def _parent_hits(
    index: KeywordIndex, tokens: Sequence[str], pool: int, parents: Ids, *, limited: bool
) -> Hits:
    """The *pool* best parents; of *parents* alone where the search is *limited* to few."""
    if not limited:
        return index.search_parents(tokens, pool)
    each = distinct(parents)
    scores = index.score_parents(tokens, each)
    known = ~np.isnan(scores)
    return best(each[known], scores[known], pool)


def _hits_by_parent(above: Hits, living: Ids, parents: Ids) -> Hits:
    """The living children of the parents *above*, each with its parent's score."""
    if not len(above):
        return _NOTHING
    order = np.argsort(above.ids)
    place = np.searchsorted(above.ids, parents, sorter=order)
    place[place == len(above)] = 0
    place = order[place]
    known = above.ids[place] == parents
    return best(living[known], above.scores[place[known]], len(living))


def _channel(name: str, weight: float, hits: Hits) -> Channel:
    return Channel(name, weight, hits.ids, hits.scores.astype(np.float64), len(hits))


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


_NOTHING = Hits(np.empty(0, np.int64), np.empty(0, np.float32))
