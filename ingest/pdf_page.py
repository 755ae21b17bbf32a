"""One page: words and blocks in, pieces in reading order out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from chapterverse.ingest.captions import Target, bind_captions, caption_kind
from chapterverse.ingest.furniture import Furniture
from chapterverse.ingest.pdf_boxes import assign_beside
from chapterverse.ingest.pdf_contents import gather_entries, is_entry
from chapterverse.ingest.pdf_figures import figure_areas
from chapterverse.ingest.pdf_graphics import Graphics
from chapterverse.ingest.pdf_heads import is_number
from chapterverse.ingest.pdf_layout import Block, Held, PageLayout
from chapterverse.ingest.pdf_pieces import Piece, ends_sentence, is_code, split_block
from chapterverse.ingest.pdf_prose import part_tables
from chapterverse.ingest.pdf_tables import build_grid
from chapterverse.ingest.pdf_tagged import gather_headings
from chapterverse.ingest.pdf_text import Line, Rect, Word, around, group_rows, make_line
from chapterverse.ingest.pdf_turned import turned_lines, vertical_pieces
from chapterverse.schema.records import AssetKind

__all__ = ["PageText", "page_pieces", "page_rows"]

_PLAIN = ("paragraph", "loose")
_FLOWING = (*_PLAIN, "list_item", "heading")


@dataclass(frozen=True, slots=True)
class PageText:
    """The words of a page and its size in points; ``rows`` are its printed rows.

    ``graphics`` are its lines, drawings and pictures. All are as seen upright: the page itself
    displays its content turned clockwise by ``turn`` degrees.
    """

    number: int
    width: float
    height: float
    words: tuple[Word, ...]
    rows: tuple[Line, ...]
    graphics: Graphics = field(default_factory=Graphics)
    turn: int = 0


def page_rows(words: Iterable[Word], page: int) -> tuple[Line, ...]:
    """Printed rows over the whole width, top to bottom, of the upright words."""
    upright = [word for word in words if word.upright]
    return tuple(make_line(row, page) for row in group_rows(upright))


def page_pieces(text: PageText, layout: PageLayout | None, furniture: Furniture) -> list[Piece]:
    """All text of the page in pieces; without a layout every row is a line of paragraphs."""
    heads = [text.rows[i] for i in sorted(furniture.heads)]
    feet = [text.rows[i] for i in sorted(furniture.feet)]
    gone = {id(word) for line in (*heads, *feet) for word in line.words}
    words = [w for w in text.words if w.upright and id(w) not in gone]
    held: Held
    if layout is None:
        lines = [
            line for i, line in enumerate(text.rows) if i not in furniture.heads | furniture.feet
        ]
        held = [(Block("paragraph", around(lines)), lines)] if lines else []
        areas: list[Rect] = []
    else:
        size = (text.width, text.height)
        placed = assign_beside(words, layout, text.graphics, text.rows, size)
        held = part_tables(gather_headings(placed))
        held = gather_entries(held, [row for row in text.rows if id(row.words[0]) not in gone])
        areas = _areas(layout, held, text)
    stamps, turned = turned_lines(text.words, text.number, text.width)
    columns = vertical_pieces(text.words, text.number)
    whole = Rect(0.0, 0.0, text.width, text.height)
    return [
        *(Piece(AssetKind.PAGE_HEADER, (line,), text.number, whole) for line in (*heads, *stamps)),
        *columns,
        *_body(held, areas, text),
        *(Piece(AssetKind.PARAGRAPH, tuple(lines), text.number, whole) for lines in turned),
        *(Piece(AssetKind.PAGE_FOOTER, (line,), text.number, whole) for line in feet),
    ]


def _areas(layout: PageLayout, held: Held, text: PageText) -> list[Rect]:
    """Figure areas that hold no table and no running text."""
    tables = [block.rect for block, _ in held if block.kind in ("table", "code")]
    lines = [line for _, lines in held for line in lines]

    captions = [x.rect for x in lines if caption_kind([x]) == "figure"]
    size = (text.width, text.height)
    return figure_areas(layout.figures, text.graphics, size, tables, lines, captions)


def _body(held: Held, areas: Sequence[Rect], text: PageText) -> list[Piece]:
    labels: list[list[Line]] = [[] for _ in areas]
    pieces: list[Piece] = []
    rest: Held = []
    for block, lines in held:
        outside = []
        for line in lines:
            spot = _area_of(line, areas) if block.kind != "table" else None
            if spot is None or caption_kind([line]):
                outside.append(line)
            else:
                labels[spot].append(line)
        if outside:
            rest.append((block, outside))
    heads: dict[int, list[Line]] = {}
    moved: set[int] = set()
    for block, lines in sorted(rest, key=lambda item: -item[0].rect.y0):
        if block.grid or block.kind != "table" or is_code(lines):
            continue
        if not all(id(line) in moved for line in lines):
            heads[id(block)] = _column_heads(block, rest, moved)
            moved.update(id(line) for line in heads[id(block)])
    rest = [(b, [x for x in lines if id(x) not in moved]) for b, lines in rest]
    for block, left in _merged([(b, lines) for b, lines in rest if lines]):
        tabular = block.kind == "table" and not is_code(left) and not _is_beside(left, text)
        above = heads.get(id(block), [])
        grid = block.grid or (build_grid(block, left, above) if tabular else None)
        if grid is not None:
            all_lines = (*above, *left)
            pieces.append(Piece(AssetKind.TABLE, all_lines, text.number, block.rect, grid=grid))
        else:
            both = sorted([*above, *left], key=lambda x: x.rect.y1)
            kind = "code" if block.kind == "table" and is_code(left) else block.kind
            pieces.extend(split_block(kind, both, block.rect, block.level))
    for area, lines in zip(areas, labels, strict=True):
        figure = Piece(AssetKind.FIGURE, tuple(lines), text.number, area, area=area)
        pieces.insert(_place(area, pieces), figure)
    return _bind(_footnotes(pieces, text))


def _is_beside(lines: Sequence[Line], text: PageText) -> bool:
    """Whether two rows of words without a figure or a line are texts side by side, no table."""
    words = [word for line in lines for word in line.words]
    if len(group_rows(words)) > 2 or any(is_number(word.text) for word in words):
        return False
    rect = around(lines)
    shapes = (*text.graphics.across, *text.graphics.fills)
    return not any(r.x_overlap(rect) > 0 and r.y_overlap(rect) > -4 for r in shapes)


def _merged(held: Held) -> Held:
    """Neighbouring text blocks that are set as one: no more than a line's lead apart, in the same
    column or in the middle of a sentence.
    """
    out: Held = []
    for block, lines in held:
        if out and block.kind in _PLAIN and out[-1][0].kind in _FLOWING:
            before, taken = out[-1]
            if _set_as_one(taken, lines, before.kind in _PLAIN):
                kind = "list_item" if before.kind == "list_item" else "paragraph"
                rect = before.rect.union(block.rect)
                out[-1] = (Block(kind, rect, before.level), [*taken, *lines])
                continue
        out.append((block, lines))
    return out


def _set_as_one(above: Sequence[Line], below: Sequence[Line], plain: bool) -> bool:
    a, b = above[-1], below[0]
    gap = b.rect.y0 - a.rect.y1
    flows = not ends_sentence(a.text) and b.text[0].islower() and a.rect.x_overlap(b.rect) > 0
    # A sentence goes on over wider leading, too, which paragraphs elsewhere have between them.
    if not -0.5 * a.size < gap < (0.9 if flows and plain else 0.45) * a.size:
        return False
    if a.mono and b.mono:
        return a.rect.x_overlap(b.rect) > 0
    aligned = abs(around(above).x0 - around(below).x0) < 2 * a.size
    return flows or (plain and aligned)


def _area_of(line: Line, areas: Sequence[Rect]) -> int | None:
    x, y = (line.rect.x0 + line.rect.x1) / 2, (line.rect.y0 + line.rect.y1) / 2
    for index, area in enumerate(areas):
        if area.holds(x, y) and line.rect.width <= area.width + 12:
            return index
    return None


def _column_heads(table: Block, held: Held, moved: set[int]) -> list[Line]:
    """Rows right above the table that name its columns but were left outside of it."""
    first = min((b[0].x1 for b in _first_cells(table)), default=table.rect.x0)
    top = table.rect.y0
    found: list[Line] = []
    lines = [
        line
        for block, lines in held
        if block is not table and not block.grid and (block.kind != "table" or _only_names(lines))
        for line in lines
        if line.rect.y1 < table.rect.y0 + 0.5 * line.rect.height
        and line.rect.y0 > table.rect.y0 - 90
        and id(line) not in moved
    ]
    rows = group_rows(word for line in lines for word in line.words)
    by_word = {id(word): line for line in lines for word in line.words}
    for count, row in enumerate(reversed(rows)):
        members = {id(by_word[id(w)]): by_word[id(w)] for w in row}
        rect = around(members.values())
        if top - rect.y1 > (1.2 if found else 2.2) * rect.height or count > 7:
            break
        inside = rect.x0 > table.rect.x0 - 12 and rect.x1 < table.rect.x1 + 12
        if not inside or caption_kind(list(members.values())) or not _columnar(row, first):
            break
        found.extend(m for m in members.values() if m not in found)
        top = rect.y0
    return sorted(found, key=lambda x: (round(x.rect.y0), x.rect.x0))


def _only_names(lines: Sequence[Line]) -> bool:
    """Whether a block that passed for a table holds nothing but column heads."""
    words = [word.text for line in lines for word in line.words]
    return len(lines) <= 7 and not any(any(c.isdigit() for c in w) and len(w) != 4 for w in words)


def _first_cells(table: Block) -> list[list[Rect]]:
    return [[c] for row in table.cells if (c := row[0] if row else None) is not None]


def _columnar(row: Sequence[Word], first: float) -> bool:
    """Whether the words stand apart like column heads, or right of the first column."""
    gaps = [b.rect.x0 - a.rect.x1 for a, b in pairwise(row)]
    apart = sum(gap > 1.5 * row[0].size for gap in gaps)
    text = " ".join(word.text for word in row)
    if ends_sentence(text) or len(text) > 140:
        return False
    return apart >= 1 or (row[0].rect.x0 > first and len(text) < 60)


def _place(area: Rect, pieces: Sequence[Piece]) -> int:
    """Where a figure goes in reading order: after the last piece above it in its column."""
    above = [
        i
        for i, piece in enumerate(pieces)
        if piece.rect.y1 <= area.y0 + 6 and piece.rect.x_overlap(area) > 0
    ]
    if above:
        return above[-1] + 1
    below = [
        i
        for i, piece in enumerate(pieces)
        if piece.rect.y0 >= area.y1 - 6 and piece.rect.x_overlap(area) > 0
    ]
    return below[0] if below else len(pieces)


def _footnotes(pieces: Sequence[Piece], text: PageText) -> list[Piece]:
    sizes = sorted(line.size for p in pieces if p.kind is AssetKind.PARAGRAPH for line in p.lines)
    usual = sizes[len(sizes) // 2] if sizes else 0.0
    out = []
    for piece in pieces:
        small = piece.lines and piece.size < 0.92 * usual
        low = piece.rect.y0 > 0.6 * text.height
        marked = len(piece.text) > 8 and piece.text[0] in "0123456789*∗†‡§[①②③④⑤⑥⑦⑧⑨"
        marked = marked and not is_entry(piece.text)
        if piece.kind in (AssetKind.PARAGRAPH, AssetKind.LIST_ITEM) and small and low and marked:
            piece = replace(piece, kind=AssetKind.FOOTNOTE, level=None)
        out.append(piece)
    return out


def _bind(pieces: Sequence[Piece]) -> list[Piece]:
    """Captions given to their tables and figures; those without one stay paragraphs."""
    names = {AssetKind.TABLE: "table", AssetKind.FIGURE: "figure"}
    targets = [i for i, p in enumerate(pieces) if p.kind in names]
    if not targets:
        return list(pieces)
    captions = [
        (i, kind)
        for i, p in enumerate(pieces)
        if p.kind not in names and (kind := caption_kind(p.lines)) is not None
    ]
    bound = bind_captions(
        [(kind, pieces[i].rect) for i, kind in captions],
        [Target(names[pieces[i].kind], pieces[i].rect) for i in targets],
    )
    given = {targets[t]: captions[c][0] for c, t in bound.items()}
    used = set(given.values())
    out = []
    for index, piece in enumerate(pieces):
        if index in given:
            piece = replace(piece, caption=pieces[given[index]].lines)
        if index not in used:
            out.append(piece)
    return out
