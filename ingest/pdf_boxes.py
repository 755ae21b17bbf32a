"""Charts, pictures and panels beside running text: their words are kept out of its lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from chapterverse.ingest.pdf_found import add_tables
from chapterverse.ingest.pdf_graphics import Graphics, frames
from chapterverse.ingest.pdf_heads import is_number
from chapterverse.ingest.pdf_layout import Block, Held, PageLayout, assign_words
from chapterverse.ingest.pdf_text import Line, Rect, Word, around, group_rows, make_line

__all__ = ["assign_beside"]

_LEAST, _MOST = 0.02, 0.5
"""Share of the page that a box beside text covers."""

_NARROW, _WIDE = 90.0, 0.75
"""Its least width in points, and the share of the page's width that it does not reach."""

_FIGURES = 0.7
"""Share of figures from which on its words are the values of a table, whose names stand left."""

_ROWS, _LONG, _LOW = 4, 25, 0.4
"""Least rows of running text, their mean length, and the share of them that begins small."""

_EDGE = 2.0


def assign_beside(
    words: list[Word],
    layout: PageLayout,
    graphics: Graphics,
    rows: Sequence[Line],
    size: tuple[float, float],
) -> Held:
    """Every word of a page in exactly one block, box by box, with the tables among the blocks.

    *rows* are the printed rows of the page, *size* its width and height in points. Boxes are
    framed by two lines of one length, filled areas, or pictures. One counts where a block of the
    layout goes over its side, running text stands on the other side and no word crosses. What
    stands in it follows the text beside it.
    """
    boxes = _boxes(layout, graphics, size)
    cuts: list[tuple[Rect, list[Word]]] = []
    while (box := next((box for box in boxes if _cuts(box, words)), None)) is not None:
        cuts.append((box, [w for w in words if box.holds(w.x, w.y)]))
        words = [w for w in words if not box.holds(w.x, w.y)]
    held = _assigned(words, layout, graphics, rows)
    for box, inside in reversed(cuts):
        within = replace(layout, blocks=tuple(b for b in layout.blocks if not _straddles(b, box)))
        held = [
            (replace(block, rect=around(lines)) if _straddles(block, box) else block, lines)
            for block, lines in held
        ]
        place = _place(held, box)
        held[place:place] = _assigned(inside, within, graphics, rows)
    return held


def _assigned(
    words: list[Word], layout: PageLayout, graphics: Graphics, rows: Sequence[Line]
) -> Held:
    if not rows:
        return []
    return assign_words(words, add_tables(layout, words, graphics, rows), rows[0].page, rows)


def _boxes(layout: PageLayout, graphics: Graphics, size: tuple[float, float]) -> list[Rect]:
    """The boxes over whose sides blocks of the layout go, from large to small."""
    whole = size[0] * size[1]
    found = [*frames(graphics.across), *graphics.fills, *graphics.pictures]
    kept = [r for r in found if _NARROW < r.width < _WIDE * size[0]]
    kept = [r for r in kept if _LEAST < r.area / whole < _MOST]
    mixed = [r for r in kept if any(_straddles(block, r) for block in layout.blocks)]
    return sorted(mixed, key=lambda r: -r.area)


def _cuts(box: Rect, words: Sequence[Word]) -> bool:
    """Whether no word crosses the sides of the box, and running text stands left or right of it."""
    level = [w for w in words if box.y0 < w.y < box.y1]
    if any(w.rect.x0 < edge < w.rect.x1 for w in level for edge in (box.x0, box.x1)):
        return False
    inside = [w for w in level if box.x0 < w.x < box.x1]
    figures = sum(is_number(w.text) for w in inside)
    if not inside or figures > _FIGURES * len(inside):
        return False
    sides = [w for w in level if w.x < box.x0], [w for w in level if w.x > box.x1]
    return any(_is_prose(side) for side in sides)


def _straddles(block: Block, box: Rect) -> bool:
    rect = block.rect
    over = rect.x0 < box.x0 - _EDGE < box.x0 + _EDGE < rect.x1
    over = over or rect.x0 < box.x1 - _EDGE < box.x1 + _EDGE < rect.x1
    return over and rect.y_overlap(box) > 0.5 * min(rect.height, box.height)


def _is_prose(words: Sequence[Word]) -> bool:
    lines = [make_line(row, 0) for row in group_rows(words)]
    low = sum(line.text[0].islower() for line in lines)
    length = sum(len(line.text) for line in lines)
    return len(lines) >= _ROWS and low >= _LOW * len(lines) and length >= _LONG * len(lines)


def _place(held: Held, box: Rect) -> int:
    """Where the box goes in reading order: in its column, or after all text beside it."""
    rects = [block.rect for block, _ in held]
    column = [i for i, rect in enumerate(rects) if _in_column(rect, box)]
    above = [i + 1 for i in column if rects[i].y1 < box.y0 + _EDGE]
    below = [i for i in column if rects[i].y0 > box.y1 - _EDGE]
    if above or below:
        return max(above) if above else min(below)
    beside = [
        i + 1
        for i, rect in enumerate(rects)
        if rect.y_overlap(box) > 0 and rect.x_overlap(box) <= _EDGE
    ]
    over = [i + 1 for i, rect in enumerate(rects) if rect.y1 < box.y0 + _EDGE]
    return max(beside or over or [0])


def _in_column(rect: Rect, box: Rect) -> bool:
    """Whether a block stands over or under the box and goes no farther than it."""
    shared = rect.x_overlap(box)
    return shared > 0.5 * rect.width and rect.width < 1.2 * box.width
