"""From pieces to assets: running text over column and page breaks, regions, heading paths."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce

from chapterverse.ingest.pdf_grid import Grid
from chapterverse.ingest.pdf_pieces import Piece, ends_sentence, is_list_start
from chapterverse.ingest.pdf_text import Line, Rect, has_han, join_lines
from chapterverse.schema.records import FURNITURE, Asset, AssetKind, Box, Region, Table

__all__ = ["PageFrame", "make_assets", "merge_breaks", "merge_tables"]

PageFrame = tuple[float, float, str | None]
"""Width and height in points and the printed label of a page."""

_SKIPPED = FURNITURE | {AssetKind.TABLE, AssetKind.FIGURE, AssetKind.FOOTNOTE}
_CONTINUED = re.compile(r"continued|cont[.’']d|fortsetzung|suite|续|續", re.I)
_TEXT = frozenset({AssetKind.PARAGRAPH, AssetKind.LIST_ITEM})


def merge_breaks(pieces: Sequence[Piece]) -> list[Piece]:
    """Join a paragraph that runs over a column or page break with its continuation."""
    out: list[Piece] = []
    open_at: int | None = None
    for piece in pieces:
        if piece.kind in _SKIPPED:
            out.append(piece)
            continue
        if open_at is not None and _continued(out[open_at], piece):
            out[open_at] = replace(out[open_at], lines=(*out[open_at].lines, *piece.lines))
            continue
        out.append(piece)
        open_at = len(out) - 1 if piece.kind in _TEXT else None
    return out


def _continued(a: Piece, b: Piece) -> bool:
    last, first = a.lines[-1], b.lines[0]
    if b.kind is not AssetKind.PARAGRAPH or is_list_start(first.text):
        return False
    broken_here = last.page != first.page or first.rect.y0 < last.rect.y0 - last.rect.height
    if not broken_here or first.page - last.page > 1 or ends_sentence(last.text):
        return False
    if abs(last.size - first.size) > 0.06 * last.size or last.bold != first.bold:
        return False
    if first.text[0].islower() or last.broken:
        return True
    full = last.rect.x1 > a.column.x1 - 2.5 * last.size
    if has_han(last.text) and has_han(first.text):
        return full and len(last.text) > 12
    return full and last.text[-1] in ",-–" and len(last.text) > 25


def merge_tables(pieces: Sequence[Piece]) -> list[Piece]:
    """Join a table with its continuation at the top of the next page.

    A repeated caption and repeated column heads become a page header, so that they are kept but
    counted once.
    """
    out: list[Piece] = []
    last: int | None = None
    for piece in pieces:
        if piece.grid is None:
            out.append(piece)
            if piece.kind not in FURNITURE and piece.kind is not AssetKind.FOOTNOTE:
                last = None
            continue
        if last is not None and _table_goes_on(out[last], piece):
            head, grid = _continuation(out[last], piece)
            out[last] = replace(out[last], lines=(*out[last].lines, *piece.lines), grid=grid)
            out.extend(head)
        else:
            last = len(out)
            out.append(piece)
    return out


def _table_goes_on(a: Piece, b: Piece) -> bool:
    assert a.grid is not None and b.grid is not None
    heads = "".join(c for row in b.grid.rows[: _repeated(a, b)] for cell in row for c in cell)
    found = "".join(line.text for line in _head_lines(a, b))
    if sorted(heads.replace(" ", "")) != sorted(found.replace(" ", "")):
        return False
    named = not b.caption or bool(_CONTINUED.search(" ".join(x.text for x in b.caption)))
    same = len(a.grid.rows[0]) == len(b.grid.rows[0]) and a.grid.pages[-1] + 1 == b.page
    return same and named and (bool(b.caption) or _repeated(a, b) > 0 or _headless(a, b))


def _headless(a: Piece, b: Piece) -> bool:
    """Whether *b* has no column heads of its own and its columns stand where those of *a* do."""
    assert a.grid is not None and b.grid is not None
    if b.grid.header_rows and not (_bold_top(a) and not _bold_top(b)):
        return False
    return all(
        one.x_overlap(other) > 0.5 * min(one.width, other.width)
        for one, other in zip(_column_rects(a.grid), _column_rects(b.grid), strict=True)
        if one is not None and other is not None
    )


def _bold_top(piece: Piece) -> bool:
    """Whether the first row of a table is set in bold type."""
    assert piece.grid is not None
    bottom = piece.grid.rects[0].y1 + 0.5
    first = [x for x in piece.lines if x.rect.y1 <= bottom and x.page == piece.grid.pages[0]]
    return bool(first) and all(line.bold for line in first)


def _column_rects(grid: Grid) -> list[Rect | None]:
    columns = [
        [box for box in column if box is not None] for column in zip(*grid.boxes, strict=True)
    ]
    return [reduce(Rect.union, boxes) if boxes else None for boxes in columns]


def _repeated(a: Piece, b: Piece) -> int:
    """How many leading rows of *b* repeat the column heads of *a*."""
    assert a.grid is not None and b.grid is not None
    count = a.grid.header_rows
    return count if count and b.grid.rows[:count] == a.grid.rows[:count] else 0


def _head_lines(a: Piece, b: Piece) -> list[Line]:
    """The printed lines of the column heads that *b* repeats from *a*."""
    assert b.grid is not None
    heads = b.grid.rects[: _repeated(a, b)]
    bottom = max((rect.y1 for rect in heads), default=-1.0)
    return [line for line in b.lines if line.rect.y1 <= bottom + 0.5]


def _continuation(a: Piece, b: Piece) -> tuple[list[Piece], Grid]:
    assert a.grid is not None and b.grid is not None
    skip = _repeated(a, b)
    lines = [*b.caption, *_head_lines(a, b)]
    moved = len(a.grid.rows) - skip
    grid = Grid(
        a.grid.rows + b.grid.rows[skip:],
        a.grid.rects + b.grid.rects[skip:],
        a.grid.pages + b.grid.pages[skip:],
        a.grid.header_rows,
        a.grid.boxes + b.grid.boxes[skip:],
        a.grid.row_headers,
        (*a.grid.merges, *(replace(m, row=m.row + moved) for m in b.grid.merges if m.row >= skip)),
    )
    head = Piece(AssetKind.PAGE_HEADER, tuple(lines), b.page, b.column)
    return ([head] if lines else []), grid


def make_assets(
    pieces: Sequence[Piece], frames: Mapping[int, PageFrame], known: frozenset[str]
) -> tuple[Asset, ...]:
    """Assets in order with regions (one a printed line) and heading paths."""
    assets: list[Asset] = []
    path: list[tuple[int, str]] = []
    for piece in pieces:
        asset = _asset(len(assets), piece, frames, known)
        level = asset.level if asset.kind is AssetKind.HEADING else None
        while level is not None and path and path[-1][0] >= level:
            path.pop()
        asset = replace(asset, heading_path=tuple(text for _, text in path))
        if level:
            path.append((level, asset.text))
        assets.append(asset)
    return tuple(assets)


def _asset(
    ordinal: int, piece: Piece, frames: Mapping[int, PageFrame], known: frozenset[str]
) -> Asset:
    caption, regions, text = None, [], ""
    if piece.caption:
        caption, spans = join_lines(piece.caption, known)
        regions = _line_regions(piece.caption, spans, frames)
        text = caption
    if piece.grid is not None:
        text, table, rows = _table(piece, text, frames)
        return Asset(ordinal, piece.kind, text, (*regions, *rows), caption=caption, table=table)
    if piece.kind is AssetKind.CODE:
        body, spans = _verbatim(piece.lines)
    else:
        body, spans = join_lines(piece.lines, known)
    start = len(text) + 1 if text and body else len(text)
    text = f"{text}\n{body}" if text and body else text + body
    shifted = [(a + start, b + start) for a, b in spans]
    lines = _line_regions(piece.lines, shifted, frames)
    if piece.area is not None:
        regions.insert(0, _region(0, len(text), piece.page, piece.area, frames))
    return Asset(ordinal, piece.kind, text, (*regions, *lines), level=piece.level, caption=caption)


def _table(
    piece: Piece, text: str, frames: Mapping[int, PageFrame]
) -> tuple[str, Table, list[Region]]:
    assert piece.grid is not None
    spans, regions = [], []
    grid = piece.grid
    for row, boxes, page in zip(grid.rows, grid.boxes, grid.pages, strict=True):
        text += "\n" if text else ""
        start = len(text)
        for index, (cell, box) in enumerate(zip(row, boxes, strict=True)):
            text += " | " if index else ""
            if cell and box is not None:
                regions.append(_region(len(text), len(text) + len(cell), page, box, frames))
            text += cell
        spans.append((start, len(text)))
    table = Table(grid.rows, grid.header_rows, tuple(spans), grid.row_headers, grid.merges)
    return text, table, regions


def _verbatim(lines: Sequence[Line]) -> tuple[str, list[tuple[int, int]]]:
    """Code keeps its line breaks and, in steps of a character's width, its indents."""
    left = min(line.rect.x0 for line in lines)
    text, spans = "", []
    for line in lines:
        step = max(line.rect.width / max(len(line.text), 1), 1.0)
        pad = " " * round((line.rect.x0 - left) / step)
        text += ("\n" if text else "") + pad
        spans.append((len(text), len(text) + len(line.text)))
        text += line.text
    return text, spans


def _line_regions(
    lines: Sequence[Line], spans: Sequence[tuple[int, int]], frames: Mapping[int, PageFrame]
) -> list[Region]:
    return [
        _region(start, end, line.page, line.rect, frames)
        for line, (start, end) in zip(lines, spans, strict=True)
    ]


def _region(start: int, end: int, page: int, rect: Rect, frames: Mapping[int, PageFrame]) -> Region:
    width, height, label = frames[page]

    def share(value: float, whole: float) -> float:
        return round(min(1.0, max(0.0, value / whole)), 5)

    box = Box(
        share(rect.x0, width), share(rect.y0, height), share(rect.x1, width), share(rect.y1, height)
    )
    return Region(start, end, page, label, box)
