"""Source files kept by content: what is hashed is what is parsed, come what may.

A snapshot lies at ``blobs/ab/abcdef...``, named by the sha256 of its bytes; it appears there by
rename, so a file with the right name is whole.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from chapterverse.schema.errors import (
    Empty,
    FileChanged,
    FileMissing,
    FileUnreadable,
    StoreError,
    StoreFull,
    TooLarge,
)

__all__ = ["Blobs", "hash_file"]

_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Blobs:
    """The folder of snapshots."""

    folder: Path

    def path(self, sha256: str) -> Path:
        """Where the content of this digest lies, whether or not it is there."""
        return self.folder / sha256[:2] / sha256

    def keep(self, source: Path, sha256: str) -> Path:
        """Copy *source*, whose digest was *sha256* a moment ago, and return the copy.

        :raises FileChanged: the file was written to in the meantime.
        :raises StoreFull: there is no room for the copy.
        """
        target = self.path(sha256)
        if target.exists():
            return target
        partial = target.with_name(f"{sha256}.{os.getpid()}.partial")
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with _open(source) as original, partial.open("wb") as copy:
                digest = _copy(original, copy, source)
            if digest != sha256:
                raise FileChanged(
                    f"{source} changed while it was being read. Ingest it again once the program "
                    "that writes it has finished."
                )
            partial.replace(target)
        except OSError as error:
            raise _no_room(target.parent, error) from error
        finally:
            partial.unlink(missing_ok=True)
        return target

    def keep_bytes(self, data: bytes) -> str:
        """Store *data* and return its digest."""
        sha256 = hashlib.sha256(data).hexdigest()
        target = self.path(sha256)
        if not target.exists():
            partial = target.with_name(f"{sha256}.{os.getpid()}.partial")
            try:
                target.parent.mkdir(parents=True, exist_ok=True)
                partial.write_bytes(data)
                partial.replace(target)
            except OSError as error:
                raise _no_room(target.parent, error) from error
            finally:
                partial.unlink(missing_ok=True)
        return sha256

    def retain(self, wanted: set[str]) -> None:
        """Remove every snapshot whose digest is not in *wanted*, and copies left half-made.

        :raises StoreError: the folder cannot be read or changed.
        """
        if not self.folder.is_dir():
            return
        try:
            for shard in self.folder.iterdir():
                for file in shard.iterdir() if shard.is_dir() else ():
                    if file.name not in wanted:
                        file.unlink(missing_ok=True)
                if shard.is_dir() and not any(shard.iterdir()):
                    shutil.rmtree(shard, ignore_errors=True)
        except OSError as error:
            raise StoreError(
                f"Copies of source files in {self.folder} that are no longer needed cannot be "
                f"removed: {error}. Check your rights there and run the same command again."
            ) from error


def hash_file(path: Path, max_bytes: int) -> tuple[str, int]:
    """sha256 (hexadecimal) and size of a file, read once.

    :raises FileMissing, FileUnreadable: it is gone, or may not be read.
    :raises Empty: it has no bytes.
    :raises TooLarge: it is over *max_bytes*; nothing is read then.
    """
    with _open(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size == 0:
            # Files of the kernel say so, too, and reading some of them never ends.
            raise Empty(f"{path} is empty (0 bytes).")
        digest = hashlib.sha256()
        total = 0
        while size <= max_bytes and (chunk := _read(file, path)):
            digest.update(chunk)
            total += len(chunk)
            # It may grow meanwhile, without end.
            size = max(size, total)
    if size > max_bytes:
        raise TooLarge(
            f"{path} has {size:,} bytes; the limit is {max_bytes:,}. Split it, or raise max_bytes."
        )
    if total == 0:
        raise Empty(f"{path} is empty (0 bytes).")
    return digest.hexdigest(), total


def _open(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except FileNotFoundError as error:
        raise FileMissing(f"{path} does not exist any more.") from error
    except OSError as error:
        raise _unreadable(path, error) from error


def _read(file: BinaryIO, path: Path) -> bytes:
    try:
        return file.read(_CHUNK)
    except OSError as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: OSError) -> FileUnreadable:
    return FileUnreadable(f"{path} cannot be read: {error.strerror or error}.")


def _no_room(folder: Path, error: OSError) -> StoreFull:
    return StoreFull(
        f"A copy of a source file could not be written to {folder}: {error.strerror or error}. "
        "Free some space and run the same command again."
    )


def _copy(source: BinaryIO, target: BinaryIO, path: Path) -> str:
    digest = hashlib.sha256()
    while chunk := _read(source, path):
        digest.update(chunk)
        target.write(chunk)
    target.flush()
    os.fsync(target.fileno())
    return digest.hexdigest()
