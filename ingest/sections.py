"""Units to drafts of parents: sections, tables and figures, in reading order.

A section is a heading with what follows up to the next heading; headings in a row stay together
unless a page border lies between them and their text.
A table or a figure stands alone, with the headings right before it and with a lead-in or notes so
small that they would make no parent of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from chapterverse.ingest.drafts import Draft, cut_draft, path_of, tokens_of
from chapterverse.ingest.table_chunks import Role
from chapterverse.ingest.units import Unit
from chapterverse.schema.chunk_limits import ChunkLimits
from chapterverse.schema.records import Asset, AssetKind, ParentKind

__all__ = ["draft_parents"]

_FLOATS = {AssetKind.TABLE: ParentKind.TABLE, AssetKind.FIGURE: ParentKind.FIGURE}
_HEADS = frozenset({Role.CAPTION, Role.HEADER})


def draft_parents(
    assets: Sequence[Asset], units: Sequence[tuple[Unit, ...]], limits: ChunkLimits
) -> list[Draft]:
    """Drafts in reading order; together they hold every unit once, repeated headers apart."""
    parts = [
        piece
        for draft in _attach(_sections(units), limits)
        for piece in cut_draft(draft, limits.parent_tokens, limits.merge_tokens)
    ]
    return _merge(parts, assets, limits)


def _sections(units: Sequence[tuple[Unit, ...]]) -> list[Draft]:
    drafts: list[Draft] = []
    run: list[Unit] = []

    def close() -> None:
        if run:
            drafts.append(Draft(ParentKind.SECTION, tuple(run)))
            run.clear()

    for group in units:
        if not group:
            continue
        kind = group[0].kind
        if kind in _FLOATS:
            close()
            header = tuple(unit for unit in group if unit.role in _HEADS)
            drafts.append(Draft(_FLOATS[kind], group, header))
            continue
        if run and run[-1].kind is not AssetKind.HEADING:
            begins = kind is AssetKind.HEADING
        else:
            # Glued over a page border, a heading would have its text cited by the page before.
            begins = not _same_page(run, group)
        if begins:
            close()
        run.extend(group)
    close()
    return drafts


def _only_headings(units: Sequence[Unit]) -> bool:
    return all(unit.kind is AssetKind.HEADING for unit in units)


def _attach(drafts: list[Draft], limits: ChunkLimits) -> list[Draft]:
    """Give tables and figures the headings, lead-in and notes that would else stand alone."""
    out: list[Draft] = []
    for draft in drafts:
        last = out[-1] if out else None
        if last is None:
            out.append(draft)
        elif _leads(last, draft, limits):
            out[-1] = replace(draft, units=last.units + draft.units)
        else:
            out.append(draft)
    # A lead-in goes to what it leads to, so notes are looked for when those are gone.
    joined: list[Draft] = []
    for draft in out:
        if joined and _notes(joined[-1], draft, limits):
            joined[-1] = replace(joined[-1], units=joined[-1].units + draft.units)
        else:
            joined.append(draft)
    return joined


def _leads(lead: Draft, floating: Draft, limits: ChunkLimits) -> bool:
    if lead.kind is not ParentKind.SECTION or floating.kind is ParentKind.SECTION:
        return False
    size = tokens_of(lead.units)
    if size > limits.parent_tokens / 3 or not _same_page(lead.units, floating.units):
        return False
    return _only_headings(lead.units) or size < limits.tiny_tokens


def _notes(floating: Draft, notes: Draft, limits: ChunkLimits) -> bool:
    if floating.kind is ParentKind.SECTION or notes.kind is not ParentKind.SECTION:
        return False
    return (
        notes.units[0].kind is not AssetKind.HEADING
        and tokens_of(notes.units) < limits.tiny_tokens
        and _same_page(floating.units, notes.units)
    )


def _same_page(before: Sequence[Unit], after: Sequence[Unit]) -> bool:
    """Whether the first ends on the page the second begins on; unknown pages are no border."""
    ends = [unit.pages[1] for unit in before if unit.pages]
    starts = [unit.pages[0] for unit in after if unit.pages]
    return not ends or not starts or ends[-1] == starts[0]


def _merge(drafts: list[Draft], assets: Sequence[Asset], limits: ChunkLimits) -> list[Draft]:
    """Merge small neighbours: into what follows, then into what precedes, then the tiny ones."""
    small, tiny = limits.merge_tokens, limits.tiny_tokens

    def touching(a: Draft, b: Draft) -> bool:
        return _same_page(a.units, b.units)

    def related(a: Draft, b: Draft) -> bool:
        least = min(tokens_of(a.units), tokens_of(b.units))
        return touching(a, b) and _related(
            path_of(a.units, assets), path_of(b.units, assets), least < tiny
        )

    drafts = _merge_once(drafts, limits, lambda a, _: a < small, related)
    drafts = _merge_once(drafts, limits, lambda _, b: b < small, related)
    # What is tiny and still alone (a title page, a stray line) goes with anything on its page.
    return _merge_once(drafts, limits, lambda a, b: min(a, b) < tiny, touching)


def _merge_once(
    drafts: list[Draft],
    limits: ChunkLimits,
    wanted: Callable[[int, int], bool],
    allowed: Callable[[Draft, Draft], bool],
) -> list[Draft]:
    out: list[Draft] = []
    size = 0
    for draft in drafts:
        tokens = tokens_of(draft.units)
        if (
            out
            and out[-1].kind is draft.kind is ParentKind.SECTION
            and wanted(size, tokens)
            and size + tokens <= limits.parent_tokens
            and not _only_headings(draft.units)
            and allowed(out[-1], draft)
        ):
            out[-1] = replace(out[-1], units=out[-1].units + draft.units)
            size += tokens
        else:
            out.append(draft)
            size = tokens
    return out


def _related(first: tuple[str, ...], second: tuple[str, ...], tiny: bool) -> bool:
    """Siblings, a section and the one below it, or a tiny one under the same top heading."""
    siblings = len(first) == len(second) and first[:-1] == second[:-1]
    return siblings or first == second[:-1] or (tiny and first[:1] == second[:1])
