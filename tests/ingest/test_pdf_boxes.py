"""Charts and panels beside running text."""

from __future__ import annotations

from collections.abc import Sequence

from chapterverse.ingest.pdf_boxes import assign_beside
from chapterverse.ingest.pdf_figures import is_background
from chapterverse.ingest.pdf_graphics import Graphics
from chapterverse.ingest.pdf_layout import Block, PageLayout
from chapterverse.ingest.pdf_text import Line, Rect, around, group_rows, make_line
from tests.ingest.test_pdf_rules import line

SIZE = (600.0, 800.0)
TEXT = [
    "Some of the crews that lie here all",
    "year say that the harbour is what they",
    "live by, and most of the seniors who",
    "keep a boat look at it on every day",
    "or almost every day of the week.",
]
CHART = ["Ships by age", "94 Net", "88 every day", "79 or almost"]
FRAME = (Rect(319, 100, 551, 101), Rect(319, 190, 551, 191))


def _page(chart: Sequence[str], rules: Sequence[Rect], fills: Sequence[Rect] = ()) -> list[str]:
    """The blocks of a page whose layout takes each height of the page for a block of its own."""
    lines = [
        *(line(text, 105 + 16 * i, 60) for i, text in enumerate(TEXT)),
        *(line(text, 107 + 17 * i, 330) for i, text in enumerate(chart)),
        line(
            "Below the chart all of it goes on over the whole width of the page as before", 220, 60
        ),
    ]
    words = [word for x in lines for word in x.words]
    rows: list[Line] = [make_line(row, 1) for row in group_rows(words)]
    layout = PageLayout(tuple(Block("paragraph", around([row])) for row in rows), ())
    graphics = Graphics(across=tuple(rules), fills=tuple(fills))
    held = assign_beside(words, layout, graphics, rows, SIZE)
    return [x.text for _, lines in held for x in lines]


def test_a_framed_chart_follows_the_text_beside_it() -> None:
    found = _page(CHART, FRAME)
    assert found[:5] == TEXT
    assert found[5:9] == CHART
    assert found[9].startswith("Below the chart")


def test_a_filled_panel_is_a_box_too() -> None:
    assert _page(CHART, (), [Rect(319, 100, 551, 191)]) == _page(CHART, FRAME)


def test_without_a_box_rows_stay_as_the_layout_has_them() -> None:
    assert _page(CHART, ())[:5] != TEXT


def test_a_box_that_words_cross_is_none() -> None:
    crossing = [Rect(200, 100, 551, 101), Rect(200, 190, 551, 191)]
    assert _page(CHART, crossing) == _page(CHART, ())


def test_shaded_values_stay_with_the_names_left_of_them() -> None:
    values = ["1,024", "98.1", "77", "(12)"]
    assert _page(values, FRAME) == _page(values, ())


def test_lines_that_run_out_of_a_drawing_are_no_labels_of_it() -> None:
    area = Rect(60, 100, 260, 260)
    wide = [line(f"of the harbour {text}", 110 + 14 * i, 60) for i, text in enumerate(TEXT)]
    assert not is_background(area, wide)
    assert is_background(area._replace(x1=560), wide)
