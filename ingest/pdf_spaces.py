"""False spaces in bold lines and headings: letters that the producer of the file set apart."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from chapterverse.ingest.pdf_pieces import Piece
from chapterverse.ingest.pdf_text import Line, Word, make_line
from chapterverse.schema.records import AssetKind

__all__ = ["mend_spaces"]

_KINDS = (AssetKind.HEADING, AssetKind.PARAGRAPH, AssetKind.LIST_ITEM)
_NARROW, _ROMANS = 0.24, 0.4
"""Gap in font sizes up to which a space may be false; that of most fonts is wider."""

_TAIL = re.compile(r"[^\W\d_]+$")
_HEAD = re.compile(r"^[^\W\d_]+")
_ROMAN = re.compile(r"^(?=.)(?:X{0,3})(?:IX|IV|V?I{0,3})$")
_SPACED = 4
"""Letters on a line from which on letters that stand apart are a way to set a word."""

_APART, _WORD = 1.0, 1.6
"""Widest gap between such letters in font sizes; gap between words over the usual one."""


def mend_spaces(pieces: Sequence[Piece], known: frozenset[str]) -> list[Piece]:
    """The pieces with the words of bold lines and headings whole.

    Two parts with a narrow gap between them are one word if that word stands elsewhere in plain
    type (it is *known*) and one of the parts does not. Letters that stand apart at equal gaps are
    the words that wider gaps set off.
    """
    return [_mended(piece, known) if piece.kind in _KINDS else piece for piece in pieces]


def _mended(piece: Piece, known: frozenset[str]) -> Piece:
    head = piece.kind is AssetKind.HEADING
    lines = tuple(_mended_line(x, known) if head or x.bold else x for x in piece.lines)
    same = all(a is b for a, b in zip(lines, piece.lines, strict=True))
    return piece if same else replace(piece, lines=lines)


def _mended_line(line: Line, known: frozenset[str]) -> Line:
    words = line.words
    if len(words) >= _SPACED and all(len(word.text) == 1 for word in words):
        groups = _spaced_out(words)
    else:
        groups = _narrow(words, known)
    if len(groups) == len(words):
        return line
    return make_line([_joined(group) for group in groups], line.page)


def _spaced_out(words: Sequence[Word]) -> list[list[Word]]:
    """The words that single letters form, each letter a group if they are none."""
    gaps = [_gap(a, b) for a, b in pairwise(words)]
    usual = sorted(gaps)[len(gaps) // 2]
    if usual > _APART or not all(word.text.isalpha() for word in words):
        return [[word] for word in words]
    groups = [[words[0]]]
    for gap, word in zip(gaps, words[1:], strict=True):
        if gap > _WORD * max(usual, 0.1):
            groups.append([])
        groups[-1].append(word)
    return groups


def _narrow(words: Sequence[Word], known: frozenset[str]) -> list[list[Word]]:
    groups = [[words[0]]]
    for a, b in pairwise(words):
        before = "".join(word.text for word in groups[-1])
        gap = _gap(a, b)
        narrow = gap < _NARROW and _is_one(before, b.text, known)
        if narrow or (gap < _ROMANS and len(words) == 3 and _is_roman(before, b.text)):
            groups[-1].append(b)
        else:
            groups.append([b])
    return groups


def _is_roman(*parts: str) -> bool:
    """Whether the parts and what they form are Roman numbers, of which no two follow a name."""
    return all(_ROMAN.match(part) for part in (*parts, "".join(parts)))


def _is_one(before: str, after: str, known: frozenset[str]) -> bool:
    tail, head = _TAIL.search(before), _HEAD.match(after)
    if tail is None or head is None:
        return False
    left, right = tail[0].lower(), head[0].lower()
    whole = [len(part) > 1 and part in known for part in (left, right)]
    return left + right in known and not all(whole)


def _gap(a: Word, b: Word) -> float:
    return (b.rect.x0 - a.rect.x1) / max(a.size, b.size, 1.0)


def _joined(group: Sequence[Word]) -> Word:
    if len(group) == 1:
        return group[0]
    rect = group[0].rect.union(group[-1].rect)
    text = "".join(word.text for word in group)
    return group[0]._replace(
        text=text,
        rect=rect,
        x=(rect.x0 + rect.x1) / 2,
        y=(rect.y0 + rect.y1) / 2,
        broken=group[-1].broken,
        notes=(),
    )
