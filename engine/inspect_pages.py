"""Pictures of the pages of a PDF or an image file, drawn in a parsing process.

:func:`draw_pages` has the signature of a reader, so that drawing a damaged file costs no more
than reading it does: it runs in a process of its own, under the same limits.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from chapterverse.schema.errors import TooLarge
from chapterverse.schema.records import Asset, AssetKind, Parsed, Picture, Region

if TYPE_CHECKING:
    from chapterverse.ingest.context import ReadContext

__all__ = ["MOST_PAGES", "draw_pages"]

MOST_PAGES = 200
"""Pages that are drawn at most."""

_DPI = 100
_LONGEST = 1600
_QUALITY = 70


def draw_pages(data: bytes, context: ReadContext) -> Parsed:
    """One figure a page with its picture (WebP, about 100 dpi), at most ``MOST_PAGES``."""
    pages = _pdf(data, context.password) if b"%PDF-" in data[:1024] else _image(data, context)
    assets = []
    for number, image in enumerate(pages, 1):
        image.thumbnail((_LONGEST, _LONGEST))
        out = io.BytesIO()
        image.convert("RGB").save(out, "WEBP", quality=_QUALITY, method=2)
        picture = Picture(context.keep(out.getvalue()), "image/webp", image.width, image.height)
        place = (Region(0, 0, page=number),)
        assets.append(Asset(number - 1, AssetKind.FIGURE, "", place, picture=picture))
    return Parsed("image/webp", "pages/1", tuple(assets), page_count=len(assets))


def _pdf(data: bytes, password: str | None) -> Iterator[Any]:
    import pypdfium2

    with pypdfium2.PdfDocument(data, password=password) as document:
        document.init_forms()
        for index in range(min(len(document), MOST_PAGES)):
            page = document[index]
            longest = max(page.get_size()) or 1.0
            yield page.render(scale=min(_DPI / 72, _LONGEST / longest)).to_pil()
            page.close()


def _image(data: bytes, context: ReadContext) -> Iterator[Any]:
    from PIL import Image, ImageOps

    with Image.open(io.BytesIO(data)) as image:
        for index in range(min(getattr(image, "n_frames", 1), MOST_PAGES)):
            image.seek(index)
            if image.width * image.height > context.max_pixels:
                raise TooLarge(f"{context.name}: page {index + 1} has too many pixels to be drawn")
            yield ImageOps.exif_transpose(image).convert("RGB")
