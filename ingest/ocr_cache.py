"""What was recognised once, kept by the content of the picture."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from pathlib import Path

import msgspec

from chapterverse.ingest.ocr_lines import ReadPicture

__all__ = ["OcrCache", "picture_key"]


def picture_key(content: bytes, *terms: object) -> str:
    """sha256 of a picture's bytes and of everything else that the result depends on."""
    digest = hashlib.sha256(content)
    digest.update("\0".join(["", *map(str, terms)]).encode())
    return digest.hexdigest()


class OcrCache:
    """Recognised pictures as JSON files, two levels of folders below *folder*.

    Safe for several processes: files appear whole or not at all, a damaged one counts as absent.
    Without a folder nothing is kept. A full or read-only disk costs the cache, not the document.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def get(self, key: str) -> ReadPicture | None:
        """What was kept under *key*."""
        if self._folder is None:
            return None
        with contextlib.suppress(OSError, msgspec.MsgspecError):
            return msgspec.json.decode(self._path(key).read_bytes(), type=ReadPicture)
        return None

    def put(self, key: str, picture: ReadPicture) -> None:
        """Keep *picture* under *key*."""
        if self._folder is None:
            return
        path = self._path(key)
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(msgspec.json.encode(picture))
                os.replace(name, path)
            except OSError:
                Path(name).unlink(missing_ok=True)
                raise

    def _path(self, key: str) -> Path:
        assert self._folder is not None
        return self._folder / key[:2] / key[2:4] / f"{key}.json"
