"""Runs of words on a printed row of a table, and the columns that they stand in."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise

from chapterverse.ingest.pdf_heads import is_number
from chapterverse.ingest.pdf_text import Rect, Word, make_line

__all__ = ["Segment", "column_at", "columns_of", "nearest_column", "row_segments"]

_GAP, _FIGURES, _WORD, _TIGHT = 1.1, 0.45, 0.4, 0.1
"""Gap in font sizes that parts two cells, two figures, a word or a figure from a currency sign."""

_SIGNS = "$€£¥￥("

_SIGN = re.compile(r"^(?:US|HK|A|C|NZ|S)?[$€£¥￥(]+$")
_CLOSER = re.compile(r"^(?:[)%]+|(?:bps?|pts?|x)\.?)$")
_NOTE = re.compile(r"^(?:\(\d{1,2}\)|[*†‡§]+|\([a-z]\))(?:[,\s]*\(\d{1,2}\))*$")


class Segment:
    """Words of one cell on one printed row."""

    def __init__(self, words: Sequence[Word]) -> None:
        self.words = tuple(words)
        x0, y0, x1, y1 = words[0].rect
        for word in words[1:]:
            _, top, x1, bottom = word.rect
            y0, y1 = min(y0, top), max(y1, bottom)
        self.rect = Rect(x0, y0, x1, y1)

    @cached_property
    def text(self) -> str:
        """The words as printed."""
        return make_line(self.words, 0).text

    @cached_property
    def number(self) -> bool:
        """Whether the words are a figure, with its sign, unit and notes."""
        if len(self.words) > 6:
            return False
        texts = [w.text for w in self.words]
        kept = [t for t in texts if not (_SIGN.match(t) or _CLOSER.match(t))]
        figure = bool(kept) and len(kept) <= 2 and is_number(kept[0])
        return figure and all(is_number(t) or _NOTE.match(t) for t in kept[1:])


def row_segments(words: Sequence[Word]) -> list[Segment]:
    """The words of a row, from left to right, in runs that gaps part.

    A currency sign belongs to the figure after it however far, a closing mark to the one before.
    """
    runs = [[words[0]]]
    for before, word in pairwise(words):
        gap = (word.rect.x0 - before.rect.x1) / max(word.size, before.size, 1.0)
        if _joins(before, word, gap):
            runs[-1].append(word)
        else:
            runs.append([word])
    return [Segment(run) for run in runs]


def _joins(before: Word, word: Word, gap: float) -> bool:
    if word.text[0] in _SIGNS and gap > _TIGHT and _SIGN.match(word.text):
        return gap < _WORD and not is_number(before.text)
    if gap < _FIGURES:
        return True
    if before.text[-1] in _SIGNS:
        return is_number(word.text) and bool(_SIGN.match(before.text))
    if _CLOSER.match(word.text) and is_number(before.text):
        return gap < 2
    figures = len(word.text) > 1 and is_number(word.text) and is_number(before.text)
    return gap < _GAP and not figures


def columns_of(rows: Sequence[Sequence[Segment]]) -> list[tuple[float, float]]:
    """Left and right edge of each column, from the gaps that (nearly) no row crosses."""
    spans = sorted((s.rect.x0, s.rect.x1) for row in rows for s in row)
    if not spans:
        return []
    merged: list[list[float]] = []
    for x0, x1 in spans:
        if merged and x0 < merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], x1)
        else:
            merged.append([x0, x1])
    most = max(len(row) for row in rows)
    if len(merged) < most:
        # A long name or a note reaches into a column: leave out the rows that fill two of them.
        fitting = [row for row in rows if len(row) == most]
        if 1 < len(fitting) < len(rows):
            return columns_of(fitting)
    return [(x0, x1) for x0, x1 in merged]


def nearest_column(rect: Rect, columns: Sequence[tuple[float, float]]) -> int:
    """The column that a box shares most with, else the nearest; of equals the leftmost."""
    x0, _, x1, _ = rect
    best, nearest, edge = 0, math.inf, math.inf
    for index, (left, right) in enumerate(columns):
        # Negative where they share a strip, by its width.
        apart = (left if left > x0 else x0) - (right if right < x1 else x1)
        if apart < nearest or (apart == nearest and left < edge):
            best, nearest, edge = index, apart, left
    return best


def column_at(rect: Rect, columns: Sequence[tuple[float, float]]) -> int:
    """The first column for a box that begins there, however far it reaches; else the nearest."""
    left, right = columns[0]
    if min(right, rect.x1) > max(left, rect.x0) and left - 6 <= rect.x0 <= right:
        return 0
    return nearest_column(rect, columns)
