"""Which rows of a table name its columns, and which columns name its rows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import takewhile

from chapterverse.ingest.pdf_lattice import Span
from chapterverse.ingest.pdf_text import Word

__all__ = ["count_head_columns", "count_head_rows", "is_number", "is_value"]

_NUMERIC = re.compile(
    r"^[$€£¥￥(\-–—−+~≈<>≤≥±\s]*(?:US|HK|RMB)?[$€£¥￥]?[\d.,]*\d[\d.,]*(?:\s*(?:±|[-–—−/])\s*[\d.,]+)?"
    r"\s*[%)x*†‡§]*(?:\(\d\))?$|^[-–—−]+$|^N/?[AM]\.?$",
    re.I,
)
_MARKED = re.compile(r"^[\d.,]*\d%?[a-d]{1,4}$")
"""A figure with the letters of its notes."""

_YEAR = re.compile(r"^(?:FY)?(?:19|20)\d\d(?:[EAFP]|年(?:度|末)?)?(?:\(\d\))?$")
_MOST = 8


@lru_cache(maxsize=1 << 14)
def is_number(text: str) -> bool:
    """Whether a word is a figure or a dash in its place."""
    return bool(_NUMERIC.match(text) or _MARKED.match(text))


def is_value(text: str) -> bool:
    """Whether a cell holds a figure; a year names a column."""
    return is_number(text) and not _YEAR.match(text)


def count_head_rows(
    rows: Sequence[Sequence[str]],
    cells: Sequence[Sequence[Sequence[Word]]],
    spans: Iterable[Span] = (),
) -> int:
    """How many leading rows name the columns: 0 to 8, never all of them.

    In a table of figures those above the first row of figures; else the bold ones above rows that
    are not, or the first. Merged cells reach down to the level they group.
    """
    numeric = _is_numeric(rows)
    depth = _above_values(rows) if numeric else _bold_rows(cells)
    if not depth and not numeric:
        depth = 1 if any(rows[0]) else 0
    if depth:
        depth = max(depth, _merged_levels(rows, spans, depth))
    return min(depth, len(rows) - 1, _MOST)


def _is_numeric(rows: Sequence[Sequence[str]]) -> bool:
    values = [v for row in rows for v in row[1:] if v]
    return 3 * sum(is_number(v) for v in values) > len(values)


def _above_values(rows: Sequence[Sequence[str]]) -> int:
    """Leading rows without figures, a label over a group of rows (no cell but the first) ends."""
    for index, row in enumerate(rows[: _MOST + 1]):
        values = [v for v in row[1:] if v]
        found = sum(is_value(v) for v in values)
        if found and (index or 2 * found >= len(values)):
            return index
        if index and not values:
            return index
    return 1


def _bold_rows(cells: Sequence[Sequence[Sequence[Word]]]) -> int:
    """Leading bold rows if there are rows below that are not bold throughout."""
    bold = [_is_bold([word for cell in row for word in cell]) for row in cells]
    count = sum(1 for _ in takewhile(bool, bold))
    return count if count <= 3 and count < len(bold) else 0


def _is_bold(words: Sequence[Word]) -> bool:
    return bool(words) and all(word.bold for word in words)


def _merged_levels(rows: Sequence[Sequence[str]], spans: Iterable[Span], depth: int) -> int:
    """Rows that cells merged over columns in the head need below them, and tall ones fill."""
    levels = depth
    for span in sorted(spans, key=lambda s: s.row):
        if span.row >= levels or span.row + span.rows >= len(rows):
            continue
        if span.rows > 1 and span.row == 0:
            levels = max(levels, span.row + span.rows)
        elif 1 < span.columns < len(rows[0]) and span.row == levels - 1:
            below = rows[levels]
            under = below[span.column : span.column + span.columns]
            if all(under[:: len(under) - 1]) and not any(is_value(v) for v in below[1:]):
                levels += 1
    return levels


def count_head_columns(body: Sequence[Sequence[str]]) -> int:
    """1 if the first column names the rows: words beside figures, else 0."""
    if len(body) < 2 or len(body[0]) < 2:
        return 0
    first = [row[0] for row in body if row[0]]
    values = [v for row in body for v in row[1:] if v]
    named = 2 * sum(is_number(v) for v in first) < len(first)
    return 1 if first and named and 2 * sum(is_number(v) for v in values) > len(values) else 0
