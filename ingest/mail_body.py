"""The body of a mail to drafts: which of its forms is read, and how."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from chapterverse.ingest.html import read_page
from chapterverse.ingest.html_parts import FindPicture, is_layout_table, parse_html, prune
from chapterverse.ingest.outline import Draft
from chapterverse.ingest.plain import text_drafts
from chapterverse.ingest.unshown import unshown_warning
from chapterverse.schema.errors import Corrupt
from chapterverse.schema.records import AssetKind, ParseWarning

__all__ = ["MailBody", "body_drafts", "unflowed"]

_QUOTE = re.compile(r"((?:> ?)+)(.*)")
_SIGNATURE = re.compile(r"^-- ?$", re.M)
_LETTERS = re.compile(r"\w")
_MOSTLY = 0.5


@dataclass(frozen=True, slots=True)
class MailBody:
    """The same text in one or two forms; at least one is there."""

    plain: str | None = None
    html: str | None = None


def body_drafts(
    body: MailBody, find_picture: FindPicture
) -> tuple[list[Draft], tuple[ParseWarning, ...]]:
    """The better form of *body* as drafts, and what could not be read of it.

    HTML is taken when it has structure that plain text lacks (tables, lists, headings, pictures
    of the mail itself), or when the plain form is a mere hint to it.
    """
    if body.html is None:
        return _plain_drafts(body.plain or ""), ()
    root = parse_html(body.html)
    prune(root)
    text = root.text_content()
    plain = body.plain if body.plain is not None and _is_whole(body.plain, text) else None
    if not _has_structure(root):
        pre = root.find(".//pre")
        if plain is None and pre is not None and _is_whole(pre.text_content(), text):
            plain = pre.text_content()  # programs that wrap plain text for display
        if plain is not None:
            return _plain_drafts(plain), ()
    try:
        page = read_page(body.html, find_picture)
    except Corrupt:
        kept = text if plain is None else plain
        message = "The HTML of this mail is nested too deeply; it was read as plain text."
        return _plain_drafts(kept), (ParseWarning("structure_lost", message),)
    return list(page.drafts), page.warnings + unshown_warning(page.unshown)


def _is_whole(plain: str, text: str) -> bool:
    return len(_LETTERS.findall(plain)) >= _MOSTLY * len(_LETTERS.findall(text))


def _has_structure(root: Any) -> bool:
    if next(root.iter("ul", "ol", "h1", "h2", "h3", "figure"), None) is not None:
        return True
    if any((image.get("src") or "").startswith("cid:") for image in root.iter("img")):
        return True
    return any(not is_layout_table(table) and _is_grid(table) for table in root.iter("table"))


def _is_grid(table: Any) -> bool:
    rows = [sum(1 for cell in row if cell.tag in ("td", "th")) for row in table.iter("tr")]
    return sum(cells >= 2 for cells in rows) >= 2


def _plain_drafts(text: str) -> list[Draft]:
    text = _SIGNATURE.sub("", text.replace("\r\n", "\n"))
    drafts: list[Draft] = []
    for piece in _by_quote(text):
        # A number before a line of a mail makes a point of a list, never a chapter.
        drafts += (
            replace(draft, regions=(), kind=AssetKind.PARAGRAPH, level=None)
            if draft.kind is AssetKind.HEADING
            else replace(draft, regions=())
            for draft in text_drafts(piece)
        )
    return drafts


def _by_quote(text: str) -> Iterator[str]:
    """Runs of lines quoted equally deep, without the marks of quotation."""
    pending: list[str] = []
    depth = 0
    for line in text.split("\n"):
        quoted = _QUOTE.match(line)
        marks = quoted[1].count(">") if quoted else 0
        if marks != depth and (pending or marks):
            yield "\n".join(pending)
            pending = []
        depth = marks
        pending.append(quoted[2] if quoted else line)
    yield "\n".join(pending)


def unflowed(text: str, *, delete_space: bool = False) -> str:
    """Text of ``format=flowed`` (RFC 3676) with each paragraph on one line.

    A line that ends in a space goes on in the next one of the same quotation;
    with *delete_space* (``DelSp=yes``) that space is no part of the text.
    """
    lines: list[str] = []
    open_depth: int | None = None
    for line in text.replace("\r\n", "\n").split("\n"):
        content = line.lstrip(">")
        depth = len(line) - len(content)
        content = content.removeprefix(" ")
        soft = content.endswith(" ") and content != "-- "
        if soft and delete_space:
            content = content[:-1]
        if open_depth == depth and content != "-- ":
            lines[-1] += content
        else:
            lines.append(f"{'>' * depth}{' ' if depth else ''}{content}")
        open_depth = depth if soft else None
    return "\n".join(lines)
