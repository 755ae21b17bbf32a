"""Word tables that only arrange a page: taken apart before tables are read."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from chapterverse.ingest.docx_xml import has_math, other_text, qn
from chapterverse.ingest.flow_captions import caption_kind

__all__ = ["is_number_only", "unwrap_layout_tables"]

_SUB_CAPTION = re.compile(r"\s*[(（]?[a-z][)）.]", re.I)


def unwrap_layout_tables(body: Any, is_heading: Callable[[Any], bool]) -> None:
    """Replace tables of *body* that hold no data by what is in their cells, in reading order.

    These are: one cell; one row or column around other tables or pictures; rows of pictures with
    rows of their captions; cells that hold a heading (by *is_heading*) and text below it; a
    numbered formula, which becomes one paragraph.
    """
    for table in list(body.iter(qn("w:tbl"))):
        if table.getparent() is None:
            continue
        rows = [row.findall(qn("w:tc")) for row in table.findall(qn("w:tr"))]
        cells = [cell for row in rows for cell in row]
        if not cells:
            continue
        if _is_formula(rows):
            _join(table, cells)
            continue
        order = _picture_order(rows)
        line = len(rows) == 1 or all(len(row) == 1 for row in rows)
        around = any(_holds(cell, "w:tbl") for cell in cells)
        if order is None and (len(cells) == 1 or (line and around)):
            order = cells
        if order is None and any(_is_section(cell, is_heading) for cell in cells):
            order = cells
        if order is not None:
            _replace(table, order)


def _replace(table: Any, cells: list[Any]) -> None:
    for cell in cells:
        for child in list(cell):
            if child.tag in (qn("w:p"), qn("w:tbl")):
                table.addprevious(child)
    table.getparent().remove(table)


def _join(table: Any, cells: list[Any]) -> None:
    """All runs of *cells* in one paragraph instead of *table*."""
    joined = table.makeelement(qn("w:p"))
    for paragraph in (p for cell in cells for p in cell.iter(qn("w:p"))):
        if len(joined):
            space = joined.makeelement(qn("w:r"))
            space.append(space.makeelement(qn("w:tab")))
            joined.append(space)
        for child in list(paragraph):
            if child.tag != qn("w:pPr"):
                joined.append(child)
    table.addprevious(joined)
    table.getparent().remove(table)


def _holds(cell: Any, tag: str) -> bool:
    return next(cell.iter(qn(tag)), None) is not None


def _text(cell: Any) -> str:
    return "".join(t.text or "" for t in cell.iter(qn("w:t"))).strip()


def _is_formula(rows: list[list[Any]]) -> bool:
    """One row with mathematics in one cell and at most a number in the others."""
    if len(rows) != 1 or not 2 <= len(rows[0]) <= 3:
        return False
    formulas = [cell for cell in rows[0] if has_math(cell)]
    return len(formulas) == 1 and all(map(is_number_only, map(other_text, rows[0])))


def is_number_only(text: str) -> bool:
    """Whether *text* is empty, punctuation or the number of a formula: ``(3.1)``."""
    return re.fullmatch(r"\W*|\W*[(（][\w.\-–]{1,10}[)）]", text.strip()) is not None


def _has_picture(cell: Any) -> bool:
    return _holds(cell, "w:drawing") or _holds(cell, "v:imagedata")


def _picture_order(rows: list[list[Any]]) -> list[Any] | None:
    """Cells with each caption behind its picture, when the rows hold nothing else."""
    order: list[Any] = []
    above: list[Any] = []
    for row in rows:
        pictures = any(map(_has_picture, row))
        if pictures and all(_has_picture(cell) or not _text(cell) for cell in row):
            order.extend(above)
            above = row
        elif not pictures and above and all(_is_caption(_text(cell)) for cell in row):
            order.extend(cell for pair in zip(above, row, strict=False) for cell in pair)
            order.extend([*above[len(row) :], *row[len(above) :]])
            above = []
        elif not pictures and order and len(row) == 1 and not above and caption_kind(_text(row[0])):
            order.extend(row)
        else:
            return None
    return [*order, *above]


def _is_caption(text: str) -> bool:
    return not text or caption_kind(text) is not None or bool(_SUB_CAPTION.match(text))


def _is_section(cell: Any, is_heading: Callable[[Any], bool]) -> bool:
    paragraphs = [p for p in cell.findall(qn("w:p")) if _text(p)]
    return len(paragraphs) > 2 and any(map(is_heading, paragraphs))
