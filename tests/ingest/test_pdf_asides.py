"""Running text beside labels and figures."""

from __future__ import annotations

from chapterverse.ingest.pdf_asides import part_asides
from chapterverse.ingest.pdf_layout import Block
from chapterverse.ingest.pdf_text import Line, around, group_rows, make_line
from tests.ingest.test_pdf_rules import line

TEXT = [
    "We believe that the crew is what the harbour",
    "lives by, and because we know that a safe pier",
    "is what all of them need, we look at each of",
    "the cranes in every month of the year.",
]


def _mixed(*beside: Line) -> list[Line]:
    text = [line(t, 100 + 14 * i, 300) for i, t in enumerate(TEXT)]
    words = [word for x in (*text, *beside) for word in x.words]
    return [make_line(row, 1) for row in group_rows(words)]


def _parts(lines: list[Line], kind: str = "table") -> list[str]:
    parts = part_asides([(Block(kind, around(lines)), lines)])
    return [" ".join(x.text for x in part) for _, part in parts]


def test_text_beside_figures_on_other_lines_is_set_apart() -> None:
    figures = [line(f"{22 - i} 1,0{i}4.9", 93 + 22 * i, 60, size=14) for i in range(3)]
    labels = " ".join(x.text for x in figures)
    assert _parts(_mixed(*figures)) == [labels, " ".join(TEXT)]
    assert _parts(_mixed(*figures), "paragraph") == [labels, " ".join(TEXT)]


def test_text_in_the_rows_of_a_table_stays_there() -> None:
    rows = [line(f"Item {i} costs 1,0{i}4", 100 + 28 * i, 60) for i in range(2)]
    assert len(_parts(_mixed(*rows))) == 1


def test_two_columns_of_text_are_left_to_the_layout() -> None:
    other = [line(t, 107 + 14 * i, 20) for i, t in enumerate(TEXT)]
    assert len(_parts(_mixed(*other))) == 1


def test_names_beside_names_are_no_running_text() -> None:
    names = [line(f"Harbour {i}", 107 + 14 * i, 60) for i in range(4)]
    lines = [*names, *(line(f"Otto Tal {i}", 100 + 14 * i, 300) for i in range(4))]
    words = [word for x in lines for word in x.words]
    assert len(_parts([make_line(row, 1) for row in group_rows(words)])) == 1


def test_a_bullet_stays_with_its_text() -> None:
    assert len(_parts(_mixed(line("•", 96, 280, size=14)), "list_item")) == 1


def test_formulas_beside_their_names_stay_there() -> None:
    names = [line(t, 104 + 28 * i, 60) for i, t in enumerate(["(i) Symmetry:", "(ii) Length:"])]
    rows = [line("d(x, y) = 0 <=> x = y, x, y, z in X or Y", 100 + 14 * i, 300) for i in range(4)]
    words = [word for x in (*names, *rows) for word in x.words]
    assert len(_parts([make_line(row, 1) for row in group_rows(words)])) == 1
