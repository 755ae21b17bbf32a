"""The bookmarks of a PDF, and a copy without them where following them has no end."""

from __future__ import annotations

import ctypes
import io
from collections.abc import Iterator
from typing import Any

from chapterverse.ingest.pdf_headings import OutlineEntry

__all__ = ["read_outline", "without_endless_outline"]

_DEEPEST = 1000
"""The layout library calls itself once for each level of bookmarks."""


def read_outline(document: Any) -> tuple[OutlineEntry, ...]:
    """The bookmarks that point to a page, in order; those of an open pypdfium2 document."""
    return tuple(_bookmarks(document))


def _bookmarks(document: Any) -> Iterator[OutlineEntry]:
    import pypdfium2

    try:
        for mark in document.get_toc():
            target = mark.get_dest()
            index = None if target is None else target.get_index()
            if index is not None:
                yield OutlineEntry(mark.get_title(), mark.level, index + 1)
    except pypdfium2.PdfiumError:
        return


def without_endless_outline(document: Any, data: bytes) -> bytes:
    """*data*, the bytes of *document*, or a copy of its pages alone (none when that fails).

    The layout library would not come back from bookmarks that lead back to themselves, nor from
    a chain of more than a thousand levels.
    """
    if not _is_endless(document):
        return data
    import pypdfium2

    copy = pypdfium2.PdfDocument.new()
    try:
        copy.import_pages(document)
        out = io.BytesIO()
        copy.save(out)
    except pypdfium2.PdfiumError:
        return b""
    finally:
        copy.close()
    return out.getvalue()


def _is_endless(document: Any) -> bool:
    import pypdfium2.raw as pdfium

    seen: set[int] = set()
    waiting = [(pdfium.FPDFBookmark_GetFirstChild(document, None), 1)]
    while waiting:
        mark, depth = waiting.pop()
        while mark:
            address = ctypes.addressof(mark.contents)
            if address in seen or depth > _DEEPEST:
                return True
            seen.add(address)
            waiting.append((pdfium.FPDFBookmark_GetFirstChild(document, mark), depth + 1))
            mark = pdfium.FPDFBookmark_GetNextSibling(document, mark)
    return False
