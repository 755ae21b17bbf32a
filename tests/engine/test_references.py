"""The product's answers against plain ways to the same answer."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from chapterverse import Filter, KnowledgeBase, TextSource
from chapterverse.engine.hash_embedder import HashEmbedder
from chapterverse.ingest.sources import Labels
from chapterverse.schema.ids import format_id
from chapterverse.schema.records import AssetKind
from tests.bases import open_base

PAGED = Path(__file__).resolve().parents[2] / "examples" / "documents" / "pump-manual.pdf"
WORDS = [f"{a}{b}{c}" for a in "bdfgklmnpr" for b in "aeiou" for c in "bdfgklmnst"]


def sources(count: int, length: int, seed: int = 1) -> list[TextSource]:
    chance = random.Random(seed)
    return [
        TextSource(" ".join(chance.choices(WORDS, k=length)) + ".", f"t:{number:04}")
        for number in range(count)
    ]


def queries(count: int) -> list[str]:
    chance = random.Random(2)
    return [" ".join(chance.choices(WORDS, k=3)) for _ in range(count)]


def sections(kb: KnowledgeBase, query: str) -> list[str]:
    """Parents that a dense search finds."""
    return [passage.parent_id for passage in kb.search(query, 10, mode="dense")]


def test_approximate_search_finds_what_an_exact_scan_finds(tmp_path: Path) -> None:
    texts = [f"# Part {n}\n\n{source.text}" for n, source in enumerate(sources(2000, 12))]
    books = [
        TextSource("\n\n".join(texts[start : start + 200]), f"t:{start}", None, "text/markdown")
        for start in range(0, 2000, 200)
    ]
    with open_base(tmp_path / "kb", exact_limit=0, merge_tokens=0) as kb:
        kb.ingest_texts(books)
        approximate = [sections(kb, query) for query in queries(30)]
    with open_base(tmp_path / "kb", exact_limit=20_000) as kb:
        exact = [sections(kb, query) for query in queries(30)]
        children = [child for book in books for child in kb.get(book.uri).children]
    assert len({child.parent_id for child in children}) == 2000

    embedder = HashEmbedder()
    matrix = embedder.embed_documents([child.index_text for child in children])
    matrix = matrix.astype(np.float16).astype(np.float32)
    for query, parents in zip(queries(30), exact, strict=True):
        best: dict[str, float] = {}
        for child, score in zip(children, matrix @ embedder.embed_query(query), strict=True):
            parent = format_id(child.parent_id)
            best[parent] = max(best.get(parent, -1.0), float(score))
        scanned = sorted(best.values(), reverse=True)[:10]
        assert [best[parent] for parent in parents] == pytest.approx(scanned, abs=1e-5)
    shared = [len(set(a) & set(b)) / 10 for a, b in zip(approximate, exact, strict=True)]
    assert sum(shared) / len(shared) >= 0.95


def test_both_keyword_indexes_give_the_same_order(tmp_path: Path) -> None:
    found = {}
    for keyword in ("tantivy", "rank_bm25"):
        with open_base(tmp_path / keyword, keyword=keyword) as kb:
            # Up to 40 terms tantivy keeps lengths exactly; beyond that it rounds them.
            kb.ingest_texts(sources(150, 20))
            found[keyword] = [kb.search(query, 20, mode="keyword") for query in queries(15)]
    for one, two in zip(found["tantivy"], found["rank_bm25"], strict=True):
        assert [p.document.uri for p in one] == [p.document.uri for p in two]
        raw = [[p.scores["keyword"].raw for p in passages] for passages in (one, two)]
        assert raw[0] == pytest.approx(raw[1], rel=1e-4)
    assert sum(len(passages) for passages in found["tantivy"]) > 100


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    """Documents of two types with tags, tables and code."""
    found = []
    for number, source in enumerate(sources(60, 15, seed=3)):
        labels = Labels([["red"], ["blue"], ["red", "blue"], []][number % 4])
        text, kind = source.text, "text/plain"
        if number % 3 == 0:
            table = f"| a | b |\n| --- | --- |\n| babe | {text} |"
            text, kind = f"# Part\n\n{text}\n\n{table}\n", "text/markdown"
        found.append(TextSource(text, source.uri, None, kind, labels))
    with open_base(tmp_path_factory.mktemp("mixed") / "kb", pool=5000) as kb:
        kb.ingest_texts(found)
        yield kb


@pytest.mark.parametrize(
    "wanted",
    [
        Filter(tags=("red",)),
        Filter(tags=("red", "blue")),
        Filter(documents=("t:0001", "t:0003", "t:0007")),
        Filter(media_types=("text/markdown",)),
        Filter(kinds=(AssetKind.TABLE,)),
        Filter(tags=("blue",), media_types=("text/markdown",), kinds=(AssetKind.PARAGRAPH,)),
        Filter(tags=("green",)),
        Filter(first_page=1),
    ],
    ids=str,
)
@pytest.mark.parametrize("mode", ["keyword", "dense"])
def test_filters_equal_filtering_afterwards(
    mixed: KnowledgeBase, wanted: Filter, mode: str
) -> None:
    documents = {d.uri: d for d in mixed.documents()}

    def fits(uri: str, kind: AssetKind) -> bool:
        document = documents[uri]
        return (
            (not wanted.documents or uri in wanted.documents)
            and (not wanted.tags or bool(set(wanted.tags) & set(document.tags)))
            and (not wanted.media_types or document.revision.media_type in wanted.media_types)
            and (not wanted.kinds or kind in wanted.kinds)
            and wanted.first_page is None
        )

    for query in queries(4):
        everything = mixed.search(query, 1000, mode=mode)  # type: ignore[arg-type]
        expected = [
            (raw, child.id)
            for passage in everything
            for child in passage.children
            if fits(passage.document.uri, child.kind)
            and (raw := child.scores[mode].raw) is not None
        ]
        filtered = mixed.search(query, 1000, filter=wanted, mode=mode)  # type: ignore[arg-type]
        found = [
            (raw, child.id)
            for passage in filtered
            for child in passage.children
            if (raw := child.scores[mode].raw) is not None
        ]
        assert {number for _, number in found} == {number for _, number in expected}
        assert sorted(raw for raw, _ in found) == pytest.approx(sorted(r for r, _ in expected))


@pytest.mark.parametrize(("first", "last"), [(4, 5), (None, 3), (8, None), (99, None)])
def test_page_ranges_equal_filtering_afterwards(
    tmp_path_factory: pytest.TempPathFactory, first: int | None, last: int | None
) -> None:
    folder = tmp_path_factory.getbasetemp() / "paged"
    with open_base(folder, pool=5000) as kb:
        kb.ingest(PAGED)
        children = kb.get(PAGED).children
        everything = kb.search("pump motor seal", 1000, mode="dense")
        filtered = kb.search(
            "pump motor seal", 1000, filter=Filter(first_page=first, last_page=last), mode="dense"
        )
    pages = {format_id(child.id): child.pages for child in children}
    fitting = {
        child.id
        for passage in everything
        for child in passage.children
        if pages[child.id][-1] >= (first or 0) and pages[child.id][0] <= (last or 99)
    }
    found = {child.id for passage in filtered for child in passage.children}
    # Only the best children of a parent are shown, so a filter may bring others to light.
    assert found >= fitting
    assert all(
        pages[number][-1] >= (first or 0) and pages[number][0] <= (last or 99) for number in found
    )
    assert bool(found) is (first != 99)
