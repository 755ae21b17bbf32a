"""Image files to the frames that are read as pages: decoded within bounds, turned, on white."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from chapterverse.ingest.context import ReadContext
from chapterverse.schema.errors import Corrupt, TooLarge

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["Frame", "ImageFile", "decoding", "on_white"]

_FORMATS = ("PNG", "JPEG", "TIFF", "WEBP")
_REDUCED = 1
"""Bit of TIFF tag NewSubfileType: a smaller version of another page (TIFF 6.0, section 8)."""

_SUBFILE_TYPE = 254


@dataclass(frozen=True, slots=True)
class Frame:
    """A page of an image file: 8-bit RGB as displayed; ``dpi`` as the file says, if it does."""

    image: Image
    dpi: float | None


class ImageFile:
    """An open image file. Only the header is read until frames are asked for.

    :raises Corrupt: the bytes are no whole image.
    :raises TooLarge: more pixels than ``max_pixels`` in a frame, more frames than ``max_pages``.
    """

    def __init__(self, data: bytes, context: ReadContext) -> None:
        from PIL import Image

        self._context = context
        with decoding(context):
            self._image: Any = Image.open(io.BytesIO(data), formats=_FORMATS)
            frames = getattr(self._image, "n_frames", 1)
        self.format = str(self._image.format)
        self.left_out = 0 if self.format == "TIFF" else frames - 1
        if self.format == "TIFF" and frames > context.max_pages:
            raise TooLarge(
                f"{context.name}: has {frames} pages, {context.max_pages} are allowed; split the"
                " file or raise max_pages"
            )
        self._frames = frames if self.format == "TIFF" else 1

    def frames(self) -> Iterator[Frame]:
        """The pages in order: all of a TIFF file (reduced versions left out), else the first."""
        from PIL import ImageOps

        for index in range(self._frames):
            with decoding(self._context):
                self._image.seek(index)
                tags = getattr(self._image, "tag_v2", {})
                if index and int(tags.get(_SUBFILE_TYPE, 0)) & _REDUCED:
                    continue
                self._check(*self._image.size)
                dpi = _dpi(self._image.info.get("dpi"))
                turned = ImageOps.exif_transpose(self._image)
                image = on_white(turned)
            yield Frame(image, dpi)

    def description(self) -> str:
        """What the file says that it shows (EXIF ImageDescription, PNG Description), or ``""``."""
        with decoding(self._context):
            told = self._image.getexif().get(0x010E)
            told = told or self._image.info.get("Description") or self._image.info.get("Title")
        if isinstance(told, bytes):
            told = told.decode("utf-8", "replace")
        return " ".join(told.replace("\0", " ").split()) if isinstance(told, str) else ""

    def _check(self, width: int, height: int) -> None:
        most = self._context.max_pixels
        if width * height > most:
            raise TooLarge(
                f"{self._context.name}: is {width} x {height} pixels, {most:,} pixels are allowed;"
                " save it smaller or raise max_pixels"
            )


@contextmanager
def decoding(context: ReadContext) -> Iterator[None]:
    """Errors of Pillow as ours.

    :raises Corrupt: the picture is damaged or cut off.
    :raises TooLarge: Pillow takes it for a decompression bomb.
    """
    from PIL import Image, UnidentifiedImageError

    try:
        with warnings.catch_warnings():
            # Our own bound on pixels holds before anything is decoded.
            warnings.simplefilter("ignore")
            yield
    except Image.DecompressionBombError as error:
        raise TooLarge(f"{context.name}: {error}; save it smaller") from error
    except UnidentifiedImageError as error:
        # Its message names the buffer in memory.
        raise Corrupt(
            f"{context.name}: begins like a picture, but its parts are not there; copy or save it "
            "anew"
        ) from error
    except (OSError, ValueError, SyntaxError, EOFError, TypeError, KeyError) as error:
        raise Corrupt(
            f"{context.name}: is no whole picture ({error}); it may be cut off: save it anew"
        ) from error


def on_white(image: Any) -> Image:
    """*image* in 8-bit RGB; what is transparent becomes white."""
    from PIL import Image

    if image.mode.startswith("I;16") or image.mode in ("I", "F"):
        return _eight_bits(image)
    if image.mode in ("LA", "PA", "RGBA", "RGBa", "La") or "transparency" in image.info:
        clear = image.convert("RGBA")
        paper = Image.new("RGBA", clear.size, "white")
        return Image.alpha_composite(paper, clear).convert("RGB")
    shown: Image.Image = image.convert("RGB")
    return shown


def _eight_bits(image: Any) -> Image:
    """A picture of 16 or more bits a pixel, brought to 8."""
    import numpy as np
    from PIL import Image

    values = np.asarray(image).astype(np.float64)
    top = 1.0 if image.mode == "F" and values.max(initial=0.0) <= 1.0 else 65535.0
    top = 255.0 if top > 1.0 and values.max(initial=0.0) <= 255.0 else top
    return Image.fromarray((np.clip(values / top, 0, 1) * 255).astype(np.uint8)).convert("RGB")


def _dpi(found: Any) -> float | None:
    """Dots an inch, where the file gives a credible number."""
    try:
        value = float(found[0])
    except (TypeError, ValueError, IndexError, ZeroDivisionError):
        return None
    return value if 50 <= value <= 2400 else None
