"""Small files that are either the old one or the new one, also after a crash."""

from __future__ import annotations

import os
from pathlib import Path

from chapterverse.schema.errors import IndexDamaged

__all__ = ["read_sequence", "sync_folder", "write_file", "write_sequence"]

_SEQUENCE = "applied"


def write_file(path: Path, data: bytes) -> None:
    """Replace *path* by *data* in one step that has reached the disk on return."""
    temporary = path.with_name(path.name + ".new")
    with open(temporary, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make renames and new files in *folder* survive a loss of power, where the system can."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_sequence(folder: Path, seq: int) -> None:
    """Remember in *folder* the last outbox number that its index holds."""
    write_file(folder / _SEQUENCE, str(seq).encode())


def read_sequence(folder: Path) -> int:
    """The number of :func:`write_sequence`.

    Raises :class:`IndexDamaged` when the folder has none, as after a creation that was cut off.
    """
    path = folder / _SEQUENCE
    try:
        return int(path.read_text("ascii"))
    except (OSError, ValueError) as error:
        raise IndexDamaged(
            f"{path} is missing or holds no number, so the index in {folder} is not whole. "
            "Rebuild it from the database."
        ) from error
