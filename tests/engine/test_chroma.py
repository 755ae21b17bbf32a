"""Chroma as an index that can be reloaded, checked and rebuilt."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from chapterverse.engine.chroma_index import ChromaIndex
from chapterverse.engine.vectors import VectorFile
from chapterverse.schema.embedder import Vectors
from chapterverse.schema.errors import IndexDamaged, StoreMismatch

DIMENSION = 8
BIG = 2**62


def unit(count: int, seed: int = 0) -> Vectors:
    rows: Vectors = np.random.default_rng(seed).normal(size=(count, DIMENSION)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows


@pytest.fixture
def index(tmp_path: Path) -> Iterator[ChromaIndex]:
    opened = ChromaIndex.create(tmp_path / "chroma", DIMENSION)
    yield opened
    opened.close()


def test_it_finds_what_an_exact_search_finds(index: ChromaIndex, tmp_path: Path) -> None:
    exact = VectorFile.create(tmp_path / "exact", DIMENSION)
    ids, vectors = np.arange(1500, dtype=np.int64) + BIG, unit(1500)
    for held in (index, exact):
        for group in range(3):
            part = slice(group * 500, (group + 1) * 500)
            held.replace(BIG + group, ids[part], vectors[part])
        held.commit(7)
    assert index.applied == 7
    assert index.count() == 1500
    assert sorted(int(id_) for page in index.ids() for id_ in page) == ids.tolist()
    exact.close()
    query = unit(1, seed=9)[0]
    near, truth = index.search(query, 50), exact.search(query, 50)
    assert len(set(near.ids.tolist()) & set(truth.ids.tolist())) >= 48
    assert near.scores == pytest.approx(exact.scores(query, near.ids), abs=1e-5)
    assert near.scores.tolist() == sorted(near.scores.tolist(), reverse=True)


def test_a_group_is_replaced_as_a_whole(index: ChromaIndex) -> None:
    vectors = unit(20)
    index.replace(1, list(range(10)), vectors[:10])
    index.replace(BIG + 1, list(range(10, 20)), vectors[10:])
    for _ in range(2):
        index.replace(1, [100, 3], vectors[[0, 5]])
    assert index.count() == 12
    assert index.search(vectors[5], 1).ids.tolist() == [3]
    assert index.search(vectors[15], 1).ids.tolist() == [15]
    index.remove(BIG + 1)
    index.remove(12345)
    assert sorted(index.search(vectors[15], 30).ids.tolist()) == [3, 100]


def test_equal_vectors_stand_in_the_order_of_ids(index: ChromaIndex) -> None:
    index.replace(1, [30, 10, 20], np.repeat(unit(1), 3, axis=0))
    assert index.search(unit(1)[0], 3).ids.tolist() == [10, 20, 30]


def test_an_empty_index_finds_nothing(index: ChromaIndex) -> None:
    index.replace(1, [], np.empty((0, DIMENSION), np.float32))
    assert index.count() == 0
    assert list(index.ids()) == []
    assert len(index.search(unit(1)[0], 10)) == 0
    assert len(index.search(unit(1)[0], 0)) == 0


def test_more_vectors_than_one_batch_takes(index: ChromaIndex) -> None:
    index.replace(1, range(6000), unit(6000))
    assert index.count() == 6000


WRITER = """
import sys
from pathlib import Path
import numpy as np
from chapterverse.engine.chroma_index import ChromaIndex
index = ChromaIndex(Path(sys.argv[1]), 8)
index.replace(99, [999], np.eye(1, 8, dtype=np.float32))
index.commit(9)
index.close()
"""


def test_a_reader_sees_another_process_after_reload(tmp_path: Path) -> None:
    reader = ChromaIndex.create(tmp_path, DIMENSION)
    query = np.eye(1, DIMENSION, dtype=np.float32)[0]
    vectors = unit(100)
    vectors[:, 0] = -np.abs(vectors[:, 0])
    reader.replace(1, list(range(100)), vectors)
    assert reader.search(query, 1).ids.tolist() != [999]
    subprocess.run([sys.executable, "-c", WRITER, str(tmp_path)], check=True)
    reader.reload()
    assert reader.applied == 9
    assert reader.search(query, 1).ids.tolist() == [999]
    reader.close()


def test_threads_search_beside_a_reload(index: ChromaIndex) -> None:
    vectors = unit(200)
    index.replace(1, list(range(200)), vectors)
    found: list[bool] = []

    def search(offset: int) -> None:
        for number in range(offset, 200, 4):
            found.append(index.search(vectors[number], 3).ids[0] == number)

    threads = [threading.Thread(target=search, args=(offset,)) for offset in range(4)]
    for thread in threads:
        thread.start()
    for _ in range(5):
        index.reload()
    for thread in threads:
        thread.join()
    assert found == [True] * 200


def test_each_lost_file_is_damage(tmp_path: Path) -> None:
    index = ChromaIndex.create(tmp_path, DIMENSION)
    vectors = unit(1500)
    index.replace(1, list(range(1500)), vectors)
    index.commit(1)
    index.close()
    with pytest.raises(IndexDamaged, match="Rebuild"):
        ChromaIndex(tmp_path / "missing", DIMENSION)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) >= 7
    for path in files:
        content = path.read_bytes()
        path.unlink()
        with pytest.raises(IndexDamaged, match="Rebuild"):
            ChromaIndex(tmp_path, DIMENSION)
        path.write_bytes(content)
    again = ChromaIndex(tmp_path, DIMENSION)
    assert again.search(vectors[3], 1).ids.tolist() == [3]
    again.close()


@pytest.mark.parametrize(
    "name", ["chroma.sqlite3", "data_level0.bin", "header.bin", "link_lists.bin"]
)
def test_a_file_of_other_bytes_is_damage(tmp_path: Path, name: str) -> None:
    index = ChromaIndex.create(tmp_path, DIMENSION)
    index.replace(1, list(range(1500)), unit(1500))
    index.commit(1)
    index.close()
    next(tmp_path.rglob(name)).write_bytes(b"other")
    with pytest.raises(IndexDamaged, match="Rebuild"):
        ChromaIndex(tmp_path, DIMENSION).search(unit(1)[0], 5)


@pytest.mark.parametrize("where", ["PersistentClient", "api.client.Client.create_collection"])
def test_a_full_disk_is_told_in_our_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    from chromadb.errors import InternalError

    def full(*_: object, **__: object) -> None:
        raise InternalError("database or disk is full")

    monkeypatch.setattr(f"chromadb.{where}", full)
    with pytest.raises(IndexDamaged, match="disk is full"):
        ChromaIndex.create(tmp_path, 4)


def test_wrong_vectors_are_refused(tmp_path: Path) -> None:
    index = ChromaIndex.create(tmp_path, DIMENSION)
    with pytest.raises(ValueError, match="shape"):
        index.replace(1, [1, 2], unit(3))
    index.close()
    with pytest.raises(StoreMismatch, match="dimension 8"):
        ChromaIndex(tmp_path, 16)


def test_chromadb_is_loaded_late_and_silent(tmp_path: Path) -> None:
    source = """
import sys
import chapterverse.engine.chroma_index as module
assert "chromadb" not in sys.modules
from pathlib import Path
module.ChromaIndex.create(Path(sys.argv[1]), 8).close()
loaded = {name.partition(".")[0] for name in sys.modules}
assert not loaded & {"posthog", "torch", "onnxruntime", "sentence_transformers"}, loaded
"""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", source, str(tmp_path)],
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout + done.stderr == ""


def test_a_graph_worn_by_replacements_says_so(tmp_path: Path) -> None:
    index = ChromaIndex.create(tmp_path / "chroma", DIMENSION)
    vectors = unit(4000)
    for seq in range(1, 4):
        index.replace(1, list(range(4000)), vectors)
        index.commit(seq)
        assert not index.is_worn()
    index.close()
    again = ChromaIndex(tmp_path / "chroma", DIMENSION)
    for seq in range(4, 6):
        again.replace(1, list(range(4000)), vectors)
        again.commit(seq)
    assert again.is_worn()
    again.close()


def test_a_folder_that_chroma_cannot_fill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a full disk its client fails with whatever was not set up yet."""

    def fail(*_: object, **__: object) -> None:
        raise AttributeError("'RustBindingsAPI' object has no attribute 'bindings'")

    monkeypatch.setattr("chromadb.PersistentClient", fail)
    with pytest.raises(IndexDamaged, match="bindings"):
        ChromaIndex.create(tmp_path / "chroma", 4)
