"""Saved web pages (MHTML): the main page, with the pictures that were saved beside it."""

from __future__ import annotations

from urllib.parse import urljoin

from chapterverse.ingest.context import DEFAULT_CONTEXT, ReadContext
from chapterverse.ingest.html import decode_page, read_page
from chapterverse.ingest.mail_mime import MAX_DEPTH, MAX_PARTS, MimePart, parse_message
from chapterverse.ingest.media_types import MHTML
from chapterverse.ingest.outline import promote_title, title_text, to_assets
from chapterverse.ingest.pictures import keep_picture
from chapterverse.ingest.unshown import unshown_warning
from chapterverse.schema.errors import Corrupt
from chapterverse.schema.records import Parsed, ParseWarning, Picture

__all__ = ["PARSER", "read_mhtml"]

PARSER = "mhtml/2"
_PAGES = ("text/html", "application/xhtml+xml")


def read_mhtml(data: bytes, context: ReadContext = DEFAULT_CONTEXT) -> Parsed:
    """Parse a saved page. Nothing is fetched: only pictures inside the file are shown.

    :raises Corrupt: no page is in it, or one nested deeper than can be read.
    """
    message = parse_message(data)
    parts = _leaves(message)
    pages = [part for part in parts if part.media_type in _PAGES]
    if not pages:
        raise Corrupt(f"{context.name}: the saved page has no HTML part; save the page again")
    main = _main(message, pages)
    source = message.text("snapshot-content-location") or main.text("content-location")
    base = main.text("content-location") or source
    files = {link: part for part in reversed(parts) for link in _links(part)}

    def find_picture(link: str) -> Picture | None:
        part = files.get(link) or files.get(_joined(base, link))
        return None if part is None else keep_picture(part.content, context)

    decoded = decode_page(main.content, main.charset)
    page = read_page(decoded.text, find_picture)
    declared = page.title or message.text("subject") or None
    drafts = promote_title(page.drafts, declared)
    warnings = list(page.warnings)
    if len(pages) > 1:
        text = f"{len(pages) - 1} framed pages beside the main page were not read"
        warnings.append(ParseWarning("frames_left_out", text))
    warnings += unshown_warning(page.unshown)
    properties = {"source": source, "date": message.text("date"), "encoding": decoded.encoding}
    return Parsed(
        MHTML,
        PARSER,
        to_assets(drafts),
        title=title_text(drafts, declared),
        warnings=tuple(warnings),
        properties={name: value for name, value in properties.items() if value},
    )


def _leaves(message: MimePart) -> list[MimePart]:
    found: list[MimePart] = []
    pending = [(message, 0)]
    while pending and len(found) < MAX_PARTS:
        part, depth = pending.pop()
        children = part.parts() if part.media_type.startswith("multipart/") else ()
        if children and depth < MAX_DEPTH:
            pending.extend((child, depth + 1) for child in reversed(children))
        else:
            found.append(part)
    return found


def _main(message: MimePart, pages: list[MimePart]) -> MimePart:
    """The page that the container calls its start, else that of its address, else the first."""
    start = message.parameter("start").strip("<>")
    location = message.text("snapshot-content-location")
    for page in pages:
        if start and page.content_id == start:
            return page
    return next((p for p in pages if location and p.text("content-location") == location), pages[0])


def _links(part: MimePart) -> list[str]:
    cid, location = part.content_id, part.text("content-location")
    return [link for link in (location, f"cid:{cid}" if cid else "") if link]


def _joined(base: str, link: str) -> str:
    try:
        return urljoin(base, link)
    except ValueError:  # an address with broken brackets
        return link
