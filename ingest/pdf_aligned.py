"""Tables without lines: rows of figures that stand in columns, with the heads above them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from chapterverse.ingest.captions import caption_kind
from chapterverse.ingest.pdf_grid import Cells, Grid, make_grid
from chapterverse.ingest.pdf_head_rows import head_rows
from chapterverse.ingest.pdf_heads import is_number, is_value
from chapterverse.ingest.pdf_segments import Segment, column_at, columns_of, row_segments
from chapterverse.ingest.pdf_text import Rect, Word, around, make_line

__all__ = ["Aligned", "aligned_tables"]

_LABEL = 110
"""Most characters of the name of a row on one line."""

_HEAD, _HEADS, _NAME = 90, 14, 60
"""Most characters of a head, rows of heads, and characters of the name of a group."""

_LEADERS = re.compile(r"[.·․‥…]\s?[.·․‥…]\s?[.·․‥…]")
_STOPS = re.compile(r"[.。!?！？;；]$")


@dataclass(frozen=True, slots=True)
class Aligned:
    """A table and the words that make it up; ``beside`` says that text stands left of it."""

    grid: Grid
    words: tuple[Word, ...]
    rect: Rect
    beside: bool = False


class _Row:
    """A printed row of runs of words."""

    def __init__(self, words: Sequence[Word]) -> None:
        self._words = words
        self.size = words[0].size

    @cached_property
    def segments(self) -> list[Segment]:
        return row_segments(self._words)

    @cached_property
    def rect(self) -> Rect:
        return around(self.segments)

    @cached_property
    def text(self) -> str:
        return " ".join(s.text for s in self.segments)

    @cached_property
    def values(self) -> int:
        """Figures right of a name (or of another figure); years alone are heads."""
        if not any(is_number(word.text) for word in self._words):
            return 0  # most rows of a page are running text
        figures = [s for s in self.segments[1:] if s.number]
        return len(figures) if any(is_value(s.text.strip("$ ")) for s in figures) else 0

    @cached_property
    def has_values(self) -> bool:
        """Whether it is a name (or nothing) and figures in columns, a word or two among them."""
        if not self.values or _LEADERS.search(self.text) or len(self.segments[0].text) > _LABEL:
            return False
        others = [s for s in self.segments[1:] if not s.number]
        return len(others) <= self.values and all(len(s.text) < 40 for s in others)


def aligned_tables(
    lines: Sequence[Sequence[Word]], across: Sequence[Rect], page: int
) -> Iterator[Aligned]:
    """The tables of figures among printed *lines*; *across* are the page's horizontal lines."""
    rows = [_Row(line) for line in lines]
    for first, last in _groups(rows):
        for start, end in _parts(rows, first, last):
            found = _table(rows, start, end, across, page)
            if found is not None:
                yield found


def _parts(rows: Sequence[_Row], first: int, last: int) -> Iterator[tuple[int, int]]:
    """The run of rows, cut where the heads right above it come again."""
    head = rows[first - 1].text if first and len(rows[first - 1].segments) > 1 else None
    start = first
    for index in range(first, last):
        if rows[index].text == head:
            yield start, index
            start = index + 1
    yield start, last


def _groups(rows: Sequence[_Row]) -> Iterator[tuple[int, int]]:
    """First and last (exclusive) row of each run of rows of figures with few names between."""
    index = 0
    while index < len(rows):
        if not rows[index].has_values:
            index += 1
            continue
        last = end = index + 1
        while end < len(rows) and end - last < 4:
            if rows[end].has_values and _agree(rows[index:last], rows[end]):
                last = end + 1
            elif not _may_stand_between(rows[index], rows[end - 1], rows[end]):
                break
            end += 1
        if _is_enough(rows[index:last]):
            yield index, last
        index = last


def _agree(rows: Sequence[_Row], row: _Row) -> bool:
    """Whether figures of a row stand under figures of the rows before."""
    known = [s.rect for r in rows[-6:] for s in r.segments[1:] if s.number]
    figures = [s.rect for s in row.segments[1:] if s.number]
    hits = sum(any(f.x_overlap(k) > 0 for k in known) for f in figures)
    gap = row.rect.y0 - rows[-1].rect.y1
    return 2 * hits >= len(figures) and gap < 5 * row.size


def _may_stand_between(first: _Row, above: _Row, row: _Row) -> bool:
    """Whether a row without figures names a group of rows or goes on with a name."""
    gap = row.rect.y0 - above.rect.y1
    if gap > 3 * row.size or row.rect.x1 > max(first.rect.x1, above.rect.x1) + 12:
        return False
    short = len(row.text) <= _LABEL and not _STOPS.search(row.text)
    narrow = row.rect.width < 0.75 * first.rect.width or len(row.segments) > 1
    return short and narrow and not _LEADERS.search(row.text)


def _is_enough(rows: Sequence[_Row]) -> bool:
    figured = [row for row in rows if row.has_values]
    most = max((row.values for row in figured), default=0)
    wide = sum(row.values > 1 for row in figured)
    if most < 2 or wide < 2:
        return len(figured) >= 4 and not _counts_up(figured) and _is_dense(rows, figured)
    return len(figured) >= 2 and _is_dense(rows, figured)


def _is_dense(rows: Sequence[_Row], figured: Sequence[_Row]) -> bool:
    return 2 * len(figured) >= len(rows)


def _counts_up(rows: Sequence[_Row]) -> bool:
    """Whether the last figures are page numbers: whole, small and never falling."""
    texts = [row.segments[-1].text for row in rows]
    if not all(text.isdigit() and len(text) < 4 for text in texts):
        return False
    numbers = [int(text) for text in texts]
    return all(a <= b for a, b in pairwise(numbers))


def _table(
    rows: Sequence[_Row], first: int, last: int, across: Sequence[Rect], page: int
) -> Aligned | None:
    body = list(rows[first:last])
    while body and not body[-1].has_values:
        body.pop()
    columns = columns_of([row.segments for row in body if row.has_values])
    if len(columns) > 2 and _is_prose(body, columns[0]):
        edge = columns[0][1]
        return _cut(rows, first, last, edge, across, page)
    if len(columns) < 2:
        return None
    left, right = min(r.rect.x0 for r in body), max(r.rect.x1 for r in body)
    start = _first_head(rows, first, columns, (left, right))
    while first - start > 1 and _names_group(rows[first - 1], columns):
        first -= 1
        body.insert(0, rows[first])
    heads = [row.segments for row in rows[start:first]]
    cells, spans = head_rows(heads, columns, across, (left, right))
    count = len(cells)
    cells.extend(_body_cells(body, columns))
    grid = make_grid(cells, page, spans, count)
    if grid is None or len(grid.rows) <= count:
        return None
    held = [w for row in (*rows[start:first], *body) for s in row.segments for w in s.words]
    return Aligned(grid, tuple(held), around(held))


def _is_prose(body: Sequence[_Row], column: tuple[float, float]) -> bool:
    """Whether the first column is running text beside the table: most lines fill it."""
    left, right = column
    beside = [row.segments[0] for row in body if row.segments[0].rect.x1 <= right + 1]
    full = sum(s.rect.x1 > left + 0.75 * (right - left) for s in beside)
    low = sum(s.text[0].islower() for s in beside)
    wide = len(beside) > 4 and right - left > 90
    return wide and full > 0.6 * len(beside) and low > 0.25 * len(beside)


def _cut(
    rows: Sequence[_Row], first: int, last: int, edge: float, across: Sequence[Rect], page: int
) -> Aligned | None:
    """The table of the words right of *edge*."""
    cut = [
        [w for s in row.segments for w in s.words if w.rect.x0 > edge - 1] for row in rows[:last]
    ]
    kept = [(index, _Row(words)) for index, words in enumerate(cut) if words]
    start = next((i for i, (index, row) in enumerate(kept) if index >= first and row.values), None)
    if start is None:
        return None
    found = _table([row for _, row in kept], start, len(kept), across, page)
    return found and replace(found, beside=True)


def _names_group(row: _Row, columns: Sequence[tuple[float, float]]) -> bool:
    """Whether a row under the heads names the rows below it, as no unit in brackets does."""
    return not _over_values(row, columns) and row.text[0] not in "(（["


def _body_cells(body: Sequence[_Row], columns: Sequence[tuple[float, float]]) -> Cells:
    """A row for each printed row; a name that goes on in the next line is one."""
    cells: Cells = []
    for index, row in enumerate(body):
        placed: list[list[Word]] = [[] for _ in columns]
        for segment in row.segments:
            placed[column_at(segment.rect, columns)].extend(segment.words)
        if cells and index and _goes_on(body[index - 1], row, cells[-1]):
            for cell, words in zip(cells[-1], placed, strict=True):
                cell.extend(words)
        else:
            cells.append(placed)
    return cells


def _goes_on(above: _Row, row: _Row, before: Sequence[Sequence[Word]]) -> bool:
    """Whether the row's name is the second line of the one above (which has no figures yet)."""
    if row.rect.y0 - above.rect.y1 > 0.6 * row.size or row.segments[0].number:
        return False
    alone = len(above.segments) == 1 or len(row.segments) == 1
    named = bool(before[0]) and abs(before[0][0].size - row.size) < 0.5
    return alone and named and row.segments[0].text[0].islower()


def _first_head(
    rows: Sequence[_Row],
    first: int,
    columns: Sequence[tuple[float, float]],
    sides: tuple[float, float],
) -> int:
    """The first of the rows above *first* that names columns."""
    index = first
    while index > 0 and first - index < _HEADS:
        row, below = rows[index - 1], rows[index]
        near = below.rect.y0 - row.rect.y1 < (2.6 if index == first else 1.6) * row.size
        level = len(row.segments) == len(columns) and row.segments[-1].rect.x0 < sides[1]
        inside = row.rect.x0 > sides[0] - 12 and (level or row.rect.x1 < sides[1] + 48)
        if not (near and inside and _is_head(row, columns, sides)):
            break
        index -= 1
    while index < first and not _over_values(rows[index], columns):
        # A row over the names only is a line of text above the table.
        index += 1
    return index


def _is_head(row: _Row, columns: Sequence[tuple[float, float]], sides: tuple[float, float]) -> bool:
    if any(len(s.text) > _HEAD or _LEADERS.search(s.text) for s in row.segments):
        return False
    if _is_caption(row) or _is_centred(row, columns, sides):
        return False
    if sum(is_value(s.text) for s in row.segments) * 2 > len(row.segments):
        return False
    wide = row.rect.width > 0.7 * (sides[1] - sides[0])
    if len(row.segments) == 1 and (wide or _STOPS.search(row.text)):
        return False
    if len(row.segments) == 1 and len(row.text) > _NAME and row.segments[0].rect.x0 < columns[0][1]:
        return False
    return _over_values(row, columns) or len(row.segments) == 1


def _is_caption(row: _Row) -> bool:
    words = [word for segment in row.segments for word in segment.words]
    return caption_kind([make_line(words, 0)]) is not None


def _is_centred(
    row: _Row, columns: Sequence[tuple[float, float]], sides: tuple[float, float]
) -> bool:
    """Whether a row is one run of words in the middle of the table: its title."""
    off = abs(row.rect.x0 + row.rect.x1 - sides[0] - sides[1]) / 2
    return (
        len(row.segments) == 1
        and off < 0.04 * (sides[1] - sides[0])
        and row.rect.x0 < columns[0][1]
    )


def _over_values(row: _Row, columns: Sequence[tuple[float, float]]) -> bool:
    label = columns[0][1]
    return any(s.rect.x0 > label - 2 or s.rect.x1 > columns[1][0] + 6 for s in row.segments)
