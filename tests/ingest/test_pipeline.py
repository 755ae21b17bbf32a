"""From files and texts to rows: what is embedded, what is kept, and what fails alone."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from chapterverse import KnowledgeBase, TextSource
from chapterverse.engine.hash_embedder import HashEmbedder
from chapterverse.ingest.sources import Labels
from chapterverse.schema.embedder import Vectors
from chapterverse.schema.errors import EmbedderError


class Spy(HashEmbedder):
    """Remembers what it embedded; fails on texts that hold the word ``poison``."""

    def __init__(self) -> None:
        super().__init__(32)
        self.seen: list[str] = []
        self.fault: Exception | Any = None

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        if any("poison" in text for text in texts):
            if isinstance(self.fault, Exception):
                raise self.fault
            vectors: Vectors = self.fault(super().embed_documents(texts))
            return vectors
        self.seen += texts
        return super().embed_documents(texts)


@pytest.fixture
def spy() -> Spy:
    return Spy()


@pytest.fixture
def kb(tmp_path: Path, spy: Spy) -> Any:
    with KnowledgeBase.open(tmp_path / "kb", embedder=spy, processes=1, child_tokens=16) as base:
        yield base


def lines(count: int, edition: str, word: str = "valve") -> str:
    """Paragraphs that become children of their own; the first one differs by *edition*."""
    rest = [
        f"{word} number {n} closes the line {n} of the plant to the north." for n in range(1, count)
    ]
    return "\n\n".join([f"Edition {edition} of the list of the {word} parts.", *rest])


def cut(vectors: Vectors) -> Vectors:
    return vectors[:-1]


def narrow(vectors: Vectors) -> Vectors:
    return vectors[:, :5]


def undefined(vectors: Vectors) -> Vectors:
    return vectors * np.float32("nan")


def nothing(vectors: Vectors) -> None:
    return None


@pytest.mark.parametrize(
    "fault", [RuntimeError("no memory"), MemoryError(), cut, narrow, undefined, nothing], ids=repr
)
def test_an_embedder_that_fails_costs_one_document(kb: KnowledgeBase, spy: Spy, fault: Any) -> None:
    spy.fault = fault
    report = kb.ingest_texts(
        TextSource(text, f"t:{n}") for n, text in enumerate(["oil", "a poison", "grease"])
    )
    assert [item.status for item in report.items] == ["ingested", "failed", "ingested"]
    assert report.items[1].code == "embedding_failed"
    assert "t:1" in (report.items[1].message or "")
    assert [d.uri for d in kb.documents()] == ["t:0", "t:2"]


def test_a_replacement_that_fails_keeps_the_old_content(kb: KnowledgeBase, spy: Spy) -> None:
    kb.ingest_text("the old oil", "t:a")
    spy.fault = RuntimeError("x")
    assert kb.ingest_text("the new poison", "t:a").status == "failed"
    assert "old" in kb.search("oil", 1)[0].text


def test_an_embedder_that_is_not_there_stops_the_run(kb: KnowledgeBase, spy: Spy) -> None:
    spy.fault = EmbedderError("the model is gone")
    with pytest.raises(EmbedderError, match="is gone"):
        kb.ingest_texts([TextSource("poison", "t:a"), TextSource("oil", "t:b")])


def test_a_tokenizer_that_fails_costs_one_document(
    kb: KnowledgeBase, spy: Spy, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: object) -> list[int]:
        raise OverflowError("too long")

    monkeypatch.setattr(spy, "count_tokens", fail)
    item = kb.ingest_text("oil", "t:a")
    assert (item.status, item.code) == ("failed", "embedding_failed")


def test_only_texts_never_seen_are_embedded(kb: KnowledgeBase, spy: Spy) -> None:
    sources = [TextSource(lines(300, "1", word), f"t:{word}") for word in ("valve", "pump")]
    kb.ingest_texts(sources)
    assert len(spy.seen) == len(set(spy.seen)) == 600
    spy.seen.clear()
    kb.ingest_texts(sources)
    assert spy.seen == []
    changed = [TextSource(lines(300, "2", word), f"t:{word}") for word in ("valve", "pump")]
    assert kb.ingest_texts(changed).count("replaced") == 2
    assert len(spy.seen) == 2
    assert all("Edition 2" in text for text in spy.seen)


def test_vectors_of_long_replacements_are_made_once(kb: KnowledgeBase, spy: Spy) -> None:
    words = ("valve", "pump", "motor")
    kb.ingest_texts(TextSource(lines(150, "1", word), f"t:{word}") for word in words)
    spy.seen.clear()
    new = [TextSource(lines(150, "1", f"new{word}"), f"t:{word}") for word in words]
    assert kb.ingest_texts(new).count("replaced") == 3
    assert len(spy.seen) == len(set(spy.seen)) == 450


def test_a_document_may_go_back_and_forth_in_one_run(kb: KnowledgeBase) -> None:
    old, new = "The turbine is old.", "The turbine is new."
    kb.ingest_text(old, "t:a")
    # The same content has the same revision id, and its rows are there until they are settled.
    report = kb.ingest_texts(TextSource(text, "t:a") for text in (old, new, old, new, old))
    assert [item.status for item in report.items] == ["unchanged", *["replaced"] * 4]
    assert [p.text for p in kb.search("turbine")] == [old]
    assert kb.status().children == 1


def test_shared_vectors_outlive_one_of_their_documents(kb: KnowledgeBase, spy: Spy) -> None:
    kb.ingest_texts(TextSource(lines(20, "1"), f"t:{name}") for name in "ab")
    assert len(spy.seen) == 20
    kb.delete("t:a")
    status = kb.status()
    assert status.embeddings == status.vector_entries == 20
    kb.ingest_text(lines(20, "1"), "t:c")
    assert len(spy.seen) == 20
    kb.delete(["t:b", "t:c"])
    assert kb.status().embeddings == 0


def test_labels_are_kept_or_replaced(kb: KnowledgeBase) -> None:
    def labels() -> tuple[tuple[str, ...], dict[str, str]]:
        document = kb.documents()[0]
        return document.tags, document.metadata

    kb.ingest_text("oil", "t:a", tags=["b", "a", "b"], metadata={"year": "2024"})
    assert labels() == (("a", "b"), {"year": "2024"})
    assert kb.ingest_text("oil", "t:a").status == "unchanged"
    assert kb.ingest_text("new oil", "t:a").status == "replaced"
    assert labels() == (("a", "b"), {"year": "2024"})
    assert kb.ingest_text("new oil", "t:a", tags=["c"]).status == "unchanged"
    assert labels() == (("c",), {"year": "2024"})
    kb.ingest_text("newer oil", "t:a", tags=[], metadata={})
    assert labels() == ((), {})


@pytest.mark.parametrize("wrong", [{"tags": "abc"}, {"tags": [1]}, {"metadata": {"year": 2024}}])
def test_labels_that_are_no_strings_are_refused(kb: KnowledgeBase, wrong: Any) -> None:
    with pytest.raises(TypeError, match="strings"):
        kb.ingest_text("oil", "t:a", **wrong)
    assert kb.documents() == []


@pytest.mark.parametrize("wrong", [{"text": None}, {"text": b"oil"}, {"uri": 5}, {"title": 5}])
def test_texts_that_are_no_strings_are_refused(wrong: Any) -> None:
    with pytest.raises(TypeError, match="must be a string"):
        TextSource(**{"text": "oil", "uri": "t:a", **wrong})


def test_labels_take_any_iterable() -> None:
    assert Labels(tags=(tag for tag in "ba")).tags == ("a", "b")  # type: ignore[arg-type]


def test_a_new_title_or_type_makes_a_new_revision(kb: KnowledgeBase) -> None:
    kb.ingest_text("# Oil\n\ntext", "t:a", "One")
    assert kb.ingest_text("# Oil\n\ntext", "t:a", "One").status == "unchanged"
    assert kb.ingest_text("# Oil\n\ntext", "t:a").status == "unchanged"
    assert kb.ingest_text("# Oil\n\ntext", "t:a", "Two").status == "replaced"
    assert kb.ingest_text("# Oil\n\ntext", "t:a", media_type="text/markdown").status == "replaced"
    assert kb.documents()[0].revision.media_type == "text/markdown"


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    text=st.text(st.characters(exclude_categories=[]), max_size=200),
    uri=st.text(st.characters(exclude_categories=[]), min_size=1, max_size=20),
    media_type=st.sampled_from(["text/plain", "text/markdown"]),
)
@example(text="oil", uri="http://[x/y", media_type="text/plain")
def test_any_text_is_ingested_or_refused(
    kb: KnowledgeBase, text: str, uri: str, media_type: str
) -> None:
    item = kb.ingest_text(text, uri, title=uri, media_type=media_type)
    if item.status == "failed":
        assert item.code == "empty"
    else:
        assert item.document_id in {f"{d.id:016x}" for d in kb.documents()}
        kb.search(text[:50] + "x", 3)


def test_names_that_are_not_utf8(kb: KnowledgeBase, tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    for name, data in ((b"\xd6\xd0.txt", b"oil of grade 46"), (b"\xce\xc4.txt", b"")):
        with open(os.path.join(os.fsencode(folder), name), "wb") as file:
            file.write(data)
    report = kb.ingest(folder)
    assert [item.code for item in report.items] == ["empty", None]
    path = Path(os.fsdecode(os.path.join(os.fsencode(folder), b"\xd6\xd0.txt")))
    assert kb.search("oil", 1)[0].document.uri == path.as_uri()
    assert kb.get(path).document.title == "\ufffd\ufffd"


@pytest.mark.parametrize(
    ("source", "codes"),
    [
        (TextSource("oil", "text:a", title=""), [None, None]),
        (TextSource("oil", "text:a", media_type="text/html"), ["unsupported", "unsupported"]),
        (TextSource("oil", "text:a", media_type=""), ["unsupported", "unsupported"]),
        (TextSource("\ufeff", "text:a"), ["empty", "empty"]),
        (TextSource("<!-- -->", "text:a", media_type="text/markdown"), ["empty", "empty"]),
    ],
    ids=repr,
)
def test_odd_sources_never_stop_the_others(
    kb: KnowledgeBase, source: TextSource, codes: list[str | None]
) -> None:
    """Twice, for the second time what is stored is compared with what is given."""
    found = []
    for _ in codes:
        items = kb.ingest_texts([source, TextSource("The pump.", "text:b")]).items
        assert items[1].status in ("ingested", "unchanged")
        found.append(items[0].code)
    assert found == codes
    assert all(document.children for document in kb.documents())
