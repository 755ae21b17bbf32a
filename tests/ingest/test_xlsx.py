"""Excel workbooks: values as shown, several tables, what lies beside cells, damage and limits."""

from __future__ import annotations

import datetime as dt
import io
import re
import zipfile
from typing import Any

import openpyxl
import pytest
from openpyxl.chart import BarChart, Reference
from openpyxl.comments import Comment
from openpyxl.drawing.image import Image as SheetImage
from openpyxl.styles import Font, PatternFill
from openpyxl.worksheet.table import Table as DeclaredTable
from PIL import Image

from chapterverse.ingest import xlsx
from chapterverse.ingest.context import ReadContext
from chapterverse.ingest.readers import read
from chapterverse.ingest.xlsx import read_xlsx
from chapterverse.schema.errors import Corrupt, Empty, Encrypted, TooLarge
from chapterverse.schema.records import Asset, AssetKind, Parsed
from tests.ingest.zip_files import edited

HEAD = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
TAIL = "</sheetData></worksheet>"


def saved(book: Any) -> bytes:
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def workbook(*rows: tuple[Any, ...], title: str = "Data") -> tuple[Any, Any]:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = title
    for row in rows:
        sheet.append(row)
    return book, sheet


def with_sheet(xml: str) -> bytes:
    """A workbook whose only sheet is *xml*."""
    return edited(
        saved(workbook(("x",))[0]),
        lambda name, old: xml.encode() if name == "xl/worksheets/sheet1.xml" else old,
    )


def of_kind(parsed: Parsed, kind: AssetKind) -> list[Asset]:
    return [asset for asset in parsed.assets if asset.kind is kind]


def rows(parsed: Parsed) -> tuple[tuple[str, ...], ...]:
    (asset,) = of_kind(parsed, AssetKind.TABLE)
    assert asset.table is not None
    return asset.table.rows


def codes(parsed: Parsed) -> list[str]:
    return [warning.code for warning in parsed.warnings]


def test_sheets_are_pages_with_names_and_places() -> None:
    book, _ = workbook(("Name", "Age"), ("Ann", 31), ("Bo", 44))
    second = book.create_sheet("Net sales")
    second["B2"], second["B3"], second["C2"], second["C3"] = "Item", "Tea", "Price", 2
    book.properties.title, book.properties.creator = "The book", "Someone"
    parsed = read_xlsx(saved(book))
    assert (parsed.page_unit, parsed.page_count, parsed.page_accuracy) == ("sheet", 2, "exact")
    assert parsed.page_labels == ("Data", "Net sales")
    assert parsed.title == "The book" and parsed.properties["author"] == "Someone"
    assert "created" in parsed.properties
    headings = of_kind(parsed, AssetKind.HEADING)
    assert [(h.text, h.level, h.regions[0].page) for h in headings] == [
        ("Data", 1, 1),
        ("Net sales", 1, 2),
    ]
    table = of_kind(parsed, AssetKind.TABLE)[1]
    assert table.heading_path == ("Net sales",)
    assert [r.place for r in table.regions] == ["'Net sales'!B2:C2", "'Net sales'!B3:C3"]
    assert {(r.page, r.label) for r in table.regions} == {(2, "Net sales")}


def test_values_as_people_see_them() -> None:
    book, sheet = workbook(("what", "shown"))
    values = [
        (0.5, "0%", "50%"),
        (dt.date(2024, 3, 1), "dd/mm/yyyy", "2024-03-01"),
        (dt.datetime(2024, 3, 1, 8, 30), "dd/mm/yyyy hh:mm", "2024-03-01 08:30"),
        (1234567.891, "#,##0.00", "1234567.89"),
        (-5, '"€"0.00;("€"0.00)', "(€5.00)"),
        (True, "General", "TRUE"),
        ("=1/0", "General", "=1/0"),
        ("#N/A", "General", "#N/A"),
        ("a\nb", "General", "a b"),
        (3.0, "General", "3"),
    ]
    for number, (value, code, _) in enumerate(values, start=2):
        sheet.cell(number, 1, f"row {number}")
        sheet.cell(number, 2, value).number_format = code
    parsed = read_xlsx(saved(book))
    assert [row[1] for row in rows(parsed)[1:]] == [shown for _, _, shown in values]
    (warning,) = parsed.warnings
    assert warning.code == "formula_without_value" and "B8" in warning.message


def test_cached_values_of_formulas_are_read() -> None:
    data = with_sheet(
        f'{HEAD}<row r="1"><c r="A1" t="str"><f>B1</f><v>text</v></c><c r="B1"><f>1+1</f><v>2</v>'
        '</c></row><row r="2"><c r="A2" t="b"><v>1</v></c><c r="B2" t="e"><v>#DIV/0!</v></c></row>'
        f"{TAIL}"
    )
    parsed = read_xlsx(data)
    assert rows(parsed) == (("text", "2"), ("TRUE", "#DIV/0!"))
    assert not parsed.warnings


def test_cells_without_references_and_in_rich_text() -> None:
    data = with_sheet(
        f'{HEAD}<row><c t="inlineStr"><is><r><t>ri</t></r><r><t>ch</t></r><rPh sb="0" eb="1">'
        '<t>phonetic</t></rPh></is></c><c s="0"/><c><v>5</v></c></row>'
        f'<row r="3"><c r="A3"><v>12345678901234567890</v></c><c t="inlineStr"><is>'
        f"<t>_x0041_B</t></is></c></row>{TAIL}"
    )
    texts = [a.text for a in read_xlsx(data).assets]
    assert texts == ["Data", "rich 5", "12345678901234567890 AB"]


def test_bold_frozen_and_declared_headers() -> None:
    book, sheet = workbook(("a", "b"), ("c", "d"), ("x", "y"), ("z", "w"))
    for cell in (*sheet[1], *sheet[2]):
        cell.font = Font(bold=True)
    assert of_kind(read_xlsx(saved(book)), AssetKind.TABLE)[0].table.header_rows == 2  # type: ignore[union-attr]
    book, sheet = workbook(("a", "b"), ("c", "d"), ("x", "y"))
    sheet.freeze_panes = "A3"
    assert of_kind(read_xlsx(saved(book)), AssetKind.TABLE)[0].table.header_rows == 2  # type: ignore[union-attr]
    book, sheet = workbook(("a", "b"), ("1", "2"), ("x", "beside"))
    sheet.add_table(DeclaredTable(displayName="T", ref="A1:B2"))
    parsed = read_xlsx(saved(book))
    assert rows(parsed) == (("a", "b"), ("1", "2"))
    assert of_kind(parsed, AssetKind.PARAGRAPH)[0].text == "x beside"


def test_merged_title_and_groups() -> None:
    book, sheet = workbook(
        ("Budget", None, None), (None, "2024", None), ("Region", "Q1", "Q2"), ("North", 1, 2)
    )
    sheet.merge_cells("A1:C1")
    sheet.merge_cells("B2:C2")
    (table,) = of_kind(read_xlsx(saved(book)), AssetKind.TABLE)
    assert table.caption == "Budget" and table.table is not None
    assert table.table.header_rows == 2
    assert table.table.rows[0] == ("", "2024", "2024")
    assert table.regions[0].place == "Data!A1"


def test_hidden_things_are_read_and_said() -> None:
    book, sheet = workbook(("a", "b"), ("c", 1), ("d", 2))
    sheet.row_dimensions[3].hidden = True
    sheet.column_dimensions["B"].hidden = True
    book.create_sheet("Secret").append(("secret text",))
    book["Secret"].sheet_state = "hidden"
    parsed = read_xlsx(saved(book))
    assert sorted(codes(parsed)) == ["hidden_columns", "hidden_rows", "hidden_sheet"]
    assert any("secret text" in a.text for a in parsed.assets)
    messages = " ".join(w.message for w in parsed.warnings)
    assert "rows are read: 3" in messages and "columns are read: B" in messages
    assert rows(parsed)[2] == ("d", "2")


def test_comments_are_footnotes_behind_their_table() -> None:
    book, sheet = workbook(("a", "b"), ("c", 1), (None, None), ("last words", None))
    sheet["B2"].comment = Comment("a remark", "Ann")
    sheet["F9"].comment = Comment("far away", "Ann")
    parsed = read_xlsx(saved(book))
    assert [(str(a.kind), a.text) for a in parsed.assets[2:]] == [
        ("footnote", "a remark"),
        ("paragraph", "last words"),
        ("footnote", "far away"),
    ]
    assert parsed.assets[2].regions[0].place == "Data!B2"


def test_pictures_and_charts() -> None:
    book, sheet = workbook(("Year", "Ducks", "Geese"), ("2020", 1, 2), ("2021", 3, 4))
    picture = io.BytesIO()
    Image.new("RGB", (40, 20), "red").save(picture, "PNG")
    sheet.add_image(SheetImage(picture), "A8")
    chart = BarChart()
    chart.title = "Birds"
    chart.add_data(Reference(sheet, min_col=2, max_col=3, min_row=1, max_row=3), True)
    sheet.add_chart(chart, "F2")
    kept: list[bytes] = []

    def keep(data: bytes) -> str:
        kept.append(data)
        return "0" * 64

    parsed = read_xlsx(saved(book), ReadContext(keep=keep))
    (figure,) = of_kind(parsed, AssetKind.FIGURE)
    assert figure.picture is not None
    assert (figure.picture.width, figure.picture.media_type) == (40, "image/png")
    assert len(kept) == 1 and (figure.regions[0].place or "").startswith("Data!A8")
    # openpyxl writes charts without cached values: that has to be said.
    assert codes(parsed) == ["chart_unread"]


def test_pictures_that_cannot_be_kept_are_counted() -> None:
    book, sheet = workbook(("Year", "Ducks"), ("2020", 1))
    for place in ("A8", "D8"):
        picture = io.BytesIO()
        Image.new("RGB", (40, 20), "red").save(picture, "PNG")
        sheet.add_image(SheetImage(picture), place)
    parsed = read_xlsx(edited(saved(book), lambda n, old: b"x" if n.endswith(".png") else old))
    (warning,) = parsed.warnings
    assert (warning.code, warning.page) == ("pictures_left_out", 1)
    assert warning.message.startswith("Data: 2 pictures are not shown: ")


def test_no_table_where_nothing_is_filled() -> None:
    book, sheet = workbook()
    for row in range(1, 300):
        for column in range(1, 20):
            sheet.cell(row, column).fill = PatternFill("solid", fgColor="FF0000")
    with pytest.raises(Empty):
        read(saved(book), ReadContext(name="x.xlsx"))


def test_styled_empty_cells_are_never_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    from chapterverse.ingest import xlsx_cells

    empty = "".join(f'<c r="{c}9" s="1"/><c r="{c}9" s="1"></c>' for c in "ABCDEF")
    cell = '<c r="A1" t="inlineStr"><is><t>x &lt; y</t></is></c>'
    xml = f'{HEAD}<row r="1">{cell}</row>{f"<row r={chr(34)}9{chr(34)}>{empty}</row>" * 50}{TAIL}'
    for size in (7, 64, 1 << 20):  # however the bytes are cut
        monkeypatch.setattr(xlsx_cells, "_CHUNK", size)
        left = b"".join(xlsx_cells._chunks(io.BytesIO(xml.encode())))
        assert cell.encode() in left
        if size > 1000:
            assert b's="1"' not in left and b'r="9"' not in left
        assert [a.text for a in read_xlsx(with_sheet(xml)).assets] == ["Data", "x < y"]


def test_rows_over_the_limit_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xlsx, "MAX_CELLS", 6)
    book, _ = workbook(*[("a", n) for n in range(20)])
    book.create_sheet("Next").append(("more",))
    parsed = read_xlsx(saved(book))
    assert len(rows(parsed)) == 3
    assert codes(parsed) == ["rows_left_out", "rows_left_out"]
    assert "rows after 3" in parsed.warnings[0].message


def test_entities_are_not_resolved() -> None:
    bomb = (
        '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">'
        '<!ENTITY f SYSTEM "file:///etc/hostname">]>'
        f'{HEAD}<row r="1"><c r="A1" t="inlineStr"><is><t>safe &b;&f;</t></is></c></row>{TAIL}'
    )
    assert [a.text for a in read_xlsx(with_sheet(bomb)).assets][1:] == ["safe"]


def test_damage_is_corrupt() -> None:
    good = saved(workbook(("a", "b"), ("c", 1))[0])
    for change in (
        lambda name, old: None if name == "xl/workbook.xml" else old,
        lambda name, old: old[: len(old) // 2] if name.endswith("sheet1.xml") else old,
        lambda name, old: b"no xml" if name == "xl/workbook.xml" else old,
        lambda name, old: b"<a>" if name == "xl/styles.xml" else old,
    ):
        with pytest.raises(Corrupt):
            read_xlsx(edited(good, change))
    with pytest.raises(Corrupt):
        read(good[: len(good) // 2], ReadContext(name="x.xlsx"))
    flipped = bytearray(good)
    at = good.index(b"xl/worksheets/sheet1.xml") + 60
    flipped[at : at + 20] = bytes(20)
    with pytest.raises(Corrupt):
        read_xlsx(bytes(flipped))


def test_a_missing_sheet_is_said_and_the_rest_is_read() -> None:
    book, _ = workbook(("a", "b"), ("c", 1))
    book.create_sheet("Gone").append(("x",))
    data = edited(saved(book), lambda name, old: None if "sheet2" in name else old)
    parsed = read_xlsx(data)
    assert codes(parsed) == ["sheet_missing"] and len(rows(parsed)) == 2


def test_strict_workbooks() -> None:
    def strict(name: str, old: bytes) -> bytes:
        base = rb"http://schemas.openxmlformats.org"
        old = re.sub(base + rb"/spreadsheetml/2006/main", b"http://purl.oclc.org/ooxml/m", old)
        return re.sub(
            base + rb"/officeDocument/2006/relationships(?=[/\"])",
            b"http://purl.oclc.org/ooxml/officeDocument/relationships",
            old,
        )

    assert rows(read_xlsx(edited(saved(workbook(("a", "b"), ("c", 1))[0]), strict))) == (
        ("a", "b"),
        ("c", "1"),
    )


def test_limits_of_sheets_and_encrypted_files() -> None:
    book, _ = workbook(("a",))
    book.create_sheet("Two")
    with pytest.raises(TooLarge, match="2 sheets; 1 are allowed"):
        read_xlsx(saved(book), ReadContext(max_pages=1))
    ole = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le")
    with pytest.raises(Encrypted):
        read(ole, ReadContext(name="x.xlsx"))
    with pytest.raises(TooLarge):
        zeros = edited(
            saved(book), lambda name, old: bytes(60 << 20) if name.endswith("sheet1.xml") else old
        )
        packed = io.BytesIO()
        with zipfile.ZipFile(io.BytesIO(zeros)) as a, zipfile.ZipFile(packed, "w", 8) as b:
            for name in a.namelist():
                b.writestr(name, a.read(name))
        read(packed.getvalue(), ReadContext(name="x.xlsx"))
