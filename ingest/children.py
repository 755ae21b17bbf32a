"""Units of one parent packed into children."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from chapterverse.ingest.table_chunks import Role
from chapterverse.ingest.units import TokenCounter, Unit
from chapterverse.schema.chunk_limits import ChunkLimits
from chapterverse.schema.records import AssetKind

__all__ = ["Placed", "pack_children"]


class Placed(NamedTuple):
    """A unit and where its text starts in the parent's text."""

    unit: Unit
    start: int

    @property
    def end(self) -> int:
        """Where its text ends."""
        return self.start + self.unit.end - self.unit.start


@dataclass(frozen=True, slots=True)
class _Group:
    """Units of one child to be. ``items`` are not parted while they fit: headings stay with
    what follows them."""

    items: tuple[tuple[Placed, ...], ...]
    weight: int

    @property
    def placed(self) -> tuple[Placed, ...]:
        return tuple(placed for item in self.items for placed in item)

    @property
    def first(self) -> Unit:
        return self.items[0][0].unit

    @property
    def last(self) -> Unit:
        return self.items[-1][-1].unit


def pack_children(
    parents: Sequence[tuple[str, Sequence[Placed]]], limits: ChunkLimits, count: TokenCounter
) -> list[list[tuple[tuple[Placed, ...], int]]]:
    """For each parent (its text, its units in order), its children: their units and tokens.

    Sentences of a paragraph are shared evenly among as few children as will hold them. Short
    paragraphs are joined, very short list items too, but not over a page border. Headings go with
    the text behind them. Code, captions and table rows are not mixed with other text.
    """
    groups = [
        (number, group)
        for number, (_, placed) in enumerate(parents)
        for group in _join(_runs(placed, limits), limits)
    ]
    children: list[list[tuple[tuple[Placed, ...], int]]] = [[] for _ in parents]
    for number, group, tokens in _fit([text for text, _ in parents], groups, limits, count):
        children[number].append((group.placed, tokens))
    return children


def _fit(
    texts: Sequence[str],
    groups: list[tuple[int, _Group]],
    limits: ChunkLimits,
    count: TokenCounter,
) -> list[tuple[int, _Group, int]]:
    """Halve the groups whose text turns out too long, all in each round, until none is left."""
    while True:
        counts = count([texts[n][g.items[0][0].start : g.items[-1][-1].end] for n, g in groups])
        fitting: list[tuple[int, _Group]] = []
        for (number, group), tokens in zip(groups, counts, strict=True):
            halves = _halve(group) if tokens > limits.child_tokens else [group]
            fitting += [(number, half) for half in halves]
        if len(fitting) == len(groups):
            return [(n, g, tokens) for (n, g), tokens in zip(groups, counts, strict=True)]
        groups = fitting


def _halve(group: _Group) -> list[_Group]:
    items = group.items
    if len(items) == 1:
        # Headings and the unit behind them together are too long.
        items = tuple((placed,) for placed in items[0])
    if len(items) == 1:
        return [group]
    sums = list(itertools.accumulate(_weight(item) for item in items))
    middle = min(range(1, len(items)), key=lambda i: abs(2 * sums[i - 1] - sums[-1]))
    return [_group(items[:middle]), _group(items[middle:])]


def _group(items: Sequence[tuple[Placed, ...]]) -> _Group:
    return _Group(tuple(items), sum(map(_weight, items)))


def _weight(item: Sequence[Placed]) -> int:
    return sum(placed.unit.weight for placed in item)


def _runs(placed: Sequence[Placed], limits: ChunkLimits) -> list[_Group]:
    """Groups within one asset each, but for headings, which open the run behind them."""
    groups: list[_Group] = []
    pending: list[Placed] = []
    for key, units in itertools.groupby(placed, key=_run_key):
        run = list(units)
        if key[1] is AssetKind.HEADING:
            pending += run
            continue
        items = _glue(pending, run, limits)
        rows = key[2] is Role.ROW
        cap = limits.rows_tokens if rows else limits.child_tokens
        groups += _pack(items, cap)
        pending = []
    if pending:
        groups += _pack([(heading,) for heading in pending], limits.child_tokens)
    return groups


def _run_key(placed: Placed) -> tuple[int, AssetKind, Role]:
    unit = placed.unit
    role = Role.ROW if unit.role is Role.HEADER else unit.role
    return unit.asset, unit.kind, role


def _glue(
    headings: list[Placed], run: list[Placed], limits: ChunkLimits
) -> list[tuple[Placed, ...]]:
    """Items of a run: its units, the first with as many headings before it as fit."""
    lead = list(headings)
    while len(run) > 1 and run[0].unit.role is Role.HEADER:
        lead.append(run.pop(0))
    head = [run[0]]
    while lead and _weight(head) + lead[-1].unit.weight <= limits.child_tokens:
        head.insert(0, lead.pop())
    return [*((left,) for left in lead), tuple(head), *((placed,) for placed in run[1:])]


def _pack(items: Sequence[tuple[Placed, ...]], cap: int) -> list[_Group]:
    """As few groups as *cap* allows, made as even as their number allows."""
    weights = [_weight(item) for item in items]
    fewest = len(_fill(weights, cap))
    low, high = -(-sum(weights) // fewest), max(cap, *weights)
    while low < high:
        middle = (low + high) // 2
        if len(_fill(weights, middle)) > fewest:
            low = middle + 1
        else:
            high = middle
    borders = [0, *itertools.accumulate(_fill(weights, low))]
    return [_group(items[a:b]) for a, b in itertools.pairwise(borders)]


def _fill(weights: Sequence[int], cap: int) -> list[int]:
    """Lengths of the runs that fill *cap* one after the other; a heavier item stands alone."""
    lengths: list[int] = []
    filled = 0
    for weight in weights:
        if lengths and filled + weight <= cap:
            lengths[-1] += 1
            filled += weight
        else:
            lengths.append(1)
            filled = weight
    return lengths


_TEXT = frozenset({AssetKind.PARAGRAPH, AssetKind.FOOTNOTE, AssetKind.FORMULA})


def _join(groups: Sequence[_Group], limits: ChunkLimits) -> list[_Group]:
    """Join short neighbours: forward first, then a short last one backward."""
    for backward in (False, True):
        out: list[_Group] = []
        for group in groups:
            if out and _may_join(out[-1], group, limits, backward):
                out[-1] = _group((*out[-1].items, *group.items))
            else:
                out.append(group)
        groups = out
    return list(groups)


def _may_join(a: _Group, b: _Group, limits: ChunkLimits, backward: bool) -> bool:
    if a.weight + b.weight > limits.child_tokens or b.first.kind is AssetKind.HEADING:
        return False
    ends, begins = a.last.pages, b.first.pages
    if ends and begins and ends[1] != begins[0]:
        return False
    short = b if backward else a
    kind = (b.first if backward else a.last).kind
    if a.last.kind not in (*_TEXT, AssetKind.LIST_ITEM) or b.first.kind not in (
        *_TEXT,
        AssetKind.LIST_ITEM,
    ):
        return False
    # A list item is a step of its own; a paragraph of one short line is seldom a thought.
    return short.weight < limits.child_tokens // (4 if kind is AssetKind.LIST_ITEM else 2)
