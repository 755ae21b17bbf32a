"""Tables out of flattened WordprocessingML."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from typing import Any

from chapterverse.ingest.docx_xml import PAGE_BREAK, is_bold, paragraph_text, qn
from chapterverse.ingest.lines import one_line
from chapterverse.ingest.outline import Draft
from chapterverse.ingest.tables import (
    Cell,
    build_table,
    guess_header_rows,
    guess_row_headers,
    has_text,
    merges_of,
    place_cells,
)
from chapterverse.schema.records import AssetKind, Region

__all__ = ["row_page_ends", "table_draft"]

_MOST_BOLD_ROWS = 3

ReadLabel = Callable[[Any], str]
"""The label with its separator that Word shows in front of a numbered paragraph, or ``""``."""


def table_draft(table: Any, page: int | None, hard_breaks: bool, label: ReadLabel) -> Draft | None:
    """A ``w:tbl`` with merged cells laid out; ``None`` when all cells are empty.

    Header rows are those marked to repeat on each page, else leading rows in bold, else the first
    row by the usual guess, taken together with the rows that its vertically merged cells reach
    into. The first column names the rows when it alone is bold or stands beside figures. *page*
    is the one on which the table begins; then there is one region a row. A table in a cell
    becomes that cell's text.
    """
    rows = list(table.iterchildren(qn("w:tr")))
    cells = _cells(rows, label)
    marked = 0
    for row in rows[:-1]:
        header = row.find(f"{qn('w:trPr')}/{qn('w:tblHeader')}")
        if header is None or header.get(qn("w:val")) in ("0", "false", "off"):
            break
        marked += 1
    marked = marked or _bold_rows(rows)
    header_rows = marked or _first_header(cells)
    grid = place_cells(cells, header_rows)
    if not has_text(grid):
        return None
    if not marked and guess_header_rows(grid) == 0:
        header_rows = 0
    names = _bold_column(rows[header_rows:]) or guess_row_headers(grid, header_rows)
    text, record = build_table(grid, header_rows, row_headers=names, merges=merges_of(cells))
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


def _bold_rows(rows: list[Any]) -> int:
    """Leading rows all in bold, where the row behind them is not."""
    bold = [_bold(row.iterchildren(qn("w:tc"))) for row in rows[: _MOST_BOLD_ROWS + 1]]
    count = next((n for n, strong in enumerate(bold) if not strong), 0)
    wide = bool(rows) and len(rows[0].findall(qn("w:tc"))) > 1
    return count if wide else 0


def _bold_column(rows: list[Any]) -> int:
    """1 when the first cell of each row is bold and some other cell is not."""
    split = [list(row.iterchildren(qn("w:tc"))) for row in rows]
    split = [cells for cells in split if len(cells) > 1]
    named = bool(split) and all(_bold(cells[:1]) for cells in split)
    return int(named and not any(_bold(cells[1:]) for cells in split))


def _bold(cells: Any) -> bool:
    paragraphs = [p for cell in cells for p in cell.iter(qn("w:p")) if paragraph_text(p).strip()]
    return bool(paragraphs) and all(map(is_bold, paragraphs))


def _first_header(cells: list[list[Cell]]) -> int:
    if len(cells) < 2:
        return 0
    grouped = any(cell.cols > 1 for cell in cells[0])
    reach = max((cell.rows for cell in cells[0]), default=1)
    # Only a row that groups columns needs the row below it to name them.
    return min(reach, len(cells) - 1) if grouped and reach > 1 else 1


def _cells(rows: list[Any], label: ReadLabel) -> list[list[Cell]]:
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
                grid[y].append(Cell(_cell_text(tc, label), span))
            column += span
    return grid


def _number(element: Any, default: int) -> int:
    value = element.get(qn("w:val")) if element is not None else None
    return min(int(value), 1000) if value is not None and value.isdecimal() else default


def _cell_text(tc: Any, label: ReadLabel) -> str:
    texts = (label(p) + paragraph_text(p).replace(PAGE_BREAK, "") for p in tc.iter(qn("w:p")))
    return " ".join(filter(None, map(one_line, texts)))
