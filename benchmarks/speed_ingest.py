"""What ingesting costs beside embedding."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from speed_data import ClusteredEmbedder, Corpus
from speed_report import Figure, cpu_seconds, peak_mib

from chapterverse import KnowledgeBase
from chapterverse.engine.embed import make_embedder
from chapterverse.schema.embedder import Embedder, Vectors
from chapterverse.schema.results import IngestReport

__all__ = ["ingest_real", "ingest_synthetic"]


class _Timed:
    """The real embedder, and the processor seconds that its model took."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.fingerprint = embedder.fingerprint
        self.dimension = embedder.dimension
        self.max_tokens = embedder.max_tokens
        self.scripts = embedder.scripts
        self.count_tokens = embedder.count_tokens
        self.embed_query = embedder.embed_query
        self.spent = 0.0

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        started = time.process_time()
        vectors = self._embedder.embed_documents(texts)
        self.spent += time.process_time() - started
        return vectors


def ingest_synthetic(base: Path, children: int) -> list[Figure]:
    """Ingest about *children* children with made-up vectors into *base*, which is kept."""
    sources = list(Corpus().documents(children))
    started = cpu_seconds()
    with KnowledgeBase.open(base, embedder=ClusteredEmbedder()) as kb:
        report = kb.ingest_texts(sources)
    spent = cpu_seconds() - started
    made = sum(item.children for item in report.items)
    name = f"{children:,} children, texts, no embedding"
    return [
        Figure(f"ingest {name}", made / spent, "children/cpu s"),
        Figure(f"ingest {name}: processor time a child", 1000 * spent / made, "ms"),
        Figure(f"ingest {name}: peak memory", peak_mib(), "MiB"),
    ]


def ingest_real(work: Path, documents: int) -> list[Figure]:
    """Ingest *documents* documents with the real model, as texts and as files, then again."""
    embedder = _Timed(make_embedder("default"))
    embedder.embed_documents(["Load the model."])
    embedder.count_tokens(["word " * 30_000])
    sources = list(Corpus(seed=11).documents(documents * 25))[:documents]
    folder = work / "files"
    folder.mkdir()
    for number, source in enumerate(sources):
        # Other words than in the texts, so that no vector is known already.
        text = f"{source.text}\n\nFile {number} ends here.\n"
        name = f"{number}.md" if number % 2 else f"{number}.txt"
        (folder / name).write_text(text.replace(" the ", " then "), encoding="utf-8")
    figures = []
    with KnowledgeBase.open(work / "texts", embedder=embedder) as kb:
        kb.ingest_text("Everything is loaded before the clock starts.", "text:first")
        figures += _share("texts", embedder, lambda: kb.ingest_texts(sources))
        figures += _again("texts", figures, lambda: kb.ingest_texts(sources))
    with KnowledgeBase.open(work / "from_files", embedder=embedder, processes=1) as kb:
        kb.ingest_text("Everything is loaded before the clock starts.", "text:first")
        figures += _share("files", embedder, lambda: kb.ingest(folder))
        figures += _again("files", figures, lambda: kb.ingest(folder))
    return figures


def _share(name: str, embedder: _Timed, ingest: Callable[[], IngestReport]) -> list[Figure]:
    embedder.spent, started = 0.0, cpu_seconds()
    report = ingest()
    spent = cpu_seconds() - started
    made = sum(item.children for item in report.items)
    other = spent - embedder.spent
    return [
        Figure(f"real model, {len(report.items)} {name}: all", spent, "cpu s"),
        Figure(f"real model, {name}: embedding a child", 1000 * embedder.spent / made, "ms"),
        Figure(f"real model, {name}: all else a child", 1000 * other / made, "ms"),
        Figure(f"real model, {name}: all else / embedding", other / embedder.spent, "", 0.25),
    ]


def _again(name: str, before: Sequence[Figure], ingest: Callable[[], IngestReport]) -> list[Figure]:
    first = next(f.value for f in before if f.what.endswith(f"{name}: all"))
    started = cpu_seconds()
    report = ingest()
    spent = cpu_seconds() - started
    assert report.count("unchanged") == len(report.items)
    return [Figure(f"real model, {name}: unchanged again / first", spent / first, "", 0.01)]
