"""ZIP packages for tests: made of members, or made anew with some of them changed."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping

__all__ = ["damaged", "edited", "packed"]


def packed(members: Mapping[str, bytes | str]) -> bytes:
    """An archive of *members*, in their order, not compressed."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def edited(data: bytes, change: Callable[[str, bytes], bytes | None]) -> bytes:
    """The package with each part changed; ``None`` leaves the part out."""
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        parts = {name: change(name, package.read(name)) for name in package.namelist()}
    return packed({name: content for name, content in parts.items() if content is not None})


def damaged(data: bytes, *names: str) -> bytes:
    """The package compressed, with the bytes of the parts *names* such that none can unpack."""
    buffer = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(data)) as package,
        zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as target,
    ):
        for name in package.namelist():
            target.writestr(name, package.read(name))
        starts = {i.filename: i.header_offset + 30 + len(i.filename) for i in target.infolist()}
    broken = bytearray(buffer.getvalue())
    for name in names:
        # The type of block that RFC 1951 keeps reserved.
        broken[starts[name]] = 0xFF
    return bytes(broken)
