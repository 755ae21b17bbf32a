"""Media type from content: magic bytes, archive listing, tags; the file name only breaks ties."""

from __future__ import annotations

import json
import re
from pathlib import PurePath

from chapterverse.ingest.encoding import control_share, decode
from chapterverse.ingest.media_types import (
    CODE,
    CODE_NAMES,
    CSV,
    EML,
    HTML,
    JPEG,
    JSON,
    JSON_LINES,
    MARKDOWN,
    MBOX,
    MHTML,
    PDF,
    PNG,
    RTF,
    TEXT,
    TIFF,
    TSV,
    WEBP,
)
from chapterverse.ingest.sniff_archives import sniff_ole, sniff_zip
from chapterverse.schema.errors import Empty, Unsupported

__all__ = ["is_pdf", "sniff"]

MAX_CONTROL_SHARE = 0.005

_HEAD = 65_536
_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", PNG),
    (b"\xff\xd8\xff", JPEG),
    (b"II*\0", TIFF),
    (b"MM\0*", TIFF),
    (b"{\\rtf", RTF),
)
_UNREAD: tuple[tuple[bytes, str], ...] = (
    (b"GIF8", "a GIF image; save it as PNG"),
    (b"\x1f\x8b", "a gzip archive; unpack it"),
    (b"BZh", "a bzip2 archive; unpack it"),
    (b"\xfd7zXZ", "an xz archive; unpack it"),
    (b"7z\xbc\xaf", "a 7-Zip archive; unpack it"),
    (b"Rar!", "a RAR archive; unpack it"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90", "a program"),
    (b"SQLite format 3\0", "an SQLite database"),
    (b"%!PS", "a PostScript file; convert it to PDF"),
)
# Atomic: a comment ends at its first mark, or a page of many would be cut up in every way there is.
_HTML_START = re.compile(
    r"(?>\s+|<!--.*?-->|<\?xml[^>]*\?>)*+<(?:!doctype\s+html|html|head|body)\b", re.I | re.S
)
_HTML_BLOCK = re.compile(
    r"</(?:p|div|table|tr|td|ul|ol|li|h[1-6]|section|article|body|span|a)\s*>", re.I
)
_MAIL_FIELD = re.compile(
    r"^(?:From|To|Subject|Date|Message-ID|MIME-Version|Received|Return-Path|Delivered-To"
    r"|Content-Type|X-[\w-]+|Reply-To|Cc):",
    re.I | re.M,
)
_MBOX_START = re.compile(r"From \S+.*\d{4}\r?\n(?:>?[\w-]+:[^\n]*\n)")
_MARKDOWN_NAMES = {".md", ".markdown", ".mdown", ".mkd", ".mkdn"}
_HTML_NAMES = {".html", ".htm", ".xhtml", ".shtml"}
_JSON_LINES_NAMES = {".jsonl", ".ndjson"}


def is_pdf(head: bytes) -> bool:
    """Whether a file that begins with *head* is a PDF.

    Some producers write a line or two before the header; readers accept 1,024 bytes.
    """
    return b"%PDF-" in head[:1024] and not head.startswith(b"PK\x03\x04")


def sniff(data: bytes, name: str) -> str:
    """The media type of *data*; one of the constants of ``media_types``.

    *name* is the file name: used in messages, and to tell text formats apart whose content alone
    does not say what they are (Markdown, CSV, source code).

    :raises Empty: no bytes.
    :raises Unsupported: a known kind without a reader, or bytes that are no text.
    :raises Encrypted: an encrypted Office file.
    :raises Corrupt: a broken archive.
    :raises TooLarge: an archive that would unpack to too much.
    """
    if not data:
        raise Empty(f"{name}: the file has no bytes; check that it was copied completely")
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        # Before PDF: an archive may begin with one that is not compressed.
        return sniff_zip(data, name)
    if is_pdf(data):
        return PDF
    if data.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        return sniff_ole(data, name)
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return WEBP
    for magic, media_type in _MAGIC:
        if data.startswith(magic):
            return media_type
    for magic, kind in _UNREAD:
        if data.startswith(magic):
            raise Unsupported(f"{name}: the content is {kind}; docs/formats.md lists what is read")
    return _text(data, name)


def _text(data: bytes, name: str) -> str:
    head = decode(data[:_HEAD])
    if control_share(head.text) > MAX_CONTROL_SHARE or (
        head.replaced > 4 and head.replaced > 0.02 * len(head.text)
    ):
        raise Unsupported(
            f"{name}: the bytes are neither text nor a known format; docs/formats.md lists what "
            "is read"
        )
    suffix = PurePath(name).suffix.lower()
    mail = _mail(head.text, suffix)
    if mail is not None:
        return mail
    if _HTML_START.match(head.text):
        return HTML
    tags = len(_HTML_BLOCK.findall(head.text))
    if suffix in _HTML_NAMES and (tags or "<" in head.text):
        return HTML
    named = _by_name(head.text, suffix, PurePath(name).name.lower())
    if named is not None:
        return named
    if head.text.lstrip().startswith("<") and tags >= 3 and suffix not in {".txt", ".text"}:
        return HTML
    return TEXT


def _mail(text: str, suffix: str) -> str | None:
    if _MBOX_START.match(text):
        return MBOX
    fields = text.lstrip("\ufeff\r\n").replace("\r\n", "\n").partition("\n\n")[0]
    names = {match.group(0).lower() for match in _MAIL_FIELD.finditer(fields)}
    every = all(re.match(r"[!-9;-~]+:|[ \t]", line) for line in fields.split("\n") if line)
    if not every or len(names) < (1 if suffix in {".eml", ".mht", ".mhtml"} else 3):
        return None
    snapshot = re.search(r"^content-type:\s*multipart/related", fields, re.I | re.M)
    by_browser = "snapshot-content-location:" in fields.lower()
    if snapshot and (by_browser or suffix in {".mht", ".mhtml"}):
        return MHTML
    return EML


def _by_name(text: str, suffix: str, name: str) -> str | None:
    """What the name says, where the text does not contradict it."""
    if suffix in _MARKDOWN_NAMES:
        return MARKDOWN
    if suffix in {".tsv", ".tab"} and "\t" in text:
        return TSV
    if suffix in {".csv", ".tsv", ".tab"}:
        return CSV
    if suffix in _JSON_LINES_NAMES and text.lstrip()[:1] in ("{", "["):
        return JSON_LINES
    if suffix == ".json" and text.lstrip()[:1] in ("{", "["):
        return JSON_LINES if _is_lines(text) else JSON
    if suffix in CODE_NAMES or name in CODE_NAMES or text.startswith("#!/"):
        return CODE
    return None


def _is_lines(text: str) -> bool:
    """Whether the first two lines are whole JSON values."""
    lines = [line for line in text.split("\n", 3)[:2] if line.strip()]
    try:
        return len(lines) == 2 and all(isinstance(json.loads(x), dict | list) for x in lines)
    except ValueError:
        return False
