"""What lies on the sheets of an old Excel workbook beside its cells: counted, not read."""

from __future__ import annotations

import io
import struct
from collections import Counter
from collections.abc import Iterator
from datetime import datetime

from chapterverse.ingest.lines import one_line

__all__ = ["count_beside", "summary"]

_NOTE, _OBJECT = 0x001C, 0x005D
# Kinds of drawn objects ([MS-XLS] 2.5.143).
_OBJECTS = {0x05: "charts", 0x06: "text boxes", 0x08: "pictures"}
_NO_YEAR = 1601
_STREAMS = ("Workbook", "Book")
_DAMAGE = (OSError, ValueError, IndexError, KeyError, TypeError, AttributeError, struct.error)
"""What olefile raises on damaged files."""


def count_beside(data: bytes) -> Counter[str]:
    """Comments, charts, text boxes and pictures of the workbook, by name."""
    found: Counter[str] = Counter()
    for kind, body in _records(_stream(data)):
        if kind == _NOTE:
            found["comments"] += 1
        elif kind == _OBJECT and len(body) >= 6:
            name = _OBJECTS.get(int.from_bytes(body[4:6], "little"))
            if name:
                found[name] += 1
    return found


def summary(data: bytes) -> dict[str, str]:
    """What the file says about itself: title, author, subject, keywords, created, modified."""
    import olefile

    try:
        with olefile.OleFileIO(io.BytesIO(data)) as ole:
            meta = ole.get_metadata()
            page = f"cp{(meta.codepage or 1252) & 0xFFFF}".replace("cp65001", "utf-8")
            told = {
                "title": meta.title,
                "author": meta.author,
                "subject": meta.subject,
                "keywords": meta.keywords,
                "created": meta.create_time,
                "modified": meta.last_saved_time,
            }
    except _DAMAGE:
        return {}
    found = {name: _text(value, page) for name, value in told.items() if value}
    return {name: text for name, text in found.items() if text}


def _text(value: object, page: str) -> str:
    if isinstance(value, bytes):
        try:
            return one_line(value.decode(page, "replace").rstrip("\0"))
        except LookupError:
            return one_line(value.decode("latin-1"))
    if isinstance(value, datetime):
        # The first day of the calendar stands for none.
        return value.isoformat() if value.year > _NO_YEAR else ""
    return one_line(str(value))


def _stream(data: bytes) -> bytes:
    import olefile

    try:
        with olefile.OleFileIO(io.BytesIO(data)) as ole:
            name = next((name for name in _STREAMS if ole.exists(name)), None)
            return b"" if name is None else bytes(ole.openstream(name).read())
    except _DAMAGE:
        return b""


def _records(stream: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at + 4 <= len(stream):
        kind, size = struct.unpack_from("<HH", stream, at)
        yield kind, stream[at + 4 : at + 4 + size]
        at += 4 + size
