"""Both keyword indexes keep one contract; a plain BM25 checks what they score."""

from __future__ import annotations

import math
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chapterverse.engine.analyze import analyze, analyze_query
from chapterverse.engine.bm25_index import Bm25Index
from chapterverse.engine.keyword import MOST_TERMS, KeywordDoc, KeywordIndex, query_terms
from chapterverse.engine.tantivy_index import TantivyIndex
from chapterverse.schema.errors import IndexDamaged, StoreLocked

BIG = 2**62
Backend = type[TantivyIndex] | type[Bm25Index]
both = pytest.mark.parametrize("backend", [TantivyIndex, Bm25Index])


def docs(group: int, *texts: str, first: int = BIG) -> list[KeywordDoc]:
    return [
        KeywordDoc(first + 100 * group + number, group, text.split())
        for number, text in enumerate(texts)
    ]


def plain_bm25(corpus: dict[int, list[str]], query: list[str]) -> dict[int, float]:
    """BM25 written out from the formula, k1 = 1.2, b = 0.75."""
    mean = sum(map(len, corpus.values())) / len(corpus)
    found = Counter(term for tokens in corpus.values() for term in set(tokens))
    scores: dict[int, float] = {}
    for id_, tokens in corpus.items():
        counts, score = Counter(tokens), 0.0
        for term in query:
            if tf := counts[term]:
                idf = math.log(1 + (len(corpus) - found[term] + 0.5) / (found[term] + 0.5))
                score += idf * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * len(tokens) / mean))
        if score:
            scores[id_] = score
    return scores


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Callable[[Backend], KeywordIndex]]:
    opened: list[KeywordIndex] = []

    def create(backend: Backend) -> KeywordIndex:
        opened.append(backend.create(tmp_path / f"index{len(opened)}"))
        return opened[-1]

    yield create
    for index in opened:
        index.close()


Make = Callable[[Backend], KeywordIndex]


@both
def test_a_group_is_replaced_as_a_whole(make: Make, backend: Backend) -> None:
    index = make(backend)
    index.replace(1, docs(1, "red fox", "red hen"), docs(1, "red fox red hen", first=0))
    index.replace(2, docs(2, "blue fox"), docs(2, "blue fox", first=0))
    index.commit(5)
    assert index.count() == (3, 2)
    assert index.applied == 5
    for _ in range(2):
        index.replace(1, docs(1, "green owl"), docs(1, "green owl", first=0))
    index.commit(6)
    assert index.count() == (2, 2)
    assert len(index.search_children(["red"], 10)) == 0
    assert index.search_parents(["fox"], 10).ids.tolist() == [200]
    index.remove(2)
    index.remove(99)
    index.commit(7)
    assert index.count() == (1, 1)
    assert len(index.search_children(["fox"], 10)) == 0


@both
def test_what_was_committed_is_there_after_opening_again(backend: Backend, tmp_path: Path) -> None:
    index = backend.create(tmp_path)
    index.replace(1, docs(1, "red fox"), ())
    index.commit(3)
    index.replace(2, docs(2, "lost fox"), ())
    index.close()
    again = backend(tmp_path)
    assert again.applied == 3
    assert again.search_children(["fox"], 10).ids.tolist() == [BIG + 100]
    with pytest.raises(RuntimeError, match="reading only"):
        again.remove(1)
    again.close()


@both
def test_equal_scores_stand_in_the_order_of_ids(make: Make, backend: Backend) -> None:
    index = make(backend)
    ids = list(range(500))
    random.Random(3).shuffle(ids)
    for number in ids:
        index.replace(number, [KeywordDoc(BIG + number, number, ["same", "words"])], ())
        if number % 100 == 0:
            index.commit(number)
    index.commit(501)
    for limit in (1, 7, 250):
        hits = index.search_children(["same"], limit)
        assert hits.ids.tolist() == list(range(BIG, BIG + limit))
        assert hits.ids.dtype == np.int64
        assert hits.scores.dtype == np.float32
    assert len(index.search_children(["same"], 1000)) == 500


@both
def test_levels_have_statistics_of_their_own(make: Make, backend: Backend) -> None:
    index = make(backend)
    texts = ["fox runs", "fox sleeps", "hen sleeps"]
    index.replace(1, docs(1, *texts), docs(1, "fox runs sleeps hen " * 9, first=0))
    index.commit(1)
    expected = plain_bm25({id_: text.split() for id_, text in enumerate(texts, BIG + 100)}, ["fox"])
    hits = index.search_children(["fox"], 10)
    assert dict(zip(hits.ids.tolist(), hits.scores.tolist(), strict=True)) == pytest.approx(
        expected, rel=1e-5
    )


@both
def test_a_repeated_token_counts_that_often(make: Make, backend: Backend) -> None:
    index = make(backend)
    index.replace(1, docs(1, "fox hen", "hen owl"), ())
    index.commit(1)
    once = index.search_children(["fox"], 5).scores
    assert index.search_children(["fox"] * 3, 5).scores == pytest.approx(3 * once)


@both
def test_scores_of_given_ids(make: Make, backend: Backend) -> None:
    index = make(backend)
    index.replace(1, docs(1, "fox hen", "hen owl", "fox fox"), docs(1, "fox hen", first=0))
    index.commit(1)
    of_parents = index.score_parents(["fox"], np.array([100, 7]))
    assert of_parents[:1].tolist() == index.search_parents(["fox"], 1).scores.tolist()
    assert np.isnan(of_parents[1])
    hits = index.search_children(["fox", "owl"], 5)
    asked = np.array([*hits.ids[::-1], 12345], np.int64)
    scores = index.score_children(["fox", "owl"], asked)
    assert scores[:-1].tolist() == hits.scores[::-1].tolist()
    assert np.isnan(scores[-1])
    assert np.isnan(index.score_children(["owl"], np.array([BIG + 100]))).all()
    assert len(index.score_children(["owl"], np.empty(0, np.int64))) == 0
    assert np.isnan(index.score_children([], hits.ids)).all()


@both
def test_scores_of_many_ids(make: Make, backend: Backend) -> None:
    index = make(backend)
    index.replace(1, docs(1, *(f"fox {'hen ' * (n % 7)}" for n in range(900))), ())
    index.commit(1)
    hits = index.search_children(["hen", "fox"], 900)
    for count in (1, 399, 900):
        scores = index.score_children(["hen", "fox"], hits.ids[:count])
        assert scores.tolist() == hits.scores[:count].tolist()


@both
def test_an_empty_index_and_an_empty_query_find_nothing(make: Make, backend: Backend) -> None:
    index = make(backend)
    assert len(index.search_children(["fox"], 10)) == 0
    index.replace(1, [KeywordDoc(1, 1, [])], ())
    index.commit(1)
    assert index.count() == (1, 0)
    for tokens, limit in ((["fox"], 10), ([], 10), (["fox"], 0)):
        assert len(index.search_children(tokens, limit)) == 0
        assert len(index.search_parents(tokens, limit)) == 0


@both
@pytest.mark.parametrize(
    "query",
    [
        "fox" * 3000,
        "fox " + " ".join(f"w{n}" for n in range(3000)),
        "狐" * 10_000,
        '"fox" AND (NOT hen) OR text:x^2 ~5 [a TO b] \\',
        "😀 fox",
        "-" * 33 + " fox",
        "fox\x00hen \ud800",
    ],
)
def test_query_text_is_data(make: Make, backend: Backend, query: str) -> None:
    index = make(backend)
    children = [KeywordDoc(1, 1, analyze("the fox 😀")), KeywordDoc(2, 1, analyze("狐 hen"))]
    index.replace(1, children, ())
    index.commit(1)
    expected = {doc.id for doc in children if set(doc.tokens) & set(analyze_query(query))}
    assert set(index.search_children(analyze_query(query), 10).ids.tolist()) == expected


def test_terms_of_a_query_are_distinct_and_capped() -> None:
    assert query_terms(["b", "a", "b"]) == [("b", 2), ("a", 1)]
    assert query_terms(map(str, range(5000)))[-1] == (str(MOST_TERMS - 1), 1)


@both
def test_a_second_writer_is_refused(backend: Backend, tmp_path: Path) -> None:
    first = backend.create(tmp_path)
    first.replace(1, docs(1, "fox"), ())
    second = backend(tmp_path, writable=True)
    with pytest.raises(StoreLocked, match="Another writer"):
        second.replace(2, docs(2, "hen"), ())
    first.commit(1)
    first.close()
    second.replace(2, docs(2, "hen"), ())
    second.commit(2)
    assert second.count() == (2, 0)
    second.close()


WRITER = """
import sys
from pathlib import Path
from chapterverse.engine.{module} import {name}
from chapterverse.engine.keyword import KeywordDoc
index = {name}(Path(sys.argv[1]), writable=True)
index.replace(2, [KeywordDoc(2, 2, ["fox"])], ())
index.commit(9)
index.close()
"""


@both
def test_a_reader_sees_the_commit_of_another_process(backend: Backend, tmp_path: Path) -> None:
    maker = backend.create(tmp_path)
    maker.replace(1, [KeywordDoc(1, 1, ["fox"])], ())
    maker.commit(1)
    maker.close()
    reader = backend(tmp_path)
    source = WRITER.format(module=backend.__module__.rpartition(".")[2], name=backend.__name__)
    subprocess.run([sys.executable, "-c", source, str(tmp_path)], check=True)
    assert reader.search_children(["fox"], 5).ids.tolist() == [1]
    reader.reload()
    assert reader.search_children(["fox"], 5).ids.tolist() == [1, 2]
    assert reader.applied == 9
    reader.close()


@both
def test_each_lost_or_cut_file_is_damage(backend: Backend, tmp_path: Path) -> None:
    index = backend.create(tmp_path / "kept")
    index.replace(1, docs(1, "fox hen"), docs(1, "fox hen"))
    index.commit(1)
    index.close()
    with pytest.raises(IndexDamaged, match="Rebuild"):
        backend(tmp_path / "missing")
    files = [path for path in (tmp_path / "kept").rglob("*") if path.is_file()]
    needed = [path for path in files if not path.name.startswith(".") and "lock" not in path.name]
    assert len(needed) >= 3
    for path in needed:
        content = path.read_bytes()
        for left in (content[: len(content) // 2], None):
            # A new file each time: cutting one that is mapped would end the process.
            path.unlink(missing_ok=True)
            if left is not None:
                path.write_bytes(left)
            with pytest.raises(IndexDamaged, match="Rebuild"):
                damaged = backend(tmp_path / "kept")
                damaged.search_children(["fox"], 1)
                damaged.search_parents(["fox"], 1)
        path.unlink(missing_ok=True)
        path.write_bytes(content)
    assert backend(tmp_path / "kept").count() == (1, 1)


words = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=39)


@settings(max_examples=25, deadline=None)
@given(st.lists(words, min_size=1, max_size=12), st.lists(st.sampled_from("abcdxyz"), max_size=6))
def test_both_agree_with_the_formula(
    tmp_path_factory: pytest.TempPathFactory, corpus: list[list[str]], query: list[str]
) -> None:
    """Below 40 tokens tantivy keeps a length exactly, so the scores are those of the formula."""
    expected = plain_bm25(dict(enumerate(corpus)), query)
    for backend in (TantivyIndex, Bm25Index):
        index = backend.create(tmp_path_factory.mktemp("bm25"))
        index.replace(1, (KeywordDoc(n, 1, tokens) for n, tokens in enumerate(corpus)), ())
        index.commit(1)
        hits = index.search_children(query, 20)
        index.close()
        found = dict(zip(hits.ids.tolist(), hits.scores.tolist(), strict=True))
        assert found == pytest.approx(expected, rel=1e-5)


def test_the_best_ten_agree_on_long_texts(make: Make) -> None:
    """tantivy keeps a length over 40 in one byte, so orders differ a little."""
    rng = random.Random(5)
    vocabulary = [f"w{n}" for n in range(300)]
    weights = [1 / (n + 1) for n in range(300)]
    corpus = [
        KeywordDoc(n, 1, rng.choices(vocabulary, weights, k=rng.randint(20, 200)))
        for n in range(400)
    ]
    exact, quick = make(Bm25Index), make(TantivyIndex)
    for index in (exact, quick):
        index.replace(1, corpus, corpus[:50])
        index.commit(1)
    shared = []
    for _ in range(40):
        query = rng.choices(vocabulary, k=4)
        one, other = (set(i.search_children(query, 10).ids.tolist()) for i in (exact, quick))
        shared.append(len(one & other) / len(one))
    assert sum(shared) / len(shared) >= 0.9
