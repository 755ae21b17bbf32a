"""Saved web pages: the page itself, with the pictures saved beside it."""

from __future__ import annotations

import base64
import io

import pytest
from PIL import Image

from chapterverse.ingest.context import ReadContext
from chapterverse.ingest.mhtml import read_mhtml
from chapterverse.ingest.readers import read
from chapterverse.schema.errors import Corrupt
from chapterverse.schema.records import AssetKind


def picture() -> str:
    buffer = io.BytesIO()
    Image.new("RGB", (30, 20)).save(buffer, "PNG")
    return base64.b64encode(buffer.getvalue()).decode()


def saved(html: str, *more: str) -> bytes:
    head = (
        "From: <Saved by Blink>\r\nSnapshot-Content-Location: https://example.org/a/page.html\r\n"
        "Subject: Saved\r\nDate: Tue, 01 Oct 2024 12:34:56 -0000\r\nMIME-Version: 1.0\r\n"
        'Content-Type: multipart/related; type="text/html"; boundary="b"\r\n\r\n'
    )
    page = (
        "Content-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable\r\n"
        f"Content-Location: https://example.org/a/page.html\r\n\r\n{html}"
    )
    parts = "".join(f"--b\r\n{part}\r\n" for part in (page, *more))
    return f"{head}{parts}--b--\r\n".encode()


def test_page_with_its_pictures() -> None:
    image = (
        "Content-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n"
        f"Content-Location: https://example.org/a/img/vent.png\r\n\r\n{picture()}"
    )
    frame = "Content-Type: text/html\r\n\r\n<p>An advertisement.</p>"
    html = (
        "<html><head><title>Notes</title><body><h1>Notes</h1><p>Caf=C3=A9 text.</p>"
        "<img src=3D'img/vent.png' alt=3D'A vent'><img src=3D'https://example.com/o.png'></body>"
    )
    parsed = read(saved(html, image, frame), ReadContext(name="a.mhtml"))
    assert parsed.media_type == "multipart/related"
    assert parsed.title == "Notes"
    assert [(a.kind, a.text) for a in parsed.assets] == [
        (AssetKind.HEADING, "Notes"),
        (AssetKind.PARAGRAPH, "Café text."),
        (AssetKind.FIGURE, "A vent"),
    ]
    shown = parsed.assets[2].picture
    assert shown is not None
    assert (shown.media_type, shown.width, shown.height) == ("image/png", 30, 20)
    assert parsed.properties["source"] == "https://example.org/a/page.html"
    assert [warning.code for warning in parsed.warnings] == ["frames_left_out", "pictures_left_out"]


def test_a_saved_page_without_a_page_is_corrupt() -> None:
    data = saved("<p>x").replace(b"text/html\r\nContent-T", b"text/css\r\nContent-T")
    with pytest.raises(Corrupt, match="no HTML part"):
        read_mhtml(data)
