"""One parsed document to rows: chunk, embed, and one transaction."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import PurePosixPath
from typing import TypeVar

from chapterverse.ingest.chunk import chunk
from chapterverse.ingest.sources import Labels
from chapterverse.ingest.vectorize import Vectorizer
from chapterverse.schema import store
from chapterverse.schema.chunk_limits import ChunkLimits
from chapterverse.schema.contents import parsed_of
from chapterverse.schema.database import Database
from chapterverse.schema.embeddings import add_embeddings
from chapterverse.schema.ids import format_id, make_id, text_hash
from chapterverse.schema.indexed import indexed_children
from chapterverse.schema.naming import index_title, own_name
from chapterverse.schema.records import Document, Parsed, Revision
from chapterverse.schema.results import IngestItem

__all__ = ["Content", "Writer", "unchanged"]

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Content:
    """The bytes of a document by their sha256, and what the user and the base know of it.

    ``before`` is the document as it stands; ``container_id`` the one it is attached to.
    """

    uri: str
    sha256: str
    size: int
    labels: Labels
    before: Document | None
    title: str | None = None
    container_id: int | None = None


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes parsed documents into one database.

    ``base`` is the name of the knowledge base (part of every id). ``settled`` is called before a
    document is replaced again while its last replacement still waits in the outbox.
    """

    database: Database
    vectorizer: Vectorizer
    limits: ChunkLimits
    base: str
    settled: Callable[[], None]

    def write(self, content: Content, parsed: Parsed, started: float) -> IngestItem:
        """Write *parsed* as the revision of its document; *started* is a ``perf_counter``.

        :raises EmbeddingFailed: the embedder failed on a text; nothing is changed then.
        """
        before = content.before
        title = content.title or parsed.title or PurePosixPath(own_name(content.uri)).stem
        revision = self._revision(content, parsed, title)
        if before is not None and before.revision.id == revision.id:
            return unchanged(before)
        chunks = chunk(
            parsed,
            title=index_title(title, content.uri),
            place=(self.base, revision.document_id, revision.id),
            limits=self.limits,
            count_tokens=partial(self.vectorizer.count_tokens, content.uri),
        )
        if before is not None and self._waits(revision.document_id):
            # Before embedding: applying a replacement forgets vectors that no child holds yet.
            self.settled()
        texts = {text_hash(child.index_text): child.index_text for child in chunks.children}
        hashes, vectors = self.vectorizer.vectors(content.uri, texts)
        new = store.NewRevision(
            uri=content.uri,
            title=title,
            tags=tuple(_kept(content.labels.tags, before.tags if before else ())),
            metadata=_kept(content.labels.metadata, before.metadata if before else {}),
            revision=revision,
            chunking=self.limits.key(),
            container_id=content.container_id,
            assets=parsed.assets,
            chunks=chunks,
        )
        with self.database.write() as connection:
            add_embeddings(connection, self.vectorizer.embedder.fingerprint, hashes, vectors)
            store.put_revision(connection, new)
        return IngestItem(
            uri=content.uri,
            status="ingested" if before is None else "replaced",
            document_id=format_id(revision.document_id),
            pages=parsed.page_count,
            parents=len(chunks.parents),
            children=len(chunks.children),
            seconds=time.perf_counter() - started,
            warnings=tuple(warning.message for warning in parsed.warnings),
        )

    def recut(self, document: Document) -> None:
        """Cut a document again from its stored assets, under the limits of this writer."""
        with self.database.read() as connection:
            parsed = parsed_of(connection, document.revision)
        before = document.revision
        content = Content(
            document.uri,
            before.sha256,
            before.size,
            Labels(),
            document,
            document.title,
            document.container_id,
        )
        self.write(content, parsed, time.perf_counter())

    def embed_stored(self, document: Document) -> None:
        """Store the vectors that a document lacks under the model of this writer."""
        with self.database.read() as connection:
            children = indexed_children(connection, document.revision.id)
        texts = {child.text_hash: child.text for child in children}
        hashes, vectors = self.vectorizer.vectors(document.uri, texts)
        with self.database.write() as connection:
            add_embeddings(connection, self.vectorizer.embedder.fingerprint, hashes, vectors)

    def _waits(self, document_id: int) -> bool:
        with self.database.read() as connection:
            return store.has_unapplied(connection, document_id)

    def _revision(self, content: Content, parsed: Parsed, title: str) -> Revision:
        document_id = make_id("document", self.base, content.uri)
        place = (content.sha256, parsed.parser, self.limits.key(), title)
        return Revision(
            id=make_id("revision", self.base, document_id, *place),
            document_id=document_id,
            sha256=content.sha256,
            media_type=parsed.media_type,
            parser=parsed.parser,
            size=content.size,
            page_count=parsed.page_count,
            page_accuracy=parsed.page_accuracy,
            warnings=parsed.warnings,
            title=parsed.title,
            page_unit=parsed.page_unit,
            page_labels=parsed.page_labels,
            page_reads=parsed.page_reads,
            properties=parsed.properties,
            attachments=parsed.attachments,
        )


def _kept(given: _T | None, before: _T) -> _T:
    return before if given is None else given


def unchanged(document: Document) -> IngestItem:
    """The outcome of a document that is as it was."""
    return IngestItem(
        uri=document.uri,
        status="unchanged",
        document_id=format_id(document.id),
        pages=document.revision.page_count,
        parents=document.parents,
        children=document.children,
    )
