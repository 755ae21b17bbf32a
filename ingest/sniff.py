"""Media type from content: magic bytes, archive listing, tags; the file name only breaks ties."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import PurePath

from chapterverse.ingest.encoding import control_share, decode
from chapterverse.schema.errors import Corrupt, Empty, Encrypted, TooLarge, Unsupported

__all__ = ["DOCX", "HTML", "MARKDOWN", "PDF", "TEXT", "sniff"]

PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
HTML = "text/html"
MARKDOWN = "text/markdown"
TEXT = "text/plain"

MAX_UNPACKED = 1 << 30
"""Largest sum of unpacked member sizes of an archive, in bytes."""
MAX_RATIO, RATIO_FROM = 100, 50 << 20
"""Largest unpacked to packed ratio, judged for archives that unpack to more than RATIO_FROM."""
MAX_MEMBERS = 10_000
MAX_CONTROL_SHARE = 0.005

_HEAD = 65_536
_BINARY: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"II*\0", "a TIFF image"),
    (b"MM\0*", "a TIFF image"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ", "an xz archive"),
    (b"7z\xbc\xaf", "a 7-Zip archive"),
    (b"Rar!", "a RAR archive"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90", "a program"),
    (b"SQLite format 3\0", "an SQLite database"),
    (b"%!PS", "a PostScript file; convert it to PDF"),
    (b"{\\rtf", "an RTF file; save it as .docx"),
)
# Atomic: a comment ends at its first mark, or a page of many would be cut up in every way there is.
_HTML_START = re.compile(
    r"(?>\s+|<!--.*?-->|<\?xml[^>]*\?>)*+<(?:!doctype\s+html|html|head|body)\b", re.I | re.S
)
_HTML_BLOCK = re.compile(
    r"</(?:p|div|table|tr|td|ul|ol|li|h[1-6]|section|article|body|span|a)\s*>", re.I
)
_MARKDOWN_NAMES = {".md", ".markdown", ".mdown", ".mkd", ".mkdn"}
_HTML_NAMES = {".html", ".htm", ".xhtml", ".shtml"}


def sniff(data: bytes, name: str) -> str:
    """The media type of *data*; one of the constants of this module.

    *name* is the file name: used in messages, and to tell Markdown and plain text apart.

    :raises Empty: no bytes.
    :raises Unsupported: a known kind without a reader, or bytes that are no text.
    :raises Encrypted: an encrypted Office file.
    :raises Corrupt: a broken archive.
    :raises TooLarge: an archive that would unpack to too much.
    """
    if not data:
        raise Empty(f"{name}: the file has no bytes; check that it was copied completely")
    # Some producers write a line or two before the header; readers accept 1,024 bytes.
    if b"%PDF-" in data[:1024]:
        return PDF
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _archive(data, name)
    if data.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        raise _ole(data, name)
    for magic, kind in _BINARY:
        if data.startswith(magic):
            raise Unsupported(f"{name}: the content is {kind}; {_READABLE}")
    return _text(data, name)


_READABLE = "readable are PDF, DOCX, HTML, Markdown and plain text"


def _archive(data: bytes, name: str) -> str:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            _check_size(members, len(data), name)
            return _office(archive, members, name)
    except (zipfile.BadZipFile, EOFError, NotImplementedError, OSError, ValueError) as exc:
        raise Corrupt(
            f"{name}: starts like a ZIP archive (as every .docx is) but is broken ({exc}); "
            "open and save it again, or copy it anew"
        ) from exc


def _check_size(members: list[zipfile.ZipInfo], packed: int, name: str) -> None:
    # The listing can be trusted here: zipfile never unpacks a member beyond its stated size.
    unpacked = sum(member.file_size for member in members)
    if len(members) > MAX_MEMBERS:
        raise TooLarge(f"{name}: archive of {len(members):,} members; {MAX_MEMBERS:,} are allowed")
    if unpacked > MAX_UNPACKED:
        raise TooLarge(
            f"{name}: unpacks to {unpacked >> 20:,} MiB; {MAX_UNPACKED >> 20:,} MiB are allowed"
        )
    if unpacked > RATIO_FROM and unpacked > MAX_RATIO * packed:
        raise TooLarge(
            f"{name}: unpacks to {unpacked // packed:,} times its size; {MAX_RATIO} are allowed"
        )


def _office(archive: zipfile.ZipFile, members: list[zipfile.ZipInfo], name: str) -> str:
    if any(member.flag_bits & 1 for member in members):
        raise Encrypted(f"{name}: the archive is encrypted; save it without a password")
    names = {member.filename for member in members}
    types = b""
    if "[Content_Types].xml" in names:
        with archive.open("[Content_Types].xml") as part:
            types = part.read(1 << 20)
    if b"wordprocessingml.document.main+xml" in types:
        return DOCX
    raise Unsupported(f"{name}: the content is {_archive_kind(names, types)}; {_READABLE}")


def _archive_kind(names: set[str], types: bytes) -> str:
    known = (
        (b"ms-word.", "a Word file with macros; save it as .docx"),
        (b"wordprocessingml.template", "a Word template; save it as .docx"),
        (b"spreadsheetml", "an Excel workbook"),
        (b"presentationml", "a PowerPoint presentation"),
    )
    for mark, kind in known:
        if mark in types:
            return kind
    if "META-INF/container.xml" in names:
        return "an EPUB book"
    if "mimetype" in names and "content.xml" in names:
        return "an OpenDocument file; save it as .docx or PDF"
    return f"a ZIP archive of {len(names)} files; unpack it and ingest the folder"


def _ole(data: bytes, name: str) -> Unsupported | Encrypted:
    if "EncryptedPackage".encode("utf-16-le") in data:
        return Encrypted(
            f"{name}: the Office file is encrypted with a password; save it without one"
        )
    if "WordDocument".encode("utf-16-le") in data:
        return Unsupported(f"{name}: a Word 97-2003 file (.doc); save it as .docx or PDF")
    return Unsupported(f"{name}: an old binary Office file; save it as .docx or PDF")


def _text(data: bytes, name: str) -> str:
    head = decode(data[:_HEAD])
    if control_share(head.text) > MAX_CONTROL_SHARE or (
        head.replaced > 4 and head.replaced > 0.02 * len(head.text)
    ):
        raise Unsupported(f"{name}: the bytes are neither text nor a known format; {_READABLE}")
    suffix = PurePath(name).suffix.lower()
    if _HTML_START.match(head.text):
        return HTML
    tags = len(_HTML_BLOCK.findall(head.text))
    if suffix in _HTML_NAMES and (tags or "<" in head.text):
        return HTML
    if suffix in _MARKDOWN_NAMES:
        return MARKDOWN
    if head.text.lstrip().startswith("<") and tags >= 3 and suffix not in {".txt", ".text"}:
        return HTML
    return TEXT
