"""Descriptions of figures that the author of a tagged PDF wrote (``/Alt``)."""

from __future__ import annotations

import ctypes
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from chapterverse.ingest.office_pictures import clean_alt
from chapterverse.ingest.pdf_text import Rect
from chapterverse.ingest.pdf_words import displayed_box, page_size
from chapterverse.schema.records import Asset, AssetKind, Origin

__all__ = ["add_descriptions"]

_NAMES_FILE = re.compile(
    r"^cid:|^(?:[a-z]:[\\/]|\\\\|/)|^\[?(?:graphic|image|picture|logo)\]?$|[\\/]\S*\.\w{3,4}$", re.I
)
_DEPTH, _MOST = 40, 20_000
"""Depth and number of elements followed at most on one page, against trees in circles."""

_LONGEST = 4000
"""Characters of a description that are kept."""

_SHARED = 0.5
"""Share of the smaller of two boxes that they have in common if they show the same figure."""


@dataclass(slots=True)
class _Figure:
    alt: str
    contents: set[int] = field(default_factory=set)
    box: Rect | None = None


def add_descriptions(document: Any, assets: Sequence[Asset]) -> tuple[Asset, ...]:
    """The assets, with the author's description behind the text of the figure it belongs to.

    *document* is the pypdfium2 document that the regions point into. The descriptions are marked
    ``alt`` in ``origins``; names of files are none.
    """
    import pypdfium2
    import pypdfium2.raw as raw

    pages: dict[int, list[int]] = defaultdict(list)
    for index, asset in enumerate(assets):
        if asset.kind is AssetKind.FIGURE and asset.regions and asset.regions[0].page:
            pages[asset.regions[0].page].append(index)
    if not pages or not raw.FPDFCatalog_IsTagged(document.raw):
        return tuple(assets)
    out = list(assets)
    for number, indexes in pages.items():
        try:
            page = document[number - 1]
        except pypdfium2.PdfiumError:
            continue
        for box, alt in _described(page):
            best = max(indexes, key=lambda i: _shared(out[i], box))
            if _shared(out[best], box) > _SHARED:
                out[best] = _with_alt(out[best], alt)
        page.close()
    return tuple(out)


def _with_alt(asset: Asset, alt: str) -> Asset:
    if alt in asset.text:
        return asset
    before = asset.text + "\n" if asset.text else ""
    text = before + alt
    first, *rest = asset.regions
    if first.start == 0 and first.end == len(asset.text):
        first = replace(first, end=len(text))
    origins = (*asset.origins, Origin(len(before), len(text), "alt"))
    return replace(asset, text=text, regions=(first, *rest), origins=origins)


def _shared(asset: Asset, box: Rect) -> float:
    """Common part of a figure's place and *box* (shares of the page), over the smaller one."""
    place = asset.regions[0].box
    if place is None:
        return 0.0
    rect = Rect(place.x0, place.y0, place.x1, place.y1)
    wide, tall = rect.x_overlap(box), rect.y_overlap(box)
    least = min(rect.area, box.area)
    return wide * tall / least if wide > 0 and tall > 0 and least > 0 else 0.0


def _described(page: Any) -> Iterator[tuple[Rect, str]]:
    """The place (in shares of the displayed page) and description of each described figure."""
    figures = _tagged(page)
    if any(figure.box is None for figure in figures):
        _measure(page, figures)
    width, height = page_size(page)
    for figure in figures:
        if figure.box is not None and width > 0 and height > 0:
            x0, y0, x1, y1 = displayed_box(figure.box, page.get_bbox(), page.get_rotation())
            yield Rect(x0 / width, y0 / height, x1 / width, y1 / height), figure.alt


def _tagged(page: Any) -> list[_Figure]:
    import pypdfium2.raw as raw

    tree = raw.FPDF_StructTree_GetForPage(page.raw)
    if not tree:
        return []
    found: list[_Figure] = []
    waiting: list[tuple[Any, _Figure | None, int]] = [
        (raw.FPDF_StructTree_GetChildAtIndex(tree, index), None, _DEPTH)
        for index in range(max(0, raw.FPDF_StructTree_CountChildren(tree)))
    ]
    count = 0
    while waiting and count < _MOST:
        element, figure, depth = waiting.pop()
        count += 1
        if not element or depth == 0:
            continue
        if figure is None and _string(raw.FPDF_StructElement_GetType, element) == "Figure":
            alt = _description(_string(raw.FPDF_StructElement_GetAltText, element))
            if not alt:
                continue
            figure = _Figure(alt, box=_box(element))
            found.append(figure)
        for index in range(max(0, raw.FPDF_StructElement_CountChildren(element))):
            child = raw.FPDF_StructElement_GetChildAtIndex(element, index)
            if child:
                waiting.append((child, figure, depth - 1))
            elif figure is not None:
                figure.contents.add(raw.FPDF_StructElement_GetChildMarkedContentID(element, index))
    raw.FPDF_StructTree_Close(tree)
    return found


def _string(function: Any, element: Any) -> str:
    length = function(element, None, 0)
    if length <= 2:
        return ""
    buffer = ctypes.create_string_buffer(length)
    function(element, buffer, length)
    text: str = buffer.raw[: length - 2].decode("utf-16-le", "replace")
    return text


def _description(text: str) -> str:
    alt = clean_alt(text.replace("\x00", ""))[:_LONGEST].strip()
    return "" if _NAMES_FILE.search(alt) else alt


def _box(element: Any) -> Rect | None:
    """The ``/BBox`` of an element in PDF coordinates (left, bottom, right, top)."""
    import pypdfium2.raw as raw

    for index in range(max(0, raw.FPDF_StructElement_GetAttributeCount(element))):
        attribute = raw.FPDF_StructElement_GetAttributeAtIndex(element, index)
        value = raw.FPDF_StructElement_Attr_GetValue(attribute, b"BBox") if attribute else None
        if not value or raw.FPDF_StructElement_Attr_CountChildren(value) != 4:
            continue
        number, edges = ctypes.c_float(), []
        for place in range(4):
            child = raw.FPDF_StructElement_Attr_GetChildAtIndex(value, place)
            if child and raw.FPDF_StructElement_Attr_GetNumberValue(child, number):
                edges.append(number.value)
        if len(edges) == 4:
            x0, y0, x1, y1 = edges
            return Rect(min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))
    return None


def _measure(page: Any, figures: Sequence[_Figure]) -> None:
    """Set the boxes that are missing by the objects that belong to the figures."""
    import pypdfium2.raw as raw

    edges = [ctypes.c_float() for _ in range(4)]
    owners = {c: f for f in reversed(figures) if f.box is None for c in f.contents}
    for index in range(raw.FPDFPage_CountObjects(page.raw)):
        item = raw.FPDFPage_GetObject(page.raw, index)
        content = raw.FPDFPageObj_GetMarkedContentID(item)
        figure = owners.get(content)
        if content < 0 or figure is None or not raw.FPDFPageObj_GetBounds(item, *edges):
            continue
        rect = Rect(*(edge.value for edge in edges))
        figure.box = rect if figure.box is None else figure.box.union(rect)
