"""The knowledge base: the one place that wires store, pipeline, indexes and embedder."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from chapterverse.engine.candidates import Query
from chapterverse.engine.indexes import IndexSet
from chapterverse.engine.retrieve import check_query, plan_for, query_for, retrieve
from chapterverse.engine.session import Session
from chapterverse.engine.shown import Passages
from chapterverse.schema import lookup
from chapterverse.schema.choices import choose
from chapterverse.schema.embedder import Embedder
from chapterverse.schema.errors import NotFound, QueryError, SettingsError
from chapterverse.schema.generation import Generation
from chapterverse.schema.ids import parse_id
from chapterverse.schema.reader import Snapshot
from chapterverse.schema.records import Document
from chapterverse.schema.results import (
    Citation,
    Content,
    Filter,
    IngestItem,
    IngestReport,
    Mode,
    Status,
)

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from chapterverse.ingest.describe import Describer
    from chapterverse.ingest.discover import Found
    from chapterverse.ingest.pipeline import Password, Pipeline
    from chapterverse.ingest.sources import Progress, TextSource
    from chapterverse.schema.settings import Settings

__all__ = ["Content", "KnowledgeBase", "Watch"]

_APPLY_SECONDS = 5.0


class Watch:
    """What a long ingest reports to; the methods do nothing until overridden."""

    def files(self, found: Sequence[Found]) -> None:
        """These files will be ingested, in this order."""

    def progress(self, progress: Progress) -> None:
        """The current document has come so far."""

    def item(self, item: IngestItem) -> None:
        """A document is finished, well or badly."""


class KnowledgeBase:
    """A folder of documents that can be searched.

    Open with :meth:`open`; use as a context manager or call :meth:`close`. Methods may be called
    from several threads.
    """

    def __init__(self, session: Session) -> None:
        self._session = session

    @classmethod
    def open(
        cls,
        path: str | Path = "kb",
        *,
        create: bool = True,
        settings: Settings | None = None,
        embedder: Embedder | str | None = None,
        **arguments: Any,
    ) -> Self:
        """Open the knowledge base in the folder *path*; make it when *create* and missing.

        ``arguments`` are single settings (``child_tokens=80``) and win over environment and file.
        ``embedder`` is a name (see the settings) or an object of your own.
        A base remembers what it was built with; settings that are not given follow it.

        :raises SettingsError: an unknown setting or a value out of bounds.
        :raises StoreMissing: there is none and *create* is false.
        :raises StoreMismatch: it was built with other settings than those given.
        :raises StoreError: it cannot be read; the message says why and what to do.
        """
        own = None if isinstance(embedder, str) else embedder
        if isinstance(embedder, str):
            arguments["embedder"] = embedder
        if settings is not None and arguments:
            raise SettingsError(
                f"settings and {', '.join(sorted(arguments))} are given; give one or the other."
            )
        choices = choose(**arguments) if settings is None else settings.choices
        folder = Path(os.path.abspath(os.path.expanduser(path)))
        return cls(Session(folder, choices, own, create=create))

    @property
    def path(self) -> Path:
        """The folder of this knowledge base."""
        return self._session.path

    def ingest(
        self,
        paths: str | Path | Sequence[str | Path],
        *,
        tags: Sequence[str] | None = None,
        metadata: Mapping[str, str] | None = None,
        password: Password | None = None,
        describer: Describer | None = None,
        watch: Watch | None = None,
    ) -> IngestReport:
        """Ingest files and folders; unchanged ones cost a hash, changed ones are replaced.

        ``password`` opens encrypted files; a function is asked for that of each by its URI. What
        lies in archives and mail becomes documents of its own. ``describer`` takes the bytes of a
        figure's picture, its media type and the text around it, and gives words that are indexed
        and marked as generated.

        One bad document never stops the others: look at ``report.failed``. Interrupting is safe
        at any moment; the same call goes on where it stopped.

        :raises StoreError: the base itself cannot go on (locked by another process, disk full).
        """
        from chapterverse.ingest.discover import discover
        from chapterverse.ingest.pool import ParsePool
        from chapterverse.ingest.sources import Labels

        given = [paths] if isinstance(paths, str | Path) else list(paths)
        watch = watch or Watch()
        found = discover(given, skip=self.path)
        watch.files(found)
        labels = Labels(tags, metadata)
        with self._session.writing():
            pipeline = self._pipeline(watch, describer)
            with ParsePool(
                self._session.settings.parse_limits,
                blobs=self.path / "blobs",
                ocr_cache=self.path / "cache" / "ocr",
            ) as pool:
                return self._run(pipeline.files(found, pool, labels, password), watch)

    def ingest_text(
        self,
        text: str,
        uri: str,
        title: str | None = None,
        metadata: Mapping[str, str] | None = None,
        *,
        tags: Sequence[str] | None = None,
        media_type: str = "text/plain",
    ) -> IngestItem:
        """Ingest one text under *uri*; the same URI again replaces it.

        ``media_type`` is ``text/plain`` or ``text/markdown``. For many texts
        :meth:`ingest_texts` is much faster.
        """
        from chapterverse.ingest.sources import Labels, TextSource

        labels = Labels(tags, metadata)
        source = TextSource(text, uri, title, media_type, labels)
        return self.ingest_texts([source]).items[0]

    def ingest_texts(
        self, sources: Iterable[TextSource], *, watch: Watch | None = None
    ) -> IngestReport:
        """Ingest many texts; see :meth:`ingest`."""
        watch = watch or Watch()
        with self._session.writing():
            return self._run(self._pipeline(watch).texts(sources), watch)

    def search(
        self,
        query: str,
        k: int = 5,
        *,
        filter: Filter | None = None,
        mode: Mode = "hybrid",
    ) -> Passages:
        """The *k* best distinct parents for *query*, best first, with citations.

        ``query`` is data, never a query language. Fewer than *k* come back when fewer fit, or when
        the candidates (the setting ``pool`` for each channel) have fewer parents.

        :raises QueryError: an empty query, *k* below 1, an unknown mode or document.
        :raises EmbedderError: the model cannot be made or loaded.
        :raises StoreMismatch: the embedder is not the one the base was built with.
        """
        check_query(query, k, mode)
        if filter is not None and not isinstance(filter, Filter):
            raise QueryError(f"filter is a {type(filter).__name__}; give a chapterverse.Filter.")
        session = self._session
        plan = plan_for(session.settings, mode)
        asked: dict[str, Query] = {}

        def ask(generation: Generation) -> Query:
            if generation.fingerprint not in asked:
                session.check(generation, embedder=plan.weights.dense > 0)
                embedder = session.embedder_for(generation) if plan.weights.dense else None
                asked[generation.fingerprint] = query_for(query, embedder)
            return asked[generation.fingerprint]

        def answer(reader: Snapshot, indexes: IndexSet, generation: Generation) -> Passages:
            return Passages(
                retrieve(
                    reader,
                    indexes,
                    ask(generation),
                    plan,
                    k=k,
                    wanted=filter or Filter(),
                    seq=generation.applied,
                )
            )

        # The model runs before the snapshot: a long read keeps the write-ahead log from shrinking.
        generation = session.generation()
        if generation is not None:
            ask(generation)
        return session.searching(answer, Passages())

    def documents(self) -> list[Document]:
        """All documents, by URI."""
        from chapterverse.schema import store

        with self._session.database.read() as connection:
            return store.list_documents(connection)

    def get(self, document: str | Path | int) -> Content:
        """A document with its assets, parents and children.

        ``document`` is an id (as printed, or the number), a URI, a path, or a file name that
        only one document has.

        :raises NotFound: there is none, or several have that file name.
        """
        from chapterverse.schema import contents

        with self._session.database.read() as connection:
            found = self._find(connection, document)
            revision = found.revision.id
            return Content(
                found,
                contents.assets_of(connection, revision),
                contents.parents_of(connection, revision),
                contents.children_of(connection, revision),
            )

    def resolve(self, citation: Citation) -> str:
        """The cited text as it stands now.

        :raises NotFound: the document is gone or has changed since the citation was made.
        """
        number = parse_id(citation.parent_id)
        with self._session.database.snapshot() as reader:
            parents = lookup.parent_rows(reader, [] if number is None else [number])
        for parent in parents.values():
            text = parent.text[citation.start : citation.end]
            if text.startswith(citation.quote.removesuffix("…")):
                return text
        raise NotFound(
            f"The place of {citation.label!r} is gone: {citation.uri} was deleted or replaced "
            "since. Search again for a current citation."
        )

    def delete(self, documents: str | Path | int | Sequence[str | Path | int]) -> list[Document]:
        """Delete documents (named as in :meth:`get`) from every table and index; return them.

        :raises NotFound: one of them does not exist; nothing is deleted then.
        """
        from chapterverse.schema import store

        names = [documents] if isinstance(documents, str | Path | int) else list(documents)
        with self._session.writing():
            with self._session.database.write() as connection:
                found = {d.id: d for d in (self._find(connection, name) for name in names)}
                for number in found:
                    store.delete_document(connection, number)
            self._settle(orphans=True)
        return list(found.values())

    def status(self) -> Status:
        """What the base holds and what it was built with."""
        from chapterverse.engine.status import read_status

        return read_status(self._session)

    def rebuild(self, *, watch: Watch | None = None, **arguments: Any) -> int:
        """Build everything derived anew with the current settings; returns the generation.

        Chunks are cut again from the stored assets where the limits changed, vectors are made
        where the embedder changed, indexes always. Searches use the old ones until all is ready.

        :raises SettingsError: an unknown setting among ``arguments`` or a value out of bounds.
        """
        from chapterverse.engine.rebuild import rebuild

        session = self._session
        settings = session.settings
        if arguments:
            given = {name: getattr(settings, name) for name in settings.given}
            settings = choose(**{**given, **arguments})
        return rebuild(session, settings, (watch or Watch()).progress)

    def close(self) -> None:
        """Give back files, locks and memory; closing twice is fine."""
        self._session.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _pipeline(self, watch: Watch, describer: Describer | None = None) -> Pipeline:
        session = self._session
        generation = session.generation()
        if generation is not None:
            session.check(generation, embedder=True)
        return session.pipeline(watch.progress, describer)

    def _run(self, items: Iterator[IngestItem], watch: Watch) -> IngestReport:
        """Drive the pipeline, record every outcome, and bring the indexes along."""
        from chapterverse.schema import journal

        database = self._session.database
        with database.write() as connection:
            job = journal.start_job(connection, "ingest")
        done: list[IngestItem] = []
        recorded, state, settled_at = 0, "interrupted", time.monotonic()
        try:
            for item in items:
                done.append(item)
                watch.item(item)
                if time.monotonic() - settled_at > _APPLY_SECONDS:
                    recorded = self._record(job, done, recorded)
                    self._session.catch_up()
                    self._session.lock.beat()
                    settled_at = time.monotonic()
            state = "done"
        finally:
            self._record(job, done, recorded)
            # An interrupted long document keeps its vectors for the next run.
            self._settle(orphans=state == "done" and any(i.status == "replaced" for i in done))
            with database.write() as connection:
                journal.finish_job(connection, job, state)
        return IngestReport(tuple(done))

    def _record(self, job: int, done: Sequence[IngestItem], recorded: int) -> int:
        """Write the outcomes after the first *recorded* to the job; how many are there now."""
        from chapterverse.schema import journal

        new = [item for item in done[recorded:] if item.status != "unchanged"]
        if new:
            with self._session.database.write() as connection:
                journal.record_items(connection, job, new)
        return len(done)

    def _settle(self, *, orphans: bool) -> None:
        """Bring the indexes up to date; remove source files, and *orphans*, nobody refers to."""
        from chapterverse.ingest.snapshot import Blobs
        from chapterverse.schema import store
        from chapterverse.schema.embeddings import drop_orphans

        self._session.catch_up()
        if orphans:
            with self._session.database.write() as connection:
                drop_orphans(connection)
        with self._session.database.read() as connection:
            wanted = store.pictures_in_use(connection)
            if self._session.settings.keep_sources:
                wanted |= store.sources_in_use(connection)
        Blobs(self.path / "blobs").retain(wanted)

    def _find(self, connection: Connection, name: str | Path | int) -> Document:
        from chapterverse.schema import sqlite, store

        named = name if isinstance(name, int) else str(name)
        number = lookup.find_document_id(sqlite.reader_of(connection), named)
        found = None if number is None else store.find_document(connection, number)
        if found is None:
            raise NotFound(
                f"There is no document {str(name)!r} in {self.path}. 'chapterverse list' prints "
                "the ids and URIs that are there."
            )
        return found
