"""What a ZIP archive or an OLE file is: Office, book, mail, or a plain archive."""

from __future__ import annotations

import io
import re
import zipfile
import zlib

from chapterverse.ingest.media_types import (
    DOC,
    DOCX,
    EPUB,
    MSG,
    ODP,
    ODS,
    ODT,
    PPT,
    PPTX,
    XLS,
    XLSX,
    ZIP,
)
from chapterverse.schema.errors import Corrupt, Encrypted, TooLarge, Unsupported

__all__ = ["BROKEN_ZIP", "sniff_ole", "sniff_zip"]

MAX_UNPACKED = 1 << 30
"""Largest sum of unpacked member sizes of an archive, in bytes."""
MAX_RATIO, RATIO_FROM = 100, 50 << 20
"""Largest unpacked to packed ratio, judged for archives that unpack to more than RATIO_FROM."""
MAX_MEMBERS = 10_000

BROKEN_ZIP = (
    zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError, ValueError,
)  # fmt: skip
"""What reading a damaged archive raises."""

_OFFICE = (
    # Templates, shows and files with macros have the same parts; macros are never run.
    (re.compile(rb"wordprocessingml\.(?:document|template)\.main|ms-word\.\w+\.macro"), DOCX),
    (re.compile(rb"presentationml\.(?:presentation|slideshow|template)\.main"), PPTX),
    (re.compile(rb"ms-powerpoint\.\w+\.macro"), PPTX),
    (re.compile(rb"spreadsheetml\.(?:sheet|template)\.main|ms-excel\.\w+\.macro"), XLSX),
)
_OPEN = {b"text": ODT, b"presentation": ODP, b"spreadsheet": ODS}
_STREAMS = (
    ("WordDocument", DOC),
    ("PowerPoint Document", PPT),
    ("Workbook", XLS),
    ("Book", XLS),
    ("__properties_version1.0", MSG),
)

_LOCKED = "EncryptedPackage"


def sniff_zip(data: bytes, name: str) -> str:
    """The media type of a ZIP archive.

    :raises Encrypted, Corrupt, TooLarge, Unsupported: as in ``sniff``.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            _check_size(members, len(data), name)
            return _kind(archive, members, name)
    except BROKEN_ZIP as exc:
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


def _kind(archive: zipfile.ZipFile, members: list[zipfile.ZipInfo], name: str) -> str:
    names = {member.filename: member for member in members}
    office = "[Content_Types].xml" in names or "mimetype" in names
    if office and any(member.flag_bits & 1 for member in members):
        raise Encrypted(f"{name}: the archive is encrypted; save it without a password")
    if "[Content_Types].xml" in names:
        types = _head(archive, "[Content_Types].xml", 1 << 20)
        for pattern, media_type in _OFFICE:
            if pattern.search(types):
                return media_type
        raise Unsupported(f"{name}: an Office package without a document that can be read")
    declared = _head(archive, "mimetype", 200) if "mimetype" in names else b""
    if b"epub" in declared or "META-INF/container.xml" in names:
        return EPUB
    match = re.match(rb"application/vnd\.oasis\.opendocument\.([a-z]+)", declared)
    if match and "content.xml" in names:
        if match.group(1) not in _OPEN:
            kind = match.group(1).decode()
            raise Unsupported(f"{name}: an OpenDocument {kind}; save it as PDF")
        manifest = "META-INF/manifest.xml"
        if manifest in names and b"encryption-data" in _head(archive, manifest, 1 << 20):
            raise Encrypted(f"{name}: the file is encrypted; save it without a password")
        return _OPEN[match.group(1)]
    return ZIP


def _head(archive: zipfile.ZipFile, member: str, size: int) -> bytes:
    with archive.open(member) as part:
        return part.read(size)


def sniff_ole(data: bytes, name: str) -> str:
    """The media type of an OLE compound file (Office 97-2003, Outlook).

    :raises Encrypted: an encrypted file of Office 2007 or later, or a protected one of any kind.
    :raises Corrupt, Unsupported: as in ``sniff``.
    """
    streams = _streams(data, name)
    if _LOCKED in streams:
        raise Encrypted(
            f"{name}: the Office file is encrypted in a way that a password alone does not undo; "
            "save it without protection"
        )
    for stream, media_type in _STREAMS:
        if stream in streams:
            return media_type
    raise Unsupported(f"{name}: an OLE file that is neither Office nor mail; save it as PDF")


def _streams(data: bytes, name: str) -> set[str]:
    """Streams at the top that are known; files that lie in this one have the same ones deeper."""
    import olefile

    known = (_LOCKED, *dict(_STREAMS))
    try:
        with olefile.OleFileIO(io.BytesIO(data)) as file:
            top = {path[0].lower() for path in file.listdir() if len(path) == 1}
    except Exception as exc:  # what damage makes olefile raise is written nowhere
        found = {stream for stream in known if stream.encode("utf-16-le") in data}
        if not found:
            raise Corrupt(
                f"{name}: starts like a file of Office 97-2003 or Outlook but is broken ({exc}); "
                "open and save it again, or copy it anew"
            ) from exc
        return found
    return {stream for stream in known if stream.lower() in top}
