"""Encrypted Office files open with their password, and with no other."""

from __future__ import annotations

import io
from pathlib import Path

import olefile
import pytest

from chapterverse.ingest import media_types as media
from chapterverse.ingest.context import ReadContext
from chapterverse.ingest.office_crypto import opened
from chapterverse.ingest.readers import read
from chapterverse.schema.errors import Corrupt, Encrypted
from chapterverse.schema.records import AssetKind
from tests.bases import open_base
from tests.ingest.every_format import small_files
from tests.ingest.office_files import locked_doc, locked_package, locked_xls
from tests.ingest.ole_files import ole_file
from tests.ingest.sheet_files import biff
from tests.ingest.zip_files import packed

FILES = small_files()
PASSWORD = "泵 sesame"


def context(name: str, password: str | None = None) -> ReadContext:
    return ReadContext(name=name, password=password)


def records() -> bytes:
    with olefile.OleFileIO(io.BytesIO(biff(("part", "hours"), ("seal", 8000.0)))) as file:
        return bytes(file.openstream("Workbook").read())


@pytest.mark.parametrize("name", ["letter.docx", "deck.pptx", "book.xlsx"])
def test_packages_are_read_as_if_they_were_never_encrypted(name: str) -> None:
    plain = FILES[name]
    locked = locked_package(plain, PASSWORD)
    assert read(locked, context(name, PASSWORD)) == read(plain, context(name))
    with pytest.raises(Encrypted, match=rf"^{name}: .* give its password"):
        read(locked, context(name))
    with pytest.raises(Encrypted, match=rf"^{name}: the password does not open"):
        read(locked, context(name, "Sesame"))


def test_xls() -> None:
    locked = locked_xls(records(), PASSWORD)
    (table,) = [
        a for a in read(locked, context("a.xls", PASSWORD)).assets if a.kind is AssetKind.TABLE
    ]
    assert table.table is not None
    assert table.table.rows == (("part", "hours"), ("seal", "8000"))
    for password in (None, "Sesame", ""):
        with pytest.raises(Encrypted):
            read(locked, context("a.xls", password))


def test_doc() -> None:
    locked = locked_doc(b"Oil the pump every day.", PASSWORD)
    with olefile.OleFileIO(io.BytesIO(opened(locked, context("a.doc", PASSWORD)))) as file:
        stream = file.openstream("WordDocument").read()
    assert stream[68:91] == b"Oil the pump every day."
    assert not stream[11] & 1
    for password in (None, "Sesame"):
        with pytest.raises(Encrypted):
            opened(locked, context("a.doc", password))


@pytest.mark.parametrize("password", [None, "of the user for other files"])
def test_protection_from_changes_only_needs_no_password(password: str | None) -> None:
    book = FILES["book.xlsx"]
    assert opened(locked_package(book, "VelvetSweatshop"), context("a.xlsx", password)) == book
    locked = locked_xls(records(), "VelvetSweatshop")
    assert read(locked, context("a.xls", password)).assets


def test_other_files_pass_untouched() -> None:
    mail = ole_file({"__properties_version1.0": b"x"})
    for data in (b"", b"text", FILES["letter.docx"], mail, mail[:600], biff(("a", 1.0))):
        assert opened(data, context("a", PASSWORD)) is data


def test_in_archives_they_open_with_the_password_of_the_archive(tmp_path: Path) -> None:
    locked = locked_package(FILES["deck.pptx"], PASSWORD)
    (path := tmp_path / "in.zip").write_bytes(packed({"deck.pptx": locked}))
    asked: list[str] = []

    def password(uri: str) -> str:
        asked.append(uri.rpartition("/")[2])
        return PASSWORD

    with open_base(tmp_path / "kb") as kb:
        assert [item.code for item in kb.ingest(path).items] == [None, "encrypted"]
        assert [item.code for item in kb.ingest(path, password=password).items] == [None, None]
        assert len(asked) == 1
        assert {d.revision.media_type for d in kb.documents()} == {media.ZIP, media.PPTX}


def test_damage() -> None:
    locked = bytearray(locked_package(FILES["book.xlsx"], PASSWORD))
    at = locked.index(b"<encryption")
    locked[at : at + 11] = b"!" * 11
    with pytest.raises(Encrypted, match="password alone"):
        read(bytes(locked), context("a.xlsx", PASSWORD))
    stream = locked_doc(b"x", PASSWORD)
    stream = stream.replace(b"\x01\0\x01\0" + bytes(range(16)), b"\x09\0\x09\0" + bytes(range(16)))
    with pytest.raises(Corrupt, match="way that is not known"):
        opened(stream, context("a.doc", PASSWORD))
