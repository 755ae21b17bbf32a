"""What parents and children of particular documents look like."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from chapterverse.ingest.chunk import chunk
from chapterverse.schema.chunk_limits import ChunkLimits
from chapterverse.schema.errors import SettingsError
from chapterverse.schema.records import Asset, AssetKind, Chunks, ParentKind, Parsed, Region, Table

K = AssetKind


def words(texts: Sequence[str]) -> list[int]:
    return [len(text.split()) for text in texts]


def text_of(count: int, word: str = "word") -> str:
    """Sentences of ten words, *count* words in all."""
    return " ".join(f"{word}." if i % 10 == 9 else word for i in range(count)).replace(
        f". {word}", f". {word.title()}"
    )


def asset(kind: AssetKind, text: str, *path: str, page: int | None = None, level: int = 1) -> Asset:
    regions = (Region(0, len(text), page),) if page else ()
    return Asset(0, kind, text, regions, level if kind is K.HEADING else None, path)


def run(*assets: Asset, title: str = "Handbook", **limits: int) -> Chunks:
    numbered = tuple(
        Asset(i, a.kind, a.text, a.regions, a.level, a.heading_path, a.caption, a.table)
        for i, a in enumerate(assets)
    )
    parsed = Parsed("text/plain", "test/1", numbered, page_labels=("i", "ii", "1", "2"))
    wanted = ChunkLimits(**limits)
    return chunk(parsed, title=title, place=("d", 1), limits=wanted, count_tokens=words)


def grid(caption: str | None, *rows: tuple[str, ...], header: int = 1) -> Asset:
    text = f"{caption}\n" if caption else ""
    spans = []
    for row in rows:
        line = " | ".join(row)
        spans.append((len(text), len(text) + len(line)))
        text += line + "\n"
    table = Table(rows, header, tuple(spans))
    return Asset(0, K.TABLE, text.rstrip("\n"), caption=caption, table=table)


def test_a_section_is_a_heading_with_its_body() -> None:
    chunks = run(
        asset(K.HEADING, "1 Pay"),
        asset(K.PARAGRAPH, text_of(300), "1 Pay"),
        asset(K.HEADING, "2 Leave"),
        asset(K.PARAGRAPH, text_of(300), "2 Leave"),
    )
    assert [p.heading_path for p in chunks.parents] == [("1 Pay",), ("2 Leave",)]
    assert [p.text.split("\n")[0] for p in chunks.parents] == ["1 Pay", "2 Leave"]
    first = chunks.children[0]
    assert first.text.startswith("1 Pay\n\nword") and first.kind is K.PARAGRAPH
    assert first.index_text.startswith("Handbook\n1 Pay\n\nword")
    assert chunks.children[1].index_text.startswith("Handbook > 1 Pay\nWord")


def test_headings_in_a_row_go_with_what_follows() -> None:
    chunks = run(
        asset(K.PARAGRAPH, text_of(300)),
        asset(K.HEADING, "1 Pay"),
        asset(K.HEADING, "1.1 Bonus", "1 Pay", level=2),
        asset(K.PARAGRAPH, text_of(590), "1 Pay", "1.1 Bonus"),
    )
    assert "Pay" not in chunks.parents[0].text
    assert chunks.parents[1].text.startswith("1 Pay\n\n1.1 Bonus\n\nword")
    assert all(p.tokens <= 600 for p in chunks.parents)


def test_small_sections_under_one_heading_are_merged_until_large_enough() -> None:
    sections = []
    for number in range(6):
        sections.append(asset(K.HEADING, f"Q{number}", "FAQ", level=2))
        sections.append(asset(K.PARAGRAPH, text_of(79), "FAQ", f"Q{number}"))
    chunks = run(asset(K.HEADING, "FAQ"), *sections, merge_tokens=150)
    assert [p.heading_path for p in chunks.parents] == [("FAQ",)] * 3
    assert [p.tokens for p in chunks.parents] == [161, 160, 160]
    # Each child keeps the heading it stands under.
    assert [c.text.split("\n\n")[0] for c in chunks.children[1:]] == [f"Q{n}" for n in range(1, 6)]
    apart = run(asset(K.HEADING, "FAQ"), *sections, merge_tokens=0)
    assert len(apart.parents) == 6


def test_sections_of_different_chapters_stay_apart() -> None:
    chunks = run(
        asset(K.HEADING, "1.1", "A", level=2),
        asset(K.PARAGRAPH, text_of(80), "A", "1.1"),
        asset(K.HEADING, "2.1", "B", level=2),
        asset(K.PARAGRAPH, text_of(80), "B", "2.1"),
    )
    assert len(chunks.parents) == 2


def test_a_long_section_is_cut_at_the_page_border() -> None:
    pages = [asset(K.PARAGRAPH, text_of(50), page=1 + i // 8) for i in range(20)]
    chunks = run(*pages)
    assert [p.pages for p in chunks.parents] == [(1,), (2,), (3,)]
    assert [p.page_labels for p in chunks.parents] == [("i",), ("ii",), ("1",)]
    assert [p.tokens for p in chunks.parents] == [400, 400, 200]


def test_a_short_section_may_cross_a_page() -> None:
    chunks = run(*[asset(K.PARAGRAPH, text_of(50), page=1 + i // 2) for i in range(4)])
    assert [p.pages for p in chunks.parents] == [(1, 2)]


def test_a_long_paragraph_is_cut_at_sentence_ends_evenly() -> None:
    chunks = run(asset(K.PARAGRAPH, text_of(700)))
    assert [p.tokens for p in chunks.parents] == [350, 350]
    assert all(p.text.endswith(".") for p in chunks.parents)
    assert {c.tokens for c in chunks.children} <= {80, 90, 100}


def test_code_is_cut_only_when_too_long_alone() -> None:
    code = "\n".join(f"    call({i}) # a comment" for i in range(100))
    chunks = run(asset(K.PARAGRAPH, text_of(300)), asset(K.CODE, code))
    assert chunks.parents[1].text == code
    longer = "\n".join(f"    call({i}) # a comment" for i in range(200))
    cut = run(asset(K.CODE, longer)).parents
    assert len(cut) == 2
    assert "\n".join(p.text for p in cut) == longer


def test_a_table_has_its_own_parent_and_rows_name_their_columns() -> None:
    chunks = run(
        asset(K.PARAGRAPH, text_of(60)),
        grid("Table 1. Sales", ("Year", "Sales"), ("2019", "4.2"), ("2020", "")),
        asset(K.PARAGRAPH, text_of(60)),
    )
    section, table = ParentKind.SECTION, ParentKind.TABLE
    assert [p.kind for p in chunks.parents] == [section, table, section]
    assert chunks.parents[1].text == "Table 1. Sales\nYear | Sales\n2019 | 4.2\n2020 |"
    caption, rows = [c for c in chunks.children if c.kind is K.TABLE]
    assert caption.index_text == "Handbook\nTable 1. Sales"
    assert rows.text == "Year | Sales\n2019 | 4.2\n2020 |"
    assert rows.index_text == (
        "Handbook > Table 1. Sales\nYear | Sales\nYear: 2019; Sales: 4.2\nYear: 2020"
    )


def test_rows_may_have_a_child_each() -> None:
    table = grid(None, ("Year", "Sales"), ("2019", "4.2"), ("2020", "5.0"))
    texts = [c.text for c in run(table, row_tokens=0).children]
    assert texts == ["Year | Sales\n2019 | 4.2", "2020 | 5.0"]


def test_a_long_table_repeats_caption_and_header() -> None:
    rows = [(f"item {i}", text_of(18)) for i in range(50)]
    table = grid("Table 1. Parts", ("Name", "Use"), *rows)
    chunks = run(asset(K.HEADING, "Parts"), table)
    assert len(chunks.parents) == 2
    assert chunks.parents[0].text.startswith("Parts\n\nTable 1. Parts\nName | Use\nitem 0 |")
    assert chunks.parents[1].text.startswith("Table 1. Parts\nName | Use\nitem ")
    assert all(p.tokens <= 600 for p in chunks.parents)
    assert sum(c.text.count("Name | Use") for c in chunks.children) == 1
    lines = [line for p in chunks.parents for line in p.text.split("\n") if line.startswith("item")]
    assert lines == [" | ".join(row) for row in rows]


def test_repeated_headers_bring_no_pages() -> None:
    rows = [("Name", "Use")] + [(f"item {i}", text_of(18)) for i in range(50)]
    table = grid(None, *rows)
    assert table.table is not None
    spans = table.table.row_spans
    regions = tuple(Region(a, b, 1 + i // 26) for i, (a, b) in enumerate(spans))
    chunks = run(Asset(0, K.TABLE, table.text, regions, table=table.table))
    assert [p.pages for p in chunks.parents] == [(1,), (2,)]


def test_a_row_over_the_limit_stays_whole_in_its_parent() -> None:
    table = grid(None, ("Name", "Use"), ("pump", text_of(900)), ("valve", text_of(5)))
    chunks = run(table)
    whole = [p for p in chunks.parents if text_of(900) in p.text]
    assert len(whole) == 1
    assert all(c.tokens <= 100 for c in chunks.children)


def test_a_large_row_goes_without_the_repeated_header() -> None:
    table = grid(None, ("Name", text_of(200)), ("pump", text_of(300)), ("valve", text_of(450)))
    assert [p.tokens for p in run(table).parents] == [504, 452]


def test_lead_in_and_notes_stay_with_their_table() -> None:
    table = grid(None, ("Year", "Sales"), ("2019", "4.2"))
    chunks = run(
        asset(K.HEADING, "Sales"),
        asset(K.PARAGRAPH, "In millions:", "Sales"),
        table,
        asset(K.FOOTNOTE, "* Estimated."),
    )
    assert [p.text for p in chunks.parents] == [
        "Sales\n\nIn millions:\n\nYear | Sales\n2019 | 4.2\n\n* Estimated."
    ]


def test_figures_without_text_and_furniture_are_in_no_parent() -> None:
    figure = Asset(0, K.FIGURE, "Figure 1. A pump.\nIN\nOUT", caption="Figure 1. A pump.")
    chunks = run(
        asset(K.PAGE_HEADER, "Handbook 2024"),
        Asset(0, K.FIGURE, ""),
        figure,
        asset(K.PAGE_FOOTER, "12"),
    )
    assert [(p.kind, p.text) for p in chunks.parents] == [(ParentKind.FIGURE, figure.text)]
    assert [c.text for c in chunks.children] == ["Figure 1. A pump.", "IN\nOUT"]


def test_list_items_are_children_unless_very_short() -> None:
    long_item, short = "- " + text_of(40), "- Press start."
    chunks = run(*[asset(K.LIST_ITEM, text) for text in (long_item, long_item, short, short)])
    assert chunks.parents[0].text == "\n".join([long_item, long_item, short, short])
    assert [c.tokens for c in chunks.children] == [41, 47]


def test_short_paragraphs_share_a_child() -> None:
    chunks = run(*[asset(K.PARAGRAPH, text_of(30)) for _ in range(3)])
    assert [c.tokens for c in chunks.children] == [90]


def test_the_context_line_is_bounded() -> None:
    path = tuple(f"{n} {text_of(20)}" for n in range(5))
    chunks = run(asset(K.PARAGRAPH, "Text.", *path))
    context, body = chunks.children[0].index_text.split("\n")
    assert body == "Text."
    assert words([context])[0] <= 62
    assert context.startswith("Handbook > ") and path[-1] in context
    title = run(asset(K.PARAGRAPH, "Text."), title=text_of(500)).children[0].index_text
    assert words([title])[0] <= 61
    assert (
        run(asset(K.PARAGRAPH, "Text.", *path), context_tokens=0).children[0].index_text == "Text."
    )


def test_a_document_without_text_has_no_chunks() -> None:
    assert run() == run(asset(K.PARAGRAPH, " \n")) == Chunks((), ())


@pytest.mark.parametrize(
    ("values", "seen"),
    [
        ({"child_tokens": 600}, "child_tokens"),
        ({"child_tokens": 100, "parent_tokens": 100}, "100 and parent_tokens is 100"),
        ({"child_tokens": 15}, "15"),
        ({"parent_tokens": 20_001}, "20001"),
        ({"merge_tokens": 601}, "601 and parent_tokens is 600"),
        ({"row_tokens": 101}, "101 and child_tokens is 100"),
        ({"context_tokens": -1}, "-1"),
    ],
)
def test_limits_that_contradict_are_refused(values: dict[str, int], seen: str) -> None:
    with pytest.raises(SettingsError, match=seen):
        ChunkLimits(**values)


def test_the_key_names_every_value() -> None:
    keys = {
        ChunkLimits().key(),
        ChunkLimits(child_tokens=99).key(),
        ChunkLimits(parent_tokens=599).key(),
        ChunkLimits(merge_tokens=199).key(),
        ChunkLimits(row_tokens=0).key(),
        ChunkLimits(context_tokens=0).key(),
    }
    assert len(keys) == 6
    assert ChunkLimits().key() == ChunkLimits(row_tokens=100).key()
