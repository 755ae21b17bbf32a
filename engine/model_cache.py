"""Models that are made once on a machine and kept in the user's cache folder.

A model is a folder of files with a ``manifest.json`` that names each with its size and SHA-256.
It is built beside its place and moved there whole, by one process at a time, so a folder either
has a manifest and all its files or is built again. Sizes are checked at each use, digests by
:func:`damaged_files` (reading all bytes would take longer than loading the model).
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from chapterverse.schema.errors import EmbedderError

__all__ = ["CACHE_VARIABLE", "cache_folder", "cached_model", "damaged_files", "is_whole"]

CACHE_VARIABLE = "CHAPTERVERSE_CACHE"
"""Environment variable that names another cache folder."""

MANIFEST = "manifest.json"
LOCK_SECONDS = 900.0


def cache_folder(override: Path | None = None) -> Path:
    """*override*, or the folder that ``CHAPTERVERSE_CACHE`` names, or the user's cache folder."""
    if override is not None:
        return override
    named = os.environ.get(CACHE_VARIABLE)
    if named:
        return Path(named)
    from platformdirs import user_cache_path

    return user_cache_path("chapterverse", appauthor=False)


def cached_model(
    name: str,
    build: Callable[[Path], None],
    *,
    root: Path,
    notify: Callable[[str], None] | None = None,
) -> Path:
    """The folder of the model *name* under *root*; *build* fills it when it is not there.

    *name* must change whenever *build* would write other bytes. *notify* gets one line before a
    build begins. Other processes wait while one builds (at most 15 minutes).

    :raises EmbedderError: the folder cannot be written, or another process builds for too long.
    """
    folder = root / name
    if is_whole(folder):
        return folder
    from filelock import FileLock, Timeout

    try:
        root.mkdir(parents=True, exist_ok=True)
        with FileLock(root / f"{name}.lock", timeout=LOCK_SECONDS):
            if not is_whole(folder):
                if notify is not None:
                    notify("Preparing the embedding model (once) ...")
                _build(folder, build)
    except Timeout as error:
        raise EmbedderError(
            f"Another process has been building the model in {folder} for over "
            f"{LOCK_SECONDS / 60:.0f} minutes; if none is running, delete {name}.lock beside it"
        ) from error
    except OSError as error:
        raise EmbedderError(
            f"The embedding model cannot be written to {folder} ({error}); make the folder "
            f"writable with 500 MB free, or name another one in {CACHE_VARIABLE}"
        ) from error
    return folder


def damaged_files(folder: Path) -> list[str]:
    """Names of the files whose bytes are not those that were built; reads all of them."""
    entries = _manifest(folder)
    if entries is None:
        return [MANIFEST]
    return [
        name
        for name, (size, digest) in entries.items()
        if not _has_size(folder / name, size) or _digest(folder / name) != digest
    ]


def is_whole(folder: Path) -> bool:
    """Whether *folder* holds a model with all its files, by their sizes."""
    entries = _manifest(folder)
    if not entries:
        return False
    return all(_has_size(folder / name, size) for name, (size, _) in entries.items())


def _build(folder: Path, build: Callable[[Path], None]) -> None:
    # The lock is held, so what an interrupted build has left is nobody's.
    for stale in folder.parent.glob(f".{folder.name}.*"):
        shutil.rmtree(stale)
    made = folder.parent / f".{folder.name}.{os.getpid()}"
    made.mkdir()
    try:
        build(made)
        entries = {
            path.name: [path.stat().st_size, _digest(path)] for path in sorted(made.iterdir())
        }
        (made / MANIFEST).write_text(json.dumps(entries, indent=1), encoding="utf-8")
        if folder.exists():
            shutil.rmtree(folder)
        made.replace(folder)
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _manifest(folder: Path) -> dict[str, tuple[int, str]] | None:
    try:
        entries = json.loads((folder / MANIFEST).read_bytes())
        return {name: (int(size), str(digest)) for name, (size, digest) in entries.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return None


def _has_size(path: Path, size: int) -> bool:
    try:
        return path.stat().st_size == size
    except OSError:
        return False


def _digest(path: Path) -> str:
    digest = sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
