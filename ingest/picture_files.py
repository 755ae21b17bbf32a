"""Kind and size of picture files from their headers; nothing is decoded."""

from __future__ import annotations

import re
import warnings

__all__ = ["measure", "measure_raster"]

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


def measure(data: bytes) -> tuple[str, int, int] | None:
    """Media type, width and height in pixels (points for vector graphics), from the header.

    PNG, JPEG, GIF, BMP, TIFF, WebP, SVG and Windows metafiles; ``None`` for anything else.
    """
    return _metafile(data) or _svg(data) or measure_raster(data)


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


def measure_raster(data: bytes) -> tuple[str, int, int] | None:
    """As :func:`measure`, for PNG, JPEG, GIF, BMP, TIFF and WebP alone."""
    import io

    from PIL import Image

    try:
        with warnings.catch_warnings():
            # Its own limit warns of what ours refuses.
            warnings.simplefilter("ignore")
            with Image.open(io.BytesIO(data), formats=tuple(_MEDIA_TYPES)) as image:
                width, height = image.size
                return _MEDIA_TYPES[image.format or ""], width, height
    except Exception:  # what damaged bytes make Pillow raise is not written down anywhere
        return None
