"""What a search costs beside its two engines, query by query in one process."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import tantivy
from speed_data import ClusteredEmbedder, Corpus
from speed_report import Figure, peak_mib

from chapterverse import KnowledgeBase
from chapterverse.engine.analyze import analyze_query
from chapterverse.engine.retrieve import query_for
from chapterverse.schema.embedder import Vectors

__all__ = ["search_synthetic"]

_TOP = 200


def search_synthetic(base: Path, children: int, queries: int) -> list[Figure]:
    """Ask *queries* queries of the base that ``ingest_synthetic`` made in *base*."""
    embedder = ClusteredEmbedder()
    asked = Corpus().queries(queries + 30)
    spent: dict[str, list[float]] = {"ours": [], "query": [], "tantivy": [], "chroma": []}
    with KnowledgeBase.open(base, embedder=embedder) as kb:
        folder = base / "generations" / "1"
        keyword, vectors = _bare_tantivy(folder), _bare_chroma(folder)
        for number, query in enumerate(asked):
            tokens, vector = analyze_query(query), embedder.embed_query(query)
            steps: list[tuple[str, Callable[[], Any]]] = [
                ("query", partial(query_for, query, embedder)),
                ("ours", partial(kb.search, query)),
            ]
            bare: list[tuple[str, Callable[[], Any]]] = [
                ("tantivy", partial(keyword, tokens)),
                ("chroma", partial(vectors, vector)),
            ]
            # Whoever comes second finds the pages in the processor's cache: take turns.
            for name, step in [*steps, *bare] if number % 2 else [*bare, *steps]:
                started = time.process_time()
                step()
                if number >= 30:
                    spent[name].append(1000 * (time.process_time() - started))
    middle = {name: statistics.median(times) for name, times in spent.items()}
    engines, ours = middle["tantivy"] + middle["chroma"], middle["ours"] - middle["query"]
    title = f"search {children:,} children"
    return [
        Figure(f"{title}: tantivy alone, top {_TOP}", middle["tantivy"], "cpu ms"),
        Figure(f"{title}: Chroma alone, top {_TOP}", middle["chroma"], "cpu ms"),
        Figure(f"{title}: whole search, query not embedded", ours, "cpu ms"),
        Figure(f"{title}: whole / engines alone", ours / engines, "", 1.5),
        Figure(f"{title}: peak memory with both", peak_mib(), "MiB"),
    ]


def _bare_tantivy(folder: Path) -> Callable[[Sequence[str]], Any]:
    index = tantivy.Index.open(str(folder / "keyword" / "children"))
    searcher, schema = index.searcher(), index.schema
    should = tantivy.Occur.Should

    def search(tokens: Sequence[str]) -> Any:
        terms = [tantivy.Query.term_query(schema, "text", token) for token in dict.fromkeys(tokens)]
        query = tantivy.Query.boolean_query([(should, term) for term in terms])
        hits = searcher.search(query, _TOP, count=False).hits
        return searcher.fast_field_values("id", [address for _, address in hits])

    return search


def _bare_chroma(folder: Path) -> Callable[[Vectors], Any]:
    import chromadb
    from chromadb.config import Settings

    # The same engine as the base has open: two on one folder would be two caches.
    settings = Settings(
        _env_file=None, anonymized_telemetry=False, chroma_otel_collection_endpoint=""
    )
    client = chromadb.PersistentClient(str(folder / "chroma"), settings=settings)
    collection = client.get_collection("children", embedding_function=None)

    def search(vector: Vectors) -> Any:
        return collection.query(
            query_embeddings=vector[None], n_results=_TOP, include=["distances"]
        )

    return search
