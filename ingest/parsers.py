"""Which reader version stands behind each media type now, without loading any reader.

A document whose stored revision names another version is parsed again at the next ingest.
"""

from __future__ import annotations

from chapterverse.ingest.sniff import DOCX, HTML, MARKDOWN, PDF, TEXT

__all__ = ["PARSERS"]

PARSERS = {
    PDF: "pdf/1",
    DOCX: "docx/1",
    HTML: "html/1",
    MARKDOWN: "markdown/1",
    TEXT: "plain/1",
}
