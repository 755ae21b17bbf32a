"""Properties of an Outlook message or of a part of it ([MS-OXMSG] 2.4, [MS-OXCDATA] 2.11.1)."""

from __future__ import annotations

import re
import struct
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

from chapterverse.ingest.encoding import decode
from chapterverse.schema.wellformed import well_formed

__all__ = ["MessageStore", "unpack_rtf"]

_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)
_UNICODE, _BYTES, _BINARY = 0x001F, 0x001E, 0x0102
_INTEGER, _TIME = 0x0003, 0x0040
_UTF8_PAGE = 65001
_MAX_RTF = 64 << 20


class MessageStore:
    """A folder of an OLE file that holds the properties of one thing, by property number."""

    def __init__(self, ole: Any, path: tuple[str, ...], header: int, page: int = 0) -> None:
        """*header* is how many bytes stand before the fixed properties of this kind of folder."""
        self._ole = ole
        self._path = path
        self._fixed = _fixed(self._stream("__properties_version1.0"), header)
        number = self.number(0x3FDE) or self.number(0x3FFD) or page
        self._page = number

    @property
    def codepage(self) -> str | None:
        """The encoding of 8-bit texts; ``None`` when the message does not say."""
        return "utf-8" if self._page == _UTF8_PAGE else f"cp{self._page}" if self._page else None

    def inside(self, folder: str, header: int) -> MessageStore:
        """The properties in a *folder* of this one."""
        return MessageStore(self._ole, (*self._path, folder), header, self._page)

    def folders(self, prefix: str) -> list[str]:
        """Names of the folders that begin with *prefix*, in order."""
        depth = len(self._path)
        return sorted(
            {
                entry[depth]
                for entry in self._ole.listdir(streams=False, storages=True)
                if tuple(entry[:depth]) == self._path
                and len(entry) == depth + 1
                and entry[depth].startswith(prefix)
            }
        )

    def text(self, number: int) -> str:
        """A text; empty when there is none."""
        wide = self._stream(f"__substg1.0_{number:04X}{_UNICODE:04X}")
        if wide:
            return well_formed(wide.decode("utf-16-le", "replace")).rstrip("\0")
        narrow = self._stream(f"__substg1.0_{number:04X}{_BYTES:04X}")
        return well_formed(decode(narrow, self.codepage).text).rstrip("\0")

    def data(self, number: int) -> bytes:
        """A run of bytes; empty when there is none."""
        return self._stream(f"__substg1.0_{number:04X}{_BINARY:04X}")

    def number(self, number: int) -> int | None:
        """A 32-bit integer."""
        value = self._fixed.get((number, _INTEGER))
        return None if value is None else int(struct.unpack("<I4x", value)[0])

    def date(self, number: int) -> str:
        """A point in time as mail writes it, in UTC; empty when there is none."""
        value = self._fixed.get((number, _TIME))
        ticks = struct.unpack("<Q", value)[0] if value else 0
        try:
            return format_datetime(_EPOCH + timedelta(microseconds=ticks // 10)) if ticks else ""
        except OverflowError:
            return ""

    def _stream(self, name: str) -> bytes:
        path = [*self._path, name]
        if self._ole.get_type(path) != 2:
            return b""
        return bytes(self._ole.openstream(path).read())


def _fixed(data: bytes, header: int) -> dict[tuple[int, int], bytes]:
    found: dict[tuple[int, int], bytes] = {}
    for start in range(header, len(data) - 15, 16):
        kind, number = struct.unpack_from("<HH", data, start)
        found.setdefault((number, kind), data[start + 8 : start + 16])
    return found


# The dictionary that every compressed body begins with ([MS-OXRTFCP] 2.1.2.1).
_PRELOADED = (
    b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern "
    b"\\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0"
    b"\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx"
)


def unpack_rtf(data: bytes) -> bytes | None:
    """Rich text out of its compressed form ([MS-OXRTFCP]); ``None`` when it is damaged."""
    if len(data) < 16:
        return None
    _, size, magic, _ = struct.unpack_from("<4I", data)
    if magic == 0x414C454D:  # "MELA": stored as it is
        return data[16 : 16 + size]
    if magic != 0x75465A4C or size > _MAX_RTF:  # "LZFu"
        return None
    ring = bytearray(_PRELOADED.ljust(4096, b"\0"))
    write, position = len(_PRELOADED), 16
    out = bytearray()
    while position < len(data) and len(out) < size:
        flags = data[position]
        position += 1
        for bit in range(8):
            if flags >> bit & 1:
                if position + 2 > len(data):
                    return bytes(out)
                token = data[position] << 8 | data[position + 1]
                position += 2
                read = token >> 4
                if read == write:
                    return bytes(out)
                run = _copied(ring, read, write, (token & 15) + 2)
            else:
                run = data[position : position + 1]
                position += 1
                ring[write : write + 1] = run
            out += run
            write = (write + len(run)) % 4096
    return bytes(out[:size]) if re.match(rb"\{\\rtf", out) else None


def _copied(ring: bytearray, read: int, write: int, length: int) -> bytes:
    """*length* bytes from *read* on, written at *write* one by one: the two may overlap."""
    run = bytearray()
    for step in range(length):
        byte = ring[(read + step) % 4096]
        ring[(write + step) % 4096] = byte
        run.append(byte)
    return bytes(run)
