"""Text without halves of characters."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from chapterverse.schema.wellformed import well_formed


@given(st.text(st.characters(exclude_categories=[])))
def test_result_can_be_encoded_and_stays(text: str) -> None:
    clean = well_formed(text)
    clean.encode("utf-8")
    assert well_formed(clean) == clean


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_good_text_is_left_alone(text: str) -> None:
    assert well_formed(text) == text


def test_pairs_are_joined_and_halves_are_marked() -> None:
    assert well_formed("a\ud83d\ude00b") == "a😀b"
    assert well_formed("a\ud83db\udc80") == "a\ufffdb\ufffd"
