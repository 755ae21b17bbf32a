"""What each Word paragraph is: style and outline first, then ``unstructured``, then bold lines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from chapterverse.ingest.docx_numbering import Label
from chapterverse.ingest.docx_xml import PAGE_BREAK, Style, qn
from chapterverse.ingest.flow_captions import bind_captions
from chapterverse.ingest.lines import display_width
from chapterverse.ingest.outline import TITLE, Draft, numbered_level
from chapterverse.ingest.unstructured_adapter import Element
from chapterverse.schema.records import AssetKind, Region

__all__ = ["MARK", "Item", "Paragraph", "finish_items", "make_item", "with_label"]

MARK = re.compile("\ue000(\\d+)\ue001$")
"""What :mod:`chapterverse.ingest.docx` puts behind the text of paragraph number *n*."""

_LONGEST_HEADING = 240
_LONGEST_BOLD_LINE = 80
_BOLD_RAW_LEVEL = 6
_SENTENCE_END = re.compile(r"[。！？.!?;；:：,，、]$")
_SPACES = re.compile(r"[^\S\n]+")
_LEADING = re.compile(rf"^({PAGE_BREAK}*)\s+")


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A body paragraph with what the XML alone says about it.

    ``text`` holds ``PAGE_BREAK`` where a page ended; ``page`` is the one it begins on, ``None``
    when pages are not known. ``bold``: every run is. ``contents``: a line of a generated table of
    contents. ``formula``: mathematics and at most a number. ``label``: what Word numbers it with.
    """

    element: Any
    text: str
    page: int | None
    style: Style
    bold: bool
    contents: bool
    formula: bool
    label: Label | None = None

    @property
    def bare(self) -> str:
        """The text alone."""
        return self.text.replace(PAGE_BREAK, "")


@dataclass(frozen=True, slots=True)
class Item:
    """A draft and what only neighbours can decide on: is it a caption, a heading in disguise?

    ``chart``: a table that is drawn as a chart.
    """

    draft: Draft
    caption: bool = False
    bold: bool = False
    chart: bool = False


def make_item(paragraph: Paragraph, element: Element | None) -> Item:
    """The draft of a non-empty *paragraph*, given what ``unstructured`` saw in it, if anything."""
    if paragraph.style.code:
        return Item(_draft(AssetKind.CODE, paragraph.bare, paragraph.page))
    caption = paragraph.style.caption or _has_sequence_field(paragraph.element)
    text = with_label(paragraph.label, _own_text(paragraph.text, element))
    kind, level = AssetKind.PARAGRAPH, None
    if paragraph.formula:
        kind = AssetKind.FORMULA
    elif not caption:
        kind, level = _kind(paragraph, element)
        if kind is AssetKind.HEADING:
            text = text.replace("\n", " ")
    return Item(_draft(kind, text, paragraph.page, level), caption, paragraph.bold)


def _kind(paragraph: Paragraph, element: Element | None) -> tuple[AssetKind, int | None]:
    category = element.category if element is not None else ""
    depth = (element.depth if element is not None else None) or 0
    outline = _own_outline(paragraph.element, paragraph.style.outline)
    if outline is None and category == "Title" and paragraph.style.name.startswith("heading"):
        outline = depth + 1
    if outline is not None and display_width(paragraph.bare) <= _LONGEST_HEADING:
        return AssetKind.HEADING, outline
    label = paragraph.label
    if label is not None and (label.bullet or label.text):
        return AssetKind.LIST_ITEM, max(label.level, depth)
    if category == "ListItem" and not _numbering_switched_off(paragraph):
        return AssetKind.LIST_ITEM, depth
    return AssetKind.PARAGRAPH, None


def _own_outline(element: Any, inherited: int | None) -> int | None:
    own = element.find(f"{qn('w:pPr')}/{qn('w:outlineLvl')}")
    if own is None:
        return inherited
    level = int(own.get(qn("w:val"), 9))
    return level + 1 if level < 9 else None


def _numbering_switched_off(paragraph: Paragraph) -> bool:
    number = paragraph.element.find(f"{qn('w:pPr')}/{qn('w:numPr')}/{qn('w:numId')}")
    return number is not None and number.get(qn("w:val")) == "0"


def _has_sequence_field(element: Any) -> bool:
    texts = element.iter(qn("w:instrText"))
    return any((text.text or "").strip().upper().startswith("SEQ ") for text in texts)


def with_label(label: Label | None, text: str) -> str:
    """*text* behind its computed *label*; page ends before the text stay in front of both."""
    if label is None or not label.text:
        return text
    bare = text.lstrip(PAGE_BREAK)
    return f"{text[: len(text) - len(bare)]}{label.text}{label.separator}{bare}"


def _own_text(own: str, element: Element | None) -> str:
    """*own* text, white space collapsed, without a typed bullet that ``unstructured`` took off."""
    text = _collapse(own)
    if element is None:
        return text
    bare = text.replace(PAGE_BREAK, "")
    seen = _collapse(MARK.sub("", element.text.rstrip()))
    # A page end inside such an item is not worth keeping.
    return seen if seen and seen != bare and bare.endswith(seen) else text


def _collapse(text: str) -> str:
    lines = (_SPACES.sub(" ", line).strip(" ") for line in text.split("\n"))
    return _LEADING.sub(r"\1", "\n".join(lines).strip())


def _draft(kind: AssetKind, text: str, page: int | None, level: int | None = None) -> Draft:
    """A draft with a region a page; page ends are taken out of *text*."""
    if page is None:
        return Draft(kind, text.replace(PAGE_BREAK, ""), level=level)
    regions: list[Region] = []
    start = 0
    for number, piece in enumerate(text.split(PAGE_BREAK)):
        if piece.strip():
            regions.append(Region(start, start + len(piece), page=page + number))
        start += len(piece)
    return Draft(kind, text.replace(PAGE_BREAK, ""), tuple(regions), level=level)


def finish_items(items: Sequence[Item]) -> list[Draft]:
    """Drafts of *items* with headings in disguise found, captions bound and code lines joined."""
    if not any(i.draft.kind is AssetKind.HEADING and i.draft.level != TITLE for i in items):
        items = _with_bold_headings(items)
    drafts = [item.draft for item in items]
    marked = frozenset(i for i, item in enumerate(items) if item.caption)
    charts = frozenset(i for i, item in enumerate(items) if item.chart)
    return _join_code(bind_captions(drafts, marked, charts))


def _with_bold_headings(items: Sequence[Item]) -> list[Item]:
    """In a document without heading styles, take clear stand-ins: ``第X章`` or bold short lines.

    A bold line counts only with plain text behind it, and only while such lines are the exception.
    """
    levels = [_disguised_level(items, index) for index in range(len(items))]
    found = sum(level is not None for level in levels)
    if found * 2 > len(items):
        return list(items)
    return [
        item
        if level is None
        else replace(item, draft=replace(item.draft, kind=AssetKind.HEADING, level=level))
        for item, level in zip(items, levels, strict=True)
    ]


def _disguised_level(items: Sequence[Item], index: int) -> int | None:
    item = items[index]
    draft = item.draft
    if draft.kind not in (AssetKind.PARAGRAPH, AssetKind.LIST_ITEM) or item.caption:
        return None
    text = draft.text
    if "\n" in text or display_width(text) > _LONGEST_BOLD_LINE or _SENTENCE_END.search(text):
        return None
    numbered = numbered_level(text)
    if numbered is not None and text.startswith(("第", "Chapter", "CHAPTER", "Part", "PART")):
        return numbered
    if not item.bold or not _leads_text(items, index):
        return None
    return numbered if numbered is not None else _BOLD_RAW_LEVEL


def _leads_text(items: Sequence[Item], index: int) -> bool:
    following = items[index + 1] if index + 1 < len(items) else None
    return following is not None and not following.bold and not following.caption


def _join_code(drafts: Sequence[Draft]) -> list[Draft]:
    joined: list[Draft] = []
    for draft in drafts:
        last = joined[-1] if joined else None
        if last is None or draft.kind is not AssetKind.CODE or last.kind is not AssetKind.CODE:
            joined.append(draft)
            continue
        shift = len(last.text) + 1
        moved = tuple(
            replace(region, start=region.start + shift, end=region.end + shift)
            for region in draft.regions
        )
        text = f"{last.text}\n{draft.text}"
        joined[-1] = replace(last, text=text, regions=last.regions + moved)
    return joined
