"""Headings of PDF by tags, run-in heads, place and level."""

from __future__ import annotations

from dataclasses import replace

from chapterverse.ingest.furniture import find_furniture
from chapterverse.ingest.pdf import read_pdf
from chapterverse.ingest.pdf_front import names_column
from chapterverse.ingest.pdf_headings import OutlineEntry, mark_headings
from chapterverse.ingest.pdf_pieces import Piece, split_block
from chapterverse.ingest.pdf_text import Line, Rect, make_line
from chapterverse.schema.records import AssetKind
from tests.ingest.tagged_pdf import Item, tagged_pdf
from tests.ingest.test_pdf_rules import line, paragraph

TEXT = "The gate of the lock is closed by hand and opened by the water that|stands before it."


def _heads(data: bytes) -> list[tuple[int | None, str]]:
    return [(a.level, a.text) for a in read_pdf(data).assets if a.kind is AssetKind.HEADING]


def _page(*items: tuple[str, float, str], top: float = 760.0) -> list[Item]:
    out: list[Item] = []
    for kind, size, text in items:
        out.append((kind, size, top, text))
        top -= 1.2 * size * (1 + text.count("|")) + 16
    return out


def test_tags_make_headings_of_plain_looking_lines() -> None:
    page = _page(
        ("H1", 18, "The lock"),
        ("P", 10, TEXT),
        ("H2", 10, "Gates"),
        ("P", 10, TEXT),
        ("H2", 10, "Walls of stone and|of old timber"),
        ("P", 10, TEXT),
        ("H3", 10, "Joints"),
        ("P", 10, TEXT),
    )
    assert _heads(tagged_pdf([page])) == [
        (0, "The lock"),
        (1, "Gates"),
        (1, "Walls of stone and of old timber"),
        (2, "Joints"),
    ]


def test_types_of_ones_own_count_by_their_role() -> None:
    page = _page(("Kopf", 10, "Gates"), ("P", 10, TEXT), ("Kopf2", 10, "Hinges"), ("P", 10, TEXT))
    roles = {"Kopf": "H1", "Kopf2": "H2"}
    assert _heads(tagged_pdf([page, page], roles)) == [(1, "Gates"), (2, "Hinges")] * 2


def test_tags_that_call_all_text_headings_count_for_nothing() -> None:
    page = _page(("H1", 16, "Gates"), ("H1", 10, TEXT), ("H1", 10, TEXT), ("H1", 10, TEXT))
    assert [text for _, text in _heads(tagged_pdf([page]))] == ["Gates"]


def test_tags_of_one_level_leave_the_level_to_the_fonts() -> None:
    page = _page(("H1", 18, "Locks"), ("P", 10, TEXT), ("H1", 13, "Gates"), ("P", 10, TEXT))
    assert _heads(tagged_pdf([page, page])) == [(1, "Locks"), (2, "Gates")] * 2


def test_marked_artifacts_at_the_edge_are_furniture() -> None:
    page = [
        ("Artifact", 10.0, 800.0, "Harbour handbook"),
        *_page(("H1", 14, "Gates"), ("P", 10, TEXT)),
    ]
    kinds = {a.text: a.kind for a in read_pdf(tagged_pdf([page])).assets}
    assert kinds["Harbour handbook"] is AssetKind.PAGE_HEADER


def _run_in(head: str, y: float) -> Piece:
    words = [*line(head, y, bold=True).words, *line("is done by two men of the crew", y, 260).words]
    return paragraph(make_line(words, 1), line("who stand on the quay all day.", y + 12))


def test_run_in_heads_are_set_apart_when_they_are_a_habit() -> None:
    many = [
        _run_in(text, 60.0 * i) for i, text in enumerate(["Oiling.", "Lifting.", "Night work."])
    ]
    marked = mark_headings([paragraph(line("1 Care", -40, bold=True)), *many], [])
    heads = [(p.level, p.text) for p in marked if p.kind is AssetKind.HEADING]
    assert heads == [(1, "1 Care"), (2, "Oiling."), (2, "Lifting."), (2, "Night work.")]
    assert marked[2].text == "is done by two men of the crew who stand on the quay all day."


def test_one_bold_beginning_is_no_head() -> None:
    assert [p.kind for p in mark_headings([_run_in("Oiling.", 0)], [])] == [AssetKind.PARAGRAPH]


def test_headings_of_one_style_stand_side_by_side() -> None:
    body = [line("Plain text of the body with many words in it.", y) for y in (400, 412, 424)]
    pieces = [
        paragraph(line("Harbours", 0, size=20)),
        paragraph(line("Cranes", 40, size=16)),
        paragraph(*body),
        paragraph(line("Winches", 500, size=12)),
        paragraph(*body),
        paragraph(line("Buoys", 600, size=12)),
        paragraph(line("Lights", 20, size=20, page=2)),
        paragraph(line("Lamps", 60, size=12, page=2)),
        paragraph(line("Masts", 90, size=12, page=2)),
    ]
    levels = [(p.text, p.level) for p in mark_headings(pieces, []) if p.kind is AssetKind.HEADING]
    assert levels == [
        ("Harbours", 1),
        ("Cranes", 2),
        ("Winches", 3),
        ("Buoys", 3),
        ("Lights", 1),
        ("Lamps", 2),
        ("Masts", 2),
    ]


def test_names_between_title_and_abstract_are_no_headings() -> None:
    body = [line("Plain text of the body with many words in it.", y) for y in (400, 412, 424)]
    pieces = [
        paragraph(line("On the wear of ropes", 0, size=20)),
        paragraph(line("Anna Berg and Otto Tal", 40, size=12)),
        paragraph(line("Abstract", 80, size=12, bold=True)),
        paragraph(*body),
        paragraph(line("1 Ropes", 500, size=12, bold=True)),
        paragraph(*body),
    ]
    heads = [p.text for p in mark_headings(pieces, []) if p.kind is AssetKind.HEADING]
    assert heads == ["On the wear of ropes", "Abstract", "1 Ropes"]


def test_a_chapter_whose_sections_begin_at_its_number_is_no_title() -> None:
    body = [line("Plain text of the body with many words in it.", y) for y in (400, 412, 424)]
    pieces = [
        paragraph(line("Cranes of the harbour", 0, size=20)),
        paragraph(*body),
        paragraph(line("1.1 Hooks", 500, size=14)),
        paragraph(*body),
        paragraph(line("1.2 Ropes", 600, size=14)),
    ]
    levels = [p.level for p in mark_headings(pieces, []) if p.kind is AssetKind.HEADING]
    assert levels == [1, 2, 2]


def test_heads_of_later_columns_are_no_headings() -> None:
    table = Rect(50, 100, 450, 300)
    assert names_column(paragraph(line("GRANT DATE", 80, x=380, bold=True)), [table])
    assert not names_column(paragraph(line("Grants", 80, x=50, bold=True)), [table])
    assert not names_column(paragraph(line("Grants", 80, x=235, bold=True)), [table])


def test_two_numbered_heads_in_one_block_come_apart() -> None:
    lines = [
        line("4 Ropes", 0, size=12, bold=True),
        line("4.1 Wear of ropes", 14, size=12, bold=True),
    ]
    pieces = split_block("paragraph", lines, Rect(50, 0, 400, 40), None)
    assert [p.text for p in pieces] == ["4 Ropes", "4.1 Wear of ropes"]


def test_text_after_a_hanging_note_is_a_paragraph() -> None:
    lines = [
        line("(1) Holds the ropes and the hooks that were left on the quay in", 0, x=50),
        line("spring and after it.", 12, x=66),
        line("Our ropes were all dried and hung up again in the loft of the", 24, x=80),
        line("old harbour house.", 36, x=50),
    ]
    pieces = split_block("paragraph", lines, Rect(50, 0, 400, 60), None)
    assert [len(p.lines) for p in pieces] == [2, 2]


def test_a_form_label_is_no_heading_a_bold_one_is() -> None:
    body = [line("Plain text of the body with many words in it.", y) for y in (400, 412, 424)]
    pieces = [paragraph(line("Country:", 0, size=11)), paragraph(*body)]
    assert mark_headings(pieces, [])[0].kind is AssetKind.PARAGRAPH
    pieces = [paragraph(line("Country:", 0, size=11, bold=True)), paragraph(*body)]
    assert mark_headings(pieces, [])[0].kind is AssetKind.HEADING


def test_outline_gives_the_level() -> None:
    pieces = [
        paragraph(line("Ropes", 0)),
        paragraph(line("Wear", 40)),
        paragraph(line("x" * 90, 80)),
    ]
    marked = mark_headings(pieces, [OutlineEntry("Ropes", 0, 1), OutlineEntry("Wear", 1, 1)])
    assert [p.level for p in marked] == [1, 2, None]


def _with_head(*words: tuple[str, float]) -> dict[int, list[Line]]:
    head = make_line([w for text, x in words for w in line(text, 30, x, 9).words], 1)
    return {1: [head, *(line("Plain text of the body.", 90.0 + 12 * i) for i in range(20))]}


def test_a_lone_page_keeps_its_running_head_out_of_the_text() -> None:
    pages = _with_head(("Ropes and their wear", 50), ("11", 500))
    assert find_furniture(pages, {1: 800.0})[1].heads == {0}
    assert not find_furniture(_with_head(("Ropes and wear of 11", 50)), {1: 800.0})[1].heads


def test_a_notice_of_copyright_at_the_foot_is_furniture() -> None:
    rows = [line("Plain text of the body.", 90.0 + 12 * i) for i in range(20)]
    rows.append(line("© Harbour Board 2014. All rights reserved.", 760, size=8))
    assert find_furniture({1: rows}, {1: 800.0})[1].feet == {20}


def test_a_foot_that_floats_below_the_text_is_furniture() -> None:
    pages = {}
    for page in range(1, 9):
        rows = [
            line(f"Plain text {page} of the body.", 20.0 + 12 * i) for i in range(10 + 4 * page)
        ]
        foot = line(f"2021 ANNUAL REPORT {page}", rows[-1].rect.y1 + 30, x=50 + 300 * (page % 2))
        pages[page] = [*rows, foot]
    found = find_furniture(pages, dict.fromkeys(pages, 800.0))
    assert all(found[page].feet == {10 + 4 * page} for page in pages)


def test_one_number_in_a_style_gives_the_others_no_level() -> None:
    body = [line("Plain text of the body with many words in it.", y) for y in (400, 412, 424)]
    pieces = [
        paragraph(line("PART I", 0, size=16)),
        paragraph(line("ITEM 1. BUSINESS", 40, size=14)),
        *(paragraph(line(f"PRODUCTS {x}", 60, size=13)) for x in "ABCDE"),
        paragraph(line("SCHEDULE II ACCOUNTS", 80, size=13)),
        paragraph(*body),
    ]
    levels = [p.level for p in mark_headings(pieces, []) if p.kind is AssetKind.HEADING]
    assert levels == [1, 2, 3, 3, 3, 3, 3, 1]


def test_text_as_large_as_the_list_below_it_is_no_heading() -> None:
    body = [line("Plain text of the body with many words in it.", y) for y in (400, 412, 424)]
    item = Piece(
        AssetKind.LIST_ITEM, (line("• oil and rope", 60, size=28),), 1, Rect(50, 0, 400, 9)
    )
    lead = paragraph(line("Bring with you", 20, size=28))
    pieces = [paragraph(line("Care", 0, size=44)), lead, item, paragraph(*body)]
    heads = [p.text for p in mark_headings(pieces, []) if p.kind is AssetKind.HEADING]
    assert heads == ["Care"]


def test_a_line_over_the_first_chapter_is_the_title_in_any_type() -> None:
    body = [line("公司在本年度内继续扩大其业务范围并增加了收入。", y) for y in (60, 72, 84)]

    def levels(first: str, chapter: str = "第一章：公司概况") -> list[int | None]:
        pieces = [
            paragraph(line(first, 0, size=12)),
            paragraph(line(chapter, 30, size=12)),
            paragraph(*body),
            paragraph(line("第二章：财务摘要", 200, size=12)),
            paragraph(*body),
        ]
        return [p.level for p in mark_headings(pieces, []) if p.kind is AssetKind.HEADING]

    assert levels("中国公司年度报告") == [0, 1, 1]
    assert levels("本报告由公司编写。") == [1, 1]
    assert levels("中国公司年度报告", "第三章：公司概况") == [1, 1, 1]


def test_bookmarks_of_later_pages_name_no_headings_of_the_contents_page() -> None:
    names = ["Mooring", "Lights", "Tides", "Weather", "Signals"]
    entries = [
        replace(paragraph(line(f"{name} {n + 2}", 60 + 14 * n)), kind=AssetKind.LIST_ITEM)
        for n, name in enumerate(names)
    ]
    body = [line("Plain text of the body with many words in it.", y, page=2) for y in (60, 72, 84)]
    pieces = [paragraph(line("Contents", 0, size=20)), *entries]
    for name in names:
        pieces += [paragraph(line(name, 30, page=2)), paragraph(*body)]
    outline = [OutlineEntry(name, 0, 2) for name in names]
    heads = [
        (p.text, p.page) for p in mark_headings(pieces, outline) if p.kind is AssetKind.HEADING
    ]
    assert heads == [("Contents", 1), *((name, 2) for name in names)]
