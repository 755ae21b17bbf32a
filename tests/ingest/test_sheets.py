"""Older Excel workbooks and OpenDocument spreadsheets."""

from __future__ import annotations

import struct

import pytest

from chapterverse.ingest import ods as ods_reader
from chapterverse.ingest import sheets
from chapterverse.ingest.context import ReadContext
from chapterverse.ingest.ods import read_ods
from chapterverse.ingest.readers import read
from chapterverse.ingest.sheets import read_xls
from chapterverse.ingest.xls_container import packed_anew, workbook_stream
from chapterverse.ingest.xls_records import check_sizes
from chapterverse.schema.errors import Corrupt, TooLarge
from chapterverse.schema.records import AssetKind, Parsed
from tests.ingest.sheet_files import biff, biff_record, cell, ods, ods_table


def rows(parsed: Parsed) -> tuple[tuple[str, ...], ...]:
    (asset,) = [a for a in parsed.assets if a.kind is AssetKind.TABLE]
    assert asset.table is not None
    return asset.table.rows


def test_ods_sheets_titles_and_places() -> None:
    data = ods(
        ods_table("First", ("Prices", ""), ("Item", "Price"), ("Tea", "2.5"), ("Milk", "3")),
        ods_table("My notes", ("only words",)),
    )
    parsed = read(data, ReadContext(name="x.ods"))
    assert (parsed.parser, parsed.page_unit, parsed.page_count) == ("ods/2", "sheet", 2)
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
    data = ods(ods_table("S", ("", "", ""), ("", "", ""), ("", "a", "b"), ("", "c", "1")))
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
    assert (parsed.parser, parsed.page_labels) == ("xls/2", ("Old",))
    assert rows(parsed) == (("Item", "Price"), ("Tee", "2.5"), ("Käse", "3"))
    assert [r.place for r in parsed.assets[1].regions] == ["Old!A1:B1", "Old!A2:B2", "Old!A3:B3"]


def test_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    data = ods(*(ods_table(f"T{n}", ("a", "1"), ("b", "2"), ("c", "3")) for n in range(3)))
    with pytest.raises(TooLarge, match="3 sheets; 2 are allowed"):
        read_ods(data, ReadContext(max_pages=2))
    monkeypatch.setattr(ods_reader, "MAX_CELLS", 4)
    parsed = read_ods(data)
    assert rows(parsed) == (("a", "1"), ("b", "2"))
    assert [w.code for w in parsed.warnings] == ["rows_left_out"] * 3
    assert "from 3 on" in parsed.warnings[0].message
    monkeypatch.setattr(sheets, "_MOST_PLACES", 5)
    old = biff(("a", 1), ("b", 2), ("c", 3))
    assert "spans 3 rows" in read_xls(old).warnings[0].message


@pytest.mark.parametrize("cut", [0.3, 0.6])
def test_damage(cut: float) -> None:
    old = biff(("Item", "Price"), ("Tea", 2.5))
    with pytest.raises(Corrupt):
        read_xls(old[: int(len(old) * cut)])
    new = ods(ods_table("S", ("a", "1"), ("b", "2")))
    with pytest.raises(Corrupt):
        read(new[: int(len(new) * cut)], ReadContext(name="x.ods"))
    with pytest.raises(Corrupt):
        read_ods(new.replace(b"</office:spreadsheet>", b"</office:spread<heet>"))


def test_what_lies_beside_the_cells_of_xls_is_counted() -> None:
    def drawn(kind: int) -> bytes:
        return biff_record(0x005D, struct.pack("<HHHHH", 0x15, 0x12, kind, 1, 0) + bytes(12))

    note = biff_record(0x001C, bytes(8))
    more = note + drawn(0x19) + note + drawn(0x08) + drawn(0x05) + drawn(0x02)
    (warning,) = read_xls(biff(("a", "b"), ("c", 1), more=more)).warnings
    assert warning.code == "objects_unread"
    assert warning.message.startswith("2 comments, 1 pictures, 1 charts are not read of .xls files")


def test_properties_of_xls() -> None:
    def text(number: int, value: bytes) -> tuple[int, bytes]:
        return number, struct.pack("<II", 0x1E, len(value) + 1) + value.ljust(
            len(value) // 4 * 4 + 4, b"\0"
        )

    told = [(1, struct.pack("<IHH", 2, 1252, 0)), text(2, b"B\xe4ume"), text(4, b"Ann")]
    at, table, values = 8 + 8 * len(told), b"", b""
    for number, value in told:
        table += struct.pack("<II", number, at + len(values))
        values += value
    body = struct.pack("<II", at + len(values), len(told)) + table + values
    head = struct.pack("<HHIQQI", 0xFFFE, 0, 0, 0, 0, 1) + bytes(16) + struct.pack("<I", 48)
    data = biff(("a", "b"), ("c", 1), streams={"\x05SummaryInformation": head + body})
    parsed = read_xls(data)
    assert (parsed.title, parsed.properties) == ("Bäume", {"author": "Ann"})


@pytest.mark.parametrize("size", [0, 4096, 4097, 5_000_000])
def test_the_container_of_a_workbook_is_packed_anew(size: int) -> None:
    stream = bytes(n % 251 for n in range(size))
    name, read_back = workbook_stream(packed_anew("Book", stream))
    assert name == "Book" and read_back == stream.ljust(max(4096, size), b"\0")


def test_links_in_a_circle_are_followed_no_further_than_the_stream_is_long() -> None:
    data = bytearray(biff(("a", "b"), ("c", 1)))
    # The sectors of the workbook come first; its last link says that it ends.
    table = data.index(struct.pack("<III", 1, 2, 3))
    struct.pack_into("<8I", data, table, *([0] * 8))
    assert len(workbook_stream(bytes(data))[1]) == 4096
    assert read_xls(bytes(data)).page_count == 1


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        (0x0200, struct.pack("<IIHHH", 0, 0xC0000001, 0, 3, 0)),
        (0x0200, struct.pack("<IIHHH", 0, 3, 0, 300, 0)),
        (0x0200, struct.pack("<IIHHH", 16, 8, 0, 3, 0)),
        (0x00FC, struct.pack("<II", 1, 0x7FFFFFFF)),
    ],
)
def test_impossible_sizes_are_corrupt(kind: int, body: bytes) -> None:
    with pytest.raises(Corrupt, match="claims"):
        read_xls(biff(("a", "b"), ("c", 1), more=biff_record(kind, body)))


def test_sizes_of_encrypted_workbooks_are_not_looked_at() -> None:
    wrong = biff_record(0x0200, struct.pack("<IIHHH", 16, 8, 0, 3, 0))
    check_sizes(biff_record(0x002F, bytes(54)) + wrong)
    with pytest.raises(ValueError, match="claims"):
        check_sizes(wrong)


def test_a_panic_of_the_library_is_damage(monkeypatch: pytest.MonkeyPatch) -> None:
    panic = type("PanicException", (BaseException,), {})

    def fails(book: object, number: int, budget: int) -> None:
        raise panic("slice index starts at 4608 but ends at 4591")

    monkeypatch.setattr(sheets, "_sheet_at", fails)
    with pytest.raises(Corrupt, match="slice index"):
        read_xls(biff(("a", "b"), ("c", 1)))
