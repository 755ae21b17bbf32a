"""Assets to parents and children: the structural chunker.

::

    assets -> units (sentences, rows, lines)   units.py, sentences.py, table_chunks.py
           -> drafts of parents                sections.py, drafts.py
           -> parents with text and segments   here
           -> children, indexed text, regions  children.py, index_text.py, places.py
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from chapterverse.ingest.children import Placed, pack_children
from chapterverse.ingest.drafts import Draft, cut_draft, path_of
from chapterverse.ingest.index_text import IndexWriter
from chapterverse.ingest.places import Places
from chapterverse.ingest.sections import draft_parents
from chapterverse.ingest.units import TokenCounter, Unit, make_units
from chapterverse.schema.chunk_limits import ChunkLimits
from chapterverse.schema.ids import make_id
from chapterverse.schema.records import (
    Asset,
    AssetKind,
    Child,
    Chunks,
    Parent,
    Parsed,
    Region,
    Segment,
)

__all__ = ["chunk"]


class _Layout(NamedTuple):
    """The written form of a draft: what a parent is made from."""

    draft: Draft
    text: str
    segments: tuple[Segment, ...]
    own: tuple[Segment, ...]
    placed: tuple[Placed, ...]
    tokens: int


def chunk(
    parsed: Parsed,
    *,
    title: str,
    place: tuple[str | int, ...],
    limits: ChunkLimits,
    count_tokens: Callable[[Sequence[str]], list[int]],
) -> Chunks:
    """Parents and children of one document, each in reading order.

    Every character of every asset that is no page header or footer stands in a parent, white
    space at the borders apart; only the caption and header of a table in several pieces stand in
    more than one. ``parent.text[child.start:child.end] == child.text``. A parent holds at most
    ``limits.parent_tokens`` and a child at most ``limits.child_tokens``, unless it is one table
    row (``limits.long_row_tokens``) or one character. The pages of a parent are those of its own
    text, not those of a repeated table header.

    *place* names knowledge base, document, revision and chunking; ids derive from it and an
    ordinal. *count_tokens* is called a few times with many texts.
    """
    count = TokenCounter(count_tokens)
    places = Places(parsed.assets)
    units = make_units(parsed.assets, limits, count, places)
    drafts = draft_parents(parsed.assets, units, limits)
    layouts = _lay_out(drafts, parsed.assets, limits, count)
    parents = tuple(
        _parent(number, layout, parsed, place, places) for number, layout in enumerate(layouts)
    )
    packed = pack_children([(x.text, x.placed) for x in layouts], limits, count)
    writer = IndexWriter(title, parsed.assets, limits.context_tokens, count)
    children: list[Child] = []
    for parent, groups in zip(parents, packed, strict=True):
        for placed, tokens in groups:
            identity = make_id("child", *place, len(children))
            path = path_of([one.unit for one in placed], parsed.assets)
            number = len(children)
            child = _child(identity, number, parent, placed, tokens, path, writer, places)
            children.append(child)
    return Chunks(parents, tuple(children))


def _lay_out(
    drafts: list[Draft], assets: Sequence[Asset], limits: ChunkLimits, count: TokenCounter
) -> list[_Layout]:
    """Write the drafts; cut again, all in each round, those whose text is over the limit."""
    while True:
        written = [_write(draft, assets) for draft in drafts]
        counts = count([text for text, _, _ in written])
        again: list[Draft] = []
        for draft, tokens in zip(drafts, counts, strict=True):
            again += cut_draft(draft, limits.parent_tokens, limits.merge_tokens, tokens)
        if again == drafts:
            break
        drafts = again
    layouts = []
    for draft, (text, segments, placed), tokens in zip(drafts, written, counts, strict=True):
        own_start = placed[0].start
        own = tuple(s for s in segments if s.end > own_start)
        layouts.append(_Layout(draft, text, segments, own, placed, tokens))
    return layouts


def _write(
    draft: Draft, assets: Sequence[Asset]
) -> tuple[str, tuple[Segment, ...], tuple[Placed, ...]]:
    """Text, segments, and the places of the draft's own units in the text."""
    text = ""
    pieces: list[str] = []
    segments: list[Segment] = []
    placed: list[Placed] = []
    length = 0
    before: Unit | None = None
    for run in _runs(draft.all_units, assets):
        first, last = run[0], run[-1]
        asset = assets[first.asset]
        start = _line_start(asset, first.start)
        joint = _joint(before, first)
        piece = asset.text[start : last.end]
        length += len(joint)
        segments.append(Segment(asset.ordinal, start, last.end, length))
        placed += [Placed(unit, length + unit.start - start) for unit in run]
        pieces += [joint, piece]
        length += len(piece)
        before = last
    text = "".join(pieces)
    return text, tuple(segments), tuple(placed[len(placed) - len(draft.units) :])


def _runs(units: Sequence[Unit], assets: Sequence[Asset]) -> list[list[Unit]]:
    """Units that follow one another in one asset with white space between them at most."""
    runs: list[list[Unit]] = []
    for unit in units:
        last = runs[-1][-1] if runs else None
        if (
            last is not None
            and last.asset == unit.asset
            and last.end <= unit.start
            and not assets[unit.asset].text[last.end : unit.start].strip()
        ):
            runs[-1].append(unit)
        else:
            runs.append([unit])
    return runs


def _line_start(asset: Asset, start: int) -> int:
    """The indentation of the first line of code belongs to it."""
    if asset.kind is not AssetKind.CODE:
        return start
    line = asset.text.rfind("\n", 0, start) + 1
    return start if asset.text[line:start].strip() else line


def _joint(before: Unit | None, after: Unit) -> str:
    if before is None:
        return ""
    same_table = before.asset == after.asset
    both_items = before.kind is after.kind is AssetKind.LIST_ITEM
    return "\n" if same_table or both_items else "\n\n"


def _parent(
    number: int, layout: _Layout, parsed: Parsed, place: tuple[str | int, ...], places: Places
) -> Parent:
    pages = _labels(places.rebased(layout.own, 0, len(layout.text)), parsed)
    return Parent(
        id=make_id("parent", *place, number),
        ordinal=number,
        kind=layout.draft.kind,
        text=layout.text,
        heading_path=path_of(layout.draft.units, parsed.assets),
        segments=layout.segments,
        pages=tuple(pages),
        page_labels=tuple(pages.values()),
        tokens=layout.tokens,
    )


def _labels(regions: Sequence[Region], parsed: Parsed) -> dict[int, str | None]:
    """Pages in order with what is printed on them."""
    found: dict[int, str | None] = {}
    for region in regions:
        if region.page is None:
            continue
        label = region.label or found.get(region.page)
        if not label and parsed.page_labels and region.page <= len(parsed.page_labels):
            label = parsed.page_labels[region.page - 1]
        found[region.page] = label or None
    return dict(sorted(found.items()))


def _child(
    identity: int,
    number: int,
    parent: Parent,
    placed: tuple[Placed, ...],
    tokens: int,
    path: tuple[str, ...],
    writer: IndexWriter,
    places: Places,
) -> Child:
    start, end = placed[0].start, placed[-1].end
    text = parent.text[start:end]
    regions = places.rebased(parent.segments, start, end)
    body = next((p.unit for p in placed if p.unit.kind is not AssetKind.HEADING), placed[0].unit)
    return Child(
        id=identity,
        parent_id=parent.id,
        ordinal=number,
        start=start,
        end=end,
        text=text,
        index_text=writer.write(placed, text),
        kind=body.kind,
        heading_path=path,
        regions=regions,
        pages=tuple(sorted({r.page for r in regions if r.page is not None})),
        tokens=tokens,
    )
