"""Results as people see them: in a terminal, in a notebook, and in a pipe."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser

import pytest
from rich.console import Console
from rich.text import Text

from chapterverse.engine.shown import Passages, snippet, styled
from chapterverse.schema.records import AssetKind, ParentKind
from chapterverse.schema.results import (
    ChannelScore,
    Citation,
    DocumentRef,
    MatchedChild,
    Passage,
)

SCORES = {
    "dense": ChannelScore(0.8123, 1, 1.0, 0.6),
    "keyword": ChannelScore(None, None, None, 0.4),
}


def child(text: str, start: int, length: int) -> MatchedChild:
    return MatchedChild(
        id="1",
        text=text[start : start + length],
        start=start,
        end=start + length,
        kind=AssetKind.PARAGRAPH,
        heading_path=(),
        pages=(3,),
        regions=(),
        score=0.5,
        scores=SCORES,
    )


def passage(text: str, *spans: tuple[int, int], uri: str = "file:///a.pdf") -> Passage:
    children = tuple(child(text, start, length) for start, length in spans)
    cited = Citation(
        label="a.pdf, p. 3, § 1 Oil & <gas>",
        link=f"{uri}#page=3",
        document_id="d",
        revision_id="r",
        parent_id="p",
        uri=uri,
        pages=(3,),
        page_labels=(None,),
        heading_path=("1 Oil",),
        start=0,
        end=1,
        regions=(),
        quote="",
    )
    return Passage(
        rank=1,
        score=0.5,
        document=DocumentRef(uri, "A", "d"),
        kind=ParentKind.SECTION,
        parent_id="p",
        pages=(3,),
        page_labels=(None,),
        heading_path=("1 Oil",),
        text=text,
        children=children,
        scores=SCORES,
        citations=(cited,),
    )


class Marks(HTMLParser):
    """Collects text, text in mark and in bold, links, and the names of all tags."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text, self.links = "", [""]
        self.marked: list[str] = []
        self.bold: list[str] = []
        self.tags: set[str] = set()
        self.open: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag != "br":
            self.open.append(tag)
        self.links += [value or "" for name, value in attrs if name == "href"]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data
        if self.open[-1] == "mark":
            self.marked.append(data)
        if self.open[-1] == "b":
            self.bold.append(data)


def test_as_text() -> None:
    found = Passages([passage("Intro.\n\nThe pump needs oil.", (8, 19))])
    assert str(found) == (
        "1. a.pdf, p. 3, § 1 Oil & <gas>   (score 0.500)\n   Intro.\n   The pump needs oil."
    )
    assert repr(found) == f"<1 passage>\n{found}"
    assert repr(Passages(found * 2)).startswith("<2 passages>\n1. ")
    assert isinstance(found, tuple)
    assert found[0].rank == 1


def test_nothing_found() -> None:
    assert str(Passages()) == "No passage matches."
    assert Passages()._repr_html_() == "<p>No passage matches.</p>"
    assert Passages() == ()


def test_html_marks_the_best_child_only() -> None:
    text = "One. Two & <b>three</b>. Four.\nFive."
    shown = Marks(Passages([passage(text, (5, 19), (0, 4), (31, 5))])._repr_html_())
    assert shown.marked == ["Two & <b>three</b>."]
    assert shown.bold == ["1."]
    assert "One. Two & <b>three</b>. Four.Five." in shown.text
    assert "a.pdf, p. 3, § 1 Oil & <gas>" in shown.text
    assert "dense 0.812" in shown.text
    assert "keyword" not in shown.text
    assert shown.tags == {"div", "b", "a", "span", "mark", "br"}
    assert shown.links[1:] == ["file:///a.pdf#page=3"]


def test_nothing_in_a_document_becomes_html() -> None:
    evil = "</div><script>alert(1)</script>&lt;"
    found = Passages([passage(evil, (0, 6), uri='file://x"><script>alert(2)</script>')])
    shown = Marks(found._repr_html_())
    assert "script" not in shown.tags
    assert evil in shown.text
    assert shown.links[1:] == ['file://x"><script>alert(2)</script>#page=3']


@pytest.mark.parametrize("uri", ["javascript:alert(1)", "JavaScript:alert(1)", "data:text/html,x"])
def test_a_uri_that_would_run_is_not_linked(uri: str) -> None:
    shown = Marks(Passages([passage("Oil.", (0, 4), uri=uri)])._repr_html_())
    assert shown.links == [""]
    assert "a.pdf, p. 3" in shown.text


@pytest.mark.parametrize("start", [0, 3000])
def test_html_shows_where_text_is_left_out(start: int) -> None:
    text = "".join(chr(0x4E00 + number) for number in range(5000))
    shown = Marks(Passages([passage(text, (start, 40))])._repr_html_())
    assert shown.marked == [text[start : start + 40]]
    before, after = shown.text.split(text[start : start + 40])
    assert ("…" in before) is (start > 0)
    assert after.endswith("…")


@pytest.mark.parametrize("start", [0, 3000, 9960])
@pytest.mark.parametrize("word", ["word ", "字"])
def test_a_snippet_holds_the_best_child(start: int, word: str) -> None:
    text = word * (10_000 // len(word))
    first, last = snippet(passage(text, (start, 40)), 700)
    assert first <= start
    assert start + 40 <= last
    assert last - first <= 700
    if word == "word ":
        assert first == 0 or text[first - 1] == " "
        assert last in (start + 40, len(text)) or text[last] == " "
    elif first:
        assert first < start, "text before the best child is shown although no space is near"
    shown = str(Passages([passage(text, (start, 40))]))
    assert ("   …" in shown) is (first > 0)
    assert shown.endswith("…") is (last < len(text))


def test_a_long_child_is_shown_whole() -> None:
    text = "x" * 3000
    assert snippet(passage(text, (1000, 900)), 700) == (825, 1900)


def test_short_texts_are_shown_whole() -> None:
    assert snippet(passage("Oil.", (0, 4))) == (0, 4)
    assert snippet(replace(passage("x" * 900), children=()), 700) == (0, 700)


@pytest.mark.parametrize("uri", ["file:///a.pdf", "note one two", "a [b] bold c", "不 是"])
def test_in_a_terminal(uri: str) -> None:
    console = Console(width=100, force_terminal=True, color_system="truecolor", file=None)
    text = "See [bold]this[/bold]. The pump needs oil. [/oops]"
    with console.capture() as capture:
        console.print(Text.assemble(*styled(passage(text, (23, 19), uri=uri))))
    printed = capture.get()
    assert "[bold]this[/bold]" in printed
    assert "[/oops]" in printed
    assert "The pump needs oil." in printed
    assert "\x1b[1;36ma.pdf, p. 3" in printed
    assert ("\x1b]8;" in printed) is (uri == "file:///a.pdf")
    assert "\x1b[30;43mThe pump needs oil.\x1b[0m" in printed
