"""Lines joined to running text, and the words that decide on hyphens."""

from __future__ import annotations

import pytest

from chapterverse.ingest.pdf_pieces import split_block
from chapterverse.ingest.pdf_text import Rect, join_lines, vocabulary
from chapterverse.schema.records import AssetKind
from tests.ingest.test_pdf_rules import line


@pytest.mark.parametrize(
    ("first", "second", "known", "joined"),
    [
        ("a main-", "tenance crew", {"maintenance"}, "a maintenance crew"),
        ("a wire-", "rope hoist", {"wire-rope"}, "a wire-rope hoist"),
        ("a wire-", "rope hoist", {"wire", "rope"}, "a wire-rope hoist"),
        ("a convolu-", "tional net", set(), "a convolutional net"),
        ("in 2018-", "2019 only", set(), "in 2018- 2019 only"),
        ("应当按", "照规定", set(), "应当按照规定"),
        ("采用", "Python 语言", set(), "采用 Python 语言"),
        ("波音737-80", "0型客机", set(), "波音737-800型客机"),
        ("plain", "words", set(), "plain words"),
        ("it was in-", "duced by", {"in"}, "it was induced by"),
        ("an on-", "board lamp", {"on"}, "an on-board lamp"),
        ("seen in-", "depth once", {"in", "depth"}, "seen in-depth once"),
        ("moderate-to-", "high speed", set(), "moderate-to-high speed"),
        (
            "at https://harbour.example/",
            "crane/a.html",
            set(),
            "at https://harbour.example/crane/a.html",
        ),
        (
            "at https://harbour.example.",
            "It closes",
            set(),
            "at https://harbour.example. It closes",
        ),
    ],
)
def test_lines_are_joined(first: str, second: str, known: set[str], joined: str) -> None:
    text, spans = join_lines([line(first), line(second, 12)], frozenset(known))
    assert text == joined
    assert spans[-1] == (len(text) - len(second), len(text))
    assert text[spans[0][0] : spans[0][1]] in (first, first[:-1])


def test_a_broken_word_does_not_count_as_support() -> None:
    words = [*line("the main-").words, *line("tenance crew", 12).words]
    assert vocabulary(words) == {"the", "crew"}


def test_lines_whose_numbers_count_up_are_entries_of_a_list() -> None:
    texts = ["7 Cranes", "8 Winches and all the", "engines of the quay", "9 Buoys", "10 Lamps"]
    lines = [line(text, 12.0 * i) for i, text in enumerate(texts)]
    pieces = split_block("paragraph", lines, Rect(50, 0, 400, 100), None)
    assert [p.text for p in pieces] == [texts[0], f"{texts[1]} {texts[2]}", *texts[3:]]
    assert {p.kind for p in pieces} == {AssetKind.LIST_ITEM}


def test_numbers_in_running_text_make_no_list() -> None:
    texts = ["In all they bought", "7 cranes and", "9 winches and", "8 buoys in the year", "2001"]
    lines = [line(text, 12.0 * i) for i, text in enumerate(texts)]
    assert len(split_block("paragraph", lines, Rect(50, 0, 400, 100), None)) == 1
