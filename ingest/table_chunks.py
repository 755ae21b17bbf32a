"""Tables as lines that are never cut in two, and rows written with their column names."""

from __future__ import annotations

import itertools
import re
from enum import Enum
from typing import NamedTuple

from chapterverse.ingest.sentences import trim
from chapterverse.schema.records import Asset, Table

__all__ = ["Line", "Role", "line_spans", "table_lines"]


class Role(Enum):
    """What a piece of an asset is to the chunker."""

    TEXT = "text"
    CAPTION = "caption"
    HEADER = "header"
    ROW = "row"


class Line(NamedTuple):
    """A span of a table's text; ``row`` counts the lines of the table, caption and notes too.

    ``written`` is a row as the indexes see it (``"Year: 2019; Sales: 4.2"``), ``None`` where the
    text as it stands says as much.
    """

    start: int
    end: int
    role: Role
    row: int
    written: str | None = None


def table_lines(asset: Asset) -> list[Line]:
    """The lines of a table in order; what lies outside them is white space."""
    text, table = asset.text, asset.table
    if table is None or not _spans_fit(text, table):
        # A reader that could not tell cells apart: every printed line is a row.
        return _without_cells(asset)
    names = _column_names(table)
    found: list[tuple[int, int, Role, str | None]] = []
    end = 0
    for index, (row_start, row_end) in enumerate(table.row_spans):
        found += [(a, b, Role.TEXT, None) for a, b in line_spans(text, end, row_start)]
        span = trim(text, row_start, row_end)
        if span and index < table.header_rows:
            found.append((*span, Role.HEADER, None))
        elif span:
            found.append((*span, Role.ROW, _write_row(names, table.rows[index])))
        end = max(end, row_end)
    found += [(a, b, Role.TEXT, None) for a, b in line_spans(text, end, len(text))]
    return _number(found)


def _number(found: list[tuple[int, int, Role, str | None]]) -> list[Line]:
    """Text before the first row is the caption."""
    lines: list[Line] = []
    before_rows = True
    for number, (start, end, role, written) in enumerate(found):
        before_rows = before_rows and role is Role.TEXT
        lines.append(Line(start, end, Role.CAPTION if before_rows else role, number, written))
    return lines


def _without_cells(asset: Asset) -> list[Line]:
    caption = len(asset.caption or "") if asset.text.startswith(asset.caption or "") else 0
    found: list[tuple[int, int, Role, str | None]] = [
        (a, b, Role.TEXT, None) for a, b in line_spans(asset.text, 0, caption)
    ]
    found += [(a, b, Role.ROW, None) for a, b in line_spans(asset.text, caption, len(asset.text))]
    return _number(found)


def _spans_fit(text: str, table: Table) -> bool:
    """Whether there is one span a row, in order and inside *text*."""
    spans = table.row_spans
    if not spans or len(spans) != len(table.rows):
        return False
    inside = all(0 <= start <= end <= len(text) for start, end in spans)
    return inside and all(a[1] <= b[0] for a, b in itertools.pairwise(spans))


def line_spans(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Spans of the lines of ``text[start:end]`` without white space at either end."""
    spans = (trim(text, m.start(), m.end()) for m in _LINE.finditer(text, start, end))
    return [span for span in spans if span]


_LINE = re.compile(r"[^\n]+")


def _column_names(table: Table) -> tuple[str, ...]:
    """One name a column; the cells of several header rows are joined, repeats left out."""
    header = table.rows[: max(table.header_rows, 0)]
    names: list[str] = []
    for column in range(max((len(row) for row in header), default=0)):
        cells = (_tidy(row[column]) for row in header if column < len(row))
        names.append(" ".join(dict.fromkeys(cell for cell in cells if cell)))
    return tuple(names)


def _write_row(names: tuple[str, ...], row: tuple[str, ...]) -> str | None:
    """``name: value; name: value``, empty cells left out; ``None`` when no column has a name."""
    parts: list[str] = []
    named = False
    for column, cell in enumerate(row):
        value = _tidy(cell)
        name = names[column] if column < len(names) else ""
        named = named or bool(name and value)
        if value:
            parts.append(f"{name}: {value}" if name and name != value else value)
    return "; ".join(parts) if named else None


def _tidy(cell: str) -> str:
    return " ".join(cell.split())
