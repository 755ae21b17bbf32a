"""Where a base may lie, and how long one that was opened may be used."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from chapterverse import KnowledgeBase
from chapterverse.schema.errors import StoreError
from tests.bases import open_base

USES: list[Callable[[KnowledgeBase], Any]] = [
    lambda kb: kb.search("oil"),
    lambda kb: kb.search("oil", mode="keyword"),
    lambda kb: kb.ingest_text("More oil.", "text:b"),
    lambda kb: kb.ingest([]),
    lambda kb: kb.documents(),
    lambda kb: kb.get("text:a"),
    lambda kb: kb.delete("text:a"),
    lambda kb: kb.status(),
    lambda kb: kb.rebuild(),
]


def test_after_close_every_use_is_refused(tmp_path: Path) -> None:
    kb = open_base(tmp_path / "kb")
    kb.ingest_text("The pump needs oil.", "text:a")
    kb.close()
    kb.close()
    for use in USES:
        with pytest.raises(StoreError, match="was closed"):
            use(kb)
    with open_base(tmp_path / "kb") as again:
        assert [document.uri for document in again.documents()] == ["text:a"]


def test_after_a_fork_the_child_opens_its_own(tmp_path: Path) -> None:
    with open_base(tmp_path / "kb") as kb:
        kb.ingest_text("The pump needs oil.", "text:a")
        assert kb.search("oil")
        child = os.fork()
        if child == 0:
            refused = 0
            for use in USES:
                with suppress(BaseException):
                    try:
                        use(kb)
                    except StoreError as error:
                        refused += "before it forked" in str(error)
            os._exit(refused)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == len(USES)
        assert kb.ingest_text("More oil.", "text:b").status == "ingested"
        assert len(kb.search("oil")) == 2


@pytest.mark.parametrize("place", ["file", "file/below", "/proc/none", "no\0name", "n" * 300])
def test_a_folder_that_cannot_be(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    with pytest.raises(StoreError):
        open_base(tmp_path / place)
    assert (tmp_path / "file").read_text(encoding="utf-8") == "mine"


def found(kb: KnowledgeBase) -> dict[str, str]:
    """What a search for each document's own word finds of it, in both channels."""
    texts = {}
    for document in kb.documents():
        word = document.uri.removeprefix("text:")
        for mode in ("keyword", "dense"):
            hits = kb.search(f"{word}word", 1, mode=mode)
            assert [hit.document.uri for hit in hits] == [document.uri]
        texts[document.uri] = hits[0].text
    return texts


@pytest.mark.parametrize("first", ["search", "write"])
@pytest.mark.parametrize("older", ["database", "indexes"])
def test_one_half_put_back_from_an_older_copy(tmp_path: Path, older: str, first: str) -> None:
    """What one half lacks is not in the outbox: the database decides, the indexes follow."""
    base, old, new = tmp_path / "kb", tmp_path / "old", tmp_path / "new"
    with open_base(base) as kb:
        for word in "abc":
            kb.ingest_text(f"{word}word first", f"text:{word}")
    shutil.copytree(base, old)
    with open_base(base) as kb:
        kb.delete("text:a")
        kb.ingest_text("bword second", "text:b")
        kb.ingest_text("dword second", "text:d")
    shutil.copytree(base, new)
    database, indexes = (old, new) if older == "database" else (new, old)
    shutil.copy(database / "kb.sqlite3", base / "kb.sqlite3")
    shutil.rmtree(base / "generations")
    shutil.copytree(indexes / "generations", base / "generations")
    expected = (
        {"text:a": "aword first", "text:b": "bword first", "text:c": "cword first"}
        if older == "database"
        else {"text:b": "bword second", "text:c": "cword first", "text:d": "dword second"}
    )
    for use in (first, "write", "search"):
        with open_base(base) as kb:
            if use == "write":
                kb.ingest_text("eword", "text:e")
                expected["text:e"] = "eword"
            assert found(kb) == expected
            assert kb.status().keyword_entries == kb.status().children


def test_an_index_that_may_not_be_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: object, *_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    with open_base(tmp_path / "kb") as kb:
        kb.ingest_text("aword", "text:a")
    (tmp_path / "kb" / "generations" / "1" / "vectors" / "state.json").unlink()
    with open_base(tmp_path / "kb") as kb:
        with monkeypatch.context() as patch:
            patch.setattr("chapterverse.engine.indexes.shutil.rmtree", refuse)
            with pytest.raises(StoreError, match=r"indexes in .*Permission denied"):
                kb.search("aword")
            with pytest.raises(StoreError, match=r"indexes in .*Permission denied"):
                kb.ingest_text("bword", "text:b")
        assert found(kb) == {"text:a": "aword"}


def test_source_copies_that_may_not_be_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> object:
        raise PermissionError(13, "Permission denied", str(path))

    with open_base(tmp_path / "kb") as kb:
        kb.ingest_text("aword", "text:a")
        with monkeypatch.context() as patch:
            patch.setattr(Path, "iterdir", refuse)
            with pytest.raises(StoreError, match="no longer needed cannot be removed"):
                kb.delete("text:a")
        assert kb.documents() == []
