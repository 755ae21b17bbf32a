"""Blocks of filled cells on a sheet: what empty rows and columns set apart.

A range that the file declares as a table is a block. The rest is cut at empty rows, the pieces at
empty columns, those again at empty rows, until nothing can be cut. Pieces that one empty row or
column parts are joined again where the second piece only goes on with the first.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from chapterverse.ingest.grid import Area, DefinedTable, GridCell, Sheet
from chapterverse.ingest.grid_headers import is_period

__all__ = ["Block", "find_blocks"]

_MOST_COVERED = 1_000_000
"""Places that all merged ranges together may cover; more says nothing about blocks."""
_DEEPEST = 60
_WIDEST_GAP = 3
"""Empty columns that may stand between two columns of one table."""


@dataclass(frozen=True, slots=True)
class Block:
    """A range of connected cells; ``table`` when the file declares it as one."""

    area: Area
    table: DefinedTable | None = None


@dataclass(slots=True)
class _Filled:
    """Ascending columns that are filled, by row."""

    columns: dict[int, list[int]] = field(default_factory=dict)

    def cut(self, rows: Iterable[int], left: int, right: int) -> dict[int, list[int]]:
        """The same within *rows* and the columns *left* to *right*; empty rows left out."""
        found = {}
        for row in rows:
            columns = self.columns[row]
            part = columns[bisect_left(columns, left) : bisect_right(columns, right)]
            if part:
                found[row] = part
        return found


def find_blocks(sheet: Sheet) -> list[Block]:
    """The blocks of *sheet* in reading order: top to bottom, then left to right."""
    used = sheet.used()
    if used is None:
        return []
    filled = _Filled({row: list(columns) for row, columns in sheet.cells.items() if columns})
    _cover(filled, sheet, used)
    declared = [table for table in sheet.tables if any(sheet.rows_of(table.area))]
    for table in declared:
        _take_out(filled, table.area)
    areas = _split(filled, sorted(filled.columns), used.left, used.right, 0, sheet)
    areas = _join_rows(areas, sheet)
    blocks = [Block(area) for area in areas]
    blocks += [Block(table.area, table) for table in declared]
    if not declared:
        return blocks
    return sorted(blocks, key=lambda block: (block.area.top, block.area.left))


def _cover(filled: _Filled, sheet: Sheet, used: Area) -> None:
    """Count the places that a merged cell with text covers as filled."""
    budget = _MOST_COVERED
    for merge in sheet.merges:
        if merge.left not in sheet.cells.get(merge.top, {}):
            continue
        right, bottom = min(merge.right, used.right), min(merge.bottom, used.bottom)
        budget -= (bottom - merge.top + 1) * (right - merge.left + 1)
        if budget < 0:
            return
        for row in range(merge.top, bottom + 1):
            columns = filled.columns.get(row, [])
            covered = {*columns, *range(merge.left, right + 1)}
            filled.columns[row] = sorted(covered)


def _take_out(filled: _Filled, area: Area) -> None:
    for row in [row for row in filled.columns if area.top <= row <= area.bottom]:
        rest = [x for x in filled.columns[row] if not area.left <= x <= area.right]
        if rest:
            filled.columns[row] = rest
        else:
            del filled.columns[row]


def _split(
    filled: _Filled, rows: Sequence[int], left: int, right: int, depth: int, sheet: Sheet
) -> list[Area]:
    areas: list[Area] = []
    part = filled.cut(rows, left, right)
    for band in _runs(part):
        columns = sorted({x for row in band for x in part[row]})
        pieces = [(run[0], run[-1]) for run in _runs(columns)]
        if len(pieces) == 1 or depth > _DEEPEST:
            areas.append(Area(band[0], columns[0], band[-1], columns[-1]))
            continue
        found = [
            area
            for low, high in pieces
            for area in _split(filled, band, low, high, depth + 1, sheet)
        ]
        areas += _join_columns(found, sheet)
    return areas


def _runs(numbers: Iterable[int]) -> list[list[int]]:
    """Ascending *numbers* in runs without gaps."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return runs


def _join_columns(areas: list[Area], sheet: Sheet) -> list[Area]:
    """Join pieces that empty spacer columns part."""
    joined: list[Area] = []
    for area in areas:
        before = joined[-1] if joined else None
        if before is not None and _goes_on_right(before, area, sheet):
            joined[-1] = Area(
                min(before.top, area.top), before.left, max(before.bottom, area.bottom), area.right
            )
        else:
            joined.append(area)
    return joined


def _goes_on_right(left: Area, right: Area, sheet: Sheet) -> bool:
    """Whether *right* holds further columns of the table *left*.

    Its first column then has figures, not the names of other rows; or the line over the header
    stands over *left* alone.
    """
    if not 2 <= right.left - left.right <= _WIDEST_GAP + 1:
        return False
    if left.height == right.height == 1 and left.top == right.top:
        return sheet.cells[right.top][right.left].number
    if right.bottom > left.bottom or right.height < 2:
        return False
    if left.bottom - right.bottom > 1 or not 0 <= right.top - left.top <= 2:
        return False
    rows = (sheet.cells.get(y, {}) for y in range(right.top + 1, right.bottom + 1))
    body = [cells[right.left] for cells in rows if right.left in cells]
    if body and sum(cell.number for cell in body) * 2 > len(body):
        # A first column of running numbers or years may begin a table of its own.
        return left.width == 1 or not _is_key(body) or right.width == 1
    titled = all(len(sheet.row(y, left)) == 1 for y in range(left.top, right.top))
    return right.top > left.top and titled and left.width > 1


def _is_key(cells: Sequence[GridCell]) -> bool:
    """Whether *cells* are ascending whole numbers, such as years or row numbers."""
    texts = [cell.text for cell in cells]
    if len(texts) < 2 or not all(text.isdecimal() and len(text) < 10 for text in texts):
        return False
    return all(int(a) < int(b) for a, b in itertools.pairwise(texts))


def _join_rows(areas: list[Area], sheet: Sheet) -> list[Area]:
    """Join a piece of rows alike to the table that one empty row parts from it."""
    joined: list[Area] = []
    for area in areas:
        before = joined[-1] if joined else None
        if before is not None and _goes_on_below(before, area, sheet):
            joined[-1] = Area(before.top, before.left, area.bottom, before.right)
        else:
            joined.append(area)
    return joined


def _goes_on_below(above: Area, below: Area, sheet: Sheet) -> bool:
    if below.top - above.bottom != 2 or above.height < 3 or above.width < 2 or below.width < 2:
        return False
    if below.left < above.left or below.right > above.right:
        return False
    last = sheet.row(above.bottom, above)
    first = sheet.row(below.top, below)
    figures = {x for x, cell in last.items() if cell.number}
    alike = {x for x, cell in first.items() if cell.number}
    return bool(alike) and alike <= figures and len(first) >= 2 and not _begins_anew(above, sheet)


def _begins_anew(above: Area, sheet: Sheet) -> bool:
    """Whether the rows above are no table: their first row has figures where the last has."""
    first, last = sheet.row(above.top, above), sheet.row(above.bottom, above)
    figures = {x for x, cell in first.items() if cell.number and not is_period(cell.text)}
    return any(cell.number and x in figures for x, cell in last.items())
