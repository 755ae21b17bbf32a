"""Tables that the layout missed or cut wrong, found by their lines, put into the layout."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from chapterverse.ingest.captions import caption_kind
from chapterverse.ingest.pdf_figures import is_beside
from chapterverse.ingest.pdf_graphics import Graphics
from chapterverse.ingest.pdf_grid import Grid
from chapterverse.ingest.pdf_lattice import find_lattices
from chapterverse.ingest.pdf_layout import Block, PageLayout
from chapterverse.ingest.pdf_ruled import ruled_grid
from chapterverse.ingest.pdf_text import Line, Rect, Word

__all__ = ["add_tables"]

_Found = tuple[Rect, Grid]


def add_tables(
    layout: PageLayout, words: Sequence[Word], graphics: Graphics, rows: Sequence[Line]
) -> PageLayout:
    """The layout with the tables that lines draw in place of the blocks inside of them.

    *rows* are the printed rows of the page.
    """
    found = _ruled(words, graphics, rows)
    for rect, grid in found:
        layout = _with_table(layout, rect, grid)
    return layout


def _ruled(words: Sequence[Word], graphics: Graphics, rows: Sequence[Line]) -> list[_Found]:
    found: list[_Found] = []
    lattices = find_lattices(graphics)
    captions = [x.rect for x in rows if lattices and caption_kind([x]) == "figure"]
    for lattice in lattices:
        rect = lattice.rect
        merged = len(lattice.cells) < (len(lattice.xs) - 1) * (len(lattice.ys) - 1)
        if merged and any(is_beside(caption, rect) for caption in captions):
            continue
        inside = [word for word in words if rect.holds(word.x, word.y)]
        grid = ruled_grid(lattice, inside, rows[0].page) if inside else None
        if grid is not None:
            found.append((rect, grid))
    return found


def _with_table(layout: PageLayout, rect: Rect, grid: Grid) -> PageLayout:
    """The table where the first block stood that lies mostly inside of it."""
    blocks: list[Block] = []
    place = None
    for block in layout.blocks:
        shared = max(0.0, block.rect.x_overlap(rect)) * max(0.0, block.rect.y_overlap(rect))
        if shared > 0.6 * block.rect.area or (block.kind == "table" and shared > 0.5 * rect.area):
            place = len(blocks) if place is None else place
            if shared < 0.95 * block.rect.area:
                blocks.append(block if block.kind != "table" else replace(block, kind="paragraph"))
        else:
            blocks.append(block)
    if place is None:
        above = [i for i, b in enumerate(blocks) if b.rect.y1 <= rect.y0 + 3]
        beside = [i for i in above if blocks[i].rect.x_overlap(rect) > 0]
        place = (beside or above or [-1])[-1] + 1
    blocks.insert(place, Block("table", rect, grid=grid))
    return replace(layout, blocks=tuple(blocks))
