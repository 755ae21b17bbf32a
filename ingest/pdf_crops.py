"""Pictures of the figures of a PDF: each cut out of its rendered page and kept as a file."""

from __future__ import annotations

import io
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from chapterverse.ingest.context import ReadContext
from chapterverse.schema.records import Asset, AssetKind, Box, ParseWarning, Picture, Region

__all__ = ["add_pictures"]

_DPI = 150.0
_SIDE = 2000
"""Most pixels of a side."""

_MOST = 200
"""Most figures of one document that are rendered."""

_REPEATED = 3
"""Pages from which on one and the same picture is a logo."""

_FLAT = 2048
"""Most colours of a drawing; pictures with more are photographs and kept as JPEG."""


def add_pictures(
    document: Any, assets: Sequence[Asset], context: ReadContext
) -> tuple[tuple[Asset, ...], list[ParseWarning]]:
    """The assets with a picture of each figure, kept by ``context.keep``.

    *document* is the pypdfium2 document that the figures' first regions point into. Rendered with
    150 dots an inch, at most 2,000 pixels a side; the first 200 figures, the others give the
    warning ``figures_not_rendered``. A picture without text that stands on three pages becomes
    one page header or footer.
    """
    figures = [a for a in assets if a.kind is AssetKind.FIGURE and _place(a) is not None]
    pictures: dict[int, Picture] = {}
    warnings = []
    page_number, page = 0, None
    for figure in figures[:_MOST]:
        place = _place(figure)
        assert place is not None
        number, box = place
        if number != page_number:
            if page is not None:
                page.close()
            page_number, page = number, _loaded(document, number)
        picture = None if page is None else _picture(page, box, context)
        if picture is not None:
            pictures[figure.ordinal] = picture
    if page is not None:
        page.close()
    if len(figures) > _MOST:
        pages = sorted({p for a in figures[_MOST:] for r in a.regions if (p := r.page)})
        message = (
            f"{len(figures) - _MOST} of {len(figures)} figures have no picture (at most {_MOST}"
            f" are rendered): those on the pages {_named(pages)}."
        )
        warnings.append(ParseWarning("figures_not_rendered", message))
    shown = [replace(a, picture=pictures.get(a.ordinal, a.picture)) for a in assets]
    return _without_logos(shown), warnings


def _loaded(document: Any, number: int) -> Any:
    """A page, ``None`` if it is damaged."""
    import pypdfium2

    try:
        return document[number - 1]
    except pypdfium2.PdfiumError:
        return None


def _place(asset: Asset) -> tuple[int, Box] | None:
    first: Region | None = asset.regions[0] if asset.regions else None
    if first is None or first.page is None or first.box is None:
        return None
    return first.page, first.box


def _named(pages: Sequence[int]) -> str:
    shown = ", ".join(map(str, pages[:20]))
    return shown + (f" and {len(pages) - 20} more" if len(pages) > 20 else "")


def _picture(page: Any, box: Box, context: ReadContext) -> Picture | None:
    width, height = page.get_size()
    wide, tall = (box.x1 - box.x0) * width, (box.y1 - box.y0) * height
    if wide < 2 or tall < 2:
        return None
    scale = min(_DPI / 72, _SIDE / max(wide, tall), (context.max_pixels / (wide * tall)) ** 0.5)
    edges = (box.x0 * width, (1 - box.y1) * height, (1 - box.x1) * width, box.y0 * height)
    # PDFium wants at least one pixel; edges are rounded up by the binding.
    crop = tuple(max(0.0, edge - 1.0) for edge in edges)
    image = page.render(scale=scale, crop=crop).to_pil()
    flat = image.getcolors(_FLAT) is not None
    out = io.BytesIO()
    if flat:
        image.save(out, "PNG")
    else:
        image.convert("RGB").save(out, "JPEG", quality=88)
    kind = "image/png" if flat else "image/jpeg"
    return Picture(context.keep(out.getvalue()), kind, image.width, image.height)


def _without_logos(assets: Iterable[Asset]) -> tuple[Asset, ...]:
    """The assets, of each wordless picture on three pages one as running head or foot."""
    assets = list(assets)
    repeated: dict[str, list[Asset]] = defaultdict(list)
    for asset in assets:
        if asset.kind is AssetKind.FIGURE and asset.picture is not None and not asset.text:
            repeated[asset.picture.sha256].append(asset)
    logos = {
        key: found
        for key, found in repeated.items()
        if len({r.page for a in found for r in a.regions}) >= _REPEATED
    }
    out: list[Asset] = []
    for asset in assets:
        found = logos.get(asset.picture.sha256) if asset.picture and not asset.text else None
        if found is None or asset.kind is not AssetKind.FIGURE:
            out.append(replace(asset, ordinal=len(out)))
        elif asset is found[0]:
            place = _place(asset)
            low = place is not None and place[1].y0 > 0.5
            kind = AssetKind.PAGE_FOOTER if low else AssetKind.PAGE_HEADER
            regions = tuple(region for one in found for region in one.regions)
            out.append(replace(asset, ordinal=len(out), kind=kind, regions=regions))
    return tuple(out)
