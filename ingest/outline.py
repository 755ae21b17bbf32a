"""From drafts in reading order to numbered assets with levels and heading paths.

A reader knows its own format's idea of depth (``<h4>``, ``Heading 2``, a font size, ``第三章``).
It hands these over as raw levels; only their order matters here, so every reader ends with the
same levels: document title 0, top section 1, never a step down of more than one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from chapterverse.ingest.lines import display_width, one_line
from chapterverse.schema.records import Asset, AssetKind, Origin, Picture, Region, Table

__all__ = ["TITLE", "Draft", "numbered_level", "promote_title", "title_text", "to_assets"]

TITLE = 0
"""Raw level of the document title; sections have any larger number."""


@dataclass(frozen=True, slots=True)
class Draft:
    """An asset before it has an ordinal and a heading path.

    ``level`` is the raw level of a heading (``TITLE`` or larger, any gaps) or the nesting of a
    list item. The other fields mean what they mean in :class:`Asset`.
    """

    kind: AssetKind
    text: str
    regions: tuple[Region, ...] = ()
    level: int | None = None
    caption: str | None = None
    table: Table | None = None
    picture: Picture | None = None
    origins: tuple[Origin, ...] = ()


def to_assets(drafts: Sequence[Draft]) -> tuple[Asset, ...]:
    """Number *drafts* from 0, normalise heading levels and fill in heading paths.

    A heading is placed under the nearest earlier heading of a smaller raw level, so a jump from
    ``h1`` to ``h4`` becomes one step. Only the first title before any section keeps level 0; a
    later one counts as a top section.
    """
    assets: list[Asset] = []
    open_sections: list[tuple[int, str]] = []
    seen_heading = False
    for ordinal, draft in enumerate(drafts):
        level = draft.level
        path = tuple(text for _, text in open_sections)
        if draft.kind is AssetKind.HEADING:
            raw = TITLE + 1 if draft.level is None else draft.level
            if raw <= TITLE and not seen_heading:
                level, path = TITLE, ()
            else:
                raw = max(raw, TITLE + 1)
                while open_sections and open_sections[-1][0] >= raw:
                    open_sections.pop()
                path = tuple(text for _, text in open_sections)
                open_sections.append((raw, one_line(draft.text)))
                level = len(open_sections)
            seen_heading = True
        assets.append(
            Asset(
                ordinal=ordinal,
                kind=draft.kind,
                text=draft.text,
                regions=draft.regions,
                level=level,
                heading_path=path,
                caption=draft.caption,
                table=draft.table,
                picture=draft.picture,
                origins=draft.origins,
            )
        )
    return tuple(assets)


def promote_title(drafts: Sequence[Draft], declared: str | None) -> tuple[Draft, ...]:
    """Make the first heading the document title where the format has no word for titles.

    That is so when the first heading says what the file *declared* as its title, or when it is
    the only heading of the smallest raw level. Otherwise the drafts come back unchanged.
    """
    headings = [(i, d.level or 0) for i, d in enumerate(drafts) if d.kind is AssetKind.HEADING]
    if not headings:
        return tuple(drafts)
    first, raw = headings[0]
    same = sum(level == raw for _, level in headings)
    smallest = raw == min(level for _, level in headings)
    declared_so = declared is not None and _fold(declared) == _fold(drafts[first].text)
    if not smallest or not (same == 1 or declared_so):
        return tuple(drafts)
    title = replace(drafts[first], level=TITLE)
    return (*drafts[:first], title, *drafts[first + 1 :])


def title_text(drafts: Sequence[Draft], declared: str | None) -> str | None:
    """What to call the document: its title heading, else what the file *declared*."""
    for draft in drafts:
        if draft.kind is AssetKind.HEADING:
            return draft.text if draft.level == TITLE else declared
    return declared


def _fold(text: str) -> str:
    return one_line(text).casefold()


_HAN_NUMBER = "[0-9０-９〇零一二三四五六七八九十百千两]+"
_NUMBERED: tuple[tuple[re.Pattern[str], int], ...] = (
    (re.compile(rf"第\s*{_HAN_NUMBER}\s*[编編篇部卷](?:[\s:：、.．]|$)"), 1),
    (re.compile(r"(?:PART|Part|BOOK|Book)\s+(?:[IVXLC]+|\d+)\b(?=[\s:.–—-]|$)"), 1),
    (re.compile(rf"第\s*{_HAN_NUMBER}\s*章"), 2),
    (
        re.compile(
            r"(?:CHAPTER|Chapter|APPENDIX|Appendix)\s+(?:[IVXLC]+|\d+|[A-Z])(?=[\s:.–—-]|$)"
        ),
        2,
    ),
    (re.compile(rf"(?:附录|附錄|附件|附则)\s*(?:[A-Z]|{_HAN_NUMBER})?(?:[\s:：、.．]|$)"), 2),
    (re.compile(rf"第\s*{_HAN_NUMBER}\s*[节節]"), 3),
    (re.compile(r"(?:SECTION|Section)\s+\d+(?:\.\d+)*(?=[\s:.–—-]|$)"), 3),
    (re.compile(r"[一二三四五六七八九十]{1,3}、"), 4),
    (re.compile(r"[（(][一二三四五六七八九十]{1,3}[）)]"), 5),
)
_DECIMAL = re.compile(r"(\d{1,2}(?:[.．]\d{1,2}){0,4})[.．、]?(?:\s+|(?=[一-鿿]))(?=\D)")
_SENTENCE_END = re.compile(r"[。！？；!?;，,：:]$|(?<!\b[A-Z])\.$")


def numbered_level(line: str, *, longest: int = 60) -> int | None:
    """The raw level of a one-line heading that is numbered (``第三章 总则``, ``2.1 Scope``).

    ``None`` for lines that are longer than *longest* display columns (a CJK character takes two)
    or end like a sentence. A bare ``3. Word`` also looks like a list item, so the caller has to
    decide on its surroundings.
    """
    text = line.strip()
    if not text or display_width(text) > longest or _SENTENCE_END.search(text):
        return None
    for pattern, level in _NUMBERED:
        if pattern.match(text):
            return level
    decimal = _DECIMAL.match(text)
    return 2 + len(re.findall(r"[.．]", decimal.group(1))) if decimal else None
