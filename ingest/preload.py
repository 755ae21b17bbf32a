"""Loads what a reader needs before any document is looked at, so that forked children have it.

Importing ``unstructured`` takes seconds. Readers import such things on first use; here that first
use is a sample of our own, since nothing of a user's document may be touched before the fork.
"""

from __future__ import annotations

import importlib
import io
from functools import cache

from chapterverse.ingest.readers import read
from chapterverse.ingest.sniff import DOCX, HTML, MARKDOWN, PDF, TEXT

__all__ = ["preload"]

_SAMPLES = {
    HTML: b"<!doctype html><html><body><h1>A</h1><p>One. Two.</p></body></html>",
    MARKDOWN: b"# A\n\nOne. Two.\n",
    TEXT: b"One. Two.\n",
}


@cache
def preload(media_type: str) -> None:
    """Import everything that the reader of *media_type* uses; a second call does nothing."""
    if media_type == PDF:
        # No sample: threads that native code starts on first use would not survive a fork.
        for module in ("chapterverse.ingest.pdf", "pypdfium2.raw", "liteparse"):
            importlib.import_module(module)
        return
    sample = _docx_sample() if media_type == DOCX else _SAMPLES[media_type]
    suffix = ".md" if media_type == MARKDOWN else ""
    read(sample, f"sample{suffix}", password=None, max_pages=1)


def _docx_sample() -> bytes:
    import docx

    document = docx.Document()
    document.add_heading("A", 1)
    document.add_paragraph("One. Two.")
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()
