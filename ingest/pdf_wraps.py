"""Headings on several lines: lines that wrap stay together, lines that could go on come apart."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from chapterverse.ingest.captions import caption_kind
from chapterverse.ingest.pdf_levels import numbering
from chapterverse.ingest.pdf_pieces import Piece, ends_sentence
from chapterverse.ingest.pdf_text import Line, is_cjk
from chapterverse.schema.records import AssetKind

__all__ = ["MAX_CHARS", "join_split", "part_heads"]

MAX_CHARS = 150
"""Characters of the longest heading."""

_TEXTS = (AssetKind.PARAGRAPH, AssetKind.LIST_ITEM)
_LARGE = 1.2
"""Share of the body size from which on a title may break its lines where it likes."""

_SPACE = 0.3
_NEAR = 6
"""Pieces after a heading among which the running text of its column is looked for."""

_OPEN = re.compile(
    r"(?:[,&/(:：、–—-]|\b(?:and|or|of|the|a|an|for|to|in|on|by|with|from|as|at|und|der|die|et|de))$",
    re.I,
)


_BARE = re.compile(
    r"(?:chapter|article|part|note|section|appendix|annex|schedule|item|exhibit|book|kapitel|teil)"
    r"\s+(?:[A-Z]|[IVXLC]+|\d{1,3})[.:]?|第\s*\w{1,6}\s*[编編篇部章节節]",
    re.I,
)
"""A number whose name follows on the next line."""


def part_heads(pieces: Sequence[Piece], body: float) -> list[Piece]:
    """The pieces with two bold headings that stand one right below the other as two.

    A line that could have taken the first word of the next one has not wrapped. *body* is the
    size of the running text; larger titles break their lines for looks.
    """
    out: list[Piece] = []
    for index, piece in enumerate(pieces):
        if _may_part(piece, body):
            out.extend(_parted(piece, _right_edge(pieces, index)))
        else:
            out.append(piece)
    return out


def _may_part(piece: Piece, body: float) -> bool:
    if piece.kind not in _TEXTS or not 1 < len(piece.lines) < 5 or not piece.bold:
        return False
    return piece.size < _LARGE * body and not caption_kind(piece.lines)


def _parted(piece: Piece, right: float | None) -> Iterator[Piece]:
    start = 0
    lines = piece.lines
    for end in range(1, len(lines) + 1):
        if end < len(lines) and not _could_go_on(lines[end - 1], lines[end], right):
            continue
        kind = piece.kind if start == 0 else AssetKind.PARAGRAPH
        level = piece.level if start == 0 else None
        yield replace(piece, kind=kind, level=level, lines=lines[start:end])
        start = end


def _right_edge(pieces: Sequence[Piece], index: int) -> float | None:
    """Where the running text after a piece ends on the right, ``None`` if none is near."""
    piece = pieces[index]
    for other in pieces[index + 1 : index + 1 + _NEAR]:
        if other.page != piece.page:
            return None
        if other.kind not in _TEXTS or other.bold or len(other.lines) < 2:
            continue
        if other.rect.x_overlap(piece.rect) > 0:
            return max(line.rect.x1 for line in (*piece.lines, *other.lines))
    return None


def _could_go_on(a: Line, b: Line, right: float | None) -> bool:
    """Whether line *a* had room for the first word of *b*, a beginning of its own below it."""
    tag = a.tag
    if tag is not None and tag == b.tag:
        return False
    if a.rect.x_overlap(b.rect) < 0 and a.rect.y1 < b.rect.y0 + 0.3 * a.size:
        return True
    if _OPEN.search(a.text) or a.rect.y_overlap(b.rect) > 0.3 * a.size or b.text[0].islower():
        return False
    number = numbering(b.text)
    if number is not None and not number[1]:
        return True
    if right is None or abs(a.rect.x0 - b.rect.x0) > 0.3 * a.size or _BARE.fullmatch(a.text):
        return False
    word = b.words[0]
    width = b.size if is_cjk(word.text[0]) else word.rect.width
    return a.rect.x1 + _SPACE * a.size + width < right - a.size


def join_split(pieces: Sequence[Piece], body: float) -> list[Piece]:
    """Headings that were set on several lines and came as several pieces, each as one.

    A small text in the margin may stand between the pieces.
    """
    out: list[Piece] = []
    for index, piece in enumerate(pieces):
        at = _continued(out, pieces, index, body)
        if at is None:
            out.append(piece)
        else:
            out[at] = replace(out[at], lines=(*out[at].lines, *piece.lines))
    return out


def _continued(
    out: Sequence[Piece], pieces: Sequence[Piece], index: int, body: float
) -> int | None:
    """Place in *out* of the piece that the one at *index* goes on with."""
    piece = pieces[index]
    for at in range(len(out) - 1, max(-1, len(out) - 3), -1):
        if _continues(out[at], piece, body) and _beside(out[at + 1 :], out[at], piece):
            before = out[at]
            bold = before.bold and before.size < _LARGE * body
            right = _right_edge(pieces, index) if bold else None
            return None if _could_go_on(before.lines[-1], piece.lines[0], right) else at
    return None


def _beside(between: Sequence[Piece], above: Piece, below: Piece) -> bool:
    """Whether the pieces *between* two others lie off their column."""
    return all(
        piece.lines
        and piece.page == below.page
        and piece.rect.x_overlap(below.rect) < 0
        and piece.rect.x_overlap(above.rect) < 0
        for piece in between
    )


def _continues(a: Piece, b: Piece, body: float) -> bool:
    if a.kind not in _TEXTS or b.kind is not AssetKind.PARAGRAPH or a.page != b.page:
        return False
    if abs(a.size - b.size) > 0.03 * a.size or a.bold != b.bold:
        return False
    full = a.lines[-1].rect.width > 0.8 * max(a.column.width, b.rect.width)
    if a.size < 1.15 * body and not (a.bold and full):
        return False
    if len(a.text) + len(b.text) > MAX_CHARS or numbering(b.text) or ends_sentence(a.text):
        return False
    gap = b.lines[0].rect.y0 - a.lines[-1].rect.y1
    return -0.3 * a.size < gap < 0.6 * a.size and a.rect.x_overlap(b.rect) > 0
