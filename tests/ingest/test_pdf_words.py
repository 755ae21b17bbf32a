"""Words from the characters of a PDF page."""

from __future__ import annotations

import io

from reportlab.pdfbase import pdfmetrics  # type: ignore[import-untyped]
from reportlab.pdfbase.cidfonts import UnicodeCIDFont  # type: ignore[import-untyped]
from reportlab.pdfbase.pdfmetrics import stringWidth  # type: ignore[import-untyped]
from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]

from chapterverse.ingest.pdf import read_pdf


def _tracked(text: str, space: float, size: float = 20) -> bytes:
    """One line with its letters moved together and its spaces drawn as gaps of that width."""
    out = io.BytesIO()
    canvas = Canvas(out, invariant=1)
    canvas.setFont("Helvetica", size)
    x, step = 60.0, -0.04 * size
    for word in text.split():
        canvas.drawString(x, 700, word, charSpace=step)
        x += stringWidth(word, "Helvetica", size) + (len(word) - 1) * step + space * size
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
