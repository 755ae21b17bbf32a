"""Office files with damaged parts: the rest is read, and what was left out is said."""

from __future__ import annotations

import io
import zlib
from typing import Any

import docx
import openpyxl
import pytest
from openpyxl.chart import BarChart, Reference
from openpyxl.comments import Comment
from openpyxl.drawing.image import Image as SheetImage
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from chapterverse.ingest.docx import read_docx
from chapterverse.ingest.ooxml import Package
from chapterverse.ingest.ooxml_repair import without_damaged
from chapterverse.ingest.pptx import read_pptx
from chapterverse.ingest.xlsx import read_xlsx
from chapterverse.schema.errors import Corrupt
from chapterverse.schema.records import AssetKind, Parsed
from tests.ingest import pptx_files, word_files
from tests.ingest.zip_files import damaged, edited, packed


def warned(parsed: Parsed) -> list[tuple[str, int | None]]:
    return [(warning.code, warning.page) for warning in parsed.warnings]


def workbook() -> bytes:
    book = openpyxl.Workbook()
    sheet: Any = book.active
    for row in (("Year", "Ducks"), ("2020", 1), ("2021", 3)):
        sheet.append(row)
    sheet["A2"].comment = Comment("a remark", "Ann")
    sheet.add_image(SheetImage(pptx_files.png()), "A8")
    chart = BarChart()
    chart.add_data(Reference(sheet, min_col=2, min_row=1, max_row=3), True)
    sheet.add_chart(chart, "F2")
    book.create_sheet("Other").append(("more",))
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ("xl/media/image1.png", [("chart_unread", 1), ("pictures_left_out", 1)]),
        ("xl/charts/chart1.xml", [("drawing_unread", 1)]),
        ("xl/drawings/drawing1.xml", [("part_damaged", 1)]),
        ("xl/comments/comment1.xml", [("chart_unread", 1), ("part_damaged", 1)]),
        ("docProps/core.xml", [("chart_unread", 1), ("part_damaged", None)]),
        ("xl/worksheets/sheet2.xml", [("chart_unread", 1), ("sheet_unread", 2)]),
    ],
)
def test_a_damaged_part_costs_a_workbook_no_more(
    part: str, expected: list[tuple[str, int | None]]
) -> None:
    parsed = read_xlsx(damaged(workbook(), part))
    assert warned(parsed) == expected
    (table,) = [asset for asset in parsed.assets if asset.kind is AssetKind.TABLE]
    assert table.table is not None and len(table.table.rows) == 3


def test_workbooks_without_what_all_sheets_need_are_corrupt() -> None:
    data = workbook()
    for parts in (["xl/workbook.xml"], ["xl/worksheets/sheet1.xml", "xl/worksheets/sheet2.xml"]):
        with pytest.raises(Corrupt):
            read_xlsx(damaged(data, *parts))


def test_texts_that_are_not_in_the_file_are_said() -> None:
    shared = b'<c r="C1" t="s"><v>7</v></c></row>'
    data = edited(workbook(), lambda _, old: old.replace(b"</row><", shared + b"<", 1))
    assert ("texts_missing", 1) in warned(read_xlsx(data))


def presentation() -> bytes:
    deck = pptx_files.deck()
    page = pptx_files.slide(deck, "First")
    page.shapes.add_picture(pptx_files.png(), Inches(1), Inches(3), Inches(4), Inches(2))
    data = CategoryChartData()
    data.categories = ["East", "West"]
    data.add_series("Ducks", (1, 2.5))
    kind = XL_CHART_TYPE.COLUMN_CLUSTERED
    page.shapes.add_chart(kind, Inches(1), Inches(6), Inches(5), Inches(3), data)
    pptx_files.slide(deck, "Second")
    return pptx_files.saved(deck)


@pytest.mark.parametrize(
    ("part", "codes"),
    [
        ("ppt/media/image1.png", ["part_damaged", "pictures_left_out"]),
        ("ppt/charts/chart{}.xml", ["part_damaged", "chart_unread"]),
        ("ppt/slides/slide2.xml", ["part_damaged", "slide_missing"]),
        ("docProps/core.xml", ["part_damaged"]),
        ("ppt/slides/_rels/slide2.xml.rels", ["part_damaged", "slide_unread"]),
    ],
)
def test_a_damaged_part_costs_a_presentation_no_more(part: str, codes: list[str]) -> None:
    data = presentation()
    with Package(data, "x") as package:
        number = next((n for n in range(99) if package.has(f"ppt/charts/chart{n}.xml")), "")
    name = part.format(number)
    for broken in (damaged(data, name), edited(data, lambda n, old: b"<x" if n == name else old)):
        if name.endswith(".png") and broken[-1:] and b"<x" in broken:
            continue  # whole, but no picture: nothing of the package is damaged
        parsed = read_pptx(broken)
        assert [warning.code for warning in parsed.warnings] == codes
        assert name in parsed.warnings[0].message
        assert parsed.assets[0].text == "First"


def test_a_damaged_part_costs_a_word_file_no_more() -> None:
    document = docx.Document()
    document.add_paragraph("The text.").add_run().add_picture(io.BytesIO(word_files.png()))
    document.sections[0].header.paragraphs[0].text = "Head"
    data = word_files.saved(document)
    assert [a.text for a in read_docx(damaged(data, "word/header1.xml")).assets][:1] == [
        "The text."
    ]
    parsed = read_docx(damaged(data, "word/media/image1.png"))
    assert [(str(a.kind), a.text) for a in parsed.assets] == [
        ("page_header", "Head"),
        ("paragraph", "The text."),
        ("figure", ""),
    ]
    assert [w.code for w in parsed.warnings] == ["part_damaged", "pictures_left_out"]
    for parts in (["word/document.xml"], ["[Content_Types].xml"]):
        with pytest.raises(Corrupt):
            read_docx(damaged(data, *parts))


def test_whole_packages_are_left_as_they_are() -> None:
    data = packed({"a.xml": "<a/>", "b.bin": b"\x00"})
    assert without_damaged(data) == (data, ())
    assert without_damaged(b"no package") == (b"no package", ())


def test_a_part_that_does_not_unpack_is_named() -> None:
    data = damaged(packed({"a.xml": "<a/>", "b.xml": "<b/>"}), "b.xml")
    with Package(data, "x.docx") as package:
        assert package.read("a.xml") == b"<a/>"
        with pytest.raises(Corrupt, match=r"x\.docx: the part b\.xml is damaged") as caught:
            package.read("b.xml")
    assert isinstance(caught.value.__cause__, zlib.error)
