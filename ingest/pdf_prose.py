"""Running text that the layout took for part of a table, told from rows by its shape."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby, pairwise

from chapterverse.ingest.pdf_asides import part_asides
from chapterverse.ingest.pdf_layout import Block, Held
from chapterverse.ingest.pdf_pieces import ends_sentence, is_code
from chapterverse.ingest.pdf_tables import text_columns
from chapterverse.ingest.pdf_text import Line, Rect, Word, around, has_han

__all__ = ["part_tables"]

_MARK = re.compile(r"^(?:\(\w{1,3}\)|[*†‡§•]+)$")
_GAP = 1.2
"""Gap between two words, in font sizes, from which on they stand in different columns."""

_FULL, _WIDE, _HALF = 0.88, 0.75, 0.5
_LONG, _NOTE = 60, 30
_LARGER = 1.25


def part_tables(held: Held) -> Held:
    """The blocks with every table cut where running text or a heading stands between its rows.

    A printed row is running text if it is one run of words without a column gap that begins at
    the left edge and fills most of the table's width; it takes the short rows around it (heads
    above, last lines below) along. A table of long texts without real rows becomes its columns.
    Every word stays in exactly one block.
    """
    return [
        piece
        for block, lines in part_asides(held)
        for part, rows in _parts(block, lines)
        for piece in _by_column(part, rows)
    ]


def _by_column(block: Block, lines: list[Line]) -> Held:
    """The block, or the columns of running text that passed for the cells of a table."""
    tabular = block.kind == "table" and not block.grid and not is_code(lines)
    columns = text_columns(block, lines) if tabular else []
    if not columns:
        return [(block, lines)]
    return [(Block("paragraph", around(column)), column) for column in columns]


def _parts(block: Block, lines: list[Line]) -> Held:
    if block.kind != "table" or block.grid or len(lines) < 2 or is_code(lines):
        return [(block, lines)]
    prose = _prose_rows(block.rect, lines)
    if not any(prose):
        return [(block, lines)]
    out: Held = []
    for running, group in groupby(zip(prose, lines, strict=True), key=lambda item: item[0]):
        part = [line for _, line in group]
        rect = around(part)
        if running:
            out.append((Block("paragraph", rect), part))
            continue
        low, high = rect.y0 - 1, rect.y1 + 1
        rows = tuple(row for row in block.cells if low < _middle(row) < high)
        wide = Rect(block.rect.x0, rect.y0, block.rect.x1, rect.y1)
        out.append((replace(block, rect=wide, cells=rows or block.cells), part))
    return out


def _middle(row: Iterable[Rect | None]) -> float:
    boxes = [box for box in row if box is not None]
    return sum((b.y0 + b.y1) / 2 for b in boxes) / len(boxes) if boxes else -1.0


def _prose_rows(table: Rect, lines: Sequence[Line]) -> list[bool]:
    starts = [b.rect.x0 for line in lines for a, b in _gaps(line)]
    usual = sorted(line.size for line in lines)[len(lines) // 2]
    single = [_is_single(line, table, starts) for line in lines]
    found = [False] * len(lines)
    end = 0
    for index in range(len(lines)):
        if index < end or not single[index]:
            continue
        end = next((i for i in range(index, len(lines)) if not single[i]), len(lines))
        first, last = _reach(lines, table, usual, index, end)
        found[first:last] = [True] * (last - first)
    return found


def _gaps(line: Line) -> list[tuple[Word, Word]]:
    """Neighbouring words with a column gap between them; a note's mark belongs to its text."""
    pairs = list(pairwise(line.words))
    if pairs and _MARK.match(line.words[0].text):
        pairs = pairs[1:]
    return [(a, b) for a, b in pairs if b.rect.x0 - a.rect.x1 > _GAP * max(a.size, b.size)]


def _is_single(line: Line, table: Rect, starts: Sequence[float]) -> bool:
    """Whether the row is one run of words at the left edge and no cell of a later column."""
    x = line.rect.x0
    if x > table.x0 + 3 * line.size or _gaps(line):
        return False
    return x < table.x0 + 2 or not any(abs(x - start) < 2 for start in starts)


def _reach(
    lines: Sequence[Line], table: Rect, usual: float, start: int, end: int
) -> tuple[int, int]:
    """First and last (exclusive) row of the running text among the single rows start to end."""
    seeds = [
        i
        for i in range(start, end)
        if _is_head(lines[i], usual) or _is_seed(lines, table, i, range(start, end))
    ]
    if not seeds:
        return start, start
    first, last = seeds[0], seeds[-1] + 1
    while first > start and (start == 0 or _leads(lines[first - 2], lines[first - 1])):
        first -= 1
    if end == len(lines):
        return first, end
    for index in range(last, end):
        if _follows(lines[index - 1], lines[index]) or _closes(lines[index]):
            last = index + 1
    if last == end and lines[end].text[0].islower() and not _is_head(lines[last - 1], usual):
        # The last line of a long label that has its numbers beside it.
        closed = [i + 1 for i in range(first, last) if ends_sentence(lines[i].text)]
        last = closed[-1] if closed else first
    return first, last


def _is_head(line: Line, usual: float) -> bool:
    letters = sum(c.isalpha() for c in line.text)
    return line.size > _LARGER * usual and letters >= 4


def _share(line: Line, table: Rect) -> float:
    """Width of a long row as a share of the table's, 0 for a short text."""
    long = len(line.text) >= (_LONG // 2 if has_han(line.text) else _LONG)
    return line.rect.width / max(table.width, 1.0) if long else 0.0


def _is_seed(lines: Sequence[Line], table: Rect, index: int, run: range) -> bool:
    line = lines[index]
    share = _share(line, table)
    if line.text[-1] in ":：" and index > 0:
        # A label over the rows of its group ends like this too, but keeps their distance.
        gap = line.rect.y0 - lines[index - 1].rect.y1
        return share > _HALF and gap > line.size
    if share > _HALF and ends_sentence(line.text):
        return True
    beside = [lines[i] for i in (index - 1, index + 1) if i in run]
    flows = any(_share(x, table) > _WIDE for x in beside)
    flows = flows or (index + 1 in run and _stops(lines[index + 1]))
    return share > _FULL or (share > _WIDE and flows)


def _leads(above: Line, line: Line) -> bool:
    """Whether a row right above running text belongs to it: a head, a note or a rule."""
    apart = line.rect.y0 - above.rect.y1 > 0.8 * line.size
    return apart or line.bold or not any(c.isalnum() for c in line.text) or _closes(line)


def _closes(line: Line) -> bool:
    return len(line.text) >= _NOTE and _stops(line)


def _stops(line: Line) -> bool:
    return line.text[-1] not in ":：;；" and ends_sentence(line.text)


def _follows(a: Line, b: Line) -> bool:
    close = b.rect.y0 - a.rect.y1 < 0.6 * a.size and abs(a.size - b.size) < 0.05 * a.size
    return close and a.bold == b.bold and not ends_sentence(a.text)
