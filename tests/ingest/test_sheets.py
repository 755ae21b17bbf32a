"""Older Excel workbooks and OpenDocument spreadsheets."""

from __future__ import annotations

import struct

import pytest

from chapterverse.ingest import sheets
from chapterverse.ingest.context import ReadContext
from chapterverse.ingest.readers import read
from chapterverse.ingest.sheets import read_ods, read_xls
from chapterverse.schema.errors import Corrupt, TooLarge
from chapterverse.schema.records import AssetKind, Parsed
from tests.ingest.zip_files import packed

NAMES = " ".join(
    f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for short, name in (("office", "office"), ("table", "table"), ("text", "text"),
                        ("meta", "meta"), ("style", "style"))
)  # fmt: skip


def cell(value: str, attributes: str = "") -> str:
    if value.replace(".", "").isdecimal():
        kind = f'office:value-type="float" office:value="{value}"'
        return f"<table:table-cell {kind} {attributes}/>"
    body = f"<text:p>{value}</text:p>" if value else ""
    kind = 'office:value-type="string"' if value else ""
    return f"<table:table-cell {kind} {attributes}>{body}</table:table-cell>"


def ods(*tables: str, title: str = "The sheets") -> bytes:
    content = (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document-content {NAMES}><office:body>'
        f"<office:spreadsheet>{''.join(tables)}</office:spreadsheet></office:body>"
        "</office:document-content>"
    )
    meta = (
        f'<office:document-meta {NAMES} xmlns:dc="http://purl.org/dc/elements/1.1/"><office:meta>'
        f"<dc:title>{title}</dc:title><dc:creator>Ann</dc:creator></office:meta>"
        "</office:document-meta>"
    )
    manifest = (
        '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>'
    )
    return packed(
        {
            "mimetype": "application/vnd.oasis.opendocument.spreadsheet",
            "META-INF/manifest.xml": manifest,
            "content.xml": content,
            "meta.xml": meta,
        }
    )


def table(name: str, *rows: tuple[str, ...]) -> str:
    body = "".join(f"<table:table-row>{''.join(map(cell, row))}</table:table-row>" for row in rows)
    return f'<table:table table:name="{name}">{body}</table:table>'


def biff(*rows: tuple[str | float, ...], sheet: str = "Old") -> bytes:
    """An OLE file (512-byte sectors) whose Workbook stream holds one sheet of BIFF8 records."""

    def record(kind: int, body: bytes) -> bytes:
        return struct.pack("<HH", kind, len(body)) + body

    def start(kind: int) -> bytes:
        return record(0x0809, struct.pack("<HHHHII", 0x0600, kind, 0x0DBB, 0x07CC, 0, 6))

    cells = b""
    for y, row in enumerate(rows):
        for x, value in enumerate(row):
            if isinstance(value, str):
                body = struct.pack("<HHHHB", y, x, 0, len(value), 1) + value.encode("utf-16-le")
                cells += record(0x0204, body)
            else:
                cells += record(0x0203, struct.pack("<HHHd", y, x, 0, value))
    name = struct.pack("<BB", len(sheet), 0) + sheet.encode()
    head = start(0x0005)
    offset = len(head) + 4 + 6 + len(name) + 4
    bound = record(0x0085, struct.pack("<IBB", offset, 0, 0) + name)
    stream = head + bound + record(0x000A, b"") + start(0x0010) + cells + record(0x000A, b"")
    size = max(4096, -(-len(stream) // 512) * 512)
    stream = stream.ljust(size, b"\0")
    count = size // 512
    fat = [0xFFFFFFFD, 0xFFFFFFFE, *range(3, count + 2), 0xFFFFFFFE]
    fat += [0xFFFFFFFF] * (128 - len(fat))

    def entry(title: str, kind: int, child: int, first: int, length: int) -> bytes:
        raw = title.encode("utf-16-le") + b"\0\0"
        links = struct.pack("<III", 0xFFFFFFFF, 0xFFFFFFFF, child)
        return (
            raw.ljust(64, b"\0") + struct.pack("<HBB", len(raw), kind, 1) + links + bytes(36)
            + struct.pack("<IQ", first, length)
        )  # fmt: skip

    directory = entry("Root Entry", 5, 1, 0xFFFFFFFE, 0)
    directory += entry("Workbook", 2, 0xFFFFFFFF, 2, size) + bytes(256)
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16)
    header += struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6) + bytes(6)
    header += struct.pack("<IIIIIIIII", 0, 1, 1, 0, 4096, 0xFFFFFFFE, 0, 0xFFFFFFFE, 0)
    header += struct.pack("<I", 0) + b"\xff" * (108 * 4)
    return header + struct.pack("<128I", *fat) + directory + stream


def rows(parsed: Parsed) -> tuple[tuple[str, ...], ...]:
    (asset,) = [a for a in parsed.assets if a.kind is AssetKind.TABLE]
    assert asset.table is not None
    return asset.table.rows


def test_ods_sheets_titles_and_places() -> None:
    data = ods(
        table("First", ("Prices", ""), ("Item", "Price"), ("Tea", "2.5"), ("Milk", "3")),
        table("My notes", ("only words",)),
    )
    parsed = read(data, ReadContext(name="x.ods"))
    assert (parsed.parser, parsed.page_unit, parsed.page_count) == ("ods/1", "sheet", 2)
    assert parsed.page_labels == ("First", "My notes")
    assert parsed.title == "The sheets" and parsed.properties == {"author": "Ann"}
    assert rows(parsed) == (("Item", "Price"), ("Tea", "2.5"), ("Milk", "3"))
    found = parsed.assets[1]
    assert found.caption == "Prices"
    assert [r.place for r in found.regions] == [
        "First!A1", "First!A2:B2", "First!A3:B3", "First!A4:B4",
    ]  # fmt: skip
    assert parsed.assets[3].regions[0].place == "'My notes'!A1"


def test_offset_tables_keep_their_places() -> None:
    data = ods(table("S", ("", "", ""), ("", "", ""), ("", "a", "b"), ("", "c", "1")))
    parsed = read_ods(data)
    assert parsed.assets[1].regions[0].place == "S!B3:C3"


def test_a_million_repeated_empty_rows() -> None:
    empty = (
        '<table:table-row table:number-rows-repeated="1048570"><table:table-cell '
        'table:number-columns-repeated="1024"/></table:table-row>'
    )
    data = ods(
        '<table:table table:name="S"><table:table-row>'
        + cell("a") + cell("b") + "</table:table-row><table:table-row>" + cell("c") + cell("1")
        + f"</table:table-row>{empty}</table:table>"
    )  # fmt: skip
    assert rows(read_ods(data)) == (("a", "b"), ("c", "1"))


def test_xls() -> None:
    data = biff(("Item", "Price"), ("Tee", 2.5), ("Käse", 3.0))
    parsed = read(data, ReadContext(name="x.xls"))
    assert (parsed.parser, parsed.page_labels) == ("xls/1", ("Old",))
    assert rows(parsed) == (("Item", "Price"), ("Tee", "2.5"), ("Käse", "3"))
    assert [r.place for r in parsed.assets[1].regions] == ["Old!A1:B1", "Old!A2:B2", "Old!A3:B3"]


def test_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    data = ods(*(table(f"T{n}", ("a", "1"), ("b", "2"), ("c", "3")) for n in range(3)))
    with pytest.raises(TooLarge, match="3 sheets; 2 are allowed"):
        read_ods(data, ReadContext(max_pages=2))
    monkeypatch.setattr(sheets, "MAX_CELLS", 4)
    parsed = read_ods(data)
    assert rows(parsed) == (("a", "1"), ("b", "2"))
    assert [w.code for w in parsed.warnings] == ["rows_left_out"] * 3
    assert "from 3 on" in parsed.warnings[0].message
    monkeypatch.setattr(sheets, "_MOST_PLACES", 5)
    assert "spans 3 rows" in read_ods(data).warnings[0].message


@pytest.mark.parametrize("cut", [0.3, 0.6])
def test_damage(cut: float) -> None:
    old = biff(("Item", "Price"), ("Tea", 2.5))
    with pytest.raises(Corrupt):
        read_xls(old[: int(len(old) * cut)])
    new = ods(table("S", ("a", "1"), ("b", "2")))
    with pytest.raises(Corrupt):
        read(new[: int(len(new) * cut)], ReadContext(name="x.ods"))
    with pytest.raises(Corrupt):
        read_ods(new.replace(b"</office:spreadsheet>", b"</office:spread<heet>"))
