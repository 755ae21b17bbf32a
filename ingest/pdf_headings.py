"""Which pieces are headings, and how deep: outline, numbering, then fonts."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from chapterverse.ingest.captions import caption_kind
from chapterverse.ingest.pdf_contents import is_entry
from chapterverse.ingest.pdf_pieces import Piece, ends_sentence
from chapterverse.ingest.pdf_rows import has_columns, is_beside_numbers
from chapterverse.ingest.pdf_text import Line
from chapterverse.schema.records import AssetKind

__all__ = ["OutlineEntry", "body_size", "mark_headings", "numbering"]

_NUMBERED: tuple[tuple[re.Pattern[str], int], ...] = (
    (re.compile(r"^第[一二三四五六七八九十百零〇\d]{1,6}[编編篇部]"), 0),
    (re.compile(r"^第[一二三四五六七八九十百零〇\d]{1,6}章"), 1),
    (re.compile(r"^第[一二三四五六七八九十百零〇\d]{1,6}[节節]"), 2),
    (re.compile(r"^(?:PART|Part)\s+(?:[IVX]+|\d+)\b"), 1),
    (re.compile(r"^(?:CHAPTER|Chapter|APPENDIX|Appendix|ANNEX|Annex)\s+(?:[A-Z]|[IVX]+|\d+)\b"), 1),
    (re.compile(r"^(?:ITEM|Item)\s+\d+[A-Z]?\."), 2),
    (re.compile(r"^[一二三四五六七八九十]{1,3}、"), 3),
    (re.compile(r"^[（(][一二三四五六七八九十]{1,3}[)）]"), 4),
)
_DECIMAL = re.compile(
    r"^((?:[A-Z]\.)?\d{1,2}(?:\s?\.\s?\d{1,3}){0,4})\.?(?:\s+|(?=[\u4e00-\u9fff]))(?=\S)"
)
_ROMAN = re.compile(r"^[IVX]{1,5}\.\s+(?=[A-Z])")
_FILING = re.compile(r"(?:part|item)\s+(?:[ivx]+\b|\d)", re.I)
_MAX_CHARS = 150
_MAX_LINES = 4
_LARGER = 1.08
_TEXTS = (AssetKind.PARAGRAPH, AssetKind.LIST_ITEM)


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """A bookmark: ``depth`` counts from 0, ``page`` is 1-based."""

    title: str
    depth: int
    page: int


def numbering(text: str) -> tuple[int, bool] | None:
    """Depth that the number in front of *text* names (1 = top), and whether it is decimal."""
    for pattern, depth in _NUMBERED:
        if pattern.match(text):
            return depth, False
    match = _DECIMAL.match(text)
    if match:
        return len(match[1].replace(" ", "").split(".")), True
    return (1, False) if _ROMAN.match(text) else None


def body_size(pieces: Sequence[Piece]) -> float:
    """The font size of most characters, in points, to a tenth."""
    sizes: Counter[float] = Counter()
    for piece in pieces:
        if piece.kind in _TEXTS:
            for line in piece.lines:
                sizes[round(line.size, 1)] += len(line.text)
    return max(sizes, key=lambda s: (sizes[s], s)) if sizes else 10.0


def mark_headings(pieces: Sequence[Piece], outline: Sequence[OutlineEntry]) -> list[Piece]:
    """The pieces with headings marked and levelled; level 0 at most once, no jump over a level."""
    body = body_size(pieces)
    by_page: dict[int, list[OutlineEntry]] = defaultdict(list)
    for entry in outline:
        for page in (entry.page - 1, entry.page, entry.page + 1):
            by_page[page].append(entry)
    joined = _join_split(pieces, body)
    lines: dict[int, list[Line]] = defaultdict(list)
    for piece in joined:
        lines[piece.page].extend(piece.lines if piece.kind in _TEXTS else ())
    found: dict[int, int | None] = {}
    for index, piece in enumerate(joined):
        if piece.kind not in _TEXTS or not _possible(piece):
            continue
        if _is_row(piece, lines[piece.page], body):
            continue
        depth = _in_outline(piece.text, by_page[piece.page])
        if depth is not None:
            found[index] = depth + 1
        elif _looks(piece, body):
            number = numbering(piece.text)
            found[index] = None if number is None else max(number[0], 0) + 100
    return _with_levels(joined, found, body)


def _possible(piece: Piece) -> bool:
    text = piece.text
    if len(piece.lines) > _MAX_LINES or len(text) > _MAX_CHARS or caption_kind(piece.lines):
        return False
    if is_entry(text):
        return False
    text = _DECIMAL.sub("", text)
    letters = sum(c.isalpha() for c in text)
    return letters >= 2 and letters >= 0.45 * len(text.replace(" ", ""))


def _is_row(piece: Piece, lines: Sequence[Line], body: float) -> bool:
    """Whether the piece is a row of a table, however bold."""
    large = piece.size > _LARGER * body
    if has_columns(piece, large):
        return True
    return not large and numbering(piece.text) is None and is_beside_numbers(piece, lines)


def _looks(piece: Piece, body: float) -> bool:
    text = piece.text.strip()
    size, number = piece.size, numbering(text)
    larger = size > _LARGER * body
    strong = piece.bold and size > 0.93 * body
    if text[0] in "•●○■□▪◦➢✓·-–—*(（[" and number is None:
        return False
    if ends_sentence(text) and text[-1] not in "?？":
        named = number is not None and not number[1] and text[-1] == "." and len(text.split()) > 2
        if not named and not (larger and text[-1] in ".!！:："):
            return False
    if text[-1] in ",，、-–" or text[0].islower():
        return False
    if larger or strong:
        return len(text) <= (120 if larger else 100)
    if number is None or len(piece.lines) > 2 or len(text) > 80:
        return False
    depth, decimal = number
    if decimal:
        return depth >= 2 and size >= 0.98 * body
    return depth <= 2 and len(text) <= 40


def _join_split(pieces: Sequence[Piece], body: float) -> list[Piece]:
    """Headings that were set on several lines and came as several pieces."""
    out: list[Piece] = []
    for piece in pieces:
        before = out[-1] if out else None
        if before is not None and _continues(before, piece, body):
            out[-1] = replace(before, lines=(*before.lines, *piece.lines))
        else:
            out.append(piece)
    return out


def _continues(a: Piece, b: Piece, body: float) -> bool:
    if a.kind not in _TEXTS or b.kind is not AssetKind.PARAGRAPH or a.page != b.page:
        return False
    if abs(a.size - b.size) > 0.03 * a.size or a.bold != b.bold:
        return False
    full = a.lines[-1].rect.width > 0.8 * max(a.column.width, b.rect.width)
    if a.size < 1.15 * body and not (a.bold and full):
        return False
    if len(a.text) + len(b.text) > _MAX_CHARS or numbering(b.text) or ends_sentence(a.text):
        return False
    gap = b.lines[0].rect.y0 - a.lines[-1].rect.y1
    return -0.3 * a.size < gap < 0.6 * a.size and a.rect.x_overlap(b.rect) > 0


def _in_outline(text: str, entries: Sequence[OutlineEntry]) -> int | None:
    key = _plain(text)
    bare = _plain(_DECIMAL.sub("", text))
    best, depth = 0.87, None
    for entry in entries:
        title = _plain(entry.title)
        if not title or not key:
            continue
        ratio = 1.0 if title in (key, bare) else 0.0
        if not ratio and min(len(title), len(key)) > 6 and abs(len(title) - len(key)) < 9:
            matcher = SequenceMatcher(None, title, key, autojunk=False)
            ratio = matcher.ratio() if matcher.quick_ratio() > best else 0.0
        if ratio > best:
            best, depth = ratio, entry.depth
    return depth


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(c for c in folded if c.isalnum())


def _with_levels(pieces: list[Piece], found: dict[int, int | None], body: float) -> list[Piece]:
    title = _title_index(pieces, found, body)
    levels = _style_levels(pieces, {i: v for i, v in found.items() if i != title})
    out, depth = [], 0
    for index, piece in enumerate(pieces):
        if index == title:
            piece, depth = replace(piece, kind=AssetKind.HEADING, level=0), 0
        elif index in found:
            depth = min(max(1, levels[index]), depth + 1)
            piece = replace(piece, kind=AssetKind.HEADING, level=depth)
        out.append(piece)
    return out


def _title_index(pieces: Sequence[Piece], found: dict[int, int | None], body: float) -> int | None:
    """The largest heading of the first page with text, if nothing later is as large."""
    if not found or not pieces:
        return None
    first = min(piece.page for piece in pieces)
    early = [i for i in found if pieces[i].page == first]
    if not early:
        return None
    best = max(early, key=lambda i: (round(pieces[i].size, 1), -i))
    rivals = [i for i in found if i != best and pieces[i].size > 0.97 * pieces[best].size]
    if pieces[best].size < 1.15 * body or (found[best] is not None and len(found) > 1):
        return None
    return best if len(rivals) <= 0.02 * len(found) else None


def _style_levels(pieces: Sequence[Piece], found: dict[int, int | None]) -> dict[int, int]:
    """Levels of all headings: those known by outline or number teach those of the same style."""
    found = _nested_numbers(pieces, found)
    base = min((v - 100 for v in found.values() if v is not None and v >= 100), default=1)
    known = {i: (v - 100 - base + 1 if v >= 100 else v) for i, v in found.items() if v is not None}
    styles: dict[tuple[float, bool], list[int]] = defaultdict(list)
    for index in found:
        styles[_style(pieces[index])].append(index)
    ranked = sorted(styles, reverse=True)
    level_of: dict[tuple[float, bool], int] = {}
    last = 0
    for style in ranked:
        votes = Counter(known[i] for i in styles[style] if i in known)
        if votes:
            level_of[style] = votes.most_common(1)[0][0]
            if any(_FILING.match(pieces[i].text) for i in styles[style]):
                # "Part" and "Item" name the frame of a filing; its own heads stand below them.
                level_of[style] = max(votes) + 1
        else:
            level_of[style] = min(last + 1, 6)
        last = level_of[style] if votes else max(last, level_of[style])
    return {i: known.get(i, level_of[_style(pieces[i])]) for i in found}


def _nested_numbers(pieces: Sequence[Piece], found: dict[int, int | None]) -> dict[int, int | None]:
    """Found headings with ``1.`` put below ``I.`` or ``第一章`` if it comes after it."""
    shift, above = 0, 0
    for index in sorted(found):
        number = numbering(pieces[index].text)
        if number is None or (found[index] or 0) < 100:
            continue
        if not number[1]:
            above = max(above, number[0])
        elif number[0] == 1 and above:
            shift = max(shift, above)
    out = dict(found)
    for index, value in found.items():
        number = numbering(pieces[index].text)
        if value is not None and value >= 100 and number is not None and number[1]:
            out[index] = value + shift
    return out


def _style(piece: Piece) -> tuple[float, bool]:
    return round(piece.size * 2) / 2, piece.bold
