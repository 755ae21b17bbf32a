"""Recognised lines: which way the page lies, sizes, words, columns, the cache, the limits."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from chapterverse.ingest import ocr_budget
from chapterverse.ingest.context import ReadContext
from chapterverse.ingest.ocr import measure_ink
from chapterverse.ingest.ocr_budget import Recogniser, parser_suffix, why_off
from chapterverse.ingest.ocr_cache import OcrCache, picture_key
from chapterverse.ingest.ocr_layout import lay_out
from chapterverse.ingest.ocr_lines import ReadLine, ReadPicture, ReadWord, displayed, read_picture
from tests.ingest.fake_engine import FakeEngine, quad

WHITE = np.full((400, 1000, 3), 255, np.uint8)
ROWS = [(quad(100, 40 + 40 * i, 900, 70 + 40 * i), f"Row number {i} of the page") for i in range(6)]


def test_lines_that_lie_right_stay_where_they_are() -> None:
    page = read_picture(FakeEngine(ROWS), WHITE)
    assert (page.quarters, page.skew, page.width, page.height) == (0, 0.0, 1000, 400)
    assert [line.text for line in page.lines] == [text for _, text in ROWS]
    assert [word.text for word in page.lines[0].words] == [
        "Row",
        "number",
        "0",
        "of",
        "the",
        "page",
    ]
    assert page.lines[0].words[0].x0 == 100
    assert page.lines[0].words[-1].x1 == 900
    assert displayed(page, 0.1, 0.2, 0.9, 0.3) == (0.1, 0.2, 0.9, 0.3)


def test_a_page_upside_down_is_read_turned() -> None:
    page = read_picture(FakeEngine(ROWS, upside_down=True), WHITE)
    assert page.quarters == 2
    # The lowest line of the page as shown is the first one that is read.
    x0, y0, x1, y1 = displayed(page, 0.0, 0.0, 0.25, 0.5)
    assert (x0, y0, x1, y1) == (0.75, 0.5, 1.0, 1.0)


@pytest.mark.parametrize(("upside_down", "quarters"), [(False, 1), (True, 3)])
def test_text_that_runs_down_is_turned_by_a_quarter(upside_down: bool, quarters: int) -> None:
    tall = [(quad(40 + 40 * i, 100, 70 + 40 * i, 900), f"Line {i}") for i in range(6)]
    engine = FakeEngine(tall, upside_down=upside_down)
    page = read_picture(engine, np.full((1000, 400, 3), 255, np.uint8))
    assert page.quarters == quarters
    assert (page.width, page.height) == (1000, 400)
    assert engine.sizes[-1] == (400, 1000)
    # Wherever it was turned to, the box comes back onto the line: 100..900 down, at the left edge.
    first = [displayed(page, 0.1, y / 400, 0.9, (y + 30) / 400) for y in (40, 240)]
    for x0, y0, x1, y1 in first:
        assert (round(y0, 3), round(y1, 3)) == (0.1, 0.9)
        assert x1 - x0 == pytest.approx(30 / 400)


def test_where_the_classifier_is_unsure_both_ways_are_read() -> None:
    engine = FakeEngine(ROWS, upside_down=None, scores=[0.99, 0.4])
    assert read_picture(engine, WHITE).quarters == 2
    assert read_picture(FakeEngine(ROWS, None, scores=[0.4, 0.99]), WHITE).quarters == 0


def test_skew_is_taken_out_and_put_back() -> None:
    angle = math.radians(2)
    slope = math.tan(angle) * 800
    rows = [
        (((100.0, y), (900.0, y + slope), (900.0, y + 30 + slope), (100.0, y + 30)), "A text row")
        for y in (40.0, 80.0, 120.0, 160.0)
    ]
    page = read_picture(FakeEngine(rows), WHITE)
    assert page.skew == pytest.approx(angle, abs=1e-4)
    first = page.lines[0]
    x = [first.words[0].x0, first.words[-1].x1]
    box = displayed(page, x[0] / 1000, first.y0 / 400, x[1] / 1000, first.y1 / 400)
    middle = (40 + 70 + slope) / 2
    assert (box[1] + box[3]) / 2 * 400 == pytest.approx(middle, abs=3)
    assert box[3] - box[1] > (slope - 2) / 400


def test_noise_and_blanks_are_no_lines() -> None:
    assert read_picture(FakeEngine([]), WHITE).lines == ()
    assert read_picture(FakeEngine(ROWS, scores=[0.3]), WHITE).lines == ()
    assert read_picture(FakeEngine([(ROWS[0][0], "  ")]), WHITE).lines == ()


def test_ink_is_measured_without_the_rule_above() -> None:
    crop = np.full((50, 300, 3), 255, np.uint8)
    crop[20:40, 10:14] = crop[20:40, 30:34] = 0
    crop[3:5] = 0
    top, bottom, stroke = measure_ink(crop)
    assert (top, bottom) == (0.4, 0.8)
    assert stroke == pytest.approx(4 / 50)
    assert measure_ink(255 - crop) == (top, bottom, stroke)


def _line(text: str, x: float, y: float, size: float = 20, stroke: float = 0.1) -> ReadLine:
    words, at = [], x
    for word in text.split():
        words.append(ReadWord(word, at, at + 10 * len(word)))
        at += 10 * len(word) + 5
    return ReadLine(tuple(words), y, y + size, size, stroke, 0.98)


def test_sizes_settle_and_strokes_tell_bold() -> None:
    lines = [
        _line("Heading of the page", 50, 20, size=32),
        *(_line("body text of a line", 50, 80 + 30 * i, size=20 + (i % 3) * 0.5) for i in range(9)),
        _line("bold words in it", 50, 400, size=20, stroke=0.16),
    ]
    laid = lay_out({3: ReadPicture(600, 800, lines=tuple(lines))}, {3: 144.0})[3]
    sizes = [row.size for row in laid.text.rows]
    assert sizes[0] == 16.0
    assert len(set(sizes[1:])) == 1
    assert [row.bold for row in laid.text.rows] == [False] * 10 + [True]
    assert laid.text.number == 3
    assert (laid.text.width, laid.text.height) == (300, 400)


def test_columns_are_read_one_after_the_other() -> None:
    left = [_line("left column words here", 50, 100 + 30 * i) for i in range(8)]
    right = [_line("right column words here", 350, 100 + 30 * i) for i in range(8)]
    title = _line("a title that runs over both of the columns here", 50, 20)
    number = _line("7", 303, 400)
    page = ReadPicture(650, 800, lines=(title, *left, *right, number))
    blocks = lay_out({1: page}, {1: 72.0})[1].layout.blocks
    spans = [(round(b.rect.x0), round(b.rect.y0)) for b in blocks]
    assert spans == [(50, 20), (50, 100), (350, 100), (303, 400)]


def test_rows_of_cells_are_no_columns() -> None:
    cells = [_line("Cell", x, 100 + 30 * i) for i in range(8) for x in (50, 350)]
    page = ReadPicture(650, 800, lines=tuple(cells))
    assert len(lay_out({1: page}, {1: 72.0})[1].layout.blocks) == 1


def test_the_cache_gives_back_what_it_got(tmp_path: Path) -> None:
    page = ReadPicture(10.0, 20.0, 1, 0.01, (_line("kept words", 1, 2),))
    cache, key = OcrCache(tmp_path / "ocr"), picture_key(b"pixels", 10, 20, "engine-1")
    assert cache.get(key) is None
    cache.put(key, page)
    assert cache.get(key) == page
    (path,) = (tmp_path / "ocr").rglob("*.json")
    assert path.parent.parent.parent == tmp_path / "ocr"
    path.write_bytes(b"{damaged")
    assert cache.get(key) is None
    cache.put(key, page)
    assert cache.get(key) == page


def test_keys_tell_content_and_engine_apart() -> None:
    keys = {
        picture_key(content, *terms)
        for content in (b"a", b"b")
        for terms in ((10, 20, "engine-1"), (20, 10, "engine-1"), (10, 20, "engine-2"))
    }
    assert len(keys) == 6


def test_a_cache_that_cannot_be_written_is_no_failure(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    cache = OcrCache(tmp_path / "file")
    cache.put("abcdef", ReadPicture(1.0, 1.0))
    assert cache.get("abcdef") is None


def test_limits_are_raised_before_the_engine_starts_and_not_for_cached_pictures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = FakeEngine(ROWS)
    told: list[int] = []
    monkeypatch.setattr(ocr_budget, "open_engine", lambda: engine)
    context = ReadContext(ocr_pages=3, ocr_cache=tmp_path, recognising=told.append)
    recogniser = Recogniser(context, used=1)
    first = recogniser.read(WHITE)
    assert (recogniser.left, told, engine.pictures) == (1, [2], 1)
    assert recogniser.read(WHITE) == first
    assert (recogniser.left, told, engine.pictures) == (0, [2], 1)


def test_reasons_and_suffixes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr_budget, "is_installed", lambda: True)
    assert why_off(ReadContext()) is None
    assert "turned off" in (why_off(ReadContext(ocr_pages=0)) or "")
    monkeypatch.setattr(ocr_budget, "is_installed", lambda: False)
    assert 'pip install "chapterverse[ocr]"' in (why_off(ReadContext()) or "")
    assert parser_suffix(used=True, missed=False) == "+ocr"
    assert parser_suffix(used=False, missed=True) == "-ocr"
    assert parser_suffix(used=False, missed=False) == ""
