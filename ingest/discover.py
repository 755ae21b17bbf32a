"""Paths that a user names to the files behind them, in a stable order."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from chapterverse.schema.errors import DocumentError, FileMissing, FileUnreadable, Unsupported
from chapterverse.schema.wellformed import well_formed

__all__ = ["Found", "discover"]


@dataclass(frozen=True, slots=True)
class Found:
    """A file to ingest, or why there is none. ``size`` in bytes, 0 when not known.

    ``named`` tells a file that the user named from one that was found below a folder.
    """

    path: Path
    size: int = 0
    error: DocumentError | None = None
    named: bool = True

    @property
    def uri(self) -> str:
        """The ``file:`` URI that names the document."""
        return self.path.as_uri()


def discover(paths: Sequence[str | Path], *, skip: Path | None = None) -> list[Found]:
    """Files named directly, and all files below folders, each once.

    Folders are walked in name order without following links to folders. Hidden files and folders
    (a leading dot, as with ``.git``) below a named folder are left alone, as is the folder *skip*
    (the knowledge base itself). A path that does not exist, or a folder that holds no file at
    all, gives an entry with an error; so does an empty name, as from an unset variable.
    """
    found: dict[Path, Found] = {}
    for given in paths:
        path = Path(os.path.abspath(os.path.expanduser(given)))
        try:
            os.fsencode(path)
        except UnicodeEncodeError:
            path = Path(well_formed(str(path)))  # the system holds no such path
        if given == "":
            error = FileMissing("An empty path was given; name '.' to ingest the working folder.")
            found.setdefault(path, Found(path, error=error))
            continue
        for item in _below(path, skip):
            found.setdefault(item.path, item)
    return list(found.values())


def _below(path: Path, skip: Path | None) -> Iterator[Found]:
    if not os.path.lexists(path):
        yield Found(path, error=FileMissing(f"{path} does not exist; check the spelling."))
    elif skip is not None and any(_same(place, skip) for place in (path, *path.parents)):
        where = "is" if _same(path, skip) else "belongs to"
        yield Found(path, error=Unsupported(f"{path} {where} the knowledge base itself."))
    elif path.is_dir():
        empty = True
        for item in _walk(path, skip):
            empty = False
            yield replace(item, named=False)
        if empty:
            yield Found(path, error=FileMissing(f"The folder {path} holds no files."))
    else:
        yield _file(path)


def _walk(folder: Path, skip: Path | None) -> Iterator[Found]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        yield Found(folder, error=FileUnreadable(f"The folder {folder} cannot be read: {error}"))
        return
    for entry in entries:
        if entry.name.startswith("."):
            continue
        path = Path(entry.path)
        if entry.is_dir(follow_symlinks=False):
            if skip is None or not _same(path, skip):
                yield from _walk(path, skip)
        elif not (entry.is_symlink() and path.is_dir()):
            yield _file(path)


def _same(path: Path, skip: Path) -> bool:
    # The folder may have been reached through a link, under another name.
    try:
        return path.name == skip.name and os.path.samefile(path, skip)
    except OSError:
        return False


def _file(path: Path) -> Found:
    try:
        if not path.is_file():
            return Found(path, error=_not_a_file(path))
        return Found(path, path.stat().st_size)
    except OSError as error:
        return Found(path, error=FileUnreadable(f"{path} cannot be read: {error}"))


def _not_a_file(path: Path) -> DocumentError:
    if not path.exists():
        return FileMissing(f"{path} is a link to something that does not exist.")
    return Unsupported(f"{path} is a device, socket or pipe; only regular files can be ingested.")
