"""Headings of a book: its table of contents where chapters have none, and its title once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import unquote

from chapterverse.ingest.epub_package import BookItem, local_name, parse_xml, resolve
from chapterverse.ingest.html_parts import parse_html, visible_text
from chapterverse.ingest.lines import one_line
from chapterverse.ingest.outline import TITLE, Draft, promote_title
from chapterverse.schema.records import AssetKind, Region

__all__ = ["Chapter", "Entry", "read_contents", "with_contents", "with_title"]

_LONGEST_LABEL = 300
_PART_OF_TITLE = re.compile(r"\s*[:;(/—–]|\s+-\s+")
_TITLE_WITHIN = 12
"""The title of a book stands among its first so many elements, if anywhere."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the table of contents; ``depth`` is 1 for the outermost.

    ``fragment`` is the place within the file *path* that it leads to, as ``#id``.
    """

    label: str
    path: str
    depth: int
    fragment: str = ""


@dataclass(frozen=True, slots=True)
class Chapter:
    """What was read of one file of the book."""

    path: str
    drafts: tuple[Draft, ...]


def read_contents(data: bytes, item: BookItem) -> tuple[Entry, ...]:
    """The table of contents: the navigation document (EPUB 3), or the NCX file (EPUB 2)."""
    if item.media_type == "application/x-dtbncx+xml":
        root = parse_xml(data)
        return () if root is None else tuple(_ncx(root, item.path))
    root = parse_html(data.decode("utf-8", "replace"))
    navs = list(root.iter("nav"))
    nav = next((n for n in navs if "toc" in (n.get("epub:type") or "").split()), None)
    nav = nav if nav is not None else next(iter(navs), root)
    return tuple(_nav(nav, item.path))


def _ncx(root: Any, base: str) -> list[Entry]:
    entries = []
    pending = [(root, 0)]
    while pending:
        element, depth = pending.pop()
        inner = depth + (local_name(element) == "navpoint")
        pending.extend((child, inner) for child in reversed(element))
        if inner > depth:
            parts = {local_name(child): child for child in element}
            label, content = parts.get("navlabel"), parts.get("content")
            text = "" if label is None else one_line("".join(label.itertext()))
            link = "" if content is None else content.get("src") or ""
            path = resolve(base, link)
            if text and path:
                entries.append(Entry(text[:_LONGEST_LABEL], path, inner, _fragment(link)))
    return entries


def _nav(nav: Any, base: str) -> list[Entry]:
    entries = []
    for link in nav.iter("a"):
        address = link.get("href") or ""
        text, path = visible_text(link), resolve(base, address)
        if text and path:
            depth = sum(1 for _ in link.iterancestors("ol", "ul"))
            label = text[:_LONGEST_LABEL]
            entries.append(Entry(label, path, max(depth, 1), _fragment(address)))
    return entries


def _fragment(link: str) -> str:
    inside = unquote(link.partition("#")[2]).strip()
    return f"#{inside}" if inside else ""


def with_contents(chapters: Sequence[Chapter], entries: Sequence[Entry]) -> list[Draft]:
    """All drafts of the book; chapters without a heading get those that *entries* names.

    A paragraph that says what the entry says becomes the heading; without one the first entry of
    a chapter is put before it. Depths are shifted so that they fit the headings that are there.
    """
    by_path: dict[str, list[Entry]] = {}
    for entry in entries:
        by_path.setdefault(entry.path, []).append(entry)
    shift = _shift(chapters, by_path)
    drafts: list[Draft] = []
    for chapter in chapters:
        named = by_path.get(chapter.path, [])
        has_heading = any(draft.kind is AssetKind.HEADING for draft in chapter.drafts)
        has_text = any(
            draft.text and draft.kind is not AssetKind.FIGURE for draft in chapter.drafts
        )
        fill = named and has_text and not has_heading
        drafts += _filled(chapter, named, shift) if fill else chapter.drafts
    return drafts


def _shift(chapters: Sequence[Chapter], by_path: dict[str, list[Entry]]) -> int:
    """What to add to the depth of an entry for the raw level of its heading."""
    seen: Counter[int] = Counter()
    for chapter in chapters:
        depths = {_fold(entry.label): entry.depth for entry in by_path.get(chapter.path, [])}
        for draft in chapter.drafts:
            if draft.kind is AssetKind.HEADING and draft.level and _fold(draft.text) in depths:
                seen[draft.level - depths[_fold(draft.text)]] += 1
    return seen.most_common(1)[0][0] if seen else 0


def _filled(chapter: Chapter, entries: Sequence[Entry], shift: int) -> list[Draft]:
    drafts = list(chapter.drafts)
    position = 0
    for number, entry in enumerate(entries):
        level = max(entry.depth + shift, 1)
        found = next(
            (
                index
                for index in range(position, len(drafts))
                if drafts[index].kind is AssetKind.PARAGRAPH
                and _fold(drafts[index].text) == _fold(entry.label)
            ),
            None,
        )
        if found is not None:
            drafts[found] = replace(drafts[found], kind=AssetKind.HEADING, level=level)
            position = found + 1
        elif number == 0:
            drafts.insert(0, _heading(entry.label, level, chapter.path))
            position = 1
        else:
            continue
        if entry.fragment:
            place = chapter.path + entry.fragment
            drafts[position - 1 :] = [_at(draft, place) for draft in drafts[position - 1 :]]
    return drafts


def _at(draft: Draft, place: str) -> Draft:
    return replace(draft, regions=tuple(replace(r, place=place) for r in draft.regions))


def _heading(text: str, level: int, path: str | None) -> Draft:
    regions = (Region(0, len(text), place=path),) if path else ()
    return Draft(AssetKind.HEADING, text, regions, level=level)


def with_title(drafts: Sequence[Draft], title: str | None) -> tuple[Draft, ...]:
    """The book with its title as the document title, once.

    A heading or paragraph at the beginning that says the title becomes it; else it is put first.
    """
    if not title:
        return promote_title(drafts, None)
    for index, draft in enumerate(drafts[:_TITLE_WITHIN]):
        heading = draft.kind is AssetKind.HEADING
        if (heading or draft.kind is AssetKind.PARAGRAPH) and _says(draft.text, title):
            found = replace(draft, kind=AssetKind.HEADING, level=TITLE)
            return (*drafts[:index], found, *drafts[index + 1 :])
        if heading:
            break
    return (_heading(title, TITLE, None), *drafts)


def _says(text: str, title: str) -> bool:
    if len(text) > _LONGEST_LABEL:
        return False
    folded, wanted = _fold(text), _fold(title)
    short, main = (_fold(_PART_OF_TITLE.split(one, maxsplit=1)[0]) for one in (text, title))
    return bool(folded) and (folded in (wanted, main) or short == wanted != "")


def _fold(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())
