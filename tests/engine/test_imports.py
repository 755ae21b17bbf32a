"""A search loads what it needs and nothing that takes seconds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from chapterverse import KnowledgeBase
from tests.bases import open_base, write_files

ROOT = Path(__file__).resolve().parents[2]
HEAVY = {
    "alembic",
    "asyncio",
    "chromadb",
    "docx",
    "filelock",
    "liteparse",
    "nltk",
    "onnx",
    "pydantic",
    "pydantic_settings",
    "pypdfium2",
    "rich",
    "sentence_transformers",
    "spacy",
    "sqlalchemy",
    "torch",
    "transformers",
    "unstructured",
}
SEARCH = """
import json, sys
from chapterverse import KnowledgeBase
with KnowledgeBase.open("kb", create=False) as kb:
    assert kb.search("grade of oil", mode=sys.argv[1])
print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})))
"""


def loaded(mode: str) -> set[str]:
    """Top-level modules that are there after a search in a new process."""
    done = subprocess.run(
        [sys.executable, "-c", SEARCH, mode],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    return set(json.loads(done.stdout))


def test_importing_the_package_loads_nothing_heavy() -> None:
    script = "import chapterverse, json, sys; print(json.dumps(list(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    names = {name.partition(".")[0] for name in json.loads(done.stdout)}
    assert "chapterverse" in names
    assert names.isdisjoint(HEAVY | {"onnxruntime", "tantivy"})


@pytest.mark.parametrize("mode", ["keyword", "hybrid"])
def test_search_with_the_hash_embedder(tmp_path: Path, mode: str) -> None:
    with open_base(tmp_path / "kb") as kb:
        kb.ingest(write_files(tmp_path / "files"))
    names = loaded(mode)
    assert "tantivy" in names
    assert names.isdisjoint(HEAVY | {"onnxruntime", "tokenizers"})


@pytest.mark.integration
@pytest.mark.parametrize("mode", ["keyword", "hybrid"])
def test_search_with_the_default_embedder(tmp_path: Path, mode: str) -> None:
    with KnowledgeBase.open(tmp_path / "kb", processes=1) as kb:
        kb.ingest_text("Use oil of grade ISO VG 46.", "text:a")
    names = loaded(mode)
    assert names.isdisjoint(HEAVY)
    # Keyword search does not load the model.
    assert ("onnxruntime" in names) is (mode == "hybrid")
