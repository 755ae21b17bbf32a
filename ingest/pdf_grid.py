"""Words sorted into cells become the rows of a table, with their boxes, heads and merged cells."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce

from chapterverse.ingest.pdf_heads import count_head_columns, count_head_rows, is_number
from chapterverse.ingest.pdf_lattice import Span
from chapterverse.ingest.pdf_text import Line, Rect, Word, around, group_rows, join_lines, make_line
from chapterverse.schema.records import Merge

__all__ = ["Cells", "Grid", "attach_signs", "cell_text", "make_grid"]

Cells = list[list[list[Word]]]
"""Words by row and column; those of a merged cell stand at its first place."""

_SIGN = re.compile(r"^[$€£¥￥(]+$")
_CLOSER = re.compile(r"^[)%]+$")
_TITLE = 600
_NO_WORDS: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows of cell texts with the box and page of each row and the box of each filled cell.

    The first ``header_rows`` rows name the columns, the first ``row_headers`` columns the rows.
    ``title`` are lines over all columns above the heads.
    """

    rows: tuple[tuple[str, ...], ...]
    rects: tuple[Rect, ...]
    pages: tuple[int, ...]
    header_rows: int
    boxes: tuple[tuple[Rect | None, ...], ...]
    row_headers: int = 0
    merges: tuple[Merge, ...] = ()
    title: tuple[Line, ...] = ()


def make_grid(cells: Cells, page: int, spans: Iterable[Span] = (), heads: int = 0) -> Grid | None:
    """The table of *cells*, empty rows and columns left out; ``None`` below 2 x 2.

    *spans* are its merged cells; the first *heads* rows are known to name the columns.
    """
    cells, merged = _without_empty(cells, list(spans))
    title: list[Line] = []
    while len(cells) > 2 and _is_title(cells[0], merged):
        words = [word for cell in cells[0] for word in cell]
        title.extend(make_line(row, page) for row in group_rows(words))
        merged = [Span(s.row - 1, s.column, s.rows, s.columns) for s in merged if s.row > 0]
        cells, heads = cells[1:], max(0, heads - 1)
    if len(cells) < 2 or len(cells[0]) < 2:
        return None
    texts = [[cell_text(cell) for cell in row] for row in cells]
    boxes: list[list[Rect | None]] = [[_cell_rect(cell) for cell in row] for row in cells]
    count = max(heads, count_head_rows(texts, cells, merged))
    for span in merged:
        _repeat(texts, boxes, span, count)
    rects = [reduce(Rect.union, (box for box in row if box is not None)) for row in boxes]
    return Grid(
        tuple(tuple(row) for row in texts),
        tuple(rects),
        (page,) * len(texts),
        count,
        tuple(tuple(row) for row in boxes),
        count_head_columns(texts[count:]),
        tuple(Merge(s.row, s.column, s.rows, s.columns) for s in merged),
        tuple(title),
    )


def _repeat(texts: list[list[str]], boxes: list[list[Rect | None]], span: Span, heads: int) -> None:
    """A cell over several rows is repeated in each, over several columns in heads only."""
    for row in range(span.row, min(span.row + span.rows, len(texts))):
        wide = span.columns if row < heads else 1
        for column in range(span.column, min(span.column + wide, len(texts[0]))):
            texts[row][column] = texts[span.row][span.column]
            boxes[row][column] = boxes[span.row][span.column]


def _without_empty(cells: Cells, spans: list[Span]) -> tuple[Cells, list[Span]]:
    """Cells and merged cells without rows and columns that hold no word and no part of one."""
    held = [[bool(cell) for cell in row] for row in cells]
    for s in spans:
        if cells[s.row][s.column]:
            for row in held[s.row : s.row + s.rows]:
                row[s.column] = True
    rows = [i for i, row in enumerate(held) if any(row)]
    columns = [k for k in range(len(held[0]) if held else 0) if any(row[k] for row in held)]
    kept = []
    for s in spans:
        tall = [i for i, row in enumerate(rows) if s.row <= row < s.row + s.rows]
        wide = [k for k, column in enumerate(columns) if s.column <= column < s.column + s.columns]
        if tall and wide and s.column in columns and s.row in rows and len(tall) * len(wide) > 1:
            kept.append(Span(tall[0], wide[0], len(tall), len(wide)))
    return [[cells[i][k] for k in columns] for i in rows], kept


def _cell_rect(words: Sequence[Word]) -> Rect | None:
    return around(words) if words else None


def _is_title(row: Sequence[Sequence[Word]], spans: Iterable[Span]) -> bool:
    """Whether one merged cell fills the whole first row."""
    whole = any(s.row == 0 and s.rows == 1 and s.columns == len(row) for s in spans)
    return whole and sum(len(w.text) + 1 for cell in row for w in cell) <= _TITLE


def cell_text(words: Sequence[Word]) -> str:
    """The text of a cell on one line, ``|`` written as ``/``."""
    if not words:
        return ""
    if len(words) == 1:
        return words[0].text.replace("|", "/")
    top, bottom = min(w.y for w in words), max(w.y for w in words)
    if bottom - top < 0.2 * words[0].size:
        text = make_line(sorted(words, key=lambda w: w.rect.x0), 0).text
    else:
        text, _ = join_lines([make_line(row, 0) for row in group_rows(words)], _NO_WORDS)
    return re.sub(r"\s+", " ", text.replace("|", "/")).strip()


def attach_signs(placed: Sequence[tuple[Word, int]]) -> list[tuple[Word, int]]:
    """Currency signs go to the number after them, closing marks to the number before."""
    out = list(placed)
    for index in range(len(out) - 2, -1, -1):
        if _SIGN.match(out[index][0].text) and is_number(out[index + 1][0].text):
            out[index] = (out[index][0], out[index + 1][1])
    for index in range(1, len(out)):
        if _CLOSER.match(out[index][0].text):
            out[index] = (out[index][0], out[index - 1][1])
    return out
