"""A sheet of cells as every spreadsheet reader hands it over, and how its places are written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = [
    "MAX_CELLS",
    "Area",
    "DefinedTable",
    "GridCell",
    "Sheet",
    "column_name",
    "parse_area",
    "range_name",
    "sheet_name",
]

MAX_CELLS = 1_000_000
"""Most filled cells that are read of one file; what lies beyond is named in a warning."""

_PLAIN_NAME = re.compile(r"[^\W\d][\w.]*")
_LIKE_REFERENCE = re.compile(r"[A-Z]{1,3}\d+|R\d*(?:C\d*)?|C\d*|TRUE|FALSE", re.I)
_CELL = re.compile(r"\$?([A-Z]{1,3})\$?(\d{1,7})")


@dataclass(frozen=True, slots=True)
class GridCell:
    """A filled cell as people see it; ``strong`` when it is bold, ``number`` also for dates."""

    text: str
    number: bool = False
    strong: bool = False


@dataclass(frozen=True, slots=True)
class Area:
    """A range of cells, 1-based, both ends included."""

    top: int
    left: int
    bottom: int
    right: int

    @property
    def height(self) -> int:
        """Number of rows."""
        return self.bottom - self.top + 1

    @property
    def width(self) -> int:
        """Number of columns."""
        return self.right - self.left + 1

    def holds(self, row: int, column: int) -> bool:
        """Whether the cell lies inside."""
        return self.top <= row <= self.bottom and self.left <= column <= self.right

    def meets(self, other: Area) -> bool:
        """Whether the two share a cell."""
        rows = self.top <= other.bottom and other.top <= self.bottom
        return rows and self.left <= other.right and other.left <= self.right


@dataclass(frozen=True, slots=True)
class DefinedTable:
    """A range that the file itself calls a table."""

    area: Area
    header_rows: int


@dataclass(frozen=True, slots=True)
class Sheet:
    """One sheet: ``cells[row][column]``, filled cells only, rows and columns ascending.

    ``merges`` are merged ranges, ``tables`` those declared as tables, ``frozen_rows`` counts the
    rows that stay in view when scrolling (0: none).
    """

    name: str
    number: int
    cells: dict[int, dict[int, GridCell]]
    merges: tuple[Area, ...] = ()
    tables: tuple[DefinedTable, ...] = ()
    frozen_rows: int = 0

    def row(self, number: int, area: Area) -> dict[int, GridCell]:
        """The filled cells of a row within the columns of *area*."""
        cells = self.cells.get(number, {})
        return {x: cell for x, cell in cells.items() if area.left <= x <= area.right}

    def used(self) -> Area | None:
        """The smallest range around all filled cells."""
        rows = [number for number, cells in self.cells.items() if cells]
        if not rows:
            return None
        columns = [x for cells in self.cells.values() for x in cells]
        return Area(min(rows), min(columns), max(rows), max(columns))

    def rows_of(self, area: Area) -> Iterator[tuple[int, dict[int, GridCell]]]:
        """Number and filled cells of each row of *area* that has any, in order."""
        for number in range(area.top, area.bottom + 1):
            cells = self.row(number, area)
            if cells:
                yield number, cells


def column_name(number: int) -> str:
    """The letters of a column: 1 is ``A``, 27 is ``AA``."""
    letters = ""
    while number > 0:
        number, rest = divmod(number - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


def sheet_name(name: str) -> str:
    """A sheet name as Excel writes it in references: quoted unless it is a plain word."""
    if _PLAIN_NAME.fullmatch(name) and not _LIKE_REFERENCE.fullmatch(name):
        return name
    return "'" + name.replace("'", "''") + "'"


def range_name(sheet: str, area: Area) -> str:
    """``Sheet1!A1:F20``; one cell is written ``Sheet1!A1``."""
    first = f"{column_name(area.left)}{area.top}"
    last = f"{column_name(area.right)}{area.bottom}"
    return f"{sheet_name(sheet)}!{first}" + ("" if first == last else f":{last}")


def parse_area(reference: str) -> Area | None:
    """The range that ``A1`` or ``$A$1:F20`` names; ``None`` when it names none."""
    found = [_CELL.fullmatch(part) for part in reference.upper().split(":")]
    if not 1 <= len(found) <= 2 or None in found:
        return None
    corners = [(int(m[2]), _column_number(m[1])) for m in found if m]
    rows, columns = zip(*corners, strict=True)
    return Area(min(rows), min(columns), max(rows), max(columns))


def _column_number(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number
