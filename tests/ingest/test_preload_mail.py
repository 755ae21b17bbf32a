"""Readers that hand pages to that of HTML have it loaded before any document is looked at."""

from __future__ import annotations

import subprocess
import sys

import pytest

from chapterverse.ingest import media_types as media
from chapterverse.ingest.preload import guess


@pytest.mark.parametrize(
    ("head", "name", "expected"),
    [
        (b"From: a@b\n", "a.eml", media.EML),
        (b"\xd0\xcf\x11\xe0", "a.MSG", media.MSG),
        (b"From: x\n", "a.mht", media.MHTML),
        (b"PK\x03\x04", "a.epub", media.EPUB),
        (b"PK\x03\x04", "a.zip", media.ZIP),
        (b"\xd0\xcf\x11\xe0", "a.doc", media.DOCX),
        (b"\xd0\xcf\x11\xe0", "a.PPT", media.PPTX),
        (b"\xd0\xcf\x11\xe0", "locked.xlsx", media.XLSX),
        (b"PK\x03\x04", "a.odt", media.DOCX),
        (b"PK\x03\x04", "a.odp", media.PPTX),
        (b"{\\rtf1", "a.doc", media.DOCX),
    ],
)
def test_what_comes_through_another_reader_is_guessed(
    head: bytes, name: str, expected: str
) -> None:
    assert guess(head, name) == expected


def test_the_machinery_of_html_is_loaded_for_mail() -> None:
    code = (
        "import sys; from chapterverse.ingest.preload import preload; "
        "from chapterverse.ingest.media_types import EML; preload(EML); "
        "print('unstructured.partition.html' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True"
