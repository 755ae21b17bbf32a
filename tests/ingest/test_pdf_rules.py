"""The rules of the PDF reader one by one, on lines made by hand."""

from __future__ import annotations

import pytest

from chapterverse.ingest.captions import Target, bind_captions, caption_kind
from chapterverse.ingest.furniture import find_furniture
from chapterverse.ingest.pdf_contents import gather_entries, is_entry
from chapterverse.ingest.pdf_figures import figure_regions
from chapterverse.ingest.pdf_headings import OutlineEntry, mark_headings
from chapterverse.ingest.pdf_layout import Block, PageLayout, assign_words
from chapterverse.ingest.pdf_levels import numbering
from chapterverse.ingest.pdf_pieces import Piece, is_list_start, split_block
from chapterverse.ingest.pdf_prose import part_tables
from chapterverse.ingest.pdf_tables import build_grid
from chapterverse.ingest.pdf_text import Line, Rect, Word, make_line
from chapterverse.schema.records import AssetKind


def word(text: str, x: float, y: float, size: float = 10.0, bold: bool = False) -> Word:
    width = size * 0.5 * len(text)
    rect = Rect(x, y, x + width, y + size)
    return Word(text, rect, size, bold, True, False, False, x + width / 2, y + size / 2)


def line(
    text: str,
    y: float = 0.0,
    x: float = 50.0,
    size: float = 10.0,
    bold: bool = False,
    page: int = 1,
) -> Line:
    words = []
    for part in text.split(" "):
        words.append(word(part, x, y, size, bold))
        x = words[-1].rect.x1 + 0.3 * size
    return make_line(words, page)


def _row(y: float, *spots: tuple[str, float]) -> Line:
    return make_line([w for text, x in spots for w in line(text, y, x).words], 1)


def paragraph(*lines: Line) -> Piece:
    return Piece(AssetKind.PARAGRAPH, lines, lines[0].page, Rect(50, 0, 400, 800))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Table 1: Lifting capacity", "table"),
        ("Table 3-2 Built-in global variables", "table"),
        ("表 3：各部门预算", "table"),
        ("Figure 2. The quay", "figure"),
        ("图1 组织结构", "figure"),
        ("Fig. 4 – Load curve", "figure"),
        ("Table 3 shows the capacity of each crane.", None),
        ("Figures are in millions.", None),
        ("The table below lists all.", None),
    ],
)
def test_captions_are_told_from_prose(text: str, kind: str | None) -> None:
    assert caption_kind([line(text)]) == kind


def test_captions_bind_to_the_nearest_of_their_kind_once() -> None:
    table, figure = Rect(50, 100, 300, 200), Rect(50, 300, 300, 400)
    captions = [("table", Rect(50, 85, 200, 95)), ("figure", Rect(50, 405, 200, 415))]
    captions.append(("table", Rect(50, 205, 200, 215)))
    targets = [Target("table", table), Target("figure", figure)]
    assert bind_captions(captions, targets) == {0: 0, 1: 1}


@pytest.mark.parametrize(
    ("text", "depth"),
    [
        ("1 Scope", 1),
        ("1.2.3 Terms", 3),
        ("A.1 Symbols", 2),
        ("第三章 附则", 1),
        ("第二节 范围", 2),
        ("一、总则", 3),
        ("（二）范围", 4),
        ("PART II", 1),
        ("Plain words", None),
    ],
)
def test_numbers_name_a_depth(text: str, depth: int | None) -> None:
    found = numbering(text)
    assert (found[0] if found else None) == depth


def test_headings_come_from_outline_number_and_font() -> None:
    body = [
        line(f"running text of the body number {i} that goes on and on", 12 * i) for i in range(9)
    ]
    pieces = [
        paragraph(line("Sluices", 0, bold=True)),
        paragraph(*body),
        paragraph(line("Gate drives", 300)),
        paragraph(line("Table 1: Not a heading", 320, bold=True)),
        paragraph(line("This bold sentence ends in a mark.", 340, bold=True)),
        paragraph(line("= 4 + 5 * 6", 360, size=14)),
    ]
    outline = [OutlineEntry("Sluices", 0, 1), OutlineEntry("Gate drives", 1, 1)]
    marked = mark_headings(pieces, outline)
    assert [(p.text, p.level) for p in marked if p.kind is AssetKind.HEADING] == [
        ("Sluices", 1),
        ("Gate drives", 2),
    ]


_BODY = [line(f"running text of the body {i} that goes on and on", 900 + 12 * i) for i in range(9)]


@pytest.mark.parametrize(
    ("rows", "heading"),
    [
        ([line("Totals", bold=True), line("of the year", 60)], True),
        ([line("Totals", bold=True), _row(0, ("338", 400))], False),
        ([line("Number", bold=True), _row(13, ("338", 55))], False),
        ([line("2.1 Terms", bold=True), _row(0, ("338", 400))], True),
        ([line("Totals", size=14, bold=True), _row(0, ("338", 400))], True),
    ],
    ids=["alone", "number beside", "number below", "numbered", "larger"],
)
def test_a_bold_line_beside_numbers_is_a_row(rows: list[Line], heading: bool) -> None:
    pieces = [*(paragraph(row) for row in rows), paragraph(*_BODY)]
    marked = mark_headings(pieces, [])
    assert any(p.kind is AssetKind.HEADING for p in marked) is heading


@pytest.mark.parametrize(
    ("spots", "size", "heading"),
    [
        ([("Totals", 50), ("$", 200), ("37,740", 210), ("31,342", 300)], 10, False),
        ([("Totals", 50), ("48.8", 210), ("%", 235), ("21.5", 300)], 14, False),
        ([("Totals", 50), ("723", 400)], 14, False),
        ([("Fiscal", 50), ("Currency", 200)], 10, False),
        ([("1", 50), ("Scope", 100)], 10, True),
        ([("Item 7.", 50), ("Legal matters", 140)], 10, True),
        ([("Balance of 2018 and 2017", 50)], 10, True),
    ],
)
def test_a_bold_line_with_columns_is_a_row(
    spots: list[tuple[str, float]], size: float, heading: bool
) -> None:
    words = [w for text, x in spots for w in line(text, 0, x, size, bold=True).words]
    marked = mark_headings([paragraph(make_line(words, 1)), paragraph(*_BODY)], [])
    assert any(p.kind is AssetKind.HEADING for p in marked) is heading


def test_a_level_is_never_skipped() -> None:
    pieces = [paragraph(line("1 Scope", bold=True)), paragraph(line("1.1.1 Deep", 20, bold=True))]
    pieces.append(
        paragraph(*(line(f"text number {i} in the body of it", 40 + 12 * i) for i in range(5)))
    )
    levels = [p.level for p in mark_headings(pieces, []) if p.kind is AssetKind.HEADING]
    assert levels == [1, 2]


def test_furniture_repeats_at_one_height_and_numbers_follow_the_pages() -> None:
    pages = {
        n: [
            line("Harbour Board", 20, page=n),
            line(f"unlike text {'abcdef'[n]} begins", 60, page=n),
            line("Total 4 8 15 16 23 42", 700, page=n),
            line(f"Page {n + 6}", 780, page=n),
        ]
        for n in range(1, 6)
    }
    found = find_furniture(pages, dict.fromkeys(pages, 800.0))
    assert {tuple(f.heads) for f in found.values()} == {(0,)}
    assert {tuple(f.feet) for f in found.values()} == {(3,)}


def test_a_cover_keeps_the_title_that_running_heads_repeat() -> None:
    pages = {n: [line("Works", 20), line("abcdefg"[n] * 9, 200)] for n in range(2, 7)}
    for size, heads in ((24.0, set()), (12.0, {0})):
        pages[1] = [line("Works", 380, size=size), line("24 parts", 420)]
        found = find_furniture(pages, dict.fromkeys(pages, 800.0))
        assert found[1].heads == heads
        assert all(found[n].heads == {0} for n in range(2, 7))


def test_a_bold_beginning_does_not_cut_its_sentence() -> None:
    words = [word("Training-time", 50, 0, bold=True), word("Correction.", 120, 0, bold=True)]
    first = make_line([*words, word("The", 180, 0), word("ideal", 198, 0)], 1)
    pieces = split_block("paragraph", [first, line("way is long.", 12)], Rect(50, 0, 300, 30), None)
    assert len(pieces) == 1


@pytest.mark.parametrize("text", ["0、900、湾流公务机", "·卡罗尔又再受伤", "3.5 metres", "2、500"])
def test_running_text_is_no_list_item(text: str) -> None:
    assert not is_list_start(text)


def test_list_items_and_articles_start_their_own_piece() -> None:
    lines = [line("• first point"), line("• second point.", 12), line("第二条 本办法适用。", 24)]
    pieces = split_block("paragraph", lines, Rect(50, 0, 300, 40), None)
    assert [p.kind for p in pieces] == [
        AssetKind.LIST_ITEM,
        AssetKind.LIST_ITEM,
        AssetKind.PARAGRAPH,
    ]


def _table(rows: list[list[tuple[str, float]]]) -> tuple[Block, list[Line]]:
    lines = [make_line([word(t, x, 20.0 * i) for t, x in row], 1) for i, row in enumerate(rows)]
    edges = [(50.0, 150.0), (200.0, 250.0), (300.0, 350.0)]
    cells = tuple(
        tuple(Rect(a, 20.0 * i, b, 20.0 * i + 10) for a, b in edges) for i in range(len(rows))
    )
    return Block("table", Rect(50, 0, 350, 20.0 * len(rows)), None, cells), lines


def test_currency_signs_and_brackets_stay_with_their_number() -> None:
    block, lines = _table(
        [
            [("Item", 50), ("2018", 220), ("2017", 320)],
            [("Sales", 50), ("$", 200), ("32,765", 215), ("$", 262), ("31,657", 315)],
            [("Loss", 50), ("(547", 215), (")", 252), ("—", 330)],
        ]
    )
    grid = build_grid(block, lines)
    assert grid is not None
    assert grid.rows == (
        ("Item", "2018", "2017"),
        ("Sales", "$ 32,765", "$ 31,657"),
        ("Loss", "(547 )", "—"),
    )
    assert grid.header_rows == 1


def test_rows_that_the_layout_glued_together_are_parted() -> None:
    rows: list[list[tuple[str, float]]]
    rows = [[("Item", 50), ("2018", 220), ("2017", 320)], [("Cash", 50), ("12", 220), ("13", 320)]]
    block, lines = _table([*rows, [("Debt", 50), ("14", 220), ("15", 320)]])
    glued = (block.cells[0], tuple(a.union(b) for a, b in zip(*block.cells[1:], strict=True)))
    grid = build_grid(Block("table", block.rect, None, glued), lines)
    assert grid is not None
    assert grid.rows[1:] == (("Cash", "12", "13"), ("Debt", "14", "15"))


def test_prose_in_two_columns_of_a_false_table_is_no_table() -> None:
    rows: list[list[tuple[str, float]]]
    rows = [[("either", 50), ("a", 83), ("scalar", 88), ("value", 121), ("or", 150)]] * 3
    lines = [make_line([word(t, x, 20.0 * i) for t, x in row], 1) for i, row in enumerate(rows)]
    cells = tuple(
        (Rect(50, 20.0 * i, 119, 20.0 * i + 10), Rect(120, 20.0 * i, 170, 20.0 * i + 10))
        for i in range(3)
    )
    assert build_grid(Block("table", Rect(50, 0, 170, 60), None, cells), lines) is None


def _false_table(lines: list[Line], edges: list[tuple[float, float]]) -> list[tuple[str, int]]:
    """Kinds and numbers of lines of the parts of a block that passed for a table."""
    rows = [tuple(Rect(a, x.rect.y0, b, x.rect.y1) for a, b in edges) for x in lines]
    block = Block("table", Rect(50, 0, edges[-1][1], lines[-1].rect.y1), None, tuple(rows))
    return [(b.kind, len(part)) for b, part in part_tables([(block, list(lines))])]


_SALES = [
    _row(0, ("Item", 50), ("2018", 520)),
    _row(12, ("Sales", 50), ("32,765", 520)),
    _row(24, ("Debt", 50), ("14", 520)),
]
_PROSE = "The sums above hold for the whole of the year and for all of the harbours of the board"
_EDGES = [(50.0, 400.0), (500.0, 560.0)]


def test_running_text_and_its_heading_end_a_table() -> None:
    lines = [
        *_SALES,
        line("Gate drives", 48),
        line(_PROSE, 64, 60),
        line("and are told in euros.", 76),
        _row(100, ("Cash", 50), ("12", 520)),
        _row(112, ("Loss", 50), ("13", 520)),
    ]
    assert _false_table(lines, _EDGES) == [("table", 3), ("paragraph", 3), ("table", 2)]


def test_a_heading_larger_than_the_rows_ends_a_table() -> None:
    lines = [*_SALES, line("Note 6 Fair value", 50, size=16), *(_row(80, ("A", 50), ("1", 520)),)]
    assert _false_table(lines, _EDGES) == [("table", 3), ("paragraph", 1), ("table", 1)]


@pytest.mark.parametrize(
    "labels",
    [
        ["Adjustments to reconcile the net income of the year to cash from operations:"],
        [_PROSE, "by the board"],
        ["Current:"],
    ],
    ids=["label of a group", "label over two lines", "short label"],
)
def test_labels_without_numbers_stay_in_their_table(labels: list[str]) -> None:
    *alone, last = labels if len(labels) > 1 else [*labels, "Tax"]
    rows = [line(text, 36 + 12 * i) for i, text in enumerate(alone)]
    lines = [*_SALES, *rows, _row(48, (last, 50), ("7", 520))]
    assert _false_table(lines, _EDGES) == [("table", len(lines))]


def test_a_long_text_in_a_later_column_is_a_cell() -> None:
    texts = [_row(0, ("a", 50), (_PROSE, 70)), line(_PROSE, 12, 70), line("and so on.", 24, 70)]
    assert _false_table(texts, [(50.0, 60.0), (70.0, 500.0)]) == [("table", 3)]


def test_running_text_in_columns_with_different_heights_is_no_table() -> None:
    words = "six words on each of them"
    left = [word(t, 50 + 30 * i, 12.0 * k) for k in range(14) for i, t in enumerate(words.split())]
    right = [
        w._replace(rect=Rect(w.rect.x0 + 250, w.rect.y0 + 5, w.rect.x1 + 250, w.rect.y1 + 5))
        for w in left
    ]
    right = [w._replace(x=w.x + 250, y=w.y + 5) for w in right]
    both = sorted([*left, *right], key=lambda w: w.y)
    block = Block(
        "table", Rect(50, 0, 500, 180), None, ((Rect(50, 0, 250, 180), Rect(260, 0, 500, 180)),)
    )
    parts = part_tables([(block, [make_line([w], 1) for w in both])])
    assert [(b.kind, len(lines)) for b, lines in parts] == [("paragraph", 14)] * 2
    assert sum(len(x.words) for _, lines in parts for x in lines) == len(both)


@pytest.mark.parametrize(
    ("text", "entry"),
    [
        ("6 Maintenance . . . . . . 7", True),
        ("第一章 总则…………3", True),
        ("Foreword.......iv", True),
        ("Net sales ....... 32,765 31,657", False),
        ("and so on ... 7", False),
        (". . . . . . 7", False),
    ],
)
def test_entries_of_a_contents_page(text: str, entry: bool) -> None:
    assert is_entry(text) is entry


def test_two_columns_of_contents_are_entries_each() -> None:
    rows = [_row(12 * i, (f"Title{i} ..... 7", 50), (f"Other{i} ..... 9", 300)) for i in range(2)]
    block = Block("paragraph", Rect(50, 0, 500, 40))
    found = gather_entries([(block, list(rows))], rows)
    assert sorted(x.text for b, lines in found for x in lines if b.kind == "list_item") == [
        "Other0 ..... 9",
        "Other1 ..... 9",
        "Title0 ..... 7",
        "Title1 ..... 7",
    ]


def test_words_outside_of_all_blocks_are_kept_in_order() -> None:
    layout = PageLayout(
        (Block("paragraph", Rect(50, 0, 300, 12)), Block("paragraph", Rect(50, 60, 300, 72))), ()
    )
    words = [word("first", 60, 0), word("last", 60, 60), word("between", 60, 30)]
    placed = assign_words(words, layout, 1)
    assert [x.text for _, lines in placed for x in lines] == ["first", "between", "last"]


def test_neighbouring_pictures_are_one_figure_and_full_pages_none() -> None:
    tiles = [Rect(100, 100, 200, 200), Rect(205, 100, 300, 200), Rect(0, 0, 600, 800)]
    assert figure_regions(tiles, 600, 800) == [Rect(100, 100, 300, 200)]


def test_a_numbered_heading_on_top_of_a_page_is_no_page_number() -> None:
    pages = {
        n: [
            line(f"{n} Part {'abcdef'[n]}", 40, size=14, page=n),
            line(f"text {'ghijkl'[n]} of it", 70, page=n),
            line(f"more {'mnopqr'[n]} of it", 90, page=n),
        ]
        for n in range(1, 6)
    }
    found = find_furniture(pages, dict.fromkeys(pages, 800.0))
    assert {(f.heads, f.feet) for f in found.values()} == {(frozenset(), frozenset())}
