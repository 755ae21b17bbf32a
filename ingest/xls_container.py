"""The container of an old Excel workbook ([MS-CFB]): its stream taken out, and packed anew.

The library that reads the cells trusts the links between sectors: damaged ones make it run out of
memory or panic. olefile follows them with care, so the library is only given what we packed.
"""

from __future__ import annotations

import io
import struct

__all__ = ["DAMAGE", "packed_anew", "workbook_stream"]

DAMAGE = (OSError, ValueError, IndexError, KeyError, TypeError, AttributeError, struct.error)
"""What olefile raises on damaged files."""

_STREAMS = ("Workbook", "Book")
_SECTOR = 4096
_END, _FREE, _FAT = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD
_LINKS = _SECTOR // 4
_MOST_FAT = 109


def workbook_stream(data: bytes) -> tuple[str, bytes]:
    """Name and bytes of the stream with the records of the workbook.

    :raises ValueError: there is none, or it is not whole.
    :raises OSError: no container, or a damaged one (as others of :data:`DAMAGE`).
    """
    import olefile

    with olefile.OleFileIO(io.BytesIO(data)) as ole:
        name = next((name for name in _STREAMS if ole.exists(name)), None)
        if name is None:
            raise ValueError("it holds no workbook")
        stream, size = bytes(ole.openstream(name).read()), int(ole.get_size(name))
    if len(stream) < size:
        raise ValueError(f"{len(stream):,} of {size:,} bytes of the workbook are there")
    return name, stream


def packed_anew(name: str, stream: bytes) -> bytes:
    """A container (version 4, sectors of 4,096 bytes) that holds *stream* and nothing else.

    :raises ValueError: more than about 450 MB.
    """
    size = max(len(stream), _SECTOR)
    count = -(-size // _SECTOR)
    tables = -(-(count + 2) // (_LINKS - 1))
    if tables > _MOST_FAT:
        raise ValueError(f"the workbook holds {size:,} bytes, which is too much")
    # The tables of links, the directory, a sector of short streams (none, but the library wants
    # there to be some), the workbook.
    first = tables + 2
    links = [*[_FAT] * tables, _END, _END, *range(first + 1, first + count), _END]
    links += [_FREE] * (tables * _LINKS - len(links))
    places = [*range(tables), *[_FREE] * (_MOST_FAT - tables)]
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16)
    header += struct.pack("<HHHHH6xIIII", 0x3E, 4, 0xFFFE, 12, 6, 1, tables, tables, 0)
    header += struct.pack("<IIIII", 4096, _END, 0, _END, 0) + struct.pack("<109I", *places)
    directory = _entry("Root Entry", 5, 1, tables + 1, 64) + _entry(name, 2, _FREE, first, size)
    return b"".join((
        header.ljust(_SECTOR, b"\0"),
        struct.pack(f"<{len(links)}I", *links),
        directory.ljust(2 * _SECTOR, b"\0"),
        stream.ljust(count * _SECTOR, b"\0"),
    ))  # fmt: skip


def _entry(name: str, kind: int, child: int, first: int, size: int) -> bytes:
    raw = name.encode("utf-16-le") + b"\0\0"
    head = raw.ljust(64, b"\0") + struct.pack("<HBBIII", len(raw), kind, 1, _FREE, _FREE, child)
    return head + bytes(36) + struct.pack("<IQ", first, size)
