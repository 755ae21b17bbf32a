"""Names of documents: from URI to what people see and what the indexes see."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from urllib.parse import quote, unquote, urlsplit

__all__ = ["INSIDE", "display_name", "index_title", "own_name", "source_link"]

INSIDE = "!/"
"""Stands in a URI between a file and the path of a file inside it."""

_INNER = " › "
_IN_FRAGMENT = "!$&'()*+,;=:@/?"
_MACHINE_MADE = re.compile(r"(?<![^\W_])(?=\w*\d)[0-9a-f]{8,}(?![^\W_])|\d{9,}", re.IGNORECASE)
_SEPARATORS = re.compile(r"[_\s]+")


def display_name(uri: str) -> str:
    """The file name in *uri*, or the whole of it where there is none.

    A file inside another reads ``mail.eml › report.pdf``.
    """
    outer, *inner = uri.split(INSIDE)
    if inner and uri.startswith("file:"):
        return _INNER.join([display_name(outer), *map(unquote, inner)])
    if "/" not in uri:
        return uri
    try:
        path = urlsplit(uri).path
    except ValueError:
        # A name of the caller's choice that only looks like a URL.
        path = uri
    return unquote(PurePosixPath(path).name) or uri


def own_name(uri: str) -> str:
    """The file name alone, also of a file inside another."""
    return PurePosixPath(display_name(uri).rpartition(_INNER)[2]).name or display_name(uri)


def source_link(uri: str, page: int | None = None, heading: str = "") -> str:
    """The address of the file that holds the document, opened at *page* where it has pages.

    *heading* is the ``id`` of a heading of a web page, which a browser opens in the same way.
    Nothing can open a file inside another by an address: its path follows as the fragment.
    """
    outer, separator, inner = uri.partition(INSIDE)
    parts = [inner] if separator and uri.startswith("file:") else []
    if not parts:
        outer = uri
    parts += [] if page is None else [f"page={page}"]
    if heading and not parts:
        parts = [quote(heading, safe=_IN_FRAGMENT)]
    return f"{outer}#{'&'.join(parts)}" if parts else outer


def index_title(title: str, uri: str) -> str:
    """What both channels index of a document's name: the title, and the file name's words.

    File names often say what a title leaves out (company and year of ``ACME_2022_10K.pdf``), and
    people ask by them. The name is left out where the title contains it. Empty when there is
    nothing worth indexing.
    """
    name = own_name(uri)
    if not uri.startswith("file:"):
        # The key of a text that was given no title is no word of it.
        return "" if title in (name, PurePosixPath(name).stem) else title
    # Names that machines give (digests, numbers) say nothing and dilute both channels.
    words = _MACHINE_MADE.sub(" ", PurePosixPath(name).stem)
    words = _SEPARATORS.sub(" ", words).strip()
    if title == PurePosixPath(name).stem:
        return words
    if words.casefold() in _SEPARATORS.sub(" ", title).casefold():
        return title
    return f"{title} ({words})" if words else title
