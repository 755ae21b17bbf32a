"""Word files: what styles, numbering and hidden containers say, in document order."""

from __future__ import annotations

import io
from typing import Any

import docx
import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from docx.shared import Pt

from chapterverse.ingest.docx import read_docx
from chapterverse.schema.records import Asset, AssetKind, Parsed

W = nsdecls("w")


def parse(document: Any) -> Parsed:
    buffer = io.BytesIO()
    document.save(buffer)
    return read_docx(buffer.getvalue())


def kinds(parsed: Parsed) -> list[tuple[str, str]]:
    return [(str(asset.kind), asset.text) for asset in parsed.assets]


def pages(asset: Asset) -> list[int | None]:
    return [region.page for region in asset.regions]


def add(document: Any, xml: str) -> Any:
    """Insert block-level *xml* before the section properties."""
    element = parse_xml(xml.replace(">", f" {W}>", 1) if "xmlns:w" not in xml else xml)
    document.element.body.insert(len(document.element.body) - 1, element)
    return element


def grid(document: Any, rows: list[list[str]]) -> Any:
    table = document.add_table(len(rows), len(rows[0]))
    for y, row in enumerate(rows):
        for x, text in enumerate(row):
            table.cell(y, x).text = text
    return table


def only(parsed: Parsed, kind: AssetKind) -> Asset:
    (found,) = [asset for asset in parsed.assets if asset.kind is kind]
    return found


def test_styles_levels_and_paths() -> None:
    document = docx.Document()
    document.add_heading("Contract", 0)
    document.add_paragraph("Between A and B.")
    document.add_heading("Scope", 1)
    document.add_heading("Deep", 4)
    document.add_paragraph("first", style="List Bullet")
    document.add_paragraph("nested", style="List Bullet 2")
    document.add_heading("总则", 1)
    parsed = parse(document)
    assert parsed.title == "Contract"
    assert kinds(parsed) == [
        ("heading", "Contract"),
        ("paragraph", "Between A and B."),
        ("heading", "Scope"),
        ("heading", "Deep"),
        ("list_item", "first"),
        ("list_item", "nested"),
        ("heading", "总则"),
    ]
    assert [asset.level for asset in parsed.assets] == [0, None, 1, 2, 0, 1, 1]
    assert parsed.assets[4].heading_path == ("Scope", "Deep")
    assert (parsed.page_count, parsed.page_accuracy) == (None, None)
    assert all(asset.regions == () for asset in parsed.assets)


def test_title_property_serves_without_a_title_heading() -> None:
    document = docx.Document()
    document.core_properties.title = "Supply contract"
    document.add_heading("Scope", 1)
    document.add_paragraph("x")
    parsed = parse(document)
    assert (parsed.title, parsed.assets[0].level) == ("Supply contract", 1)
    document.core_properties.title = "scope"
    assert parse(document).assets[0].level == 0


def test_numbers_that_word_only_shows_are_written_out() -> None:
    document = docx.Document()
    numbering = document.part.numbering_part.element
    levels = "".join(
        f'<w:lvl w:ilvl="{n}"><w:start w:val="1"/><w:numFmt w:val="decimal"/>'
        f'<w:lvlText w:val="{text}"/></w:lvl>'
        for n, text in enumerate(("%1", "%1.%2"))
    )
    abstract = f'<w:abstractNum {W} w:abstractNumId="90">{levels}</w:abstractNum>'
    numbering.insert(0, parse_xml(abstract))
    numbering.append(parse_xml(f'<w:num {W} w:numId="90"><w:abstractNumId w:val="90"/></w:num>'))
    for text, level in (("Purpose", 0), ("Intake", 1), ("Storage", 0)):
        paragraph = document.add_heading(text, level + 1)
        number = f'<w:numPr {W}><w:ilvl w:val="{level}"/><w:numId w:val="90"/></w:numPr>'
        paragraph._p.get_or_add_pPr().append(parse_xml(number))
    assert [text for _, text in kinds(parse(document))] == ["1 Purpose", "1.1 Intake", "2 Storage"]


def test_content_controls_insertions_and_deletions() -> None:
    document = docx.Document()
    cell = "<w:tc><w:p><w:r><w:t>{}</w:t></w:r></w:p></w:tc>"
    row = "<w:tr>" + cell + cell + "</w:tr>"
    table = "<w:tbl>" + row.format("Part", "Hours") + row.format("Pump", "500") + "</w:tbl>"
    add(document, f"<w:sdt><w:sdtContent>{table}</w:sdtContent></w:sdt>")
    add(
        document,
        "<w:p><w:r><w:t xml:space='preserve'>kept </w:t></w:r>"
        "<w:ins><w:r><w:t xml:space='preserve'>added </w:t></w:r></w:ins>"
        "<w:del><w:r><w:delText>gone</w:delText></w:r></w:del>"
        "<w:sdt><w:sdtContent><w:r><w:t>chosen</w:t></w:r></w:sdtContent></w:sdt>"
        "<w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent><w:r><w:t>Click here</w:t></w:r>"
        "</w:sdtContent></w:sdt><w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r></w:p>",
    )
    parsed = parse(document)
    assert kinds(parsed) == [
        ("table", "Part | Hours\nPump | 500"),
        ("paragraph", "kept added chosen"),
    ]


def test_table_header_merges_and_captions() -> None:
    document = docx.Document()
    document.add_paragraph("Table 1: Intervals", style="Caption")
    table = grid(
        document,
        [["Part", "Every", ""], ["", "hours", "months"], ["Pump", "500", "6"], ["", "700", "8"]],
    )
    for y in (0, 1):
        table.rows[y]._tr.get_or_add_trPr().append(parse_xml(f"<w:tblHeader {W}/>"))
    table.cell(0, 1).merge(table.cell(0, 2))
    table.cell(0, 0).merge(table.cell(1, 0))
    table.cell(2, 0).merge(table.cell(3, 0))
    grid(document, [["a", "b"], ["c", "d"]])
    below = document.add_paragraph("Second one")
    below._p.append(
        parse_xml(f'<w:fldSimple {W} w:instr=" SEQ Tabelle \\* ARABIC "><w:r/></w:fldSimple>')
    )
    first, second = parse(document).assets
    assert first.caption == "Table 1: Intervals"
    assert first.table is not None and second.table is not None
    assert first.table.header_rows == 2
    assert first.table.rows == (
        ("Part", "Every", "Every"),
        ("Part", "hours", "months"),
        ("Pump", "500", "6"),
        ("Pump", "700", "8"),
    )
    assert [first.text[a:b] for a, b in first.table.row_spans][2] == "Pump | 500 | 6"
    assert second.caption == "Second one"
    assert second.table.header_rows == 1


PICTURE = (
    f"<w:p {W} {nsdecls('wp', 'a', 'pic')}><w:r><w:drawing><wp:inline>"
    "<wp:extent cx='{size}' cy='{size}'/><wp:docPr id='1' name='x' descr='{alt}'/>"
    "<a:graphic><a:graphicData><pic:pic/></a:graphicData></a:graphic>"
    "</wp:inline></w:drawing></w:r></w:p>"
)


def test_pictures_become_figures_with_caption_and_description() -> None:
    document = docx.Document()
    add(document, PICTURE.format(size=900000, alt="A duck"))
    document.add_paragraph("图1 鸭子", style="Caption")
    add(document, PICTURE.format(size=90000, alt=""))
    document.add_paragraph("End.")
    parsed = parse(document)
    assert kinds(parsed) == [("figure", "图1 鸭子\nA duck"), ("paragraph", "End.")]
    assert parsed.assets[0].caption == "图1 鸭子"


def test_pages_come_from_the_last_rendering() -> None:
    document = docx.Document()
    document.add_paragraph("one")
    paragraph = document.add_paragraph("two ")
    run = paragraph.add_run()
    run._r.append(parse_xml(f"<w:lastRenderedPageBreak {W}/>"))
    paragraph.add_run("three")
    heading = document.add_heading("", 1)
    heading.add_run()._r.append(parse_xml(f"<w:lastRenderedPageBreak {W}/>"))
    heading.add_run("Four")
    parsed = parse(document)
    assert parsed.page_accuracy == "approximate"
    assert parsed.page_count == 3
    assert [pages(asset) for asset in parsed.assets] == [[1], [1, 2], [3]]
    second = parsed.assets[1]
    assert [second.text[r.start : r.end] for r in second.regions] == ["two ", "three"]


@pytest.mark.parametrize(("filler", "known"), [(10, True), (9000, False)])
def test_hard_breaks_count_only_when_dense(filler: int, known: bool) -> None:
    document = docx.Document()
    document.add_paragraph("cover")
    document.add_page_break()
    document.add_paragraph("x" * filler)
    parsed = parse(document)
    assert parsed.page_count == (2 if known else None)
    assert pages(parsed.assets[-1]) == ([2] if known else [])


def test_bold_lines_stand_in_only_without_heading_styles() -> None:
    def build(styled: bool) -> Parsed:
        document = docx.Document()
        if styled:
            document.add_heading("Real", 1)
        for title, body in (("Delivery terms", "Goods leave on day two."), ("Payment", "Net 30.")):
            document.add_paragraph().add_run(title).bold = True
            document.add_paragraph(body)
        document.add_paragraph("第二章 附则")
        document.add_paragraph().add_run("This bold sentence is no heading.").bold = True
        document.add_paragraph("End.")
        return parse(document)

    found = [a.text for a in build(False).assets if a.kind is AssetKind.HEADING]
    assert found == ["Delivery terms", "Payment", "第二章 附则"]
    assert [a.text for a in build(True).assets if a.kind is AssetKind.HEADING] == ["Real"]


def test_headers_code_boxes_and_contents() -> None:
    document = docx.Document()
    document.sections[0].header.paragraphs[0].text = "Internal"
    document.sections[0].footer.paragraphs[0].text = "Page"
    document.styles.add_style("Source Code", 1).font.size = Pt(9)
    document.styles.add_style("toc 1", 1)
    document.add_paragraph("Scope\t1", style="toc 1")
    document.add_paragraph("if a:", style="Source Code")
    document.add_paragraph("    b()", style="Source Code")
    table = document.add_table(1, 1)
    table.cell(0, 0).text = "Boxed text."
    parsed = parse(document)
    assert kinds(parsed) == [
        ("page_header", "Internal"),
        ("code", "if a:\n    b()"),
        ("paragraph", "Boxed text."),
        ("page_footer", "Page"),
    ]
    assert [warning.code for warning in parsed.warnings] == ["contents_skipped"]
