"""How many pages a file is allowed the time of, and what is no file at all."""

from __future__ import annotations

import io
from pathlib import Path

import pypdfium2
import pytest

from chapterverse.ingest.limits import estimate_pages, read_source
from chapterverse.schema.errors import FileMissing, FileUnreadable


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


def test_what_is_no_file_is_called_by_its_name(tmp_path: Path) -> None:
    with pytest.raises(FileUnreadable, match=r"^manuals: is a folder; name one of its files$"):
        read_source(tmp_path, "manuals", 100)
    with pytest.raises(FileMissing, match=r"^a\.txt: there is no such file"):
        read_source(tmp_path / "a.txt", "a.txt", 100)
