"""Words from the characters of a PDF page."""

from __future__ import annotations

import io

import pytest
from reportlab.pdfbase import pdfmetrics  # type: ignore[import-untyped]
from reportlab.pdfbase.cidfonts import UnicodeCIDFont  # type: ignore[import-untyped]
from reportlab.pdfbase.pdfmetrics import stringWidth  # type: ignore[import-untyped]
from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]

from chapterverse.ingest.pdf import read_pdf
from chapterverse.ingest.pdf_stacked import stack_characters
from tests.ingest.test_pdf_rules import word


def _tracked(text: str, space: float, size: float = 20) -> bytes:
    """One line with its letters moved together and its spaces drawn as gaps of that width."""
    out = io.BytesIO()
    canvas = Canvas(out, invariant=1)
    canvas.setFont("Helvetica", size)
    x, step = 60.0, -0.04 * size
    for part in text.split():
        canvas.drawString(x, 700, part, charSpace=step)
        x += stringWidth(part, "Helvetica", size) + (len(part) - 1) * step + space * size
    canvas.showPage()
    canvas.save()
    return out.getvalue()


def test_small_gaps_between_letters_moved_together_are_spaces() -> None:
    texts = [asset.text for asset in read_pdf(_tracked("Our findings of today", 0.14)).assets]
    assert texts == ["Our findings of today"]


def test_letters_moved_together_alone_make_no_spaces() -> None:
    texts = [asset.text for asset in read_pdf(_tracked("Ourfindings", 0.14)).assets]
    assert texts == ["Ourfindings"]


COLUMNS = [
    "　昔者，有一樵夫居於山中，以採薪為業。每日清晨",
    "入山，日暮而歸，雖貧而不怨其命也。",
    "　一日，樵夫於林中見一白鹿傷足，憐而救之，遂以草",
    "藥敷其傷處，鹿乃去矣。",
]


def _by_glyph(step: float, by_row: bool = False) -> bytes:
    """The columns drawn one character at a time, *step* points from one to the next."""
    out = io.BytesIO()
    canvas = Canvas(out, invariant=1)
    pdfmetrics.registerFont(UnicodeCIDFont("STSong-Light"))
    canvas.setFont("STSong-Light", 12)
    spots = [(i, k, c) for i, column in enumerate(COLUMNS) for k, c in enumerate(column)]
    for i, k, char in sorted(spots, key=lambda s: s[1]) if by_row else spots:
        canvas.drawString(480 - 24 * i, 760 - step * k, char)
    canvas.showPage()
    canvas.save()
    return out.getvalue()


@pytest.mark.parametrize("step", [12, 16, 20])
@pytest.mark.parametrize("by_row", [False, True])
def test_vertical_text_drawn_by_character_is_read_by_column(step: float, by_row: bool) -> None:
    texts = [asset.text for asset in read_pdf(_by_glyph(step, by_row)).assets]
    plain = [column.replace("\u3000", "") for column in COLUMNS]
    assert texts == [plain[0] + plain[1], plain[2] + plain[3]]


def test_marks_in_the_rows_of_a_table_are_no_vertical_text() -> None:
    words = [word(c, 60 + 80 * k, 100 + 14 * i) for i in range(12) for k, c in enumerate("是否有")]
    names = [word("harbour", 10, 100 + 14 * i) for i in range(12)]
    assert stack_characters([*words, *names]) == [*words, *names]


def _vertical() -> bytes:
    out = io.BytesIO()
    canvas = Canvas(out, invariant=1)
    font = UnicodeCIDFont("STSong-Light", isVertical=True)
    pdfmetrics.registerFont(font)
    canvas.setFont(font.fontName, 14)
    for index, column in enumerate(COLUMNS):
        canvas.drawString(500 - 24 * index, 760, column)
    canvas.showPage()
    canvas.save()
    return out.getvalue()


def test_vertical_text_is_read_from_the_right_column_to_the_left() -> None:
    texts = [asset.text for asset in read_pdf(_vertical()).assets]
    plain = [column.replace("\u3000", "") for column in COLUMNS]
    assert texts == [plain[0] + plain[1], plain[2] + plain[3]]


def test_a_turned_paragraph_stays_one() -> None:
    out = io.BytesIO()
    canvas = Canvas(out, invariant=1)
    canvas.rotate(90)
    canvas.setFont("Helvetica", 10)
    for index, text in enumerate(["The gate is closed by a wheel", "that two men turn by hand."]):
        canvas.drawString(200, -250 - 12 * index, text)
    canvas.showPage()
    canvas.save()
    texts = [asset.text for asset in read_pdf(out.getvalue()).assets]
    assert texts == ["The gate is closed by a wheel that two men turn by hand."]
