"""Blocks of a PDF page in reading order, as liteparse sees them; no text is taken from it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from chapterverse.ingest.captions import starts_caption
from chapterverse.ingest.pdf_grid import Grid
from chapterverse.ingest.pdf_text import Line, Rect, Word, group_rows, make_line

__all__ = ["Block", "Held", "PageLayout", "assign_words", "read_layouts"]

_LISTED = re.compile(r"\d{1,3}")


@dataclass(frozen=True, slots=True)
class Block:
    """A block: ``kind`` is liteparse's word; ``cells`` are the boxes of a table by row.

    ``grid`` is a table that was read already; words inside it are in no other block.
    """

    kind: str
    rect: Rect
    level: int | None = None
    cells: tuple[tuple[Rect | None, ...], ...] = ()
    grid: Grid | None = None


Held = list[tuple[Block, list[Line]]]
"""Blocks in reading order, each with the lines of the words that it holds."""


@dataclass(frozen=True, slots=True)
class PageLayout:
    """Text blocks and tables in reading order, and the boxes of pictures and drawings."""

    blocks: tuple[Block, ...]
    figures: tuple[Rect, ...]


def read_layouts(
    data: bytes, password: str | None, pages: int, turns: Mapping[int, int]
) -> dict[int, PageLayout]:
    """Layouts by page (1-based); a page on which liteparse failed is absent.

    Pages in *turns* display their content turned clockwise by so many degrees, and are laid out
    as if it were upright.
    """
    import liteparse

    parser = liteparse.LiteParse(
        ocr_enabled=False,
        quiet=True,
        extract_blocks=True,
        keep_headers_footers=True,
        preserve_very_small_text=True,
        continue_on_page_error=True,
        num_workers=1,
        max_pages=pages,
        password=password,
        page_orientation_corrections=list(turns.items()) or None,
    )
    # Its Python records of every text item cost more than all that is read here of its blocks.
    parse = getattr(getattr(parser, "_native", None), "parse_bytes", parser.parse)
    try:
        result = parse(data)
    except Exception:
        return {}
    return {page.page_num: _layout(page) for page in result.pages}


def _layout(page: Any) -> PageLayout:
    blocks, figures = [], []
    for block in page.blocks or ():
        if block.bbox is None or block.kind == "rule":
            continue
        rect = _rect(block.bbox)
        if block.kind == "figure":
            figures.append(rect)
            continue
        cells = tuple(
            tuple(None if c.bbox is None else _rect(c.bbox) for c in row)
            for row in [*([block.header] if block.header else []), *(block.rows or [])]
        )
        blocks.append(Block(block.kind, rect, block.level, cells))
    return PageLayout(tuple(blocks), tuple(figures))


def _rect(box: Any) -> Rect:
    return Rect(box.x, box.y, box.x + box.width, box.y + box.height)


def assign_words(
    words: list[Word], layout: PageLayout, page: int, rows: Sequence[Line] = ()
) -> Held:
    """Every word in exactly one block: the smallest that holds its centre, else one of its own.

    *rows* are lines that are made already, and serve where a block has the same words in a row.
    Blocks keep the reading order; rows of words that no block holds are put after the nearest
    block above them in the same column.
    """
    taken: list[list[Word]] = [[] for _ in layout.blocks]
    loose: list[Word] = []
    blocks = layout.blocks
    order = sorted(range(len(blocks)), key=lambda i: (not blocks[i].grid, blocks[i].rect.area))
    frames = [
        (r.x0 - pad, r.y0 - pad, r.x1 + pad, r.y1 + pad, taken[i])
        for i in order
        for r, pad in ((blocks[i].rect, 0.0 if blocks[i].grid else 1.5),)
    ]
    for word in words:
        x, y = word.x, word.y
        for x0, y0, x1, y1, held in frames:
            if x0 <= x <= x1 and y0 <= y <= y1:
                held.append(word)
                break
        else:
            loose.append(word)
    made = {id(row.words[0]): row for row in rows}

    def line_of(row: list[Word]) -> Line:
        line = made.get(id(row[0]))
        return line if line is not None and line.words == tuple(row) else make_line(row, page)

    out = [
        (part, [line_of(row) for row in grouped])
        for block, held in zip(layout.blocks, taken, strict=True)
        if held
        for part, grouped in _columns(block, group_rows(held))
    ]
    for line in _loose_lines(loose, page):
        _insert(out, line)
    return _with_numbers(out)


def _with_numbers(held: Held) -> Held:
    """Numbers of lines of a listing, found as blocks of their own, put before their lines."""
    out = held
    for item in held:
        block, lines = item
        if block.kind != "table" and len(lines) == 1 and _LISTED.fullmatch(lines[0].text):
            rest = [other for other in out if other is not item]
            if _put_in_front(rest, lines[0], code=True):
                out = rest
    return out


def _columns(block: Block, rows: list[list[Word]]) -> list[tuple[Block, list[list[Word]]]]:
    """The block, or its columns where liteparse took two columns of prose for one."""
    if block.kind == "table":
        return [(block, rows)]
    gutter = _gutter(rows) if len(rows) > 3 else _left_of_caption(rows)
    gutter = _left_of_aside(rows) if gutter is None else gutter
    if gutter is None:
        return [(block, rows)]
    out = []
    parts = block.rect._replace(x1=gutter), block.rect._replace(x0=gutter)
    for left, rect in zip((True, False), parts, strict=True):
        side = [[w for w in row if (w.x < gutter) == left] for row in rows]
        out.extend(_columns(Block(block.kind, rect, block.level), [row for row in side if row]))
    return out


def _gutter(rows: list[list[Word]]) -> float | None:
    """Middle of the widest strip that no word crosses, with prose on both sides of it."""
    spans = sorted((w.rect.x0, w.rect.x1) for row in rows for w in row)
    best, middle, reach = 0.0, None, spans[0][1]
    for left, right in spans:
        if left - reach > best:
            best, middle = left - reach, (left + reach) / 2
        reach = max(reach, right)
    if middle is None or best < 0.8 * rows[0][0].size:
        return None
    sides = [
        [sum(len(w.text) for w in row if (w.x < middle) == left) for row in rows]
        for left in (True, False)
    ]
    prose = all(
        sum(count > 18 for count in side) >= max(3, 0.5 * sum(count > 0 for count in side))
        for side in sides
    )
    return middle if prose else None


def _left_of_caption(rows: list[list[Word]]) -> float | None:
    """Middle of the gap between a line of text and a caption beside it."""
    for row in rows:
        for index, (a, b) in enumerate(pairwise(row), 1):
            apart = b.rect.x0 - a.rect.x1 > 1.5 * max(a.size, b.size)
            if apart and starts_caption(" ".join(word.text for word in row[index:])):
                middle = (a.rect.x1 + b.rect.x0) / 2
                crossed = any(w.rect.x0 < middle < w.rect.x1 for line in rows for w in line)
                return None if crossed else middle
    return None


def _left_of_aside(rows: list[list[Word]]) -> float | None:
    """Middle of the gap between running text and a few words beside one of its lines."""
    for row, below in pairwise(rows):
        gaps = [i for i, (a, b) in enumerate(pairwise(row), 1) if _is_wide(a, b)]
        if len(gaps) != 1 or not below[0].text[0].islower():
            continue
        right, size = row[gaps[0]].rect.x0, row[0].size
        reach = max(w.rect.x1 for line in rows for w in line if w.rect.x0 < right)
        beside = sum(line[-1].rect.x1 > right for line in rows)
        if 2 * beside <= len(rows) and right - reach > 1.5 * size:
            return (reach + right) / 2
    return None


def _is_wide(a: Word, b: Word) -> bool:
    return b.rect.x0 - a.rect.x1 > 3 * max(a.size, b.size)


def _loose_lines(words: list[Word], page: int) -> Iterator[Line]:
    for row in group_rows(words):
        start = 0
        for index in range(1, len(row) + 1):
            if index == len(row) or row[index].rect.x0 - row[index - 1].rect.x1 > 2 * max(
                row[index].size, row[index - 1].size
            ):
                yield make_line(row[start:index], page)
                start = index


def _put_in_front(out: Held, mark: Line, *, code: bool = False) -> bool:
    """Give a bullet or number that stands alone to the line (of *code*) right of it."""
    for index, (block, lines) in enumerate(out):
        if block.kind == "table":
            continue
        for place, line in enumerate(lines):
            gap = line.rect.x0 - mark.rect.x1
            level = line.rect.y_overlap(mark.rect) > 0.5 * min(line.rect.height, mark.rect.height)
            if level and -1 <= gap < 4 * line.size and (line.mono or not code):
                lines[place] = make_line([*mark.words, *line.words], line.page)
                rect = block.rect.union(mark.rect)
                out[index] = (Block(block.kind, rect, block.level, block.cells), lines)
                return True
    return False


def _insert(out: Held, line: Line) -> None:
    if len(line.text) <= 3 and _put_in_front(out, line):
        return
    best, where = 40.0, None
    for index, (block, lines) in enumerate(out):
        over = block.rect.x_overlap(line.rect)
        if over <= 0.3 * min(block.rect.width, line.rect.width):
            continue
        gap = line.rect.y0 - block.rect.y1
        inside = block.rect.y_overlap(line.rect) > 0
        if inside or abs(gap) < best:
            best, where = (0.0 if inside else abs(gap)), index + (inside or gap >= 0)
            if block.kind == "loose" and 0 <= gap < line.rect.height:
                lines.append(line)
                out[index] = (Block("loose", block.rect.union(line.rect)), lines)
                return
    if where is None:
        above = [i for i, (b, _) in enumerate(out) if b.rect.y0 < line.rect.y0]
        where = above[-1] + 1 if above else 0
    out.insert(where, (Block("loose", line.rect), [line]))
