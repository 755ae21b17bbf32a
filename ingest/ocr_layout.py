"""Recognised lines to the words and blocks that the rules for PDF pages take: sizes, weight, order.

Sizes and strokes are measured in pictures, so they scatter by a few percent: lines of about one
size get the same one, and weight is told against the usual stroke of the document.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from chapterverse.ingest.ocr_lines import ReadLine, ReadPicture
from chapterverse.ingest.pdf_layout import Block, PageLayout
from chapterverse.ingest.pdf_page import PageText, page_rows
from chapterverse.ingest.pdf_text import Rect, Word, around, has_han

__all__ = ["LaidPage", "lay_out"]

_SAME_SIZE = 0.08
"""Lines whose sizes differ by less are set in one size."""

_BOLD = 1.3
"""Strokes of bold type are at least this many times as wide as those of regular type."""

_GUTTER = 1.0
"""Least width of the strip between columns, in font sizes."""

_PROSE = 15
"""Characters of a line of prose in a column (a Han character counts twice)."""

_EMPTY = 0.8
"""Font sizes between two lines from which on they stand in blocks of their own."""

_MOST_SPANNING = 0.34
"""Share of lines that may run over both columns."""


@dataclass(frozen=True, slots=True)
class LaidPage:
    """A recognised page as if a PDF had told its words and blocks."""

    text: PageText
    layout: PageLayout


@dataclass(frozen=True, slots=True)
class _Line:
    """A line in points with its settled size and weight."""

    words: tuple[Word, ...]
    rect: Rect
    size: float
    weight: int


def lay_out(pages: Mapping[int, ReadPicture], dpi: Mapping[int, float]) -> dict[int, LaidPage]:
    """Words and blocks of each recognised page in points of the upright page.

    *pages* are by page number; *dpi* says how many of a page's pixels make an inch.
    """
    scales = {number: 72.0 / dpi[number] for number in pages}
    sizes = _settled(
        (line.size * scales[number], _chars(line))
        for number, page in pages.items()
        for line in page.lines
        if _measurable(line)
    )
    strokes = _usual_strokes(line for page in pages.values() for line in page.lines)
    laid = {}
    for number, page in pages.items():
        scale = scales[number]
        lines = [_placed(line, scale, sizes, strokes) for line in page.lines]
        words = tuple(word for line in lines for word in line.words)
        width, height = page.width * scale, page.height * scale
        text = PageText(number, width, height, words, page_rows(words, number))
        laid[number] = LaidPage(text, PageLayout(tuple(_blocks(lines)), ()))
    return laid


def _chars(line: ReadLine) -> int:
    return sum(len(word.text) for word in line.words)


def _measurable(line: ReadLine) -> bool:
    """Whether enough letters stand in the line to tell its size."""
    return sum(c.isalpha() for word in line.words for c in word.text) >= 3 or has_han(line.text)


def _settled(found: Iterable[tuple[float, int]]) -> list[float]:
    """The sizes in use, the most used first; sizes within 8 % of one belong to it."""
    left = sorted(found)
    sizes = []
    while left:
        best, most = left[0][0], 0
        for size in {round(size, 1) for size, _ in left}:
            near = sum(n for other, n in left if abs(other - size) < _SAME_SIZE * size)
            if near > most:
                best, most = size, near
        group = [(s, n) for s, n in left if abs(s - best) < _SAME_SIZE * best] or left[:1]
        sizes.append(round(_median(group), 1))
        left = [item for item in left if item not in group]
    return sizes


def _median(weighted: Sequence[tuple[float, int]]) -> float:
    """Middle of values that count as often as their weight says; 0 without any."""
    ranked = sorted(weighted)
    half, seen = sum(n for _, n in ranked) / 2, 0.0
    for value, count in ranked:
        seen += count
        if seen >= half:
            return value
    return 0.0


def _usual_strokes(lines: Iterable[ReadLine]) -> dict[bool, float]:
    """Usual stroke of lines with Han characters and of those without."""
    found: dict[bool, list[tuple[float, int]]] = {True: [], False: []}
    for line in lines:
        if _measurable(line):
            found[has_han(line.text)].append((line.stroke, _chars(line)))
    return {han: _median(values) for han, values in found.items()}


def _placed(
    line: ReadLine, scale: float, sizes: Sequence[float], strokes: Mapping[bool, float]
) -> _Line:
    measured = line.size * scale
    if not sizes:
        size = measured
    elif _measurable(line):
        size = min(sizes, key=lambda known: abs(known - measured) / known)
    else:
        size = sizes[0]
    usual = strokes[has_han(line.text)]
    bold = _measurable(line) and usual > 0 and line.stroke > _BOLD * usual
    words = tuple(
        _word(
            word.text, Rect(word.x0 * scale, line.y0 * scale, word.x1 * scale, line.y1 * scale)
        )._replace(size=size, bold=bold)
        for word in line.words
    )
    rect = Rect(words[0].rect.x0, words[0].rect.y0, words[-1].rect.x1, words[0].rect.y1)
    weight = sum(1 + ("\u2e80" <= c <= "\uffef") for word in words for c in word.text)
    return _Line(words, rect, size, weight)


def _word(text: str, rect: Rect) -> Word:
    x, y = (rect.x0 + rect.x1) / 2, (rect.y0 + rect.y1) / 2
    return Word(text, rect, rect.height, False, True, False, False, x, y)


def _blocks(lines: Sequence[_Line]) -> list[Block]:
    """Blocks in reading order: columns from left to right, parted by lines that span them."""
    if not lines:
        return []
    ordered = sorted(lines, key=lambda line: (line.rect.y0, line.rect.x0))
    gutter = _gutter(ordered)
    if gutter is None:
        return _parted(ordered)
    blocks: list[Block] = []
    run: list[_Line] = []
    for line in [*ordered, None]:
        if line is not None and not _crosses(line, gutter):
            run.append(line)
            continue
        if run:
            blocks.extend(_blocks([x for x in run if x.rect.x1 <= gutter + _slack(x)]))
            blocks.extend(_blocks([x for x in run if x.rect.x1 > gutter + _slack(x)]))
            run = []
        if line is not None:
            blocks.append(Block("paragraph", line.rect))
    return _joined(blocks)


def _parted(lines: Sequence[_Line]) -> list[Block]:
    """One column as blocks, parted where a line is left empty: tables go in between."""
    groups: list[list[_Line]] = []
    foot = 0.0
    for line in lines:
        if groups and line.rect.y0 - foot < _EMPTY * line.size:
            groups[-1].append(line)
        else:
            groups.append([line])
        foot = max(foot, line.rect.y1)
    return [Block("paragraph", around(group)) for group in groups]


def _slack(line: _Line) -> float:
    return 0.3 * line.size


def _crosses(line: _Line, x: float) -> bool:
    return line.rect.x0 < x - _slack(line) and line.rect.x1 > x + _slack(line)


def _gutter(lines: Sequence[_Line]) -> float | None:
    """Middle of the strip between two columns of prose, or ``None`` for a single column."""
    if len(lines) < 6:
        return None
    size = _median([(line.size, line.weight) for line in lines])
    best: tuple[int, float, float] | None = None
    for edge in sorted({round(line.rect.x0, 1) for line in lines})[1:]:
        strip = edge - _GUTTER * size
        # A page number between the columns is on neither side, like a line over both.
        left = [line for line in lines if line.rect.x1 <= strip]
        right = [line for line in lines if line.rect.x0 >= edge - 0.1]
        between = len(lines) - len(left) - len(right)
        if between > _MOST_SPANNING * len(lines) or not (_is_prose(left) and _is_prose(right)):
            continue
        middle = (max(line.rect.x1 for line in left) + edge) / 2
        if best is None or (between, edge) < best[:2]:
            best = (between, edge, middle)
    return best[2] if best else None


def _is_prose(lines: Sequence[_Line]) -> bool:
    """Whether the lines stand in one column and most of them are more than a cell of a table."""
    return len(lines) >= 3 and sum(line.weight >= _PROSE for line in lines) > 0.5 * len(lines)


def _joined(blocks: Sequence[Block]) -> list[Block]:
    """Neighbours that span the columns made one, unless their columns differ."""
    out: list[Block] = []
    for block in blocks:
        before = out[-1] if out else None
        if before is not None and _set_on(before.rect, block.rect):
            out[-1] = Block("paragraph", before.rect.union(block.rect))
        else:
            out.append(block)
    return out


def _set_on(above: Rect, below: Rect) -> bool:
    narrow, wide = sorted((above.width, below.width))
    beside = below.y0 < above.y1 - 0.5 * min(above.height, below.height)
    return not beside and narrow > 0.8 * wide and above.x_overlap(below) > 0.9 * narrow
