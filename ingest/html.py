"""HTML pages: ``unstructured`` for the flow of text, lxml for what it loses.

Before a page goes to ``unstructured`` its tables, figures, images, code blocks and furniture
(site header, navigation, footer) are taken out and read here with spans, captions and white
space intact; a private-use mark holds each one's place. What comes back is paragraphs, headings
with depth and list items with nesting, and the marks, which are exchanged for what they stand
for. Nothing is fetched.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from chapterverse.ingest.context import DEFAULT_CONTEXT, ReadContext
from chapterverse.ingest.encoding import Decoded, decode
from chapterverse.ingest.flow_captions import bind_captions
from chapterverse.ingest.html_furniture import furniture
from chapterverse.ingest.html_meta import page_properties
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
    picture_inside,
    prune,
    table_draft,
    visible_text,
)
from chapterverse.ingest.html_pictures import PagePictures, count_media
from chapterverse.ingest.html_prepare import number_items, prepare
from chapterverse.ingest.lines import one_line
from chapterverse.ingest.outline import Draft, promote_title, title_text, to_assets
from chapterverse.ingest.plain import decoding_warnings, encoding_properties
from chapterverse.ingest.unshown import unshown_warning
from chapterverse.ingest.unstructured_adapter import Element, partition_html
from chapterverse.schema.errors import Corrupt
from chapterverse.schema.records import FURNITURE, AssetKind, Parsed, ParseWarning, Region

__all__ = ["PARSER", "HtmlPage", "decode_page", "read_html", "read_page"]

PARSER = "html/3"
_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]+)", re.I)
_XML_ENCODING = re.compile(rb"^\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.:-]+)", re.I)
_MARK = re.compile("\ue000(\\d*)\ue001")
_FILLER = "\ue002"
_HEADING_TAGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_INLINE_HOLDERS = ("li", "dt", "dd", "a", "span", "button", "label", "p")
_OPENED = ("article", "div", "header", "hgroup", "main", "section")
_LOST_SHARE = 0.02
_DEEPEST = 240
"""Nesting of elements; the parser of ``unstructured`` silently drops what lies below 256."""
_TOO_DEEP = "HTML elements are nested too deeply to be read; save the page as PDF or text"


def read_html(data: bytes, context: ReadContext = DEFAULT_CONTEXT) -> Parsed:
    """Parse an HTML page. No pages, no line numbers: the place is that of the heading (``#id``).

    The title is the ``h1`` when there is one, else the ``title`` element. Pictures inside the
    page (``data:``) are kept; none is fetched.

    :raises Corrupt: markup nested deeper than can be read.
    """
    decoded = decode_page(data)
    page = read_page(decoded.text, partial(picture_inside, context=context))
    drafts = promote_title(page.drafts, page.title)
    return Parsed(
        "text/html",
        PARSER,
        to_assets(drafts),
        title=title_text(drafts, page.title),
        warnings=(*decoding_warnings(decoded), *page.warnings, *unshown_warning(page.unshown)),
        properties={**page.properties, **encoding_properties(decoded)},
    )


@dataclass(frozen=True, slots=True)
class HtmlPage:
    """A page before it is a document: ``title`` is what its ``title`` element says.

    ``properties`` is what it says of itself otherwise, ``unshown`` counts the pictures that no
    figure shows, by reason; who makes a document of the page warns of them.
    """

    drafts: tuple[Draft, ...]
    title: str | None
    warnings: tuple[ParseWarning, ...]
    properties: dict[str, str]
    unshown: Mapping[str, int]


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
        properties = page_properties(root)
        images_from_svg(root)
        media = count_media(root)
        prepare(root)
        prune(root)
        body = root.find("body")
        body = root if body is None else body
        pictures = PagePictures(body, find_picture)
        held = _Held(body, pictures)
        drafts = bind_captions(list(_drafts(partition_html(held.html()), held.drafts)))
    except RecursionError as exc:
        raise Corrupt(_TOO_DEEP) from exc
    warnings = _lost(held.visible, drafts)
    unshown = pictures.unshown() + media
    return HtmlPage(tuple(drafts), declared or None, warnings, properties, unshown)


@dataclass(frozen=True, slots=True)
class _Anchor:
    """Where a heading stands: what follows it has the address ``#id``."""

    id: str | None


class _Held:
    """A page whose special parts were taken out; ``drafts[n]`` belongs to mark *n*."""

    def __init__(self, body: Any, find_picture: FindPicture) -> None:
        self.drafts: list[Draft | _Anchor | None] = []
        self.visible = _length(body)
        self._body = body
        self._furniture()
        # Outer parts first: an image inside a figure or a cell belongs to that.
        self._take("table", table_draft, skip=is_layout_table)
        self._take("aside", note_draft, skip=lambda aside: not is_note(aside))
        self._take("figure", partial(figure_draft, find_picture=find_picture))
        self._take("pre", code_draft)
        self._take("img", partial(figure_draft, find_picture=find_picture))
        self._anchors()
        self._simplify()
        _unwrap_boxes(self._body)
        if _depth(self._body) > _DEEPEST:
            raise Corrupt(_TOO_DEEP)

    def html(self) -> str:
        """The page with marks, as text."""
        from lxml import html

        return str(html.tostring(self._body, encoding="unicode"))

    def _furniture(self) -> None:
        for element, kind in list(furniture(self._body, self.visible, _length)):
            text = visible_text(element)
            self._replace(element, Draft(kind, text) if text else None)

    def _anchors(self) -> None:
        """Put the address of each heading in front of it."""
        for heading in list(self._body.iter(*_HEADING_TAGS)):
            if any(parent.tag in _INLINE_HOLDERS for parent in heading.iterancestors()):
                continue
            mark = heading.makeelement("div")
            mark.text = f"\ue000{len(self.drafts)}\ue001"
            self.drafts.append(_Anchor(_anchor_of(heading)))
            heading.addprevious(mark)

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
                number_items(element)
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


def _anchor_of(heading: Any) -> str | None:
    """The id that leads to *heading*: its own, one inside it, or that of what it opens."""
    own = heading.get("id")
    inside = (e.get("id") or e.get("name") for e in heading.iter("a", "span"))
    found = own or next(filter(None, inside), None)
    parent = heading.getparent()
    while not found and parent is not None and parent.tag in _OPENED:
        first = next((c for c in parent if c.tag in _HEADING_TAGS or _length(c)), None)
        if first is not heading and (first is None or heading not in first.iterdescendants()):
            break
        found, parent = parent.get("id"), parent.getparent()
    return found


def _length(element: Any) -> int:
    return len("".join(visible_text(element).split()))


def _drafts(elements: tuple[Element, ...], held: list[Draft | _Anchor | None]) -> Iterator[Draft]:
    place: str | None = None
    for element in elements:
        text = one_line(element.text.replace(_FILLER, ""))
        position = 0
        for mark in _MARK.finditer(text):
            yield from _placed(_text_draft(element, text[position : mark.start()]), place)
            found = held[int(mark.group(1))] if mark.group(1) else None
            if isinstance(found, _Anchor):
                place = found.id and f"#{found.id}"
            elif found is not None:
                yield from _placed([found], place)
            position = mark.end()
        yield from _placed(_text_draft(element, text[position:]), place)


def _placed(drafts: Iterable[Draft], place: str | None) -> Iterator[Draft]:
    for draft in drafts:
        if place is None or draft.kind in FURNITURE:
            yield draft
        else:
            yield replace(draft, regions=(Region(0, len(draft.text), place=place),))


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
