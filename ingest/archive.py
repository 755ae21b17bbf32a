"""ZIP archives: each file in them becomes a document of its own.

The archive itself is a list of the names, so that it is found by what it holds.
"""

from __future__ import annotations

import io
import stat
import zipfile
import zlib
from collections import Counter
from dataclasses import dataclass

from chapterverse.ingest.archive_names import decoded_names, is_clutter, safe_name
from chapterverse.ingest.context import DEFAULT_CONTEXT, ReadContext
from chapterverse.ingest.mail import unique_name
from chapterverse.ingest.media_types import ZIP
from chapterverse.ingest.outline import Draft, to_assets
from chapterverse.ingest.sniff_archives import BROKEN_ZIP
from chapterverse.schema.errors import Corrupt, Empty, Encrypted, TooLarge
from chapterverse.schema.records import AssetKind, Attachment, Parsed, ParseWarning, Region

__all__ = ["BROKEN", "MAX_NESTED", "PARSER", "read_archive"]

PARSER = "zip/1"
MAX_NESTED = 2
"""So many files may lie around an archive."""

BROKEN = (*BROKEN_ZIP, MemoryError)
"""What reading a damaged member of an archive raises (``lzma.LZMAError`` aside)."""

_AES = 99
_REASONS = {
    "clutter": "hidden files and files of the operating system",
    "links": "links to other files",
    "empty": "files of no bytes",
    "broken": "files that are damaged or packed by an unknown method",
    "renamed": "names that point out of the archive were made safe",
}


@dataclass(frozen=True, slots=True)
class _Member:
    info: zipfile.ZipInfo
    name: str


def read_archive(data: bytes, context: ReadContext = DEFAULT_CONTEXT) -> Parsed:
    """List the files of a ZIP archive and keep each.

    :raises TooLarge: the archive lies in more than :data:`MAX_NESTED` files.
    :raises Encrypted: a member needs a password, or another one, or is encrypted with AES.
    :raises Corrupt: no member can be read.
    :raises Empty: no files are in it.
    """
    if context.depth >= MAX_NESTED:
        raise TooLarge(
            f"{context.name}: an archive nested deeper than {MAX_NESTED}; unpack the outer ones"
        )
    counts: Counter[str] = Counter()
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except BROKEN as exc:
        raise Corrupt(f"{context.name}: the archive is broken ({exc}); copy it anew") from exc
    with archive:
        members = _members(archive, counts)
        _check_password(members, context)
        attachments = _kept(archive, members, context, counts)
    if not attachments:
        if counts["broken"]:
            raise Corrupt(f"{context.name}: none of {counts['broken']} files can be unpacked")
        raise Empty(f"{context.name}: the archive holds no files that can be read")
    drafts = [
        Draft(AssetKind.LIST_ITEM, a.name, (Region(0, len(a.name), place=a.name),), level=0)
        for a in attachments
    ]
    warnings = tuple(
        ParseWarning(f"members_{reason}", f"{counts[reason]}: {text}")
        for reason, text in _REASONS.items()
        if counts[reason]
    )
    return Parsed(ZIP, PARSER, to_assets(drafts), warnings=warnings, attachments=tuple(attachments))


def _members(archive: zipfile.ZipFile, counts: Counter[str]) -> list[_Member]:
    infos = [info for info in archive.infolist() if not info.is_dir()]
    used: set[str] = set()
    members: list[_Member] = []
    for info, written in zip(infos, decoded_names(infos), strict=True):
        if stat.S_ISLNK(info.external_attr >> 16):
            counts["links"] += 1
        elif is_clutter(written):
            counts["clutter"] += 1
        elif info.file_size == 0:
            counts["empty"] += 1
        else:
            name, changed = safe_name(written)
            counts["renamed"] += changed
            members.append(_Member(info, unique_name(name, used)))
    return members


def _check_password(members: list[_Member], context: ReadContext) -> None:
    locked = [member for member in members if member.info.flag_bits & 1]
    if any(member.info.compress_type == _AES for member in locked):
        raise Encrypted(
            f"{context.name}: {len(locked)} of {len(members)} files are encrypted with AES, which "
            "is not read; unpack the archive and ingest the folder"
        )
    if locked and not context.password:
        raise Encrypted(
            f"{context.name}: {len(locked)} of {len(members)} files need a password; give it, or "
            "unpack the archive and ingest the folder"
        )


def _kept(
    archive: zipfile.ZipFile,
    members: list[_Member],
    context: ReadContext,
    counts: Counter[str],
) -> list[Attachment]:
    from lzma import LZMAError

    attachments = []
    password = context.password.encode() if context.password else None
    for member in members:
        locked = bool(member.info.flag_bits & 1)
        try:
            # Never more than its stated size, which was checked before.
            data = archive.read(member.info, password if locked else None)
        except (*BROKEN, LZMAError, RuntimeError) as exc:
            # A wrong password passes the first check one time in 256 and then fails the last one.
            if locked and isinstance(exc, RuntimeError | zipfile.BadZipFile | zlib.error):
                raise Encrypted(
                    f"{context.name}: the password does not open {member.name}"
                ) from exc
            counts["broken"] += 1
            continue
        attachments.append(Attachment(member.name, context.keep(data), len(data)))
    return attachments
