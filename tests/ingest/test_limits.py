"""How many pages a file is allowed the time of."""

from __future__ import annotations

import io

import pypdfium2

from chapterverse.ingest.limits import estimate_pages


def blank_pdf(pages: int) -> bytes:
    document = pypdfium2.PdfDocument.new()
    for _ in range(pages):
        document.new_page(100, 100).close()
    buffer = io.BytesIO()
    document.save(buffer)
    document.close()
    return buffer.getvalue()


def test_pages_of_a_pdf_are_counted_and_those_of_others_guessed() -> None:
    assert estimate_pages(blank_pdf(3), None) == 3
    assert estimate_pages(b"%PDF-1.7 nothing", None) == 0
    assert estimate_pages(b"x" * 50_000, None) == 3
