"""Entries of a table of contents: a title, leader dots and a page number on one printed row."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from chapterverse.ingest.pdf_layout import Block
from chapterverse.ingest.pdf_text import Line, Word, make_line

__all__ = ["gather_entries", "is_entry"]

_PAGE = r"(?:[A-Z]{1,2}-)?\d{1,4}|[ivxlc]{1,7}"
_LEADERS = re.compile(r"[.·․‥]\s*[.·․‥]\s*[.·․‥]\s*[.·․‥]|…\s*…")
_ENTRY = re.compile(rf"(?:(?:[.·․‥]\s*){{4,}}|…(?:\s*…)+)\s*(?:{_PAGE})$", re.I)
_NUMBER = re.compile(rf"^[.·․‥…]*(?:{_PAGE})$", re.I)
_MANY = 3
_MOST = 0.8
_Held = list[tuple[Block, list[Line]]]


def is_entry(text: str) -> bool:
    """Whether *text* is a title that leader dots lead to a page number."""
    leaders = _LEADERS.search(text)
    if leaders is None or not any(c.isalnum() for c in text[: leaders.start()]):
        return False
    return bool(_ENTRY.search(text, leaders.start()))


def gather_entries(held: _Held, rows: Sequence[Line]) -> _Held:
    """The blocks with each entry of a contents page as a list item of its own.

    *rows* are the printed rows of the page. Three entries make a contents page; those in a table
    with other rows stay there. Every word stays in exactly one block.
    """
    rows = [row for row in rows if _LEADERS.search(row.text)]
    if not rows:
        return held
    fixed = {
        id(word)
        for block, lines in held
        if block.kind == "table" and sum(is_entry(x.text) for x in lines) < _MOST * len(lines)
        for line in lines
        for word in line.words
    }
    found = (entry for row in rows for entry in _entries(row))
    entries = [entry for entry in found if not any(id(word) in fixed for word in entry.words)]
    if len(entries) < _MANY:
        return held
    taken = {id(word) for entry in entries for word in entry.words}
    first = {id(entry.words[0]): entry for entry in entries}
    return [part for block, lines in held for part in _without(block, lines, taken, first)]


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


def _without(
    block: Block, lines: Sequence[Line], taken: set[int], first: dict[int, Line]
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
            yield Block("list_item", entry.rect), [entry]
    if left:
        yield block, left
