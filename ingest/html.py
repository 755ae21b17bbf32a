"""HTML pages: ``unstructured`` for the flow of text, lxml for what it loses.

Before a page goes to ``unstructured`` its tables, figures, images, code blocks and furniture
(site header, navigation, footer) are taken out and read here with spans, captions and white
space intact; a private-use mark holds each one's place. What comes back is paragraphs, headings
with depth and list items with nesting, and the marks, which are exchanged for what they stand
for. Nothing is fetched.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from chapterverse.ingest.context import ReadContext
from chapterverse.ingest.encoding import Decoded, decode
from chapterverse.ingest.flow_captions import bind_captions
from chapterverse.ingest.html_parts import (
    FindPicture,
    code_draft,
    figure_draft,
    images_from_svg,
    is_layout_table,
    is_note,
    no_picture,
    note_draft,
    parse_html,
    prune,
    table_draft,
    visible_text,
)
from chapterverse.ingest.lines import one_line
from chapterverse.ingest.outline import Draft, promote_title, title_text, to_assets
from chapterverse.ingest.plain import decoding_warnings
from chapterverse.ingest.unstructured_adapter import Element, partition_html
from chapterverse.schema.errors import Corrupt
from chapterverse.schema.records import FURNITURE, AssetKind, Parsed, ParseWarning

__all__ = ["PARSER", "HtmlPage", "decode_page", "read_html", "read_page"]

PARSER = "html/1"
_CONTEXT = ReadContext()
_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]+)", re.I)
_XML_ENCODING = re.compile(rb"^\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.:-]+)", re.I)
_MARK = re.compile("\ue000(\\d+)\ue001")
_FILLER = "\ue002"
_START = re.compile(r"-?\d{1,9}")
_SECTIONING = {"article", "section", "main", "blockquote", "figure", "td"}
_HOLDERS = ("table", "figure", "pre")
_LOST_SHARE = 0.02
_DEEPEST = 240
"""Nesting of elements; the parser of ``unstructured`` silently drops what lies below 256."""
_TOO_DEEP = "HTML elements are nested too deeply to be read; save the page as PDF or text"


def read_html(data: bytes, context: ReadContext = _CONTEXT) -> Parsed:
    """Parse an HTML page. No pages, no line numbers: the place is the heading path.

    The title is the ``h1`` when there is one, else the ``title`` element.

    :raises Corrupt: markup nested deeper than can be read.
    """
    decoded = decode_page(data)
    page = read_page(decoded.text)
    drafts = promote_title(page.drafts, page.title)
    return Parsed(
        "text/html",
        PARSER,
        to_assets(drafts),
        title=title_text(drafts, page.title),
        warnings=decoding_warnings(decoded) + page.warnings,
    )


@dataclass(frozen=True, slots=True)
class HtmlPage:
    """A page before it is a document: ``title`` is what its ``title`` element says."""

    drafts: tuple[Draft, ...]
    title: str | None
    warnings: tuple[ParseWarning, ...]


def decode_page(data: bytes, declared: str | None = None) -> Decoded:
    """Decode a page; *declared* (of a mail part) stands in where the page names no encoding."""
    named = _CHARSET.search(data[:4096]) or _XML_ENCODING.match(data[:512])
    return decode(data, named.group(1).decode("ascii") if named else declared)


def read_page(text: str, find_picture: FindPicture = no_picture) -> HtmlPage:
    """The parts of an HTML page in reading order; raw heading levels are 1 (``h1``) to 6.

    *find_picture* turns the ``src`` of an image into the stored picture.

    :raises Corrupt: markup nested deeper than can be read.
    """
    try:
        root = parse_html(text)
        title = root.find(".//title")
        declared = visible_text(title) if title is not None else ""
        images_from_svg(root)
        prune(root)
        body = root.find("body")
        held = _Held(root if body is None else body, find_picture)
        drafts = bind_captions(list(_drafts(partition_html(held.html()), held.drafts)))
    except RecursionError as exc:
        raise Corrupt(_TOO_DEEP) from exc
    return HtmlPage(tuple(drafts), declared or None, _lost(held.visible, drafts))


class _Held:
    """A page whose special parts were taken out; ``drafts[n]`` belongs to mark *n*."""

    def __init__(self, body: Any, find_picture: FindPicture) -> None:
        self.drafts: list[Draft | None] = []
        self.visible = len("".join(visible_text(body).split()))
        self._body = body
        self._furniture()
        # Outer parts first: an image inside a figure or a cell belongs to that.
        self._take("table", table_draft, skip=is_layout_table)
        self._take("aside", note_draft, skip=lambda aside: not is_note(aside))
        self._take("figure", partial(figure_draft, find_picture=find_picture))
        self._take("pre", code_draft)
        self._take("img", partial(figure_draft, find_picture=find_picture))
        self._simplify()
        _unwrap_boxes(self._body)
        if _depth(self._body) > _DEEPEST:
            raise Corrupt(_TOO_DEEP)

    def html(self) -> str:
        """The page with marks, as text."""
        from lxml import html

        return str(html.tostring(self._body, encoding="unicode"))

    def _furniture(self) -> None:
        for element in list(self._body.iter("header", "nav", "footer")):
            if self._is_furniture(element):
                footer = element.tag == "footer"
                kind = AssetKind.PAGE_FOOTER if footer else AssetKind.PAGE_HEADER
                text = visible_text(element)
                self._replace(element, Draft(kind, text) if text else None)

    def _is_furniture(self, element: Any) -> bool:
        if element.getparent() is None or any(True for _ in element.iterancestors(*_HOLDERS)):
            return False  # those parts are read as a whole
        if len("".join(visible_text(element).split())) * 2 > self.visible:
            return False  # a page that wraps its whole content in one of these
        if element.tag == "nav":
            return True
        if any(parent.tag in _SECTIONING for parent in element.iterancestors()):
            return False
        return next(element.iter("h1", "h2", "h3", "h4", "h5", "h6"), None) is None

    def _take(
        self,
        tag: str,
        read: Callable[[Any], Draft | None],
        skip: Callable[[Any], bool] | None = None,
    ) -> None:
        for element in list(self._body.iter(tag)):
            inside = self._body in element.iterancestors()
            if inside and not (skip is not None and skip(element)):
                self._replace(element, read(element))

    def _replace(self, element: Any, draft: Draft | None) -> None:
        """Put a mark where *element* stands, or after the paragraph that it stands in."""
        anchor = element
        for parent in element.iterancestors("p", "h1", "h2", "h3", "h4", "h5", "h6", "dt"):
            anchor = parent
        mark = element.makeelement("div")
        mark.text = f"\ue000{len(self.drafts)}\ue001"
        self.drafts.append(draft)
        mark.tail, anchor.tail = anchor.tail, None
        anchor.addnext(mark)
        if anchor is element:
            anchor.getparent().remove(element)
        else:
            element.drop_tree()

    def _simplify(self) -> None:
        """Rename what ``unstructured`` would skip although a browser shows it."""
        rename = {
            "main": "div", "nav": "div", "form": "div", "details": "div",
            "fieldset": "div", "dialog": "div",
            "summary": "p", "legend": "p", "figcaption": "p", "label": "span",
        }  # fmt: skip
        layout = {"table", "tbody", "thead", "tfoot", "tr", "td", "th", "caption"}
        for element in self._body.iter():
            if element.tag in layout or element.tag in rename:
                element.tag = rename.get(element.tag, "div")
            elif element.tag == "ol":
                _number_items(element)
            elif element.tag == "math" and not element.get("alttext"):
                element.set("alttext", element.text_content().strip())
            elif element.tag in ("del", "s", "strike"):
                element.tag = "span"
            for attribute in ("text", "tail"):
                value = getattr(element, attribute)
                if value:
                    setattr(element, attribute, _prepared(value))


def _unwrap_boxes(body: Any) -> None:
    """Take away boxes around a single box: they only add depth."""
    for element in list(body.iterdescendants("div", "section", "article", "center")):
        lone = len(element) == 1 and not (element.text or "").strip()
        if lone and element[0].tag in ("div", "p") and not (element[0].tail or "").strip():
            element.drop_tag()


def _depth(body: Any) -> int:
    deepest = 0
    level = [(body, 1)]
    while level:
        element, depth = level.pop()
        deepest = max(deepest, depth)
        level.extend((child, depth + 1) for child in element)
    return deepest


def _prepared(text: str) -> str:
    """Source line breaks resolved; a lone character filled up, for such paragraphs get dropped."""
    if "\n" in text:
        inner = one_line(text)
        before, after = text[0].isspace(), text[-1].isspace()
        text = f"{' ' if before else ''}{inner}{' ' if after and inner else ''}"
    return text + _FILLER if len(text.strip()) == 1 else text


def _number_items(ordered: Any) -> None:
    """Write the numbers of a list into its items, as a browser shows them."""
    start = ordered.get("start") or ""
    number = int(start) if _START.fullmatch(start) else 1
    for item in ordered.iterchildren("li"):
        holder = item
        # A loose list wraps each text in a paragraph; the number belongs inside it.
        while not (holder.text or "").strip() and len(holder) and holder[0].tag in ("p", "div"):
            holder = holder[0]
        if not _MARK.search(holder.text or ""):
            holder.text = f"{number}. {(holder.text or '').lstrip()}"
        number += 1


def _drafts(elements: tuple[Element, ...], held: list[Draft | None]) -> Iterator[Draft]:
    for element in elements:
        text = one_line(element.text.replace(_FILLER, ""))
        position = 0
        for mark in _MARK.finditer(text):
            yield from _text_draft(element, text[position : mark.start()])
            draft = held[int(mark.group(1))]
            if draft is not None:
                yield draft
            position = mark.end()
        yield from _text_draft(element, text[position:])


def _text_draft(element: Element, text: str) -> Iterator[Draft]:
    text = text.strip()
    if not text:
        return
    depth = element.depth or 0
    if element.category == "Title":
        yield Draft(AssetKind.HEADING, text, level=depth + 1)
    elif element.category == "ListItem":
        yield Draft(AssetKind.LIST_ITEM, text, level=max(depth - 1, 0))
    else:
        yield Draft(AssetKind.PARAGRAPH, text)


def _lost(visible: int, drafts: list[Draft]) -> tuple[ParseWarning, ...]:
    """A warning when noticeably less text came out than a browser would show."""
    kept = sum(len("".join(draft.text.split())) for draft in drafts)
    if visible - kept <= max(20, _LOST_SHARE * visible):
        return ()
    furniture = sum(draft.kind in FURNITURE for draft in drafts)
    message = f"{visible - kept} of {visible} visible characters were not read"
    return (ParseWarning("text_lost", f"{message} ({furniture} parts kept as page furniture)"),)
