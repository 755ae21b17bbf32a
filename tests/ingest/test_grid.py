"""Sheets of cells: tables between empty rows and columns, captions, notes, headers, places."""

from __future__ import annotations

import pytest

from chapterverse.ingest.grid import (
    Area,
    DefinedTable,
    GridCell,
    Sheet,
    column_name,
    parse_area,
    range_name,
)
from chapterverse.ingest.grid_blocks import find_blocks
from chapterverse.ingest.grid_drafts import sheet_drafts
from chapterverse.ingest.outline import Draft
from chapterverse.schema.records import AssetKind, Merge, Table


def sheet(
    text: str,
    *,
    merges: tuple[str, ...] = (),
    tables: tuple[DefinedTable, ...] = (),
    frozen: int = 0,
) -> Sheet:
    """A sheet from lines of cells set apart by ``|``; ``*`` in front makes a cell bold."""
    cells: dict[int, dict[int, GridCell]] = {}
    for y, line in enumerate(text.strip("\n").split("\n"), start=1):
        row = {}
        for x, raw in enumerate(line.split("|"), start=1):
            value = raw.strip()
            if value:
                strong, value = value.startswith("*"), value.removeprefix("*")
                number = value.replace(".", "", 1).isdecimal()
                row[x] = GridCell(value, number, strong)
        if row:
            cells[y] = row
    areas = tuple(area for m in merges if (area := parse_area(m)) is not None)
    return Sheet("Data", 1, cells, areas, tables, frozen)


def kinds(drafts: list[Draft]) -> list[tuple[str, str]]:
    return [(str(d.kind), d.caption or d.text.split("\n")[0]) for d in drafts]


def read(found: Sheet) -> list[Draft]:
    return [placed.draft for placed in sheet_drafts(found)]


def only_table(found: Sheet) -> tuple[Draft, Table]:
    (draft,) = [d for d in read(found) if d.kind is AssetKind.TABLE]
    assert draft.table is not None
    return draft, draft.table


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("Sheet1", "Sheet1!B2:C3"),
        ("Net sales", "'Net sales'!B2:C3"),
        ("Bob's", "'Bob''s'!B2:C3"),
        ("2024", "'2024'!B2:C3"),
        ("AB12", "'AB12'!B2:C3"),
        ("R1C1", "'R1C1'!B2:C3"),
        ("数据", "数据!B2:C3"),
    ],
)
def test_places_are_written_as_excel_does(name: str, written: str) -> None:
    assert range_name(name, Area(2, 2, 3, 3)) == written


def test_references_and_columns() -> None:
    assert parse_area("$B$2:AA10") == Area(2, 2, 10, 27)
    assert parse_area("C3") == Area(3, 3, 3, 3)
    assert parse_area("Sheet!A1") is None and parse_area("A:C") is None
    assert [column_name(n) for n in (1, 26, 27, 703, 16_384)] == ["A", "Z", "AA", "AAA", "XFD"]


def test_title_table_notes_and_row_places() -> None:
    found = sheet(
        """
        Sales by region | |
        Region | 2023 | 2024
        North | 1 | 2
        South | 3 | 4
        Source: the books of the company | |
        """
    )
    caption, note = read(found)
    assert kinds([caption, note]) == [
        ("table", "Sales by region"),
        ("paragraph", "Source: the books of the company"),
    ]
    table = caption.table
    assert table is not None
    assert table.rows[0] == ("Region", "2023", "2024")
    assert (table.header_rows, table.row_headers) == (1, 1)
    places = [region.place for region in caption.regions]
    assert places == ["Data!A1", "Data!A2:C2", "Data!A3:C3", "Data!A4:C4"]
    assert caption.text[slice(*table.row_spans[2])] == "South | 3 | 4"
    assert all(region.page == 1 and region.label == "Data" for region in caption.regions)
    assert note.regions[0].place == "Data!A5"


def test_tables_below_and_beside_each_other_are_told_apart() -> None:
    found = sheet(
        """
        Name | Age | | City | Country
        Ann | 31 | | Oslo | Norway
        Bo | 44 | | Rome | Italy
         | | | |
         | | | |
        Item | Price | | |
        Tea | 2 | | |
        """
    )
    assert [(b.area.top, b.area.left, b.area.bottom, b.area.right) for b in find_blocks(found)] == [
        (1, 1, 3, 2),
        (1, 4, 3, 5),
        (6, 1, 7, 2),
    ]
    assert [kind for kind, _ in kinds(read(found))] == ["table"] * 3


def test_spacer_columns_and_one_empty_row_do_not_cut_a_table() -> None:
    found = sheet(
        """
        Account | | 2023 | | 2024
        Revenue | | 10 | | 12
        Costs | | 4 | | 5
         | | | |
        Profit | | 6 | | 7
        """
    )
    _, table = only_table(found)
    assert table.rows[-1] == ("Profit", "", "6", "", "7")
    assert len(table.rows) == 4 and table.header_rows == 1


def test_a_title_one_row_above_is_the_caption_and_far_text_is_not() -> None:
    found = sheet(
        """
        Annual report |
         |
         |
         |
        Prices |
         |
        Item | Price
        Tea | 2
        Milk | 1
        """
    )
    drafts = read(found)
    assert kinds(drafts) == [("paragraph", "Annual report"), ("table", "Prices")]


def test_merged_title_is_no_row_and_merged_groups_are_header_rows() -> None:
    found = sheet(
        """
        Budget | | | |
        Region | 2023 | | 2024 |
         | Q1 | Q2 | Q1 | Q2
        North | 1 | 2 | 3 | 4
        South | 5 | 6 | 7 | 8
        """,
        merges=("A1:E1", "A2:A3", "B2:C2", "D2:E2"),
    )
    draft, table = only_table(found)
    assert draft.caption == "Budget"
    assert table.header_rows == 2
    assert table.rows[0] == ("Region", "2023", "2023", "2024", "2024")
    assert table.rows[1] == ("Region", "Q1", "Q2", "Q1", "Q2")
    assert table.merges == (Merge(0, 0, 2, 1), Merge(0, 1, 1, 2), Merge(0, 3, 1, 2))


def test_merged_cells_in_the_body_repeat_down_but_not_across() -> None:
    found = sheet(
        """
        *Group | *Item | *Note
        Fruit | Apple | x
         | Pear | y
        Other | | z
        """,
        merges=("A2:A3", "A4:B4"),
    )
    _, table = only_table(found)
    assert table.rows[2] == ("Fruit", "Pear", "y")
    assert table.rows[3] == ("Other", "", "z")


def test_a_lone_group_over_later_columns_is_header_not_title() -> None:
    found = sheet(
        """
         | Sales | |
        Region | Q1 | Q2 | Q3
        North | 1 | 2 | 3
        South | 4 | 5 | 6
        """,
        merges=("B1:D1",),
    )
    draft, table = only_table(found)
    assert draft.caption is None and table.header_rows == 2
    assert table.rows[0] == ("", "Sales", "Sales", "Sales")


def test_header_levels_without_merged_cells() -> None:
    found = sheet(
        """
        Region | 2023 | | 2024 |
         | Q1 | Q2 | Q1 | Q2
        North | 1 | 2 | 3 | 4
        South | 5 | 6 | 7 | 8
        """
    )
    assert only_table(found)[1].header_rows == 2
    grouped = sheet(
        """
         | 2023 | | 2024 |
        Region | Q1 | Q2 | Q1 | Q2
        North | 1 | 2 | 3 | 4
        South | 5 | 6 | 7 | 8
        """
    )
    assert only_table(grouped)[1].header_rows == 2


@pytest.mark.parametrize(
    ("text", "frozen", "expected"),
    [
        ("*a | *b\n*c | *d\n1 | 2", 0, 2),
        ("a | b\nc | d\n1 | 2", 2, 2),
        ("1 | 2\n3 | 4", 0, 0),
        ("1 | 2\n3 | 4", 1, 0),
        ("Name: | Ann\nAge: | 31\nCity: | Oslo", 0, 0),
        ("Year | 2019\nx | 2", 0, 1),
    ],
)
def test_header_rows_by_signal(text: str, frozen: int, expected: int) -> None:
    assert only_table(sheet(text, frozen=frozen))[1].header_rows == expected


def test_declared_tables_are_taken_as_they_are() -> None:
    declared = DefinedTable(Area(1, 1, 3, 2), 1)
    found = sheet("a | b | beside\n1 | 2 | it\n3 | 4 | stands", tables=(declared,))
    drafts = read(found)
    assert [str(d.kind) for d in drafts] == ["table", "paragraph", "paragraph", "paragraph"]
    assert drafts[0].table is not None and drafts[0].table.rows == (
        ("a", "b"),
        ("1", "2"),
        ("3", "4"),
    )


def test_loose_cells_are_text() -> None:
    found = sheet("A remark |\n | Another one\n")
    assert kinds(read(found)) == [("paragraph", "A remark"), ("paragraph", "Another one")]
    assert [d.regions[0].place for d in read(found)] == ["Data!A1", "Data!B2"]


def test_a_long_list_of_one_column_is_a_table() -> None:
    found = sheet("\n".join(f"entry {n}" for n in range(40)))
    assert len(only_table(found)[1].rows) == 40
    assert len(read(sheet("\n".join(f"line {n}" for n in range(5))))) == 5


def test_a_sparse_block_is_not_laid_out_as_a_grid() -> None:
    cells = {1: {x: GridCell(f"c{x}") for x in range(1, 2_001)}}
    cells |= {y: {1: GridCell(f"r{y}")} for y in range(2, 2_001)}
    drafts = read(Sheet("Data", 1, cells))
    assert {d.kind for d in drafts} == {AssetKind.PARAGRAPH}
    text = "\n".join(d.text for d in drafts)
    assert "c2000" in text and "r2000" in text


def test_a_merge_over_whole_columns_costs_nothing() -> None:
    found = sheet("Title |\nx | 1\ny | 2", merges=("A1:XFD1048576",))
    assert any("Title" in d.text for d in read(found))
