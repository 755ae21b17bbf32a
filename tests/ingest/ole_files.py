"""OLE compound files for tests: folders and streams, written as simply as the format allows."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

__all__ = ["Tree", "ole_file"]

Tree = dict[str, "bytes | Tree"]
"""A folder: names to the bytes of streams, or to folders."""

_END, _FREE, _FAT = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD
_NONE = 0xFFFFFFFF
_CUTOFF = 4096
"""Shorter streams lie in the stream of the root, in sectors of their own."""


@dataclass
class _Entry:
    name: str
    kind: int
    data: bytes = b""
    right: int = _NONE
    child: int = _NONE
    start: int = _END


@dataclass
class _Sectors:
    size: int
    data: list[bytes] = field(default_factory=list)
    chain: list[int] = field(default_factory=list)

    def store(self, data: bytes) -> int:
        if not data:
            return _END
        start = len(self.data)
        for at in range(0, len(data), self.size):
            self.data.append(data[at : at + self.size].ljust(self.size, b"\0"))
            self.chain.append(len(self.data))
        self.chain[-1] = _END
        return start


def ole_file(tree: Tree) -> bytes:
    """The bytes of a compound file (version 3, 512-byte sectors) that holds *tree*."""
    root = _Entry("Root Entry", 5)
    entries = [root]
    _add(entries, 0, tree)
    sectors, small = _Sectors(512), _Sectors(64)
    for entry in entries:
        if entry.kind == 2:
            entry.start = (sectors if len(entry.data) >= _CUTOFF else small).store(entry.data)
    root.data = b"".join(small.data)
    root.start = sectors.store(root.data)
    small_fat = sectors.store(_links(small.chain))
    directory = sectors.store(b"".join(map(_packed, entries)))
    count = 1
    while len(sectors.data) + count > count * 128:
        count += 1
    table = [len(sectors.data) + number for number in range(count)]
    header = struct.pack(
        "<8s16sHHHHH6xIIIIIIIII",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"", 0x3E, 3, 0xFFFE, 9, 6, 0, count,
        directory, 0, _CUTOFF, small_fat, -(-len(small.chain) // 128), _END, 0,
    )  # fmt: skip
    header += _links([*table, *[_FREE] * (109 - count)])
    fat = _links([*sectors.chain, *[_FAT] * count])
    return header + b"".join(sectors.data) + fat.ljust(count * 512, b"\xff")


def _add(entries: list[_Entry], owner: int, tree: Tree) -> None:
    """Siblings hang on each other's right: a poor tree, but one that readers can walk."""
    before: int | None = None
    # Names are ordered by length, then by letters.
    for name in sorted(tree, key=lambda name: (len(name), name.upper())):
        content = tree[name]
        number = len(entries)
        if before is None:
            entries[owner].child = number
        else:
            entries[before].right = number
        before = number
        if isinstance(content, bytes):
            entries.append(_Entry(name, 2, content))
        else:
            entries.append(_Entry(name, 1))
            _add(entries, number, content)


def _links(numbers: list[int]) -> bytes:
    return b"".join(struct.pack("<I", number) for number in numbers)


def _packed(entry: _Entry) -> bytes:
    name = entry.name.encode("utf-16-le") + b"\0\0"
    start = 0 if entry.kind == 1 else entry.start
    return struct.pack(
        "<64sHBBIII16sIQQIQ",
        name, len(name), entry.kind, 1, _NONE, entry.right, entry.child, b"", 0, 0, 0,
        start, len(entry.data),
    )  # fmt: skip
