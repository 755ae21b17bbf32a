"""Source lines to running text: joining, widths, and the regions that remember the lines."""

from __future__ import annotations

import re
from collections.abc import Sequence

from chapterverse.schema.records import LineRange, Region

__all__ = ["display_width", "join_lines", "line_regions", "one_line"]

_WIDE = "\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef"
_CJK = re.compile(f"[{_WIDE}]")
_CJK_BREAK = re.compile(rf"(?<=[{_WIDE}])[^\S\n]*\n\s*(?=[{_WIDE}])")


def one_line(text: str) -> str:
    """*text* with white space collapsed to single spaces.

    A line break between two CJK characters is dropped: it stands for no space in their scripts.
    """
    return " ".join(_CJK_BREAK.sub("", text).split())


def display_width(text: str) -> int:
    """Columns that *text* takes in a terminal: two for a CJK character, else one."""
    return sum(2 if _CJK.match(char) else 1 for char in text)


def join_lines(lines: Sequence[str], separator: str | None = None) -> tuple[str, list[int]]:
    """Lines of one paragraph as one text, and the offset at which each line begins.

    Without *separator* the lines are taken as wrapped: joined by a space, or by nothing where
    both neighbours are CJK characters.
    """
    text, starts = "", []
    for index, line in enumerate(lines):
        if index and separator is not None:
            text += separator
        elif text and line:
            text += "" if _CJK.match(text[-1]) and _CJK.match(line) else " "
        starts.append(len(text))
        text += line
    return text, starts


def line_regions(starts: Sequence[int], length: int, first: int) -> tuple[Region, ...]:
    """One region a line, for lines that begin at *starts* in a text of *length* characters.

    *first* is the number of the first line in the file, 1-based.
    """
    ends = [*starts[1:], length]
    return tuple(
        Region(start, end, lines=LineRange(first + i, first + i))
        for i, (start, end) in enumerate(zip(starts, ends, strict=True))
    )
