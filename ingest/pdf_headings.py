"""Which pieces are headings: by tags, outline, numbering, then fonts."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from chapterverse.ingest.captions import caption_kind
from chapterverse.ingest.pdf_contents import is_entry
from chapterverse.ingest.pdf_front import is_among_entries, names_column, without_authors
from chapterverse.ingest.pdf_levels import Evidence, numbering, with_levels, without_number
from chapterverse.ingest.pdf_pieces import Piece, ends_sentence
from chapterverse.ingest.pdf_rows import (
    has_columns,
    is_beside_cells,
    is_beside_heads,
    is_beside_numbers,
)
from chapterverse.ingest.pdf_run_in import split_run_ins
from chapterverse.ingest.pdf_tagged import TagTrust, trusted_tags
from chapterverse.ingest.pdf_text import Line, Rect
from chapterverse.ingest.pdf_wraps import MAX_CHARS, join_split, part_heads
from chapterverse.schema.records import AssetKind

__all__ = ["OutlineEntry", "body_size", "mark_headings"]

_PAGED = re.compile(r"\D\s\d{1,4}$")
_CONTENTS = 5
"""Items of a page that end in a number, from which on it may be a contents page."""

_MAX_LINES = 4
_LARGER = 1.08
_LABEL = 1.15
"""Share of the body size up to which a plain text that ends in a colon labels a form field."""

_PAGE = 400
"""Characters of running text from which on a page has a body size of its own."""

_NAME = 8
"""Most words of a numbered heading that ends in a stop."""

_PART = re.compile(r"(?:section|sec\.|§)\s*\d", re.I)
_FLOWS = re.compile(r"[a-z]\.\s+[A-Z][a-z]+ [a-z]")

_TEXTS = (AssetKind.PARAGRAPH, AssetKind.LIST_ITEM)


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """A bookmark: ``depth`` counts from 0, ``page`` is 1-based."""

    title: str
    depth: int
    page: int


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
    joined = split_run_ins(join_split(part_heads(pieces, body), body))
    tags = trusted_tags(joined)
    surroundings = _surroundings(joined)
    found: dict[int, Evidence] = {}
    for index, piece in enumerate(joined):
        if piece.kind not in _TEXTS or not _possible(piece):
            continue
        bookmarks = by_page[piece.page]
        if len(surroundings[piece.page].paged) >= _CONTENTS:
            # A contents page names what the bookmarks of the pages after it do.
            bookmarks = [entry for entry in bookmarks if entry.page == piece.page]
        evidence = tags.evidence(piece) or _outlined(piece, bookmarks)
        if evidence is None and _stands_out(piece, surroundings[piece.page], tags, body):
            number = numbering(piece.text)
            evidence = Evidence(number=None if number is None else number[0])
        if evidence is not None:
            found[index] = evidence
    return with_levels(joined, without_authors(joined, found), body)


@dataclass(frozen=True, slots=True)
class _Around:
    """What else stands on a page: lines in paragraphs and tables, font sizes of list items.

    ``sizes`` counts the characters in running text by font size, ``edges`` are the left edges of
    its lines, ``entries`` are those of a contents page, ``paged`` the list items that end in a
    number, as they do.
    """

    lines: list[Line] = field(default_factory=list)
    tables: list[Rect] = field(default_factory=list)
    rows: list[Line] = field(default_factory=list)
    items: list[float] = field(default_factory=list)
    entries: list[Piece] = field(default_factory=list)
    paged: list[Piece] = field(default_factory=list)
    edges: list[float] = field(default_factory=list)
    sizes: Counter[float] = field(default_factory=Counter)

    def body(self, usual: float) -> float:
        """Size of the running text: *usual*, or the larger one of nearly all of this page."""
        size, count = max(self.sizes.items(), key=lambda item: item[1], default=(usual, 0))
        most = count > max(_PAGE, 0.6 * self.sizes.total())
        return size if most and size > usual else usual


def _surroundings(pieces: Sequence[Piece]) -> dict[int, _Around]:
    pages: dict[int, _Around] = defaultdict(_Around)
    for piece in pieces:
        around = pages[piece.page]
        if piece.kind in _TEXTS:
            around.lines.extend(piece.lines)
            if len(piece.lines) > 1 or ends_sentence(piece.lines[0].text):
                around.sizes[round(piece.size, 1)] += sum(len(line.text) for line in piece.lines)
            if len(piece.lines) > 2:
                around.edges.extend(line.rect.x0 for line in piece.lines)
            if is_entry(piece.lines[-1].text):
                around.entries.append(piece)
            if piece.kind is AssetKind.LIST_ITEM and _PAGED.search(piece.lines[-1].text):
                around.paged.append(piece)
        if piece.kind is AssetKind.TABLE:
            around.tables.append(piece.rect)
            around.rows.extend(piece.lines)
        if piece.kind is AssetKind.LIST_ITEM and numbering(piece.text) is None:
            around.items.append(piece.size)
    return pages


def _stands_out(piece: Piece, around: _Around, tags: TagTrust, body: float) -> bool:
    """Whether the piece looks like a heading, and neither tags nor its place speak against it."""
    numbered = numbering(piece.text) is not None
    usual = body if _is_named(piece.text) else around.body(body)
    large = piece.size > _LARGER * usual
    if _is_row(piece, around.lines, large) or not (tags.flat(piece) or _looks(piece, body, large)):
        return False
    if tags.deny(piece, body) or (not large and names_column(piece, around.tables)):
        return False
    if is_among_entries(piece, around.entries):
        return False
    if not large and not numbered:
        rows, edges = around.rows, around.edges
        if is_beside_heads(piece, around.lines, edges) or is_beside_cells(piece, rows):
            return False
    # Text as large as the list under it, as on slides, leads to the list.
    listed = any(abs(size - piece.size) < 0.02 * size for size in around.items)
    return piece.bold or not listed or numbered


def _outlined(piece: Piece, entries: Sequence[OutlineEntry]) -> Evidence | None:
    depth = _in_outline(piece.text, entries)
    return None if depth is None else Evidence(depth=depth + 1)


def _possible(piece: Piece) -> bool:
    text = piece.text
    if len(piece.lines) > _MAX_LINES or len(text) > MAX_CHARS or caption_kind(piece.lines):
        return False
    if is_entry(text):
        return False
    text = without_number(text)
    letters = sum(c.isalpha() for c in text)
    return letters >= 2 and letters >= 0.45 * len(text.replace(" ", ""))


def _is_row(piece: Piece, lines: Sequence[Line], large: bool) -> bool:
    """Whether the piece is a row of a table, however bold."""
    if has_columns(piece, large):
        return True
    return not large and numbering(piece.text) is None and is_beside_numbers(piece, lines)


def _is_named(text: str) -> bool:
    """Whether a number and a name, no sentence, make up the text."""
    if (numbering(text) is None and not _PART.match(text)) or _FLOWS.search(text):
        return False
    return not ends_sentence(text) or len(text.split()) <= _NAME


def _looks(piece: Piece, body: float, larger: bool) -> bool:
    text = piece.text.strip()
    size, number = piece.size, numbering(text)
    strong = piece.bold and size > 0.93 * body
    if text[0] in "•●○■□▪◦➢✓·-–—*(（[" and number is None:
        return False
    if ends_sentence(text) and text[-1] not in "?？":
        words = len(text.split())
        named = number is not None and not number[1] and text[-1] == "." and words > 2
        named = named or (strong and text[-1] in ":：" and words > 1 and text.isupper())
        if not named and not (larger and text[-1] in ".!！:："):
            return False
    if text[-1] in ",，、-–" or text[0].islower():
        return False
    if text[-1] in ":：" and not strong and size < _LABEL * body:
        return False
    if larger or strong:
        return len(text) <= (120 if larger else 100)
    if number is None or len(piece.lines) > 2 or len(text) > 80:
        return False
    depth, decimal = number
    if decimal:
        return depth >= 2 and size >= 0.98 * body
    return depth <= 2 and len(text) <= 40 and size > 0.93 * body


def _in_outline(text: str, entries: Sequence[OutlineEntry]) -> int | None:
    key = _plain(text)
    bare = _plain(without_number(text))
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
