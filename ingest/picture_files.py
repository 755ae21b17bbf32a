"""Bytes of a picture to the record of the kept picture; nothing is decoded, only measured."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable

from chapterverse.schema.records import Picture

__all__ = ["keep_picture", "measure"]

_MEDIA_TYPES = {
    "PNG": "image/png",
    "JPEG": "image/jpeg",
    "MPO": "image/jpeg",
    "GIF": "image/gif",
    "BMP": "image/bmp",
    "TIFF": "image/tiff",
    "WEBP": "image/webp",
}
_SVG = re.compile(
    rb"\s*(?:<\?xml[^>]*\?>\s*|<!--.*?-->\s*|<!DOCTYPE[^>]*>\s*)*<svg\b([^>]*)>", re.S
)
_SVG_SIDE = rb"(?<![\w-])%s\s*=\s*[\"']\s*(\d+(?:\.\d+)?)\s*(?:px|pt)?\s*[\"']"
_SVG_VIEW = re.compile(rb"viewBox\s*=\s*[\"']\s*[-\d.]+[\s,]+[-\d.]+[\s,]+([\d.]+)[\s,]+([\d.]+)")


def keep_picture(data: bytes, keep: Callable[[bytes], str]) -> Picture | None:
    """The picture in *data*, stored through *keep*; ``None`` when it is none that is known."""
    known = measure(data)
    if known is None:
        return None
    media_type, width, height = known
    return Picture(keep(data), media_type, width, height)


def measure(data: bytes) -> tuple[str, int, int] | None:
    """Media type, width and height in pixels (points for vector graphics), from the header.

    PNG, JPEG, GIF, BMP, TIFF, WebP, SVG and Windows metafiles; ``None`` for anything else.
    """
    return _metafile(data) or _svg(data) or _raster(data)


def _metafile(data: bytes) -> tuple[str, int, int] | None:
    """EMF by its bounds (MS-EMF 2.3.4.2), placeable WMF by its box (MS-WMF 2.3.2.3)."""
    if data[:4] == b"\x01\0\0\0" and data[40:44] == b" EMF":
        left, top, right, bottom = (_signed(data[at : at + 4]) for at in range(8, 24, 4))
        return "image/emf", max(1, right - left + 1), max(1, bottom - top + 1)
    if data[:4] == b"\xd7\xcd\xc6\x9a" and len(data) >= 16:
        left, top, right, bottom = (_signed(data[at : at + 2]) for at in range(6, 14, 2))
        unit = int.from_bytes(data[14:16], "little") or 1440
        sides = ((right - left) * 96 // unit, (bottom - top) * 96 // unit)
        return "image/wmf", max(1, sides[0]), max(1, sides[1])
    return None


def _signed(data: bytes) -> int:
    return int.from_bytes(data, "little", signed=True)


def _svg(data: bytes) -> tuple[str, int, int] | None:
    root = _SVG.match(data[:4096].removeprefix(b"\xef\xbb\xbf"))
    if root is None:
        return None
    sides = [re.search(_SVG_SIDE % name, root[1]) for name in (b"width", b"height")]
    view = _SVG_VIEW.search(root[1])
    if all(sides):
        width, height = (float(side[1]) for side in sides if side)
    elif view is not None:
        width, height = float(view[1]), float(view[2])
    else:
        width, height = 300.0, 150.0  # what browsers take when nothing is said
    return "image/svg+xml", max(1, round(width)), max(1, round(height))


def _raster(data: bytes) -> tuple[str, int, int] | None:
    import io

    from PIL import Image

    try:
        with warnings.catch_warnings():
            # Opening reads the header alone, so a huge picture costs nothing here.
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(data), formats=tuple(_MEDIA_TYPES)) as image:
                width, height = image.size
                media_type = _MEDIA_TYPES[image.format or ""]
    except (OSError, ValueError, SyntaxError, KeyError, Image.DecompressionBombError):
        return None
    return media_type, width, height
