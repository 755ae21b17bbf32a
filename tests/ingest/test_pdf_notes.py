"""Footnotes of PDF pages."""

from __future__ import annotations

import io
from typing import Any

from reportlab.pdfbase.pdfmetrics import stringWidth  # type: ignore[import-untyped]
from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]

from chapterverse.ingest.pdf import read_pdf
from chapterverse.schema.records import AssetKind

NOTES = ["1 The wheel is that of the old gate.", "2 See the book of the lock."]


def _raised(canvas: Any, x: float, y: float, text: str, mark: str, size: float = 10) -> None:
    """A text and, right behind it, a mark of smaller type that stands higher."""
    canvas.setFont("Helvetica", size)
    canvas.drawString(x, y, text)
    canvas.setFont("Helvetica", 0.6 * size)
    canvas.drawString(x + stringWidth(text, "Helvetica", size), y + 0.4 * size, mark)
    canvas.setFont("Helvetica", size)


def _page(marks: tuple[str, str] = ("1", "2"), notes: list[str] = NOTES) -> bytes:
    out = io.BytesIO()
    canvas = Canvas(out, invariant=1)
    _raised(canvas, 60, 760, "The gate of the lock is closed by a wheel", marks[0])
    canvas.drawString(60, 747, "that two men of the crew turn by hand in the morning.")
    canvas.drawString(60, 720, "The walls of the lock are built of stone and timber, and every")
    _raised(canvas, 60, 707, "one of them is looked at once a year.", marks[1])
    canvas.drawString(60, 680, "The water comes from the upper pond and runs off into the sea,")
    canvas.drawString(60, 667, "which lies two metres lower when the tide is out.")
    canvas.setFont("Helvetica", 7)
    for index, note in enumerate(notes):
        canvas.drawString(60, 90 - 9 * index, note)
    canvas.showPage()
    canvas.save()
    return out.getvalue()


def _read(data: bytes) -> list[tuple[AssetKind, str]]:
    return [(asset.kind, asset.text) for asset in read_pdf(data).assets]


def test_a_note_stands_behind_the_paragraph_that_refers_to_it() -> None:
    read = _read(_page())
    assert [kind for kind, _ in read] == [
        AssetKind.PARAGRAPH,
        AssetKind.FOOTNOTE,
        AssetKind.PARAGRAPH,
        AssetKind.FOOTNOTE,
        AssetKind.PARAGRAPH,
    ]
    assert [text for kind, text in read if kind is AssetKind.FOOTNOTE] == NOTES
    assert read[0][1].startswith("The gate of the lock is closed by a wheel 1 that two men")
    assert read[2][1].endswith("once a year. 2")


def test_the_region_of_a_note_is_where_it_is_printed() -> None:
    notes = [a for a in read_pdf(_page()).assets if a.kind is AssetKind.FOOTNOTE]
    boxes = [region.box for note in notes for region in note.regions]
    assert [box is not None and box.y0 > 0.85 for box in boxes] == [True, True]


def test_notes_that_nothing_refers_to_stay_at_the_foot() -> None:
    read = _read(_page(("a", "b")))
    assert [kind for kind, _ in read][:3] == [AssetKind.PARAGRAPH] * 3
    assert "closed by a wheela that" in read[0][1]


def test_a_power_is_no_reference_to_a_note() -> None:
    read = _read(_page(("1", "2"), ["Of the lock and its walls, as the crew saw them."]))
    assert "closed by a wheel1 that" in read[0][1]


def test_a_figure_in_small_type_at_the_foot_is_no_note() -> None:
    kinds = {text: kind for kind, text in _read(_page(("1", "2"), ["88 12 47 91 30 25 61"]))}
    assert kinds["88 12 47 91 30 25 61"] is not AssetKind.FOOTNOTE


def test_a_note_that_refers_to_another_one_is_read_once() -> None:
    out = io.BytesIO()
    canvas = Canvas(out, invariant=1)
    _raised(canvas, 60, 760, "The gate of the lock is closed by a wheel", "1")
    canvas.drawString(60, 747, "that two men of the crew turn by hand in the morning.")
    canvas.drawString(60, 720, "The walls of the lock are built of stone and timber, and every")
    canvas.drawString(60, 707, "one of them is looked at once a year.")
    _raised(canvas, 60, 340, "1 The wheel is that of the old gate and of its beam", "2", 7)
    canvas.drawString(60, 331, "which the men of the crew look at each morning before they begin.")
    canvas.drawString(60, 310, "2 See the book of the lock, where the beam is drawn.")
    canvas.showPage()
    canvas.save()
    notes = [text for kind, text in _read(out.getvalue()) if kind is AssetKind.FOOTNOTE]
    assert notes == [
        "1 The wheel is that of the old gate and of its beam 2 which the men of the crew look at"
        " each morning before they begin.",
        "2 See the book of the lock, where the beam is drawn.",
    ]
    assert len(_read(out.getvalue())) == 4
