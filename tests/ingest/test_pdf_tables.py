"""Tables and figures of PDF pages: cells, heads, boxes, pictures."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable
from typing import Any

import pytest
from PIL import Image

from chapterverse.ingest.context import ReadContext
from chapterverse.ingest.pdf import read_pdf
from chapterverse.ingest.pdf_heads import count_head_columns, is_number, is_value
from chapterverse.ingest.pdf_lattice import find_lattices
from chapterverse.ingest.pdf_segments import row_segments
from chapterverse.ingest.pdf_text import Rect, Word
from chapterverse.schema.records import Asset, AssetKind, Merge
from tests.ingest import pdf_table_files as files

_NO_OCR = ReadContext(ocr_pages=0)


def _tables(*pages: Callable[[Any], None]) -> list[Asset]:
    return [a for a in read_pdf(files.draw(*pages), _NO_OCR).assets if a.table is not None]


def _rows(asset: Asset) -> list[list[str]]:
    assert asset.table is not None
    return [list(row) for row in asset.table.rows]


def test_a_ruled_table_keeps_its_merged_cells() -> None:
    (asset,) = _tables(files.merged_grid)
    assert asset.table is not None
    assert _rows(asset) == [
        ["Dock", "Depth (m)", "Depth (m)", "Remarks"],
        ["Dock", "Low tide", "High tide", "Remarks"],
        ["East", "4.1", "9.7", "-"],
        ["East", "4.3", "9.9", "Mud is dredged every spring"],
        ["West", "3.8", "9.2", "Sand"],
    ]
    assert asset.table.header_rows == 2
    assert asset.table.row_headers == 1
    assert set(asset.table.merges) == {
        Merge(0, 0, 2, 1),
        Merge(0, 1, 1, 2),
        Merge(0, 3, 2, 1),
        Merge(2, 0, 2, 1),
    }


def test_every_filled_cell_has_a_box_of_its_own() -> None:
    (asset,) = _tables(files.merged_grid)
    assert asset.table is not None
    cells = [asset.text[r.start : r.end] for r in asset.regions]
    assert cells == [cell for row in asset.table.rows for cell in row if cell]
    boxes = {asset.text[r.start : r.end]: r.box for r in asset.regions}
    high, mud = boxes["9.9"], boxes["Mud is dredged every spring"]
    assert high is not None and mud is not None
    assert high.x1 < mud.x0
    assert mud.y1 - mud.y0 > 1.5 * (high.y1 - high.y0)
    for start, end in asset.table.row_spans:
        inside = [r for r in asset.regions if start <= r.start and r.end <= end]
        assert inside


def test_figures_in_columns_are_a_table_without_lines() -> None:
    (asset,) = _tables(files.statement)
    assert asset.table is not None
    assert _rows(asset) == [
        ["", "YEAR ENDED JUNE 30,", "YEAR ENDED JUNE 30,"],
        ["(in thousands)", "2023", "2022"],
        ["Berth fees", "$ 1,210", "$ 1,105"],
        ["Crane hire:", "", ""],
        ["By the hour", "340", "298"],
        ["By the day", "(75)", "61"],
        ["Total", "$ 1,475", "$ 1,464"],
    ]
    assert (asset.table.header_rows, asset.table.row_headers) == (2, 1)
    assert asset.table.merges == (Merge(0, 1, 1, 2),)


def test_heads_that_come_again_begin_another_table() -> None:
    first, second = _tables(files.statements)
    assert _rows(first)[0][1] == "PORT OF LEITH"
    assert _rows(second)[0][1] == "PORT OF HULL"
    assert _rows(first)[1:] == _rows(second)[1:]


def test_boxes_over_a_figure_caption_are_a_drawing() -> None:
    parsed = read_pdf(files.draw(files.flow_chart), _NO_OCR)
    assert not [a for a in parsed.assets if a.table is not None]
    (figure,) = [a for a in parsed.assets if a.kind is AssetKind.FIGURE]
    assert figure.caption == "Figure 3: Parts of the harbour"
    assert {"Harbour", "Gate", "Quay", "Shed", "Crane"} <= set(figure.text.split())


def test_contents_without_dots_are_no_table() -> None:
    assert not _tables(files.index_page)


def test_a_drawing_of_curves_needs_no_caption_and_is_kept_as_a_picture() -> None:
    kept: dict[str, bytes] = {}

    def keep(data: bytes) -> str:
        name = hashlib.sha256(data).hexdigest()
        kept[name] = data
        return name

    parsed = read_pdf(files.draw(files.curves), ReadContext(ocr_pages=0, keep=keep))
    (figure,) = [a for a in parsed.assets if a.kind is AssetKind.FIGURE]
    assert figure.picture is not None
    image = Image.open(io.BytesIO(kept[figure.picture.sha256]))
    assert image.size == (figure.picture.width, figure.picture.height)
    box = figure.regions[0].box
    assert box is not None
    # 150 dots an inch of the box that the region gives.
    assert image.width == pytest.approx((box.x1 - box.x0) * files.WIDTH * 150 / 72, abs=8)
    assert len(set(image.convert("L").tobytes())) > 10


def test_pictures_obey_the_limit_of_pixels() -> None:
    parsed = read_pdf(files.draw(files.curves), ReadContext(ocr_pages=0, max_pixels=10_000))
    (figure,) = [a for a in parsed.assets if a.kind is AssetKind.FIGURE]
    assert figure.picture is not None
    assert figure.picture.width * figure.picture.height < 12_000


def test_a_wordless_picture_on_three_pages_is_one_running_head() -> None:
    twice = read_pdf(files.draw(*[files.with_logo] * 2), _NO_OCR)
    assert [a.kind for a in twice.assets].count(AssetKind.FIGURE) == 2
    thrice = read_pdf(files.draw(*[files.with_logo] * 3), _NO_OCR)
    assert AssetKind.FIGURE not in [a.kind for a in thrice.assets]
    (logo,) = [a for a in thrice.assets if a.picture is not None]
    assert logo.kind is AssetKind.PAGE_HEADER
    assert [r.page for r in logo.regions] == [1, 2, 3]
    assert [a.ordinal for a in thrice.assets] == list(range(len(thrice.assets)))


@pytest.mark.parametrize(
    ("word", "number", "value"),
    [
        ("1,234.5", True, True),
        ("(75)", True, True),
        ("—", True, True),
        ("23d", True, True),
        ("2021", True, False),
        ("FY2021", False, False),
        ("Total", False, False),
        ("N/A", True, True),
        ("12.5%", True, True),
    ],
)
def test_figures_are_told_from_names(word: str, number: bool, value: bool) -> None:
    assert is_number(word) is number
    assert is_value(word) is value


def test_names_beside_figures_are_row_heads() -> None:
    assert count_head_columns([["Tugs", "41"], ["Barges", "22"]]) == 1
    assert count_head_columns([["2021", "41"], ["2022", "22"]]) == 0
    assert count_head_columns([["Tugs", "red"], ["Barges", "blue"]]) == 0


def _word(text: str, x: float, width: float) -> Word:
    rect = Rect(x, 100, x + width, 110)
    return Word(text, rect, 10.0, False, True, False, False, x + width / 2, 105.0)


def test_a_currency_sign_belongs_to_the_figure_after_it() -> None:
    words = [
        _word("Net", 0, 15),
        _word("income", 18, 30),
        _word("$", 200, 5),
        _word("5", 240, 5),
        _word("$", 248, 5),
        _word("7", 290, 5),
    ]
    assert [s.text for s in row_segments(words)] == ["Net income", "$ 5", "$ 7"]
    assert [s.number for s in row_segments(words)] == [False, True, True]


def test_shading_of_one_column_is_no_grid() -> None:
    from chapterverse.ingest.pdf_graphics import Graphics

    shaded = tuple(Rect(200, y, 260, y + 18) for y in range(100, 200, 20))
    across = tuple(Rect(60, y, 400, y + 1) for y in (98, 138, 198))
    assert find_lattices(Graphics(across=across, fills=shaded)) == []
    tiles = tuple(
        Rect(60 + 100 * k, y, 158 + 100 * k, y + 18) for k in range(3) for y in (100, 120, 140)
    )
    (lattice,) = find_lattices(Graphics(fills=tiles))
    assert (len(lattice.xs) - 1, len(lattice.ys) - 1) == (3, 3)
