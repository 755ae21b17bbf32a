"""PowerPoint presentations: slides as pages, shapes in reading order with their rectangles."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from chapterverse.ingest.context import DEFAULT_CONTEXT, ReadContext
from chapterverse.ingest.flow_captions import bind_captions
from chapterverse.ingest.lines import one_line
from chapterverse.ingest.media_types import PPTX
from chapterverse.ingest.ooxml import DAMAGE, Package, local_name
from chapterverse.ingest.ooxml_repair import read_repaired
from chapterverse.ingest.outline import TITLE, Draft, title_text, to_assets
from chapterverse.ingest.pptx_parts import (
    diagram_drafts,
    frame_chart,
    holds_picture,
    is_decorative,
    picture_draft,
    slide_table,
)
from chapterverse.ingest.pptx_shapes import (
    Placed,
    flatten_alternatives,
    in_reading_order,
    placed_shapes,
)
from chapterverse.ingest.pptx_text import ListStyles, frame_text, paragraph_text, text_drafts
from chapterverse.ingest.unshown import (
    DECORATION,
    FILLING,
    ICON,
    LOST,
    REPEATED,
    unshown_warning,
)
from chapterverse.schema.errors import Corrupt, TooLarge
from chapterverse.schema.records import Asset, AssetKind, Parsed, ParseWarning, Region

__all__ = ["PARSER", "read_pptx"]

PARSER = "pptx/2"
NOTES = "speaker notes"
"""``Region.place`` of paragraphs that stand in the notes of a slide."""

_DAMAGE = (*DAMAGE, AttributeError, TypeError, IndexError, RecursionError)
"""What python-pptx raises on damaged packages beside its own errors."""
_LOST = ("slide_missing", "slide_unread")
_TITLES = ("title", "ctrTitle")
_FOOTERS = ("ftr", "dt", "sldNum", "hdr")
_NO_TITLE = re.compile(
    r"(?:powerpoint|presentation|slide|präsentation|présentation|演示文稿|投影片|幻灯片)"
    r"[\s-]*(?:presentation|präsentation|演示文稿)?\s*\d*",
    re.I,
)
_DEFAULT_SECTION = re.compile(r"(?:default|untitled) section|默认节|無標題的章節|无标题节", re.I)


@dataclass(slots=True)
class _Deck:
    """The presentation being read and what was said about it."""

    context: ReadContext
    size: tuple[int, int]
    warnings: list[ParseWarning] = field(default_factory=list)
    unshown: Counter[str] = field(default_factory=Counter)

    def warn(self, code: str, message: str, slide: int) -> None:
        self.warnings.append(ParseWarning(code, message, slide))


def read_pptx(data: bytes, context: ReadContext = DEFAULT_CONTEXT) -> Parsed:
    """Parse a ``.pptx`` presentation; pages are its slides, hidden ones too.

    A slide's title is a heading; speaker notes are paragraphs whose regions have the place
    ``"speaker notes"``. Boxes are the rectangles of shapes (turned ones as if they were not).
    Parts that are damaged are left out, with a warning.

    :raises Corrupt: no slide can be read.
    :raises TooLarge: more slides than ``context.max_pages``.
    """
    from lxml import etree
    from pptx import Presentation
    from pptx.exc import PythonPptxError

    damage = (PythonPptxError, etree.XMLSyntaxError, *_DAMAGE)
    try:
        return read_repaired(
            data, lambda whole: _read(Presentation(io.BytesIO(whole)), whole, context), damage
        )
    except damage as exc:
        raise Corrupt(
            f"{context.name}: the presentation is damaged ({type(exc).__name__}: {exc}); open it "
            "in PowerPoint or LibreOffice and save it again"
        ) from exc


def _read(presentation: Any, data: bytes, context: ReadContext) -> Parsed:
    root = presentation.part._element
    listed = root.findall("{*}sldIdLst/{*}sldId")
    if len(listed) > context.max_pages:
        raise TooLarge(f"{context.name}: {len(listed):,} slides; {context.max_pages:,} are allowed")
    size = (presentation.slide_width or 9_144_000, presentation.slide_height or 6_858_000)
    deck = _Deck(context, size)
    sections = _sections(root)
    body: list[Draft] = []
    for number, entry in enumerate(listed, start=1):
        body += _slide_drafts(deck, presentation, entry, number, sections.get(entry.get("id")))
    if len(listed) and sum(w.code in _LOST for w in deck.warnings) == len(listed):
        raise Corrupt(f"{context.name}: none of its {len(listed)} slides can be read")
    properties = _properties(deck, data)
    declared = properties.pop("title", None)
    declared = None if declared is None or _NO_TITLE.fullmatch(declared) else declared
    assets = _own_paths(to_assets(body), frozenset(sections.values()))
    kept = _without_repeated_pictures(assets)
    deck.unshown[REPEATED] = len(assets) - len(kept)
    return Parsed(
        PPTX,
        PARSER,
        kept,
        title=title_text(body, declared),
        page_count=len(listed),
        page_accuracy="exact",
        warnings=(*deck.warnings, *unshown_warning(deck.unshown)),
        page_unit="slide",
        properties=properties,
    )


def _properties(deck: _Deck, data: bytes) -> dict[str, str]:
    try:
        with Package(data, deck.context.name) as package:
            return package.properties()
    except Corrupt as exc:
        message = f"what the file says of itself cannot be read: {exc}"
        deck.warnings.append(ParseWarning("part_damaged", message))
        return {}


def _sections(root: Any) -> dict[str, str]:
    """Names of sections by the id of their first slide."""
    found: dict[str, str] = {}
    for section in root.iter("{*}section"):
        name = one_line(section.get("name") or "")
        first = next(section.iter("{*}sldId"), None)
        if name and first is not None and not _DEFAULT_SECTION.fullmatch(name):
            found[first.get("id")] = name
    return found


def _slide_drafts(
    deck: _Deck, presentation: Any, entry: Any, number: int, section: str | None
) -> list[Draft]:
    from pptx.exc import PythonPptxError

    try:
        slide = presentation.part.related_slide(entry.rId)
    except KeyError:
        deck.warn("slide_missing", f"slide {number} is listed, but missing from the file", number)
        return []
    if slide._element.get("show") in ("0", "false"):
        deck.warn("hidden_slide", f"slide {number} is hidden; it is read", number)
    if any(rel.reltype.endswith("/comments") for rel in slide.part.rels.values()):
        deck.warn("comments_skipped", f"comments on slide {number} are not read", number)
    try:
        drafts = list(_slide(deck, slide, number))
    except (PythonPptxError, *_DAMAGE) as exc:
        deck.warn("slide_unread", f"slide {number} is damaged and was left out ({exc})", number)
        return []
    if section is not None:
        heading = Draft(
            AssetKind.HEADING, section, (Region(0, len(section), page=number),), level=1
        )
        # The title of the document is above all sections.
        titled = bool(drafts) and drafts[0].level == TITLE and drafts[0].kind is AssetKind.HEADING
        drafts.insert(1 if titled else 0, heading)
    return drafts


def _slide(deck: _Deck, slide: Any, number: int) -> Iterator[Draft]:
    flatten_alternatives(slide._element)
    deck.unshown[FILLING] += holds_picture(slide._element.find("{*}cSld/{*}bg"))
    shapes = placed_shapes(slide.shapes, deck.size)
    kinds = [_placeholder(one.shape) for one in shapes]
    titles = [one for one, kind in zip(shapes, kinds, strict=True) if kind in _TITLES]
    footers = [one for one, kind in zip(shapes, kinds, strict=True) if kind in _FOOTERS]
    rest = [one for one in shapes if one not in titles and one not in footers]
    level = TITLE if number == 1 and _is_title_slide(slide, kinds, rest) else 2
    for one in titles:
        text = one_line(frame_text(one.shape._element.txBody))
        if text:
            yield _on(one, number, Draft(AssetKind.HEADING, text, level=level))
            level = 3
    body = [
        _on(one, number, draft)
        for one in in_reading_order(rest)
        for draft in _shape_drafts(deck, one, number)
    ]
    yield from bind_captions(_captions_beside(body))
    for one in footers:
        text = one_line(frame_text(one.shape._element.txBody))
        if text:
            yield _on(one, number, Draft(AssetKind.PAGE_FOOTER, text))
    yield from _notes(slide, number)


def _placeholder(shape: Any) -> str | None:
    """The kind of placeholder that *shape* is, as the file names it."""
    for element in shape._element.iter("{*}ph"):
        return str(element.get("type", "obj"))
    return None


def _is_title_slide(slide: Any, kinds: Iterable[str | None], rest: Iterable[Placed]) -> bool:
    """Whether the first slide only presents the whole: its layout, and no table or chart on it."""
    layout = slide.slide_layout._element.get("type") in ("title", "secHead")
    if not layout and "ctrTitle" not in kinds:
        return False
    return not any(local_name(one.shape._element) == "graphicFrame" for one in rest)


def _on(one: Placed, number: int, draft: Draft) -> Draft:
    """*draft* with one region: the slide and the rectangle of its shape."""
    region = Region(0, len(draft.text), page=number, box=one.region_box)
    if draft.table is None:
        return replace(draft, regions=(region,))
    rows = tuple(replace(region, start=a, end=b) for a, b in draft.table.row_spans)
    rest = draft.table.row_spans[-1][1] if draft.table.row_spans else 0
    head = (replace(region, end=len(draft.caption)),) if draft.caption else ()
    tail = (replace(region, start=rest),) if rest < len(draft.text) else ()
    return replace(draft, regions=(*head, *rows, *tail))


def _shape_drafts(deck: _Deck, one: Placed, number: int) -> Iterator[Draft]:
    shape, element = one.shape, one.shape._element
    name = local_name(element)
    if name == "graphicFrame":
        yield from _frame_drafts(deck, one, number)
    elif name == "pic":
        yield from _picture_drafts(deck, one)
    elif name == "sp":
        deck.unshown[FILLING] += holds_picture(element.find("{*}spPr"))
        if element.txBody is not None:
            yield from text_drafts(element.txBody, ListStyles.of(shape))


def _picture_drafts(deck: _Deck, one: Placed) -> Iterator[Draft]:
    if is_decorative(one.shape):
        deck.unshown[DECORATION] += 1
        return
    draft = picture_draft(one.shape, deck.context)
    deck.unshown[LOST] += draft.picture is None
    if draft.text or draft.picture is None or not _is_icon(one):
        yield draft
    else:
        deck.unshown[ICON] += 1


def _frame_drafts(deck: _Deck, one: Placed, number: int) -> Iterator[Draft]:
    shape = one.shape
    kinds = {local_name(e) for e in shape._element.iter()}
    if "tbl" in kinds:
        table = slide_table(shape)
        if table is not None:
            yield table
    elif "chart" in kinds:
        chart = frame_chart(shape)
        if chart is not None:
            yield chart
        else:
            message = f"a chart on slide {number} holds no values of its own and was left out"
            deck.warn("chart_unread", message, number)
    elif "relIds" in kinds:
        yield from diagram_drafts(shape)
    elif "oleObj" in kinds or "blip" in kinds:
        message = f"an embedded object on slide {number} is read as its picture only"
        deck.warn("object_skipped", message, number)
        yield picture_draft(shape, deck.context)
    else:
        message = f"an object on slide {number} is of a kind that is not read; it was left out"
        deck.warn("object_skipped", message, number)


def _is_icon(one: Placed) -> bool:
    """A picture without description that is smaller than a fortieth of the slide each way."""
    return one.box is not None and max(one.box[2] - one.box[0], one.box[3] - one.box[1]) < 0.025


def _captions_beside(drafts: list[Draft]) -> list[Draft]:
    """Bring each caption next to the table or figure that it stands nearest to."""
    from chapterverse.ingest.flow_captions import caption_kind

    order = list(drafts)
    for draft in drafts:
        kind = caption_kind(draft.text) if draft.kind is AssetKind.PARAGRAPH else None
        if kind is None:
            continue
        wanted = [d for d in order if d.kind in (AssetKind.TABLE, AssetKind.FIGURE)]
        target = min(wanted, key=lambda d: _distance(draft, d), default=None)
        if target is None or _distance(draft, target) > 0.2:
            continue
        order.remove(draft)
        at = next(i for i, d in enumerate(order) if d is target)
        order.insert(at if kind is AssetKind.TABLE else at + 1, draft)
    return order


def _distance(a: Draft, b: Draft) -> float:
    """The gap between two rectangles down the slide; far where they share no column."""
    first, second = a.regions[0].box, b.regions[0].box
    if first is None or second is None or min(first.x1, second.x1) <= max(first.x0, second.x0):
        return 1.0
    return max(first.y0 - second.y1, second.y0 - first.y1, 0.0)


def _notes(slide: Any, number: int) -> Iterator[Draft]:
    if not slide.has_notes_slide:
        return
    for shape in slide.notes_slide.shapes:
        if _placeholder(shape) != "body" or shape._element.txBody is None:
            continue
        for paragraph in shape._element.txBody.iter("{*}p"):
            text = paragraph_text(paragraph)
            if text:
                region = Region(0, len(text), page=number, place=NOTES)
                yield Draft(AssetKind.PARAGRAPH, text, (region,))


def _own_paths(assets: tuple[Asset, ...], sections: frozenset[str]) -> tuple[Asset, ...]:
    """What stands on a slide without a title does not stand under that of an earlier slide."""
    titled = {
        region.page
        for asset in assets
        if asset.kind is AssetKind.HEADING and asset.text not in sections
        for region in asset.regions
    }
    return tuple(
        asset
        if asset.kind is AssetKind.HEADING or asset.regions[0].page in titled
        else replace(asset, heading_path=tuple(p for p in asset.heading_path[:1] if p in sections))
        for asset in assets
    )


def _without_repeated_pictures(assets: tuple[Asset, ...]) -> tuple[Asset, ...]:
    """A picture that stands undescribed on three slides and more is kept where it comes first."""
    seen = Counter(a.picture.sha256 for a in assets if a.picture and not a.text)
    kept: list[Asset] = []
    shown: set[str] = set()
    for asset in assets:
        key = asset.picture.sha256 if asset.picture and not asset.text else None
        if key is not None and seen[key] >= 3 and key in shown:
            continue
        if key is not None:
            shown.add(key)
        kept.append(replace(asset, ordinal=len(kept)))
    return tuple(kept)
