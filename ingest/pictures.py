"""Pictures inside documents: measured without decoding them, and kept."""

from __future__ import annotations

import io
import warnings

from chapterverse.ingest.context import ReadContext
from chapterverse.schema.records import Picture

__all__ = ["SMALLEST", "keep_picture"]

SMALLEST = 8
"""Pictures with a shorter side (pixels) are rules, spacers and tracking dots."""


def keep_picture(data: bytes, context: ReadContext) -> Picture | None:
    """Keep an image file (PNG, JPEG, GIF, WebP, BMP, TIFF) found inside a document.

    Only the header is read. ``None``, and nothing kept, for what is no such image, for one with
    more pixels than ``context.max_pixels``, and for one with a side below :data:`SMALLEST`.
    """
    found = _measure(data)
    if found is None:
        return None
    media_type, width, height = found
    if width * height > context.max_pixels or min(width, height) < SMALLEST:
        return None
    return Picture(context.keep(data), media_type, width, height)


def _measure(data: bytes) -> tuple[str, int, int] | None:
    from PIL import Image

    try:
        with warnings.catch_warnings():
            # Its own limit warns of what ours refuses.
            warnings.simplefilter("ignore")
            formats = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF")
            with Image.open(io.BytesIO(data), formats=formats) as image:
                media_type = Image.MIME.get(image.format or "")
                return (media_type, *image.size) if media_type else None
    except Exception:  # what damaged bytes make Pillow raise is not written down anywhere
        return None
