"""Words, printed lines and running text of a PDF page.

Boxes are in points of the displayed page (after ``/Rotate``, visible part), origin top left.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from operator import itemgetter
from typing import NamedTuple, Protocol

from chapterverse.ingest.pdf_tags import Tag

__all__ = [
    "Line",
    "Placed",
    "Rect",
    "Word",
    "around",
    "group_rows",
    "has_han",
    "is_cjk",
    "join_lines",
    "make_line",
    "vocabulary",
]

_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_ORDINAL = re.compile(r"第[一二三四五六七八九十百零〇\d]{1,6}[编編篇部章节節条條]")
_TAIL = re.compile(r"([^\W\d_]+)-$")
_HEAD = re.compile(r"^([^\W\d_]+)")


_COMPOUNDING = re.compile("all|by|co|ex?|low|mid|non|off|one?|out|pre|re|six|sub|ten|top|two|un|up")
"""Short words that English puts before a hyphen of its own."""


class Rect(NamedTuple):
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
        a, b, c, d = self
        e, f, g, h = other
        return Rect(a if a < e else e, b if b < f else f, c if c > g else g, d if d > h else h)

    def x_overlap(self, other: Rect) -> float:
        """Shared width in points, negative when apart."""
        a, _, c, _ = self
        e, _, g, _ = other
        return (c if c < g else g) - (a if a > e else e)

    def y_overlap(self, other: Rect) -> float:
        """Shared height in points, negative when apart."""
        _, b, _, d = self
        _, f, _, h = other
        return (d if d < h else h) - (b if b > f else f)


class Placed(Protocol):
    """Anything that has a place: a word, a line, a run of words."""

    @property
    def rect(self) -> Rect: ...


def around(things: Iterable[Placed]) -> Rect:
    """The smallest rectangle around all of them, of which there is at least one."""
    return reduce(Rect.union, (thing.rect for thing in things))


class Word(NamedTuple):
    """A run of characters without white space; ``size`` is the font size in points.

    ``mono`` marks a typewriter font. ``x`` and ``y`` are the centre of ``rect``. ``broken`` marks
    a word that ends in a line-end hyphen which PDFium recognised. ``upright`` words run from left
    to right; ``vertical`` ones are columns of East Asian characters. ``tag`` is the structure
    element of a tagged file. ``notes`` are the places in ``text`` of raised marks that refer to
    notes.
    """

    text: str
    rect: Rect
    size: float
    bold: bool
    upright: bool
    mono: bool
    broken: bool
    x: float
    y: float
    tag: Tag | None = None
    vertical: bool = False
    notes: tuple[tuple[int, int], ...] = ()


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
    def mono(self) -> bool:
        """Whether the whole line, but for its number in a listing, is set in a typewriter font."""
        words = self.words
        if not words[-1].mono:
            return False
        numbered = len(words) > 1 and not words[0].mono and words[0].text.isdecimal()
        return all(word.mono for word in (words[1:] if numbered else words))

    @property
    def broken(self) -> bool:
        return self.words[-1].broken

    @property
    def tag(self) -> Tag | None:
        """The structure element of most characters."""
        first = self.words[0].tag
        if all(word.tag is first for word in self.words):
            return first
        counts: Counter[Tag | None] = Counter()
        for word in self.words:
            counts[word.tag] += len(word.text)
        return counts.most_common(1)[0][0]


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


_LEFT = itemgetter(1)
_READING = itemgetter(8, 1)
"""Keys of words by their left edge, and by their middle first: fields by number cost least."""


def group_rows(words: Iterable[Word]) -> list[list[Word]]:
    """Words in rows from top to bottom, each from left to right."""
    rows: list[list[Word]] = []
    tops: list[float] = []
    feet: list[float] = []
    for word in sorted(words, key=_READING):
        _, top, _, bottom = word[1]
        for index in range(len(rows) - 1, len(rows) - 4 if len(rows) > 3 else -1, -1):
            high, low = tops[index], feet[index]
            shared = (bottom if bottom < low else low) - (top if top > high else high)
            tall, height = low - high, bottom - top
            if shared > 0.55 * (tall if tall < height else height):
                rows[index].append(word)
                if height > tall:
                    tops[index], feet[index] = top, bottom
                break
        else:
            rows.append([word])
            tops.append(top)
            feet.append(bottom)
    for row in rows:
        row.sort(key=_LEFT)
    return rows


def make_line(words: Sequence[Word], page: int) -> Line:
    """A printed line from words in order; size and weight are those of most characters."""
    x0, y0, x1, y1 = words[0].rect
    sizes: dict[float, int] = {}
    bold = total = 0
    for word in words:
        left, top, right, bottom = word.rect
        x0 = left if left < x0 else x0
        y0 = top if top < y0 else y0
        x1 = right if right > x1 else x1
        y1 = bottom if bottom > y1 else y1
        length = len(word.text)
        sizes[word.size] = sizes.get(word.size, 0) + length
        total += length
        if word.bold:
            bold += length
    size = max(sizes, key=lambda s: sizes[s]) if len(sizes) > 1 else words[0].size
    return Line(
        tuple(words), _row_text(words), Rect(x0, y0, x1, y1), size, 2 * bold > 1.6 * total, page
    )


def _row_text(words: Sequence[Word]) -> str:
    parts = [words[0].text]
    for before, word in pairwise(words):
        last, first = before.text[-1], word.text[0]
        close = last > "\u00b6" and first > "\u00b6" and is_cjk(last) and is_cjk(first)
        gap = word.rect.x0 - before.rect.x1
        if not close or gap >= 0.28 * word.size or _ORDINAL.fullmatch(before.text):
            parts.append(" ")
        parts.append(word.text)
    return "".join(parts)


def has_han(text: str) -> bool:
    """Whether a Han character stands in *text*."""
    return any("\u4e00" <= char <= "\u9fff" for char in text)


def vocabulary(words: Iterable[Word]) -> frozenset[str]:
    """Lower-case words that stand whole among *words*, which come as they are printed.

    The parts of one that a line-end hyphen breaks are left out.
    """
    kept: list[str] = []
    broken = False
    for word in words:
        text = word.text
        if broken:
            text = text[len(text.split(" ", 1)[0]) :]
        broken = word.text[-1] == "-"
        if broken:
            text = text[: text.rfind(" ") + 1]
        kept.append(text)
    return frozenset(_WORD.findall(" ".join(kept).lower()))


def join_lines(lines: Sequence[Line], known: frozenset[str]) -> tuple[str, list[tuple[int, int]]]:
    """The running text of *lines* and the span of each of them.

    A line-end hyphen is dropped only if the joined word stands elsewhere in the document, if
    neither half does (so neither is a word of its own), or if only a first half of few letters
    does that forms no compounds.
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
    if text[-1].isdigit() and after[0].isdigit() and has_han(text[-30:]) and has_han(after[:30]):
        return ""
    hyphen = len(text) > 1 and text[-1] == "-" and text[-2].isalpha() and after[0].isalnum()
    if hyphen or (text[-1] in "./-_=&?%#" and _is_address(text, after)):
        return ""
    return " "


def _is_address(text: str, after: str) -> bool:
    """Whether a web address that ends the text goes on in the next line."""
    last, first = text[text.rfind(" ") + 1 :], after.split(" ", 1)[0]
    if "://" not in last and not last.startswith("www."):
        return False
    return text[-1] != "." or (first[0].islower() and "/" in first)


def _joins(text: str, after: str, known: frozenset[str]) -> bool:
    tail, head = _TAIL.search(text), _HEAD.search(after)
    if tail is None or head is None or not after[0].islower():
        return False
    left, right = tail[1].lower(), head[1].lower()
    if left + right in known:
        return True
    if f"{left}-{right}" in known or text[: tail.start()].endswith("-"):
        return False
    short = len(left) < 4 and not _COMPOUNDING.fullmatch(left)
    return right not in known and (short or left not in known)
