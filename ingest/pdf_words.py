"""Words of a PDF page, from PDFium's own characters.

PDFium is the only source of text: layout libraries rewrite quotes, dashes and formulas.
"""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from chapterverse.ingest.pdf_stacked import stack_characters
from chapterverse.ingest.pdf_tags import PageTags, Tag, plain_function
from chapterverse.ingest.pdf_text import Rect, Word, is_cjk

__all__ = ["displayed_box", "page_size", "read_words"]

_HYPHENS = "\x02\xad\ufffe"
"""What PDFium gives for a hyphen that breaks a word at a line end."""

_BREAKS = "\x00\\s\u200b\ufeff"
_RUN = re.compile(f"[^{_BREAKS}{_HYPHENS}]+[{_HYPHENS}]?|[{_HYPHENS}]")
_UNREAD = re.compile("[\x01\x03-\x08\x0e-\x1f\ue000-\uf8ff\ufffd]")
_LIGATURES = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl"}
_LIGATURES |= {0xFB05: "st", 0xFB06: "st"}
_LIGATURES |= {ord(c): "" for c in _HYPHENS} | dict.fromkeys((*range(32), 127), "")
_BOLD = re.compile(r"bold|black|heavy|medi\b|demi|semibold|cmbx|hei(?:ti)?\b|[-,]bd\b", re.I)
_MONO = re.compile(r"courier|mono|consol|menlo|typewriter|cmtt|sourcecode|lettergothic", re.I)
_MARK = re.compile(r"[\d*∗†‡§¶①-⑳]")
_NOTE = re.compile(
    r"(?:(?<=[^\W\d_]{2})|(?<=[\u4e00-\u9fff.,;:!?)\]”’\"'。，；：、！？）」』]))"
    r"(?:\d{1,3}(?![\d%]|[.,]\d)|[*∗†‡§¶]{1,3}|[①-⑳])"
)
"""What a mark that refers to a note looks like behind a word or a stop."""

_RAISED = 0.85
"""Size of a raised mark, as a share of its word's, at most."""

_FORCE_BOLD = 0x40000
_TRACKED = 14.0
"""Font size in points from which on letters may be moved together."""

_COLUMN = 4
"""Characters one below the other from which on they are vertical text, not a narrow cell."""

_Bounds = tuple[float, float, float, float]
_Style = tuple[float, bool, bool, bool, Tag | None]


def page_size(page: Any) -> tuple[float, float]:
    """Width and height in points of a pypdfium2 page as displayed."""
    left, bottom, right, top = page.get_bbox()
    width, height = right - left, top - bottom
    return (height, width) if page.get_rotation() in (90, 270) else (width, height)


def read_words(page: Any, textpage: Any, tags: PageTags | None = None) -> tuple[list[Word], float]:
    """All words of a pypdfium2 page in the order of its content stream, with their *tags*.

    Also the share (0 to 1) of characters without a known meaning, which are left out if they are
    control characters.
    """
    chars = _Chars(page, textpage, tags)
    words: list[Word] = []
    for match in _RUN.finditer(chars.text):
        _split_word(chars, match.start(), match.end(), words)
    return stack_characters(_rejoin(words)), len(_UNREAD.findall(chars.text)) / max(
        1, len(chars.text)
    )


def displayed_box(box: _Bounds, bounds: _Bounds, rotation: int) -> Rect:
    """A box in PDF coordinates (left, bottom, right, top) as seen on the displayed page."""
    x0, y0, x1, y1 = box
    left, bottom, right, top = bounds
    if rotation == 0:
        return Rect(x0 - left, top - y1, x1 - left, top - y0)
    if rotation == 90:
        return Rect(y0 - bottom, x0 - left, y1 - bottom, x1 - left)
    if rotation == 180:
        return Rect(right - x1, y0 - bottom, right - x0, y1 - bottom)
    return Rect(top - y1, right - x1, top - y0, right - x0)


def _displayed_way(a: float, b: float, rotation: int) -> tuple[float, float]:
    """Right and down on the displayed page, of the writing direction in PDF coordinates."""
    if rotation == 0:
        return a, -b
    if rotation == 90:
        return b, a
    return (-a, b) if rotation == 180 else (-b, -a)


class _Chars:
    """The characters of one text page through PDFium's C interface.

    ``text`` has one code point (or half a surrogate pair) for each of PDFium's characters.
    """

    def __init__(self, page: Any, textpage: Any, tags: PageTags | None) -> None:
        import pypdfium2.raw as raw

        pointer, number = ctypes.c_void_p, ctypes.c_int
        self._page = ctypes.cast(textpage.raw, pointer)
        self._bounds: _Bounds = page.get_bbox()
        self._rotation: int = page.get_rotation()
        self._left, self._top = self._bounds[0], self._bounds[3]
        self._tags = tags
        self._rect, self._matrix = raw.FS_RECTF(), raw.FS_MATRIX()
        self._rect_at, self._matrix_at = ctypes.byref(self._rect), ctypes.byref(self._matrix)
        self._box = plain_function(raw.FPDFText_GetLooseCharBox, number, pointer, number, pointer)
        self._object = plain_function(raw.FPDFText_GetTextObject, pointer, pointer, number)
        self._size = plain_function(raw.FPDFText_GetFontSize, ctypes.c_double, pointer, number)
        self._turn = plain_function(raw.FPDFText_GetMatrix, number, pointer, number, pointer)
        self._font_of = plain_function(raw.FPDFTextObj_GetFont, pointer, pointer)
        self._raw, self._textpage = raw, textpage.raw
        self._name = ctypes.create_string_buffer(256)
        self._fonts: dict[int | None, tuple[bool, bool]] = {}
        self._last: tuple[int | None, _Style] = (None, (0.0, False, True, False, None))
        self.text = self._read(textpage)

    def _read(self, textpage: Any) -> str:
        count: int = max(0, textpage.count_chars())
        text: str = textpage.get_text_range(0, count) if count else ""
        if len(text) == count:
            return text
        unicode = self._raw.FPDFText_GetUnicode
        return "".join(chr(unicode(self._textpage, index)) for index in range(count))

    def rect(self, index: int) -> Rect:
        return Rect(*self.edges(index))

    def edges(self, index: int) -> _Bounds:
        """The box of one character as :class:`Rect` has it, without the cost of making one."""
        if not self._box(self._page, index, self._rect_at):
            return 0.0, 0.0, 0.0, 0.0
        box = self._rect
        if self._rotation == 0:
            left, top = self._left, self._top
            return box.left - left, top - box.top, box.right - left, top - box.bottom
        corners = (box.left, box.bottom, box.right, box.top)
        return displayed_box(corners, self._bounds, self._rotation)

    def style(self, index: int) -> _Style:
        """Size in points, bold, upright, typewriter, tag of one character."""
        made_by: int | None = self._object(self._page, index)
        if made_by is not None and made_by == self._last[0]:
            return self._last[1]
        size: float = self._size(self._page, index)
        upright = True
        if self._turn(self._page, index, self._matrix_at):
            m = self._matrix
            size *= math.hypot(m.c, m.d)
            dx, dy = _displayed_way(m.a, m.b, self._rotation)
            upright = dx > 0 and abs(dy) < 0.1 * dx
        bold, mono = self._font(made_by, index)
        tag = self._tags.of(made_by) if self._tags is not None and made_by is not None else None
        self._last = (made_by, (size, bold, upright, mono, tag))
        return self._last[1]

    def _font(self, made_by: int | None, index: int) -> tuple[bool, bool]:
        """Bold and typewriter, asked once for each font of the page."""
        font: int | None = self._font_of(made_by) if made_by is not None else None
        known = self._fonts.get(font) if font is not None else None
        if known is not None:
            return known
        flags = ctypes.c_int()
        self._raw.FPDFText_GetFontInfo(self._textpage, index, self._name, 256, flags)
        name = self._name.value.decode("utf-8", "replace")
        bold = bool(_BOLD.search(name)) or bool(flags.value & _FORCE_BOLD)
        self._fonts[font] = (bold, bool(_MONO.search(name)))
        return self._fonts[font]


def _split_word(chars: _Chars, start: int, end: int, out: list[Word]) -> None:
    """Add the word of characters ``[start, end)``, in pieces where it jumps on the page."""
    text = chars.text[start:end]
    inked = end - 1 - (text[-1] in _HYPHENS and end - start > 1)
    first = chars.edges(start)
    last = first if inked == start else chars.edges(inked)
    style = chars.style(start)
    jumps = style[2] and last is not first and _jumps(first, last)
    vertical = jumps and _is_vertical(chars, start, inked + 1, bool(out) and out[-1].vertical)
    if jumps and not vertical:
        for middle in range(start + 1, end):
            before, here = chars.rect(middle - 1), chars.rect(middle)
            if before.y_overlap(here) <= 0 or here.x1 < before.x0:
                _split_word(chars, start, middle, out)
                _split_word(chars, middle, end, out)
                return
    if style[0] >= _TRACKED and end - start >= 6:
        cut = _hidden_space(chars, start, end, style)
        if cut is not None:
            _split_word(chars, start, cut, out)
            _split_word(chars, cut, end, out)
            return
    word = _word(text, _around(first, last), style, vertical)
    if style[2] and not text.isalpha() and _MARK.search(text) and len(word.text) == len(text):
        notes = _raised(chars, start, text, style[0], first[3])
        word = word._replace(notes=notes) if notes else word
    out.append(word)


def _around(first: _Bounds, last: _Bounds) -> Rect:
    if last is first:
        return Rect(*first)
    a, b, c, d = first
    e, f, g, h = last
    return Rect(a if a < e else e, b if b < f else f, c if c > g else g, d if d > h else h)


def _raised(
    chars: _Chars, start: int, text: str, size: float, foot: float
) -> tuple[tuple[int, int], ...]:
    """Places of the marks in *text* that are smaller than the word and end above its *foot*."""
    found = []
    for match in _NOTE.finditer(text):
        low, high = match.span()
        while low < high and _is_raised(chars, start + high - 1, size, foot):
            high -= 1
        if high < match.end():
            found.append((high, match.end()))
    return tuple(found)


def _is_raised(chars: _Chars, index: int, size: float, foot: float) -> bool:
    small = chars.style(index)[0] < _RAISED * size
    return small and chars.edges(index)[3] < foot - 0.12 * size


def _hidden_space(chars: _Chars, start: int, end: int, style: _Style) -> int | None:
    """First place in a large word whose letters were moved together where they stand apart.

    PDFium expects a wider gap for a space than such tracking leaves of it.
    """
    size = style[0]
    if not style[2] or not chars.text[start:end].isalpha():
        return None
    boxes = [chars.rect(index) for index in range(start, end)]
    gaps = [b.x0 - a.x1 for a, b in pairwise(boxes)]
    usual = sorted(gaps)[len(gaps) // 2]
    if usual > -0.01 * size:
        return None
    wide = max(0.08, usual / size + 0.1) * size
    return next((start + i + 1 for i, gap in enumerate(gaps) if gap > wide), None)


def _jumps(first: _Bounds, last: _Bounds) -> bool:
    """Whether two characters of one word stand on different lines or in the wrong order."""
    if last[2] < first[0]:
        return True
    if abs(first[1] - last[1]) < 1.0:
        return False
    one, other = Rect(*first), Rect(*last)
    return one.y_overlap(other) <= 0.3 * min(max(one.height, 1.0), other.height)


def _is_vertical(chars: _Chars, start: int, end: int, after_one: bool) -> bool:
    """Whether the characters are a column of East Asian text, read from top to bottom."""
    if end - start < (2 if after_one else _COLUMN) or not is_cjk(chars.text[start]):
        return False
    boxes = [chars.rect(index) for index in range(start, end)]
    return all(
        b.y0 > a.y0 and b.x_overlap(a) > 0.5 * min(a.width, b.width) for a, b in pairwise(boxes)
    )


def _word(text: str, rect: Rect, style: _Style, vertical: bool) -> Word:
    broken = text[-1] in _HYPHENS
    if not (text.isascii() and text.isprintable()):
        text = text.translate(_LIGATURES)
        if any("\ud800" <= c < "\ue000" for c in text):
            text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if broken:
        text += "-"
    size, bold, upright, mono, tag = style
    x0, y0, x1, y1 = rect
    x, y = (x0 + x1) / 2, (y0 + y1) / 2
    upright = upright and not vertical
    size = size or y1 - y0
    return Word(text, rect, size, bold, upright, mono, broken, x, y, tag, vertical)


def _rejoin(words: Iterable[Word]) -> list[Word]:
    """Undo spaces that PDFium made out of kerning: no gap to speak of between two letters."""
    out: list[Word] = []
    before: Word | None = None
    for word in words:
        if not word.text:
            continue
        if before is not None and _touches(before, word):
            rect = before.rect.union(word.rect)
            x = (rect.x0 + rect.x1) / 2
            out[-1] = before._replace(text=before.text + word.text, rect=rect, x=x)
        else:
            out.append(word)
        before = out[-1]
    return out


def _touches(a: Word, b: Word) -> bool:
    gap = b.rect[0] - a.rect[2]
    if not -0.03 * a.size < gap < 0.23 * a.size:
        return False
    # In bold heads some producers space out the last letter; "a" may be a word of its own.
    stray = a.bold and len(b.text) == 1 and b.text != "a" and 0 < gap < 0.23 * a.size
    if not (stray or abs(gap) < 0.03 * a.size):
        return False
    capitals = abs(gap) < 0.03 * a.size and a.text.isupper() and b.text.isupper()
    if not (b.text[0].islower() or capitals) or not a.text[-1].isalpha():
        return False
    if not (a.upright and b.upright) or a.broken or b.broken or a.bold != b.bold:
        return False
    return abs(a.y - b.y) < 0.1 * a.size and abs(a.size - b.size) < 0.05 * a.size
