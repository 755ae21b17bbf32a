"""Headings on several lines, close together, in the margin and on contents pages."""

from __future__ import annotations

from chapterverse.ingest.pdf_contents import gather_entries
from chapterverse.ingest.pdf_headings import mark_headings
from chapterverse.ingest.pdf_layout import Block
from chapterverse.ingest.pdf_pieces import Piece
from chapterverse.ingest.pdf_text import Line, around, make_line
from chapterverse.schema.records import AssetKind
from tests.ingest.test_pdf_rules import line, paragraph

LONG = "Plain text of the body that fills the line with a good many words in it"


def _body(y: float, x: float = 50.0, size: float = 10.0, page: int = 1) -> Piece:
    return paragraph(*(line(LONG, y + 12 * i, x, size, page=page) for i in range(4)))


def _heads(*pieces: Piece) -> list[str]:
    return [p.text for p in mark_headings(pieces, []) if p.kind is AssetKind.HEADING]


def test_a_bold_line_with_room_for_the_next_word_is_a_heading_of_its_own() -> None:
    both = paragraph(line("Care of cranes", 60, bold=True), line("Oiling", 72, bold=True))
    assert _heads(_body(0), both, _body(90)) == ["Care of cranes", "Oiling"]


def test_two_bold_pieces_right_below_each_other_stay_two() -> None:
    heads = [paragraph(line(t, y, bold=True)) for t, y in (("Our product", 60), ("The hoist", 72))]
    assert _heads(_body(0), *heads, _body(90)) == ["Our product", "The hoist"]


def test_a_heading_that_wraps_stays_one() -> None:
    first = "Care of cranes, winches and hoists on the quays of the inner and the"
    both = paragraph(line(first, 60, bold=True), line("Outer harbour", 72, bold=True))
    assert _heads(_body(0), both, _body(90)) == [f"{first} Outer harbour"]


def test_an_open_end_goes_on_in_the_next_line() -> None:
    both = paragraph(line("Care of cranes and", 60, bold=True), line("Hoists", 72, bold=True))
    assert _heads(_body(0), both, _body(90)) == ["Care of cranes and Hoists"]


def test_the_head_of_a_far_column_is_no_part_of_the_heading_above() -> None:
    lines = [line("Note 5. Gates", 60, bold=True), line("Together", 78, 330, bold=True)]
    assert "Note 5. Gates" in _heads(_body(0), paragraph(*lines), _body(110))


def test_a_number_alone_takes_its_name_along() -> None:
    both = paragraph(line("ARTICLE 7", 60, bold=True), line("EARNINGS", 72, bold=True))
    assert _heads(_body(0), both, _body(90)) == ["ARTICLE 7 EARNINGS"]


def test_a_numbered_head_begins_anew_in_the_middle_of_the_line() -> None:
    lines = [
        line("Notes to the statements", 60, 80, bold=True),
        line("Note 1. Gates", 72, 110, bold=True),
    ]
    assert _heads(_body(0), paragraph(*lines), _body(90)) == [x.text for x in lines]


def test_a_title_goes_on_past_a_note_in_its_margin() -> None:
    pieces = [
        paragraph(line("Securing and lifting", 0, x=120, size=26)),
        paragraph(line("Part 1", 14, x=50, size=7)),
        paragraph(line("loads", 32, x=120, size=26)),
        _body(80, x=120),
        paragraph(line("1 Hooks", 200, x=120, size=14)),
        _body(240, x=120),
    ]
    assert _heads(*pieces) == ["Securing and lifting loads", "1 Hooks"]


def test_text_of_a_page_set_larger_than_the_others_is_no_heading() -> None:
    plain = [_body(60 * i) for i in range(12)]
    large = [_body(60 * i, size=12, page=2) for i in range(3)]
    rest = [
        paragraph(line("There are no terms for this land.", 300, size=12, page=2)),
        paragraph(line("Norway", 340, size=12, bold=True, page=2)),
    ]
    assert _heads(*plain, *large, *rest) == ["Norway"]


def _entries(*spots: tuple[str, float, float]) -> list[Line]:
    return [line(text, y, x, bold=True) for text, x, y in spots]


def test_an_entry_of_a_contents_page_takes_its_first_line_along() -> None:
    rows = _entries(
        ("1 Cranes ...................................................... 3", 50, 0),
        ("2 Winches, hoists and all the other engines of the", 50, 12),
        ("inner harbour ............................................... 5", 70, 24),
        ("3 Buoys ....................................................... 9", 50, 36),
        ("Part two", 50, 48),
        ("4 Lamps ...................................................... 11", 50, 60),
    )
    held = gather_entries([(Block("paragraph", around(rows)), rows)], rows)
    texts = [" ".join(x.text for x in lines) for block, lines in held if block.kind == "list_item"]
    assert [text.split(" ..")[0] for text in texts] == [
        "1 Cranes",
        "2 Winches, hoists and all the other engines of the inner harbour",
        "3 Buoys",
        "4 Lamps",
    ]


def _with_page(title: str, page: str, y: float) -> Line:
    return make_line([*line(title, y, bold=True).words, *line(page, y, 500).words], 1)


def test_titles_with_rising_page_numbers_are_entries_without_dots() -> None:
    spots = [("Cranes", "3"), ("Winches and hoists", "5"), ("Buoys", "5"), ("Lamps", "11")]
    rows = [_with_page(title, page, 20.0 * i) for i, (title, page) in enumerate(spots)]
    titles = [make_line(row.words[:-1], 1) for row in rows]
    numbers = [make_line(row.words[-1:], 1) for row in rows]
    blocks = [(Block("paragraph", around(lines)), lines) for lines in (titles, numbers)]
    held = gather_entries(blocks, rows)
    assert [[x.text for x in lines] for _, lines in held] == [[row.text] for row in rows]
    falling = [*rows[1:], _with_page("Oil", "2", 100)]
    assert gather_entries(blocks, falling) == blocks


def test_what_stands_among_the_entries_of_a_contents_page_is_no_heading() -> None:
    titles = ["1 Cranes", "2 Winches", "3 Buoys", "4 Lamps"]
    items = [
        Piece(AssetKind.LIST_ITEM, (x,), 1, x.rect, 0)
        for x in (line(f"{t} {'.' * 40} {i}", 40 + 30 * i) for i, t in enumerate(titles))
    ]
    pieces = [
        paragraph(line("Contents", 0, bold=True)),
        paragraph(line("Page", 26, x=320, bold=True)),
        items[0],
        paragraph(line("Part two", 56, bold=True)),
        *items[1:],
        _body(20, page=2),
    ]
    assert _heads(*pieces) == ["Contents"]


def test_a_bold_line_of_capitals_may_end_in_a_colon() -> None:
    heads = [paragraph(line(text, 60, bold=True)) for text in ("ABOUT THE HARBOUR:", "Granted on:")]
    assert _heads(_body(0), heads[0], _body(90), heads[1]) == ["ABOUT THE HARBOUR:"]


def test_bold_lines_side_by_side_head_the_columns_of_a_table() -> None:
    rows = [
        paragraph(line(t, y, x, bold=y == 60))
        for y, *texts in ((60, "Name", "Office"), (74, "Anna", "Gates"), (88, "Otto", "Walls"))
        for x, t in zip((50, 300), texts, strict=True)
    ]
    assert _heads(_body(0), *rows) == []


def test_headings_side_by_side_over_columns_of_text_are_headings() -> None:
    heads = [paragraph(line("Gates", 60, bold=True)), paragraph(line("Walls", 60, 420, bold=True))]
    columns = [_body(80), _body(140), _body(80, 420), _body(140, 420)]
    assert _heads(heads[0], *columns[:2], heads[1], *columns[2:]) == ["Gates", "Walls"]


def test_heads_set_like_the_notes_of_a_filing_stand_below_them() -> None:
    texts = ["PART I", "Item 1. Business", "General", "Item 2. Ships", "Note 1. Gates", "Hinges"]
    pieces = [_body(0)]
    for i, text in enumerate(texts):
        pieces += [paragraph(line(text, 60 + 80 * i, bold=True)), _body(80 + 80 * i)]
    marked = mark_headings(pieces, [])
    heads = [(p.level, p.text) for p in marked if p.kind is AssetKind.HEADING]
    assert heads == [
        (1, "PART I"),
        (2, "Item 1. Business"),
        (3, "General"),
        (2, "Item 2. Ships"),
        (3, "Note 1. Gates"),
        (4, "Hinges"),
    ]


def test_a_bold_line_beside_the_values_of_a_table_is_its_row() -> None:
    name = paragraph(line("Total of the year", 60, bold=True))
    values = line("3,020 1,762 of", 60, 300)
    words = line("2021 was a good year", 60, 300)
    for cells, heading in ((values, False), (words, True)):
        table = Piece(AssetKind.TABLE, (line("2022 2021", 48, 300), cells), 1, cells.rect)
        assert _heads(_body(0), name, table, _body(90)) == ["Total of the year"] * heading
