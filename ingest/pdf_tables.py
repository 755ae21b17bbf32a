"""Cells of a table from the boxes that the layout found and the words that stand in them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, partial
from itertools import pairwise

from chapterverse.ingest.pdf_grid import Grid, attach_signs, cell_text, make_grid
from chapterverse.ingest.pdf_heads import is_number
from chapterverse.ingest.pdf_layout import Block
from chapterverse.ingest.pdf_ruled import lines_as_rows
from chapterverse.ingest.pdf_segments import nearest_column
from chapterverse.ingest.pdf_text import Line, Word, around, group_rows, make_line

__all__ = ["build_grid", "text_columns"]

_LONG_CELL = 300
_SPACE = 0.4
"""Most gap between two words of one cell, in font sizes."""

_LEADING = 0.2
"""Most that gaps between the lines of one cell differ, in font sizes."""

_MANY = 9
"""Rows from which on only figures tell lines of one row from rows."""

_ITEM = re.compile(r"^(?:[•◦▪■●○◆➢▶‣✓*·\uf0b7\uf0a7]|(?:\d{1,2}|[a-z])[.)]$)")


def build_grid(block: Block, lines: Sequence[Line], above: Sequence[Line] = ()) -> Grid | None:
    """The table of *block* from all words of *lines*; ``None`` if it is no table after all.

    *above* are printed rows directly over the block which may be its column heads. Every word
    lands in exactly one cell.
    """
    cells = _cells(block, lines)
    if cells is None:
        return None
    if _is_lists(cells):
        return None
    cells = _joined(cells)
    columns = _columns(block)
    head: list[list[Word]] = [[] for _ in columns]
    for line in above:
        for word in line.words:
            head[nearest_column(word.rect, columns)].append(word)
    split = [part for row in cells for part in _split_band(row)]
    if not any(c.isalpha() for line in lines for c in line.text):
        # Numbers alone are the axis of a chart.
        return None
    rows = [head, *split] if above else split
    return make_grid(rows, lines[0].page, heads=int(bool(above)))


def _is_lists(cells: Sequence[Sequence[Sequence[Word]]]) -> bool:
    """Whether most cells begin with a bullet or a number of their own: lists side by side."""
    starts = [cell[0].text for row in cells for cell in row if cell]
    return 3 * sum(bool(_ITEM.match(text)) for text in starts) > 2 * len(starts)


def text_columns(block: Block, lines: Sequence[Line]) -> list[list[Line]]:
    """The lines of each column if *block* is running text or lists set in columns, else nothing.

    It is text if cells of over 300 characters hold most of it, stand side by side and are no
    rows: they do not begin at one height, or their sentences run on into the next row.
    """
    letters = sum(c.isalpha() for line in lines for c in line.text)
    items = sum(bool(_ITEM.match(word.text)) for line in lines for word in line.words)
    cells = (_cells(block, lines) if letters > _LONG_CELL or items > 3 else None) or []
    if not cells or not (_is_lists(cells) or _is_text(cells)):
        return []
    columns = [[word for row in cells for word in row[c]] for c in range(len(cells[0]))]
    page = lines[0].page
    return [[make_line(row, page) for row in group_rows(words)] for words in columns if words]


def _is_text(cells: Sequence[Sequence[list[Word]]]) -> bool:
    sizes = [len(cell_text(cell)) for row in cells for cell in row]
    if 2 * sum(size for size in sizes if size > _LONG_CELL) <= sum(sizes):
        return False
    beside = [tops for row in cells if len(tops := _long_tops(row)) > 1]
    uneven = sum(max(tops) - min(tops) > 2 for tops in beside)
    running = sum(_run_on(a, b) for a, b in pairwise(cells))
    return bool(beside) and (2 * uneven >= len(beside) or running > 0)


def _long_tops(row: Sequence[list[Word]]) -> list[float]:
    """Base line of the first words of each long cell of letters."""
    long = [cell for cell in row if sum(c.isalpha() for c in cell_text(cell)) > _LONG_CELL / 2]
    long = [cell for cell in long if len(cell_text(cell)) > _LONG_CELL]
    return [min(word.rect.y1 for word in cell) for cell in long]


def _run_on(above: Sequence[list[Word]], below: Sequence[list[Word]]) -> bool:
    """Whether sentences of two long cells go on in the row below."""
    pairs = [(cell_text(a), cell_text(b)) for a, b in zip(above, below, strict=True)]
    return sum(len(a) > _LONG_CELL and a[-1].isalpha() and b[:1].islower() for a, b in pairs) > 1


def _cells(block: Block, lines: Sequence[Line]) -> list[list[list[Word]]] | None:
    """The words by row and column of the layout; ``None`` if there are no two columns."""
    words = [word for line in lines for word in line.words]
    columns = _columns(block)
    if len(columns) < 2 or not words or _is_prose(words, columns):
        return None
    bands = _bands(block)
    band = cache(partial(_band, bands))  # words of one line stand at one height
    cells: list[list[list[Word]]] = [[[] for _ in columns] for _ in bands]
    for row in group_rows(words):
        for word, column in attach_signs(_placed(row, columns)):
            cells[band(word.y)][column].append(word)
    return cells


def _placed(row: Sequence[Word], columns: Sequence[tuple[float, float]]) -> list[tuple[Word, int]]:
    """The words of a printed row with their columns.

    One that stands between two columns belongs to the word before it if no more than a space parts
    them; a row that is one run of words over several columns to the first of them.
    """
    gaps = [b.rect.x0 - a.rect.x1 for a, b in pairwise(row)]
    if (
        len(row) > 1
        and max(gaps) < _SPACE * row[0].size
        and not any(is_number(w.text) for w in row)
    ):
        column = nearest_column(row[0].rect, columns)
        return [(word, column) for word in row]
    out: list[tuple[Word, int]] = []
    for word in row:
        column = nearest_column(word.rect, columns)
        left, right = columns[column]
        between = word.rect.x1 <= left or word.rect.x0 >= right
        if between and out and word.rect.x0 - out[-1][0].rect.x1 < _SPACE * word.size:
            column = out[-1][1]
        out.append((word, column))
    return out


def _joined(cells: list[list[list[Word]]]) -> list[list[list[Word]]]:
    """The rows, those that only go on with the text above made one with it.

    In a table of texts they stand close below it, and the next row after a wider gap.
    """
    rows = [row for row in cells if any(row)]
    others = [cell for row in rows for cell in row[1:] if cell]
    figures = sum(is_number(text) and text[-1] != "A" for text in (c[-1].text for c in others))
    if len(rows) < 3 or 5 * figures > len(others):
        return cells
    size = next(cell[0].size for cell in rows[0] if cell)
    boxes = [around(word for cell in row for word in cell) for row in rows]
    gaps = [b.y0 - a.y1 for a, b in pairwise(boxes)]
    tight = min(gaps) + _LEADING * size
    wide = sum(gap > tight + _LEADING * size for gap in gaps)
    if wide < 2 or len(gaps) - wide < 2:
        return cells
    out = [rows[0]]
    for gap, row in zip(gaps, rows[1:], strict=True):
        if gap <= tight and _only_goes_on(row):
            out[-1] = [[*a, *b] for a, b in zip(out[-1], row, strict=True)]
        else:
            out.append(row)
    return out


def _only_goes_on(row: Sequence[Sequence[Word]]) -> bool:
    """Whether a row leaves cells empty, or each of its cells begins amid a sentence."""
    starts = [cell[0].text[0] for cell in row if cell]
    return len(starts) < len(row) or all(first.islower() for first in starts)


def _is_prose(words: Sequence[Word], columns: Sequence[tuple[float, float]]) -> bool:
    """Whether the words run on over the borders of the columns with the gaps of a sentence."""
    gaps = []
    for row in group_rows(words):
        for a, b in pairwise(row):
            if nearest_column(a.rect, columns) != nearest_column(b.rect, columns):
                gaps.append((b.rect.x0 - a.rect.x1) / max(a.size, 1.0))
    numbers = sum(is_number(word.text) for word in words)
    tight = sum(gap < 0.6 for gap in gaps)
    return len(gaps) > 1 and 2 * tight > len(gaps) and 5 * numbers < len(words)


def _split_band(cells: list[list[Word]]) -> list[list[list[Word]]]:
    """One row for each printed row if two of them hold numbers in the same column."""
    rows = group_rows(word for cell in cells for word in cell)
    if len(rows) < 2:
        return [cells]
    column = {id(word): index for index, cell in enumerate(cells) for word in cell}
    filled = [{column[id(w)] for w in row if is_number(w.text)} - {0} for row in rows]
    twice = [c for c in range(1, len(cells)) if sum(c in row for row in filled) > 1]
    if len(twice) < min(2, len(cells) - 1) or (len(cells) < 3 and not all(filled)):
        return lines_as_rows(cells, _MANY)
    return [
        [[w for w in row if column[id(w)] == index] for index in range(len(cells))] for row in rows
    ]


def _columns(block: Block) -> list[tuple[float, float]]:
    """Left and right edge of each column: the cells that are as narrow as their column."""
    count = max((len(row) for row in block.cells), default=0)
    edges: list[tuple[float, float] | None] = []
    for c in range(count):
        boxes = [row[c] for row in block.cells if c < len(row)]
        found = [b for b in boxes if b is not None and b.width > 0]
        if not found:
            edges.append(None)
            continue
        widths = sorted(b.width for b in found)
        limit = 2.5 * widths[len(widths) // 2] + 1
        narrow = [b for b in found if b.width <= limit] or found
        edges.append((min(b.x0 for b in narrow), max(b.x1 for b in narrow)))
    return [edge for edge in edges if edge is not None]


def _bands(block: Block) -> list[tuple[float, float]]:
    """Top and bottom of each row."""
    bands = []
    for row in block.cells:
        boxes = [b for b in row if b is not None]
        if boxes:
            bands.append((min(b.y0 for b in boxes), max(b.y1 for b in boxes)))
    return bands or [(block.rect.y0, block.rect.y1)]


def _band(bands: Sequence[tuple[float, float]], y: float) -> int:
    """The row at a height, or the nearest."""
    return min(
        range(len(bands)),
        key=lambda i: (max(bands[i][0] - y, y - bands[i][1], 0.0), abs(sum(bands[i]) / 2 - y)),
    )
