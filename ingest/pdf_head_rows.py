"""Column heads of several levels: which columns each head covers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chapterverse.ingest.pdf_grid import Cells
from chapterverse.ingest.pdf_lattice import Span
from chapterverse.ingest.pdf_segments import Segment, column_at
from chapterverse.ingest.pdf_text import Rect, Word

__all__ = ["head_rows"]

_Columns = Sequence[tuple[float, float]]


@dataclass(slots=True)
class _Stack:
    """Lines of one head, one below the other."""

    rect: Rect
    words: list[Word]


def head_rows(
    heads: Sequence[Sequence[Segment]],
    columns: _Columns,
    across: Sequence[Rect],
    sides: tuple[float, float],
) -> tuple[Cells, list[Span]]:
    """Rows of heads with the merged cells among them.

    *heads* are the printed rows above the first row of figures, *across* the lines of the page,
    *sides* the left and right end of the table. Lines one below the other are one head unless a
    line is ruled between them or the upper one covers several columns.
    """
    rules = [r for r in across if r.x1 > sides[0] and r.x0 < sides[1]]
    cells: Cells = []
    spans = []
    for index, level in enumerate(_levels(heads, rules)):
        placed: list[list[Word]] = [[] for _ in columns]
        for stack in level:
            others = [other.rect for other in level if other is not stack]
            a, b = _reach(stack.rect, columns, rules, others)
            if not others and _is_unit(stack, columns):
                a, b = 1, len(columns) - 1
            placed[a].extend(stack.words)
            if b > a:
                spans.append(Span(index, a, 1, b - a + 1))
        cells.append(placed)
    return cells, spans


def _is_unit(stack: _Stack, columns: _Columns) -> bool:
    """Whether words in brackets stand in the middle over all columns but the first."""
    first, last = stack.words[0].text[0], stack.words[-1].text[-1]
    if len(columns) < 3 or first not in "(（" or last not in ")）":
        return False
    left, right = columns[1][0], columns[-1][1]
    return abs(stack.rect.x0 + stack.rect.x1 - left - right) < 0.16 * (right - left)


def _levels(heads: Sequence[Sequence[Segment]], rules: Sequence[Rect]) -> list[list[_Stack]]:
    levels: list[list[_Stack]] = []
    bottom = 0.0
    for row in heads:
        top = min(s.rect.y0 for s in row)
        parted = any(bottom - 2 < (r.y0 + r.y1) / 2 < top + 3 for r in rules)
        size = row[0].words[0].size
        if not levels or parted or top - bottom > size or _is_below_span(levels[-1], row):
            levels.append([])
        for segment in row:
            stack = next((s for s in levels[-1] if s.rect.x_overlap(segment.rect) > 0), None)
            if stack is None:
                levels[-1].append(_Stack(segment.rect, list(segment.words)))
            else:
                stack.rect = stack.rect.union(segment.rect)
                stack.words.extend(segment.words)
        bottom = max(s.rect.y1 for s in row)
    return levels


def _is_below_span(level: Sequence[_Stack], row: Sequence[Segment]) -> bool:
    """Whether two heads of a row stand under one of the level above."""
    return any(sum(stack.rect.x_overlap(s.rect) > 0 for s in row) > 1 for stack in level)


def _reach(
    rect: Rect, columns: _Columns, rules: Sequence[Rect], others: Sequence[Rect]
) -> tuple[int, int]:
    """First and last column that a head names: those over the line ruled below it, else those
    that it stands over.
    """
    middle = (rect.x0 + rect.x1) / 2
    under = [
        r
        for r in rules
        if -3 < (r.y0 + r.y1) / 2 - rect.y1 < 9
        and abs(middle - (r.x0 + r.x1) / 2) < 0.2 * r.width
        and not any(r.x_overlap(other) > 2 for other in others)
    ]
    if under:
        rule = max(under, key=lambda r: r.width)
        held = [i for i, c in enumerate(columns) if rule.x0 - 3 <= sum(c) / 2 <= rule.x1 + 3]
        if len(held) > 1 and held[0] > 0:
            return held[0], held[-1]
    crossed = [
        i
        for i, (x0, x1) in enumerate(columns)
        if min(x1, rect.x1) - max(x0, rect.x0) > 0.5 * min(x1 - x0, rect.width)
    ]
    if len(crossed) > 1 and crossed[0] > 0:
        return crossed[0], crossed[-1]
    at = column_at(rect, columns)
    return at, at
