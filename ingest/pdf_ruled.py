"""Tables drawn with lines: words put into the cells that the lines enclose."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from chapterverse.ingest.pdf_grid import Cells, Grid, attach_signs, make_grid
from chapterverse.ingest.pdf_heads import is_number
from chapterverse.ingest.pdf_lattice import Lattice, Span
from chapterverse.ingest.pdf_text import Word, group_rows

__all__ = ["lines_as_rows", "ruled_grid"]

_STICKS_OUT = 4.0
_WIDE = 1.8
"""Gap in font sizes that no two words of one cell have between them."""

_CHARACTERS = 6_000


def ruled_grid(lattice: Lattice, words: Sequence[Word], page: int) -> Grid | None:
    """The table of *words*, all those inside *lattice*; ``None`` if it is a drawing or a form."""
    if not words or sum(len(word.text) for word in words) > _CHARACTERS:
        return None
    anchors = {
        (s.row + i, s.column + k): s
        for s in lattice.cells
        for i in range(s.rows)
        for k in range(s.columns)
    }
    cells: Cells = [[[] for _ in lattice.xs[1:]] for _ in lattice.ys[1:]]
    for word in words:
        place = lattice.place(word.x, word.y)
        if place is not None:
            span = anchors[place]
            cells[span.row][span.column].append(word)
    if not _is_table(lattice, cells):
        return None
    spans = [s for s in lattice.cells if s.rows * s.columns > 1]
    cells, spans = _split_rows(cells, spans)
    return make_grid(cells, page, spans)


def _is_table(lattice: Lattice, cells: Cells) -> bool:
    filled = [(s, cells[s.row][s.column]) for s in lattice.cells if cells[s.row][s.column]]
    if len(filled) < 3 or 4 * len(filled) < len(lattice.cells):
        return False
    rows = {s.row for s, _ in filled}
    columns = {s.column for s, _ in filled}
    if len(rows) < 2 or len(columns) < 2:
        return False
    out = loose = count = 0
    for span, words in filled:
        box = lattice.box(span)
        for word in words:
            count += 1
            out += word.rect.x0 < box.x0 - _STICKS_OUT or word.rect.x1 > box.x1 + _STICKS_OUT
        loose += _holds_columns(words)
    return 8 * out <= count and 5 * loose <= len(filled)


def _holds_columns(words: Sequence[Word]) -> bool:
    """Whether figures stand apart on one line of a cell, so that lines are missing."""
    return any(
        is_number(b.text) and b.rect.x0 - a.rect.x1 > _WIDE * b.size and len(b.text) > 1
        for row in group_rows(words)
        for a, b in pairwise(row)
        if is_number(a.text) or len(row) > 2
    )


def _split_rows(cells: Cells, spans: list[Span]) -> tuple[Cells, list[Span]]:
    """One row for each printed line where lines are drawn between columns only."""
    out: Cells = []
    starts = []
    covered = {i for s in spans for i in range(s.row, s.row + s.rows)}
    for index, row in enumerate(cells):
        starts.append(len(out))
        out.extend([row] if index in covered else lines_as_rows(row, len(cells)))
    moved = [Span(starts[s.row], s.column, s.rows, s.columns) for s in spans]
    return out, moved


def lines_as_rows(row: list[list[Word]], rows: int) -> Cells:
    """The printed lines of a row of cells as rows of their own, where figures or, in a table of
    three *rows* at most, filled cells say so.
    """
    column = {id(word): index for index, cell in enumerate(row) for word in cell}
    lines = group_rows(word for cell in row for word in cell)
    if len(lines) < 2:
        return [row]
    filled = [{column[id(word)] for word in line} for line in lines]
    figures = [{column[id(word)] for word in line if is_number(word.text)} - {0} for line in lines]
    twice = [c for c in range(1, len(row)) if sum(c in f for f in figures) > 1]
    every = sum(bool(f) for f in figures) >= 0.6 * len(lines)
    used = {c for f in filled for c in f}
    names = {0} if len(used) < 4 else {0, 1}
    named = sum(bool(names & f) for f in filled)
    if named < 0.8 * len(lines):
        return [row]
    full = sum(f == used for f in filled)
    even = rows <= 3 and len(lines) > 3 and len(used) > 1 and full >= 0.8 * len(lines)
    if not (even or (twice and every and (len(twice) > 1 or len(used) <= 3))):
        return [row]
    placed = [attach_signs([(word, column[id(word)]) for word in line]) for line in lines]
    return [[[w for w, c in line if c == k] for k in range(len(row))] for line in placed]
