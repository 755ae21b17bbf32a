"""Table text and table record say the same thing at the same offsets."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chapterverse.ingest.tables import (
    Cell,
    build_table,
    guess_header_rows,
    guess_row_headers,
    merges_of,
    place_cells,
)
from chapterverse.schema.records import Merge


@given(st.lists(st.lists(st.text(max_size=8), max_size=4), max_size=5), st.text(max_size=8))
def test_spans_are_rows(rows: list[list[str]], caption: str) -> None:
    text, table = build_table(rows, 1, caption)
    assert [text[a:b] for a, b in table.row_spans] == [" | ".join(row) for row in table.rows]
    assert len({len(row) for row in table.rows}) <= 1
    assert "\n" not in "".join(map("".join, table.rows))
    assert table.header_rows <= len(table.rows)


def test_caption_comes_first_and_cells_are_cleaned() -> None:
    text, table = build_table([["A|B", "数据\n说明"], ["1\n2"]], 1, "Table 1:\n Parts")
    assert text == "Table 1: Parts\nA/B | 数据说明\n1 2 | "
    assert table.rows == (("A/B", "数据说明"), ("1 2", ""))


def test_spans_repeat_down_and_across_headers_only() -> None:
    rows = [
        [Cell("Part", rows=2), Cell("Interval", cols=2)],
        [Cell("hours"), Cell("months")],
        [Cell("Pump", rows=2), Cell("see note", cols=2)],
        [Cell("500"), Cell("6")],
    ]
    assert place_cells(rows, 2) == (
        ("Part", "Interval", "Interval"),
        ("Part", "hours", "months"),
        ("Pump", "see note", ""),
        ("Pump", "500", "6"),
    )


def test_absurd_spans_do_not_eat_memory() -> None:
    rows = [[Cell("a", cols=10**9, rows=10**9), Cell("b")], [Cell("c")]]
    assert place_cells(rows, 1) == (("a", "b"), ("c", ""))


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([["Year", "Sales"], ["2020", "5"]], 1),
        ([["", "2019", "2020"], ["Sales", "5", "6"]], 1),
        ([["1", "2"], ["3", "4"]], 0),
        ([["Only", "row"]], 0),
        ([["One"], ["column"]], 0),
    ],
)
def test_guessed_headers(rows: list[list[str]], expected: int) -> None:
    assert guess_header_rows(rows) == expected


def test_merges_stand_where_cells_are_placed() -> None:
    rows = [[Cell("Part", rows=9), Cell("Interval", cols=2)], [Cell("hours"), Cell("months")]]
    assert merges_of(rows) == (Merge(0, 0, 2, 1), Merge(0, 1, 1, 2))


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([["Part", "Hours"], ["Pump", "500"], ["Fan", "70.5"]], 1),
        ([["Part", "Hours"], ["Pump", "500"], ["Pump", "70.5"]], 0),
        ([["No", "Hours"], ["1", "500"], ["2", "70.5"]], 0),
        ([["Part", "Note"], ["Pump", "old"], ["Fan", "new"]], 0),
        ([["Part", "Hours"], ["Pump", "500"]], 0),
    ],
)
def test_row_headers_are_distinct_words_beside_figures(
    rows: list[list[str]], expected: int
) -> None:
    assert guess_row_headers(rows, 1) == expected
    assert build_table(rows, 1, row_headers=expected)[1].row_headers == expected
