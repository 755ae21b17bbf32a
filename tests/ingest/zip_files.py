"""ZIP packages for tests: made of members, or made anew with some of them changed."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping

__all__ = ["edited", "packed"]


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
