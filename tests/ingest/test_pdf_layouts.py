"""Tables, lists and listings that are easily read in the wrong order."""

from __future__ import annotations

import io

import pytest
from PIL import Image
from reportlab.lib.pagesizes import A4  # type: ignore[import-untyped]
from reportlab.lib.utils import ImageReader  # type: ignore[import-untyped]

from chapterverse.ingest.captions import Target, bind_captions
from chapterverse.ingest.furniture import find_furniture
from chapterverse.ingest.pdf import read_pdf
from chapterverse.ingest.pdf_figures import figure_areas
from chapterverse.ingest.pdf_found import add_tables
from chapterverse.ingest.pdf_graphics import Graphics
from chapterverse.ingest.pdf_head_rows import head_rows
from chapterverse.ingest.pdf_layout import Block, PageLayout, assign_words
from chapterverse.ingest.pdf_segments import row_segments
from chapterverse.ingest.pdf_tables import build_grid
from chapterverse.ingest.pdf_text import Rect, around, make_line
from chapterverse.schema.records import Asset, AssetKind, Table
from tests.ingest import pdf_layout_files as files
from tests.ingest.pdf_table_files import draw
from tests.ingest.test_pdf_rules import line, word


def read(*painters: object) -> tuple[Asset, ...]:
    return read_pdf(draw(*painters)).assets  # type: ignore[arg-type]


def tables(*painters: object) -> list[tuple[str | None, Table]]:
    """Caption and cells of each table."""
    return [(asset.caption, asset.table) for asset in read(*painters) if asset.table is not None]


def texts(assets: tuple[Asset, ...], kind: AssetKind) -> list[str]:
    return [asset.text for asset in assets if asset.kind is kind]


def test_text_left_of_a_table_is_no_column_of_it() -> None:
    assets = read(files.text_beside_a_table)
    (asset,) = [asset for asset in assets if asset.table is not None]
    table = asset.table
    assert table is not None
    assert asset.caption == "Table 1. Ships in the harbour"
    assert table.rows[0] == ("Year", "Number of ships")
    assert table.rows[1:3] == (("1870", "130"), ("1880", "8,267"))
    said = " ".join(texts(assets, AssetKind.PARAGRAPH))
    assert "was built of oak in the year that the old mole fell. Later keepers laid stone" in said


def test_a_chinese_table_of_three_rules_has_heads_of_two_levels() -> None:
    ((caption, table),) = tables(files.three_rules)
    assert caption == "表3 各城市年均浓度"
    assert table.header_rows == 2
    assert table.rows[0] == ("", "2022年", "2022年", "2023年", "2023年")
    assert table.rows[2] == ("北京", "30", "171", "32", "175")


def test_a_table_on_a_turned_page_is_read_as_it_is_shown() -> None:
    ((caption, table),) = tables(files.turned_page)
    assert caption == "Table 4: Berths by quarter"
    assert table.rows == tuple(files.BERTHS)


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_content_on_its_side_is_read_upright_and_cited_where_it_lies(turn: int) -> None:
    (asset,) = [asset for asset in read(files.turned_content(turn)) if asset.table is not None]
    assert asset.table is not None
    assert asset.caption == "Table 4: Berths by quarter"
    assert asset.table.rows == tuple(files.BERTHS)
    start = asset.text.index("North")
    (box,) = [r.box for r in asset.regions if r.start <= start < r.end and r.box is not None]
    # Where "North" was drawn, in points of the page: one row below the first of the table.
    x, y = {0: (75, 227), 90: (227, A4[0] - 75), 180: (A4[0] - 75, A4[1] - 227)}.get(
        turn, (A4[0] - 227, 75)
    )
    assert box.x0 < x / A4[0] < box.x1
    assert box.y0 < 1 - y / A4[1] < box.y1


def test_a_table_keeps_its_open_first_row() -> None:
    assets = read(files.ratings)
    assert [asset.table is not None for asset in assets] == [False, False, True, False, False]
    table = assets[2].table
    assert table is not None
    assert [row[1] for row in table.rows] == ["Good", "Poor", "Fair"]


def test_what_is_left_of_a_block_stands_before_and_after_the_table_in_it() -> None:
    texts = [(60, "Ratings of the dock"), (100, "Dock 12 34"), (120, "Quay 56 78"), (160, "Below")]
    rows = [
        make_line([word(part, 60 + 100 * i, y) for i, part in enumerate(text.split())], 1)
        for y, text in texts
    ]
    words = [w for row in rows for w in row.words]
    layout = PageLayout((Block("table", Rect(50, 55, 400, 180)),), ())
    across = tuple(Rect(50, y, 400, y + 1) for y in (96, 116, 136))
    down = tuple(Rect(x, 96, x + 1, 136) for x in (50, 150, 250, 400))
    found = add_tables(layout, words, Graphics(across, down), rows)
    held = assign_words(words, found, 1)
    assert [(block.kind, lines[0].text) for block, lines in held] == [
        ("paragraph", "Ratings of the dock"),
        ("table", "Dock 12 34"),
        ("paragraph", "Below"),
    ]


def test_a_caption_at_the_margin_belongs_to_the_table_in_the_middle_below_it() -> None:
    table = Target("table", Rect(223, 130, 373, 184))
    assert bind_captions([("table", Rect(78, 119, 175, 131))], [table]) == {0: 0}
    assert not bind_captions([("table", Rect(78, 89, 175, 101))], [table])
    assert not bind_captions([("table", Rect(10, 119, 60, 131))], [table])


def test_a_table_goes_on_over_the_page_without_its_heads() -> None:
    assets = read(files.long_table, files.rest_of_table)
    (asset,) = [asset for asset in assets if asset.table is not None]
    assert asset.table is not None
    assert [row[0] for row in asset.table.rows] == ["Valve", *(f"V{n}" for n in range(8))]
    assert {region.page for region in asset.regions} == {1, 2}


def test_a_table_with_heads_of_its_own_is_another_one() -> None:
    assert len(tables(files.long_table, files.long_table)) == 1
    ((_, one), (_, other)) = tables(files.long_table, files.text_beside_a_table)
    assert one.rows[0] == ("Valve", "Keeper")
    assert other.rows[0] == ("Year", "Number of ships")


def test_lists_side_by_side_are_read_one_after_the_other() -> None:
    items = texts(read(files.lists_side_by_side), AssetKind.LIST_ITEM)
    assert [item.split()[1] for item in items] == [
        *("Anchor", "Buoy", "Cable", "Dock"),
        *("Eel", "Fish", "Gull"),
    ]


def test_an_answer_beside_a_question_does_not_cut_its_sentence() -> None:
    said = [asset.text for asset in read(files.answers_beside_questions)]
    assert "1. Does the crane of the dock lift more than it did?" in said
    assert said.index("Yes") == 1


def test_a_narrow_word_at_the_gap_between_columns_is_read_once() -> None:
    left = [line("the keeper of the old light and I", 6.0 * i, 10, size=5) for i in range(4)]
    words = [w for x in left for w in x.words]
    narrow = [w._replace(rect=w.rect._replace(x1=w.rect.x0 + 1), x=w.rect.x0 + 0.5) for w in words]
    words = [narrow[i] if w.text == "I" else w for i, w in enumerate(words)]
    edge = max(w.rect.x1 for w in words) + 4.2
    right = [line("the ships that lie at the quay", 6.0 * i, edge, size=5) for i in range(4)]
    words += [w for x in right for w in x.words]
    held = assign_words(words, PageLayout((Block("paragraph", around(words)),), ()), 1)
    assert [[x.text for x in lines] for _, lines in held] == [
        [left[0].text] * 4,
        [right[0].text] * 4,
    ]


def grid_of(rows: list[tuple[float, str, str]]) -> list[tuple[str, ...]]:
    """The rows that are made of a table that the layout cut at every printed line."""
    lines, cells = [], []
    for y, name, value in rows:
        words = [word(name, 50, y), *([word(value, 250, y)] if value else [])]
        lines.append(make_line(words, 1))
        cells.append((Rect(50, y, 240, y + 9), Rect(250, y, 330, y + 9)))
    grid = build_grid(Block("table", Rect(50, 0, 330, 400), cells=tuple(cells)), lines)
    assert grid is not None
    return list(grid.rows)


def test_lines_of_one_cell_are_one_row() -> None:
    rows = [
        *((0.0, "Has the dock a crane", "Yes"), (11.0, "that lifts more?", "")),
        *((40.0, "Who keeps the crane", "The har-"), (51.0, "and its rope?", "bour")),
        *((80.0, "May ships lie there", "Never"), (91.0, "without a watch?", "")),
    ]
    assert grid_of(rows) == [
        ("Has the dock a crane that lifts more?", "Yes"),
        ("Who keeps the crane and its rope?", "The harbour"),
        ("May ships lie there without a watch?", "Never"),
    ]


def test_rows_of_figures_are_not_joined() -> None:
    rows = [(10, "Dock"), (21, "gate"), (50, "Lock"), (61, "mole"), (90, "Quay"), (101, "pier")]
    found = grid_of([(y, name, str(y)) for y, name in rows])
    assert [row[1] for row in found] == ["10", "21", "50", "61", "90", "101"]


def test_words_between_columns_belong_to_the_word_before_them() -> None:
    lines = [
        make_line(
            [
                *(word("Sparrow", 50, 0), word("SL", 150, 0), word("&", 162, 0)),
                *(word("RL", 170, 0), word("Dialogue", 184, 0)),
            ],
            1,
        ),
        make_line([word("Crystal", 50, 14), word("ICL", 150, 14), word("Arithmetic", 184, 14)], 1),
        make_line([word("Training-time", 100, 28), word("correction", 166, 28)], 1),
    ]
    cells = tuple(
        (Rect(50, y, 90, y + 9), Rect(150, y, 164, y + 9), Rect(184, y, 240, y + 9))
        for y in (0, 14, 28)
    )
    grid = build_grid(Block("table", Rect(50, 0, 240, 40), cells=cells), lines)
    assert grid is not None
    assert grid.rows[0] == ("Sparrow", "SL & RL", "Dialogue")
    assert "Training-time correction" in grid.rows[2]


def test_a_listing_with_numbered_lines_is_code() -> None:
    (code,) = texts(read(files.numbered_listing), AssetKind.CODE)
    assert code.splitlines()[0] == "1 import harbour as hb"
    assert [row[:1] for row in code.splitlines()] == ["1", "2", "3", "4"]


def test_a_statement_of_sql_is_code_in_any_font() -> None:
    assets = read(files.query)
    assert not [asset for asset in assets if asset.table is not None]
    (code,) = texts(assets, AssetKind.CODE)
    assert code.splitlines() == ["FROM ships", "WHERE dock = 'north'", "ORDER BY name;"]


def test_a_diagram_with_a_picture_in_it_is_one_figure() -> None:
    png = io.BytesIO()
    Image.effect_noise((80, 60), 60).save(png, "PNG")
    png.seek(0)
    assets = read(files.diagram_with_an_icon(ImageReader(png)))
    (figure,) = [asset for asset in assets if asset.kind is AssetKind.FIGURE]
    assert figure.picture is not None
    assert figure.picture.width > 4 * figure.picture.height
    assert figure.text == "Figure 3: How a ship comes into the harbour"


def test_a_frame_around_a_picture_without_caption_is_no_figure() -> None:
    frame = tuple(Rect(100 + i, 100, 300, 300) for i in range(9))
    graphics = Graphics(drawings=frame)
    picture = Rect(120, 120, 280, 280)
    found = figure_areas([picture], graphics, (600, 800), [], [], [])
    assert found == [picture]


def test_a_title_below_its_own_running_head_is_kept() -> None:
    pages = {
        1: [line("Rules of the dock", 40), line("Rules of the dock", 80, size=16)]
        + [line(f"text of it {'abc'[n]}", 120 + 20 * n) for n in range(3)],
        2: [line("Rules of the dock", 40, page=2)]
        + [line(f"more of it {'defg'[n]}", 80 + 20 * n, page=2) for n in range(4)],
    }
    found = find_furniture(pages, dict.fromkeys(pages, 800.0))
    assert found[1].heads == {0}
    assert found[2].heads == {0}


def test_a_unit_in_brackets_over_all_figures_names_each_column() -> None:
    columns = [(50.0, 150.0), (200.0, 250.0), (300.0, 350.0), (400.0, 450.0)]
    heads = [[word(year, x, 0) for year, x in (("2021", 210), ("2022", 310), ("2023", 410))]]
    for unit, x, reach in (("(in millions)", 295, 3), ("(in millions)", 205, 0)):
        rows = [*heads, [word(part, x + 16 * n, 25) for n, part in enumerate(unit.split())]]
        _, spans = head_rows([row_segments(row) for row in rows], columns, (), (50.0, 450.0))
        assert [(span.column, span.columns) for span in spans] == [(1, reach)] * bool(reach)
