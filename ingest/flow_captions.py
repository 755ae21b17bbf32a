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
from chapterverse.schema.records import AssetKind, Region, Table

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


def bind_captions(drafts: Sequence[Draft], marked: frozenset[int] = frozenset()) -> list[Draft]:
    """Join caption paragraphs to the tables and figures beside them; order is kept.

    *marked* are the indexes of paragraphs that the format itself calls captions: they bind to
    either kind. A caption of known kind prefers the side on which it usually stands (above a
    table, below a figure). One that finds no partner stays a paragraph.
    """
    bound: dict[int, int] = {}
    for index, draft in enumerate(drafts):
        if draft.kind is not AssetKind.PARAGRAPH:
            continue
        kind = caption_kind(draft.text)
        if kind is None and index not in marked:
            continue
        target = _partner(drafts, index, kind, bound)
        if target is not None:
            bound[target] = index
    moved = set(bound.values())
    return [
        _with_caption(draft, drafts[bound[i]]) if i in bound else draft
        for i, draft in enumerate(drafts)
        if i not in moved
    ]


def _partner(
    drafts: Sequence[Draft], index: int, kind: AssetKind | None, bound: dict[int, int]
) -> int | None:
    before, after = _beside(drafts, index, -1), _beside(drafts, index, 1)
    order = (after, before) if kind is AssetKind.TABLE else (before, after)
    for target in order:
        if target is None or target in bound or drafts[target].caption:
            continue
        found = drafts[target].kind
        if found is kind or (kind is None and found in (AssetKind.TABLE, AssetKind.FIGURE)):
            return target
    return None


def _beside(drafts: Sequence[Draft], index: int, step: int) -> int | None:
    index += step
    while 0 <= index < len(drafts) and drafts[index].kind is AssetKind.FOOTNOTE:
        index += step
    return index if 0 <= index < len(drafts) else None


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
        table = Table(rows=table.rows, header_rows=table.header_rows, row_spans=spans)
    text = f"{line}\n{target.text}" if target.text else line
    origins = tuple(replace(o, start=o.start + shift, end=o.end + shift) for o in target.origins)
    return replace(target, text=text, regions=regions, caption=line, table=table, origins=origins)


def _shifted(region: Region, by: int) -> Region:
    return replace(region, start=region.start + by, end=region.end + by)
