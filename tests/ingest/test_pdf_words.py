"""Words from the characters of a PDF page."""

from __future__ import annotations

import io

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
