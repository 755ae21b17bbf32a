"""Identifiers: from place alone, in range, and back from their printed form."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from chapterverse.schema.ids import format_id, make_id, parse_id, text_hash

TEXTS = st.text(st.characters(exclude_categories=[]))
PLACES = st.lists(TEXTS | st.integers(-(2**63), 2**63), max_size=5)


@given(TEXTS, PLACES)
def test_an_id_is_a_positive_bigint_and_always_the_same(kind: str, place: list[str | int]) -> None:
    kind = kind.encode("utf-8", "replace").decode()
    number = make_id(kind, *place)
    assert 0 <= number < 2**63
    assert number == make_id(kind, *place)


def test_ids_do_not_change_between_versions() -> None:
    assert make_id("document", "default", "file:///a.pdf") == 5903962398200649340
    assert text_hash("泵 pump").hex() == "1f611d43482f33d85e803dbe71c9a1d0"


@given(PLACES, PLACES)
@example(["ab", "c"], ["a", "bc"])
@example(["", "a"], ["a", ""])
@example(["a"], ["a", ""])
@example([], [""])
def test_another_place_is_another_id(one: list[str | int], two: list[str | int]) -> None:
    same = [str(part) for part in one] == [str(part) for part in two]
    assert (make_id("child", *one) == make_id("child", *two)) is same


def test_another_kind_is_another_id() -> None:
    assert make_id("parent", 1) != make_id("child", 1)


@given(st.integers(0, 2**63 - 1))
def test_printed_form_is_read_back(number: int) -> None:
    text = format_id(number)
    assert len(text) == 16
    assert parse_id(text) == number


@given(st.text())
@example("8000000000000000")
@example("ffffffffffffffff")
@example("0000000000000ABC")
@example("٠" * 16)
@example("0x00000000000000")
@example(" 00000000000000f")
def test_only_the_printed_form_is_read(text: str) -> None:
    number = parse_id(text)
    assert number is None or format_id(number) == text


@given(TEXTS, TEXTS)
def test_hash_of_a_text(one: str, two: str) -> None:
    assert len(text_hash(one)) == 16
    assert (text_hash(one) == text_hash(two)) is (one == two)
