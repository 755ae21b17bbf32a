"""Names of archive members: in which encoding they are written, and where they may point."""

from __future__ import annotations

import re
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Sequence

from chapterverse.ingest.encoding import decode
from chapterverse.schema.wellformed import well_formed

__all__ = ["decoded_names", "is_clutter", "safe_name"]

_UTF8_FLAG = 0x800
_UNICODE_PATH = 0x7075
_DRIVE = re.compile(r"^[A-Za-z]:")
_FOREIGN = re.compile(r"[^\x00-\x7f]+")
_GB2312 = re.compile(rb"(?:[\x00-\x7f]|[\xa1-\xa9\xb0-\xf7][\xa1-\xfe])*")
_ACCENTED = frozenset((*range(0x80, 0xA8), 0xE1))
"""Bytes of code page 437 that are letters of Western names."""
_CLUTTER = {"__macosx", "thumbs.db", "desktop.ini", "ehthumbs.db", "$recycle.bin"}


def decoded_names(infos: Sequence[zipfile.ZipInfo]) -> list[str]:
    """The names of members as their author wrote them.

    ``zipfile`` takes names without the UTF-8 mark for code page 437. Archivers of East Asian
    systems write the system's encoding there; all unmarked names together say which it is.
    """
    raw = [_raw(info) for info in infos]
    foreign = b"\n".join(name for name in raw if name is not None and not name.isascii())
    encoding = _encoding(foreign) if foreign else "cp437"
    return [
        well_formed(info.filename if name is None else name.decode(encoding, "replace"))
        for info, name in zip(infos, raw, strict=True)
    ]


def _raw(info: zipfile.ZipInfo) -> bytes | None:
    """The bytes of a name whose encoding is not known; ``None`` when it is."""
    if info.flag_bits & _UTF8_FLAG:
        return None
    try:
        raw = info.orig_filename.partition("\0")[0].encode("cp437")
    except UnicodeEncodeError:
        return None
    return _unicode_path(info.extra, raw) or raw


def _unicode_path(extra: bytes, raw: bytes) -> bytes | None:
    """The name in UTF-8 that some archivers add, valid as long as the plain one is the same."""
    while len(extra) >= 4:
        kind, size = struct.unpack_from("<HH", extra)
        field = extra[4 : 4 + size]
        if kind == _UNICODE_PATH and len(field) > 5:
            version, check = struct.unpack_from("<BI", field)
            if version == 1 and check == zlib.crc32(raw):
                return field[5:]
        extra = extra[4 + size :]
    return None


def _encoding(names: bytes) -> str:
    found = decode(names)
    if found.replaced:
        return "cp437"
    if found.encoding == "utf-8":
        return "utf-8"
    letters = [char for char in found.text if ord(char) >= 0x80]
    if sum(map(_is_wide, letters)) >= 0.8 * len(letters):
        western = all(byte < 0x80 or byte in _ACCENTED for byte in names)
        return "cp437" if western and not _in_runs(found.text) else found.encoding
    # Pairs of bytes that code page 437 has signs and lines of tables for.
    if _GB2312.fullmatch(names):
        return "gb18030"
    return "cp950" if _is_big5(names) else "cp437"


def _is_big5(names: bytes) -> bool:
    """Whether *names* are everyday Big5; short ones also look like Western letters and signs."""
    try:
        text = names.decode("cp950")
    except UnicodeDecodeError:
        return False
    everyday = all(0xA1 <= char.encode("cp950")[0] <= 0xC6 for char in text if ord(char) >= 0x80)
    return everyday and _in_runs(text)


def _in_runs(text: str) -> bool:
    """Whether most foreign characters have a neighbour; of accented letters misread, few have."""
    runs = [len(run) for run in _FOREIGN.findall(text)]
    return sum(run for run in runs if run > 1) * 2 > sum(runs)


def _is_wide(char: str) -> bool:
    return unicodedata.east_asian_width(char) in "WF"


def is_clutter(name: str) -> bool:
    """Whether *name* is hidden, or a file that an operating system leaves in folders."""
    parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    return any(part.startswith((".", "~$")) or part.lower() in _CLUTTER for part in parts)


def safe_name(name: str) -> tuple[str, bool]:
    """*name* as a path below the archive, and whether it pointed elsewhere as it was written."""
    path = name.replace("\\", "/")
    inside = _DRIVE.sub("", path)
    parts = [part for part in inside.split("/") if part not in ("", ".", "..")]
    escapes = inside != path or path.startswith("/") or ".." in path.split("/")
    return "/".join(parts) or "file", escapes
