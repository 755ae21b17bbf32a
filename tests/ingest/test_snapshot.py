"""Snapshots of source files: whole, named by content, and nothing else left behind."""

from __future__ import annotations

import errno
import hashlib
import os
from pathlib import Path
from typing import Any

import pytest

from chapterverse.ingest.snapshot import Blobs, hash_file
from chapterverse.schema.errors import (
    Empty,
    FileChanged,
    FileMissing,
    FileUnreadable,
    StoreFull,
    TooLarge,
)

DATA = b"The pump needs oil. " * 200_000
SHA = hashlib.sha256(DATA).hexdigest()


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "source.bin"
    path.write_bytes(DATA)
    return path


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def test_hash_of_a_file(source: Path) -> None:
    assert hash_file(source, len(DATA)) == (SHA, len(DATA))


def test_files_that_cannot_be_hashed(source: Path, tmp_path: Path) -> None:
    with pytest.raises(TooLarge, match=r"4,000,000 bytes; the limit is 3,999,999.*max_bytes"):
        hash_file(source, len(DATA) - 1)
    with pytest.raises(FileMissing, match=r"gone\.bin"):
        hash_file(tmp_path / "gone.bin", 10)
    with pytest.raises(FileUnreadable, match="Is a directory"):
        hash_file(tmp_path, 10)
    (tmp_path / "empty").touch()
    with pytest.raises(Empty, match="0 bytes"):
        hash_file(tmp_path / "empty", 10)


def test_a_file_that_grows_is_not_read_beyond_the_limit(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chapterverse.ingest.snapshot._read", lambda *_: b"more")
    with pytest.raises(TooLarge, match="limit is 100"):
        hash_file(source, 100)


def test_a_file_that_says_it_is_empty_is_not_read(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object) -> bytes:
        raise AssertionError("read")

    source.write_bytes(b"")
    monkeypatch.setattr("chapterverse.ingest.snapshot._read", never)
    with pytest.raises(Empty, match="0 bytes"):
        hash_file(source, 100)


def test_keep_copies_once(source: Path, tmp_path: Path) -> None:
    blobs = Blobs(tmp_path / "blobs")
    kept = blobs.keep(source, SHA)
    assert kept == blobs.path(SHA) == tmp_path / "blobs" / SHA[:2] / SHA
    assert kept.read_bytes() == DATA
    source.unlink()
    assert blobs.keep(source, SHA) == kept
    assert blobs.keep_bytes(DATA) == SHA
    assert files(tmp_path / "blobs") == [SHA]


def test_a_file_that_changed_is_not_kept(source: Path, tmp_path: Path) -> None:
    blobs = Blobs(tmp_path / "blobs")
    source.write_bytes(DATA + b"!")
    with pytest.raises(FileChanged, match="Ingest it again"):
        blobs.keep(source, SHA)
    assert files(tmp_path / "blobs") == []


class Failing:
    """A file whose disk gives up: reads or writes raise."""

    def __init__(self, file: Any, verb: str, number: int) -> None:
        self.file, self.verb, self.number = file, verb, number

    def __getattr__(self, name: str) -> Any:
        if name == self.verb:
            raise OSError(self.number, os.strerror(self.number))
        return getattr(self.file, name)

    def __enter__(self) -> Failing:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()


def failing(monkeypatch: pytest.MonkeyPatch, wanted: str, verb: str, number: int) -> None:
    real = Path.open

    def opened(path: Path, mode: str = "r", *others: Any) -> Any:
        file = real(path, mode, *others)
        return Failing(file, verb, number) if mode == wanted else file

    monkeypatch.setattr(Path, "open", opened)


def test_a_source_that_cannot_be_read_is_to_blame(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing(monkeypatch, "rb", "read", errno.EIO)
    with pytest.raises(FileUnreadable, match=r"source\.bin cannot be read: Input/output error"):
        hash_file(source, len(DATA))
    with pytest.raises(FileUnreadable, match=r"source\.bin"):
        Blobs(tmp_path / "blobs").keep(source, SHA)
    assert files(tmp_path / "blobs") == []


def test_a_full_disk_is_to_blame(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing(monkeypatch, "wb", "write", errno.ENOSPC)
    with pytest.raises(StoreFull, match=r"No space left.*Free some space"):
        Blobs(tmp_path / "blobs").keep(source, SHA)
    with pytest.raises(StoreFull, match=r"No space left.*Free some space"):
        Blobs(tmp_path / "blobs").keep_bytes(DATA)
    assert files(tmp_path / "blobs") == []


def test_retain(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path / "blobs")
    blobs.retain({"x"})
    one, two = blobs.keep_bytes(b"one"), blobs.keep_bytes(b"two")
    blobs.path(one).with_name(f"{one}.7.partial").write_bytes(b"on")
    (tmp_path / "blobs" / "README").write_text("not ours", encoding="utf-8")
    blobs.retain({one, "not there"})
    assert files(tmp_path / "blobs") == sorted([one, "README"])
    assert not blobs.path(two).parent.exists()
    blobs.retain(set())
    assert files(tmp_path / "blobs") == ["README"]
