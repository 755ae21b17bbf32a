"""Rebuilding: a new model, other chunks, failures, and who searches meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from chapterverse import KnowledgeBase
from chapterverse.engine import rebuild as rebuild_module
from chapterverse.engine.hash_embedder import HashEmbedder
from chapterverse.schema.embedder import Embedder, Vectors
from chapterverse.schema.errors import EmbedderError, NotFound
from tests.bases import all_ids, open_base, write_files


class Broken(HashEmbedder):
    """Fails on the first document."""

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        raise EmbedderError("the model is gone")


@pytest.fixture
def other_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second model by the name ``other``, everywhere."""

    def make(name: str) -> Embedder:
        return {"hash": HashEmbedder(), "other": HashEmbedder(32), "broken": Broken(16)}[name]

    monkeypatch.setattr("chapterverse.engine.session.make_embedder", make)
    monkeypatch.setattr(rebuild_module, "make_embedder", make)


@pytest.mark.usefixtures("other_model")
def test_a_new_model_and_a_base_that_was_open_before(tmp_path: Path) -> None:
    files = write_files(tmp_path / "files")
    with open_base(tmp_path / "kb") as kb, KnowledgeBase.open(tmp_path / "kb") as reader:
        kb.ingest(files)
        assert reader.search("oil", 1)
        assert kb.rebuild(embedder="other") == 2
        assert kb.status().dimension == 32
        assert kb.search("oil", 1)
        assert reader.search("oil", 1)
        assert kb.ingest_text("More about oil.", "text:more").status == "ingested"
        ids = all_ids(kb)
        assert ids["database"] == ids["vectors"] == ids["chroma"]
        assert kb.status().embeddings == len(set(ids["database"]))
    assert [p.name for p in (tmp_path / "kb" / "generations").iterdir()] == ["2"]


@pytest.mark.usefixtures("other_model")
def test_a_rebuild_that_fails_changes_nothing(tmp_path: Path) -> None:
    files = write_files(tmp_path / "files")
    with open_base(tmp_path / "kb") as kb:
        kb.ingest(files)
        before = [p.text for p in kb.search("oil 报销", 5)]
        with pytest.raises(EmbedderError, match="the model is gone"):
            kb.rebuild(embedder="broken")
        assert [p.text for p in kb.search("oil 报销", 5)] == before
        assert kb.status().generation == 1
        assert kb.ingest(files).count("unchanged") == 2


def test_searches_go_on_while_chunks_are_cut_anew(tmp_path: Path) -> None:
    files = write_files(tmp_path / "files")
    with open_base(tmp_path / "kb") as kb:
        kb.ingest(files)
        missed: list[str] = []
        done = threading.Event()

        def watch() -> None:
            while not done.is_set():
                if "ISO VG 46" not in kb.search("oil of grade ISO VG 46", 1)[0].text:
                    missed.append("missed")

        thread = threading.Thread(target=watch)
        thread.start()
        for tokens in (30, 60, 90):
            kb.rebuild(child_tokens=tokens)
        done.set()
        thread.join()
        assert missed == []
        assert "child=90" in kb.status().chunking


def test_numbers_and_names_of_documents(tmp_path: Path) -> None:
    files = write_files(tmp_path / "files")
    with open_base(tmp_path / "kb") as kb:
        kb.ingest(files)
        document = kb.documents()[0]
        assert kb.get(document.id).document == document
        kb.delete(document.id)
        with pytest.raises(NotFound):
            kb.get(document.id)
