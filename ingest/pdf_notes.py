"""Footnotes: told apart, and put behind the paragraph that refers to them by a raised mark."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from chapterverse.ingest.pdf_pieces import Piece, ends_sentence
from chapterverse.ingest.pdf_text import Line, Word, make_line
from chapterverse.schema.records import FURNITURE, AssetKind

__all__ = ["place_notes"]

_MARK = re.compile(r"^[\[(]?(\d{1,3}|[*∗†‡§¶]{1,3}|[①-⑳])(?![\d%]|[.,]\d)")
_TEXTS = (AssetKind.PARAGRAPH, AssetKind.LIST_ITEM)
_NOTES = (*_TEXTS, AssetKind.CODE, AssetKind.FOOTNOTE)
"""Kinds that notes are taken for; addresses are often set in a typewriter font."""

_HIGHEST = 60
"""Largest number that marks a note of a table; larger ones are values."""

_SMALL = 0.94
"""Size of a note as a share of the text that refers to it, at most."""

_RAISED = 0.85


@dataclass(frozen=True, slots=True)
class _Reference:
    """Where a raised mark stands: piece, line and word by index, characters of the word."""

    piece: int
    line: int
    word: int
    span: tuple[int, int]


def place_notes(pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces with each footnote behind the paragraph on its page that refers to it.

    A note is a small text at the foot of its column that begins with the mark of a reference, or
    that its page took for one. Notes that share a block come apart. The mark of a reference is
    parted from its word by a space. A note that no paragraph refers to keeps its place.
    """
    pages: dict[int, list[int]] = defaultdict(list)
    for index, piece in enumerate(pieces):
        pages[piece.page].append(index)
    after: dict[int, list[Piece]] = defaultdict(list)
    replaced: dict[int, list[Piece]] = {}
    used: set[_Reference] = set()
    for indexes in pages.values():
        if any(_begins_note(pieces[i]) for i in indexes):
            used |= _place(pieces, indexes, _references(pieces, indexes), after, replaced)
    spaced = _spaced(pieces, used)
    out: list[Piece] = []
    for index, piece in enumerate(pieces):
        for part in (*replaced.get(index, [piece]), *after[index]):
            lines = tuple(spaced.get(id(line), line) for line in part.lines)
            out.append(replace(part, lines=lines))
    return out


def _begins_note(piece: Piece) -> bool:
    if piece.kind is AssetKind.FOOTNOTE:
        return True
    return piece.kind in _NOTES and bool(piece.lines) and _mark(piece.lines[0].text) is not None


def _place(
    pieces: Sequence[Piece],
    indexes: Sequence[int],
    found: dict[str, list[_Reference]],
    after: dict[int, list[Piece]],
    replaced: dict[int, list[Piece]],
) -> set[_Reference]:
    """Fill *after* and *replaced* for the pieces of one page; the references that have a note."""
    used: set[_Reference] = set()
    home: int | None = None
    for index in indexes:
        piece = pieces[index]
        if not _is_note(pieces, indexes, index, found):
            if home is not None and _goes_on(after[home][-1], piece):
                _add_lines(after[home], piece)
                replaced[index] = []
                continue
            home = None
            if piece.kind is AssetKind.FOOTNOTE and not _is_marked(piece.text):
                replaced[index] = [replace(piece, kind=AssetKind.PARAGRAPH)]
            continue
        kept: list[Piece] = []
        for note in _parted(piece, found):
            references = [r for r in found.get(_mark(note.text) or "", ()) if r.piece < index]
            home = references[0].piece if references else None
            used.update(references)
            (kept if home is None else after[home]).append(note)
        replaced[index] = kept
    return used


def _is_marked(text: str) -> bool:
    """Whether *text* is worded like a note of a table and no row of figures."""
    mark = _mark(text) or ""
    rest = text[len(mark) :].replace(" ", "")
    small = not mark.isdecimal() or int(mark) <= _HIGHEST
    return bool(mark) and small and 2 * sum(c.isalpha() for c in rest) > len(rest)


def _mark(text: str) -> str | None:
    match = _MARK.match(text)
    return match[1].replace("∗", "*") if match else None


def _references(pieces: Sequence[Piece], indexes: Sequence[int]) -> dict[str, list[_Reference]]:
    """The raised marks in running text by their characters, in order."""
    found: dict[str, list[_Reference]] = defaultdict(list)
    for index in indexes:
        piece = pieces[index]
        if piece.kind not in _TEXTS:
            continue
        for row, line in enumerate(piece.lines):
            for place, word in enumerate(line.words):
                if not word.notes and (len(word.text) > 4 or not place):
                    continue
                for span in word.notes or _alone(line, place):
                    mark = word.text[span[0] : span[1]].replace("∗", "*")
                    found[mark].append(_Reference(index, row, place, span))
    return found


def _alone(line: Line, place: int) -> tuple[tuple[int, int], ...]:
    """The place of a mark that is a raised word of its own behind another word."""
    word = line.words[place]
    if word.size > _RAISED * line.size:
        return ()
    match = _MARK.fullmatch(word.text)
    raised = word.rect.y1 < line.words[place - 1].rect.y1 - 0.12 * line.size
    return (match.span(1),) if match and raised else ()


def _is_note(
    pieces: Sequence[Piece], indexes: Sequence[int], index: int, found: dict[str, list[_Reference]]
) -> bool:
    piece = pieces[index]
    if piece.kind not in _NOTES or not piece.lines:
        return False
    mark = _mark(piece.lines[0].text)
    references = [r for r in found.get(mark or "", ()) if r.piece < index]
    if piece.kind is AssetKind.FOOTNOTE and (references or _is_marked(piece.text)):
        return True
    if not references or len(piece.text) < 9:
        return False
    if piece.size > _SMALL * pieces[references[0].piece].size:
        return False
    top = piece.rect.y0
    return not any(
        other.kind not in FURNITURE
        and other.lines
        and other.rect.y0 > top
        and other.size > 1.05 * piece.size
        and other.rect.x_overlap(piece.rect) > 0
        for other in (pieces[i] for i in indexes)
    )


def _goes_on(note: Piece, piece: Piece) -> bool:
    """Whether *piece* is a further paragraph of the note right above it."""
    plain = piece.kind in (AssetKind.PARAGRAPH, AssetKind.CODE)
    if not plain or note.page != piece.page:
        return False
    gap = piece.rect.y0 - note.rect.y1
    level = abs(piece.size - note.size) < 0.03 * note.size
    return level and piece.bold == note.bold and -0.5 * note.size < gap < note.size


def _add_lines(notes: list[Piece], piece: Piece) -> None:
    last = notes[-1]
    if ends_sentence(last.text) and piece.lines[0].text[0].isupper():
        notes.append(_as_note(piece, piece.lines))
    else:
        notes[-1] = replace(last, lines=(*last.lines, *piece.lines))


def _parted(piece: Piece, found: Mapping[str, object]) -> Iterator[Piece]:
    """The notes that stand in one block, each begun by the next mark of those *found*."""
    lines = piece.lines
    if not any((_mark(line.text) or "") in found for line in lines):
        yield _as_note(piece, lines)
        return
    start, last = 0, _mark(lines[0].text)
    for end in range(1, len(lines) + 1):
        mark = _mark(lines[end].text) if end < len(lines) else None
        if end < len(lines) and not (_is_next(last, mark) or (mark in found and mark != last)):
            continue
        yield _as_note(piece, lines[start:end])
        start, last = end, mark


def _is_next(last: str | None, mark: str | None) -> bool:
    if last is None or mark is None:
        return False
    if last.isdecimal() and mark.isdecimal():
        return int(mark) == int(last) + 1
    return last != mark and not last.isdecimal() and not mark.isdecimal()


def _as_note(piece: Piece, lines: tuple[Line, ...]) -> Piece:
    return replace(piece, kind=AssetKind.FOOTNOTE, level=None, lines=lines)


def _spaced(pieces: Sequence[Piece], marks: Iterable[_Reference]) -> dict[int, Line]:
    """Lines with a space in front of *marks* glued to words, by identity of the old lines."""
    words: dict[tuple[int, int], list[Word]] = {}
    for mark in sorted(marks, key=lambda m: -m.span[0]):
        start = mark.span[0]
        if start:
            line = pieces[mark.piece].lines[mark.line]
            row = words.setdefault((mark.piece, mark.line), list(line.words))
            word = row[mark.word]
            text = f"{word.text[:start]} {word.text[start:]}"
            row[mark.word] = word._replace(text=text, notes=())
    lines = {place: pieces[place[0]].lines[place[1]] for place in words}
    return {id(line): make_line(words[place], line.page) for place, line in lines.items()}
