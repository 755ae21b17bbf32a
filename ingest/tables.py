"""Rows of cells to a table asset: its text form and its :class:`Table` record."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from chapterverse.ingest.lines import one_line
from chapterverse.schema.records import Merge, Table

__all__ = [
    "Cell",
    "build_table",
    "clean_cell",
    "guess_header_rows",
    "guess_row_headers",
    "has_text",
    "merges_of",
    "place_cells",
]

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
    rows: Sequence[Sequence[str]],
    header_rows: int,
    caption: str | None = None,
    *,
    row_headers: int = 0,
    merges: Sequence[Merge] = (),
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
    table = Table(
        rows=grid,
        header_rows=header,
        row_spans=tuple(spans),
        row_headers=max(0, min(row_headers, width)),
        merges=tuple(merges),
    )
    return "\n".join(lines), table


def place_cells(rows: Sequence[Sequence[Cell]], header_rows: int) -> tuple[tuple[str, ...], ...]:
    """Lay cells with spans out on a grid.

    A cell that spans rows is repeated in each of them, so that every row can be read alone. One
    that spans columns is repeated in header rows (it names all of them) and else stands once.
    Spans reach at most to the last row; a table that claims more than ``MAX_GRID_CELLS`` places
    is laid out without its spans.
    """
    grid: list[dict[int, str]] = [{} for _ in rows]
    for y, x, cell in _placed(rows):
        for dy in range(cell.rows):
            for dx in range(cell.cols):
                repeat = dx == 0 or y < header_rows
                grid[y + dy].setdefault(x + dx, cell.text if repeat else "")
    width = max((max(row, default=-1) + 1 for row in grid), default=0)
    return tuple(tuple(row.get(x, "") for x in range(width)) for row in grid)


def merges_of(rows: Sequence[Sequence[Cell]]) -> tuple[Merge, ...]:
    """The cells of *rows* that cover more than one place, where :func:`place_cells` puts them."""
    return tuple(
        Merge(y, x, cell.rows, cell.cols)
        for y, x, cell in _placed(rows)
        if cell.rows > 1 or cell.cols > 1
    )


def _placed(rows: Sequence[Sequence[Cell]]) -> Iterator[tuple[int, int, Cell]]:
    """Row, column and cell, with spans of at least 1 that stay inside the last row."""
    claimed = sum(max(1, c.cols) * min(max(1, c.rows), len(rows)) for row in rows for c in row)
    if claimed > MAX_GRID_CELLS:
        rows = [[Cell(cell.text) for cell in row] for row in rows]
    taken: list[set[int]] = [set() for _ in rows]
    for y, row in enumerate(rows):
        x = 0
        for cell in row:
            while x in taken[y]:
                x += 1
            height, width = min(max(1, cell.rows), len(rows) - y), max(1, cell.cols)
            for dy in range(height):
                taken[y + dy].update(range(x, x + width))
            yield y, x, Cell(cell.text, width, height)
            x += width


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


def guess_row_headers(rows: Sequence[Sequence[str]], header_rows: int) -> int:
    """1 when the first column names the rows: distinct words, with figures beside them; else 0."""
    body = rows[header_rows : header_rows + 200]
    names = [row[0].strip() for row in body if row]
    words = [name for name in names if name and not _NUMBER.fullmatch(name)]
    if len(body) < 2 or len(words) < 0.8 * len(body) or len(set(words)) < 0.9 * len(words):
        return 0
    others = [cell.strip() for row in body for cell in row[1:] if cell.strip()]
    figures = sum(bool(_NUMBER.fullmatch(cell)) for cell in others)
    return int(bool(others) and figures * 2 >= len(others))


def _is_year(cell: str) -> bool:
    return len(cell) == 4 and cell.isdigit() and cell[:2] in {"19", "20"}
