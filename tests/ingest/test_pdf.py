"""The PDF reader on small files made here: structure, pages, boxes, and no lost text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pypdfium2
import pytest

from chapterverse.ingest.context import ReadContext
from chapterverse.ingest.pdf import read_pdf
from chapterverse.schema.errors import Corrupt, Empty, Encrypted, TooLarge
from chapterverse.schema.records import FURNITURE, Asset, AssetKind, Parsed
from tests.ingest.pdf_files import (
    CONTENTS,
    contents_page,
    encrypted,
    endless_outline,
    hyphens,
    labelled,
    multi_page_report,
    pictures_only,
    rotated,
    two_columns,
    with_table_and_figure,
    zh_rules,
)

ALL = [two_columns, with_table_and_figure, zh_rules, multi_page_report, hyphens, rotated, labelled]
ALL += [contents_page]


def _bag(text: str) -> Counter[str]:
    return Counter(c for c in text if not c.isspace() and c not in "|-\ufffe\x02")


def _kinds(parsed: Parsed, kind: AssetKind) -> list[Asset]:
    return [asset for asset in parsed.assets if asset.kind is kind]


def _body(parsed: Parsed) -> str:
    return "\n".join(a.text for a in parsed.assets if a.kind not in FURNITURE)


@pytest.mark.parametrize("make", ALL, ids=lambda make: make.__name__)
def test_every_character_lands_in_one_asset_on_its_page(make: Callable[[], bytes]) -> None:
    data = make()
    parsed = read_pdf(data)
    found: dict[int, Counter[str]] = {}
    for asset in parsed.assets:
        area = 1 if asset.kind is AssetKind.FIGURE else 0
        for region in asset.regions[area:]:
            assert region.page is not None
            piece = _bag(asset.text[region.start : region.end])
            found[region.page] = found.get(region.page, Counter()) + piece
    document = pypdfium2.PdfDocument(data)
    for index in range(len(document)):
        textpage = document[index].get_textpage()
        assert found.get(index + 1, Counter()) == _bag(textpage.get_text_range())
    document.close()


@pytest.mark.parametrize("make", ALL, ids=lambda make: make.__name__)
def test_regions_lie_in_the_page_and_in_the_text(make: Callable[[], bytes]) -> None:
    parsed = read_pdf(make())
    assert [asset.ordinal for asset in parsed.assets] == list(range(len(parsed.assets)))
    for asset in parsed.assets:
        for region in asset.regions:
            assert 0 <= region.start <= region.end <= len(asset.text)
            assert region.box is not None
            box = region.box
            assert 0 <= box.x0 < box.x1 <= 1
            assert 0 <= box.y0 < box.y1 <= 1
        if asset.table is not None:
            cells = [asset.text[a:b] for a, b in asset.table.row_spans]
            assert cells == [" | ".join(row) for row in asset.table.rows]


def test_columns_are_read_one_after_the_other() -> None:
    body = _body(read_pdf(two_columns()))
    order = ["left one", "left two", "right one", "right two"]
    assert [body.index(mark) for mark in order] == sorted(body.index(mark) for mark in order)


def test_a_paragraph_over_a_column_break_is_one_asset() -> None:
    parsed = read_pdf(two_columns())
    joined = [a for a in parsed.assets if "left two" in a.text]
    assert "right one" in joined[0].text
    edges = {round(r.box.x0, 1) for r in joined[0].regions if r.box}
    assert len(edges) == 2


def test_headings_have_levels_and_paths() -> None:
    parsed = read_pdf(multi_page_report())
    headings = [(a.level, a.text) for a in _kinds(parsed, AssetKind.HEADING)]
    assert headings == [
        (0, "Report on Harbour Cranes"),
        (1, "1 Scope"),
        (2, "1.1 Terms"),
        (1, "2 Results"),
    ]
    sentence = next(a for a in parsed.assets if "hook block" in a.text)
    assert sentence.heading_path == ("1 Scope", "1.1 Terms")
    assert parsed.title == "Report on Harbour Cranes"


def test_running_heads_and_page_numbers_are_furniture() -> None:
    parsed = read_pdf(multi_page_report())
    assert [a.text for a in _kinds(parsed, AssetKind.PAGE_HEADER)] == ["Harbour Board"] * 4
    assert [a.text for a in _kinds(parsed, AssetKind.PAGE_FOOTER)] == ["1", "2", "3", "4"]
    assert "Harbour Board" not in _body(parsed)


def test_a_paragraph_over_a_page_break_has_regions_on_both_pages() -> None:
    parsed = read_pdf(multi_page_report())
    asset = next(a for a in parsed.assets if "begins on the first page" in a.text)
    assert "ends on the second page." in asset.text
    assert [r.page for r in asset.regions] == sorted(r.page or 0 for r in asset.regions)
    assert {r.page for r in asset.regions} == {1, 2}


def test_table_has_rows_header_and_caption() -> None:
    parsed = read_pdf(with_table_and_figure())
    (table,) = _kinds(parsed, AssetKind.TABLE)
    assert table.table is not None
    assert table.caption == "Table 1: Lifting capacity"
    assert table.table.rows[0] == ("Crane", "Reach (m)", "Load (t)")
    assert table.table.rows[2] == ("North", "32", "18")
    assert table.table.header_rows == 1
    assert table.text.splitlines()[:2] == [
        "Table 1: Lifting capacity",
        "Crane | Reach (m) | Load (t)",
    ]


def test_figure_has_box_and_caption() -> None:
    parsed = read_pdf(with_table_and_figure())
    (figure,) = _kinds(parsed, AssetKind.FIGURE)
    assert figure.caption == "Figure 1: The quay from above"
    box = figure.regions[0].box
    assert box is not None
    assert (box.x0, box.x1) == pytest.approx((100 / 595.28, 400 / 595.28), abs=0.01)


def test_chinese_chapters_articles_and_line_joins() -> None:
    parsed = read_pdf(zh_rules())
    headings = [(a.level, a.text) for a in _kinds(parsed, AssetKind.HEADING)]
    assert headings == [
        (0, "员工考勤管理办法"),
        (1, "第一章 总则"),
        (2, "第一节 范围"),
        (1, "第二章 请假"),
    ]
    assert "公司全体员工应当按照规定的时间上下班" in _body(parsed)
    article = next(a for a in parsed.assets if a.text.startswith("第二条"))
    assert article.heading_path == ("第一章 总则", "第一节 范围")


def test_each_entry_of_a_contents_page_is_a_list_item_and_no_heading() -> None:
    parsed = read_pdf(contents_page())
    assert [a.text for a in _kinds(parsed, AssetKind.HEADING)] == ["Contents"]
    entries = [a.text.replace(" .", "") for a in _kinds(parsed, AssetKind.LIST_ITEM)]
    assert entries == [f"{title} {number + 3}" for number, title in enumerate(CONTENTS)]


def test_hyphens_are_joined_only_where_the_document_supports_it() -> None:
    body = _body(read_pdf(hyphens()))
    assert "maintenance crews" in body
    assert "wire-rope" in body


def test_rotated_page_is_measured_as_displayed() -> None:
    upright, turned = read_pdf(rotated(0)), read_pdf(rotated(90))
    assert [a.text for a in upright.assets] == ["Near the top left corner."]
    assert [a.text for a in turned.assets] == ["Near the top left corner."]
    box = upright.assets[0].regions[0].box
    assert box is not None
    assert box.x0 < 0.2
    assert box.y1 < 0.2


def test_page_labels_and_physical_numbers() -> None:
    parsed = read_pdf(labelled())
    assert parsed.page_count == 3
    assert parsed.page_labels == ("i", "ii", "1")
    third = next(a for a in parsed.assets if "third" in a.text)
    assert (third.regions[0].page, third.regions[0].label) == (3, "1")


def test_outline_sets_the_level() -> None:
    parsed = read_pdf(labelled())
    levels = {a.text: a.level for a in _kinds(parsed, AssetKind.HEADING)}
    assert levels["Sluices"] == 1
    assert levels["Gate drives"] == 2


@pytest.mark.parametrize(("link", "to"), [("/Next", 0), ("/First", 0), ("/First", 1)])
def test_bookmarks_that_lead_back_cost_nothing_but_themselves(link: str, to: int) -> None:
    whole = read_pdf(labelled())
    parsed = read_pdf(endless_outline(link, to))
    assert [(a.kind, a.text, a.regions) for a in parsed.assets] == [
        (a.kind, a.text, a.regions) for a in whole.assets
    ]
    assert parsed.page_labels == ("i", "ii", "1")
    assert not parsed.warnings


def test_page_without_text_is_reported() -> None:
    parsed = read_pdf(labelled(blank=True))
    assert [(w.code, w.page) for w in parsed.warnings] == [("no_text", 4)]


@pytest.mark.parametrize(
    ("data", "error"),
    [(b"", Empty), (b"%PDF-1.4 nothing", Corrupt), (pictures_only(), Empty)],
    ids=["zero bytes", "noise", "pictures only"],
)
def test_unreadable_files_raise_their_error(data: bytes, error: type[Exception]) -> None:
    with pytest.raises(error):
        read_pdf(data)


def test_password() -> None:
    with pytest.raises(Encrypted, match="none was given"):
        read_pdf(encrypted("sesame"))
    with pytest.raises(Encrypted, match="wrong"):
        read_pdf(encrypted("sesame"), ReadContext(password="simsim"))
    assert "behind a door" in _body(read_pdf(encrypted("sesame"), ReadContext(password="sesame")))


def test_too_many_pages() -> None:
    with pytest.raises(TooLarge, match="4 pages; at most 3"):
        read_pdf(multi_page_report(), ReadContext(max_pages=3))


def test_same_bytes_give_the_same_records() -> None:
    data = with_table_and_figure()
    assert read_pdf(data) == read_pdf(data)


def test_a_failing_layout_engine_loses_no_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chapterverse.ingest.pdf.read_layouts", lambda *_: {})
    parsed = read_pdf(multi_page_report())
    assert {w.code for w in parsed.warnings} == {"no_layout"}
    assert "hook block" in _body(parsed)
