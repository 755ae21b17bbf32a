"""What lies on the sheets of an old Excel workbook beside its cells: counted, not read.

Some sizes that its records state are checked, too.
"""

from __future__ import annotations

import io
import struct
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta

from chapterverse.ingest.lines import one_line
from chapterverse.ingest.xls_container import DAMAGE
from chapterverse.schema.wellformed import well_formed

__all__ = ["check_sizes", "count_beside", "summary"]

_NOTE, _OBJECT = 0x001C, 0x005D
_DIMENSIONS, _TEXTS, _ENCRYPTED = 0x0200, 0x00FC, 0x002F
_MOST_ROWS, _MOST_COLUMNS = 65_536, 256
# Kinds of drawn objects ([MS-XLS] 2.5.143).
_OBJECTS = {0x05: "charts", 0x06: "text boxes", 0x08: "pictures"}
_SUMMARY = "\x05SummaryInformation"
_TOLD = {2: "title", 3: "subject", 4: "author", 5: "keywords", 12: "created", 13: "modified"}
_MOST_SUMMARY, _MOST_PROPERTIES = 1 << 20, 64
_EPOCH, _LAST_TICK = datetime(1601, 1, 1), 10**18


def count_beside(stream: bytes) -> Counter[str]:
    """Comments, charts, text boxes and pictures among the records of *stream*, by name."""
    found: Counter[str] = Counter()
    for kind, body in _records(stream):
        if kind == _NOTE:
            found["comments"] += 1
        elif kind == _OBJECT and len(body) >= 6:
            name = _OBJECTS.get(int.from_bytes(body[4:6], "little"))
            if name:
                found[name] += 1
    return found


def check_sizes(stream: bytes) -> None:
    """Refuse sizes for which the library would take more memory than there is, and be ended.

    :raises ValueError: a sheet of more rows or columns, or more texts, than there can be.
    """
    for kind, body in _records(stream):
        if kind == _ENCRYPTED:
            return  # what follows means nothing
        if kind == _DIMENSIONS and len(body) >= 12:
            top, bottom, left, right = struct.unpack_from("<IIHH", body)
            if not (top <= bottom <= _MOST_ROWS and left <= right <= _MOST_COLUMNS):
                claimed = f"rows {top:,} to {bottom:,} and columns {left:,} to {right:,}"
                raise ValueError(f"a sheet claims {claimed}")
        elif kind == _TEXTS and len(body) >= 8:
            (texts,) = struct.unpack_from("<I", body, 4)
            if texts > len(stream):
                raise ValueError(f"it claims {texts:,} texts in {len(stream):,} bytes")


def summary(data: bytes) -> dict[str, str]:
    """What the file *data* says about itself: title, author and so on."""
    import olefile

    try:
        with olefile.OleFileIO(io.BytesIO(data)) as ole:
            if not ole.exists(_SUMMARY):
                return {}
            told = dict(_properties(bytes(ole.openstream(_SUMMARY).read(_MOST_SUMMARY))))
    except DAMAGE:
        return {}
    found = {name: told.get(number, "") for number, name in _TOLD.items()}
    return {name: text for name, text in found.items() if text}


def _properties(stream: bytes) -> Iterator[tuple[int, str]]:
    """Texts and times of a property set ([MS-OLEPS] 2.20) by number; ends where it is damaged.

    :raises struct.error: it is cut off.
    """
    (start,) = struct.unpack_from("<I", stream, 44)
    (count,) = struct.unpack_from("<I", stream, start + 4)
    page = "cp1252"
    for index in range(min(count, _MOST_PROPERTIES)):
        number, offset = struct.unpack_from("<II", stream, start + 8 + 8 * index)
        kind, size = struct.unpack_from("<II", stream, start + offset)
        value = stream[start + offset + 8 :]
        if number == 1:
            page = "utf-8" if size & 0xFFFF == 65001 else f"cp{size & 0xFFFF}"
        elif kind == 0x1E:
            yield number, _text(value[:size], page)
        elif kind == 0x1F:
            yield number, _text(value[: 2 * size], "utf-16-le")
        elif kind == 0x40:
            (ticks,) = struct.unpack_from("<Q", stream, start + offset + 4)
            if 0 < ticks < _LAST_TICK:
                yield number, (_EPOCH + timedelta(microseconds=ticks // 10)).isoformat()


def _text(value: bytes, page: str) -> str:
    try:
        text = value.decode(page, "replace")
    except LookupError:
        text = value.decode("latin-1")
    return one_line(well_formed(text).partition("\0")[0])


def _records(stream: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at + 4 <= len(stream):
        kind, size = struct.unpack_from("<HH", stream, at)
        yield kind, stream[at + 4 : at + 4 + size]
        at += 4 + size
