"""Same terms for a document and a query, whatever the spelling."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chapterverse.engine.analyze import analyze, analyze_query, scripts_of


@pytest.mark.parametrize(
    ("document", "query"),
    [
        ("GB/T 7714-2015 specifies", "GB/T7714-2015"),
        ("see GB/T7714-2015", "gb 7714"),
        ("release v1.2.3", "1.2.3"),
        ("part AB-1234", "ab1234"),
        ("part AB1234", "AB-1234"),
        ("part AB-1234", "1234"),
        ("a total of 1,234.56", "1234.56"),
        ("capital expenditures of $1,577", "1577"),
        ("capital expenditures of $1,577", "$1577"),
        ("grew by 3.5%", "3.5"),
        ("grew by ３．５％", "3.5%"),
        ("write to jane.doe@acme.com", "acme"),
        ("write to jane.doe@acme.com", "Jane.Doe@ACME.com"),
        ("open report_2024.pdf", "report_2024.pdf"),
        ("open report_2024.pdf", "2024"),
        ("the café", "CAFE"),
        ("the cafe\u0301", "café"),
        ("Łódź and Ærø", "Lodz Aero"),
        ("getUserName()", "user"),
        ("getUserName()", "getusername"),
        ("XMLHttpRequest", "http"),
        ("two mRNAs", "RNA"),
        ("O’Neil", "oneil"),
        ("the company’s policies", "company policy"),
        ("AT&T", "at&t"),
        ("C++ and C#", "c#"),
        ("ISO 9001:2015", "iso9001:2015"),
        ("at 10:30", "10:30"),
        ("6½ sacks", "6"),
        ("co\u00adoperate", "cooperate"),
        ("2014–2015", "2014-2015"),
        ("ＦＵＬＬ ｗｉｄｔｈ", "full width"),
        ("ｶﾀｶﾅ", "カタカナ"),
        ("向量数据库支持混合检索", "检索"),
        ("向量数据库支持混合检索", "库"),
        ("한국어 검색", "한국"),
        ("ภาษาไทย", "ไทย"),
        ("हिन्दी भाषा", "हिन्दी"),
        ("Москва", "москва"),
        ("well done 😀", "😀"),
        ("to be or not to be", "to be or not to be"),
        ("什么是什么", "什么"),
    ],
)
def test_every_query_term_is_in_the_document(document: str, query: str) -> None:
    wanted = set(analyze_query(query))
    assert wanted
    assert wanted <= set(analyze(document))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("v1.2.3", "v12.3"),
        ("2014-15", "201415"),
        ("й", "и"),
        ("計算機", "计算机"),
        ("C++", "C#"),
    ],
)
def test_different_things_stay_different(one: str, other: str) -> None:
    assert analyze(one)[0] != analyze(other)[0]


def test_unspaced_runs_give_characters_and_bigrams() -> None:
    assert sorted(analyze("员工手册")) == sorted(["员", "工", "手", "册", "员工", "工手", "手册"])


def test_words_that_only_ask_are_left_out_of_queries_alone() -> None:
    assert analyze_query("What is the pressure?") == analyze("pressure")
    assert analyze_query("报销是什么？") == analyze("报销是")
    assert "the" in analyze("the pressure")


def test_an_acronym_is_no_stop_word() -> None:
    assert "who" in analyze_query("guidelines of the WHO")
    assert "who" not in analyze_query("WHO WROTE THIS")
    assert "who" not in analyze_query("Who wrote this")


def test_verbs_share_a_stem_but_stop_words_do_not() -> None:
    assert analyze("connected") == analyze("connections")
    assert analyze("does") != analyze("doe")


@pytest.mark.parametrize("text", ["", " \n", "-" * 33, '"', "()*:^~", "\x00", "\ud800", "。，"])
def test_nothing_to_index(text: str) -> None:
    assert analyze(text) == []
    assert analyze_query(text) == []


def test_a_token_has_a_greatest_length() -> None:
    assert max(map(len, analyze("x" * 10_000))) == 100


@given(st.text())
def test_tokens_are_plain_words(text: str) -> None:
    for token in [*analyze(text), *analyze_query(text)]:
        assert token
        assert token.split() == [token]
        token.encode("utf-8")


@given(st.text(), st.text())
def test_lines_do_not_touch(one: str, other: str) -> None:
    assert sorted(analyze(f"{one}\n{other}")) == sorted(analyze(one) + analyze(other))


@pytest.mark.parametrize(
    ("text", "scripts"),
    [
        ("hello 世界", {"Latin", "Han"}),
        ("カタカナ と 漢字", {"Katakana", "Hiragana", "Han"}),
        ("データー", {"Katakana"}),
        ("Привет αβγ", {"Cyrillic", "Greek"}),
        ("한국 ไทย", {"Hangul", "Thai"}),
        ("ｗｉｄｅ ｶﾅ", {"Latin", "Katakana"}),
        ("12 + 3 = 15 😀 \ud800", set()),
        ("", set()),
    ],
)
def test_scripts(text: str, scripts: set[str]) -> None:
    assert scripts_of(text) == scripts
