"""Tables, figures and notes out of flattened WordprocessingML."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from typing import Any

from chapterverse.ingest.docx_xml import PAGE_BREAK, paragraph_text, qn
from chapterverse.ingest.lines import one_line
from chapterverse.ingest.outline import Draft
from chapterverse.ingest.tables import Cell, build_table, guess_header_rows, has_text, place_cells
from chapterverse.schema.records import AssetKind, Region

__all__ = [
    "figure_drafts",
    "note_ids",
    "note_texts",
    "row_page_ends",
    "starts_with_picture",
    "table_draft",
]

_ICON_EMU = 228_600
"""Pictures without a description below a quarter inch each way are bullets and icons."""


def table_draft(table: Any, page: int | None, hard_breaks: bool) -> Draft | None:
    """A ``w:tbl`` with merged cells laid out; ``None`` when all cells are empty.

    Header rows are those marked to repeat on each page, else the first row by the usual guess,
    taken together with the rows that its vertically merged cells reach into. *page* is the one
    on which the table begins; then there is one region a row.
    """
    rows = list(table.iterchildren(qn("w:tr")))
    cells = _cells(rows)
    marked = 0
    for row in rows[:-1]:
        header = row.find(f"{qn('w:trPr')}/{qn('w:tblHeader')}")
        if header is None or header.get(qn("w:val")) in ("0", "false", "off"):
            break
        marked += 1
    header_rows = marked or _first_header(cells)
    grid = place_cells(cells, header_rows)
    if not has_text(grid):
        return None
    if not marked and guess_header_rows(grid) == 0:
        header_rows = 0
    text, record = build_table(grid, header_rows)
    regions: tuple[Region, ...] = ()
    if page is not None:
        pages = accumulate(row_page_ends(table, hard_breaks), initial=page)
        next(pages)  # a row with a page end in it mostly begins the new page
        regions = tuple(
            Region(start, end, page=number)
            for (start, end), number in zip(record.row_spans, pages, strict=True)
        )
    return Draft(AssetKind.TABLE, text, regions, table=record)


def row_page_ends(table: Any, hard_breaks: bool) -> list[int]:
    """How many pages end in each row; every cell of a row that is split notes the same end."""
    return [
        max((_page_ends(tc, hard_breaks) for tc in row.iterchildren(qn("w:tc"))), default=0)
        for row in table.iterchildren(qn("w:tr"))
    ]


def _page_ends(tc: Any, hard_breaks: bool) -> int:
    return sum(paragraph_text(p, hard_breaks).count(PAGE_BREAK) for p in tc.iter(qn("w:p")))


def _first_header(cells: list[list[Cell]]) -> int:
    if len(cells) < 2:
        return 0
    grouped = any(cell.cols > 1 for cell in cells[0])
    reach = max((cell.rows for cell in cells[0]), default=1)
    # Only a row that groups columns needs the row below it to name them.
    return min(reach, len(cells) - 1) if grouped and reach > 1 else 1


def _cells(rows: list[Any]) -> list[list[Cell]]:
    """Cells with their spans; a vertical merge is counted at the cell that starts it."""
    starts: dict[int, tuple[int, int]] = {}
    grid: list[list[Cell]] = []
    for y, row in enumerate(rows):
        grid.append([])
        column = _number(row.find(f"{qn('w:trPr')}/{qn('w:gridBefore')}"), 0)
        if column:
            grid[y].append(Cell("", cols=column))
        for tc in row.iterchildren(qn("w:tc")):
            span = max(1, _number(tc.find(f"{qn('w:tcPr')}/{qn('w:gridSpan')}"), 1))
            merge = tc.find(f"{qn('w:tcPr')}/{qn('w:vMerge')}")
            continues = merge is not None and merge.get(qn("w:val"), "continue") == "continue"
            if continues and column in starts:
                top, index = starts[column]
                cell = grid[top][index]
                grid[top][index] = Cell(cell.text, cell.cols, y - top + 1)
            else:
                starts[column] = (y, len(grid[y]))
                grid[y].append(Cell(_cell_text(tc), span))
            column += span
    return grid


def _number(element: Any, default: int) -> int:
    value = element.get(qn("w:val")) if element is not None else None
    return min(int(value), 1000) if value is not None and value.isdecimal() else default


def _cell_text(tc: Any) -> str:
    texts = (paragraph_text(p).replace(PAGE_BREAK, "") for p in tc.iter(qn("w:p")))
    return " ".join(filter(None, map(one_line, texts)))


def figure_drafts(paragraph: Any) -> Iterator[Draft]:
    """Pictures, charts and diagrams anchored in *paragraph*; the text is their description."""
    for drawing in paragraph.iter(qn("w:drawing")):
        if any(next(drawing.iter(qn(t)), None) is not None for t in _PICTURES):
            properties = next(drawing.iter(qn("wp:docPr")), None)
            text = _description(properties, "descr", "title")
            if text or not _is_icon(drawing):
                yield Draft(AssetKind.FIGURE, text)
    for shape in paragraph.iter(qn("v:shape")):
        if shape.find(qn("v:imagedata")) is not None:
            yield Draft(AssetKind.FIGURE, _description(shape, "alt", "title"))


def starts_with_picture(paragraph: Any) -> bool:
    """Whether a picture stands before the first text of *paragraph*."""
    for element in paragraph.iter(qn("w:t"), qn("w:drawing"), qn("w:pict")):
        if element.tag != qn("w:t"):
            return True
        if (element.text or "").strip():
            return False
    return False


_PICTURES = ("pic:pic", "c:chart", "dgm:relIds")


def _description(element: Any, *attributes: str) -> str:
    if element is None:
        return ""
    return next((one_line(v) for a in attributes if (v := element.get(a) or "").strip()), "")


def _is_icon(drawing: Any) -> bool:
    extent = next(drawing.iter(qn("wp:extent")), None)
    if extent is None:
        return False
    return max(int(extent.get("cx", 0)), int(extent.get("cy", 0))) < _ICON_EMU


def note_ids(element: Any) -> list[tuple[str, str]]:
    """``(kind, id)`` of the notes that *element* refers to, in order; kind is the part's word."""
    kinds = {qn("w:footnoteReference"): "footnotes", qn("w:endnoteReference"): "endnotes"}
    return [
        (kinds[reference.tag], reference.get(qn("w:id")) or "")
        for reference in element.iter(*kinds)
    ]


def note_texts(root: Any) -> dict[str, str]:
    """Text of each note of a footnotes or endnotes part, by id; separators are left out."""
    return {
        note.get(qn("w:id")): text
        for note in root
        if note.get(qn("w:type")) in (None, "normal") and (text := _cell_text(note))
    }
