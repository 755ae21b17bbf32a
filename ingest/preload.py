"""Loads what a reader needs before any document is looked at, so that forked children have it.

Importing ``unstructured`` takes seconds. Readers import such things on first use; here that first
use is a sample of our own, since nothing of a user's document may be touched before the fork.
"""

from __future__ import annotations

import importlib
import io
from functools import cache
from pathlib import PurePath

from chapterverse.ingest.context import ReadContext
from chapterverse.ingest.media_types import (
    CODE_NAMES,
    DOCX,
    EML,
    EPUB,
    HTML,
    MARKDOWN,
    MHTML,
    MSG,
    PDF,
    PPTX,
    TEXT,
    XLSX,
    ZIP,
)
from chapterverse.ingest.readers import READERS, read
from chapterverse.ingest.sniff import is_pdf

__all__ = ["guess", "preload"]

_SAMPLES = {
    HTML: b"<!doctype html><html><body><h1>A</h1><p>One. Two.</p></body></html>",
    MARKDOWN: b"# A\n\nOne. Two.\n",
    TEXT: b"One. Two.\n",
}


_ZIPPED = {".docx": DOCX, ".pptx": PPTX, ".xlsx": XLSX, ".epub": EPUB, ".zip": ZIP, ".odp": PPTX}
_OLE = {".doc": DOCX, ".ppt": PPTX, **_ZIPPED}
"""Encrypted packages are OLE files; older ones are converted to those first."""
_MAIL = {".eml": EML, ".msg": MSG, ".mht": MHTML, ".mhtml": MHTML}
_HOLD_HTML = frozenset({EPUB, EML, MSG, MHTML})
"""Formats whose readers hand pages to that of HTML."""


def guess(head: bytes, name: str) -> str:
    """A quick guess at the media type from the first bytes and the name; wrong at times."""
    suffix = PurePath(name).suffix.lower()
    if is_pdf(head):
        return PDF
    if head.startswith(b"PK\x03\x04"):
        return _ZIPPED.get(suffix, DOCX)
    if head.startswith(b"\xd0\xcf\x11\xe0") and suffix in _OLE:
        return _OLE[suffix]
    if head.startswith(b"{\\rtf"):
        return DOCX
    if suffix in _MAIL:
        return _MAIL[suffix]
    if suffix not in CODE_NAMES and head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"<":
        return HTML
    return MARKDOWN if suffix in {".md", ".markdown"} else TEXT


@cache
def preload(media_type: str) -> None:
    """Import everything that the reader of *media_type* uses; a second call does nothing."""
    if media_type == PDF:
        # No sample: threads that native code starts on first use would not survive a fork.
        for module in ("chapterverse.ingest.pdf", "pypdfium2.raw", "liteparse"):
            importlib.import_module(module)
        return
    if media_type not in (DOCX, *_SAMPLES):
        module = READERS[media_type].entry.partition(":")[0]
        importlib.import_module(f"chapterverse.ingest.{module}")
        if media_type in _HOLD_HTML:
            preload(HTML)
        return
    sample = _docx_sample() if media_type == DOCX else _SAMPLES[media_type]
    suffix = ".md" if media_type == MARKDOWN else ""
    read(sample, ReadContext(name=f"sample{suffix}"))


def _docx_sample() -> bytes:
    import docx

    document = docx.Document()
    document.add_heading("A", 1)
    document.add_paragraph("One. Two.")
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()
