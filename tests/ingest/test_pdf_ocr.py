"""Which pages are recognised, what becomes of them, and of pictures and figures."""

from __future__ import annotations

import importlib.metadata
import io
import string
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from PIL import Image
from reportlab.lib.utils import ImageReader  # type: ignore[import-untyped]
from reportlab.pdfbase import pdfmetrics  # type: ignore[import-untyped]
from reportlab.pdfbase.cidfonts import UnicodeCIDFont  # type: ignore[import-untyped]
from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]

from chapterverse.ingest import ocr_budget
from chapterverse.ingest.context import ReadContext
from chapterverse.ingest.images import read_image
from chapterverse.ingest.pdf import read_pdf
from chapterverse.ingest.pool import ParseJob, ParsePool
from chapterverse.ingest.readers import read
from chapterverse.ingest.text_quality import looks_garbled
from chapterverse.schema.errors import Corrupt, Empty, TooLarge
from chapterverse.schema.parse_limits import ParseLimits
from chapterverse.schema.records import AssetKind, Parsed
from tests.ingest.fake_engine import FakeEngine, quad

WORDS = "The harbour office keeps a list of all ships that came in during the night"
SHIFTED = "".join(chr(ord(c) - 29) if c.isalpha() else c for c in WORDS)
FOUND = [(quad(150, 200 + 60 * i, 1400, 235 + 60 * i), f"{WORDS} {i}") for i in range(3)]


def _encoded(image: Image.Image, form: str, **options: Any) -> bytes:
    out = io.BytesIO()
    image.save(out, form, **options)
    return out.getvalue()


def _pdf(*pages: str | Image.Image) -> bytes:
    """A page of running text for each text, a scan for each picture."""
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=(595, 842), invariant=1)
    for page in pages:
        if isinstance(page, str):
            for row in range(12):
                canvas.drawString(60, 760 - 20 * row, page)
        else:
            canvas.drawImage(ImageReader(page), 0, 0, 595, 842)
        canvas.showPage()
    canvas.save()
    return out.getvalue()


SCAN = Image.new("RGB", (200, 280), "white")


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> FakeEngine:
    made = FakeEngine(FOUND)
    monkeypatch.setattr(ocr_budget, "open_engine", lambda: made)
    monkeypatch.setattr(ocr_budget, "is_installed", lambda: True)
    return made


def _text(parsed: Parsed) -> str:
    return "\n".join(asset.text for asset in parsed.assets)


def test_pages_with_good_text_are_never_looked_at(engine: FakeEngine) -> None:
    parsed = read_pdf(_pdf(WORDS, "深圳市图书馆每天上午九点开放，读者凭有效证件进入。" and WORDS))
    assert engine.pictures == 0
    assert (parsed.parser.endswith("ocr"), parsed.page_reads) == (False, ())


def test_a_scan_among_text_pages_is_recognised(engine: FakeEngine) -> None:
    told: list[int] = []
    parsed = read_pdf(_pdf(WORDS, SCAN), ReadContext(recognising=told.append))
    assert (engine.pictures, told) == (1, [1])
    assert parsed.parser.endswith("+ocr")
    (page,) = parsed.page_reads
    assert (page.page, page.source, page.reason, page.score) == (2, "ocr", "scan", 0.99)
    seen = [a for a in parsed.assets if any(r.page == 2 for r in a.regions)]
    assert f"{WORDS} 2" in " ".join(a.text for a in seen)
    for asset in seen:
        (origin,) = asset.origins
        assert (origin.kind, origin.score) == ("ocr", 0.99)
        assert (origin.start, origin.end) == (0, len(asset.text))
    box = seen[0].regions[0].box
    assert box is not None
    assert box.x0 == pytest.approx(150 / 1653, abs=0.01)
    assert box.x1 == pytest.approx(0.847, abs=0.01)
    assert box.y0 < 217 / 2339 < box.y1
    assert not any(a.origins for a in parsed.assets if a not in seen)
    assert not any(w.code == "no_text" for w in parsed.warnings)


def test_a_garbled_text_layer_is_replaced(engine: FakeEngine) -> None:
    parsed = read_pdf(_pdf(SHIFTED))
    assert parsed.page_reads[0].reason == "garbled text layer"
    assert WORDS in _text(parsed)
    assert SHIFTED not in _text(parsed)


def test_a_suspected_layer_that_the_picture_confirms_is_kept(engine: FakeEngine) -> None:
    engine.lines = [(box, SHIFTED) for box, _ in FOUND]
    parsed = read_pdf(_pdf(SHIFTED))
    assert SHIFTED.split()[0] in _text(parsed)
    assert parsed.page_reads == ()


def test_pages_beyond_the_cap_are_named(engine: FakeEngine) -> None:
    parsed = read_pdf(_pdf(WORDS, SCAN, SCAN, SCAN), ReadContext(ocr_pages=1))
    assert [(r.page, r.source) for r in parsed.page_reads] == [(2, "ocr"), (3, "none"), (4, "none")]
    assert [w.page for w in parsed.warnings if w.code == "ocr_limit"] == [3, 4]


def test_without_recognition_scans_are_named_and_garbage_is_left_out(engine: FakeEngine) -> None:
    parsed = read_pdf(_pdf(WORDS, SCAN, SHIFTED), ReadContext(ocr_pages=0))
    assert engine.pictures == 0
    assert parsed.parser.endswith("-ocr")
    codes = [(w.code, w.page) for w in parsed.warnings if w.page in (2, 3)]
    assert codes == [("no_text", 2), ("unreadable_text", 3)]
    assert SHIFTED not in _text(parsed)
    with pytest.raises(Empty, match="turned off"):
        read_pdf(_pdf(SCAN), ReadContext(ocr_pages=0))


def test_a_missing_engine_says_how_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr_budget, "is_installed", lambda: False)
    with pytest.raises(Empty, match=r"pip install \"chapterverse\[ocr\]\""):
        read_pdf(_pdf(SCAN))


def test_a_scan_without_text_is_no_document(engine: FakeEngine) -> None:
    engine.lines = []
    with pytest.raises(Empty, match="none was recognised"):
        read_pdf(_pdf(SCAN))


@pytest.mark.parametrize(
    "text",
    [
        WORDS,
        "Le comité directeur a décidé de reporter la réunion prévue à la semaine prochaine.",
        "Die Straßenbahn fährt heute wegen Bauarbeiten nur bis zum Hauptbahnhof und zurück.",
        "本规则适用于本馆全部阅览室自习室和报告厅读者凭有效证件进入本馆" * 3,
        "圖書館讀者憑有效證件進入閱覽室並遵守館內秩序不得攜帶食物" * 3,
        "1,204 3,118 9,442 (1,002) 12.5% 7,310 5,220 " * 6,
        "Introduction ............. 3 Methods ............... 7 Results ............. 12 " * 4,
        "def main(argv): return run(argv[1:], *options) if argv else usage(argv)  # exit code",
        "short",
    ],
)
def test_real_text_is_not_suspected(text: str) -> None:
    assert not looks_garbled(text)


def test_text_without_a_character_map_is_suspected() -> None:
    assert looks_garbled(SHIFTED * 2)
    assert looks_garbled("".join(chr(0x4E00 + (i * 7919) % 20900) for i in range(120)))
    assert looks_garbled("\x02\x03\x04 \x05\x06\x07\x0e " * 20)
    assert looks_garbled("".join(string.punctuation[i % 20] for i in range(200)))


def test_a_picture_is_a_page_with_text_and_a_figure(engine: FakeEngine) -> None:
    kept: list[bytes] = []
    data = _encoded(Image.new("CMYK", (1653, 2339)), "JPEG", dpi=(200, 200))
    parsed = read_image(data, ReadContext(keep=lambda b: kept.append(b) or "name"))  # type: ignore[func-returns-value]
    assert (parsed.parser, parsed.media_type, parsed.page_count) == ("image/1+ocr", "image/jpeg", 1)
    assert f"{WORDS} 0" in parsed.assets[0].text
    figure = parsed.assets[-1]
    assert figure.kind is AssetKind.FIGURE
    assert figure.picture is not None
    assert (figure.picture.sha256, figure.picture.width, kept) == ("name", 1653, [data])


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGBA", "I;16", "LA"])
def test_tiff_frames_of_any_depth_are_pages(engine: FakeEngine, mode: str) -> None:
    frames = [Image.new(mode, (300, 400)) for _ in range(3)]
    data = _encoded(frames[0], "TIFF", save_all=True, append_images=frames[1:])
    parsed = read_image(data)
    assert (parsed.page_count, engine.pictures) == (3, 3)
    figures = [a.regions[0].page for a in parsed.assets if a.kind is AssetKind.FIGURE]
    assert figures == [1, 2, 3]
    with pytest.raises(TooLarge, match="3 pages"):
        read_image(data, ReadContext(max_pages=2))


def test_turned_photos_are_read_as_displayed(engine: FakeEngine) -> None:
    tags = Image.Exif()
    tags[0x0112], tags[0x010E] = 6, "The harbour in winter"
    data = _encoded(Image.new("RGB", (400, 300)), "JPEG", exif=tags)
    figure = read_image(data).assets[-1]
    assert set(engine.sizes) == {(400, 300)}
    assert figure.text == "The harbour in winter"
    assert [o.kind for o in figure.origins] == ["alt"]
    quiet = read_image(data, ReadContext(ocr_pages=0))
    assert (quiet.parser, quiet.assets[-1].text) == ("image/1-ocr", "The harbour in winter")


def test_bad_pictures_say_what_is_wrong(engine: FakeEngine) -> None:
    noise = Image.effect_noise((300, 300), 90)
    with pytest.raises(Corrupt, match="no whole picture"):
        read_image(_encoded(noise, "PNG")[:20_000])
    with pytest.raises(Corrupt, match=r"its parts are not there; copy or save it anew$"):
        read_image(_encoded(noise, "PNG")[:8] + b"broken")
    with pytest.raises(TooLarge, match="300 x 300"):
        read_image(_encoded(noise, "WEBP"), ReadContext(max_pixels=1000))
    with pytest.raises(Empty, match="turned off"):
        read_image(_encoded(noise, "PNG"), ReadContext(ocr_pages=0))
    engine.lines = []
    wordless = read_image(_encoded(noise, "PNG"))
    assert [a.kind for a in wordless.assets] == [AssetKind.FIGURE]
    assert [(w.code, w.page) for w in wordless.warnings] == [("no_text", 1)]


def test_figures_are_read_only_when_asked(engine: FakeEngine) -> None:
    picture = _encoded(Image.new("RGB", (400, 300), "red"), "PNG")
    html = b'<html><body><h1>A</h1><figure><img alt="A chart" src="data:image/png;base64,'
    import base64

    html += base64.b64encode(picture) + b'"><figcaption>Figure 1: Ships</figcaption></figure>'
    plain = read(html, ReadContext(name="a.html"))
    assert engine.pictures == 0
    parsed = read(html, ReadContext(name="a.html", ocr_figures=True))
    (before,), (figure,) = (
        [a for a in p.assets if a.kind is AssetKind.FIGURE] for p in (plain, parsed)
    )
    assert figure.text.startswith(before.text + "\n")
    assert WORDS in figure.text
    origin = figure.origins[-1]
    assert (origin.kind, figure.text[: origin.start].strip()) == ("ocr", before.text.strip())
    assert parsed.parser == plain.parser + "+ocr"


def test_exactly_one_opencv_is_installed() -> None:
    found = importlib.metadata.packages_distributions().get("cv2", [])
    assert set(found) == {"opencv-python-headless"}


def _scan_of(paint: Any, turned: int = 0) -> bytes:
    """A PDF page drawn, rendered, turned, and put into a PDF as a picture."""
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=(595, 842), invariant=1)
    paint(canvas)
    canvas.save()
    document = pypdfium2.PdfDocument(out.getvalue())
    image = document[0].render(scale=150 / 72).to_pil().rotate(turned, expand=True)
    document.close()
    return _pdf(image) if turned % 180 == 0 else _encoded(image, "PNG", dpi=(150, 150))


def _english(canvas: Any) -> None:
    canvas.setFont("Helvetica-Bold", 20)
    canvas.drawString(60, 760, "Rules of the harbour")
    canvas.setFont("Helvetica", 11)
    for row in range(8):
        canvas.drawString(60, 700 - 16 * row, f"{WORDS} number {row}.")


def _chinese(canvas: Any) -> None:
    pdfmetrics.registerFont(UnicodeCIDFont("STSong-Light"))
    canvas.setFont("STSong-Light", 12)
    for row in range(5):
        canvas.drawString(60, 760 - 22 * row, "读者凭有效证件进入本馆，遵守馆内秩序。")


@pytest.mark.integration
@pytest.mark.parametrize("turned", [0, 90, 180, 270])
def test_the_engine_reads_english_however_the_page_lies(turned: int) -> None:
    parsed = read(_scan_of(_english, turned), ReadContext())
    assert "Rules of the harbour" in [a.text for a in parsed.assets if a.kind is AssetKind.HEADING]
    assert f"{WORDS} number 5." in _text(parsed)
    assert (parsed.page_reads[0].score or 0) > 0.9


@pytest.mark.integration
def test_the_parsing_process_reads_chinese_within_its_limits(tmp_path: Path) -> None:
    path = tmp_path / "scan.pdf"
    path.write_bytes(_scan_of(_chinese))
    limits = ParseLimits(processes=1, memory_bytes=1 << 30)
    cache = tmp_path / "cache"
    with ParsePool(limits, ocr_cache=cache) as pool:
        (first,) = pool.parse([ParseJob(path, path.name)])
        (second,) = pool.parse([ParseJob(path, path.name)])
    assert first.parsed is not None
    assert "读者凭有效证件进入本馆" in _text(first.parsed)
    assert second.parsed == first.parsed
    assert len(list(cache.rglob("*.json"))) == 1
