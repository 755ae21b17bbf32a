"""What a reader may know and use besides the bytes of the document."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

__all__ = ["DEFAULT_CONTEXT", "ReadContext"]


def _keep_nothing(data: bytes) -> str:
    import hashlib

    return hashlib.sha256(data).hexdigest()


def _nothing_announced(pages: int) -> None:
    return


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadContext:
    """One document as its reader sees it.

    ``name`` is the file name: used in messages and where content alone cannot tell text formats
    apart. ``keep`` stores bytes (a picture, an attachment) and returns their sha256.
    ``recognising`` must be called with a number of pages before text recognition starts: it
    raises the limits of time and memory. At most ``ocr_pages`` are recognised (0: none), cached
    in the folder ``ocr_cache``; ``ocr_figures`` says whether pictures of figures are, too.
    ``depth`` counts the files that this one lies in.
    """

    name: str = "document"
    password: str | None = None
    max_pages: int = 2000
    max_pixels: int = 40_000_000
    ocr_pages: int = 500
    ocr_figures: bool = False
    ocr_cache: Path | None = None
    keep: Callable[[bytes], str] = _keep_nothing
    recognising: Callable[[int], None] = _nothing_announced
    depth: int = 0


DEFAULT_CONTEXT = ReadContext()
"""A document of no name, alone, nothing of which is kept."""
