"""Plain text: what is a heading, a list item, a paragraph, and on which lines it stands."""

from __future__ import annotations

from chapterverse.ingest.plain import read_plain, read_text
from chapterverse.schema.records import Asset, AssetKind

HANDBOOK = """员工手册

第一章 总则

本手册适用于全体员工。本手册由人力资源部负责解释，
并自发布之日起施行。

第二章 费用报销
一、报销时限
员工应在三十日内提交：
1. 报销单；
2. 发票原件。

第三章规定的期限不得延长。
"""


def kinds(assets: tuple[Asset, ...]) -> list[tuple[str, str]]:
    return [(str(asset.kind), asset.text) for asset in assets]


def lines(asset: Asset) -> list[tuple[int, int]]:
    return [(r.lines.first, r.lines.last) for r in asset.regions if r.lines]


def test_chinese_handbook() -> None:
    parsed = read_plain(HANDBOOK.encode("gb18030"))
    assert parsed.title == "员工手册"
    assert kinds(parsed.assets) == [
        ("heading", "员工手册"),
        ("heading", "第一章 总则"),
        ("paragraph", "本手册适用于全体员工。本手册由人力资源部负责解释，并自发布之日起施行。"),
        ("heading", "第二章 费用报销"),
        ("paragraph", "一、报销时限\n员工应在三十日内提交："),
        ("list_item", "1. 报销单；"),
        ("list_item", "2. 发票原件。"),
        ("paragraph", "第三章规定的期限不得延长。"),
    ]
    assert [asset.level for asset in parsed.assets[:4]] == [0, 1, None, 1]
    assert parsed.assets[2].heading_path == ("第一章 总则",)
    assert lines(parsed.assets[2]) == [(5, 5), (6, 6)]
    assert parsed.page_count is None


def test_every_region_holds_its_line() -> None:
    source = HANDBOOK.split("\n")
    for asset in read_text(HANDBOOK, "text/plain").assets:
        for region in asset.regions:
            assert region.lines is not None
            assert asset.text[region.start : region.end].strip() in source[region.lines.first - 1]


def test_numbered_lines_are_items_unless_text_follows() -> None:
    text = "1. Install\n\n2. Start\n\n3. Storage\n\nStorage needs a dry and cool place.\n"
    assert [k for k, _ in kinds(read_text(text, "text/plain").assets)] == [
        "list_item",
        "list_item",
        "heading",
        "paragraph",
    ]


def test_wrapped_lines_join_and_ragged_lines_stay() -> None:
    wrapped = "The seed bank keeps dry seed of local meadow\nplants at minus eighteen degrees.\n"
    address = "Seed Bank\n12 Long Meadow Lane, Old Town\nOslo\n"
    assert read_text(wrapped, "text/plain").assets[0].text == wrapped.strip().replace("\n", " ")
    assert read_text(address, "text/plain").assets[0].text == address.strip()


def test_marked_headings_and_nested_items() -> None:
    text = "Guide\n=====\n\n# Part one\n\n- a\n  more of a\n  - b\n- c\n"
    assets = read_text(text, "text/plain").assets
    assert kinds(assets)[:2] == [("heading", "Guide"), ("heading", "Part one")]
    assert [asset.level for asset in assets[:2]] == [1, 1]
    items = [(a.text, a.level) for a in assets if a.kind is AssetKind.LIST_ITEM]
    assert items == [("a more of a", 0), ("b", 1), ("c", 0)]


def test_a_lone_marked_heading_is_the_title() -> None:
    parsed = read_text("Note.\n\n# Guide\n\n## Part one\n\nText.\n", "text/plain")
    assert parsed.title == "Guide"
    assert [asset.level for asset in parsed.assets] == [None, 0, 1, None]
    assert parsed.assets[3].heading_path == ("Part one",)


def test_numbered_first_heading_is_no_title() -> None:
    parsed = read_text("第一章 总则\n\n本手册适用于全体员工。\n", "text/plain")
    assert (parsed.title, parsed.assets[0].level) == (None, 1)


def test_a_comment_in_a_script_is_no_heading() -> None:
    assert [
        k for k, _ in kinds(read_text("import os\n# set up\nrun()\n", "text/plain").assets)
    ] == ["paragraph"]


def test_undecodable_bytes_are_reported() -> None:
    parsed = read_plain("报销单据".encode() * 5 + b"\xe5\x91")
    assert [warning.code for warning in parsed.warnings] == ["undecodable"]


def test_encoding_and_its_confidence_are_properties() -> None:
    sure = read_plain(HANDBOOK.encode("gb18030"))
    assert sure.properties["encoding"] == "gb18030"
    assert float(sure.properties["encoding_confidence"]) > 0.8
    assert sure.warnings == ()
    unsure = read_plain("Žluť.".encode("cp1250"))
    assert [warning.code for warning in unsure.warnings] == ["encoding_unsure"]
