"""Keyword index on rank-bm25: all in memory, for small bases and as the reference in tests.

A commit counts the whole corpus again and a query visits every document, so this suits a few
thousand chunks. Token lists are kept in one file a level.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Self

import msgspec
import numpy as np
from filelock import FileLock, Timeout
from rank_bm25 import BM25Okapi

from chapterverse.engine.durable import read_sequence, write_file, write_sequence
from chapterverse.engine.hits import Hits, Ids, Scores, best
from chapterverse.engine.keyword import BM25_B, BM25_K1, KeywordDoc, query_terms
from chapterverse.schema.errors import IndexDamaged, StoreLocked

__all__ = ["Bm25Index"]

_LEVELS = ("children", "parents")


class Bm25Index:
    """A :class:`~chapterverse.engine.keyword.KeywordIndex` in the folder *path*."""

    def __init__(self, path: Path, writable: bool = False) -> None:
        """Open what :meth:`create` made. Raises ``IndexDamaged``; the lock is taken later."""
        self._path = path
        self._writable = writable
        self._lock = FileLock(path / "writer.lock")
        self._pending: tuple[_Corpus, _Corpus]
        self.reload()

    @classmethod
    def create(cls, path: Path) -> Self:
        """Make a new, empty index in *path* (created when missing) and open it for writing."""
        path.mkdir(parents=True, exist_ok=True)
        for level in _LEVELS:
            write_file(_file(path, level), msgspec.msgpack.encode([]))
        write_sequence(path, 0)
        return cls(path, writable=True)

    def replace(
        self, group: int, children: Iterable[KeywordDoc], parents: Iterable[KeywordDoc]
    ) -> None:
        """Make *children* and *parents* all that the index holds of *group*."""
        self._take_lock()
        for corpus, docs in zip(self._pending, (children, parents), strict=True):
            for id_ in [id_ for id_, (owner, _) in corpus.items() if owner == group]:
                del corpus[id_]
            corpus.update((doc.id, (group, list(doc.tokens))) for doc in docs)

    def remove(self, group: int) -> None:
        """Take out all of *group*."""
        self.replace(group, (), ())

    def commit(self, seq: int) -> None:
        """Write both levels, then *seq*: a crash between them is repaired by replay."""
        self._take_lock()
        for level, corpus in zip(_LEVELS, self._pending, strict=True):
            rows = [(id_, group, tokens) for id_, (group, tokens) in sorted(corpus.items())]
            write_file(_file(self._path, level), msgspec.msgpack.encode(rows))
        write_sequence(self._path, seq)
        self.applied = seq
        self._children, self._parents = map(_Level, self._pending)

    def search_children(self, tokens: Sequence[str], limit: int) -> Hits:
        """The *limit* best children that share a token."""
        return self._children.search(tokens, limit)

    def search_parents(self, tokens: Sequence[str], limit: int) -> Hits:
        """The *limit* best parents that share a token."""
        return self._parents.search(tokens, limit)

    def score_children(self, tokens: Sequence[str], ids: Ids) -> Scores:
        """float32 ``[len(ids)]``; NaN where the child is unknown or shares no token."""
        return self._children.scores(tokens, ids)

    def score_parents(self, tokens: Sequence[str], ids: Ids) -> Scores:
        """float32 ``[len(ids)]``; NaN where the parent is unknown or shares no token."""
        return self._parents.scores(tokens, ids)

    def count(self) -> tuple[int, int]:
        """Children and parents as of the last commit seen."""
        return len(self._children.ids), len(self._parents.ids)

    def reload(self) -> None:
        """See what another process committed; drop what this one did not commit."""
        self.applied = read_sequence(self._path)
        children, parents = (_read(_file(self._path, level)) for level in _LEVELS)
        self._pending = children, parents
        self._children, self._parents = _Level(children), _Level(parents)

    def close(self) -> None:
        """Give up the lock; changes not committed are lost."""
        self._lock.release()

    def _take_lock(self) -> None:
        if not self._writable:
            raise RuntimeError(f"{self._path} was opened for reading only.")
        if not self._lock.is_locked:
            try:
                self._lock.acquire(timeout=0)
            except Timeout as error:
                raise StoreLocked(
                    f"Another writer holds the keyword index {self._path}; there can be one. "
                    "Close it, or open this one for reading."
                ) from error
            self.reload()


_Corpus = dict[int, tuple[int, list[str]]]


class _Okapi(BM25Okapi):  # type: ignore[misc]
    """rank-bm25 floors its idf, which is 0 or negative on small corpora; this is Lucene's."""

    def _calc_idf(self, nd: dict[str, int]) -> None:
        size = self.corpus_size
        self.idf = {word: math.log1p((size - n + 0.5) / (n + 0.5)) for word, n in nd.items()}


class _Level:
    """Searchable state of one level as of its making."""

    def __init__(self, corpus: _Corpus) -> None:
        self.ids = np.fromiter(corpus, np.int64, len(corpus))
        texts = [tokens for _, tokens in corpus.values()]
        # rank-bm25 divides by the number of documents and by their mean length.
        self._model = _Okapi(texts, k1=BM25_K1, b=BM25_B) if any(texts) else None

    def scores(self, tokens: Sequence[str], ids: Ids) -> Scores:
        hits = self.search(tokens, len(self.ids))
        by_id = dict(zip(hits.ids.tolist(), hits.scores.tolist(), strict=True))
        return np.array([by_id.get(id_, np.nan) for id_ in ids.tolist()], np.float32)

    def search(self, tokens: Sequence[str], limit: int) -> Hits:
        query = [term for term, times in query_terms(tokens) for _ in range(times)]
        if self._model is None or not query:
            return Hits(np.empty(0, np.int64), np.empty(0, np.float32))
        scores = self._model.get_scores(query)
        rows = np.flatnonzero(scores > 0)
        return best(self.ids[rows], scores[rows].astype(np.float32), limit)


def _file(path: Path, level: str) -> Path:
    return path / f"{level}.msgpack"


def _read(path: Path) -> _Corpus:
    try:
        rows = msgspec.msgpack.decode(path.read_bytes(), type=list[tuple[int, int, list[str]]])
    except (OSError, msgspec.MsgspecError) as error:
        raise IndexDamaged(
            f"The keyword index file {path} cannot be read ({error}). Rebuild it from the database."
        ) from error
    return {id_: (group, tokens) for id_, group, tokens in rows}
