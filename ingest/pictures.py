"""Pictures inside documents: measured without decoding them, and kept."""

from __future__ import annotations

from chapterverse.ingest.context import ReadContext
from chapterverse.ingest.picture_files import measure_raster
from chapterverse.schema.records import Picture

__all__ = ["SMALLEST", "keep_picture"]

SMALLEST = 8
"""Pictures with a shorter side (pixels) are rules, spacers and tracking dots."""


def keep_picture(data: bytes, context: ReadContext) -> Picture | None:
    """Keep an image file (PNG, JPEG, GIF, WebP, BMP, TIFF) found inside a document.

    Only the header is read. ``None``, and nothing kept, for what is no such image, for one with
    more pixels than ``context.max_pixels``, and for one with a side below :data:`SMALLEST`.
    """
    found = measure_raster(data)
    if found is None:
        return None
    media_type, width, height = found
    if width * height > context.max_pixels or min(width, height) < SMALLEST:
        return None
    return Picture(context.keep(data), media_type, width, height)
