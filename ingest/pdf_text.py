"""Words and printed lines of a PDF page, from PDFium's own characters.

PDFium is the only source of text: layout libraries rewrite quotes, dashes and formulas. Boxes are
in points of the displayed page (after ``/Rotate``, visible part), origin top left.
"""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

__all__ = [
    "Line",
    "Rect",
    "Word",
    "group_rows",
    "is_cjk",
    "join_lines",
    "make_line",
    "page_size",
    "read_words",
    "vocabulary",
]

_BREAKS = frozenset({0x00, 0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x20, 0xA0, 0x3000, 0x200B, 0xFEFF})
_HYPHENS = frozenset({0x02, 0xAD, 0xFFFE})
"""What PDFium gives for a hyphen that breaks a word at a line end."""

_LIGATURES = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl"}
_LIGATURES |= {0xFB05: "st", 0xFB06: "st"}
_BOLD = re.compile(r"bold|black|heavy|medi\b|demi|semibold|cmbx|hei(?:ti)?\b|[-,]bd\b", re.I)
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_TAIL = re.compile(r"([^\W\d_]+)-$")
_HEAD = re.compile(r"^([^\W\d_]+)")


@dataclass(frozen=True, slots=True)
class Rect:
    """A rectangle in points, origin top left."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def width(self) -> float:
        return self.x1 - self.x0

    @property
    def height(self) -> float:
        return self.y1 - self.y0

    @property
    def area(self) -> float:
        return max(0.0, self.width) * max(0.0, self.height)

    def holds(self, x: float, y: float, margin: float = 0.0) -> bool:
        """Whether the point lies inside, or at most *margin* points outside."""
        return (
            self.x0 - margin <= x <= self.x1 + margin and self.y0 - margin <= y <= self.y1 + margin
        )

    def union(self, other: Rect) -> Rect:
        """The smallest rectangle around both."""
        return Rect(
            min(self.x0, other.x0),
            min(self.y0, other.y0),
            max(self.x1, other.x1),
            max(self.y1, other.y1),
        )

    def x_overlap(self, other: Rect) -> float:
        """Shared width in points, negative when apart."""
        return min(self.x1, other.x1) - max(self.x0, other.x0)

    def y_overlap(self, other: Rect) -> float:
        """Shared height in points, negative when apart."""
        return min(self.y1, other.y1) - max(self.y0, other.y0)


@dataclass(frozen=True, slots=True)
class Word:
    """A run of characters without white space; ``size`` is the font size in points.

    ``broken`` marks a word that ends in a line-end hyphen which PDFium recognised.
    """

    text: str
    rect: Rect
    size: float
    bold: bool
    upright: bool
    broken: bool = False

    @property
    def x(self) -> float:
        return (self.rect.x0 + self.rect.x1) / 2

    @property
    def y(self) -> float:
        return (self.rect.y0 + self.rect.y1) / 2


@dataclass(frozen=True, slots=True)
class Line:
    """A printed line: its words from left to right and its text."""

    words: tuple[Word, ...]
    text: str
    rect: Rect
    size: float
    bold: bool
    page: int

    @property
    def broken(self) -> bool:
        return self.words[-1].broken


def is_cjk(char: str) -> bool:
    """Whether *char* is a Han, kana, or full-width sign, which take no space between them."""
    code = ord(char)
    return (
        0x2E80 <= code <= 0x9FFF
        or 0xF900 <= code <= 0xFAFF
        or 0xFE30 <= code <= 0xFE4F
        or 0xFF00 <= code <= 0xFFEF
        or 0x20000 <= code <= 0x3FFFF
        or char in "“”‘’…—·"
    )


def page_size(page: Any) -> tuple[float, float]:
    """Width and height in points of the page as displayed."""
    left, bottom, right, top = page.get_bbox()
    width, height = right - left, top - bottom
    return (height, width) if page.get_rotation() in (90, 270) else (width, height)


class _Chars:
    """The characters of one text page through PDFium's C interface, without wrapper cost."""

    def __init__(self, page: Any, textpage: Any) -> None:
        import pypdfium2.raw as raw

        self._raw = raw
        self._text = textpage.raw
        self._bounds: tuple[float, float, float, float] = page.get_bbox()
        self._rotation: int = page.get_rotation()
        self._rect = raw.FS_RECTF()
        self._matrix = raw.FS_MATRIX()
        self._name = ctypes.create_string_buffer(256)
        self._fonts: dict[bytes, bool] = {}
        count = max(0, raw.FPDFText_CountChars(self._text))
        unicode = raw.FPDFText_GetUnicode
        self.codes: list[int] = [unicode(self._text, i) for i in range(count)]

    def rect(self, index: int) -> Rect:
        box = self._rect
        if not self._raw.FPDFText_GetLooseCharBox(self._text, index, box):
            return Rect(0.0, 0.0, 0.0, 0.0)
        left, bottom, right, top = self._bounds
        if self._rotation == 0:
            return Rect(box.left - left, top - box.top, box.right - left, top - box.bottom)
        if self._rotation == 90:
            return Rect(box.bottom - bottom, box.left - left, box.top - bottom, box.right - left)
        if self._rotation == 180:
            return Rect(right - box.right, box.bottom - bottom, right - box.left, box.top - bottom)
        return Rect(top - box.top, right - box.right, top - box.bottom, right - box.left)

    def style(self, index: int) -> tuple[float, bool, bool]:
        """Size in points, bold, upright of one character."""
        raw, text, m = self._raw, self._text, self._matrix
        size = float(raw.FPDFText_GetFontSize(text, index))
        upright = True
        if raw.FPDFText_GetMatrix(text, index, m):
            size *= math.hypot(m.c, m.d)
            dx, dy = {0: (m.a, -m.b), 90: (m.b, m.a), 180: (-m.a, m.b)}.get(
                self._rotation, (-m.b, -m.a)
            )
            upright = dx > 0 and abs(dy) < 0.1 * dx
        return size, self._bold(index), upright

    def _bold(self, index: int) -> bool:
        flags = ctypes.c_int()
        self._raw.FPDFText_GetFontInfo(self._text, index, self._name, 256, flags)
        name = self._name.value
        if name not in self._fonts:
            self._fonts[name] = bool(_BOLD.search(name.decode("utf-8", "replace")))
        return self._fonts[name] or bool(flags.value & 0x40000)


def read_words(page: Any, textpage: Any) -> list[Word]:
    """All words of a pypdfium2 page in the order of its content stream."""
    chars = _Chars(page, textpage)
    words: list[Word] = []
    start = None
    for index, code in enumerate([*chars.codes, 0]):
        if code in _BREAKS:
            if start is not None:
                words.extend(_split_word(chars, start, index))
            start = None
            continue
        if start is None:
            start = index
        if code in _HYPHENS:
            words.extend(_split_word(chars, start, index + 1))
            start = None
    return _rejoin(words)


def _split_word(chars: _Chars, start: int, end: int) -> list[Word]:
    """The word of characters ``[start, end)``, in pieces where it jumps on the page."""
    first, last = chars.rect(start), chars.rect(_last_inked(chars, start, end))
    size, bold, upright = chars.style(start)
    tall = max(first.height, 1.0)
    steady = not upright or (first.y_overlap(last) > 0.3 * min(tall, last.height))
    if steady and (not upright or last.x1 >= first.x0):
        return [_word(chars, start, end, first.union(last), size, bold, upright)]
    middle = start + 1
    while middle < end - 1:
        before, here = chars.rect(middle - 1), chars.rect(middle)
        if before.y_overlap(here) <= 0 or here.x1 < before.x0:
            break
        middle += 1
    if middle >= end or end - start < 2:
        return [_word(chars, start, end, first.union(last), size, bold, upright)]
    return [*_split_word(chars, start, middle), *_split_word(chars, middle, end)]


def _last_inked(chars: _Chars, start: int, end: int) -> int:
    last = end - 1
    return last - 1 if chars.codes[last] in _HYPHENS and last > start else last


def _word(
    chars: _Chars, start: int, end: int, rect: Rect, size: float, bold: bool, upright: bool
) -> Word:
    codes = chars.codes[start:end]
    broken = codes[-1] in _HYPHENS
    text = "".join(_LIGATURES.get(c) or ("" if c in _HYPHENS else chr(c)) for c in codes)
    if any(0xD800 <= c < 0xE000 for c in codes):
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    text = "".join(c for c in text if c >= " " and c != "\x7f")
    return Word(text + "-" * broken, rect, size or rect.height, bold, upright, broken)


def _rejoin(words: Iterable[Word]) -> list[Word]:
    """Undo spaces that PDFium made out of kerning: no gap to speak of between two letters."""
    out: list[Word] = []
    for word in words:
        if not word.text:
            continue
        before = out[-1] if out else None
        if before is not None and _touches(before, word):
            out[-1] = replace(
                before, text=before.text + word.text, rect=before.rect.union(word.rect)
            )
        else:
            out.append(word)
    return out


def _touches(a: Word, b: Word) -> bool:
    if not (a.upright and b.upright) or a.broken or b.broken or a.bold != b.bold:
        return False
    gap = b.rect.x0 - a.rect.x1
    close = abs(a.y - b.y) < 0.1 * a.size and abs(a.size - b.size) < 0.05 * a.size
    return close and a.text[-1].isalpha() and b.text[0].islower() and abs(gap) < 0.03 * a.size


def group_rows(words: Iterable[Word]) -> list[list[Word]]:
    """Words in rows from top to bottom, each from left to right."""
    rows: list[tuple[float, float, list[Word]]] = []
    for word in sorted(words, key=lambda w: (w.y, w.rect.x0)):
        for index in range(len(rows) - 1, max(-1, len(rows) - 4), -1):
            top, bottom, row = rows[index]
            shared = min(bottom, word.rect.y1) - max(top, word.rect.y0)
            if shared > 0.55 * min(bottom - top, word.rect.height):
                row.append(word)
                if word.rect.height > bottom - top:
                    rows[index] = (word.rect.y0, word.rect.y1, row)
                break
        else:
            rows.append((word.rect.y0, word.rect.y1, [word]))
    return [sorted(row, key=lambda w: w.rect.x0) for _, _, row in rows]


def make_line(words: Sequence[Word], page: int) -> Line:
    """A printed line from words in order; size and weight are those of most characters."""
    rect = words[0].rect
    sizes: dict[float, int] = {}
    bold = total = 0
    for word in words:
        rect = rect.union(word.rect)
        sizes[word.size] = sizes.get(word.size, 0) + len(word.text)
        total += len(word.text)
        bold += len(word.text) * word.bold
    size = max(sizes, key=lambda s: sizes[s])
    return Line(tuple(words), _row_text(words), rect, size, 2 * bold > 1.6 * total, page)


def _row_text(words: Sequence[Word]) -> str:
    parts = [words[0].text]
    for before, word in pairwise(words):
        gap = word.rect.x0 - before.rect.x1
        both = is_cjk(before.text[-1]) and is_cjk(word.text[0])
        if not (both and gap < 0.28 * word.size):
            parts.append(" ")
        parts.append(word.text)
    return "".join(parts)


def vocabulary(lines: Iterable[Line]) -> frozenset[str]:
    """Lower-case words that stand whole inside the lines (their last word left out if broken)."""
    found: set[str] = set()
    for line in lines:
        text = line.text.lower()
        if text.endswith("-"):
            text = text[: text.rfind(" ") + 1]
        found.update(_WORD.findall(text))
    return frozenset(found)


def join_lines(lines: Sequence[Line], known: frozenset[str]) -> tuple[str, list[tuple[int, int]]]:
    """The running text of *lines* and the span of each of them.

    A line-end hyphen is dropped only if the joined word stands elsewhere in the document, or if
    neither half does (so neither is a word of its own).
    """
    text = ""
    spans: list[tuple[int, int]] = []
    for line in lines:
        if text:
            text += _glue(text, line.text)
            if text.endswith("-") and _joins(text, line.text, known):
                text = text[:-1]
                spans[-1] = (spans[-1][0], len(text))
        spans.append((len(text), len(text) + len(line.text)))
        text += line.text
    return text, spans


def _glue(text: str, after: str) -> str:
    if is_cjk(text[-1]) and is_cjk(after[0]):
        return ""
    hyphen = len(text) > 1 and text[-1] == "-" and text[-2].isalpha() and after[0].isalnum()
    return "" if hyphen else " "


def _joins(text: str, after: str, known: frozenset[str]) -> bool:
    tail, head = _TAIL.search(text), _HEAD.search(after)
    if tail is None or head is None or not after[0].islower():
        return False
    left, right = tail[1].lower(), head[1].lower()
    if left + right in known:
        return True
    if f"{left}-{right}" in known:
        return False
    return left not in known and right not in known
