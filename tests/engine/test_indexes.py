"""The set of indexes: a worn graph is made anew, a full disk is named."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from chapterverse.engine import chroma_index
from chapterverse.engine.vectors import VectorFile
from chapterverse.schema.errors import StoreFull
from tests.bases import all_ids, open_base


def test_many_replacements_do_not_wear_chroma_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chroma_index, "_WORN_ROWS", 20)
    with open_base(tmp_path / "kb", exact_limit=0) as kb:
        for number in range(30):
            kb.ingest_text(f"The turbine has serial number {number}.", "text:turbine")
        with kb._session.writing() as indexes:
            assert not indexes.chroma.is_worn()
        assert "number 29" in kb.search("turbine serial number", 1)[0].text
        ids = all_ids(kb)
    assert ids["database"] == ids["vectors"] == ids["chroma"]


def test_a_disk_that_fills_while_indexes_are_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with open_base(tmp_path / "kb") as kb:
        kb.ingest_text("The pump needs oil.", "text:a")
        with monkeypatch.context() as patched:
            patched.setattr(VectorFile, "commit", full)
            with pytest.raises(StoreFull, match="Free some space"):
                kb.ingest_text("The valve needs grease.", "text:b")
        assert [p.document.uri for p in kb.search("oil", 5)] == ["text:a"]
        assert kb.ingest_text("The valve needs grease.", "text:b").status == "unchanged"
        assert {p.document.uri for p in kb.search("grease oil", 5)} == {"text:a", "text:b"}
