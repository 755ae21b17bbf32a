"""``chapterverse inspect`` shows what a reader found, and why nothing was found."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from chapterverse.engine.cli import main
from chapterverse.engine.inspect import Inspection, inspect_file
from chapterverse.engine.inspect_boxes import drawn_page
from chapterverse.engine.inspect_html import inspection_html
from chapterverse.engine.inspect_text import place_text
from chapterverse.schema.parse_limits import ParseLimits
from chapterverse.schema.records import (
    Asset,
    AssetKind,
    Box,
    LineRange,
    PageUnit,
    Parsed,
    ParseWarning,
    Region,
)
from tests.bases import MANUAL
from tests.ingest import pdf_files

LIMITS = ParseLimits(processes=1)


@pytest.fixture(autouse=True)
def one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHAPTERVERSE_PROCESSES", "1")


def write(tmp_path: Path, name: str, data: bytes | str) -> str:
    path = tmp_path / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return str(path)


def test_text_shows_outline_tables_figures(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = write(tmp_path, "cranes.pdf", pdf_files.with_table_and_figure())
    assert main(["inspect", file]) == 0
    out = capfd.readouterr().out
    assert out.startswith("cranes.pdf\n")
    assert "application/pdf" in out
    assert "1 page (exact)" in out
    assert re.search(r"Tables\n  p\. 1 +4 x 3, 1 header row.*: Table 1: Lifting capacity\n", out)
    assert re.search(r"Figures\n  p\. 1 .*: Figure 1: The quay from above\n", out)
    assert re.search(r"\d+\.\d\d s, \d+\.\d\d s of processor time", out)
    assert not (tmp_path / "kb").exists()


def test_text_indents_the_outline_and_names_lines_and_labels(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["inspect", write(tmp_path, "manual.md", MANUAL)]) == 0
    out = capfd.readouterr().out
    assert "line 1      Pump manual\n" in out
    assert "line 3        1 Safety\n" in out
    assert main(["inspect", write(tmp_path, "labels.pdf", pdf_files.labelled())]) == 0
    out = capfd.readouterr().out
    assert "labelled i, ii, 1\n" in out
    assert "p. 1 (i)" in out


def test_json_is_the_neutral_form(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = write(tmp_path, "cranes.pdf", pdf_files.with_table_and_figure())
    assert main(["inspect", file, "--json"]) == 0
    form = json.loads(capfd.readouterr().out)
    assert (form["media_type"], form["page_unit"]) == ("application/pdf", "page")
    assert form["parser"].startswith("pdf/")
    assert (form["file"], form["status"], form["error"], form["pages"]) == (
        "cranes.pdf",
        "ok",
        None,
        1,
    )
    (table,) = (asset for asset in form["assets"] if asset["kind"] == "table")
    assert table["rows"][1] == ["South", "28", "22"]
    assert table["header_rows"] == 1
    assert table["caption"] == "Table 1: Lifting capacity"
    x0, y0, x1, y1 = table["bbox"]
    assert table["page"] == 1 and 0 < x0 < x1 < 1 and 0 < y0 < y1 < 1
    for line in table["lines"]:
        assert line["text"] in table["text"]
        assert x0 <= line["bbox"][0] <= line["bbox"][2] <= x1
    (figure,) = (asset for asset in form["assets"] if asset["kind"] == "figure")
    *_, caption = (x["bbox"] for x in figure["lines"] if x["text"] == figure["caption"])
    # The box is that of the picture: the caption stands below it.
    assert figure["bbox"][3] <= caption[1]


@pytest.mark.parametrize(
    ("name", "data", "code"),
    [
        ("door.pdf", pdf_files.encrypted("secret"), "encrypted"),
        ("empty.pdf", b"", "empty"),
        ("cut.pdf", b"%PDF-1.7\n1 0 obj", "corrupt"),
        ("nowhere.pdf", None, "missing"),
    ],
)
def test_failure_says_why(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], name: str, data: bytes | None, code: str
) -> None:
    file = str(tmp_path / name) if data is None else write(tmp_path, name, data)
    assert main(["inspect", file, "--json", "--html", "out.html"]) == 1
    out, err = capfd.readouterr()
    form = json.loads(out)
    assert (form["status"], form["error"], form["assets"]) == ("error", code, [])
    assert form["message"] and form["message"] in err
    assert err.startswith(f"Error: {code}: ")
    assert main(["inspect", file]) == 1
    assert capfd.readouterr().out == ""
    assert not Path("out.html").exists()


def test_json_tells_places_properties_and_warnings(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    source = "---\nauthor: Ann\n---\n# Pump\n\nThe valve.\n\n![map](map.png)\n"
    file = write(tmp_path, "manual.md", source.encode())
    assert main(["inspect", file, "--json"]) == 0
    form = json.loads(capfd.readouterr().out)
    assert form["properties"]["author"] == "Ann"
    assert [asset["line_range"] for asset in form["assets"][:2]] == [[4, 4], [6, 6]]
    assert form["warnings"][0]["code"] == "pictures_left_out"
    page = b"<h1 id='pump'>Pump</h1><p>The valve of it.</p>"
    assert main(["inspect", write(tmp_path, "pump.html", page), "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["assets"][0]["place"] == "#pump"


def test_password_opens(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = write(tmp_path, "door.pdf", pdf_files.encrypted("secret"))
    assert main(["inspect", file, "--password", "secret", "--html", "door.html"]) == 0
    page = Path("door.html").read_text(encoding="utf-8")
    assert "A sentence behind a door." in page
    assert "data:image/webp;base64," in page


class Links(HTMLParser):
    """Collects tags, and all that a browser would load or run."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.loaded: list[str] = []
        self.handlers: list[str] = []
        self.targets: list[str] = []
        self.ids: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            if name in {"src", "srcset"} or (name == "href" and tag != "a"):
                self.loaded.append((value or "")[:40])
            if name == "href" and tag == "a":
                self.targets.append(value or "")
            if name == "id":
                self.ids.append(value or "")
            if name.startswith("on"):
                self.handlers.append(name)


def test_html_draws_pages_and_loads_nothing(tmp_path: Path) -> None:
    file = write(tmp_path, "cranes.pdf", pdf_files.with_table_and_figure())
    assert main(["inspect", file, "--html", "out.html"]) == 0
    text = Path("out.html").read_text(encoding="utf-8")
    page = Links(text)
    assert page.loaded and all(address.startswith("data:image/") for address in page.loaded)
    assert not {"script", "link", "iframe", "object"} & set(page.tags)
    assert page.handlers == []
    assert set(page.targets) <= {f"#{name}" for name in page.ids}
    assert len(page.ids) == len(set(page.ids))
    assert (
        '<caption>Table 1: Lifting capacity</caption>\n<thead>\n<tr><th scope="col">Crane' in text
    )
    assert '<g class="box table">' in text
    assert '<g class="box figure">' in text


def test_html_escapes_all_text(tmp_path: Path) -> None:
    bad = '"><script>alert(1)</script><img src=x onerror=alert(1)>'
    text = f"---\nauthor: '{bad}'\n---\n\n# {{}}\n\nWords {{}} words.\n\n```\n{bad}\n```\n"
    written = text.replace("{}", bad.replace("<", "&lt;"))
    file = write(tmp_path, "bad <b>.md", written + f"\n| {bad.replace('<', '&lt;')} | b |\n|-|-|\n")
    assert main(["inspect", file, "--html", "out.html"]) == 0
    html = Path("out.html").read_text(encoding="utf-8")
    page = Links(html)
    assert not {"script", "img", "b"} & set(page.tags)
    assert page.handlers == []
    assert html.count("&lt;script&gt;alert(1)") >= 3


def test_html_without_pages_is_one_column(tmp_path: Path) -> None:
    file = write(tmp_path, "manual.md", MANUAL)
    assert main(["inspect", file, "--html", "out.html"]) == 0
    html = Path("out.html").read_text(encoding="utf-8")
    assert "<svg" not in html
    assert html.count("<section") == 1
    assert "lines 11-" in html
    positions = [html.index(f'id="a{n}"') for n in range(5)]
    assert positions == sorted(positions)


def test_html_says_which_pages_are_not_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chapterverse.engine.inspect.MOST_PAGES", 4)
    file = Path(write(tmp_path, "labels.pdf", pdf_files.labelled(blank=True)))
    with inspect_file(file, LIMITS) as inspection:
        assert inspection.parsed is not None
        assert "are drawn" not in page_of(inspection, tmp_path)
        longer = replace(inspection, parsed=replace(inspection.parsed, page_count=9))
        assert "Only the first 4 of 9 pages are drawn." in page_of(longer, tmp_path)
        gone = replace(inspection, path=tmp_path / "gone.pdf")
        assert "The pages could not be drawn: gone.pdf: there is no such" in page_of(gone, tmp_path)


def page_of(inspection: Inspection, folder: Path) -> str:
    inspection.write_html(folder / "page.html")
    return (folder / "page.html").read_text(encoding="utf-8")


def test_without_a_picture_words_stand_in_their_boxes() -> None:
    shape, other = Box(0.1, 0.1, 0.5, 0.5), Box(0.6, 0.1, 0.9, 0.5)
    assets = [
        Asset(0, AssetKind.LIST_ITEM, "one <b>", (Region(0, 7, page=2, box=shape),)),
        Asset(1, AssetKind.LIST_ITEM, "two", (Region(0, 3, page=2, box=shape),)),
        Asset(2, AssetKind.TABLE, "a\nb", tuple(Region(i, i + 1, 2, box=other) for i in (0, 2))),
        Asset(3, AssetKind.PARAGRAPH, "elsewhere", (Region(0, 9, page=3, box=other),)),
    ]
    svg = "".join(drawn_page(assets, 2, (1000, 500), None))
    assert svg.count("<foreignObject") == 2
    assert '<div class="words">one &lt;b&gt;\ntwo</div>' in svg
    assert svg.count('<rect x="600.0" y="50.0" width="300.0" height="200.0"/>') == 1
    assert "elsewhere" not in svg


def test_places_of_all_kinds() -> None:
    def place(*regions: Region, unit: PageUnit = "page") -> str:
        asset = Asset(0, AssetKind.PARAGRAPH, "x", regions)
        return place_text(asset, unit)

    assert place() == ""
    assert place(Region(0, 1)) == ""
    assert place(Region(0, 1, page=3, label="iv")) == "p. 3 (iv)"
    assert place(Region(0, 1, page=3), Region(0, 1, page=5)) == "p. 3-5"
    assert place(Region(0, 1, page=2), unit="slide") == "slide 2"
    assert place(Region(0, 1, lines=LineRange(4, 4))) == "line 4"
    assert place(Region(0, 1, lines=LineRange(4, 5)), Region(0, 1, lines=LineRange(6, 9))) == (
        "lines 4-9"
    )
    assert place(Region(0, 1, page=1, place="S!A1"), Region(0, 1, page=1, place="S!A2:B2")) == (
        "S!A1:B2"
    )
    assert place(Region(0, 1, place="a.xhtml"), Region(0, 1, place="b.xhtml#c")) == (
        "a.xhtml to b.xhtml#c"
    )
    assert place(Region(0, 1, page=2, place="speaker notes"), unit="slide") == (
        "slide 2, speaker notes"
    )


@pytest.mark.parametrize(("unit", "place"), [("page", "p. 3: "), ("sheet", "sheet 3: ")])
def test_warnings_name_page_slide_or_sheet(unit: PageUnit, place: str) -> None:
    warnings = (ParseWarning("cut", "rows <b>", 3), ParseWarning("odd", "all"))
    parsed = Parsed("a/b", "c/1", (), page_unit=unit, warnings=warnings)
    html = "".join(inspection_html("x", parsed, {}, lambda picture: None, ["one note"]))
    assert f"<li>{place}cut: rows &lt;b&gt;</li>" in html
    assert "<li>odd: all</li>" in html
    assert "2 warnings</summary>" in html and "1 note</summary>" in html


def test_pictures_are_gone_afterwards(tmp_path: Path) -> None:
    file = Path(write(tmp_path, "cranes.pdf", pdf_files.with_table_and_figure()))
    with inspect_file(file, LIMITS) as inspection:
        inspection.write_html(tmp_path / "out.html")
        folder = inspection.blobs.folder
        assert any(folder.rglob("*"))
    assert not folder.parent.exists()
