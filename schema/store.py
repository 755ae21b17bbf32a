"""Documents in SQL: write a revision, delete a document, read them back.

A revision is written by one transaction together with its outbox row; the one it replaces stays
visible until the indexes have caught up (see :mod:`chapterverse.schema.journal`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from sqlalchemy import (
    BindParameter,
    Connection,
    Row,
    bindparam,
    delete,
    exists,
    func,
    insert,
    select,
    update,
)

from chapterverse.schema import codec
from chapterverse.schema import tables as t
from chapterverse.schema.database import now
from chapterverse.schema.embedder import Vectors
from chapterverse.schema.ids import text_hash
from chapterverse.schema.records import (
    Asset,
    Child,
    Chunks,
    Document,
    Parent,
    Revision,
)

__all__ = [
    "NewRevision",
    "add_embeddings",
    "batches",
    "chunking_of",
    "count_children",
    "count_rows",
    "delete_document",
    "drop_orphans",
    "enqueue_drop",
    "find_document",
    "forget_other_models",
    "has_unapplied",
    "list_documents",
    "missing_embeddings",
    "put_revision",
    "sources_in_use",
    "update_document",
]

_T = TypeVar("_T")
_BATCH = 500


@dataclass(frozen=True, slots=True)
class NewRevision:
    """All that one transaction writes for one content of a document."""

    uri: str
    title: str
    tags: tuple[str, ...]
    metadata: Mapping[str, str]
    revision: Revision
    chunking: str
    assets: tuple[Asset, ...]
    chunks: Chunks


def batches(items: Sequence[_T], size: int = _BATCH) -> Iterator[Sequence[_T]]:
    """Consecutive pieces of *items*, each of at most *size* (SQL statements have limits)."""
    for start in range(0, len(items), size):
        yield items[start : start + size]


def put_revision(connection: Connection, new: NewRevision) -> int:
    """Write document, revision, assets and chunks; supersede the old revision; fill the outbox.

    :returns: the sequence number from which searches see this revision.
    """
    revision = new.revision
    seq = _enqueue(connection, "put", revision.id)
    _write_document(connection, new)
    connection.execute(
        update(t.revision)
        .where(t.revision.c.document_id == revision.document_id)
        .where(t.revision.c.superseded_seq.is_(None))
        .values(superseded_seq=seq)
    )
    connection.execute(
        insert(t.revision).values(
            id=revision.id,
            document_id=revision.document_id,
            sha256=revision.sha256,
            media_type=revision.media_type,
            parser=revision.parser,
            chunking=new.chunking,
            size=revision.size,
            page_count=revision.page_count,
            page_accuracy=revision.page_accuracy,
            warnings=codec.encode(revision.warnings),
            put_seq=seq,
        )
    )
    _insert_all(connection, t.asset, [_asset_row(revision.id, a) for a in new.assets])
    _insert_all(connection, t.parent, [_parent_row(revision.id, p) for p in new.chunks.parents])
    _insert_all(connection, t.child, [_child_row(revision.id, c) for c in new.chunks.children])
    return seq


def update_document(
    connection: Connection, document_id: int, tags: Sequence[str], metadata: Mapping[str, str]
) -> None:
    """Replace tags and metadata of a document whose content stays as it is."""
    connection.execute(
        update(t.document)
        .where(t.document.c.id == document_id)
        .values(metadata=codec.encode(dict(metadata)))
    )
    _write_tags(connection, document_id, tags)


def delete_document(connection: Connection, document_id: int) -> None:
    """Remove a document with all its rows; the outbox tells the indexes to forget it."""
    revisions = connection.scalars(
        select(t.revision.c.id)
        .where(t.revision.c.document_id == document_id)
        .order_by(t.revision.c.put_seq)
    ).all()
    for revision_id in revisions:
        enqueue_drop(connection, revision_id)
    uri = select(t.document.c.uri).where(t.document.c.id == document_id).scalar_subquery()
    connection.execute(delete(t.job_item).where(t.job_item.c.uri == uri))
    connection.execute(delete(t.document).where(t.document.c.id == document_id))


def enqueue_drop(connection: Connection, revision_id: int) -> None:
    """Tell the indexes to forget a revision."""
    _enqueue(connection, "drop", revision_id)


def drop_orphans(connection: Connection) -> None:
    """Forget the vectors of texts that no child holds any more."""
    held = exists().where(t.child.c.text_hash == t.embedding.c.text_hash)
    connection.execute(delete(t.embedding).where(~held))


def missing_embeddings(
    connection: Connection, model: str, texts: Mapping[bytes, str]
) -> dict[bytes, str]:
    """Those of *texts* (by hash) whose vector under *model* is not stored yet."""
    known: set[bytes] = set()
    for part in batches(list(texts)):
        query = select(t.embedding.c.text_hash).where(
            t.embedding.c.model == model, t.embedding.c.text_hash.in_(part)
        )
        known.update(connection.scalars(query))
    return {key: text for key, text in texts.items() if key not in known}


def add_embeddings(
    connection: Connection, model: str, hashes: Sequence[bytes], vectors: Vectors
) -> None:
    """Store float16 vectors by text hash; rows that are there already stay."""
    if not hashes:
        return
    present = set(missing_embeddings(connection, model, dict.fromkeys(hashes, "")))
    rows = [
        {"model": model, "text_hash": key, "vector": row.tobytes()}
        for key, row in zip(hashes, vectors.astype(np.float16), strict=True)
        if key in present
    ]
    _insert_all(connection, t.embedding, rows)


def find_document(connection: Connection, document_id: int) -> Document | None:
    """The document with its current revision, or ``None``."""
    found = list(_documents(connection, document_id))
    return found[0] if found else None


def chunking_of(connection: Connection, revision_id: int) -> str | None:
    """The key of the chunk limits that a revision was cut with."""
    query = select(t.revision.c.chunking).where(t.revision.c.id == revision_id)
    return connection.scalar(query)


def has_unapplied(connection: Connection, document_id: int) -> bool:
    """Whether a revision of the document waits in the outbox, or one it replaced still does."""
    applied = (
        select(t.generation.c.applied)
        .join(t.knowledge_base, t.knowledge_base.c.generation_id == t.generation.c.id)
        .scalar_subquery()
    )
    query = select(t.revision.c.id).where(
        t.revision.c.document_id == document_id,
        t.revision.c.superseded_seq.is_not(None) | (t.revision.c.put_seq > applied),
    )
    return connection.execute(query.limit(1)).first() is not None


def count_children(connection: Connection, revision_id: int) -> int:
    """How many children a revision has (0 when it is gone)."""
    query = select(func.count()).where(t.child.c.revision_id == revision_id)
    return connection.scalar(query) or 0


def list_documents(connection: Connection) -> list[Document]:
    """All documents, by URI."""
    return list(_documents(connection, None))


def count_rows(connection: Connection) -> dict[str, int]:
    """Table name to number of rows, for the tables that hold content."""
    tables = (t.document, t.parent, t.child, t.embedding)
    return {
        table.name: connection.scalar(select(func.count()).select_from(table)) or 0
        for table in tables
    }


def forget_other_models(connection: Connection, model: str) -> None:
    """Delete the stored vectors of every model but *model*."""
    connection.execute(delete(t.embedding).where(t.embedding.c.model != model))


def sources_in_use(connection: Connection) -> set[str]:
    """sha256 of every source file that some revision was read from."""
    return set(connection.scalars(select(t.revision.c.sha256)))


def _enqueue(connection: Connection, op: str, revision_id: int) -> int:
    result = connection.execute(insert(t.outbox).values(op=op, revision_id=revision_id))
    key = result.inserted_primary_key
    assert key is not None
    return int(key[0])


def _write_document(connection: Connection, new: NewRevision) -> None:
    values = {
        "uri": new.uri,
        "title": new.title,
        "metadata": codec.encode(dict(new.metadata)),
        "ingested_at": now(),
    }
    document_id = new.revision.document_id
    changed = connection.execute(
        update(t.document).where(t.document.c.id == document_id).values(values)
    )
    if changed.rowcount == 0:
        connection.execute(insert(t.document).values(id=document_id, **values))
    _write_tags(connection, document_id, new.tags)


def _write_tags(connection: Connection, document_id: int, tags: Sequence[str]) -> None:
    connection.execute(delete(t.document_tag).where(t.document_tag.c.document_id == document_id))
    rows = [{"document_id": document_id, "tag": tag} for tag in sorted(set(tags))]
    _insert_all(connection, t.document_tag, rows)


def _insert_all(connection: Connection, table: Any, rows: list[dict[str, object]]) -> None:
    for part in batches(rows, 5000):
        connection.execute(insert(table), list(part))


def _asset_row(revision_id: int, asset: Asset) -> dict[str, object]:
    return {
        "revision_id": revision_id,
        "ordinal": asset.ordinal,
        "kind": asset.kind.value,
        "text": asset.text,
        "level": asset.level,
        "heading_path": codec.encode(asset.heading_path),
        "caption": asset.caption,
        "cells": None if asset.table is None else codec.encode(asset.table),
        "regions": codec.encode(asset.regions),
    }


def _parent_row(revision_id: int, parent: Parent) -> dict[str, object]:
    return {
        "id": parent.id,
        "revision_id": revision_id,
        "ordinal": parent.ordinal,
        "kind": parent.kind.value,
        "text": parent.text,
        "heading_path": codec.encode(parent.heading_path),
        "segments": codec.encode(parent.segments),
        "pages": codec.encode(parent.pages),
        "page_labels": codec.encode(parent.page_labels),
        "tokens": parent.tokens,
    }


def _child_row(revision_id: int, child: Child) -> dict[str, object]:
    return {
        "id": child.id,
        "revision_id": revision_id,
        "parent_id": child.parent_id,
        "ordinal": child.ordinal,
        "start": child.start,
        "end": child.end,
        "text": child.text,
        "index_text": child.index_text,
        "text_hash": text_hash(child.index_text),
        "kind": child.kind.value,
        "heading_path": codec.encode(child.heading_path),
        "regions": codec.encode(child.regions),
        "pages": codec.encode(child.pages),
        "first_page": child.pages[0] if child.pages else None,
        "last_page": child.pages[-1] if child.pages else None,
        "tokens": child.tokens,
    }


_counts = (
    select(
        select(func.count())
        .where(t.parent.c.revision_id == t.revision.c.id)
        .scalar_subquery()
        .label("parents"),
        select(func.count())
        .where(t.child.c.revision_id == t.revision.c.id)
        .scalar_subquery()
        .label("children"),
        t.document.c.uri,
        t.document.c.title,
        t.document.c.metadata.label("document_metadata"),
        t.document.c.ingested_at,
        t.revision,
    )
    .join_from(t.revision, t.document)
    .where(t.revision.c.superseded_seq.is_(None))
    .order_by(t.document.c.uri)
)


def _documents(connection: Connection, document_id: int | None) -> Iterator[Document]:
    tags: dict[int, list[str]] = {}
    wanted = select(t.document_tag).order_by(t.document_tag.c.tag)
    query = _counts
    if document_id is not None:
        only: BindParameter[int] = bindparam("document_id", document_id)
        wanted = wanted.where(t.document_tag.c.document_id == only)
        query = query.where(t.revision.c.document_id == only)
    for row in connection.execute(wanted):
        tags.setdefault(row.document_id, []).append(row.tag)
    for row in connection.execute(query):
        yield _document(row, tuple(tags.get(row.document_id, ())))


def _document(row: Row[Any], tags: tuple[str, ...]) -> Document:
    revision = Revision(
        id=row.id,
        document_id=row.document_id,
        sha256=row.sha256,
        media_type=row.media_type,
        parser=row.parser,
        size=row.size,
        page_count=row.page_count,
        page_accuracy=row.page_accuracy,
        warnings=codec.decode_warnings(row.warnings),
    )
    return Document(
        id=row.document_id,
        uri=row.uri,
        title=row.title,
        tags=tags,
        metadata=codec.decode_metadata(row.document_metadata),
        revision=revision,
        parents=row.parents,
        children=row.children,
        ingested_at=row.ingested_at,
    )
