"""Tables, charts, diagrams and pictures on slides."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from chapterverse.ingest.chart_xml import chart_draft
from chapterverse.ingest.context import ReadContext
from chapterverse.ingest.grid import Area, GridCell
from chapterverse.ingest.grid_drafts import table_draft
from chapterverse.ingest.grid_headers import merged_header_rows
from chapterverse.ingest.office_pictures import figure_draft, kept
from chapterverse.ingest.ooxml import local_name, parse_xml
from chapterverse.ingest.outline import Draft
from chapterverse.ingest.pptx_text import frame_text, paragraph_text
from chapterverse.schema.records import AssetKind

__all__ = [
    "alt_text",
    "diagram_drafts",
    "frame_chart",
    "holds_picture",
    "is_decorative",
    "picture_draft",
    "slide_table",
]

_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_STRICT = "{http://purl.oclc.org/ooxml/officeDocument/relationships}"
_NUMBER = re.compile(r"[-+(]?[$€£¥￥]?\s?\d[\d.,\s]*[%)]?")
_MOST_SPAN = 1000


def slide_table(shape: Any) -> Draft | None:
    """The table of a graphic frame; ``None`` when all its cells are empty.

    The table says itself whether its first row and column are headers; merged cells add rows.
    """
    table = shape._element.graphic.graphicData.tbl
    rows: list[list[GridCell | None]] = []
    merges: list[Area] = []
    for y, row in enumerate(table.tr_lst, start=1):
        cells: list[GridCell | None] = []
        for x, cell in enumerate(row.tc_lst, start=1):
            covered = cell.hMerge or cell.vMerge
            text = "" if covered or cell.txBody is None else frame_text(cell.txBody)
            cells.append(_cell(text))
            if not covered and (cell.gridSpan > 1 or cell.rowSpan > 1):
                merges.append(Area(y, x, y + min(cell.rowSpan, _MOST_SPAN) - 1,
                                   x + min(cell.gridSpan, _MOST_SPAN) - 1))  # fmt: skip
        rows.append(cells)
    if not any(cell for row in rows for cell in row):
        return None
    width = max(map(len, rows))
    merges = [replace(m, bottom=min(m.bottom, len(rows)), right=min(m.right, width))
              for m in merges if m.right <= width or m.left < width]  # fmt: skip
    rows = [row + [None] * (width - len(row)) for row in rows]
    properties = table.tblPr
    first_row = properties is not None and properties.firstRow
    first_column = properties is not None and properties.firstCol
    header = merged_header_rows(rows, merges) if first_row and len(rows) > 1 else None
    draft = table_draft(rows, merges, header_rows=header)
    if first_column and draft.table is not None and width > 1:
        draft = replace(draft, table=replace(draft.table, row_headers=1))
    return draft


def _cell(text: str) -> GridCell | None:
    return GridCell(text, number=bool(_NUMBER.fullmatch(text))) if text else None


def frame_chart(shape: Any) -> Draft | None:
    """The chart of a graphic frame as a table; ``None`` when it caches no values."""
    part = _related(shape, "chart", "id")
    return chart_draft(parse_xml(part.blob)) if part is not None else None


def diagram_drafts(shape: Any) -> list[Draft]:
    """The text of a SmartArt diagram as list items, nested as its nodes are."""
    part = _related(shape, "relIds", "dm")
    if part is None:
        return []
    root = parse_xml(part.blob)
    texts: dict[str, str] = {}
    top: list[str] = []
    for point in root.iter("{*}pt"):
        identity, kind = point.get("modelId", ""), point.get("type", "node")
        if kind == "doc":
            top.append(identity)
        elif kind in ("node", "asst"):
            texts[identity] = " ".join(filter(None, map(paragraph_text, point.iter("{*}p"))))
    children: dict[str, list[tuple[int, str]]] = {}
    for link in root.iter("{*}cxn"):
        if link.get("type", "parOf") == "parOf":
            order = link.get("srcOrd", "0")
            place = int(order) if order.isdecimal() else 0
            children.setdefault(link.get("srcId", ""), []).append((place, link.get("destId", "")))
    drafts: list[Draft] = []
    pending = [(identity, -1) for identity in top]
    seen: set[str] = set()
    while pending:
        identity, depth = pending.pop()
        if identity in seen:
            continue
        seen.add(identity)
        text = texts.pop(identity, "")
        if text:
            drafts.append(Draft(AssetKind.LIST_ITEM, text, level=max(depth, 0)))
        below = sorted(children.get(identity, []), reverse=True)
        pending += [(child, depth + 1) for _, child in below]
    drafts += [Draft(AssetKind.LIST_ITEM, text, level=0) for text in texts.values() if text]
    return drafts


def _related(shape: Any, tag: str, attribute: str) -> Any | None:
    """The part to which an element *tag* in the frame refers."""
    for element in shape._element.iter(f"{{*}}{tag}"):
        for space in (_RELATION, _STRICT):
            identity = element.get(f"{space}{attribute}")
            if identity is not None:
                try:
                    return shape.part.related_part(identity)
                except (KeyError, ValueError):
                    return None
    return None


def alt_text(shape: Any) -> str:
    """The description that the author gave to a shape, else its title."""
    for element in _own_properties(shape._element):
        return element.get("descr") or element.get("title") or ""
    return ""


def is_decorative(shape: Any) -> bool:
    """Whether the author marked a shape as decoration."""
    return any(
        mark.get("val") in ("1", "true")
        for element in _own_properties(shape._element)
        for mark in element.iter("{*}decorative")
    )


def holds_picture(element: Any | None) -> bool:
    """Whether a shape or background (``None``: there is none) is filled with a picture."""
    return element is not None and next(element.iter("{*}blip"), None) is not None


def _own_properties(element: Any) -> Iterator[Any]:
    return (e for head in element if local_name(head).startswith("nv")
            for e in head if local_name(e) == "cNvPr")  # fmt: skip


def picture_draft(shape: Any, context: ReadContext) -> Draft:
    """A picture (or the one that stands for an embedded object) with its description."""
    part = _related(shape, "blip", "embed")
    picture = kept(part.blob, context) if part is not None else None
    return figure_draft(alt_text(shape), picture)
