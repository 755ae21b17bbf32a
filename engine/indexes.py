"""The derived indexes of one generation: opened, brought up to date, built anew when lost.

Everything here can be deleted and is made again from the database. Each index remembers in its
own folder how far it has come; the database remembers how far all of them have (DESIGN: outbox).
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np

from chapterverse.engine.analyze import analyze
from chapterverse.engine.chroma_index import ChromaIndex
from chapterverse.engine.keyword import KeywordDoc, KeywordIndex
from chapterverse.engine.tantivy_index import TantivyIndex
from chapterverse.engine.vectors import VectorFile
from chapterverse.schema.database import Database
from chapterverse.schema.embedder import Vectors
from chapterverse.schema.errors import IndexDamaged, StoreError, StoreFull
from chapterverse.schema.generation import Generation
from chapterverse.schema.lookup import Ids

if TYPE_CHECKING:
    from chapterverse.schema.journal import OutboxRow

__all__ = ["EmbedTexts", "IndexSet"]

_ALL = ("keyword", "vectors", "chroma")
_COMMIT_CHILDREN = 20_000
_CHROMA_ROWS = 5_000
_LEAST_FREE = 4_000_000
_Index = TypeVar("_Index", bound="_HasApplied")


class _HasApplied(Protocol):
    @property
    def applied(self) -> int: ...

    def close(self) -> None: ...


class EmbedTexts(Protocol):
    """Texts to vectors, for children whose stored vector is lost."""

    def __call__(self, texts: Sequence[str]) -> Vectors:
        """float32 ``[len(texts), dimension]``."""


@dataclass(frozen=True, slots=True)
class _Content:
    """What the indexes take of one revision."""

    revision_id: int
    children: list[KeywordDoc]
    parents: list[KeywordDoc]
    ids: Ids
    parent_ids: list[int]
    vectors: Vectors


class IndexSet:
    """Keyword index, vector file and Chroma of one generation."""

    def __init__(
        self,
        folder: Path,
        generation: Generation,
        *,
        writable: bool,
        end: Callable[[], int],
        chroma: ChromaIndex | None = None,
    ) -> None:
        """Open what is there; with *writable*, make anew what is missing or damaged.

        ``end`` tells the last sequence number that the database gave out: an index that holds more
        belongs to another state of it. ``chroma`` is the approximate index when this process has
        it open already.

        :raises IndexDamaged: an index is missing or damaged and *writable* is false.
        """
        self.folder = folder
        self.generation = generation
        self.writable = writable
        self.applied = generation.applied
        self.rebuilt: list[str] = []
        # False while it is made anew: searches then scan the vector file.
        self.has_chroma = True
        self._end = end
        self.keyword: KeywordIndex = self._opened("keyword", self._open_keyword)
        self.vectors: VectorFile = self._opened("vectors", self._open_vectors)
        self._chroma = chroma
        self._waiting: list[tuple[int, Ids, Vectors]] = []

    @property
    def chroma(self) -> ChromaIndex:
        """The approximate index; loading Chroma takes a second, so it is opened on first use.

        :raises IndexDamaged: as for the others.
        """
        if self._chroma is None:
            self._chroma = self._opened("chroma", self._open_chroma)
        return self._chroma

    def catch_up(self, database: Database, embed: EmbedTexts) -> int:
        """Apply the outbox until nothing is left; returns the number of rows applied.

        Safe to be killed at any instruction and called again.

        :raises StoreFull: the disk is full; what the database holds is applied the next time.
        """
        with self._explained():
            return self._catch_up(database, embed)

    def _catch_up(self, database: Database, embed: EmbedTexts) -> int:
        from chapterverse.schema import journal

        self._build_lost(database, embed)
        total = 0
        while rows := self._next_rows(database):
            for row in rows:
                self._apply(database, row, embed)
            self.commit(rows[-1].seq)
            with database.write() as connection:
                journal.mark_applied(connection, self.generation.id, rows[-1].seq)
            total += len(rows)
        if total and self.chroma.is_worn():
            self._renew_chroma(database, embed)
        return total

    def _renew_chroma(self, database: Database, embed: EmbedTexts) -> None:
        self.has_chroma = False
        self.chroma.close()
        shutil.rmtree(self.folder / "chroma")
        self._chroma = self._opened("chroma", self._open_chroma)
        self._build_lost(database, embed)
        self.has_chroma = True

    def fill(
        self, database: Database, revisions: Sequence[int], seq: int, embed: EmbedTexts
    ) -> None:
        """Put *revisions* into all indexes and save them as applied up to *seq*."""
        with self._explained():
            for revision_id in revisions:
                self._put(self._content(database, revision_id, embed), _ALL)
            self.commit(seq)
        self.rebuilt.clear()

    def commit(self, seq: int) -> None:
        """Save all indexes as applied up to *seq*."""
        self.keyword.commit(seq)
        self.vectors.commit(seq)
        self._flush_chroma()
        self.chroma.commit(seq)

    def stop_writing(self) -> None:
        """Give up the right to write; searches go on."""
        self.writable = False
        self.keyword.close()
        self.vectors.close()

    def writer(self, generation: Generation) -> IndexSet:
        """The same indexes opened for writing."""
        return IndexSet(self.folder, generation, writable=True, end=self._end, chroma=self._chroma)

    def reload(self) -> None:
        """See what another process saved."""
        self.keyword.reload()
        self.vectors.reload()
        if self._chroma is not None:
            self._chroma.reload()

    def close(self) -> None:
        """Give up files, memory and locks."""
        self.keyword.close()
        self.vectors.close()
        if self._chroma is not None:
            self._chroma.close()
            self._chroma = None

    def _next_rows(self, database: Database) -> list[OutboxRow]:
        from chapterverse.schema import journal, store

        with database.read() as connection:
            generation = journal.current_generation(connection)
            assert generation is not None
            rows = journal.outbox_after(connection, generation.applied)
            taken, children = 0, 0
            for row in rows:
                taken += 1
                children += store.count_children(connection, row.revision_id)
                if children >= _COMMIT_CHILDREN:
                    break
        return rows[:taken]

    def _apply(self, database: Database, row: OutboxRow, embed: EmbedTexts) -> None:
        if row.op == "put":
            self._put(self._content(database, row.revision_id, embed), _ALL)
        else:
            self.keyword.remove(row.revision_id)
            self.vectors.remove(row.revision_id)
            self._flush_chroma()
            self.chroma.remove(row.revision_id)

    def _put(self, content: _Content, names: Collection[str]) -> None:
        if "keyword" in names:
            self.keyword.replace(content.revision_id, content.children, content.parents)
        if "vectors" in names:
            self.vectors.replace(
                content.revision_id, content.ids, content.vectors, content.parent_ids
            )
        if "chroma" in names:
            self._waiting.append((content.revision_id, content.ids, content.vectors))
            if sum(len(ids) for _, ids, _ in self._waiting) >= _CHROMA_ROWS:
                self._flush_chroma()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """A full disk shows itself differently in each library; say what it is."""
        try:
            yield
        except (OSError, IndexDamaged) as error:
            full = isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EFBIG)
            if full or _free_bytes(self.folder) < _LEAST_FREE:
                raise StoreFull(
                    f"The disk holding {self.folder} is full. Free some space and run the same "
                    "command again: the documents are in the database, and the indexes follow."
                ) from error
            if isinstance(error, OSError):
                raise StoreError(
                    f"The indexes in {self.folder} cannot be read or written: {error}. Check your "
                    "rights there; they can also be deleted, and are then built again."
                ) from error
            raise

    def _flush_chroma(self) -> None:
        self.chroma.replace_all(self._waiting)
        self._waiting.clear()

    def _content(self, database: Database, revision_id: int, embed: EmbedTexts) -> _Content:
        from chapterverse.schema import embeddings, indexed

        model = self.generation.fingerprint
        with database.read() as connection:
            children = indexed.indexed_children(connection, revision_id)
            parents = indexed.indexed_parents(connection, revision_id)
            stored = indexed.revision_vectors(connection, revision_id, model)
        lost = {c.text_hash: c.text for c in children if c.text_hash not in stored}
        if lost:
            vectors = embed(list(lost.values()))
            with database.write() as connection:
                embeddings.add_embeddings(connection, model, list(lost), vectors)
            # Through float16 like the stored ones, so that a repair changes no score.
            rounded = vectors.astype(np.float16).astype(np.float32)
            stored |= dict(zip(lost, rounded, strict=True))
        return _Content(
            revision_id,
            [KeywordDoc(c.id, revision_id, analyze(c.text)) for c in children],
            [KeywordDoc(p.id, revision_id, analyze(p.text)) for p in parents],
            np.array([c.id for c in children], np.int64),
            [c.parent_id for c in children],
            np.array([stored[c.text_hash] for c in children], np.float32).reshape(
                len(children), self.generation.dimension
            ),
        )

    def _build_lost(self, database: Database, embed: EmbedTexts) -> None:
        """Fill the indexes that had to be made anew with all that searches see."""
        _ = self.chroma
        if not self.rebuilt:
            return
        from chapterverse.schema import journal

        with database.read() as connection:
            generation = journal.current_generation(connection)
            assert generation is not None
            revisions = journal.live_revisions(connection, generation.applied)
        for revision_id in revisions:
            self._put(self._content(database, revision_id, embed), self.rebuilt)
        self.commit(generation.applied)
        self.rebuilt.clear()

    def _opened(self, name: str, open_it: Callable[[Path, bool], _Index]) -> _Index:
        with self._explained():
            return self._found_or_made(name, open_it)

    def _found_or_made(self, name: str, open_it: Callable[[Path, bool], _Index]) -> _Index:
        folder = self.folder / name
        try:
            index = open_it(folder, False)
            at, known = index.applied, self.generation.applied
            # Ahead of what counts as applied is what a writer has just saved, or died after.
            if at == known or known < at <= self._end():
                return index
            # One of the two was put back from an older copy: the outbox does not lead from the
            # one to the other.
            index.close()
            raise IndexDamaged(
                f"The index in {folder} is {'older' if at < known else 'newer'} than the database "
                f"(at {at} of {known}). Open the base for writing once to build it anew."
            )
        except IndexDamaged:
            if not self.writable:
                raise
        if folder.exists():
            shutil.rmtree(folder)
        self.rebuilt.append(name)
        return open_it(folder, True)

    def _open_keyword(self, folder: Path, create: bool) -> KeywordIndex:
        if self.generation.keyword == "tantivy":
            return TantivyIndex.create(folder) if create else TantivyIndex(folder, self.writable)
        from chapterverse.engine.bm25_index import Bm25Index

        return Bm25Index.create(folder) if create else Bm25Index(folder, self.writable)

    def _open_vectors(self, folder: Path, create: bool) -> VectorFile:
        dimension = self.generation.dimension
        if create:
            return VectorFile.create(folder, dimension)
        return VectorFile(folder, dimension, self.writable)

    def _open_chroma(self, folder: Path, create: bool) -> ChromaIndex:
        dimension = self.generation.dimension
        if create:
            return ChromaIndex.create(folder, dimension)
        return ChromaIndex(folder, dimension)


def _free_bytes(folder: Path) -> int:
    """Room on the disk that holds *folder*, or would hold it."""
    while not os.path.exists(folder):
        folder = folder.parent
    return shutil.disk_usage(folder).free
