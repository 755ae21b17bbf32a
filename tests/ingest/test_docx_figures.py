"""Pictures, charts and diagrams of Word files, and tables that only arrange them."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable
from typing import Any

import docx
import pytest
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.shared import Inches

from chapterverse.ingest.context import ReadContext
from chapterverse.ingest.picture_files import measure
from chapterverse.schema.records import AssetKind, Merge, Parsed
from tests.ingest.word_files import add, kinds, parse, png, saved

EMF = (
    b"\x01\0\0\0" + bytes(4) + b"".join(n.to_bytes(4, "little") for n in (0, 0, 99, 49))
    + bytes(16) + b" EMF" + bytes(8)
)  # fmt: skip


def parse_kept(document: Any) -> tuple[Parsed, dict[str, bytes]]:
    kept: dict[str, bytes] = {}

    def keep(data: bytes) -> str:
        digest = hashlib.sha256(data).hexdigest()
        kept[digest] = data
        return digest

    return parse(document, ReadContext(keep=keep)), kept


def picture(document: Any, into: Any = None, alt: str = "", data: bytes | None = None) -> None:
    run = (into or document.add_paragraph()).add_run()
    run.add_picture(io.BytesIO(data or png()), width=Inches(1))
    for properties in run._r.iter("{*}docPr"):
        properties.set("descr", alt)


def part(document: Any, name: str, kind: str, relation: str, blob: bytes) -> str:
    made = Part(PackURI(name), kind, blob, document.part.package)
    key: str = document.part.relate_to(made, relation)
    return key


def test_pictures_are_kept_with_size_and_description() -> None:
    document = docx.Document()
    picture(document, alt="A vent")
    picture(document, alt="C:\\Users\\a\\vent 1.PNG")
    parsed, kept = parse_kept(document)
    first, second = parsed.assets
    assert (first.text, second.text) == ("A vent", "")
    (origin,) = first.origins
    assert (origin.start, origin.end, origin.kind) == (0, 6, "alt")
    assert first.picture is not None
    assert (first.picture.media_type, first.picture.width) == ("image/png", 80)
    assert kept[first.picture.sha256] == png()


def test_old_pictures_metafiles_and_equation_objects() -> None:
    document = docx.Document()
    image = RELATIONSHIP_TYPE.IMAGE
    emf = part(document, "/word/media/a.emf", "image/x-emf", image, EMF)
    odd = part(document, "/word/media/b.bin", "image/x-odd", image, b"no picture")
    shape = "<v:shape alt='{alt}'><v:imagedata r:id='{key}'/></v:shape>"
    for alt, key in (("A map", emf), ("", odd)):
        add(document, f"<w:p><w:r><w:pict>{shape.format(alt=alt, key=key)}</w:pict></w:r></w:p>")
    add(
        document,
        f"<w:p><w:r><w:t>where </w:t><w:object>{shape.format(alt='', key=emf)}"
        "<o:OLEObject ProgID='Equation.DSMT4'/></w:object></w:r></w:p>",
    )
    parsed, _ = parse_kept(document)
    assert kinds(parsed) == [("figure", "A map"), ("figure", ""), ("paragraph", "where")]
    found = parsed.assets[0].picture
    assert found is not None
    assert (found.media_type, found.width, found.height) == ("image/emf", 100, 50)
    assert parsed.assets[1].picture is None
    assert [w.code for w in parsed.warnings] == ["pictures_left_out", "formulas_unread"]


def test_pictures_that_are_not_shown_are_counted() -> None:
    document = docx.Document()
    document.add_paragraph("Text.").add_run().add_picture(io.BytesIO(png()), width=Inches(0.1))
    picture(document, document.sections[0].header.paragraphs[0])
    add(
        document,
        "<w:p><w:r><w:drawing><wp:inline><pic:pic><a:blip r:link='rId99'/></pic:pic></wp:inline>"
        "</w:drawing></w:r></w:p>",
    )
    parsed = parse(document)
    assert kinds(parsed) == [("paragraph", "Text."), ("figure", "")]
    (warning,) = parsed.warnings
    assert warning.code == "pictures_left_out"
    assert warning.message.startswith("3 pictures are not shown: ")
    for reason in ("icons without a description (1)", "running heads, feet or notes (1)"):
        assert reason in warning.message


def test_charts_without_values_are_said() -> None:
    document = docx.Document()
    empty = "<c:chartSpace xmlns:c='http://schemas.openxmlformats.org/drawingml/2006/chart'/>"
    kind = "application/vnd.openxmlformats-officedocument.drawingml.chart+xml"
    key = part(document, "/word/charts/c.xml", kind, RELATIONSHIP_TYPE.CHART, empty.encode())
    add(
        document,
        "<w:p><w:r><w:drawing><wp:inline><wp:docPr id='1' name='c'/><a:graphic><a:graphicData>"
        f"<c:chart r:id='{key}'/></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>",
    )
    parsed = parse(document)
    assert [w.code for w in parsed.warnings] == ["chart_unread"]
    assert kinds(parsed) == [("figure", "")]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (png(7, 5), ("image/png", 7, 5)),
        (b"<?xml version='1.0'?><svg width='20px' height='10'/>", ("image/svg+xml", 20, 10)),
        (b"<svg viewBox='0 0 30 15'/>", ("image/svg+xml", 30, 15)),
        (b"\x89PNG\r\n\x1a\n", None),
        (b"", None),
        (b"GIF89a", None),
    ],
)
def test_measuring(data: bytes, expected: tuple[str, int, int] | None) -> None:
    assert measure(data) == expected


CHART = (
    "<c:chartSpace xmlns:c='http://schemas.openxmlformats.org/drawingml/2006/chart' xmlns:a='http://"
    "schemas.openxmlformats.org/drawingml/2006/main'><c:chart>{title}<c:plotArea><c:barChart>"
    "<c:ser><c:tx><c:v>2024</c:v></c:tx><c:cat>{names}</c:cat><c:val>{first}</c:val></c:ser>"
    "<c:ser><c:tx><c:v>2025</c:v></c:tx><c:val>{second}</c:val></c:ser>"
    "</c:barChart></c:plotArea></c:chart></c:chartSpace>"
)


def points(*values: str) -> str:
    inside = "".join(f"<c:pt idx='{n}'><c:v>{v}</c:v></c:pt>" for n, v in enumerate(values) if v)
    return f"<c:numRef><c:numCache>{inside}</c:numCache></c:numRef>"


def chart(document: Any, title: str = "") -> None:
    blob = CHART.format(
        title=f"<c:title><c:tx><a:t>{title}</a:t></c:tx></c:title>" if title else "",
        names=points("Ducks", "Geese"),
        first=points("4.2999999999999998", "2"),
        second=points("", "8"),
    )
    number = len(document.part.rels)
    key = part(
        document,
        f"/word/charts/chart{number}.xml",
        "application/vnd.openxmlformats-officedocument.drawingml.chart+xml",
        RELATIONSHIP_TYPE.CHART,
        blob.encode(),
    )
    add(
        document,
        "<w:p><w:r><w:drawing><wp:inline><wp:docPr id='1' name='c'/><a:graphic><a:graphicData>"
        f"<c:chart r:id='{key}'/></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>",
    )


def test_a_chart_is_the_table_of_its_values() -> None:
    document = docx.Document()
    chart(document, "Birds sold")
    document.add_paragraph("Text between.")
    chart(document)
    document.add_paragraph("Figure 2: Birds again", style="Caption")
    first, _, second = parse(document).assets
    assert first.caption == "Birds sold"
    assert first.table is not None
    assert first.table.rows == (("", "2024", "2025"), ("Ducks", "4.3", ""), ("Geese", "2", "8"))
    assert first.table.header_rows == 1
    assert (second.kind, second.caption) == (AssetKind.TABLE, "Figure 2: Birds again")


def test_pictures_in_cells_follow_their_table() -> None:
    document = docx.Document()
    table = document.add_table(2, 2)
    for cell, text in zip(table._cells, ("Part", "Looks", "Pump", ""), strict=True):
        cell.text = text
    picture(document, table.cell(1, 1).paragraphs[0], "A pump")
    assert kinds(parse(document)) == [("table", "Part | Looks\nPump | "), ("figure", "A pump")]


def test_a_table_of_pictures_and_captions_is_taken_apart() -> None:
    document = docx.Document()
    table = document.add_table(2, 2)
    for n, name in enumerate(("Front", "Back")):
        picture(document, table.cell(0, n).paragraphs[0], name)
        table.cell(1, n).text = f"Figure {n + 1}: {name} view"
    assert [(a.kind, a.caption, a.text.split("\n")[-1]) for a in parse(document).assets] == [
        (AssetKind.FIGURE, "Figure 1: Front view", "Front"),
        (AssetKind.FIGURE, "Figure 2: Back view", "Back"),
    ]


def box(table: Any) -> None:
    inner = table.cell(0, 0).add_table(2, 2)
    for cell, text in zip(inner._cells, ("Part", "Hours", "Pump", "500"), strict=True):
        cell.text = text


def sections(table: Any) -> None:
    for n, name in enumerate(("Left", "Right")):
        cell = table.cell(0, n)
        cell.paragraphs[0].text = name
        cell.paragraphs[0].style = "Heading 2"
        cell.add_paragraph("Text one.")
        cell.add_paragraph("Text two.")


@pytest.mark.parametrize(
    ("shape", "fill", "expected"),
    [
        ((2, 1), box, ["table"]),
        ((1, 2), sections, ["heading", "paragraph", "paragraph"] * 2),
        ((2, 2), box, ["table"]),
    ],
)
def test_layout_tables(
    shape: tuple[int, int], fill: Callable[[Any], None], expected: list[str]
) -> None:
    document = docx.Document()
    fill(document.add_table(*shape))
    assert [str(asset.kind) for asset in parse(document).assets] == expected


def test_a_table_inside_a_cell_of_data_is_its_text() -> None:
    document = docx.Document()
    table = document.add_table(2, 2)
    for cell, text in zip(table._cells, ("Name", "Parts", "Pump", ""), strict=True):
        cell.text = text
    inner = table.cell(1, 1).add_table(1, 2)
    for cell, text in zip(inner._cells, ("seal", "ring"), strict=True):
        cell.text = text
    assert kinds(parse(document)) == [("table", "Name | Parts\nPump | seal ring")]


def test_merges_bold_headers_and_row_names() -> None:
    document = docx.Document()
    table = document.add_table(3, 3)
    texts = ("", "2024", "2025", "Ducks", "4", "5", "Geese", "2", "8")
    for cell, text in zip(table._cells, texts, strict=True):
        cell.text = text
    for cell in table.rows[0].cells:
        for run in cell.paragraphs[0].runs:
            run.bold = True
    table.cell(1, 2).merge(table.cell(2, 2))
    (asset,) = parse(document).assets
    assert asset.table is not None
    assert (asset.table.header_rows, asset.table.row_headers) == (1, 1)
    assert asset.table.merges == (Merge(1, 2, 2, 1),)


def test_text_boxes_are_read_once() -> None:
    document = docx.Document()
    inside = "<w:txbxContent><w:p><w:r><w:t>Boxed.</w:t></w:r></w:p></w:txbxContent>"
    add(
        document,
        "<w:p><w:r><mc:AlternateContent><mc:Choice Requires='wps'><w:drawing><wps:wsp><wps:txbx>"
        f"{inside}</wps:txbx></wps:wsp></w:drawing></mc:Choice><mc:Fallback><w:pict><v:shape>"
        f"<v:textbox>{inside}</v:textbox></v:shape></w:pict></mc:Fallback></mc:AlternateContent>"
        "<w:t>Outside.</w:t></w:r></w:p>",
    )
    assert kinds(parse(document)) == [("paragraph", "Outside."), ("paragraph", "Boxed.")]


def test_files_put_into_the_document_are_attachments() -> None:
    document = docx.Document()
    document.add_paragraph("See the sheet.")
    data = saved(docx.Document())
    part(document, "/word/embeddings/a.docx", "application/x", RELATIONSHIP_TYPE.PACKAGE, data)
    parsed, kept = parse_kept(document)
    (found,) = parsed.attachments
    assert (found.name, found.size, kept[found.sha256]) == ("a.docx", len(data), data)
