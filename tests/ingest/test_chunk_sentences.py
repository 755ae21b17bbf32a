"""Where sentences end, and where a long one is cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chapterverse.ingest.sentences import cut_long, split_sentences
from tests.strategies import prose


@pytest.mark.parametrize(
    "marked",
    [
        "Dr. Smith met the U.S. Government on Jan. 5. | See Fig. 3 and No. 5. | It cost 3.14.",
        "Apple Inc. Chief Cook left. | Apple Inc. | The company grew (see eq. (4)).| Is it so?",
        "J. K. Rowling wrote it. | No. | I did not.",
        '"Really?" he asked. | He said "No." | Then he left... | Maybe.',
        "1. First item. | 2. Second item. | In 2019. | The end.[3] | Next one",
        "Smith et al. (2019) agree, e.g. Jones. | See https://x.y/z?q=1. | End",
        "他说：“你好！”|然后走了。|「是吗？」|她问；|我不知道……|也许吧。",
        '他说："走吧。"|她走了。|版本3.14发布。| Hello world. |你好!|我是 GPT-4|',
        "第一行\n第二行|\n\n第三段",
        "Contents ........ 12 Next. | More",
    ],
)
def test_sentences(marked: str) -> None:
    text = marked.replace("|", "")
    wanted = [sentence.strip() for sentence in marked.split("|") if sentence]
    assert [text[a:b] for a, b in split_sentences(text)] == wanted


@given(prose())
def test_sentences_cover_all_but_white_space(text: str) -> None:
    rest = list(text)
    last = 0
    for start, end in split_sentences(text):
        assert last <= start < end
        assert text[start:end] == text[start:end].strip()
        rest[start:end] = " " * (end - start)
        last = end
    assert not "".join(rest).strip()


@given(prose().filter(str.strip), st.integers(1, 12))
def test_cutting_a_long_sentence_loses_nothing(text: str, parts: int) -> None:
    text = text.strip()
    pieces = cut_long(text, 0, len(text), min(parts, len(text)))
    assert "".join("".join(text[a:b].split()) for a, b in pieces) == "".join(text.split())
    assert all(a < b for a, b in pieces)
    assert len(pieces) > 1 or parts == 1 or len(text) == 1


def test_cuts_fall_at_clause_marks_then_spaces() -> None:
    text = "aaa bbb, ccc ddd, eee fff ggg hhh"
    assert [text[a:b] for a, b in cut_long(text, 0, len(text), 3)] == [
        "aaa bbb,",
        "ccc ddd,",
        "eee fff ggg hhh",
    ]


@pytest.mark.parametrize("cluster", ["e\u0301\u0323", "👨‍👩‍👧‍👦", "👍🏽", "🇨🇳", "각"])
def test_what_a_reader_sees_as_one_character_is_not_cut(cluster: str) -> None:
    text = cluster * 20
    for a, b in cut_long(text, 0, len(text), 3):
        assert text[a:b] == cluster * ((b - a) // len(cluster))


def test_a_long_text_without_stops_is_split_in_linear_steps() -> None:
    # Each of these once cost the square of its length.
    for text in ["\n" * 200_000, "." * 200_000 + "x", "e.g. " * 40_000, "🇨🇳" * 20_000]:
        spans = split_sentences(text)
        assert len(spans) <= 1
    assert len(cut_long(text, 0, len(text), 100)) == 100
