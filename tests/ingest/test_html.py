"""HTML pages: everything a browser shows, once, in order and as what it is."""

from __future__ import annotations

import pytest

from chapterverse.ingest.html import read_html
from chapterverse.schema.errors import Corrupt
from chapterverse.schema.records import Asset, AssetKind, Parsed


def page(body: str, head: str = "") -> Parsed:
    return read_html(f"<!doctype html><html><head>{head}</head><body>{body}</body></html>".encode())


def kinds(parsed: Parsed) -> list[tuple[str, str]]:
    return [(str(asset.kind), asset.text) for asset in parsed.assets]


def table_of(parsed: Parsed) -> Asset:
    (found,) = [asset for asset in parsed.assets if asset.kind is AssetKind.TABLE]
    return found


def test_headings_paragraphs_and_nested_lists() -> None:
    parsed = page(
        "<h1>Guide</h1><p>Two\nlines and H<sub>2</sub>O.</p><h3>Deep</h3>"
        "<ol start=3><li>open<ul><li>look</li></ul></li><li><p>close</p></li></ol>"
        "<h2>Next</h2><blockquote>said</blockquote>",
        "<title>Guide - Site</title>",
    )
    assert parsed.title == "Guide"
    assert kinds(parsed) == [
        ("heading", "Guide"),
        ("paragraph", "Two lines and H2O."),
        ("heading", "Deep"),
        ("list_item", "3. open"),
        ("list_item", "look"),
        ("list_item", "4. close"),
        ("heading", "Next"),
        ("paragraph", "said"),
    ]
    assert [asset.level for asset in parsed.assets] == [0, None, 1, 0, 1, 0, 1, None]
    assert parsed.assets[4].heading_path == ("Deep",)
    assert parsed.page_count is None
    assert parsed.warnings == ()


def test_table_with_caption_spans_and_head() -> None:
    parsed = page(
        "<table><caption>Table 1: Parts</caption><thead><tr><th rowspan=2>Part<th colspan=2>Every"
        "<tr><th>hours<th>months</thead><tfoot><tr><td>all<td>-<td>-</tfoot>"
        "<tbody><tr><td>Pump|1<td>500<td>6</tbody></table>"
    )
    found = table_of(parsed)
    assert found.caption == "Table 1: Parts"
    assert found.table is not None
    assert found.table.header_rows == 2
    assert found.table.rows == (
        ("Part", "Every", "Every"),
        ("Part", "hours", "months"),
        ("Pump/1", "500", "6"),
        ("all", "-", "-"),
    )
    assert found.text.startswith("Table 1: Parts\nPart | Every | Every\n")


def test_caption_paragraph_is_bound_to_its_table() -> None:
    table = "<table><tr><th>a<th>b<tr><td>1<td>2</table>"
    parsed = page(f"<p>表3 检修周期</p>{table}<p>Table 4 shows more.</p>")
    assert table_of(parsed).caption == "表3 检修周期"
    assert kinds(parsed)[1:] == [("paragraph", "Table 4 shows more.")]


def test_layout_table_is_no_table() -> None:
    inner = "<table><tr><th>a<th>b<tr><td>1<td>2</table>"
    parsed = page(f"<table><tr><td><h2>News</h2><p>Text.</p><td>{inner}</table>")
    assert kinds(parsed) == [("heading", "News"), ("paragraph", "Text."), ("table", "a | b\n1 | 2")]


def test_figures_images_and_code() -> None:
    parsed = page(
        "<figure><img src=a.png alt='A vent'><figcaption>Figure 1: Vent</figcaption></figure>"
        "<p>Before <img src=b.png alt='A crank'> after.</p><img src=c.png alt=''>"
        "<ul><li>Run <code>x</code>:<pre>\nif a:\n    b()\n</pre></li></ul>"
    )
    assert kinds(parsed) == [
        ("figure", "Figure 1: Vent\nA vent"),
        ("paragraph", "Before after."),
        ("figure", "A crank"),
        ("list_item", "Run x:"),
        ("code", "if a:\n    b()"),
    ]
    assert parsed.assets[0].caption == "Figure 1: Vent"


def test_furniture_is_kept_apart_and_invisible_parts_are_dropped() -> None:
    parsed = page(
        "<header>Logo</header><nav><a href=/>Home</a></nav><main><h1>T</h1><p>Body text here.</p>"
        "<article><header><p>By A. Writer</p></header></article>"
        "<script>no()</script><style>p{}</style><p hidden>no</p><p style='display: none'>no</p>"
        "</main><aside>Note.</aside><form><label>Name</label><input value=no></form>"
        "<details><summary>More</summary>Folded.</details><footer>(c)</footer>"
    )
    assert kinds(parsed) == [
        ("page_header", "Logo"),
        ("page_header", "Home"),
        ("heading", "T"),
        ("paragraph", "Body text here."),
        ("paragraph", "By A. Writer"),
        ("paragraph", "Note."),
        ("paragraph", "Name"),
        ("paragraph", "More"),
        ("paragraph", "Folded."),
        ("page_footer", "(c)"),
    ]


def test_a_page_inside_one_nav_is_still_read() -> None:
    parsed = page("<nav><h1>Only</h1><p>All the text of this page.</p></nav>")
    assert kinds(parsed) == [("heading", "Only"), ("paragraph", "All the text of this page.")]


@pytest.mark.parametrize("charset", ["gb18030", "utf-8"])
def test_declared_charset(charset: str) -> None:
    source = f"<html><head><meta charset='{charset}'></head><body><p>报销\n  须知</p></body></html>"
    assert kinds(read_html(source.encode(charset))) == [("paragraph", "报销须知")]


def test_nothing_is_fetched_or_expanded() -> None:
    source = (
        "<?xml version='1.0'?><!DOCTYPE html [<!ENTITY e SYSTEM 'file:///etc/hostname'>]>"
        "<html><head><link rel=stylesheet href='http://example.invalid/a.css'></head>"
        "<body><p>a&e;b</p><img src='http://example.invalid/b.png' alt=c></body></html>"
    )
    texts = [asset.text for asset in read_html(source.encode()).assets]
    assert texts[-1] == "c"
    assert "a&e;b" in texts


def test_nesting_is_undone_or_refused() -> None:
    boxes = "<div>" * 250 + "<p>deep</p>" + "</div>" * 250
    assert kinds(page(boxes)) == [("paragraph", "deep")]
    with pytest.raises(Corrupt, match="nested too deeply"):
        page("<ul><li>a" * 200 + "</li></ul>" * 200)


def test_single_characters_are_kept() -> None:
    parsed = page("<h2>A</h2><p>x</p><ul><li>y</li></ul><p>a<b>b</b>c</p><p>是</p>")
    assert [asset.text for asset in parsed.assets] == ["A", "x", "y", "abc", "是"]


@pytest.mark.parametrize("number", ["--5", "5e", "9" * 5000, "½"])
def test_absurd_numbers_do_not_cost_the_page(number: str) -> None:
    row = f"<tr><td rowspan='{number}'>a</td><td>b</td></tr>"
    parsed = page(f"<ol start='{number}'><li>item</li></ol><table>{row}</table>")
    assert kinds(parsed) == [("list_item", "1. item"), ("table", "a | b")]


def test_long_runs_without_spaces_take_no_long_time() -> None:
    text = "&" * 100_000
    assert kinds(page(f"<p>{text.replace('&', '&amp;')}</p>")) == [("paragraph", text)]


def test_marks_in_the_source_are_harmless() -> None:
    for source in ("\ue0007\ue001 x", "&#xE000;7&#xE001; x"):
        assert kinds(page(f"<p>{source}</p><pre>{source}</pre>")) == [
            ("paragraph", "7 x"),
            ("code", "7 x"),
        ]


@pytest.mark.parametrize("control", ["\x0c", "\x0b", "\x1f", "\x01", "\ufffe", "&#12;", "&#1;"])
def test_control_characters_are_no_hindrance(control: str) -> None:
    parsed = page(
        f"<h1>T{control}</h1><ol><li>one {control}two</ol>"
        f"<p>a {control}b\nc<table><tr><th>k<th>v<tr><td>r {control}1<td>2</table>tail {control}t"
    )
    assert [" ".join(asset.text.split()) for asset in parsed.assets] == [
        "T",
        "1. one two",
        "a b c",
        "k | v r 1 | 2",
        "tail t",
    ]
