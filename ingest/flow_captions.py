"""Captions in documents that flow (DOCX, HTML, Markdown): bind each to its table or figure.

Without page geometry, order decides: a caption belongs to the element right before or right
after it. PDF pages, where distance decides, have their own rule.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from chapterverse.ingest.lines import one_line
from chapterverse.ingest.outline import Draft
from chapterverse.schema.records import AssetKind, Region

__all__ = ["bind_captions", "caption_kind"]

_NUMBER = r"\s*(?:[A-Z][.\-–]?)?(?:\d+|[IVX]+\b|[一二三四五六七八九十]+)(?:[.\-–]\d+)*"
_END = r"(?:\s*[:：.、．|—–\-]|\s|$|(?=[\u4e00-\u9fff]))"
_TABLE = re.compile(rf"(?:table|tab\.|tabelle|tableau|tabla|附?表格?){_NUMBER}{_END}", re.I)
_FIGURE = re.compile(rf"(?:figure|fig\.?|abbildung|abb\.|chart|图表?|圖|附图){_NUMBER}{_END}", re.I)
_LONGEST = 300
_SENTENCE = re.compile(
    r"^\S+\s*[\d.\-–]+\s*(?:shows?|lists?|gives?|presents?|illustrates?|and|in|is|are|"
    r"列出|显示|所示|给出|中|可见|说明)(?![a-z])",
    re.I,
)


def caption_kind(text: str) -> AssetKind | None:
    """Whether *text* reads like the caption of a table or of a figure.

    A sentence that merely begins with the reference ("Table 3 shows ...") is none.
    """
    text = text.strip()
    if len(text) > _LONGEST or _SENTENCE.match(text):
        return None
    if _TABLE.match(text):
        return AssetKind.TABLE
    return AssetKind.FIGURE if _FIGURE.match(text) else None


def bind_captions(
    drafts: Sequence[Draft],
    marked: frozenset[int] = frozenset(),
    charts: frozenset[int] = frozenset(),
) -> list[Draft]:
    """Join caption paragraphs to the tables and figures beside them; order is kept.

    *marked* are the indexes of paragraphs that the format itself calls captions: they bind to
    either kind. *charts* are tables that readers see as figures. A caption of known kind prefers
    the side on which it usually stands (above a table, below a figure). A second caption with
    the same number is its translation and joins it. One that finds no partner stays a paragraph.
    """
    bound: dict[int, list[int]] = {}
    target_of: dict[int, int] = {}
    for index, draft in enumerate(drafts):
        if draft.kind is not AssetKind.PARAGRAPH:
            continue
        kind = caption_kind(draft.text)
        if kind is None and index not in marked:
            continue
        target = _partner(drafts, index, kind, bound, charts)
        if target is None and _same_number(drafts, index):
            target = target_of.get(index - 1)
        if target is not None:
            bound.setdefault(target, []).append(index)
            target_of[index] = target
    return [
        _with_captions(draft, [drafts[n] for n in bound[i]]) if i in bound else draft
        for i, draft in enumerate(drafts)
        if i not in target_of
    ]


def _partner(
    drafts: Sequence[Draft],
    index: int,
    kind: AssetKind | None,
    bound: dict[int, list[int]],
    charts: frozenset[int],
) -> int | None:
    before, after = _beside(drafts, index, -1), _beside(drafts, index, 1)
    if after is not None and _same_number(drafts, after):
        after = _beside(drafts, after, 1)
    order = (after, before) if kind is AssetKind.TABLE else (before, after)
    for target in order:
        if target is None or target in bound:
            continue
        if target in charts:
            return target
        found = drafts[target].kind
        if drafts[target].caption:
            continue
        if found is kind or (kind is None and found in (AssetKind.TABLE, AssetKind.FIGURE)):
            return target
    return None


def _same_number(drafts: Sequence[Draft], index: int) -> bool:
    """Whether the paragraph before is a caption with the same number (``图 2``, ``Figure 2``)."""
    if index == 0:
        return False
    texts = [drafts[index - 1].text.strip(), drafts[index].text.strip()]
    if caption_kind(texts[0]) is not caption_kind(texts[1]) or caption_kind(texts[0]) is None:
        return False
    numbers = [re.search(r"\d+(?:[.\-–]\d+)*", text) for text in texts]
    return all(numbers) and len({number[0] for number in numbers if number}) == 1


def _beside(drafts: Sequence[Draft], index: int, step: int) -> int | None:
    index += step
    while 0 <= index < len(drafts) and drafts[index].kind is AssetKind.FOOTNOTE:
        index += step
    return index if 0 <= index < len(drafts) else None


def _with_captions(target: Draft, captions: Sequence[Draft]) -> Draft:
    text = " ".join(one_line(caption.text) for caption in captions)
    return _with_caption(target, replace(captions[0], text=text))


def _with_caption(target: Draft, caption: Draft) -> Draft:
    """*target* with the caption as the first line of its text, all offsets moved along."""
    line = one_line(caption.text)
    shift = len(line) + 1 if target.text else len(line)
    regions = tuple(replace(r, start=0, end=len(line)) for r in caption.regions[:1]) + tuple(
        _shifted(region, shift) for region in target.regions
    )
    table = target.table
    if table is not None:
        spans = tuple((start + shift, end + shift) for start, end in table.row_spans)
        table = replace(table, row_spans=spans)
    text = f"{line}\n{target.text}" if target.text else line
    origins = tuple(replace(o, start=o.start + shift, end=o.end + shift) for o in target.origins)
    return replace(target, text=text, regions=regions, caption=line, table=table, origins=origins)


def _shifted(region: Region, by: int) -> Region:
    return replace(region, start=region.start + by, end=region.end + by)
