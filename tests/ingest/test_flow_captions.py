"""Captions in documents without page geometry: order decides what they belong to."""

from __future__ import annotations

import pytest

from chapterverse.ingest.flow_captions import bind_captions, caption_kind
from chapterverse.ingest.outline import Draft
from chapterverse.ingest.tables import build_table
from chapterverse.schema.records import AssetKind, Merge, Origin


def text(words: str) -> Draft:
    return Draft(AssetKind.PARAGRAPH, words)


def table() -> Draft:
    form, record = build_table(
        [["a", "b"], ["1", "2"]], 1, row_headers=1, merges=[Merge(0, 0, 1, 2)]
    )
    return Draft(AssetKind.TABLE, form, table=record)


FIGURE = Draft(AssetKind.FIGURE, "A duck", origins=(Origin(0, 6, "alt"),))


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("Table 3. Parts", AssetKind.TABLE),
        ("表 2-1 检修周期", AssetKind.TABLE),
        ("Fig. 4 - Ducks", AssetKind.FIGURE),
        ("图1鸭子", AssetKind.FIGURE),
        ("Table 3 shows the parts.", None),
        ("图1显示了鸭子。", None),
        ("Tables are useful", None),
    ],
)
def test_what_reads_like_a_caption(line: str, kind: AssetKind | None) -> None:
    assert caption_kind(line) is kind


def test_offsets_and_what_a_table_knows_move_along() -> None:
    first, second = bind_captions([text("Table 1: Parts"), table(), FIGURE, text("Figure 1: Duck")])
    assert first.table is not None
    assert [first.text[a:b] for a, b in first.table.row_spans] == ["a | b", "1 | 2"]
    assert (first.table.row_headers, first.table.merges) == (1, (Merge(0, 0, 1, 2),))
    (origin,) = second.origins
    assert second.text[origin.start : origin.end] == "A duck"


def test_captions_in_two_languages_are_one() -> None:
    found = bind_captions(
        [
            text("表1 零件"),
            text("Table 1 Parts"),
            table(),
            FIGURE,
            text("图 2 鸭子"),
            text("Fig. 2 A duck"),
            text("Fig. 3 Another"),
        ]
    )
    assert [d.caption for d in found] == ["表1 零件 Table 1 Parts", "图 2 鸭子 Fig. 2 A duck", None]
    assert found[0].text.startswith("表1 零件 Table 1 Parts\na | b")


def test_a_chart_is_a_table_with_the_caption_of_a_figure() -> None:
    drafts = [table(), text("Figure 1: Sales")]
    assert len(bind_captions(drafts)) == 2
    (chart,) = bind_captions(drafts, charts=frozenset({0}))
    assert chart.caption == "Figure 1: Sales"
