"""Which rows of a table name its columns, and which columns name its rows."""

from __future__ import annotations

import re
from collections.abc import Sequence

from chapterverse.ingest.grid import Area, GridCell

__all__ = ["count_header_rows", "count_row_headers", "is_period", "merged_header_rows"]

_MOST = 5
_SAMPLE = 200

Row = Sequence[GridCell | None]


def count_header_rows(rows: Sequence[Row], merges: Sequence[Area] = (), frozen: int = 0) -> int:
    """How many leading *rows* name the columns.

    *merges* are the merged ranges with the first row and column as 1, *frozen* the number of
    leading rows that stay in view. Signals, first that fits: frozen rows; bold rows above rows
    that are not; words above figures. Merged cells and a first level with gaps add levels.
    """
    if len(rows) < 2 or max(map(len, rows), default=0) < 2:
        return 0
    if 0 < frozen <= min(_MOST, len(rows) - 1) and not any(map(_is_data, rows[:frozen])):
        return frozen
    strong = _strong_rows(rows)
    first = strong or (0 if _is_data(rows[0]) or _is_form(rows) else 1)
    if not first:
        return 0
    levels = max(first, merged_header_rows(rows, merges))
    if levels == 1 and _has_second_level(rows):
        levels = 2
    return min(levels, len(rows) - 1)


def merged_header_rows(rows: Sequence[Row], merges: Sequence[Area]) -> int:
    """How deep merged cells make a header that begins in the first row; at least 1.

    A cell over several columns groups them, so the row below it names them; one over several
    rows reaches down to the last level. Rows with figures are none of it.
    """
    levels = 1
    while levels < min(_MOST, len(rows) - 1):
        if not any(m.top == levels and m.width > 1 for m in merges):
            break
        if not _names_groups(rows, merges, levels):
            break
        reaches = any(m.top <= levels < m.bottom for m in merges)
        if _is_data(rows[levels]) and not reaches:
            break
        levels += 1
    return levels


def _names_groups(rows: Sequence[Row], merges: Sequence[Area], level: int) -> bool:
    """Whether the row below *level* names the groups in it: under other cells it has little."""
    above, below = rows[level - 1], rows[level]
    spanned = {x for m in merges if m.top <= level <= m.bottom
               for x in range(m.left - 1, m.right)}  # fmt: skip
    lone = [x for x, cell in enumerate(above) if cell is not None and x not in spanned]
    return sum(x < len(below) and below[x] is not None for x in lone) * 2 <= len(lone)


def count_row_headers(rows: Sequence[Row], header_rows: int) -> int:
    """1 when the first column names the rows (distinct words or years beside figures), else 0."""
    body = rows[header_rows : header_rows + _SAMPLE]
    if len(body) < 2 or max(map(len, body)) < 2:
        return 0
    names = [row[0] for row in body if row and row[0] is not None]
    words = [cell.text for cell in names if not cell.number or is_period(cell.text)]
    if len(names) < 0.8 * len(body) or len(words) < 0.8 * len(names):
        return 0
    if len(set(words)) < 0.9 * len(words):
        return 0
    others = [cell for row in body for cell in row[1:] if cell is not None]
    bold = sum(cell.strong for cell in names) >= 0.9 * len(names)
    if others and bold and not any(cell.strong for cell in others):
        return 1
    return int(bool(others) and sum(cell.number for cell in others) * 2 >= len(others))


def _filled(row: Row) -> list[GridCell]:
    return [cell for cell in row if cell is not None]


def _is_data(row: Row) -> bool:
    """Whether half of the filled cells are figures; a year may name a column."""
    cells = _filled(row)
    figures = sum(cell.number and not is_period(cell.text) for cell in cells)
    return not cells or figures * 2 >= len(cells)


def is_period(text: str) -> bool:
    """Whether *text* is a year or a date, which name columns and rows as well as words do."""
    return bool(re.fullmatch(r"(?:18|19|20|21)\d\d(?:-\d\d(?:-\d\d)?)?", text))


def _strong_rows(rows: Sequence[Row]) -> int:
    """Leading rows of bold cells, where the row behind them is not bold."""
    count = 0
    for row in rows[: _MOST + 1]:
        cells = _filled(row)
        if not cells or not all(cell.strong for cell in cells) or _is_data(row):
            break
        count += 1
    # Everything bold says nothing about any row.
    return count if 0 < count <= min(_MOST, len(rows) - 1) else 0


def _is_form(rows: Sequence[Row]) -> bool:
    """Two columns of labels, most of which end in a colon, and entries."""
    if max(map(len, rows)) != 2:
        return False
    labels = [row[0].text for row in rows[:_SAMPLE] if row and row[0] is not None]
    colons = sum(label.rstrip().endswith((":", "：")) for label in labels)
    return colons * 2 > len(labels)


def _has_second_level(rows: Sequence[Row]) -> bool:
    """A first level with gaps, names below the gaps, and figures below these."""
    if len(rows) < 4:
        return False
    gaps = {x for x, cell in enumerate(rows[0]) if cell is None and x}
    names = {x for x, cell in enumerate(rows[1]) if cell is not None}
    if not gaps or not gaps <= names:
        return False
    if any(cell.number and not is_period(cell.text) for cell in _filled(rows[1])):
        return False
    body = [cell for row in rows[2:8] for x, cell in enumerate(row) if x in names and x and cell]
    return bool(body) and sum(cell.number for cell in body) * 2 > len(body)
