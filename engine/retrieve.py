"""Query to passages: candidates, fusion on child ids, grouping by parent, citations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from chapterverse.engine.analyze import analyze_query, scripts_of
from chapterverse.engine.candidates import Query, Weights, find_candidates
from chapterverse.engine.cite import citation
from chapterverse.engine.fuse import Fused, Method, fuse
from chapterverse.engine.indexes import IndexSet
from chapterverse.schema import lookup
from chapterverse.schema.choices import Choices
from chapterverse.schema.embedder import Embedder
from chapterverse.schema.errors import QueryError
from chapterverse.schema.ids import format_id
from chapterverse.schema.lookup import ChildRow, Ids, ParentRow
from chapterverse.schema.reader import Snapshot
from chapterverse.schema.results import (
    ChannelScore,
    Citation,
    DocumentRef,
    Filter,
    MatchedChild,
    Mode,
    Passage,
)

__all__ = ["Plan", "check_query", "plan_for", "query_for", "retrieve"]

_CHILDREN_SHOWN = 8
_LONGEST_QUERY = 100_000


@dataclass(frozen=True, slots=True)
class Plan:
    """How to answer: channel weights (already fit for the mode), fusion, and pool sizes.

    The pool does not depend on *k*, so asking for more results never reorders the first ones.
    """

    weights: Weights
    fusion: Method
    rrf_k: int
    pool: int
    exact_limit: int


@dataclass(frozen=True, slots=True)
class _Group:
    """A parent and the rows of its candidates in the fused list, best first."""

    parent_id: int
    rows: list[int]


def check_query(query: str, k: int, mode: str) -> None:
    """Refuse what cannot be answered.

    :raises QueryError: no text, no visible character, far too long, *k* no whole number or below
        1, or an unknown mode.
    """
    if not isinstance(query, str):
        raise QueryError(f"The query is {query!r}; it must be a text.")
    if not query.strip():
        raise QueryError("The query is empty. Ask with at least one character that is not a space.")
    if len(query) > _LONGEST_QUERY:
        raise QueryError(
            f"The query has {len(query):,} characters; at most {_LONGEST_QUERY:,} are taken."
        )
    if not hasattr(k, "__index__"):
        raise QueryError(f"k is {k!r}; it must be a whole number, at least 1.")
    if k < 1:
        raise QueryError(f"k is {k}; it must be at least 1.")
    if mode not in ("hybrid", "keyword", "dense"):
        raise QueryError(f"mode is {mode!r}; it must be 'hybrid', 'keyword' or 'dense'.")


def plan_for(settings: Choices, mode: Mode) -> Plan:
    """The plan that *settings* and *mode* ask for; the weights of the used channels sum to 1."""
    dense = 0.0 if mode == "keyword" else settings.dense_weight
    keyword = 0.0 if mode == "dense" else settings.keyword_weight
    if mode != "hybrid":
        # A mode is a decision of its own: a weight of 0 in the settings does not empty it.
        dense, keyword = float(mode == "dense"), float(mode == "keyword")
    share = settings.parent_share
    total = dense + keyword
    return Plan(
        Weights(dense / total, keyword * (1 - share) / total, keyword * share / total),
        settings.fusion,
        settings.rrf_k,
        settings.pool,
        settings.exact_limit,
    )


def query_for(text: str, embedder: Embedder | None) -> Query:
    """The query for all channels; no vector without an embedder that reads its scripts."""
    vector = None
    if embedder is not None:
        scripts = scripts_of(text)
        known = embedder.scripts
        if known is None or not scripts or scripts & known:
            vector = embedder.embed_query(text)
    return Query(analyze_query(text), vector)


def retrieve(
    reader: Snapshot,
    indexes: IndexSet,
    query: Query,
    plan: Plan,
    *,
    k: int,
    wanted: Filter,
    seq: int,
) -> list[Passage]:
    """The *k* best distinct parents with their matched children, best first."""
    allowed = None if wanted.is_empty else lookup.allowed_children(reader, wanted, seq)
    candidates = find_candidates(
        reader,
        indexes,
        query,
        plan.weights,
        pool=plan.pool,
        exact_limit=plan.exact_limit,
        seq=seq,
        allowed=allowed,
    )
    fused = fuse(candidates.channels, plan.fusion, plan.rrf_k)
    groups = _group(candidates.parents_of(fused.ids), k)
    children = lookup.child_rows(
        reader, [int(fused.ids[row]) for group in groups for row in group.rows]
    )
    parents = lookup.parent_rows(reader, [group.parent_id for group in groups])
    passages = []
    for rank, group in enumerate(groups, start=1):
        found = [(row, children.get(int(fused.ids[row]))) for row in group.rows]
        matched = [(row, child) for row, child in found if child is not None]
        if not matched:
            continue
        parent = parents.get(group.parent_id)
        warnings: tuple[str, ...] = ()
        if parent is None:
            parent = lookup.stand_in(reader, matched[0][1])
            if parent is None:
                continue
            matched = [(row, replace(c, start=0, end=len(c.text))) for row, c in matched[:1]]
            warnings = ("The parent of this passage is lost; the child that was found is shown.",)
        passages.append(_passage(rank, parent, matched, fused, warnings))
    return passages


def _group(parents: Ids, k: int) -> list[_Group]:
    """The first *k* distinct of *parents*, each with the first rows it stands in."""
    groups: dict[int, _Group] = {}
    for parent in parents.tolist():
        if parent not in groups:
            if len(groups) == k:
                break
            groups[parent] = _Group(
                parent, np.flatnonzero(parents == parent)[:_CHILDREN_SHOWN].tolist()
            )
    return list(groups.values())


def _passage(
    rank: int,
    parent: ParentRow,
    matched: Sequence[tuple[int, ChildRow]],
    fused: Fused,
    warnings: tuple[str, ...],
) -> Passage:
    children = tuple(_matched(row, child, fused) for row, child in matched)
    citations: dict[str, Citation] = {}
    for _, child in matched:
        cited = citation(parent, child)
        citations.setdefault(cited.label, cited)
    return Passage(
        rank=rank,
        score=children[0].score,
        document=DocumentRef(parent.uri, parent.title, format_id(parent.document_id)),
        kind=parent.kind,
        parent_id=format_id(parent.id),
        pages=parent.pages,
        page_labels=parent.page_labels,
        heading_path=parent.heading_path,
        text=parent.text,
        children=children,
        scores=children[0].scores,
        citations=tuple(citations.values()),
        warnings=warnings,
    )


def _matched(row: int, child: ChildRow, fused: Fused) -> MatchedChild:
    return MatchedChild(
        id=format_id(child.id),
        text=child.text,
        start=child.start,
        end=child.end,
        kind=child.kind,
        heading_path=child.heading_path,
        pages=child.pages,
        regions=child.regions,
        score=float(fused.scores[row]),
        scores={
            channel.name: _channel_score(fused, number, row)
            for number, channel in enumerate(fused.channels)
        },
    )


def _channel_score(fused: Fused, channel: int, row: int) -> ChannelScore:
    raw, normalised = fused.raw[channel, row], fused.normalised[channel, row]
    rank = int(fused.ranks[channel, row])
    return ChannelScore(
        raw=None if np.isnan(raw) else float(raw),
        rank=rank or None,
        normalised=None if np.isnan(normalised) else float(normalised),
        weight=fused.channels[channel].weight,
    )
