"""Vertical East Asian text whose characters stand so far apart that each came as a word."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from chapterverse.ingest.pdf_text import Word, around, is_cjk

__all__ = ["stack_characters", "vertical_columns"]

_FEWEST = 20
_MOST_OF = 0.7
"""Share of the characters of a page that must stand alone."""

_STEP = 2.0
"""Widest step from one character of a column to the next, in font sizes."""


def stack_characters(words: list[Word]) -> list[Word]:
    """The words of a page with its columns of single characters as one vertical word each.

    That is so if most characters of the page stand alone and have their nearest neighbour below
    rather than beside them. Otherwise the words come back unchanged.
    """
    single = [w for w in words if len(w.text) == 1 and w.upright and is_cjk(w.text)]
    if len(single) < _FEWEST or len(single) < _MOST_OF * sum(len(w.text) for w in words):
        return words
    columns = vertical_columns(single)
    below = [b.y - a.y for column in columns for a, b in pairwise(column)]
    if len(below) < len(single) / 2 or not _are_close(columns, sorted(below)[len(below) // 2]):
        return words
    alone = {id(word) for word in single}
    out = [word for word in words if id(word) not in alone]
    return [*(_stack(run) for column in columns for run in _runs(column)), *out]


def vertical_columns(words: Iterable[Word]) -> list[list[Word]]:
    """Words of vertical text in columns from right to left, each from top to bottom."""
    columns: list[list[Word]] = []
    for word in sorted(words, key=lambda w: -w.x):
        if columns and columns[-1][0].x - word.x < 0.5 * word.size:
            columns[-1].append(word)
        else:
            columns.append([word])
    return [sorted(column, key=lambda w: w.y) for column in columns]


def _are_close(columns: Sequence[Sequence[Word]], step: float) -> bool:
    """Whether the characters of a column stand closer together than the columns do."""
    apart = sorted(a[0].x - b[0].x for a, b in pairwise(columns))
    size = columns[0][0].size
    return step < _STEP * size and (not apart or step < 0.95 * apart[len(apart) // 2])


def _runs(column: Sequence[Word]) -> list[list[Word]]:
    """The parts of a column that wide gaps or other sizes set apart."""
    runs = [[column[0]]]
    for a, b in pairwise(column):
        if b.y - a.y > _STEP * a.size or abs(a.size - b.size) > 0.08 * a.size:
            runs.append([])
        runs[-1].append(b)
    return runs


def _stack(run: Sequence[Word]) -> Word:
    rect = around(run)
    x, y = (rect.x0 + rect.x1) / 2, (rect.y0 + rect.y1) / 2
    text = "".join(word.text for word in run)
    return run[0]._replace(text=text, rect=rect, upright=False, x=x, y=y, vertical=True)
