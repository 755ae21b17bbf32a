"""Exact search, whatever was replaced, removed, cut off or compacted before."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chapterverse.engine.hits import Hits, Ids
from chapterverse.engine.vectors import VectorFile
from chapterverse.schema.embedder import Vectors
from chapterverse.schema.errors import IndexDamaged, StoreMismatch

DIMENSION = 8
BIG = 2**62


def unit(count: int, seed: int = 0) -> Vectors:
    rows: Vectors = np.random.default_rng(seed).normal(size=(count, DIMENSION)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows


def ids_of(group: int, count: int) -> Ids:
    return np.arange(count, dtype=np.int64) + BIG + 1000 * group


def by_sorting(ids: Ids, vectors: Vectors, query: Vectors, limit: int) -> list[int]:
    scores = vectors.astype(np.float64) @ query.astype(np.float64)
    return [int(ids[row]) for row in np.lexsort((ids, -scores))[:limit]]


@pytest.fixture(autouse=True)
def close_all(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Close what a test opened, also when it fails."""
    opened: list[VectorFile] = []
    plain = VectorFile.__init__

    def remember(self: VectorFile, folder: Path, dimension: int, writable: bool = False) -> None:
        plain(self, folder, dimension, writable)
        opened.append(self)

    monkeypatch.setattr(VectorFile, "__init__", remember)
    yield
    for file in opened:
        file.close()


def filled(folder: Path, groups: int = 6, each: int = 50) -> tuple[VectorFile, Ids, Vectors]:
    file = VectorFile.create(folder, DIMENSION)
    ids = np.concatenate([ids_of(group, each) for group in range(groups)])
    vectors = unit(groups * each)
    for group in range(groups):
        part = slice(group * each, (group + 1) * each)
        file.replace(group, ids[part], vectors[part])
    file.commit(1)
    return file, ids, vectors


def test_the_best_rows_by_dot_product(tmp_path: Path) -> None:
    file, ids, vectors = filled(tmp_path)
    query = unit(1, seed=9)[0]
    for limit in (1, 10, 299, 300, 999):
        hits = file.search(query, limit)
        assert hits.ids.tolist() == by_sorting(ids, vectors, query, limit)
    assert len(file.search(query, 0)) == 0
    assert file.search(query, 10).scores.dtype == np.float32


@pytest.mark.parametrize("share", [0.1, 0.9])
def test_only_allowed_rows(tmp_path: Path, share: float) -> None:
    file, ids, vectors = filled(tmp_path)
    query = unit(1, seed=9)[0]
    chosen = np.random.default_rng(1).random(len(ids)) < share
    allowed = np.concatenate([ids[chosen][::-1], ids[chosen][:3], [5]])
    hits = file.search(query, 20, allowed)
    assert hits.ids.tolist() == by_sorting(ids[chosen], vectors[chosen], query, 20)
    assert hits.scores.tolist() == file.scores(query, hits.ids).tolist()
    assert len(file.search(query, 20, np.empty(0, np.int64))) == 0
    assert len(file.search(query, 20, np.array([5]))) == 0


def test_equal_vectors_stand_in_the_order_of_ids(tmp_path: Path) -> None:
    file = VectorFile.create(tmp_path, DIMENSION)
    ids = np.random.default_rng(2).permutation(997).astype(np.int64)
    file.replace(1, ids, np.repeat(unit(1), 997, axis=0))
    file.commit(1)
    query = unit(1, seed=3)[0]
    for limit in (1, 10, 500):
        assert file.search(query, limit).ids.tolist() == list(range(limit))
    assert file.search(query, 5, ids[ids > 900]).ids.tolist() == [901, 902, 903, 904, 905]


def test_scores_and_vectors_of_given_ids(tmp_path: Path) -> None:
    file, ids, vectors = filled(tmp_path)
    query = unit(1, seed=9)[0]
    asked = np.array([ids[7], 5, ids[0], 2**63 - 1])
    scores = file.scores(query, asked)
    assert scores[[0, 2]] == pytest.approx(vectors[[7, 0]] @ query, abs=1e-6)
    assert np.isnan(scores[[1, 3]]).all()
    assert file.get(asked)[[0, 2]].tolist() == vectors[[7, 0]].tolist()
    assert np.isnan(file.get(asked)[[1, 3]]).all()


def test_nothing_is_seen_before_the_commit(tmp_path: Path) -> None:
    file, ids, _ = filled(tmp_path, groups=2)
    file.remove(0)
    file.replace(7, ids_of(7, 3), unit(3))
    assert file.count() == 100
    assert file.commit(2) == 53
    assert file.applied == 2
    assert set(file.ids().tolist()) == {*ids[50:].tolist(), *ids_of(7, 3).tolist()}


def test_an_uncommitted_end_is_cut_off(tmp_path: Path) -> None:
    file, ids, vectors = filled(tmp_path, groups=2)
    file.replace(7, ids_of(7, 30), unit(30, seed=5))
    file.remove(0)
    file.close()
    for name in ("vectors.0", "ids.0", "removed.0"):
        with open(tmp_path / name, "ab") as torn:
            torn.write(b"\x01\x02\x03")
    assert VectorFile(tmp_path, DIMENSION).count() == 100
    again = VectorFile(tmp_path, DIMENSION, writable=True)
    again.replace(8, ids_of(8, 2), unit(2, seed=6))
    assert again.commit(2) == 102
    query = unit(1, seed=9)[0]
    everything = np.concatenate([ids, ids_of(8, 2)]), np.concatenate([vectors, unit(2, seed=6)])
    assert again.search(query, 9).ids.tolist() == by_sorting(*everything, query, 9)
    again.close()


def test_compaction_keeps_what_lives_and_frees_the_rest(tmp_path: Path) -> None:
    file, ids, vectors = filled(tmp_path)
    reader = VectorFile(tmp_path, DIMENSION)
    query = unit(1, seed=9)[0]
    before = reader.search(query, 10).ids.tolist()
    for group in (0, 3, 5):
        file.remove(group)
    assert file.commit(2) == 150
    assert (tmp_path / "vectors.1").stat().st_size == 150 * DIMENSION * 4
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".1"] * 5 + [".json"]
    live = np.isin(ids // 1000, [BIG // 1000 + group for group in (1, 2, 4)])
    live = np.concatenate([np.full(50, group in (1, 2, 4)) for group in range(6)])
    expected = by_sorting(ids[live], vectors[live], query, 10)
    assert file.search(query, 10).ids.tolist() == expected
    assert reader.search(query, 10).ids.tolist() == before
    reader.reload()
    assert reader.search(query, 10).ids.tolist() == expected
    file.replace(1, ids_of(1, 1), unit(1))
    assert file.commit(3) == 101


def test_a_crash_before_the_state_is_replaced_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, ids, _ = filled(tmp_path)
    for group in range(5):
        file.remove(group)

    def crash(path: Path, data: bytes) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("chapterverse.engine.vectors.write_file", crash)
        file.commit(2)
    file.close()
    assert (tmp_path / "vectors.1").exists()
    again = VectorFile(tmp_path, DIMENSION, writable=True)
    assert again.ids().tolist() == ids.tolist()
    assert again.applied == 1
    assert not (tmp_path / "vectors.1").exists()
    again.close()


WRITER = """
import sys
from pathlib import Path
import numpy as np
from chapterverse.engine.vectors import VectorFile
file = VectorFile(Path(sys.argv[1]), 8, writable=True)
file.replace(99, [1], np.eye(1, 8, dtype=np.float32))
file.commit(9)
"""


def test_a_reader_sees_the_commit_of_another_process(tmp_path: Path) -> None:
    file, _, _ = filled(tmp_path)
    file.close()
    reader = VectorFile(tmp_path, DIMENSION)
    subprocess.run([sys.executable, "-c", WRITER, str(tmp_path)], check=True)
    assert reader.count() == 300
    reader.reload()
    assert reader.count() == 301
    assert reader.applied == 9
    assert reader.search(np.eye(1, DIMENSION, dtype=np.float32)[0], 1).ids.tolist() == [1]


def test_threads_search_while_another_commits(tmp_path: Path) -> None:
    file, ids, vectors = filled(tmp_path)
    query = vectors[0]
    seen: list[Hits] = []

    def search() -> None:
        for _ in range(100):
            seen.append(file.search(query, 1))

    threads = [threading.Thread(target=search) for _ in range(3)]
    for thread in threads:
        thread.start()
    for number in range(20):
        file.replace(7, ids_of(7, 100), -np.repeat(vectors[:1], 100, axis=0))
        file.commit(number)
    for thread in threads:
        thread.join()
    assert {tuple(hits.ids.tolist()) for hits in seen} == {(int(ids[0]),)}
    assert len(seen) == 300


@pytest.mark.parametrize("name", ["vectors.0", "ids.0", "groups.0", "removed.0", "state.json"])
def test_each_lost_or_cut_file_is_damage(tmp_path: Path, name: str) -> None:
    file, _, _ = filled(tmp_path)
    file.remove(0)
    file.commit(2)
    file.close()
    path = tmp_path / name
    content = path.read_bytes()
    path.unlink()
    with pytest.raises(IndexDamaged, match="Rebuild"):
        VectorFile(tmp_path, DIMENSION)
    path.write_bytes(content[:-8])
    with pytest.raises(IndexDamaged, match="Rebuild"):
        VectorFile(tmp_path, DIMENSION)
    path.write_bytes(content)
    assert VectorFile(tmp_path, DIMENSION).count() == 250


def test_wrong_vectors_are_refused(tmp_path: Path) -> None:
    file, ids, _ = filled(tmp_path)
    with pytest.raises(StoreMismatch, match="dimension 8"):
        VectorFile(tmp_path, 16)
    with pytest.raises(ValueError, match="shape"):
        file.replace(1, ids[:2], unit(3))
    with pytest.raises(ValueError, match="NaN"):
        file.replace(1, ids[:1], np.full((1, DIMENSION), np.nan, np.float32))
    assert file.commit(2) == 300
    with pytest.raises(RuntimeError, match="not open for writing"):
        VectorFile(tmp_path, DIMENSION).remove(1)


def test_an_empty_file_set_finds_nothing(tmp_path: Path) -> None:
    file = VectorFile.create(tmp_path, DIMENSION)
    file.replace(1, [], np.empty((0, DIMENSION), np.float32))
    assert file.commit(1) == 0
    query = unit(1)[0]
    assert len(file.search(query, 5)) == 0
    assert len(file.search(query, 5, np.array([1]))) == 0
    assert np.isnan(file.scores(query, np.array([1]))).all()


steps = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4), st.booleans()), max_size=12)


@settings(max_examples=30, deadline=None)
@given(steps)
def test_any_history_ends_in_the_same_rows(
    tmp_path_factory: pytest.TempPathFactory, history: list[tuple[int, int, bool]]
) -> None:
    folder = tmp_path_factory.mktemp("vectors")
    file = VectorFile.create(folder, DIMENSION)
    expected: dict[int, list[float]] = {}
    for number, (group, count, reopen) in enumerate(history):
        rows = unit(count, seed=number)
        file.replace(group, ids_of(group, count), rows)
        expected = {id_: row for id_, row in expected.items() if (id_ - BIG) // 1000 != group}
        expected.update(zip(ids_of(group, count).tolist(), rows.tolist(), strict=True))
        if reopen:
            file.commit(number)
            file.close()
            file = VectorFile(folder, DIMENSION, writable=True)
    file.commit(99)
    assert file.ids().tolist() == sorted(expected)
    assert file.get(file.ids()).tolist() == [expected[id_] for id_ in sorted(expected)]
    file.close()
    assert sum(map(os.path.getsize, folder.glob("ids.*"))) <= 8 * max(1, len(expected) / 0.7)
