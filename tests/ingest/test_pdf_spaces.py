"""False spaces in bold heads."""

from __future__ import annotations

import io

import pytest
from reportlab.pdfbase.pdfmetrics import stringWidth  # type: ignore[import-untyped]
from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]

from chapterverse.ingest.pdf import read_pdf
from chapterverse.schema.records import AssetKind

BOLD, SIZE = "Times-Bold", 12.0
PLAIN = [
    "The liquidity of the harbour and the results of its operations are",
    "told in this part, and part III says more of its own signatures.",
]


def _head(*parts: tuple[str, float]) -> bytes:
    """A bold head drawn in *parts*, each with the gap behind it in font sizes, above plain text."""
    out = io.BytesIO()
    canvas = Canvas(out, invariant=1)
    canvas.setFont(BOLD, SIZE)
    x = 60.0
    for text, gap in parts:
        canvas.drawString(x, 700, text)
        x += stringWidth(text, BOLD, SIZE) + gap * SIZE
    canvas.setFont("Times-Roman", SIZE)
    for index, text in enumerate(PLAIN * 4):
        canvas.drawString(60, 660 - 14 * index, text)
    canvas.showPage()
    canvas.save()
    return out.getvalue()


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ([("RESULTS", 0.25), ("AND", 0.25), ("LIQUIDI", 0.19), ("TY", 0)], "RESULTS AND LIQUIDITY"),
        ([("SIGNATURE", 0.2), ("S", 0)], "SIGNATURES"),
        ([("PART", 0.25), ("II", 0.25), ("I", 0)], "PART III"),
        ([("THE", 0.2), ("OPERATIONS", 0)], "THE OPERATIONS"),
        ([("OPERATI", 0.5), ("ONS", 0)], "OPERATI ONS"),
        ([(c, 0.3) for c in "HARBOR"], "HARBOR"),
        ([(c, 0.9 if c == "E" else 0.3) for c in "THEPAIR"], "THE PAIR"),
    ],
)
def test_bold_heads_have_whole_words(parts: list[tuple[str, float]], text: str) -> None:
    heads = [a.text for a in read_pdf(_head(*parts)).assets if a.kind is AssetKind.HEADING]
    assert heads == [text]


def test_capitals_without_a_gap_are_one_word() -> None:
    heads = [a.text for a in read_pdf(_head(*((c, 0.0) for c in "QUAY"))).assets]
    assert heads[0] == "QUAY"
