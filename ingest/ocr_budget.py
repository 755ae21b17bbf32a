"""How many pictures of one document may still be recognised, and the recognition itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chapterverse.ingest.context import ReadContext
from chapterverse.ingest.ocr import HOW_TO_INSTALL, engine_version, is_installed, open_engine
from chapterverse.ingest.ocr_cache import OcrCache, picture_key
from chapterverse.ingest.ocr_lines import ReadPicture, read_picture

if TYPE_CHECKING:
    from chapterverse.ingest.ocr import Pixels

__all__ = ["Recogniser", "parser_suffix", "why_off"]


def why_off(context: ReadContext) -> str | None:
    """Why no text can be recognised and what to do, or ``None`` if it can."""
    if context.ocr_pages == 0:
        return "text recognition is turned off; allow it with ocr_pages in the parsing limits"
    if not is_installed():
        return f"text recognition is not installed; run {HOW_TO_INSTALL}"
    return None


def parser_suffix(*, used: bool, missed: bool) -> str:
    """What a parser's name ends in: text was recognised, or would have been."""
    return "-ocr" if missed else "+ocr" if used else ""


class Recogniser:
    """Recognises pictures of one document, at most ``ocr_pages`` of them; *used* are gone already.

    The limits of time and memory are raised before the first picture and with each further one.
    """

    def __init__(self, context: ReadContext, used: int = 0) -> None:
        self._context = context
        self._cache = OcrCache(context.ocr_cache)
        self._taken = used

    @property
    def left(self) -> int:
        """How many pictures may still be recognised."""
        return max(0, self._context.ocr_pages - self._taken)

    def read(self, image: Pixels) -> ReadPicture:
        """The text of a picture (height x width x 3 bytes), from the cache if it was read before.

        Counts against the number allowed, which the caller watches.
        """
        import numpy as np

        self._taken += 1
        shape = image.shape[:2]
        content = np.ascontiguousarray(image).tobytes()
        key = picture_key(content, *shape, engine_version())
        found = self._cache.get(key)
        if found is None:
            self._context.recognising(self._taken)
            found = read_picture(open_engine(), image)
            self._cache.put(key, found)
        return found
