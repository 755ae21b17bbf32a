"""Heads that run into their paragraph: a short bold beginning that closes with a stop."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

from chapterverse.ingest.captions import caption_kind
from chapterverse.ingest.pdf_pieces import Piece
from chapterverse.ingest.pdf_text import Line, Word, make_line
from chapterverse.schema.records import AssetKind

__all__ = ["split_run_ins"]

_STOP = re.compile(r"[.。—–]['\"”’]?$")
_COLON = re.compile(r"[:：]$")
_LABEL = re.compile(r"^\w+\W{0,2}\s?\d+\W*$")
_NO_HEAD = re.compile(
    r"^(?:notes?|n\.?b|e\.g|i\.e|important|tip|warning|caution|hint|remarks?|examples?|q|a|step)\b"
    r"|^\W*\d[\d.,%]*\W*$|[?!]",
    re.I,
)
_SYSTEM = 3
"""Different run-in heads from which on they are a habit of the document."""

_WORDS, _CHARS = 10, 80
_FLOWING = 30
"""Characters of plain text that must follow."""


def split_run_ins(pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces with run-in heads set apart as headings, if the document uses them as a habit."""
    heads = [_head(piece) for piece in pieces]
    for mark, many in ((_STOP, _SYSTEM), (_COLON, _SYSTEM + 2)):
        texts = [_text(head) for head in heads if head and mark.search(head[-1].text)]
        if len(set(texts)) < max(many, 0.6 * len(texts)):
            heads = [() if head and mark.search(head[-1].text) else head for head in heads]
    out: list[Piece] = []
    for piece, head in zip(pieces, heads, strict=True):
        if not head:
            out.append(piece)
            continue
        first = piece.lines[0]
        line = make_line(head, first.page)
        rest: list[Line] = [make_line(first.words[len(head) :], first.page), *piece.lines[1:]]
        out.append(replace(piece, kind=AssetKind.HEADING, lines=(line,)))
        out.append(replace(piece, kind=AssetKind.PARAGRAPH, lines=tuple(rest), level=None))
    return out


def _text(words: Sequence[Word]) -> str:
    return " ".join(word.text for word in words)


def _head(piece: Piece) -> tuple[Word, ...]:
    """The words of the run-in head that *piece* begins with, none if it has none."""
    if piece.kind is not AssetKind.PARAGRAPH or caption_kind(piece.lines):
        return ()
    words = piece.lines[0].words
    head = tuple(takewhile(lambda word: word.bold, words))
    if not head or len(head) == len(words) or len(head) > _WORDS:
        return ()
    text = _text(head)
    if len(text) > _CHARS or not (_STOP.search(text) or _COLON.search(text)):
        return ()
    if _NO_HEAD.search(text) or _LABEL.match(text):
        return ()
    if sum(c.isalpha() for c in text) < 3 or not text.lstrip("“\"'(0123456789. ")[:1].isupper():
        return ()
    rest = [*words[len(head) :], *(w for x in piece.lines[1:] for w in x.words)]
    plain = sum(len(word.text) for word in rest if not word.bold)
    return head if plain >= _FLOWING and not rest[0].bold else ()
