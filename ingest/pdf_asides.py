"""Running text that the layout mixed with labels or figures beside it, told by its base lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from chapterverse.ingest.pdf_layout import Block, Held
from chapterverse.ingest.pdf_pieces import ends_sentence, is_code
from chapterverse.ingest.pdf_text import Line, Word, around, group_rows, has_han, make_line

__all__ = ["part_asides"]

_ROWS = 3
"""Fewest lines of running text that stand beside something else."""

_LONG, _GUTTER, _GAP = 25, 1.2, 1.5
"""Characters of a usual line of it; width of the strip beside it and of no gap, in font sizes."""

_LETTERS = 0.7
"""Share of letters, which formulas do not reach."""

_ALIGNED = 0.5
"""Share of the other lines that may stand on base lines of the text; rows of a table all do."""


def part_asides(held: Held) -> Held:
    """The blocks, with running text set apart from what stands beside it on other base lines.

    Every word stays in exactly one block.
    """
    return [part for block, lines in held for part in _parted(block, lines)]


def _parted(block: Block, lines: list[Line]) -> Held:
    mixed = block.kind == "table" or any(_is_mixed(line) for line in lines)
    mixed = mixed and block.kind != "list_item"
    if block.grid or len(lines) < 2 or not mixed or is_code(lines):
        return [(block, lines)]
    words = [word for line in lines for word in line.words]
    page = lines[0].page
    for gutter in _gutters(words):
        sides = [
            [make_line(row, page) for row in group_rows(side)]
            for side in ([w for w in words if w.x < gutter], [w for w in words if w.x > gutter])
        ]
        for text, rest in (sides, sides[::-1]):
            if _is_running(text) and not _is_running(rest) and not _share_lines(text, rest):
                return [(Block("paragraph", around(side)), side) for side in sides]
    return [(block, lines)]


def _is_mixed(line: Line) -> bool:
    """Whether a line begins and ends in different sizes of type."""
    a, b = line.words[0].size, line.words[-1].size
    return abs(a - b) > 0.08 * a


def _gutters(words: Sequence[Word]) -> Iterator[float]:
    """Middles of the strips that no word crosses."""
    reach = float("-inf")
    for left, right, size in sorted((w.rect.x0, w.rect.x1, w.size) for w in words):
        if left - reach > _GUTTER * size and reach > float("-inf"):
            yield (left + reach) / 2
        reach = max(reach, right)


def _is_running(lines: Sequence[Line]) -> bool:
    """Whether the lines are sentences that go on from line to line at one left edge."""
    if len(lines) < _ROWS:
        return False
    text = "".join(line.text for line in lines)
    long = _LONG // 2 if has_han(text) else _LONG
    left = min(line.rect.x0 for line in lines)
    flush = sum(line.rect.x0 - left < 2 for line in lines)
    gaps = (b.rect.x0 - a.rect.x1 > _GAP * a.size for x in lines for a, b in pairwise(x.words))
    words = sum(c.isalpha() for c in text) > _LETTERS * len(text.replace(" ", ""))
    whole = words and len(text) >= long * len(lines) and 4 * flush >= 3 * len(lines)
    if not whole or any(gaps):
        return False
    flows = sum(_goes_on(a, b) for a, b in pairwise(lines))
    return 2 * flows >= len(lines) - 1


def _goes_on(a: Line, b: Line) -> bool:
    first = b.text[0]
    return not ends_sentence(a.text) and (first.islower() or has_han(first))


def _share_lines(text: Sequence[Line], rest: Sequence[Line]) -> bool:
    feet = [line.rect.y1 for line in text]
    shared = sum(any(abs(line.rect.y1 - foot) < 1.0 for foot in feet) for line in rest)
    return shared > _ALIGNED * len(rest)
