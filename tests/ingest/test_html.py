"""HTML pages: everything a browser shows, once, in order and as what it is."""

from __future__ import annotations

import base64

import pytest

from chapterverse.ingest.context import ReadContext
from chapterverse.ingest.html import read_html
from chapterverse.schema.errors import Corrupt
from chapterverse.schema.records import Asset, AssetKind, Merge, Parsed
from tests.ingest.word_files import png


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


def test_pictures_that_are_not_shown_are_counted() -> None:
    parsed = page(
        "<header><img src=logo.png>Logo</header><h1>T</h1><p>Some text of this page.</p>"
        "<img src=a.png alt='A pump'><img src=b.png>"
        "<table><tr><th>a<th>b<tr><td><img src=c.png alt=x><td>2</table>"
        "<svg><path/><svg/></svg><div hidden><iframe src=x></iframe></div>"
        "<img src=d.png style='display:none'>"
    )
    (warning,) = parsed.warnings
    assert warning.code == "pictures_left_out"
    assert warning.message.startswith("5 pictures are not shown: ")
    for reason in ("unknown kind (2)", "of a figure (2)", "framed pages (1)"):
        assert reason in warning.message


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


def test_row_names_merges_and_tables_in_cells() -> None:
    parsed = page(
        "<table><tr><th scope=row>Ducks<td>4<td>5<tr><th scope=row>Geese<td colspan=2>2</table>"
    )
    table = table_of(parsed).table
    assert table is not None
    assert (table.header_rows, table.row_headers) == (0, 1)
    assert table.merges == (Merge(1, 1, 1, 2),)
    inner = "<table><tr><td>n1<td>n2</table>"
    nested = page(f"<table><tr><th>A<th>B<tr><td>x{inner}<td>y</table>")
    assert kinds(nested) == [("table", "A | B\nx n1 n2 | y")]


def test_terms_stand_with_their_definitions() -> None:
    parsed = page("<dl><dt>Sow<dt>Seed<dd>To plant.<dt>Reap:<dd><p>To cut.</p><p>More.</p></dl>")
    assert [asset.text for asset in parsed.assets] == [
        "Sow, Seed: To plant.",
        "Reap: To cut.",
        "More.",
    ]


def test_notes_follow_the_paragraph_that_refers_to_them() -> None:
    parsed = page(
        "<p>Seed keeps.<a href=#n1 id=r1 role=doc-noteref><sup>1</sup></a></p><p>End.</p>"
        "<section class=footnotes><hr><ol><li id=n1><p>At -18. <a href=#r1>↩︎</a></p></ol></section>"
    )
    assert kinds(parsed) == [
        ("paragraph", "Seed keeps.1"),
        ("footnote", "At -18."),
        ("paragraph", "End."),
    ]


def test_formulas_are_read_once() -> None:
    parsed = page(
        "<p>So <span class=katex><span class=katex-mathml><math><semantics><mrow><mi>x</mi></mrow>"
        "<annotation encoding='application/x-tex'>x^2</annotation></semantics></math></span>"
        "<span class=katex-html aria-hidden=true>x2</span></span> and "
        "<script type='math/tex'>y_1</script> hold.</p>"
    )
    assert kinds(parsed) == [("paragraph", "So x^2 and $y_1$ hold.")]


def test_links_of_headings_to_themselves_are_no_text() -> None:
    parsed = page(
        "<h2 id=a>Scope<a class=headerlink href=#a>¶</a></h2><p>x</p>"
        "<h2>Terms<span>[<a href=/e>edit</a>]</span></h2><p>y</p>"
    )
    assert [text for kind, text in kinds(parsed) if kind == "heading"] == ["Scope", "Terms"]


def test_places_are_the_anchors_of_headings() -> None:
    parsed = page(
        "<p>Before.</p><h1 id=top>T</h1><p>a</p><section id=s><h2>S</h2><ul><li>b</ul></section>"
        "<h2><a name=n></a>N</h2><pre>c</pre><h2>None</h2><p>d</p>"
        "<article id=v><header><h2>V</h2></header><p>e</p></article>"
    )
    assert [[region.place for region in asset.regions] for asset in parsed.assets] == [
        [], ["#top"], ["#top"], ["#s"], ["#s"], ["#n"], ["#n"], [], [],
        ["#v"], ["#v"],
    ]  # fmt: skip


def test_double_breaks_end_paragraphs_and_lists_count_in_letters() -> None:
    parsed = page("<p>one<br>two<br> <br>three</p><ol type=a start=2><li>x<li value=5>y</ol>")
    assert [asset.text for asset in parsed.assets] == ["one two", "three", "b. x", "e. y"]


def test_properties() -> None:
    parsed = page(
        "<p>x</p>",
        "<meta name=author content=Ann><meta property=article:author content=Bo>"
        "<meta name=Description content='On  seed'><link rel=canonical href='https://a.invalid/'>"
        "<meta name=viewport content=no>",
    )
    assert parsed.properties == {
        "author": "Ann; Bo",
        "description": "On seed",
        "canonical": "https://a.invalid/",
        "encoding": "utf-8",
        "encoding_confidence": "1.00",
    }


def test_pictures_inside_the_page_are_kept() -> None:
    kept: list[bytes] = []

    def keep(data: bytes) -> str:
        kept.append(data)
        return "0" * 64

    inside = base64.b64encode(png()).decode()
    source = f"<p>x</p><img src='data:image/png;base64,{inside}' alt='A vent'><img src=a.png alt=b>"
    first, second = read_html(source.encode(), ReadContext(keep=keep)).assets[1:]
    assert first.picture is not None
    assert (first.picture.width, first.text, kept) == (80, "A vent", [png()])
    assert second.picture is None
    broken = page("<p>x</p><img src='data:image/png;base64,%%%' alt=c>")
    assert kinds(broken)[1:] == [("figure", "c")]


def test_menus_by_role_or_name_are_furniture() -> None:
    links = "<a href=/a>Alpha page</a> <a href=/b>Beta page</a>"
    text = "<p>The text of this page is long enough to be more than half of all of it.</p>"
    parsed = page(
        f"<div role=banner>Site</div><div class=breadcrumbs>{links}</div>{text * 3}"
        f"<aside><h2>See also</h2>{links}</aside><div id=menu>Today's menu: soup</div>"
        "<div role=contentinfo>(c)</div>"
    )
    assert [kind for kind, _ in kinds(parsed)] == [
        "page_header", "page_header", *["paragraph"] * 3, "page_header", "paragraph", "page_footer",
    ]  # fmt: skip
