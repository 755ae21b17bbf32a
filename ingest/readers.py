"""Media type to reader: the one entry from bytes to assets."""

from __future__ import annotations

from collections.abc import Callable

from chapterverse.ingest.sniff import DOCX, HTML, MARKDOWN, PDF, TEXT, sniff
from chapterverse.schema.errors import Empty, Unsupported
from chapterverse.schema.records import Parsed

__all__ = ["PARSERS", "read"]

PARSERS = {
    PDF: "pdf/1",
    DOCX: "docx/1",
    HTML: "html/1",
    MARKDOWN: "markdown/1",
    TEXT: "plain/1",
}
"""Name and version of the reader of each media type, known without loading it."""


def _pdf(data: bytes, password: str | None, max_pages: int) -> Parsed:
    from chapterverse.ingest.pdf import read_pdf

    return read_pdf(data, password=password, max_pages=max_pages)


def _docx(data: bytes, password: str | None, max_pages: int) -> Parsed:
    from chapterverse.ingest.docx import read_docx

    return read_docx(data)


def _html(data: bytes, password: str | None, max_pages: int) -> Parsed:
    from chapterverse.ingest.html import read_html

    return read_html(data)


def _markdown(data: bytes, password: str | None, max_pages: int) -> Parsed:
    from chapterverse.ingest.markdown import read_markdown

    return read_markdown(data)


def _plain(data: bytes, password: str | None, max_pages: int) -> Parsed:
    from chapterverse.ingest.plain import read_plain

    return read_plain(data)


# Imports stand inside the functions: a text file must not pay seconds for unstructured or PDFium.
_READERS: dict[str, Callable[[bytes, str | None, int], Parsed]] = {
    PDF: _pdf,
    DOCX: _docx,
    HTML: _html,
    MARKDOWN: _markdown,
    TEXT: _plain,
}


def read(data: bytes, name: str, *, password: str | None, max_pages: int) -> Parsed:
    """Parse *data*; the content decides the reader, *name* only breaks ties among text types.

    :raises Unsupported: no reader for this kind of content.
    :raises Empty: no bytes, or nothing with text in it.
    :raises Encrypted: a password is needed (PDF) or not supported (Office).
    :raises Corrupt: the bytes are not a whole document of their kind.
    :raises TooLarge: more than *max_pages* pages, or an archive over its limits.
    """
    media_type = sniff(data, name)
    reader = _READERS.get(media_type)
    if reader is None:
        known = ", ".join(sorted(_READERS))
        raise Unsupported(f"{name}: content is {media_type}; there are readers for {known}")
    parsed = reader(data, password, max_pages)
    if not any(asset.text.strip() for asset in parsed.assets):
        raise Empty(f"{name}: {_why_empty(parsed)}")
    return parsed


def _why_empty(parsed: Parsed) -> str:
    if not parsed.assets:
        reason = f"the {parsed.media_type} reader found no content at all"
    else:
        reason = f"{len(parsed.assets)} elements were found, but none of them has text"
    if parsed.media_type == PDF:
        reason += "; if the pages are scans, run text recognition over the file first"
    return reason
