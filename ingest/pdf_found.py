"""Tables that the layout missed or cut wrong, found by their lines, put into the layout."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from chapterverse.ingest.captions import caption_kind
from chapterverse.ingest.pdf_aligned import Aligned, aligned_tables
from chapterverse.ingest.pdf_figures import is_beside
from chapterverse.ingest.pdf_graphics import Graphics, frames
from chapterverse.ingest.pdf_grid import Grid
from chapterverse.ingest.pdf_lattice import find_lattices
from chapterverse.ingest.pdf_layout import Block, PageLayout
from chapterverse.ingest.pdf_ruled import ruled_grid
from chapterverse.ingest.pdf_text import Line, Rect, Word, group_rows

__all__ = ["add_tables"]

_Found = tuple[Rect, Grid]
_DRAWN = 12
"""Most drawn shapes in a table."""

_COVERS = 0.85
"""Share of a table's words that a larger one must hold to stand for it."""


def add_tables(
    layout: PageLayout, words: Sequence[Word], graphics: Graphics, rows: Sequence[Line]
) -> PageLayout:
    """The layout with the tables found by lines or columns in place of the blocks inside of them.

    *rows* are the printed rows of the page.
    """
    if not rows:
        return layout
    found = _ruled(words, graphics, rows)
    found.extend(_aligned(layout, words, graphics, found, rows))
    for rect, grid in found:
        layout = _with_table(layout, rect, grid)
    return layout


def _aligned(
    layout: PageLayout,
    words: Sequence[Word],
    graphics: Graphics,
    taken: Sequence[_Found],
    rows: Sequence[Line],
) -> list[_Found]:
    """Tables of figures without lines, where the layout has none or part of one."""
    free = list(words)
    for rect, _ in taken:
        free = [w for w in free if not rect.holds(w.x, w.y)]
    found: list[Aligned] = []
    page = rows[0].page
    for frame in frames(graphics.across):
        level = [w for w in free if frame.y0 < w.y < frame.y1]
        inside = [w for w in level if frame.x0 < w.x < frame.x1]
        if inside and 1.15 * len(inside) < len(level):
            # Running text stands beside the table, unless it is the names of its rows.
            tables = aligned_tables(group_rows(inside), graphics.across, page)
            framed = [table for table in tables if table.grid.row_headers]
            used = {id(word) for table in framed for word in table.words}
            free = [w for w in free if id(w) not in used]
            found.extend(framed)
    known = {id(word) for word in free}
    lines = [[w for w in row.words if id(w) in known] for row in rows]
    found.extend(aligned_tables([line for line in lines if line], graphics.across, page))
    return [(t.rect, t.grid) for t in found if _is_better(t, layout, words, graphics)]


def _is_better(
    table: Aligned, layout: PageLayout, words: Sequence[Word], graphics: Graphics
) -> bool:
    """Whether a table is in no picture and holds (nearly) all words of those it stands for."""
    rect = table.rect
    if sum(rect.holds(*_middle(d)) for d in graphics.drawings) > _DRAWN:
        return False
    if any(_share(rect, figure) > 0.5 for figure in layout.figures):
        return False
    own = {id(word) for word in table.words}
    for block in layout.blocks:
        taller = rect.y0 < block.rect.y0 + 5 and rect.y1 > block.rect.y1 - 5
        if block.kind == "table" and not taller and _share(block.rect, rect) > 0:
            # What stands beside the table is text that the layout took for its first column.
            left = rect.x0 if table.beside else block.rect.x0 - 2
            held = [id(w) for w in words if block.rect.holds(w.x, w.y, 1.5) and w.x > left]
            if sum(i in own for i in held) < _COVERS * len(held):
                return False
    return True


def _middle(rect: Rect) -> tuple[float, float]:
    return (rect.x0 + rect.x1) / 2, (rect.y0 + rect.y1) / 2


def _share(rect: Rect, other: Rect) -> float:
    """Share of *rect* that lies in *other*."""
    shared = max(0.0, rect.x_overlap(other)) * max(0.0, rect.y_overlap(other))
    return shared / max(rect.area, 1.0)


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


def _split(block: Block, table: Rect) -> tuple[list[Block], list[Block]]:
    """The part of a block over a table, and the parts beside and under it."""
    whole = block.rect
    top, bottom = max(whole.y0, table.y0), min(whole.y1, table.y1)
    over = [replace(block, rect=whole._replace(y1=top))] if top > whole.y0 else []
    rest = [replace(block, rect=whole._replace(y0=top, y1=bottom))]
    if whole.y1 > bottom:
        rest.append(replace(block, rect=whole._replace(y0=bottom)))
    return over, rest


def _with_table(layout: PageLayout, rect: Rect, grid: Grid) -> PageLayout:
    """The table where the first block stood that lies mostly inside of it.

    What is left of such blocks stands before, beside and after it.
    """
    blocks: list[Block] = []
    place = None
    for block in layout.blocks:
        shared = max(0.0, block.rect.x_overlap(rect)) * max(0.0, block.rect.y_overlap(rect))
        if shared > 0.6 * block.rect.area or (block.kind == "table" and shared > 0.5 * rect.area):
            before, after = list[Block](), list[Block]()
            if shared < 0.95 * block.rect.area:
                rest = block if block.kind != "table" else replace(block, kind="paragraph")
                before, after = _split(rest, rect)
            blocks.extend(before)
            place = len(blocks) if place is None else place
            blocks.extend(after)
        else:
            blocks.append(block)
    if place is None:
        above = [i for i, b in enumerate(blocks) if b.rect.y1 <= rect.y0 + 3]
        beside = [i for i in above if blocks[i].rect.x_overlap(rect) > 0]
        place = (beside or above or [-1])[-1] + 1
    blocks.insert(place, Block("table", rect, grid=grid))
    return replace(layout, blocks=tuple(blocks))
