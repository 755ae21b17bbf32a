"""Documents in SQL: write a revision, delete a document, read them back.

A revision is written by one transaction together with its outbox row; the one it replaces stays
visible until the indexes have caught up (see :mod:`chapterverse.schema.journal`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    BindParameter,
    Connection,
    Row,
    bindparam,
    delete,
    func,
    insert,
    select,
    update,
)

from chapterverse.schema import codec
from chapterverse.schema import tables as t
from chapterverse.schema.bulk import insert_all
from chapterverse.schema.database import now
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
    "chunking_of",
    "contained_documents",
    "count_children",
    "count_rows",
    "delete_document",
    "enqueue_drop",
    "find_document",
    "find_reads",
    "has_unapplied",
    "list_documents",
    "pictures_in_use",
    "put_revision",
    "sources_in_use",
    "update_document",
]


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
    container_id: int | None = None


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
            title=revision.title,
            page_unit=revision.page_unit,
            page_labels=_encoded(revision.page_labels),
            page_reads=codec.encode(revision.page_reads),
            properties=codec.encode(revision.properties),
            attachments=_encoded(revision.attachments),
            put_seq=seq,
        )
    )
    insert_all(connection, t.asset, [_asset_row(revision.id, a) for a in new.assets])
    insert_all(connection, t.parent, [_parent_row(revision.id, p) for p in new.chunks.parents])
    insert_all(connection, t.child, [_child_row(revision.id, c) for c in new.chunks.children])
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
    """Remove a document with all its rows, and those in it; the outbox tells the indexes."""
    for contained in contained_documents(connection, document_id):
        delete_document(connection, contained)
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


def contained_documents(connection: Connection, document_id: int) -> dict[int, str]:
    """Id and URI of the attachments of a document (not of what these contain)."""
    query = select(t.document.c.id, t.document.c.uri)
    rows = connection.execute(query.where(t.document.c.container_id == document_id))
    return {row.id: row.uri for row in rows}


def find_reads(connection: Connection, sha256: str) -> list[Document]:
    """The documents whose current revision has this content, oldest first."""
    query = (
        select(t.revision.c.document_id)
        .where(t.revision.c.sha256 == sha256, t.revision.c.superseded_seq.is_(None))
        .order_by(t.revision.c.put_seq)
    )
    numbers = connection.scalars(query).all()
    return [found for number in numbers if (found := find_document(connection, number))]


def enqueue_drop(connection: Connection, revision_id: int) -> None:
    """Tell the indexes to forget a revision."""
    _enqueue(connection, "drop", revision_id)


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


def sources_in_use(connection: Connection) -> set[str]:
    """sha256 of every source file that some revision was read from, attachments included."""
    found = set(connection.scalars(select(t.revision.c.sha256)))
    query = select(t.revision.c.attachments).where(t.revision.c.attachments.is_not(None))
    for text in connection.scalars(query):
        found.update(attachment.sha256 for attachment in codec.decode_attachments(text))
    return found


def pictures_in_use(connection: Connection) -> set[str]:
    """sha256 of every picture that some figure shows."""
    query = select(t.asset.c.picture).where(t.asset.c.picture.is_not(None))
    return {codec.decode_picture(text).sha256 for text in connection.scalars(query)}


def _encoded(value: object) -> str | None:
    return None if value is None else codec.encode(value)


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
        "container_id": new.container_id,
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
    insert_all(connection, t.document_tag, rows)


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
        "picture": _encoded(asset.picture),
        "origins": codec.encode(asset.origins),
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
        t.document.c.title.label("document_title"),
        t.document.c.container_id,
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
        title=row.title,
        page_unit=row.page_unit,
        page_labels=None if row.page_labels is None else codec.decode_strings(row.page_labels),
        page_reads=codec.decode_page_reads(row.page_reads),
        properties=codec.decode_metadata(row.properties),
        attachments=None if row.attachments is None else codec.decode_attachments(row.attachments),
    )
    return Document(
        id=row.document_id,
        uri=row.uri,
        title=row.document_title,
        tags=tags,
        metadata=codec.decode_metadata(row.document_metadata),
        revision=revision,
        parents=row.parents,
        children=row.children,
        ingested_at=row.ingested_at,
        container_id=row.container_id,
    )
