"""Entries of a table of contents: a title and, by leader dots or far off, a page number."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from chapterverse.ingest.pdf_layout import Block, Held
from chapterverse.ingest.pdf_pieces import ends_sentence
from chapterverse.ingest.pdf_text import Line, Word, around, make_line

__all__ = ["gather_entries", "is_entry"]

_PAGE = r"(?:[A-Z]{1,2}-)?\d{1,4}|[ivxlc]{1,7}"
_LEADERS = re.compile(r"[.·․‥]\s*[.·․‥]\s*[.·․‥]\s*[.·․‥]|…\s*…")
_ENTRY = re.compile(rf"(?:(?:[.·․‥]\s*){{4,}}|…(?:\s*…)+)\s*(?:{_PAGE})$", re.I)
_NUMBER = re.compile(rf"^[.·․‥…]*(?:{_PAGE})$", re.I)
_PLAIN = re.compile(r"\d{1,3}$")
_FAR, _PART = 2.5, 0.4
"""Where no dots lead from a title to its page number: the gap between them in font sizes, and the
least share of the rows of a page that are entries.
"""

_MANY = 3
_MOST = 0.8
_FULL, _ROWS = 0.55, 2
"""Least share of an entry's width that a wrapped row fills, and how many may stand above it."""


def is_entry(text: str) -> bool:
    """Whether *text* is a title that leader dots lead to a page number."""
    leaders = _LEADERS.search(text)
    if leaders is None or not any(c.isalnum() for c in text[: leaders.start()]):
        return False
    return bool(_ENTRY.search(text, leaders.start()))


def gather_entries(held: Held, rows: Sequence[Line]) -> Held:
    """The blocks with each entry of a contents page as a list item of its own.

    *rows* are the printed rows of the page; a title that wraps takes the rows above along. Three
    entries make a contents page; those in a table with other rows stay there. Every word stays
    in exactly one block.
    """
    led = [row for row in rows if _LEADERS.search(row.text)]
    found = [entry for row in led for entry in _entries(row)] if led else _undotted(rows)
    if len(found) < _MANY:
        return held
    ends = {id(entry.words[-1]) for entry in found}
    fixed = {
        id(word)
        for block, lines in held
        if block.kind == "table" and ((block.grid and not led) or not _is_contents(lines, ends))
        for line in lines
        for word in line.words
    }
    entries = [entry for entry in found if not any(id(word) in fixed for word in entry.words)]
    if len(entries) < _MANY:
        return held
    taken = {id(word) for entry in entries for word in entry.words}
    loose = [row for row in rows if not any(id(w) in taken or id(w) in fixed for w in row.words)]
    wrapped = [_with_beginning(entry, loose) for entry in entries]
    taken.update(id(word) for lines in wrapped for line in lines for word in line.words)
    first = {id(lines[0].words[0]): lines for lines in wrapped}
    return [part for block, lines in held for part in _without(block, lines, taken, first)]


def _is_contents(lines: Sequence[Line], ends: set[int]) -> bool:
    """Whether most lines of a table are entries, which *ends* are the last words of."""
    entries = sum(any(id(word) in ends for word in line.words) for line in lines)
    return entries >= _MOST * len(lines)


def _undotted(rows: Sequence[Line]) -> list[Line]:
    """The rows that are a title and, far to the right, a page number below the ones before."""
    found: list[Line] = []
    for row in rows:
        words = row.words
        if len(words) < 2 or not _PLAIN.match(words[-1].text) or not _is_far(words[-2], words[-1]):
            continue
        title = words[1:-1] if words[0].text[0].isdigit() else words[:-1]
        parted = any(_is_far(a, b) for a, b in pairwise(title))
        if not title or parted or sum(c.isalpha() for w in title for c in w.text) < 2:
            continue
        found.append(row)
    pages = [int(row.words[-1].text) for row in found]
    edges = [row.rect.x1 for row in found]
    rising = all(a <= b for a, b in pairwise(pages)) and len(set(pages)) > len(pages) / 2
    many = max(min(_MANY + 1, max(_MANY, len(rows))), _PART * len(rows))
    if len(found) < many or not rising:
        return []
    return found if max(edges) - min(edges) < found[0].size else []


def _is_far(a: Word, b: Word) -> bool:
    return b.rect.x0 - a.rect.x1 > _FAR * max(a.size, b.size)


def _entries(row: Line) -> Iterator[Line]:
    """The entries of a row; two columns of contents give two."""
    start = 0
    for end in range(2, len(row.words) + 1):
        last: Word = row.words[end - 1]
        wide = end < len(row.words) and row.words[end].rect.x0 - last.rect.x1 < last.size
        if wide or not _NUMBER.match(last.text):
            continue
        line = make_line(row.words[start:end], row.page)
        if is_entry(line.text):
            yield line
            start = end


def _with_beginning(entry: Line, rows: Sequence[Line]) -> list[Line]:
    """The lines of an entry whose title wraps: the full rows right above it, then its own."""
    found = [entry]
    for row in reversed(rows):
        below = found[0]
        lead = below.rect.y0 - row.rect.y1
        if lead < -0.5 * row.size or len(found) > _ROWS:
            continue
        level = abs(row.size - entry.size) < 0.05 * row.size
        inside = row.rect.x0 < entry.rect.x1 and row.rect.x1 < entry.rect.x1
        full = row.rect.x1 > entry.rect.x0 + _FULL * entry.rect.width
        hangs = entry.rect.x0 > row.rect.x0 - 0.2 * row.size or entry.text[0].islower()
        flows = hangs and not ends_sentence(row.text)
        if lead > 0.5 * row.size or not (level and inside and full and flows):
            break
        found.insert(0, row)
    return found


def _without(
    block: Block, lines: Sequence[Line], taken: set[int], first: dict[int, list[Line]]
) -> Iterator[tuple[Block, list[Line]]]:
    """The lines of a block freed of the entries, which follow where their first word stood."""
    left: list[Line] = []
    for line in lines:
        rest = [word for word in line.words if id(word) not in taken]
        if rest:
            left.append(line if len(rest) == len(line.words) else make_line(rest, line.page))
        for word in line.words:
            entry = first.get(id(word))
            if entry is None:
                continue
            if left:
                yield block, left
                left = []
            yield Block("list_item", around(entry)), entry
    if left:
        yield block, left
