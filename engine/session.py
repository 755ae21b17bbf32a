"""One open knowledge base: its database, current generation, indexes, embedder and writer's right.

Searches and writes may come from several threads; writes take turns, and one process writes at a
time. Searches never wait for a writer: they answer from one consistent state and start again when
that state was replaced under them.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from chapterverse.engine.analyze import ANALYZER_VERSION
from chapterverse.engine.embed import make_embedder
from chapterverse.engine.indexes import IndexSet
from chapterverse.engine.lock import WriterLock
from chapterverse.schema.choices import CHUNK_SETTINGS, DESCRIBER_KEY, Choices
from chapterverse.schema.chunk_limits import ChunkLimits
from chapterverse.schema.database import Database, open_database
from chapterverse.schema.embedder import Embedder, Vectors
from chapterverse.schema.errors import IndexDamaged, StoreError, StoreLocked, StoreMismatch
from chapterverse.schema.generation import Generation, current_generation, is_waiting
from chapterverse.schema.reader import Snapshot

if TYPE_CHECKING:
    from chapterverse.ingest.describe import Describer
    from chapterverse.ingest.pipeline import Pipeline
    from chapterverse.ingest.sources import Progress
    from chapterverse.ingest.write import Writer

__all__ = ["Session", "generation_folder"]

_Answer = TypeVar("_Answer")
_TRIES = 5


def generation_folder(base: Path, number: int) -> Path:
    """Where the indexes of generation *number* lie."""
    return base / "generations" / str(number)


class Session:
    """Everything that stays open between calls."""

    def __init__(
        self, path: Path, settings: Choices, embedder: Embedder | None, *, create: bool
    ) -> None:
        """Open the database and repair what a crash left half-done.

        :raises StoreError: see :func:`~chapterverse.schema.database.open_database`.
        """
        self.path = path
        self.settings = settings
        self.database: Database = open_database(
            path / "kb.sqlite3", name=settings.name, create=create
        )
        self.lock = WriterLock(path)
        self._own_embedder = embedder
        self._embedder: tuple[str, Embedder] | None = None
        self._turn = threading.RLock()
        self._swap = threading.Lock()
        self._depth = 0
        self._indexes: IndexSet | None = None
        try:
            self._check_name()
            generation = self.generation()
            if generation is not None:
                self._replay(generation)
        except BaseException:
            self.database.close()
            raise

    @property
    def embedder(self) -> Embedder:
        """The embedder of the current generation; of the settings where there is none yet."""
        return self.embedder_for(self.generation())

    def embedder_for(self, generation: Generation | None) -> Embedder:
        """The embedder that *generation* was built with, made on first use.

        One that the caller of :meth:`KnowledgeBase.open` gave is taken as it is.
        """
        if self._own_embedder is not None:
            return self._own_embedder
        name = generation.embedder if generation else self.settings.embedder
        made = self._embedder
        if made is None or made[0] != name:
            made = self._embedder = (name, make_embedder(name))
        return made[1]

    def generation(self) -> Generation | None:
        """The generation that searches use now; ``None`` in a base that never ingested."""
        with self.database.snapshot() as reader:
            return current_generation(reader)

    def outbox_end(self) -> int:
        """The last sequence number that was given out."""
        from chapterverse.schema import journal

        with self.database.read() as connection:
            return journal.outbox_end(connection)

    def chunk_limits(self) -> ChunkLimits:
        """The limits that new documents are cut with: those of the base, else of the settings."""
        generation = self.generation()
        if generation is None:
            return self.settings.chunk_limits
        return ChunkLimits.from_key(generation.chunking)

    def wanted_generation(self) -> Generation:
        """What the settings ask for, not stored yet."""
        embedder = self.embedder
        return Generation(
            id=0,
            embedder=self.settings.embedder,
            fingerprint=embedder.fingerprint,
            dimension=embedder.dimension,
            analyzer=ANALYZER_VERSION,
            chunking=self.settings.chunk_limits.key(),
            keyword=self.settings.keyword,
        )

    def check(self, generation: Generation, *, embedder: bool) -> None:
        """Refuse to work with other settings or, with *embedder*, another model than built with.

        A generation that was replaced meanwhile passes: who works with it finds out and asks anew.

        :raises StoreMismatch: naming both and the way out.
        """
        try:
            self._check(generation, embedder)
        except StoreMismatch:
            # A rebuild in another thread may have switched the base and not yet this session.
            with self._swap:
                current = self.generation()
            if current is not None and current.id == generation.id:
                self._check(generation, embedder)

    def _check(self, generation: Generation, embedder: bool) -> None:
        _check_settings(self.settings, generation)
        if not embedder:
            return
        used = self.embedder_for(generation).fingerprint
        if used != generation.fingerprint:
            raise StoreMismatch(
                f"{self.path} was built with the embedder {generation.fingerprint!r}; the one in "
                f"use is {used!r}. Use the former, or build the base anew with the latter: "
                "chapterverse rebuild."
            )

    @contextmanager
    def writing(self) -> Iterator[IndexSet]:
        """The right to write and the indexes to write to; caught up on entry.

        :raises StoreLocked: another process is writing.
        """
        self.database.check_open()
        with self._turn, self.lock:
            self._depth += 1
            try:
                if self._depth == 1:
                    self._open_for_writing()
                assert self._indexes is not None
                yield self._indexes
            finally:
                self._depth -= 1
                if self._depth == 0 and self._indexes is not None:
                    self._indexes.stop_writing()

    def writer(
        self, embedder: Embedder, limits: ChunkLimits, on_progress: Callable[[Progress], None]
    ) -> Writer:
        """The way from parsed documents to rows."""
        from chapterverse.ingest.vectorize import Vectorizer
        from chapterverse.ingest.write import Writer

        vectorizer = Vectorizer(self.database, embedder, on_progress)
        return Writer(self.database, vectorizer, limits, self.database.name, self.catch_up)

    def pipeline(
        self, on_progress: Callable[[Progress], None], describer: Describer | None = None
    ) -> Pipeline:
        """The way from files to rows, with the limits of this base."""
        from chapterverse.ingest.pipeline import Pipeline
        from chapterverse.ingest.readers import can_recognise
        from chapterverse.ingest.snapshot import Blobs

        return Pipeline(
            writer=self.writer(self.embedder, self.chunk_limits(), on_progress),
            blobs=Blobs(self.path / "blobs"),
            max_bytes=self.settings.max_bytes,
            ocr=can_recognise(self.settings.ocr_pages),
            describer=describer or self._describer(),
        )

    def _describer(self) -> Describer | None:
        """The one that the settings name, if any; its key comes from the environment alone."""
        from chapterverse.ingest.describe import VisionEndpoint

        url, model = self.settings.describer_url, self.settings.describer_model
        if url is None or model is None:
            return None
        return VisionEndpoint(url, model, os.environ.get(DESCRIBER_KEY))

    def catch_up(self) -> None:
        """Apply the outbox to all indexes (within :meth:`writing`)."""
        assert self._indexes is not None
        self._indexes.catch_up(self.database, self.embed)

    def switch(self, commit: Callable[[], None], indexes: IndexSet, settings: Choices) -> None:
        """Let *commit* switch the base to *indexes*, built under *settings*, and go along.

        Within :meth:`writing`. Searches in other threads see both change at once.
        """
        with self._swap:
            commit()
            old, self._indexes = self._indexes, indexes
            if settings.embedder != self.settings.embedder:
                self._own_embedder = None
            self.settings = settings
        if old is not None:
            old.close()

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Vectors for texts whose stored ones are lost."""
        generation = self.generation()
        assert generation is not None
        self.check(generation, embedder=True)
        return self.embedder.embed_documents(texts)

    def searching(
        self, answer: Callable[[Snapshot, IndexSet, Generation], _Answer], empty: _Answer
    ) -> _Answer:
        """*answer* over one consistent state of database and indexes; *empty* without a base.

        Indexes may run ahead of the snapshot that the connection sees. What was answered counts
        only if nothing was applied meanwhile, so a search never misses a document because it was
        replaced while the search was running.
        """
        for attempt in range(_TRIES):
            with self.database.snapshot() as reader:
                generation = current_generation(reader)
                if generation is None:
                    return empty
                try:
                    result = answer(reader, self._opened(generation), generation)
                except IndexDamaged:
                    # Another process may have switched to a new generation and cleared this one.
                    if attempt + 1 < _TRIES and self.generation() != generation:
                        continue
                    raise
            if self.generation() == generation:
                return result
        return result

    def close(self) -> None:
        """Give back files, locks and memory."""
        with self._turn:
            if self._indexes is not None:
                self._indexes.close()
                self._indexes = None
            self.database.close()

    def _check_name(self) -> None:
        settings, name = self.settings, self.database.name
        if "name" in settings.given and settings.name != name:
            raise StoreMismatch(
                f"{self.path} holds the knowledge base {name!r}; {settings.name!r} is asked for. "
                "Leave the name out, or name another folder with --kb. A base keeps the name it "
                "was made with, since every id depends on it."
            )

    def _open_for_writing(self) -> None:
        generation = self.generation()
        if generation is None:
            from chapterverse.schema import journal

            wanted = self.wanted_generation()
            with self.database.write() as connection:
                number = journal.add_generation(connection, wanted)
                journal.use_generation(connection, number)
            generation = self.generation()
            assert generation is not None
        old = self._indexes
        if old is not None and old.generation.id == generation.id:
            indexes = old.writer(generation)
        else:
            folder = generation_folder(self.path, generation.id)
            indexes = IndexSet(folder, generation, writable=True, end=self.outbox_end)
        # Searches go on with the old ones until lost indexes are filled again.
        if generation.analyzer == ANALYZER_VERSION:
            try:
                indexes.catch_up(self.database, self.embed)
            except BaseException:
                indexes.stop_writing()
                raise
        with self._swap:
            self._indexes = indexes

    def _replay(self, generation: Generation) -> None:
        """Finish what an interrupted writer left in the outbox, where that can be done now.

        Not while another writer is at work, on a full disk or without rights: searches then
        answer from what was applied, and the next writer tries again.
        """
        with self.database.snapshot() as reader:
            waiting = is_waiting(reader, generation.applied)
        if waiting:
            with suppress(StoreError), self.writing():
                pass

    def _opened(self, generation: Generation) -> IndexSet:
        with self._swap:
            indexes = self._indexes
        if indexes is None or indexes.generation.id != generation.id:
            if indexes is not None and indexes.generation.id > generation.id:
                raise IndexDamaged(f"Generation {generation.id} was replaced by a rebuild.")
            opened = self._read_indexes(generation)
            with self._swap:
                if self._indexes is indexes:
                    self._indexes = opened
                indexes = self._indexes
            assert indexes is not None
        if indexes.applied != generation.applied:
            # What this process applies itself, its indexes show already.
            if not indexes.writable:
                try:
                    indexes.reload()
                except IndexDamaged:
                    indexes = self._indexes = self._read_indexes(generation)
            indexes.applied = generation.applied
        return indexes

    def _read_indexes(self, generation: Generation) -> IndexSet:
        folder = generation_folder(self.path, generation.id)
        try:
            return IndexSet(folder, generation, writable=False, end=self.outbox_end)
        except IndexDamaged as error:
            try:
                with self.writing() as indexes:
                    return indexes
            except StoreLocked:
                raise error from None


def _check_settings(settings: Choices, generation: Generation) -> None:
    """Refuse settings that were given and that the base was not built with.

    :raises StoreMismatch: naming the setting, both values and the way out.
    """
    given = settings.given
    limits = ChunkLimits.from_key(generation.chunking)
    pairs: list[tuple[str, object, object, bool]] = [
        ("embedder", settings.embedder, generation.embedder, "embedder" in given),
        ("keyword", settings.keyword, generation.keyword, "keyword" in given),
        ("analyzer", ANALYZER_VERSION, generation.analyzer, True),
        *(
            (name, getattr(settings, name), getattr(limits, name), name in given)
            for name in sorted(CHUNK_SETTINGS)
        ),
    ]
    for name, asked, built, counts in pairs:
        if counts and asked != built:
            raise StoreMismatch(
                f"This knowledge base was built with {name} {built!r}; {asked!r} is asked for. "
                "Leave the setting out to go on as before, or build the base anew with the new "
                "one: chapterverse rebuild."
            )
