"""Files to rows: hash, compare, parse, chunk, embed, and one transaction a document.

Nothing here knows of the search indexes; whoever runs the pipeline applies the outbox.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import PurePosixPath
from typing import TypeVar

import numpy as np

from chapterverse.ingest.chunk import chunk
from chapterverse.ingest.discover import Found
from chapterverse.ingest.plain import read_text
from chapterverse.ingest.pool import ParseJob, ParseOutcome, ParsePool
from chapterverse.ingest.readers import is_current
from chapterverse.ingest.snapshot import Blobs, hash_file
from chapterverse.ingest.sources import Labels, Progress, TextSource
from chapterverse.schema import store
from chapterverse.schema.chunk_limits import ChunkLimits
from chapterverse.schema.contents import assets_of
from chapterverse.schema.database import Database
from chapterverse.schema.embedder import Embedder, Vectors
from chapterverse.schema.errors import (
    ChapterverseError,
    DocumentError,
    EmbeddingFailed,
    Empty,
    Unsupported,
)
from chapterverse.schema.ids import format_id, make_id, text_hash
from chapterverse.schema.indexed import indexed_children
from chapterverse.schema.naming import display_name, index_title
from chapterverse.schema.records import Document, Parsed, Revision
from chapterverse.schema.results import IngestItem
from chapterverse.schema.wellformed import well_formed

__all__ = ["Pipeline"]

_T = TypeVar("_T")
_EMBED_BATCH = 128
_READ = frozenset({".pdf", ".docx", ".html", ".htm", ".xhtml", ".md", ".markdown", ".txt", ""})


@dataclass(frozen=True, slots=True)
class _Task:
    """A document whose content is new: what the transaction needs besides the parse."""

    uri: str
    sha256: str
    size: int
    labels: Labels
    before: Document | None
    title: str | None = None
    named: bool = True


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Ingests into one database.

    ``base`` is the name of the knowledge base (part of every id). ``settled`` is called before a
    document is replaced again while its last replacement still waits in the outbox. ``ocr`` says
    whether text can be recognised in pictures.
    """

    database: Database
    blobs: Blobs
    embedder: Embedder
    limits: ChunkLimits
    base: str
    max_bytes: int
    ocr: bool
    settled: Callable[[], None]
    on_progress: Callable[[Progress], None] = lambda _: None

    def files(
        self, found: Iterable[Found], pool: ParsePool, labels: Labels, password: str | None
    ) -> Iterator[IngestItem]:
        """Ingest *found* in order; one item each, whatever happens to it.

        :raises StoreError: the knowledge base itself cannot go on (disk full, damaged, locked).
        """
        waiting: deque[IngestItem | _Task] = deque()

        def jobs() -> Iterator[ParseJob | None]:
            for item in found:
                prepared = self._prepare(item, labels)
                waiting.append(prepared)
                if isinstance(prepared, _Task):
                    name = well_formed(item.path.name)
                    yield ParseJob(self.blobs.path(prepared.sha256), name, password)
                else:
                    yield None

        for outcome in pool.parse(jobs()):
            yield from _finished(waiting)
            if outcome is not None:
                task = waiting.popleft()
                assert isinstance(task, _Task)
                yield self._finish(task, outcome)
        yield from _finished(waiting)

    def texts(self, sources: Iterable[TextSource]) -> Iterator[IngestItem]:
        """Ingest texts in order; one item each.

        :raises StoreError: as :meth:`files`.
        """
        for source in sources:
            started = time.perf_counter()
            uri, text = well_formed(source.uri), well_formed(source.text)
            title = well_formed(source.title) if source.title else None
            try:
                if not text.strip():
                    raise Empty(f"The text for {uri} is empty.")
                data = text.encode("utf-8")
                sha256 = self.blobs.keep_bytes(data)
                prepared = self._compare(
                    uri, sha256, len(data), source.labels, title, source.media_type
                )
                if isinstance(prepared, IngestItem):
                    yield prepared
                    continue
                yield self._write(prepared, read_text(text, source.media_type), started)
            except DocumentError as error:
                yield _failure(uri, error, started)

    def _prepare(self, found: Found, labels: Labels) -> IngestItem | _Task:
        started = time.perf_counter()
        try:
            if found.error is not None:
                raise found.error
            sha256, size = hash_file(found.path, self.max_bytes)
            prepared = self._compare(found.uri, sha256, size, labels, None, None)
            if isinstance(prepared, _Task):
                self.blobs.keep(found.path, sha256)
                return replace(prepared, named=found.named)
            return prepared
        except DocumentError as error:
            return _failure(found.uri, error, started, named=found.named)

    def _compare(
        self,
        uri: str,
        sha256: str,
        size: int,
        labels: Labels,
        title: str | None,
        media_type: str | None,
    ) -> IngestItem | _Task:
        document_id = make_id("document", self.base, uri)
        with self.database.read() as connection:
            before = store.find_document(connection, document_id)
            chunking = store.chunking_of(connection, before.revision.id) if before else None
        if before is None or before.revision.sha256 != sha256:
            return _Task(uri, sha256, size, labels, before, title)
        revision = before.revision
        same_parser = is_current(revision.media_type, revision.parser, ocr=self.ocr)
        same_type = media_type is None or media_type == revision.media_type
        same_title = title is None or title == before.title
        if not (same_parser and same_type and same_title and chunking == self.limits.key()):
            return _Task(uri, sha256, size, labels, before, title)
        self._relabel(before, labels)
        return _unchanged(before)

    def _relabel(self, document: Document, labels: Labels) -> None:
        tags = document.tags if labels.tags is None else tuple(labels.tags)
        metadata = document.metadata if labels.metadata is None else dict(labels.metadata)
        if (tags, metadata) != (document.tags, document.metadata):
            with self.database.write() as connection:
                store.update_document(connection, document.id, tags, metadata)

    def _finish(self, task: _Task, outcome: ParseOutcome) -> IngestItem:
        started = time.perf_counter() - outcome.seconds
        if outcome.parsed is None:
            error = outcome.error or DocumentError("The reader gave neither a result nor a reason.")
            return _failure(task.uri, error, started, named=task.named)
        try:
            return self._write(task, outcome.parsed, started)
        except DocumentError as error:
            return _failure(task.uri, error, started)

    def _write(self, task: _Task, parsed: Parsed, started: float) -> IngestItem:
        title = task.title or parsed.title or PurePosixPath(display_name(task.uri)).stem
        revision = self._revision(task, parsed, title)
        if task.before is not None and task.before.revision.id == revision.id:
            return _unchanged(task.before)
        chunks = chunk(
            parsed,
            title=index_title(title, task.uri),
            place=(self.base, revision.document_id, revision.id),
            limits=self.limits,
            count_tokens=partial(self._count_tokens, task.uri),
        )
        if task.before is not None and self._waits(revision.document_id):
            # Before embedding: applying a replacement forgets vectors that no child holds yet.
            self.settled()
        texts = {text_hash(child.index_text): child.index_text for child in chunks.children}
        hashes, vectors = self._embed(task.uri, texts)
        with self.database.write() as connection:
            store.add_embeddings(connection, self.embedder.fingerprint, hashes, vectors)
            store.put_revision(
                connection,
                store.NewRevision(
                    uri=task.uri,
                    title=title,
                    tags=tuple(_kept(task.labels.tags, task.before.tags if task.before else ())),
                    metadata=_kept(
                        task.labels.metadata, task.before.metadata if task.before else {}
                    ),
                    revision=revision,
                    chunking=self.limits.key(),
                    assets=parsed.assets,
                    chunks=chunks,
                ),
            )
        return IngestItem(
            uri=task.uri,
            status="ingested" if task.before is None else "replaced",
            document_id=format_id(revision.document_id),
            pages=parsed.page_count,
            parents=len(chunks.parents),
            children=len(chunks.children),
            seconds=time.perf_counter() - started,
            warnings=tuple(warning.message for warning in parsed.warnings),
        )

    def _waits(self, document_id: int) -> bool:
        with self.database.read() as connection:
            return store.has_unapplied(connection, document_id)

    def _revision(self, task: _Task, parsed: Parsed, title: str) -> Revision:
        document_id = make_id("document", self.base, task.uri)
        place = (task.sha256, parsed.parser, self.limits.key(), title)
        return Revision(
            id=make_id("revision", self.base, document_id, *place),
            document_id=document_id,
            sha256=task.sha256,
            media_type=parsed.media_type,
            parser=parsed.parser,
            size=task.size,
            page_count=parsed.page_count,
            page_accuracy=parsed.page_accuracy,
            warnings=parsed.warnings,
        )

    def recut(self, document: Document) -> None:
        """Cut a document again from its stored assets, under the limits of this pipeline."""
        with self.database.read() as connection:
            assets = assets_of(connection, document.revision.id)
        before = document.revision
        parsed = Parsed(
            media_type=before.media_type,
            parser=before.parser,
            assets=assets,
            title=document.title,
            page_count=before.page_count,
            page_accuracy=before.page_accuracy,
            warnings=before.warnings,
        )
        task = _Task(document.uri, before.sha256, before.size, Labels(), document, document.title)
        self._write(task, parsed, time.perf_counter())

    def embed_stored(self, document: Document) -> None:
        """Store the vectors that a document lacks under the model of this pipeline."""
        with self.database.read() as connection:
            children = indexed_children(connection, document.revision.id)
        texts = {child.text_hash: child.text for child in children}
        hashes, vectors = self._embed(document.uri, texts)
        with self.database.write() as connection:
            store.add_embeddings(connection, self.embedder.fingerprint, hashes, vectors)

    def _embed(self, uri: str, texts: dict[bytes, str]) -> tuple[Sequence[bytes], Vectors]:
        """Vectors of the *texts* (by hash) that were never seen under this model.

        All but the last batch are stored at once, so that an interrupted long document does not
        lose them; the last one is returned, for the caller's own transaction.

        :raises EmbeddingFailed: the embedder raised, or returned the wrong number of vectors.
        """
        model = self.embedder.fingerprint
        with self.database.read() as connection:
            missing = store.missing_embeddings(connection, model, texts)
        done = len(texts) - len(missing)
        self.on_progress(Progress(uri, done, len(texts)))
        part: Sequence[bytes] = ()
        vectors = np.empty((0, self.embedder.dimension), np.float32)
        for following in store.batches(list(missing), _EMBED_BATCH):
            if part:
                with self.database.write() as connection:
                    store.add_embeddings(connection, model, part, vectors)
            part = following
            vectors = self._vectors(uri, [missing[key] for key in part])
            done += len(part)
            self.on_progress(Progress(uri, done, len(texts)))
        return part, vectors

    def _count_tokens(self, uri: str, texts: Sequence[str]) -> list[int]:
        with _embedding(uri):
            return self.embedder.count_tokens(texts)

    def _vectors(self, uri: str, texts: Sequence[str]) -> Vectors:
        with _embedding(uri):
            vectors = np.asarray(self.embedder.embed_documents(texts), np.float32)
        expected = (len(texts), self.embedder.dimension)
        if vectors.shape != expected:
            raise EmbeddingFailed(
                f"The embedder gave an array of shape {vectors.shape} for texts of {uri}; "
                f"{expected} was expected."
            )
        if not np.isfinite(vectors).all():
            raise EmbeddingFailed(
                f"The embedder gave numbers that are infinite or undefined for texts of {uri}."
            )
        return vectors


@contextmanager
def _embedding(uri: str) -> Iterator[None]:
    """What an embedder raises is a failure of the document; our own errors go through."""
    try:
        yield
    except ChapterverseError:
        raise
    except Exception as error:
        raise EmbeddingFailed(
            f"The embedder failed on a text of {uri}: {type(error).__name__}: {error}"
        ) from error


def _kept(given: _T | None, before: _T) -> _T:
    return before if given is None else given


def _unchanged(document: Document) -> IngestItem:
    return IngestItem(
        uri=document.uri,
        status="unchanged",
        document_id=format_id(document.id),
        pages=document.revision.page_count,
        parents=document.parents,
        children=document.children,
    )


def _finished(waiting: deque[IngestItem | _Task]) -> Iterator[IngestItem]:
    """Take the items off the front that wait for no parse."""
    while waiting and isinstance(waiting[0], IngestItem):
        item = waiting.popleft()
        assert isinstance(item, IngestItem)
        yield item


def _failure(uri: str, error: DocumentError, started: float, *, named: bool = True) -> IngestItem:
    name, message = display_name(uri), well_formed(str(error))
    # Of a folder, what no reader is made for is left out; a file that was named, or that bears the
    # name of a kind that is read, must be read.
    other = PurePosixPath(name).suffix.lower() not in _READ
    skip = isinstance(error, Unsupported) and other and not named
    return IngestItem(
        uri=uri,
        status="skipped" if skip else "failed",
        seconds=time.perf_counter() - started,
        code=error.code,
        message=message if name in message else f"{name}: {message}",
    )
