"""Media types come from content; what cannot be read is refused with its reason."""

from __future__ import annotations

import io
import zipfile

import pytest

from chapterverse.ingest import media_types as m
from chapterverse.ingest import sniff_archives
from chapterverse.ingest.media_types import DOCX, HTML, MARKDOWN, PDF, TEXT
from chapterverse.ingest.sniff import sniff
from chapterverse.schema.errors import Corrupt, Empty, Encrypted, TooLarge, Unsupported
from tests.ingest.office_files import open_document
from tests.ingest.ole_files import Tree, ole_file
from tests.ingest.zip_files import packed

WORD = b'<Types><Override ContentType="x.wordprocessingml.document.main+xml"/></Types>'
EXCEL = b'<Types><Override ContentType="x.spreadsheetml.sheet.main+xml"/></Types>'
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)
WORD_97: Tree = {"WordDocument": b"x", "1Table": b"x"}
MESSAGE: Tree = {"__properties_version1.0": b"x"}


def archive(**members: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in members.items():
            file.writestr({"types": "[Content_Types].xml"}.get(name, name), data)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("data", "name", "expected"),
    [
        (b"%PDF-1.7\n", "a.txt", PDF),
        (b"junk line\n%PDF-1.4\n", "a.pdf", PDF),
        (archive(types=WORD), "report.pdf", DOCX),
        (b"<!DOCTYPE html><p>x", "a.txt", HTML),
        (b"\xef\xbb\xbf <!-- c --><html><body>x", "page", HTML),
        ('<?xml version="1.0"?><html>'.encode("utf-16"), "page", HTML),
        (b"<div><p>a</p><p>b</p></div>", "part", HTML),
        (b"<div><p>a</p><p>b</p></div>", "part.md", MARKDOWN),
        (b"# Title\n", "a.MD", MARKDOWN),
        (b"# Title\n", "a.txt", TEXT),
        ("第一章 总则".encode("gb18030"), "a.txt", TEXT),
        (b"plain", "noname", TEXT),
        (b"<!-- a -->\n" * 5000 + b"<div>a</div><p>b</p><p>c</p>", "many-comments", HTML),
        (b"<!-- a --> " * 100 + b"<html>", "many-comments", HTML),
        (archive(types=EXCEL), "a.zip", m.XLSX),
        (archive(types=b"ms-excel.sheet.macroEnabled.main+xml"), "a.xlsm", m.XLSX),
        (archive(types=b"presentationml.slideshow.main+xml"), "a.ppsx", m.PPTX),
        (archive(a=b"1", b=b"2"), "a.zip", m.ZIP),
        (packed({"inner.pdf": b"%PDF-1.4 inside"}), "a.zip", m.ZIP),
        (archive(**{"META-INF/container.xml": b"x"}), "a.epub", m.EPUB),
        (
            archive(
                **{
                    "mimetype": b"application/vnd.oasis.opendocument.spreadsheet",
                    "content.xml": b"",
                }
            ),
            "a",
            m.ODS,
        ),
        (OLE + "WordDocument".encode("utf-16-le"), "a.doc", m.DOC),
        (OLE + "__properties_version1.0".encode("utf-16-le"), "a.msg", m.MSG),
        (ole_file({"WordDocument": b"x", "ObjectPool": {"_1": {"Workbook": b"x"}}}), "a", m.DOC),
        (ole_file({"WORKBOOK": b"x", "MBD1": {"WordDocument": b"x"}}), "a", m.XLS),
        (ole_file({"Book": b"x"}), "a.doc", m.XLS),
        (ole_file({"PowerPoint Document": b"x", "Current User": b"x"}), "a.doc", m.PPT),
        (ole_file({**MESSAGE, "__attach_#0": {"__substg1.0_3701000D": WORD_97}}), "a", m.MSG),
        (ole_file({**MESSAGE, "__attach_#0": {"file": ole_file(WORD_97)}}), "a.doc", m.MSG),
        (ole_file(WORD_97)[:-512], "a.doc", m.DOC),
        (open_document("text"), "a", m.ODT),
        (open_document("text-template"), "a.ott", m.ODT),
        (open_document("presentation"), "a.zip", m.ODP),
        (b"{\\rtf1 hello}", "a.txt", m.RTF),
        (b"{\\rtf1 hello}", "a.doc", m.RTF),
        (b"\x89PNG\r\n\x1a\n", "a.jpg", m.PNG),
        (b"II*\0", "a", m.TIFF),
        (b"RIFF\0\0\0\0WEBPVP8 ", "a", m.WEBP),
        (b"From: a@b\r\nTo: c@d\r\nSubject: x\r\n\r\nhello", "a", m.EML),
        (b"From: a@b\nSubject: x\n\nhello", "a.eml", m.EML),
        (b"From a@b Mon Jan  1 00:00:00 2024\nFrom: a@b\n\nhello", "a", m.MBOX),
        (b"From: me\nTo: you\nhello there, this is a letter", "a.txt", TEXT),
        (b"a,b\n1,2\n", "a.csv", m.CSV),
        (b"a\tb\n1\t2\n", "a.tsv", m.TSV),
        (b'{"a": 1}', "a.json", m.JSON),
        (b'{"a": 1}\n{"a": 2}\n', "a.json", m.JSON_LINES),
        (b'{"a": 1}\n', "a.jsonl", m.JSON_LINES),
        (b"def f(): pass\n", "a.py", m.CODE),
        (b"all:\n\techo\n", "Makefile", m.CODE),
        (b"#!/bin/sh\necho\n", "run", m.CODE),
    ],
)
def test_content_decides(data: bytes, name: str, expected: str) -> None:
    assert sniff(data, name) == expected


@pytest.mark.parametrize(
    ("data", "error", "word"),
    [
        (b"", Empty, "no bytes"),
        (b"GIF89a", Unsupported, "GIF"),
        (b"7z\xbc\xaf\x27\x1c", Unsupported, "unpack"),
        (bytes(range(256)) * 8, Unsupported, "neither text"),
        (b"PK\x03\x04 half of an archive", Corrupt, "ZIP"),
        (archive(types=WORD)[:-30], Corrupt, "ZIP"),
        (archive(types=b"<Types/>"), Unsupported, "Office package"),
        (OLE + "EncryptedPackage".encode("utf-16-le"), Encrypted, "password"),
        (ole_file({"EncryptedPackage": b"x", "WordDocument": b"x"}), Encrypted, "protection"),
        (open_document("text", "<manifest:encryption-data/>"), Encrypted, "password"),
        (open_document("graphics"), Unsupported, "save it as PDF"),
        (ole_file({"other": b"x", "b": WORD_97}), Unsupported, "neither Office nor mail"),
        (OLE, Corrupt, "Outlook"),
        (ole_file(WORD_97)[:600], Corrupt, "Outlook"),
    ],
)
def test_refusals_say_why(data: bytes, error: type[Exception], word: str) -> None:
    with pytest.raises(error, match=r"^thing\.docx: ") as caught:
        sniff(data, "thing.docx")
    assert word in str(caught.value)


def test_a_damaged_stream_of_an_archive_is_named() -> None:
    data = archive(types=WORD * 50)
    start = data.index(b"[Content_Types].xml") + len(b"[Content_Types].xml")
    broken = data[:start] + b"\xff" * 8 + data[start + 8 :]
    with pytest.raises(Corrupt, match="broken"):
        sniff(broken, "thing.docx")


def test_archive_that_unpacks_to_too_much_is_refused_unopened(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bomb = archive(types=WORD, big=bytes(200_000))

    def unpack(*_: object) -> None:
        raise AssertionError("unpacked")

    monkeypatch.setattr(zipfile.ZipFile, "open", unpack)
    monkeypatch.setattr(sniff_archives, "RATIO_FROM", 100_000)
    with pytest.raises(TooLarge, match="times its size"):
        sniff(bomb, "bomb.docx")
    monkeypatch.setattr(sniff_archives, "MAX_UNPACKED", 100_000)
    with pytest.raises(TooLarge, match="unpacks to"):
        sniff(bomb, "bomb.docx")
    monkeypatch.setattr(sniff_archives, "MAX_MEMBERS", 1)
    with pytest.raises(TooLarge, match="2 members"):
        sniff(bomb, "bomb.docx")
