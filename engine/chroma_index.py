"""Approximate vector search with an embedded Chroma; the one module that touches chromadb.

Chroma belongs to one writing process. Another process that reads the same folder counts what was
added but does not find it until it calls :meth:`ChromaIndex.reload`, which opens the folder anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Condition
from typing import Any, Self

import msgspec
import numpy as np

from chapterverse.engine.durable import read_sequence, write_file, write_sequence
from chapterverse.engine.hits import Hits, Ids, best
from chapterverse.schema.embedder import Vectors
from chapterverse.schema.errors import IndexDamaged, StoreMismatch
from chapterverse.schema.telemetry import silence

__all__ = ["ChromaIndex"]

_COLLECTION = "children"
_BATCH = 5000
_PAGE = 10_000
_ADDED = "added"
_WORN_ROWS = 10_000
# A loaded index keeps the ef it was made with, and 100 hits need an ef well above 100.
_HNSW = {"space": "cosine", "ef_construction": 100, "ef_search": 300, "max_neighbors": 16}
_GRAPH_FILES = "graph_files.json"


class ChromaIndex:
    """Unit vectors by id in the folder *path*; a score is the cosine similarity.

    ``upsert`` and ``delete`` reach the disk at once; :meth:`commit` only remembers a number.
    Threads may search at the same time, also beside a :meth:`reload`. Within one process, all
    indexes on one folder share one engine, and see each other's changes at once.
    """

    def __init__(self, path: Path, dimension: int) -> None:
        """Open what :meth:`create` made.

        Raises ``IndexDamaged``, and ``StoreMismatch`` when vectors are not *dimension* long.
        """
        self._path = path
        self._dimension = dimension
        self._gate = Condition()
        self._searching = 0
        self._reloading = False
        self._added = 0
        self._open()

    @classmethod
    def create(cls, path: Path, dimension: int) -> Self:
        """Make a new, empty collection in *path* (created when missing) and open it."""
        path.mkdir(parents=True, exist_ok=True)
        client = _client(path)
        with _as_damage(path):
            client.create_collection(
                _COLLECTION,
                embedding_function=None,
                configuration={"hnsw": _HNSW},
                metadata={"dimension": dimension},
            )
        client.close()
        write_file(path / _GRAPH_FILES, b"{}")
        write_file(path / _ADDED, b"0")
        write_sequence(path, 0)
        return cls(path, dimension)

    def replace(self, group: int, ids: Ids | Sequence[int], vectors: Vectors) -> None:
        """Make *vectors* ``[len(ids), dimension]`` all that is held of *group*."""
        self.replace_all([(group, ids, vectors)])

    def replace_all(self, groups: Sequence[tuple[int, Ids | Sequence[int], Vectors]]) -> None:
        """:meth:`replace` for many groups; each call of Chroma waits for the disk."""
        if not groups:
            return
        names: list[str] = []
        owners: list[dict[str, str]] = []
        for group, ids, vectors in groups:
            expected = (len(ids), self._dimension)
            if np.shape(vectors) != expected and len(ids):
                raise ValueError(
                    f"Vectors have the shape {np.shape(vectors)}; these ids need {expected}."
                )
            # As strings: 63-bit numbers do not survive every number type on the way.
            names += [str(int(one)) for one in ids]
            owners += [{"group": str(group)}] * len(ids)
        rows = np.concatenate(
            [np.asarray(vectors, np.float32).reshape(-1, self._dimension) for *_, vectors in groups]
        )
        with self._use() as collection:
            collection.delete(where={"group": {"$in": [str(group) for group, *_ in groups]}})
        self._added += len(names)
        for start in range(0, len(names), _BATCH):
            part = slice(start, start + _BATCH)
            with self._use() as collection:
                collection.upsert(ids=names[part], embeddings=rows[part], metadatas=owners[part])

    def remove(self, group: int) -> None:
        """Take out all of *group*; nothing happens when there is none."""
        with self._use() as collection:
            collection.delete(where={"group": str(group)})

    def commit(self, seq: int) -> None:
        """Remember *seq* as the last outbox number held, and how large the graph's files are."""
        # Binary files only grow; the map of ids beside them may shrink.
        files = {
            file.relative_to(self._path).as_posix(): file.stat().st_size
            if file.suffix == ".bin"
            else 1
            for file in sorted(self._path.glob("*/*"))
        }
        write_file(self._path / _GRAPH_FILES, msgspec.json.encode(files))
        write_file(self._path / _ADDED, str(self._added).encode())
        write_sequence(self._path, seq)
        self.applied = seq

    def is_worn(self) -> bool:
        """Whether most of the graph is rows that were taken out, which Chroma never gives back."""
        return self._added > 2 * self.count() + _WORN_ROWS

    def search(self, query: Vectors, limit: int) -> Hits:
        """About the *limit* nearest to *query* ``[dimension]``, best first."""
        if limit < 1:
            return Hits(np.empty(0, np.int64), np.empty(0, np.float32))
        rows = np.asarray(query, np.float32)[None]
        with self._use() as collection:
            found = collection.query(query_embeddings=rows, n_results=limit, include=["distances"])
        ids = np.array([int(name) for name in found["ids"][0]], np.int64)
        return best(ids, 1 - np.array(found["distances"][0], np.float32), limit)

    def count(self) -> int:
        """Vectors held."""
        with self._use() as collection:
            return int(collection.count())

    def ids(self) -> Iterator[Ids]:
        """All ids, a page at a time; not to be mixed with changes."""
        for offset in range(0, self.count(), _PAGE):
            with self._use() as collection:
                page = collection.get(limit=_PAGE, offset=offset, include=[])
            yield np.array([int(name) for name in page["ids"]], np.int64)

    def reload(self) -> None:
        """See what another process committed, by opening the folder anew.

        Waits for searches under way. Does nothing new while another :class:`ChromaIndex` of this
        process keeps the same folder open.
        """
        with self._gate:
            self._gate.wait_for(lambda: not self._searching and not self._reloading)
            self._reloading = True
        try:
            self._client.close()
            self._open()
        finally:
            with self._gate:
                self._reloading = False
                self._gate.notify_all()

    def close(self) -> None:
        """Give up files and memory once no search is under way."""
        with self._gate:
            self._gate.wait_for(lambda: not self._searching and not self._reloading)
            self._client.close()

    def _open(self) -> None:
        self.applied = read_sequence(self._path)
        self._added = _check_files(self._path)
        with _as_damage(self._path):
            self._client = _client(self._path)
            self._collection = self._client.get_collection(_COLLECTION, embedding_function=None)
        held = self._collection.metadata["dimension"]
        if held != self._dimension:
            self._client.close()
            raise StoreMismatch(
                f"The vectors in {self._path} have dimension {held}, the embedder gives "
                f"{self._dimension}. Rebuild with the embedder you want to use."
            )

    @contextmanager
    def _use(self) -> Iterator[Any]:
        with self._gate:
            self._gate.wait_for(lambda: not self._reloading)
            self._searching += 1
        try:
            with _as_damage(self._path):
                yield self._collection
        finally:
            with self._gate:
                self._searching -= 1
                self._gate.notify_all()


def _client(path: Path) -> Any:
    silence()
    import chromadb
    from chromadb.config import Settings

    # A fresh one each time: chromadb writes the kind of client into the object it is given.
    settings = Settings(
        _env_file=None, anonymized_telemetry=False, chroma_otel_collection_endpoint=""
    )
    try:
        with _as_damage(path):
            return chromadb.PersistentClient(str(path), settings=settings)
    except (AttributeError, ValueError) as error:
        # What else it fails with when it cannot write its files, as on a full disk.
        raise _damaged(path, error) from error


def _check_files(path: Path) -> int:
    """Refuse a folder that is not whole; how many rows were ever added to it."""
    # Chroma opens a folder that lost its graph, counts all and finds nearly nothing; a cut graph
    # ends the process.
    try:
        sizes = msgspec.json.decode((path / _GRAPH_FILES).read_bytes(), type=dict[str, int])
        for name, least in {"chroma.sqlite3": 1, **sizes}.items():
            if (size := (path / name).stat().st_size) < least:
                raise _damaged(path, f"{name} holds {size} bytes of {least}")
        return int((path / _ADDED).read_bytes())
    except (OSError, ValueError, msgspec.MsgspecError) as error:
        raise _damaged(path, error) from error


@contextmanager
def _as_damage(path: Path) -> Iterator[None]:
    from chromadb.errors import InternalError, NotFoundError

    try:
        yield
    except (InternalError, NotFoundError) as error:
        raise _damaged(path, error) from error


def _damaged(path: Path, seen: object) -> IndexDamaged:
    return IndexDamaged(
        f"The vector index in {path} is damaged ({str(seen)[:200]}). Rebuild it from the database."
    )
