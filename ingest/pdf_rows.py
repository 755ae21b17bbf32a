"""Rows and column heads of tables that the layout missed, which bold type makes look like heads."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from chapterverse.ingest.pdf_pieces import Piece
from chapterverse.ingest.pdf_text import Line, Rect, Word

__all__ = ["has_columns", "is_beside_cells", "is_beside_heads", "is_beside_numbers"]

_VALUE = re.compile(r"^[$€£¥￥(\-–—+]*(?:\d[\d.,]*)?[%)]*$|^[-–—]+$")
_LABEL = re.compile(r"[^\W\d_]{3}")
_NAMED = re.compile(r"^(?:item|part|note|chapter|section|appendix|annex|schedule)\b", re.I)
_APART, _FLOWING, _NAMES = 1.5, 5, 4
"""Gap between two heads of columns, in font sizes; lines of running text that make a column; most
words of the head of a first column.
"""

_GAP = 3.0
"""Gap between two words, in font sizes, that only the columns of a table leave in a bold line."""


def has_columns(piece: Piece, large: bool) -> bool:
    """Whether a line of the piece goes on in other columns.

    In a *large* piece only numbers in two columns, or one at the end, count.
    """
    for line in piece.lines:
        gaps = [b for a, b in pairwise(line.words) if _is_gap(a, b)]
        values = sum(_is_value(word) for word in gaps)
        if values > 1 or (values and _is_value(line.words[-1]) and _label(line, 2)):
            return True
        if gaps and not large and _label(line, 3):
            return True
    return False


def _is_gap(a: Word, b: Word) -> bool:
    return b.rect.x0 - a.rect.x1 > _GAP * max(a.size, b.size)


def _is_value(word: Word) -> bool:
    return bool(_VALUE.match(word.text))


def _label(line: Line, many: int) -> bool:
    """Whether words stand left of the first gap: *many* of them if they may name a part."""
    words = line.words
    end = next((i + 1 for i, (a, b) in enumerate(pairwise(words)) if _is_gap(a, b)), len(words))
    text = " ".join(word.text for word in words[:end])
    return bool(_LABEL.search(text)) and not (_NAMED.match(text) and end < many)


def is_beside_numbers(piece: Piece, others: Sequence[Line]) -> bool:
    """Whether numbers alone stand on the last row of a piece of one or two lines, or below it.

    *others* are the lines of the page in paragraphs.
    """
    if len(piece.lines) > 2:
        return False
    rect, size = piece.rect, piece.size
    return any(_is_beside(rect, size, line) for line in others)


def _is_beside(rect: Rect, size: float, line: Line) -> bool:
    other = line.rect
    level = abs(other.y1 - rect.y1) < 0.2 * size and other.x_overlap(rect) < 0
    below = -0.2 * size < other.y0 - rect.y1 < 1.5 * size and other.x_overlap(rect) > 0
    return (level or below) and all(_is_value(word) for word in line.words)


def is_beside_heads(piece: Piece, others: Sequence[Line], edges: Sequence[float]) -> bool:
    """Whether a one-line piece and a bold line on its row are heads of columns of a table.

    They are not where running text stands in columns below both; *edges* are the left edges of
    its lines. A head of many words with nothing left of it is a heading with a name beside it.
    """
    line = piece.lines[0]
    if len(piece.lines) > 1 or not line.bold:
        return False
    long = len(line.words) > _NAMES
    return any(
        _is_level(line, other)
        and not (long and other.rect.x0 > line.rect.x1)
        and not (_flows(line.rect.x0, edges) and _flows(other.rect.x0, edges))
        for other in others
    )


def _is_level(a: Line, b: Line) -> bool:
    same = b.bold and abs(a.size - b.size) < 0.05 * a.size
    level = abs(a.rect.y1 - b.rect.y1) < 0.2 * a.size
    return same and level and a.rect.x_overlap(b.rect) < -_APART * a.size


def _flows(left: float, edges: Sequence[float]) -> bool:
    return sum(abs(edge - left) < 6 for edge in edges) >= _FLOWING


def is_beside_cells(piece: Piece, rows: Sequence[Line]) -> bool:
    """Whether a one-line piece names a row of a table: the next words right of it are values.

    *rows* are the lines of the tables of the page. Text in a further column that begins with a
    number goes on in words.
    """
    if len(piece.lines) > 1:
        return False
    rect, size = piece.rect, piece.size
    for line in rows:
        if abs(line.rect.y1 - rect.y1) < 0.5 * size:
            right = [w for w in line.words if w.rect.x0 > rect.x1 and _on_line(w.rect, rect, size)]
            if right and all(_is_value(word) for word in right[:2]):
                return True
    return False


def _on_line(a: Rect, b: Rect, size: float) -> bool:
    return abs(a.y1 - b.y1) < 0.2 * size
