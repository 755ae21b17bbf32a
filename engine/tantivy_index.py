"""Keyword index on tantivy: incremental, crash-safe, a few milliseconds at a million chunks.

Two tantivy indexes lie side by side, since tantivy takes the number of documents and their mean
length from the whole index, so that two levels in one would share statistics. The binding does
not offer the commit payload; the sequence number lies in a file that is written last.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Self

import numpy as np
import tantivy

from chapterverse.engine.durable import read_sequence, write_sequence
from chapterverse.engine.hits import Hits, Ids, Scores, best
from chapterverse.engine.keyword import KeywordDoc, query_terms
from chapterverse.schema.errors import IndexDamaged, StoreError, StoreFull, StoreLocked

__all__ = ["TantivyIndex"]

_HEAP_BYTES = 64_000_000
_MOST_SPARE = 2000
# Measured: one term query an id is quicker than a set of ids up to here.
_MOST_SINGLE_IDS = 400
_LEVELS = ("children", "parents")


class TantivyIndex:
    """A :class:`~chapterverse.engine.keyword.KeywordIndex` in the folder *path*."""

    def __init__(self, path: Path, writable: bool = False) -> None:
        """Open what :meth:`create` made. Raises ``IndexDamaged``; the lock is taken later."""
        self._path = path
        self._writable = writable
        self.applied = read_sequence(path)
        self._children = _Level(path / "children")
        self._parents = _Level(path / "parents")

    @classmethod
    def create(cls, path: Path) -> Self:
        """Make a new, empty index in *path* (created when missing) and open it for writing."""
        for level in _LEVELS:
            (path / level).mkdir(parents=True, exist_ok=True)
            tantivy.Index(_schema(), path=str(path / level))
        write_sequence(path, 0)
        return cls(path, writable=True)

    def replace(
        self, group: int, children: Iterable[KeywordDoc], parents: Iterable[KeywordDoc]
    ) -> None:
        """Make *children* and *parents* all that the index holds of *group*."""
        self._refuse_reader()
        self._children.replace(group, children)
        self._parents.replace(group, parents)

    def remove(self, group: int) -> None:
        """Take out all of *group*."""
        self.replace(group, (), ())

    def commit(self, seq: int) -> None:
        """Commit both levels, then write *seq*: a crash between them is repaired by replay."""
        self._refuse_reader()
        self._children.commit()
        self._parents.commit()
        write_sequence(self._path, seq)
        self.applied = seq

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
        return self._children.count(), self._parents.count()

    def reload(self) -> None:
        """See what another process committed."""
        self.applied = read_sequence(self._path)
        self._children.reload()
        self._parents.reload()

    def close(self) -> None:
        """Give up the writer and its lock; changes not committed are lost."""
        self._children.close()
        self._parents.close()

    def _refuse_reader(self) -> None:
        if not self._writable:
            raise RuntimeError(f"{self._path} was opened for reading only.")


class _Level:
    """One tantivy index: a text field without positions, id and group as signed integers."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with self._named():
            self._index = tantivy.Index.open(str(path))
            self._schema = self._index.schema
            self._searcher = self._index.searcher()
        self._writer: tantivy.IndexWriter | None = None
        self._spare = 1

    def replace(self, group: int, docs: Iterable[KeywordDoc]) -> None:
        with self._named():
            # Kept until the end: a writer that is dropped after a commit stops its merges.
            writer = self._writer = self._writer or self._index.writer(_HEAP_BYTES, 1)
            writer.delete_documents_by_term("group", group)
            for doc in docs:
                document = tantivy.Document()
                document.add_integer("id", doc.id)
                document.add_integer("group", group)
                document.add_text("text", " ".join(doc.tokens))
                writer.add_document(document)

    def commit(self) -> None:
        if self._writer is not None:
            with self._named():
                self._writer.commit()
            self.reload()

    def reload(self) -> None:
        with self._named():
            self._index.reload()
            self._searcher = self._index.searcher()

    def count(self) -> int:
        return self._searcher.num_docs

    def search(self, tokens: Sequence[str], limit: int) -> Hits:
        if not tokens or limit < 1:
            return Hits(np.empty(0, np.int64), np.empty(0, np.float32))
        searcher, query, fetch = self._searcher, self._query(tokens), limit + self._spare
        with self._named():
            hits = searcher.search(query, fetch, count=False).hits
            # tantivy breaks ties by place in its files; so ties at the edge are fetched whole.
            while len(hits) == fetch and hits[limit - 1][0] == hits[-1][0]:
                fetch *= 4
                hits = searcher.search(query, fetch, count=False).hits
            found, scores = _read(searcher, hits)
        if len(scores) > limit:
            # Where texts are alike, ties are the rule: a wider first fetch saves the second.
            tied = int(np.count_nonzero(scores >= scores[limit - 1])) - limit + 1
            self._spare = min(max(tied, self._spare * 3 // 4, 1), _MOST_SPARE)
        return best(found, scores, limit)

    def scores(self, tokens: Sequence[str], ids: Ids) -> Scores:
        if not tokens or not len(ids):
            return np.full(len(ids), np.nan, np.float32)
        must, searcher = tantivy.Occur.Must, self._searcher
        among = tantivy.Query.const_score_query(self._any_id(ids.tolist()), 0.0)
        query = tantivy.Query.boolean_query([(must, self._query(tokens)), (must, among)])
        with self._named():
            hits = searcher.search(query, len(ids), count=False).hits
            found, scores = _read(searcher, hits)
        order = np.argsort(ids)
        result = np.full(len(ids), np.nan, np.float32)
        result[order[np.searchsorted(ids, found, sorter=order)]] = scores
        return result

    def close(self) -> None:
        if self._writer is not None:
            writer, self._writer = self._writer, None
            with self._named():
                writer.rollback()
                writer.wait_merging_threads()

    def _query(self, tokens: Sequence[str]) -> tantivy.Query:
        term, boost = tantivy.Query.term_query, tantivy.Query.boost_query
        should, schema = tantivy.Occur.Should, self._schema
        clauses = []
        for token, times in query_terms(tokens):
            clause = term(schema, "text", token, index_option="freq")
            clauses.append((should, clause if times == 1 else boost(clause, times)))
        return tantivy.Query.boolean_query(clauses)

    def _any_id(self, ids: list[int]) -> tantivy.Query:
        if len(ids) > _MOST_SINGLE_IDS:
            return tantivy.Query.term_set_query(self._schema, "id", ids)
        term, should = tantivy.Query.term_query, tantivy.Occur.Should
        return tantivy.Query.boolean_query(
            [(should, term(self._schema, "id", one, index_option="basic")) for one in ids]
        )

    @contextmanager
    def _named(self) -> Iterator[None]:
        """The binding raises ``ValueError`` for everything; give each its own name."""
        try:
            yield
        except ValueError as error:
            raise _named_error(self._path, str(error)) from error


def _read(
    searcher: tantivy.Searcher, hits: Sequence[tuple[float, tantivy.DocAddress]]
) -> tuple[Ids, Scores]:
    """Ids and scores of *hits*, which *searcher* found."""
    if not hits:
        return np.empty(0, np.int64), np.empty(0, np.float32)
    scores, addresses = zip(*hits, strict=True)
    ids = searcher.fast_field_values("id", list(addresses))
    return np.array(ids, np.int64), np.array(scores, np.float32)


def _named_error(path: Path, message: str) -> StoreError:
    if "LockBusy" in message:
        return StoreLocked(
            f"Another writer holds the keyword index {path}; there can be one. "
            "Close it, or open this one for reading."
        )
    if "No space left" in message or "StorageFull" in message:
        return StoreFull(f"The disk of the keyword index {path} is full. Make room and try again.")
    return IndexDamaged(
        f"The keyword index in {path} cannot be read ({message[:200]}). "
        "Rebuild it from the database."
    )


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("text", tokenizer_name="whitespace", index_option="freq")
    builder.add_integer_field("id", indexed=True, fast=True)
    builder.add_integer_field("group", indexed=True)
    return builder.build()
