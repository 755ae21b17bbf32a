"""One small file of every format that needs no other program, made on the spot."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from typing import Any

import docx
import openpyxl
import pptx
from PIL import Image, ImageDraw

from tests.bases import MANUAL
from tests.ingest import pdf_files
from tests.ingest.msg_files import attachment, full
from tests.ingest.ole_files import Tree, ole_file
from tests.ingest.sheet_files import biff, ods, ods_table

__all__ = ["small_files"]

_HTML = """<!doctype html><html><head><title>Pumps</title></head><body><h1>Pumps</h1>
<p>Every pump is checked at least once in a month.</p>
<table><caption>Table 1: Oil</caption><thead><tr><th>part</th><th colspan="2">oil</th></tr></thead>
<tbody><tr><td rowspan="2">seal</td><td>1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr></tbody>
</table><figure><img src="cid:a" alt="a pump"><figcaption>Figure 1: A pump</figcaption></figure>
<ul><li>one<ul><li>two</li></ul></li></ul></body></html>"""
_MAIL = """From: Ann <ann@example.org>
To: Ben <ben@example.org>
Subject: The pump
Date: Mon, 3 Mar 2025 10:00:00 +0000
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="b1"

--b1
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: quoted-printable

The pump was overhauled on Monday=2E It runs again=2E
--b1
Content-Type: text/markdown; name="manual.md"
Content-Disposition: attachment; filename="manual.md"
Content-Transfer-Encoding: base64

IyBQdW1wCgpPaWwgaXQuCg==
--b1--
"""
_CONTAINER = """<?xml version="1.0"?><container version="1.0"
 xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile
 full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>"""
_BOOK = """<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0"
 unique-identifier="id"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:identifier id="id">x</dc:identifier><dc:title>Pumps</dc:title><dc:language>en</dc:language>
</metadata><manifest><item id="c" href="c.xhtml" media-type="application/xhtml+xml"/></manifest>
<spine><itemref idref="c"/></spine></package>"""
_CHAPTER = """<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>C</title>
</head><body><h1>Chapter 1</h1><p>Oil the pump every day.</p></body></html>"""
_ROWS: list[tuple[str, str | int]] = [("part", "hours"), ("seal", 8000), ("bearing", 16000)]


def small_files() -> dict[str, bytes]:
    """Name and content of each file."""
    table = "\n".join(",".join(map(str, row)) for row in _ROWS)
    mail = _MAIL.encode()
    mhtml = (
        "From: <Saved by a browser>\nSubject: Pumps\nMIME-Version: 1.0\n"
        'Content-Type: multipart/related; type="text/html"; boundary="b2"\n\n'
        "--b2\nContent-Type: text/html; charset=utf-8\nContent-Location: http://a.example/\n\n"
        f"{_HTML}\n--b2--\n"
    )
    return {
        "report.pdf": pdf_files.with_table_and_figure(),
        "labels.pdf": pdf_files.labelled(),
        "letter.docx": _word(),
        "deck.pptx": _slides(),
        "book.xlsx": _sheets(),
        "page.html": _HTML.encode(),
        "page.mhtml": mhtml.encode(),
        "manual.md": MANUAL.encode(),
        "plain.txt": "1 Scope\n\nOil the pump. 泵每天加油。\n".encode("gb18030"),
        "table.csv": table.encode("utf-8-sig"),
        "table.tsv": table.replace(",", "\t").encode(),
        "records.json": b'[{"part": "seal", "hours": 8000}, {"part": "bearing", "hours": 1}]',
        "records.jsonl": b'{"part": "seal"}\n{"part": "bearing", "at": {"x": [1, 2]}}\n',
        "mail.eml": mail,
        "box.mbox": b"From ann Mon Mar  3 10:00:00 2025\n" + mail + b"\n",
        "book.epub": _zipped(
            {
                "mimetype": b"application/epub+zip",
                "META-INF/container.xml": _CONTAINER.encode(),
                "book.opf": _BOOK.encode(),
                "c.xhtml": _CHAPTER.encode(),
            }
        ),
        "folder.zip": _zipped({"a/manual.md": MANUAL.encode(), "page.html": _HTML.encode()}),
        "old.xls": biff(*_ROWS),
        "open.ods": ods(ods_table("Parts", *(tuple(map(str, row)) for row in _ROWS))),
        "note.msg": ole_file(full(**{"__attach_version1.0_#00000000": _attached()})),
        "tool.py": b"def oil(pump):\n    return pump\n\n\nclass Pump:\n    pass\n",
        **{f"sign.{kind}": _image(kind) for kind in ("png", "jpeg", "tiff", "webp")},
    }


def _attached() -> Tree:
    return attachment(1, "manual.md", MANUAL.encode())


def _zipped(members: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            method = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            archive.writestr(zipfile.ZipInfo(name), data, compress_type=method)
    return out.getvalue()


def _saved(file: Any) -> bytes:
    out = io.BytesIO()
    file.save(out)
    return out.getvalue()


def _word() -> bytes:
    document = docx.Document()
    document.add_heading("Pump", 1)
    document.add_paragraph("Oil the pump every day.")
    document.add_paragraph("seal", style="List Number")
    table = document.add_table(rows=3, cols=2)
    for row, cells in zip(table.rows, _ROWS, strict=True):
        for cell, text in zip(row.cells, cells, strict=True):
            cell.text = str(text)
    document.add_picture(io.BytesIO(_image("png")))
    return _saved(document)


def _slides() -> bytes:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "Pumps"
    slide.placeholders[1].text = "Oil them\nevery day"
    frame = slide.shapes.add_table(3, 2, 900_000, 3_000_000, 5_000_000, 1_000_000)
    for y, row in enumerate(_ROWS):
        for x, text in enumerate(row):
            frame.table.cell(y, x).text = str(text)
    slide.notes_slide.notes_text_frame.text = "Say why."
    return _saved(deck)


def _sheets() -> bytes:
    book = openpyxl.Workbook()
    for row in _ROWS:
        book.active.append(row)
    book.create_sheet("More").append(["Total", 24000])
    return _saved(book)


def _image(kind: str) -> bytes:
    image = Image.new("RGB", (200, 60), "white")
    ImageDraw.Draw(image).text((10, 20), "Oil the pump", fill="black")
    out = io.BytesIO()
    image.save(out, kind.upper())
    return out.getvalue()
