"""What lies on a worksheet beside its cells: comments, pictures, charts, text boxes, tables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from chapterverse.ingest.chart_xml import chart_draft
from chapterverse.ingest.context import ReadContext
from chapterverse.ingest.grid import Area, DefinedTable, parse_area, range_name
from chapterverse.ingest.grid_drafts import PlacedDraft
from chapterverse.ingest.lines import one_line
from chapterverse.ingest.office_pictures import figure_draft, kept
from chapterverse.ingest.ooxml import Package, local_name
from chapterverse.ingest.outline import Draft
from chapterverse.ingest.unshown import LOST, unshown_warning
from chapterverse.schema.errors import Corrupt
from chapterverse.schema.records import AssetKind, ParseWarning, Region

__all__ = ["comment_drafts", "defined_tables", "drawing_drafts", "place_draft"]

_THREADED = re.compile(r"^\[[^\]]+\]\s+.*?(?:Comment|Kommentar|Commentaire|批注|注释):\s*", re.S)
_MOST_ROWS = 1_048_576


def place_draft(draft: Draft, name: str, number: int, area: Area) -> PlacedDraft:
    """*draft* with one region: sheet *number*, called *name*, and the range *area*."""
    region = Region(0, len(draft.text), page=number, label=name, place=range_name(name, area))
    return PlacedDraft(area, replace(draft, regions=(region,)))


def defined_tables(package: Package, part: str) -> list[DefinedTable]:
    """The ranges of the worksheet *part* that are declared as tables."""
    found = []
    for target in package.related(part, "table"):
        root = package.xml(target)
        area = parse_area(root.get("ref") or "")
        header = root.get("headerRowCount", "1")
        if area is not None and area.height > 1:
            found.append(DefinedTable(area, int(header) if header.isdecimal() else 1))
    return found


def comment_drafts(package: Package, part: str, name: str, number: int) -> list[PlacedDraft]:
    """Comments on cells, in order of their cells; the replies of a thread follow it."""
    found: dict[str, list[str]] = {}
    for target in package.related(part, "threadedComment"):
        for comment in package.xml(target):
            texts = [one_line("".join(e.itertext())) for e in comment if local_name(e) == "text"]
            found.setdefault(comment.get("ref", ""), []).extend(filter(None, texts))
    threaded = set(found)
    for target in package.related(part, "comments"):
        for comment in package.xml(target).iter("{*}comment"):
            reference = comment.get("ref", "")
            if reference not in threaded:
                text = "".join(t.text or "" for t in comment.iter("{*}t"))
                found.setdefault(reference, []).append(one_line(_THREADED.sub("", text.strip())))
    placed = []
    for reference, texts in found.items():
        area, text = parse_area(reference), "\n".join(filter(None, texts))
        if area is not None and text:
            placed.append(place_draft(Draft(AssetKind.FOOTNOTE, text), name, number, area))
    return sorted(placed, key=lambda one: (one.area.top, one.area.left))


def drawing_drafts(
    package: Package, part: str, name: str, number: int, context: ReadContext
) -> tuple[list[PlacedDraft], list[ParseWarning]]:
    """Pictures, charts and text boxes on the sheet *part*, and what could not be read of them."""
    placed: list[PlacedDraft] = []
    warnings: list[ParseWarning] = []
    unshown: Counter[str] = Counter()
    for drawing in package.related(part, "drawing"):
        links = package.relationships(drawing)
        for anchor in package.xml(drawing):
            area = _area(anchor)
            for item in _items(anchor):
                try:
                    drafts = list(_item_drafts(package, item, links, context))
                except Corrupt as exc:
                    warnings.append(ParseWarning("drawing_unread", f"{name}: {exc}", number))
                    continue
                if not drafts and local_name(item) == "graphicFrame":
                    place = range_name(name, area)
                    message = f"the chart at {place} holds no values of its own and was left out"
                    warnings.append(ParseWarning("chart_unread", message, number))
                if local_name(item) == "pic":
                    unshown[LOST] += not any(draft.picture for draft in drafts)
                placed += [place_draft(draft, name, number, area) for draft in drafts]
    return placed, [*warnings, *unshown_warning(unshown, number, f"{name}: ")]


def _area(anchor: Any) -> Area:
    """The cells under an anchor; the first cell for one that is tied to none."""
    corners = []
    for corner in anchor:
        if local_name(corner) in ("from", "to"):
            at = {local_name(e): e.text or "" for e in corner}
            row, column = at.get("row", ""), at.get("col", "")
            if row.isdecimal() and column.isdecimal():
                corners.append((min(int(row) + 1, _MOST_ROWS), min(int(column) + 1, 16_384)))
    if not corners:
        return Area(1, 1, 1, 1)
    (top, left), (bottom, right) = corners[0], corners[-1]
    return Area(top, left, max(top, bottom), max(left, right))


def _items(anchor: Any) -> Iterator[Any]:
    """Pictures, frames and shapes of an anchor, those of groups too; one form of alternatives."""
    for element in anchor:
        name = local_name(element)
        if name in ("pic", "graphicFrame", "sp"):
            yield element
        elif name in ("grpSp", "Choice", "Fallback"):
            yield from _items(element)
        elif name == "AlternateContent":
            forms = [list(_items(form)) for form in element]
            yield from next((form for form in forms if form), [])


def _item_drafts(
    package: Package, item: Any, links: dict[str, Any], context: ReadContext
) -> Iterator[Draft]:
    kind = local_name(item)
    if kind == "sp":
        for paragraph in item.iter("{*}p"):
            text = one_line("".join(t.text or "" for t in paragraph.iter("{*}t")))
            if text:
                yield Draft(AssetKind.PARAGRAPH, text)
    elif kind == "pic":
        alt = next((e.get("descr") or "" for e in item.iter("{*}cNvPr")), "")
        target = _linked(item, links, "blip", "embed")
        picture = kept(_data(package, target), context)
        if alt or picture:
            yield figure_draft(alt, picture)
    else:
        target = _linked(item, links, "chart", "id")
        draft = chart_draft(package.xml(target)) if target else None
        if draft is not None:
            yield draft


def _data(package: Package, part: str | None) -> bytes:
    """The bytes of a picture; none where the part is missing or damaged."""
    try:
        return package.read(part) if part else b""
    except Corrupt:
        return b""


def _linked(item: Any, links: dict[str, Any], tag: str, attribute: str) -> str | None:
    for element in item.iter(f"{{*}}{tag}"):
        for key, value in element.attrib.items():
            link = links.get(value) if key.rpartition("}")[2] == attribute else None
            if link is not None and not link.external:
                return str(link.target)
    return None
