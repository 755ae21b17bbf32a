"""OpenDocument spreadsheets: values as people see them, and what lies beside the cells."""

from __future__ import annotations

import pytest

from chapterverse.ingest.ods import read_ods
from chapterverse.schema.errors import Corrupt, Encrypted
from chapterverse.schema.records import Asset, AssetKind, Merge, Parsed, Table
from tests.ingest.sheet_files import cell, ods, ods_table
from tests.ingest.word_files import png
from tests.ingest.zip_files import damaged, edited


def sheet(*rows: str, name: str = "S", attributes: str = "", before: str = "") -> str:
    body = "".join(f"<table:table-row>{row}</table:table-row>" for row in rows)
    return f'<table:table table:name="{name}" {attributes}>{before}{body}</table:table>'


def value(kind: str, stored: str, shown: str) -> str:
    name = {"date": "date-value", "time": "time-value", "boolean": "boolean-value"}.get(
        kind, "value"
    )
    return (
        f'<table:table-cell office:value-type="{kind}" office:{name}="{stored}">'
        f"<text:p>{shown}</text:p></table:table-cell>"
    )


def only_table(parsed: Parsed) -> Table:
    (asset,) = of_kind(parsed, AssetKind.TABLE)
    assert asset.table is not None
    return asset.table


def of_kind(parsed: Parsed, kind: AssetKind) -> list[Asset]:
    return [asset for asset in parsed.assets if asset.kind is kind]


@pytest.mark.parametrize(
    ("kind", "stored", "shown", "text"),
    [
        ("float", "1234.5", "1,234.50", "1234.50"),
        ("currency", "1234.5", "1.234,50 €", "1234.50 €"),
        ("currency", "-20", "-20,00 €", "-20.00 €"),
        ("float", "1234567", "1 234 567", "1234567"),
        ("float", "1.5", "1,500", "1.500"),
        ("float", "1500", "1,500", "1500"),
        ("percentage", "0.125", "12,5 %", "12.5 %"),
        ("float", "0.3333333", "1/3", "1/3"),
        ("float", "1", "TRUE", "TRUE"),
        ("date", "2024-01-15", "15.01.2024", "2024-01-15"),
        ("date", "2024-02-01T13:30:00", "01.02.24", "2024-02-01 13:30:00"),
        ("time", "PT30H05M00S", "30:05", "30:05:00"),
        ("boolean", "false", "FALSCH", "FALSE"),
    ],
)
def test_values(kind: str, stored: str, shown: str, text: str) -> None:
    data = ods(sheet(cell("a") + cell("b"), cell("c") + value(kind, stored, shown)))
    assert only_table(read_ods(data)).rows[1] == ("c", text)


def test_merged_repeated_and_covered_cells() -> None:
    head = (
        cell("")
        + cell("2023", 'table:number-columns-spanned="2" table:number-rows-spanned="1"')
        + '<table:covered-table-cell/><table:table-cell office:value-type="string" '
        'table:number-columns-repeated="2"><text:p>next</text:p></table:table-cell>'
    )
    rows = ["".join(map(cell, row)) for row in (("Item", "a", "b", "c", "d"), ("x", *"1234"))]
    table = only_table(read_ods(ods(sheet(head, *rows))))
    assert table.rows[0] == ("", "2023", "2023", "next", "next")
    assert table.merges == (Merge(0, 1, 1, 2),)


def test_repeated_rows_are_all_read() -> None:
    repeated = f'<table:table-row table:number-rows-repeated="3">{cell("x")}{cell("1")}'
    data = ods(
        f'<table:table table:name="S"><table:table-row>{cell("a")}{cell("b")}</table:table-row>'
        f"{repeated}</table:table-row></table:table>"
    )
    assert only_table(read_ods(data)).rows == (("a", "b"), *[("x", "1")] * 3)


def test_texts_of_cells() -> None:
    inside = (
        "<text:p>one<text:s text:c='2'/>two<text:line-break/>three</text:p><text:p>four</text:p>"
    )
    data = ods(sheet(f'<table:table-cell office:value-type="string">{inside}</table:table-cell>'))
    assert read_ods(data).assets[1].text.split() == ["one", "two", "three", "four"]


def test_comments_pictures_and_shapes_stand_by_their_cells() -> None:
    note = "<office:annotation><text:p>a</text:p><text:p>remark</text:p></office:annotation>"
    frame = (
        '<draw:frame><draw:image xlink:href="Pictures/p.png"/><svg:desc>A pump</svg:desc>'
        "</draw:frame>"
    )
    lost = '<draw:frame><draw:image xlink:href="Pictures/gone.png"/></draw:frame>'
    chart = '<draw:frame><draw:object xlink:href="./Object 1"/></draw:frame>'
    shape = "<draw:custom-shape><text:p>On a shape</text:p></draw:custom-shape>"
    noted = cell("c").replace("<text:p>", f"{note}<text:p>")
    row = cell("") + f"<table:table-cell>{frame}{lost}{chart}{shape}</table:table-cell>"
    data = ods(
        sheet(cell("a") + cell("b"), noted + cell("1"), cell(""), row),
        parts={"Pictures/p.png": png()},
    )
    parsed = read_ods(data)
    assert [(str(a.kind), a.text, a.regions[0].place) for a in parsed.assets[2:]] == [
        ("footnote", "a remark", "S!A2"),
        ("figure", "A pump", "S!B4"),
        ("paragraph", "On a shape", "S!B4"),
    ]
    assert parsed.assets[3].picture is not None
    assert [(w.code, w.page) for w in parsed.warnings] == [
        ("chart_unread", 1),
        ("pictures_left_out", 1),
    ]


def test_hidden_sheets_and_bold_heads() -> None:
    styles = (
        '<style:style style:name="ta1"><style:table-properties table:display="false"/>'
        '</style:style><style:style style:name="b"><style:text-properties fo:font-weight="bold"/>'
        "</style:style>"
    )
    bold = [cell(text, 'table:style-name="b"') for text in ("x", "y")]
    rows = ["".join(bold), *(cell(text) + cell("z") for text in ("p", "q"))]
    hidden = 'table:style-name="ta1"'
    parsed = read_ods(ods(sheet(*rows, attributes=hidden), styles=styles))
    assert only_table(parsed).header_rows == 1
    assert [(w.code, w.page) for w in parsed.warnings] == [("hidden_sheet", 1)]


def test_encrypted_and_damaged_parts() -> None:
    entry = '<manifest:encryption-data manifest:checksum="x"/>'
    data = ods(ods_table("S", ("a", "1"), ("b", "2")), manifest=entry)
    with pytest.raises(Encrypted):
        read_ods(data.replace(b"<office:document-content", b"\0" * 24))
    with pytest.raises(Corrupt):
        read_ods(damaged(ods(ods_table("S", ("a", "1"))), "content.xml"))
    parsed = read_ods(damaged(ods(ods_table("S", ("a", "1"), ("b", "2"))), "meta.xml"))
    assert [w.code for w in parsed.warnings] == ["part_damaged"] and parsed.title is None


def test_entities_are_not_resolved() -> None:
    data = ods(sheet(cell("safe &amp;b;")))
    bomb = b'?><!DOCTYPE x [<!ENTITY b SYSTEM "file:///etc/hostname">]><office:document-content '

    def armed(_: str, old: bytes) -> bytes:
        return old.replace(b"?><office:document-content ", bomb).replace(b"&amp;b", b"&b")

    parsed = read_ods(edited(data, armed))
    assert parsed.assets[1].text == "safe"
