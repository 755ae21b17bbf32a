"""The sample questions get the expected passage first, with the real model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chapterverse import KnowledgeBase

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
QUESTIONS: list[dict[str, Any]] = json.loads((EXAMPLES / "questions.json").read_text("utf-8"))

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    """A knowledge base of all samples."""
    with KnowledgeBase.open(tmp_path_factory.mktemp("samples") / "kb") as kb:
        report = kb.ingest([EXAMPLES / "documents"])
        assert not report.failed
        yield kb


@pytest.mark.parametrize("expected", QUESTIONS, ids=lambda item: item["question"])
def test_first_passage_answers(samples: KnowledgeBase, expected: dict[str, Any]) -> None:
    first = samples.search(expected["question"], k=1)[0]
    cited = first.citations[0]
    assert first.document.uri.endswith(expected["document"])
    assert expected["answer"] in first.text
    assert cited.pages == (() if expected["page"] is None else (expected["page"],))
    assert cited.heading_path[-1] == expected["heading"]
