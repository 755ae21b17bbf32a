"""Levels step down one at a time, paths name what encloses, titles are outside of both."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chapterverse.ingest.outline import Draft, numbered_level, promote_title, to_assets
from chapterverse.schema.records import AssetKind


def heading(text: str, level: int | None) -> Draft:
    return Draft(AssetKind.HEADING, text, level=level)


def levels(*raw: int) -> list[int | None]:
    return [asset.level for asset in to_assets([heading(str(n), n) for n in raw])]


def test_jumps_become_single_steps() -> None:
    assert levels(0, 1, 4, 2, 4, 1) == [0, 1, 2, 2, 3, 1]
    assert levels(3, 2, 1) == [1, 1, 1]
    assert levels(0, 0, 1) == [0, 1, 1]


@given(st.lists(st.integers(0, 9), max_size=30))
def test_never_more_than_one_step_down(raw: list[int]) -> None:
    found = [level for level in levels(*raw) if level is not None]
    assert all(b - a <= 1 for a, b in zip([0, *found], found, strict=False))
    assert all(level >= 1 for level in found[1:])


def test_paths_leave_out_title_and_self() -> None:
    drafts = [
        heading("T", 0),
        Draft(AssetKind.PARAGRAPH, "intro"),
        heading("1  Scope", 1),
        heading("1.1 Terms", 2),
        Draft(AssetKind.PARAGRAPH, "x"),
        heading("2 Rules", 1),
    ]
    paths = [asset.heading_path for asset in to_assets(drafts)]
    assert paths == [(), (), (), ("1 Scope",), ("1 Scope", "1.1 Terms"), ()]
    assert [asset.ordinal for asset in to_assets(drafts)] == list(range(6))


def test_a_lone_top_heading_is_the_title() -> None:
    drafts = [heading("Guide", 1), heading("A", 2), heading("B", 2)]
    assert [d.level for d in promote_title(drafts, None)] == [0, 2, 2]


def test_several_top_headings_are_sections_unless_declared() -> None:
    drafts = [heading("Guide", 1), heading("A", 1)]
    assert [d.level for d in promote_title(drafts, "Other")] == [1, 1]
    assert [d.level for d in promote_title(drafts, " guide ")] == [0, 1]
    assert [d.level for d in promote_title([heading("A", 2), heading("B", 1)], None)] == [2, 1]


@pytest.mark.parametrize(
    ("line", "level"),
    [
        ("第一编 总则", 1),
        ("第三章　费用报销", 2),
        ("第十二节 附加条款", 3),
        ("一、适用范围", 4),
        ("（二）申请流程", 5),
        ("附录 A", 2),
        ("PART II", 1),
        ("Chapter 4: Pumps", 2),
        ("2 Storage", 2),
        ("2.1 Germination tests", 3),
        ("3.2.1设备维护", 4),
        ("第三章规定员工应当在三十日内提交报销单据，逾期不再受理。", None),
        ("2019 was a good year.", None),
        ("The pump has 3.2 litres", None),
        ("3.5", None),
        ("Part of the problem", None),
        ("一、" + "很" * 40, None),
    ],
)
def test_numbered_headings(line: str, level: int | None) -> None:
    assert numbered_level(line) == level
