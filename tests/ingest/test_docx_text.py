"""What Word shows but does not keep as text: labels, symbols, formulas, tracked changes, notes."""

from __future__ import annotations

import zlib

import docx
import pytest

from chapterverse.ingest.context import ReadContext
from chapterverse.ingest.counting import format_number
from chapterverse.ingest.docx import read_docx
from chapterverse.ingest.docx_math import linear_math
from chapterverse.schema.errors import Corrupt, TooLarge
from tests.ingest.word_files import (
    add,
    add_num,
    element,
    kinds,
    number_list,
    numbered,
    parse,
    repacked,
    saved,
)


@pytest.mark.parametrize(
    ("form", "shown"),
    [
        ("chineseCountingThousand", {1: "一", 10: "十", 12: "十二", 20: "二十", 101: "一百零一"}),
        ("chineseCounting", {21: "二十一", 105: "一〇五"}),
        ("chineseLegalSimplified", {12: "壹拾贰", 305: "叁佰零伍"}),
        ("taiwaneseCountingThousand", {10_010: "一萬零十"}),
        ("japaneseCounting", {1: "一", 11: "十一", 123: "百二十三"}),
        ("upperRoman", {4: "IV", 1999: "MCMXCIX", 4000: "4000"}),
        ("lowerLetter", {1: "a", 26: "z", 27: "aa", 0: "0"}),
        ("ordinal", {1: "1st", 12: "12th", 23: "23rd"}),
        ("ordinalText", {3: "Third", 21: "Twenty-first", 40: "Fortieth"}),
        ("decimalEnclosedCircle", {3: "③", 21: "21"}),
        ("ideographTraditional", {2: "乙", 11: "甲"}),
        ("no such form", {7: "7"}),
    ],
)
def test_counting(form: str, shown: dict[int, str]) -> None:
    assert {value: format_number(value, form) for value in shown} == shown


def test_chinese_chapters_and_levels_below_them() -> None:
    document = docx.Document()
    number_list(document, [("chineseCountingThousand", "第%1章"), ("decimal", "!%1.%2")])
    for text, level in (("总则", 0), ("范围", 1), ("术语", 1), ("附则", 0), ("解释", 1)):
        numbered(document.add_heading(text, level + 1), level)
    assert [text for _, text in kinds(parse(document))] == [
        "第一章 总则",
        "1.1 范围",
        "1.2 术语",
        "第二章 附则",
        "2.1 解释",
    ]


def test_lists_restart_where_they_say_so_and_count_on_in_tables() -> None:
    document = docx.Document()
    number_list(document, [("lowerLetter", "%1)"), ("bullet", "\uf0b7")])
    restart = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride>'
    add_num(document, 91, 90, restart)
    add_num(document, 92, 90)
    for text, level, key in (("one", 0, 90), ("dot", 1, 90), ("two", 0, 90), ("again", 0, 91)):
        numbered(document.add_paragraph(text), level, key)
    table = document.add_table(1, 2)
    for cell, text in zip(table.rows[0].cells, ("in", "table"), strict=True):
        cell.paragraphs[0].text = text
        numbered(cell.paragraphs[0], 0, 91)
    numbered(document.add_paragraph("shared"), 0, 92)
    assert kinds(parse(document)) == [
        ("list_item", "a) one"),
        ("list_item", "dot"),
        ("list_item", "b) two"),
        ("list_item", "a) again"),
        ("table", "b) in | c) table"),
        ("list_item", "d) shared"),
    ]


def test_numbering_of_a_style_and_switched_off_in_a_paragraph() -> None:
    document = docx.Document()
    number_list(document, [("decimal", "%1"), ("decimal", "%1.%2")])
    for name, level in (("Heading 1", 0), ("Heading 2", 1)):
        place = f'<w:pPr><w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="90"/></w:numPr></w:pPr>'
        document.styles[name].element.append(element(place))
    document.add_heading("Scope", 1)
    document.add_heading("Terms", 2)
    numbered(document.add_heading("Preface", 1), 0, 0)
    assert [text for _, text in kinds(parse(document))] == ["1 Scope", "1.1 Terms", "Preface"]


def test_symbols_are_characters() -> None:
    document = docx.Document()
    add(
        document,
        "<w:p><w:r><w:t>angle </w:t><w:sym w:font='Symbol' w:char='F061'/>"
        "<w:sym w:font='Wingdings' w:char='F0FC'/><w:sym w:font='Wingdings' w:char='00FE'/>"
        "<w:sym w:font='Webdings' w:char='F0FF'/></w:r>"
        "<w:r><w:rPr><w:rFonts w:ascii='Symbol'/></w:rPr><w:t>\uf0a3</w:t></w:r></w:p>",
    )
    assert kinds(parse(document)) == [("paragraph", "angle α✓☑\ufffd≤")]


@pytest.mark.parametrize(
    ("xml", "text"),
    [
        ("<m:f><m:num>{a+b}</m:num><m:den>{2}</m:den></m:f>", "(a+b)/2"),
        (
            "<m:sSubSup><m:e>{x}</m:e><m:sub>{i}</m:sub><m:sup>{n+1}</m:sup></m:sSubSup>",
            "x_i^(n+1)",
        ),
        ("<m:rad><m:deg/><m:e>{x}</m:e></m:rad>", "√(x)"),
        (
            "<m:nary><m:naryPr><m:chr m:val='∑'/></m:naryPr><m:sub>{i=1}</m:sub><m:sup>{n}</m:sup>"
            "<m:e>{i}</m:e></m:nary>",
            "∑_(i=1)^n i",
        ),
        (
            "<m:d><m:dPr><m:begChr m:val='['/><m:endChr m:val=']'/></m:dPr>"
            "<m:e>{a}</m:e><m:e>{b}</m:e></m:d>",
            "[a|b]",
        ),
        (
            "<m:m><m:mr><m:e>{1}</m:e><m:e>{0}</m:e></m:mr><m:mr><m:e>{0}</m:e><m:e>{1}</m:e></m:mr>"
            "</m:m>",
            "[1, 0; 0, 1]",
        ),
        ("<m:func><m:fName>{sin}</m:fName><m:e>{x}</m:e></m:func>", "sin x"),
        ("<m:acc><m:accPr><m:chr m:val='⃗'/></m:accPr><m:e>{v}</m:e></m:acc>", "v⃗"),
        ("<m:box><m:e>{y}</m:e></m:box>", "y"),
    ],
)
def test_formulas_are_linear(xml: str, text: str) -> None:
    filled = xml.replace("{", "<m:r><m:t>").replace("}", "</m:t></m:r>")
    assert linear_math(element(f"<m:oMath>{filled}</m:oMath>")) == text


def test_formulas_alone_or_numbered_in_a_layout_table() -> None:
    document = docx.Document()
    formula = "<m:oMath><m:r><m:t>E=m</m:t></m:r></m:oMath>"
    run = "<w:r><w:t xml:space='preserve'>{}</w:t></w:r>"
    cell = "<w:tc><w:p>{}</w:p></w:tc>"
    add(document, f"<w:p><m:oMathPara>{formula}</m:oMathPara></w:p>")
    add(document, f"<w:p>{run.format('So ')}{formula}{run.format(' holds.')}</w:p>")
    cells = "".join(cell.format(inside) for inside in ("", formula, run.format("(3.1)")))
    add(document, f"<w:tbl><w:tr>{cells}</w:tr></w:tbl>")
    assert [(k, " ".join(t.split())) for k, t in kinds(parse(document))] == [
        ("formula", "E=m"),
        ("paragraph", "So E=m holds."),
        ("formula", "E=m (3.1)"),
    ]


def test_tracked_rows_cells_and_paragraph_ends() -> None:
    document = docx.Document()
    cell = "<w:tc>{}<w:p><w:r><w:t>{}</w:t></w:r></w:p></w:tc>"
    kept = cell.format("", "a") + cell.format("", "b")
    gone = cell.format("", "x") + cell.format("", "y")
    extra = cell.format("<w:tcPr><w:cellDel/></w:tcPr>", "z")
    new = cell.format("", "c") + cell.format("", "d")
    add(
        document,
        f"<w:tbl><w:tr>{kept}{extra}</w:tr><w:tr><w:trPr><w:del/></w:trPr>{gone}</w:tr>"
        f"<w:tr><w:trPr><w:ins/></w:trPr>{new}</w:tr></w:tbl>",
    )
    add(
        document,
        "<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr><w:r><w:t xml:space='preserve'>One </w:t></w:r>"
        "</w:p>",
    )
    document.add_paragraph("sentence.")
    assert kinds(parse(document)) == [("table", "a | b\nc | d"), ("paragraph", "One sentence.")]


NOTES = (
    "<?xml version='1.0'?><w:{part} xmlns:w='http://schemas.openxmlformats.org/wordprocessingml/"
    "2006/main'>{notes}</w:{part}>"
)


def test_notes_and_comments_follow_their_paragraph() -> None:
    document = docx.Document()
    add(
        document,
        "<w:p><w:r><w:t>Seed keeps.</w:t></w:r><w:r><w:footnoteReference w:id='2'/></w:r></w:p>",
    )
    document.add_paragraph("End.")
    run = document.paragraphs[-1].runs[0]
    document.add_comment(run, text="Really?", author="Ann")
    note = "<w:footnote w:id='2'><w:p><w:r><w:t>At minus 18.</w:t></w:r></w:p></w:footnote>"
    line = "<w:footnote w:id='0' w:type='separator'><w:p/></w:footnote>"
    relation = (
        b'<Relationship Id="rId99" Type="http://schemas.openxmlformats.org/officeDocument/2006/'
        b'relationships/footnotes" Target="footnotes.xml"/></Relationships>'
    )
    kind = (
        b'<Override PartName="/word/footnotes.xml" ContentType="application/vnd.openxmlformats-'
        b'officedocument.wordprocessingml.footnotes+xml"/></Types>'
    )
    data = repacked(
        saved(document),
        {
            "word/_rels/document.xml.rels": (b"</Relationships>", relation),
            "[Content_Types].xml": (b"</Types>", kind),
        },
        **{"word/footnotes.xml": NOTES.format(part="footnotes", notes=line + note).encode()},
    )
    assert kinds(read_docx(data)) == [
        ("paragraph", "Seed keeps."),
        ("footnote", "At minus 18."),
        ("paragraph", "End."),
        ("footnote", "Comment (Ann): Really?"),
    ]


MAIN = b"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"


@pytest.mark.parametrize(
    "kind",
    [
        b"application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml",
        b"application/vnd.ms-word.document.macroEnabled.main+xml",
        b"application/vnd.ms-word.template.macroEnabledTemplate.main+xml",
    ],
)
def test_templates_and_files_with_macros_are_read(kind: bytes) -> None:
    document = docx.Document()
    document.add_paragraph("Text.")
    data = repacked(saved(document), {"[Content_Types].xml": (MAIN, kind)})
    assert kinds(read_docx(data)) == [("paragraph", "Text.")]


def test_strict_files_and_dangling_relations_are_read() -> None:
    document = docx.Document()
    document.add_heading("Scope", 1)
    document.add_paragraph("Text.")
    plain = b"http://schemas.openxmlformats.org/wordprocessingml/2006/"
    strict = b"http://purl.oclc.org/ooxml/wordprocessingml/"
    data = repacked(saved(document), {"*": (plain, strict)})
    dangling = (
        b'<Relationship Id="rId98" Type="http://schemas.openxmlformats.org/officeDocument/2006/'
        b'relationships/image" Target="NULL"/></Relationships>'
    )
    data = repacked(data, {"word/_rels/document.xml.rels": (b"</Relationships>", dangling)})
    assert kinds(read_docx(data)) == [("heading", "Scope"), ("paragraph", "Text.")]


def test_properties_and_page_limit() -> None:
    document = docx.Document()
    document.core_properties.author = "Ann"
    document.core_properties.keywords = "seed, frost"
    document.core_properties.comments = ""
    document.add_paragraph("one")
    document.add_page_break()
    document.add_paragraph("two")
    found = parse(document).properties
    assert (found["author"], found["keywords"]) == ("Ann", "seed, frost")
    assert "description" not in found
    with pytest.raises(TooLarge, match="has 2 pages; at most 1 are allowed"):
        parse(document, ReadContext(max_pages=1))


def test_a_package_without_its_document_is_corrupt() -> None:
    document = docx.Document()
    data = repacked(saved(document), {"_rels/.rels": (b"officeDocument", b"nothing")})
    with pytest.raises(Corrupt, match="damaged"):
        read_docx(data)


@pytest.mark.parametrize("error", [zlib.error("bad block"), AttributeError("no styles")], ids=repr)
def test_what_a_damaged_package_makes_the_library_raise_is_named(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: object) -> None:
        raise error

    monkeypatch.setattr("docx.Document", fail)
    with pytest.raises(Corrupt, match="damaged"):
        read_docx(b"PK")


def test_a_label_stands_on_the_page_of_its_text() -> None:
    document = docx.Document()
    document.add_paragraph("one")
    number_list(document, [("decimal", "%1")])
    heading = document.add_heading("", 1)
    heading.add_run()._r.append(element("<w:lastRenderedPageBreak/>"))
    heading.add_run("Storage")
    numbered(heading, 0)
    found = parse(document).assets[1]
    assert found.text == "1 Storage"
    assert [(r.start, r.end, r.page) for r in found.regions] == [(0, 9, 2)]
