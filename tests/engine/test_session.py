"""What an open knowledge base keeps to, whatever the settings of this call say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from chapterverse import KnowledgeBase, TextSource, Watch
from chapterverse.engine.indexes import IndexSet
from chapterverse.schema.errors import StoreFull, StoreMismatch
from chapterverse.schema.results import IngestItem
from tests.bases import open_base


def test_a_base_keeps_its_name(tmp_path: Path) -> None:
    with open_base(tmp_path / "kb", name="plant") as kb:
        first = kb.ingest_text("The pump needs oil.", "text:a")
    with open_base(tmp_path / "kb") as kb:
        second = kb.ingest_text("The pump needs grease.", "text:a")
        assert second.status == "replaced"
        assert second.document_id == first.document_id
        assert len(kb.documents()) == 1


def test_another_name_is_refused(tmp_path: Path) -> None:
    with open_base(tmp_path / "kb"):
        pass
    with pytest.raises(StoreMismatch, match=r"'default'; 'plant'.*another folder"):
        open_base(tmp_path / "kb", name="plant")


def test_what_cannot_be_applied_now_never_keeps_a_base_from_opening(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a full disk: the document is in the database, the indexes cannot follow."""
    full = False
    real = IndexSet.catch_up

    def catch_up(*given: Any) -> int:
        if full:
            raise StoreFull("The disk is full.")
        return real(*given)

    class FillDisk(Watch):
        def item(self, item: IngestItem) -> None:
            nonlocal full
            full = True

    def found(kb: KnowledgeBase) -> set[str]:
        return {hit.document.uri for hit in kb.search("oil")}

    monkeypatch.setattr(IndexSet, "catch_up", catch_up)
    with open_base(tmp_path / "kb") as kb:
        kb.ingest_text("oil first", "text:a")
        with pytest.raises(StoreFull):
            kb.ingest_texts([TextSource("oil second", "text:b")], watch=FillDisk())
    with open_base(tmp_path / "kb") as kb:
        assert found(kb) == {"text:a"}
        assert kb.status().lag == 1
        with pytest.raises(StoreFull):
            kb.ingest_text("oil third", "text:c")
    full = False
    with open_base(tmp_path / "kb") as kb:
        assert found(kb) == {"text:a", "text:b"}
