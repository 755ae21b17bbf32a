"""Rows of cells to a table asset: its text form and its :class:`Table` record."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from chapterverse.ingest.lines import one_line
from chapterverse.schema.records import Table

__all__ = ["Cell", "build_table", "clean_cell", "guess_header_rows", "has_text", "place_cells"]

MAX_GRID_CELLS = 1_000_000
"""Most grid places a table may claim; spans in broken files can ask for billions."""

_NUMBER = re.compile(r"[-+(]?[$€£¥￥]?\s?\d[\d.,\s]*[%)]?")


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell as written in the source; it covers ``cols`` x ``rows`` places of the grid."""

    text: str
    cols: int = 1
    rows: int = 1


def clean_cell(text: str) -> str:
    """*text* on one line: white space collapsed, ``|`` written as ``/``."""
    return one_line(text).replace("|", "/")


def has_text(rows: Iterable[Iterable[str]]) -> bool:
    """Whether any cell holds more than white space."""
    return any(cell.strip() for row in rows for cell in row)


def build_table(
    rows: Sequence[Sequence[str]], header_rows: int, caption: str | None = None
) -> tuple[str, Table]:
    """The asset text and the record of a table.

    Short rows are filled with empty cells on the right, so that all have the same length.
    *header_rows* is cut to the number of rows. The text is the caption (when there is one) on a
    line of its own, then one line a row with cells joined by ``" | "``.
    """
    width = max((len(row) for row in rows), default=0)
    grid = tuple(
        tuple(clean_cell(cell) for cell in row) + ("",) * (width - len(row)) for row in rows
    )
    lines = [one_line(caption)] if caption and caption.strip() else []
    offset = sum(len(line) + 1 for line in lines)
    spans: list[tuple[int, int]] = []
    for row in grid:
        line = " | ".join(row)
        spans.append((offset, offset + len(line)))
        offset += len(line) + 1
        lines.append(line)
    header = max(0, min(header_rows, len(grid)))
    return "\n".join(lines), Table(rows=grid, header_rows=header, row_spans=tuple(spans))


def place_cells(rows: Sequence[Sequence[Cell]], header_rows: int) -> tuple[tuple[str, ...], ...]:
    """Lay cells with spans out on a grid.

    A cell that spans rows is repeated in each of them, so that every row can be read alone. One
    that spans columns is repeated in header rows (it names all of them) and else stands once.
    Spans reach at most to the last row; a table that claims more than ``MAX_GRID_CELLS`` places
    is laid out without its spans.
    """
    claimed = sum(max(1, c.cols) * min(max(1, c.rows), len(rows)) for row in rows for c in row)
    if claimed > MAX_GRID_CELLS:
        rows = [[Cell(cell.text) for cell in row] for row in rows]
    grid: list[dict[int, str]] = [{} for _ in rows]
    for y, row in enumerate(rows):
        x = 0
        for cell in row:
            while x in grid[y]:
                x += 1
            for dy in range(min(max(1, cell.rows), len(rows) - y)):
                for dx in range(max(1, cell.cols)):
                    repeat = dx == 0 or y < header_rows
                    grid[y + dy].setdefault(x + dx, cell.text if repeat else "")
            x += max(1, cell.cols)
    width = max((max(row, default=-1) + 1 for row in grid), default=0)
    return tuple(tuple(row.get(x, "") for x in range(width)) for row in grid)


def guess_header_rows(rows: Sequence[Sequence[str]]) -> int:
    """How many leading rows name the columns when the source does not mark them: 0 or 1.

    A lone row or a lone column has no header, nor does a table whose first row holds numbers in
    half of its filled cells.
    """
    if len(rows) < 2 or max(len(row) for row in rows) < 2:
        return 0
    filled = [cell.strip() for cell in rows[0] if cell.strip()]
    numbers = sum(bool(_NUMBER.fullmatch(cell)) and not _is_year(cell) for cell in filled)
    return 1 if filled and numbers * 2 < len(filled) else 0


def _is_year(cell: str) -> bool:
    return len(cell) == 4 and cell.isdigit() and cell[:2] in {"19", "20"}
