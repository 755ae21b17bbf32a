"""Passage places to citations: what is printed, what is linked, what can be resolved again."""

from __future__ import annotations

import re
from collections.abc import Sequence

from chapterverse.schema.ids import format_id
from chapterverse.schema.lookup import ChildRow, ParentRow
from chapterverse.schema.naming import display_name, source_link
from chapterverse.schema.records import PageUnit, Region
from chapterverse.schema.results import Citation

__all__ = ["citation", "page_text"]

_NUMBERED = re.compile(r"^(\d+(\.\d+)*|[A-Z](\.\d+)+)[.)]?\s")
_QUOTE_CHARACTERS = 300


_ONE = {"page": "p.", "slide": "slide", "sheet": "sheet"}
_MANY = {"page": "pp.", "slide": "slides", "sheet": "sheets"}


def page_text(pages: Sequence[int], labels: Sequence[str | None], unit: PageUnit = "page") -> str:
    """``p. 12``, ``pp. 12–13``, ``slide 3``; the printed number in brackets where it differs."""
    if not pages:
        return ""
    first, last = pages[0], pages[-1]
    text = f"{_ONE[unit]} {first}" if first == last else f"{_MANY[unit]} {first}–{last}"
    printed = [label for label in labels if label]
    if any(label and label != str(page) for page, label in zip(pages, labels, strict=True)):
        shown = printed[0] if printed[0] == printed[-1] else f"{printed[0]}–{printed[-1]}"
        text += f" (printed {shown})"
    return text


def citation(parent: ParentRow, child: ChildRow | None) -> Citation:
    """The citation of *child* within *parent*, or of the whole parent."""
    if child is None:
        pages, start, end = parent.pages, 0, len(parent.text)
        regions: tuple[Region, ...] = ()
        path, quote = parent.heading_path, parent.text
    else:
        pages, start, end, regions = child.pages, child.start, child.end, child.regions
        path, quote = child.heading_path, child.text
    labels = _labels(parent, pages)
    where = page_text(pages, labels, parent.page_unit) or _place_text(regions)
    if parent.page_unit == "sheet":
        where = _place_text(regions) or where
    if parent.page_unit == "slide":
        where = _part_of_slide(where, regions)
    parts = [display_name(parent.uri), where]
    if path:
        parts.append(_section(path[-1]))
    link = source_link(parent.uri, pages[0] if pages else None, _heading_id(regions))
    return Citation(
        label=", ".join(part for part in parts if part),
        link=link,
        document_id=format_id(parent.document_id),
        revision_id=format_id(parent.revision_id),
        parent_id=format_id(parent.id),
        uri=parent.uri,
        pages=pages,
        page_labels=labels,
        heading_path=path,
        start=start,
        end=end,
        regions=regions,
        quote=quote if len(quote) <= _QUOTE_CHARACTERS else quote[: _QUOTE_CHARACTERS - 1] + "…",
    )


def _part_of_slide(where: str, regions: Sequence[Region]) -> str:
    """*where* with ``speaker notes`` behind it if all of the text stands there."""
    places = {region.place for region in regions}
    place = places.pop() if len(places) == 1 else None
    return f"{where}, {place}" if place else where


def _heading_id(regions: Sequence[Region]) -> str:
    """The ``id`` of the heading that the text stands under in a web page; empty without one."""
    places = (region.place or "" for region in regions)
    return next((place[1:] for place in places if place.startswith("#")), "")


def _place_text(regions: Sequence[Region]) -> str:
    """A cell range as ``Sales!A5:F9``; lines of a text as ``lines 12–14``."""
    cells = [region.place for region in regions if region.place and "!" in region.place]
    if cells:
        first, last = cells[0], cells[-1].rpartition("!")[2].rpartition(":")[2]
        return first if len(cells) == 1 else f"{first.partition(':')[0]}:{last}"
    lines = [region.lines for region in regions if region.lines is not None]
    if not lines:
        return ""
    start, end = min(x.first for x in lines), max(x.last for x in lines)
    return f"line {start}" if start == end else f"lines {start}–{end}"


def _labels(parent: ParentRow, pages: Sequence[int]) -> tuple[str | None, ...]:
    known = dict(zip(parent.pages, parent.page_labels, strict=True))
    return tuple(known.get(page) for page in pages)


def _section(heading: str) -> str:
    return f"§ {heading}" if _NUMBERED.match(heading) else heading
