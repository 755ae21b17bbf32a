"""Presentations: titles, order, lists, tables, charts, notes, boxes, damage."""

from __future__ import annotations

import pytest
from lxml import etree
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.oxml import parse_xml
from pptx.util import Emu, Inches

from chapterverse.ingest.context import ReadContext
from chapterverse.ingest.pptx import NOTES, read_pptx
from chapterverse.ingest.readers import read
from chapterverse.schema.errors import Corrupt, Empty, TooLarge
from chapterverse.schema.records import AssetKind, Merge
from tests.ingest.pptx_files import (
    BLANK,
    CONTENT,
    TITLE_SLIDE,
    A,
    P,
    R,
    box,
    codes,
    deck,
    kinds,
    only,
    parse,
    saved,
    slide,
)
from tests.ingest.zip_files import edited


def test_titles_pages_and_paths() -> None:
    presentation = deck()
    first = slide(presentation, "The whole", TITLE_SLIDE)
    first.placeholders[1].text = "A subtitle"
    second = slide(presentation, "Part\vone", CONTENT)
    frame = second.placeholders[1].text_frame
    frame.text = "outer"
    inner = frame.add_paragraph()
    inner.text, inner.level = "inner", 1
    third = slide(presentation, None, BLANK)
    box(third, "no title here", 1, 1)
    presentation.core_properties.author = "Ann"
    parsed = parse(presentation)
    assert kinds(parsed) == [
        ("heading", "The whole"),
        ("paragraph", "A subtitle"),
        ("heading", "Part one"),
        ("list_item", "outer"),
        ("list_item", "inner"),
        ("paragraph", "no title here"),
    ]
    assert [a.level for a in parsed.assets] == [0, None, 1, 0, 1, None]
    assert parsed.assets[4].heading_path == ("Part one",)
    assert parsed.assets[5].heading_path == ()
    assert [a.regions[0].page for a in parsed.assets] == [1, 1, 2, 2, 2, 3]
    assert (parsed.page_unit, parsed.page_count, parsed.page_accuracy) == ("slide", 3, "exact")
    assert parsed.title == "The whole" and parsed.properties["author"] == "Ann"


def test_a_content_slide_first_makes_no_document_title() -> None:
    presentation = deck()
    slide(presentation, "Results", CONTENT).placeholders[1].text = "x"
    slide(presentation, "More", CONTENT).placeholders[1].text = "y"
    presentation.core_properties.title = "Declared"
    parsed = parse(presentation)
    assert [a.level for a in parsed.assets if a.kind is AssetKind.HEADING] == [1, 1]
    assert parsed.title == "Declared"


def test_reading_order_of_columns_and_groups() -> None:
    presentation = deck()
    page = slide(presentation, None, BLANK)
    box(page, "right bottom", 6, 5)
    box(page, "left bottom", 1, 4.8)
    box(page, "right top", 6, 3)
    box(page, "left top", 1, 3.2)
    box(page, "footline", 1, 8, 8)
    box(page, "headline", 1, 1, 8)
    texts = [a.text for a in parse(presentation).assets]
    assert texts[0] == "headline" and texts[-1] == "footline"
    assert texts.index("left top") < texts.index("right bottom")

    page = slide(presentation, None, BLANK)
    group = page.shapes.add_group_shape()
    inside = group.shapes.add_textbox(Emu(0), Emu(0), Emu(100), Emu(100))
    inside.text_frame.text = "grouped"
    for element in group._element.iter("{*}grpSpPr"):
        for child in list(element):
            element.remove(child)
        element.append(
            parse_xml(
                f'<a:xfrm {A}><a:off x="{Inches(5)}" y="{Inches(2)}"/><a:ext cx="{Inches(2)}" '
                f'cy="{Inches(1)}"/><a:chOff x="0" y="0"/><a:chExt cx="200" cy="100"/></a:xfrm>'
            )
        )
    region = next(a for a in parse(presentation).assets if a.text == "grouped").regions[0].box
    assert region is not None
    assert (region.x0, region.y0, region.x1, region.y1) == pytest.approx((0.5, 0.2, 0.6, 0.3))


def test_boxes_are_clamped() -> None:
    presentation = deck()
    box(slide(presentation, None, BLANK), "half outside", -1, 9, 2, 3)
    region = parse(presentation).assets[0].regions[0].box
    assert region is not None
    assert (region.x0, region.y0, region.x1, region.y1) == pytest.approx((0, 0.9, 0.1, 1))


def test_list_marks_of_the_layout_and_own() -> None:
    presentation = deck()
    page = slide(presentation, "T", CONTENT)
    frame = page.placeholders[1].text_frame
    frame.text = "marked by the layout"
    frame.add_paragraph().text = "not marked"
    frame.paragraphs[1]._p.get_or_add_pPr().append(parse_xml(f"<a:buNone {A}/>"))
    free = box(page, "plain", 1, 8)
    free.text_frame.add_paragraph().text = "numbered"
    free.text_frame.paragraphs[1]._p.get_or_add_pPr().append(
        parse_xml(f'<a:buAutoNum {A} type="arabicPeriod"/>')
    )
    assert kinds(parse(presentation))[1:] == [
        ("list_item", "marked by the layout"),
        ("paragraph", "not marked"),
        ("paragraph", "plain"),
        ("list_item", "numbered"),
    ]


def test_table_with_merged_cells_and_caption() -> None:
    presentation = deck()
    page = slide(presentation, "T")
    frame = page.shapes.add_table(4, 3, Inches(1), Inches(3), Inches(6), Inches(2))
    cells = [["", "2024", ""], ["Region", "Q1", "Q2"], ["North", "1", "2"], ["South", "3", ""]]
    for y, row in enumerate(cells):
        for x, text in enumerate(row):
            frame.table.cell(y, x).text = text
    frame.table.cell(0, 1).merge(frame.table.cell(0, 2))
    frame.table.cell(3, 1).merge(frame.table.cell(3, 2))
    frame.table.first_col = True
    box(page, "Table 1: Sales", 1, 2.4)
    box(page, "far away", 1, 8)
    parsed = parse(presentation)
    asset = only(parsed, AssetKind.TABLE)
    assert asset.table is not None
    assert asset.caption == "Table 1: Sales"
    assert asset.table.rows == (
        ("", "2024", "2024"),
        ("Region", "Q1", "Q2"),
        ("North", "1", "2"),
        ("South", "3", ""),
    )
    assert (asset.table.header_rows, asset.table.row_headers) == (2, 1)
    assert asset.table.merges == (Merge(0, 1, 1, 2), Merge(3, 1, 1, 2))
    rows = [asset.text[r.start : r.end] for r in asset.regions]
    assert rows[0] == "Table 1: Sales" and rows[3] == "North | 1 | 2"
    assert all(r.box is not None and r.page == 1 for r in asset.regions)
    assert "Table 1: Sales" not in [a.text for a in parsed.assets]


def test_charts_are_tables() -> None:
    presentation = deck()
    page = slide(presentation, "T")
    data = CategoryChartData()
    data.categories = ["East", "West"]
    data.add_series("Ducks", (1, 2.5))
    data.add_series("Geese", (3, None))
    frame = page.shapes.add_chart(
        XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(2), Inches(5), Inches(5), data
    )
    frame.chart.has_title = True
    frame.chart.chart_title.text_frame.text = "Birds"
    asset = only(parse(presentation), AssetKind.TABLE)
    assert asset.caption == "Birds" and asset.table is not None
    assert asset.table.rows == (("", "Ducks", "Geese"), ("East", "1", "3"), ("West", "2.5", ""))


def test_notes_are_marked_by_their_place() -> None:
    presentation = deck()
    page = slide(presentation, "T")
    page.notes_slide.notes_text_frame.text = "Say this.\nAnd that."
    notes = [a for a in parse(presentation).assets if a.regions[0].place == NOTES]
    assert [(a.text, a.heading_path, a.regions[0].page) for a in notes] == [
        ("Say this.", ("T",), 1),
        ("And that.", ("T",), 1),
    ]


def test_footers_are_furniture() -> None:
    presentation = deck()
    page = slide(presentation, "T")
    for number, (kind, text) in enumerate((("ftr", "Company"), ("sldNum", "7"))):
        page.shapes._spTree.append(
            parse_xml(
                f'<p:sp {P} {A}><p:nvSpPr><p:cNvPr id="{90 + number}" name="x"/><p:cNvSpPr/>'
                f'<p:nvPr><p:ph type="{kind}" idx="{20 + number}"/></p:nvPr></p:nvSpPr><p:spPr/>'
                f"<p:txBody><a:bodyPr/><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp>"
            )
        )
    assert kinds(parse(presentation))[1:] == [("page_footer", "Company"), ("page_footer", "7")]


def test_sections_are_above_slides() -> None:
    presentation = deck()
    slide(presentation, "Cover", TITLE_SLIDE)
    slide(presentation, "A")
    slide(presentation, "B")
    ids = [e.get("id") for e in presentation.part._element.iter("{*}sldId")]
    entries = "".join(
        f'<p14:section name="{name}" id="{{0}}"><p14:sldIdLst><p14:sldId id="{first}"/>'
        "</p14:sldIdLst></p14:section>"
        for name, first in (("Default Section", ids[0]), ("Findings", ids[1]))
    )
    space = 'xmlns:p14="http://schemas.microsoft.com/office/powerpoint/2010/main"'
    presentation.part._element.append(
        etree.fromstring(
            f'<p:extLst {P}><p:ext uri="{{521415D9-36F7-43E2-AB2F-B90AF26B5E84}}">'
            f"<p14:sectionLst {space}>{entries}</p14:sectionLst></p:ext></p:extLst>"
        )
    )
    headings = [(a.text, a.level, a.heading_path) for a in parse(presentation).assets]
    assert headings == [
        ("Cover", 0, ()),
        ("Findings", 1, ()),
        ("A", 2, ("Findings",)),
        ("B", 2, ("Findings",)),
    ]


def test_hidden_slides_are_read_and_said() -> None:
    presentation = deck()
    slide(presentation, "Seen")
    slide(presentation, "Unseen")._element.set("show", "0")
    parsed = parse(presentation)
    assert kinds(parsed)[1] == ("heading", "Unseen") and parsed.assets[1].regions[0].page == 2
    assert codes(parsed) == ["hidden_slide"] and parsed.warnings[0].page == 2


def test_diagrams_give_their_text() -> None:
    from pptx.opc.package import Part
    from pptx.opc.packuri import PackURI

    presentation = deck()
    page = slide(presentation, "T")
    space = f'xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" {A}'

    def point(name: str, kind: str, text: str) -> str:
        return (
            f'<dgm:pt modelId="{name}" type="{kind}"><dgm:t><a:p><a:r><a:t>{text}</a:t></a:r>'
            "</a:p></dgm:t></dgm:pt>"
        )

    def link(source: str, target: str, order: int) -> str:
        return f'<dgm:cxn modelId="c{target}" srcId="{source}" destId="{target}" srcOrd="{order}"/>'

    points = point("0", "doc", "") + point("2", "node", "second") + point("1", "node", "first")
    points += point("3", "node", "below first") + point("9", "pres", "layout")
    links = link("0", "2", 1) + link("0", "1", 0) + link("1", "3", 0) + link("3", "1", 0)
    lists = f"<dgm:ptLst>{points}</dgm:ptLst><dgm:cxnLst>{links}</dgm:cxnLst>"
    xml = f"<dgm:dataModel {space}>{lists}</dgm:dataModel>"
    part = Part(
        PackURI("/ppt/diagrams/data1.xml"),
        "application/vnd.openxmlformats-officedocument.drawingml.diagramData+xml",
        page.part.package,
        xml.encode(),
    )
    link_id = page.part.relate_to(
        part, "http://schemas.openxmlformats.org/officeDocument/2006/relationships/diagramData"
    )
    uri = "http://schemas.openxmlformats.org/drawingml/2006/diagram"
    page.shapes._spTree.append(
        parse_xml(
            f'<p:graphicFrame {P} {A} {R}><p:nvGraphicFramePr><p:cNvPr id="50" name="d"/>'
            "<p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr><p:xfrm><a:off x='0' y='0'/>"
            f"<a:ext cx='100' cy='100'/></p:xfrm><a:graphic><a:graphicData uri='{uri}'>"
            f'<dgm:relIds xmlns:dgm="{uri}" r:dm="{link_id}"/></a:graphicData></a:graphic>'
            "</p:graphicFrame>"
        )
    )
    found = [(a.text, a.level) for a in parse(presentation).assets[1:]]
    assert found == [("first", 0), ("below first", 1), ("second", 0)]


def test_alternatives_are_read_once() -> None:
    presentation = deck()
    page = slide(presentation, "T")
    shape = box(page, "from the choice", 1, 3)
    tree = page.shapes._spTree
    block = etree.SubElement(
        tree, "{http://schemas.openxmlformats.org/markup-compatibility/2006}AlternateContent"
    )
    space = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
    etree.SubElement(block, f"{space}Choice", Requires="x").append(shape._element)
    other = box(page, "from the fallback", 1, 3)
    etree.SubElement(block, f"{space}Fallback").append(other._element)
    assert kinds(parse(presentation))[1:] == [("paragraph", "from the choice")]


def test_links_to_missing_parts_do_not_stop_the_rest() -> None:
    presentation = deck()
    slide(presentation, "Here")
    slide(presentation, "Gone")
    data = saved(presentation)
    gone = edited(data, lambda name, old: None if name.endswith("slide2.xml") else old)
    parsed = read_pptx(gone)
    assert kinds(parsed) == [("heading", "Here")]
    assert codes(parsed) == ["slide_missing"]
    assert parsed.page_count == 2
    with pytest.raises(Corrupt, match="none of its 2 slides can"):
        read_pptx(edited(data, lambda n, old: None if "slides/slide" in n else old))


def test_damage_is_corrupt() -> None:
    presentation = deck()
    slide(presentation, "T")
    data = saved(presentation)
    for change in (
        lambda name, old: None if name == "ppt/presentation.xml" else old,
        lambda name, old: b"<p:sld" if name.endswith("slide1.xml") else old,
        lambda name, old: b"<x/>" if name == "ppt/presentation.xml" else old,
    ):
        with pytest.raises(Corrupt):
            read_pptx(edited(data, change))
    with pytest.raises(Corrupt):
        read(data[: len(data) // 2], ReadContext(name="x.pptx"))


def test_limits_and_empty_decks() -> None:
    presentation = deck()
    slide(presentation, None, BLANK)
    slide(presentation, None, BLANK)
    data = saved(presentation)
    with pytest.raises(TooLarge, match="2 slides; 1 are allowed"):
        read_pptx(data, ReadContext(max_pages=1))
    with pytest.raises(Empty):
        read(data, ReadContext(name="x.pptx"))
