"""Office packages with damaged parts: the rest is read, and what was left out is said."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from dataclasses import replace

from chapterverse.ingest.ooxml import DAMAGE, parse_xml
from chapterverse.schema.records import Parsed, ParseWarning

__all__ = ["read_repaired", "without_damaged"]

_UNREADABLE = (*DAMAGE, OSError, RuntimeError)
"""What a member raises that cannot be unpacked; marked as encrypted, or packed in unknown ways."""
_SHOWN = 5


def read_repaired(
    data: bytes, read: Callable[[bytes], Parsed], damage: tuple[type[Exception], ...]
) -> Parsed:
    """What *read* makes of *data*; where it fails with *damage*, of its whole parts alone.

    :raises Exception: one of *damage*, where no part is damaged or those left are not enough.
    """
    try:
        return read(data)
    except damage:
        whole, lost = without_damaged(data)
        if not lost:
            raise
    parsed = read(whole)
    shown = ", ".join(lost[:_SHOWN]) + (", ..." if len(lost) > _SHOWN else "")
    parts = "1 part of the file is" if len(lost) == 1 else f"{len(lost)} parts of the file are"
    warning = ParseWarning("part_damaged", f"{parts} damaged and left out: {shown}")
    return replace(parsed, warnings=(warning, *parsed.warnings))


def without_damaged(data: bytes) -> tuple[bytes, tuple[str, ...]]:
    """The package without parts that do not unpack or are no well-formed XML; and their names."""
    parts: dict[str, bytes] = {}
    lost: list[str] = []
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            for name in dict.fromkeys(package.namelist()):
                content = _whole(package, name)
                if content is None:
                    lost.append(name)
                else:
                    parts[name] = content
    except _UNREADABLE:
        return data, ()
    if not lost:
        return data, ()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as target:
        for name, content in parts.items():
            target.writestr(name, content)
    return buffer.getvalue(), tuple(lost)


def _whole(package: zipfile.ZipFile, name: str) -> bytes | None:
    from lxml import etree

    try:
        content = package.read(name)
        if name.endswith((".xml", ".rels")):
            parse_xml(content)
    except (etree.XMLSyntaxError, *_UNREADABLE):
        return None
    return content
