"""The SQL tables. Plain types only, so that any database SQLAlchemy speaks can hold them.

Lists and nested records are JSON texts written by :mod:`chapterverse.schema.codec`. Identifiers
are 63-bit integers (:mod:`chapterverse.schema.ids`).
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
)

__all__ = [
    "asset",
    "child",
    "document",
    "document_tag",
    "embedding",
    "generation",
    "job",
    "job_item",
    "knowledge_base",
    "metadata",
    "outbox",
    "parent",
    "revision",
]

metadata = MetaData()

_RowId = BigInteger().with_variant(Integer, "sqlite")


def _owner(table: str, *, index: bool = True) -> Column[int]:
    return Column(
        f"{table}_id",
        BigInteger,
        ForeignKey(f"{table}.id", ondelete="CASCADE"),
        nullable=False,
        index=index,
    )


knowledge_base = Table(
    "knowledge_base",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False),
    Column("generation_id", Integer, nullable=False),
    Column("created_at", String(32), nullable=False),
)

document = Table(
    "document",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("uri", Text, nullable=False, unique=True),
    Column("title", Text, nullable=False),
    Column("metadata", Text, nullable=False),
    # The document that this one is attached to; both go together.
    Column("container_id", BigInteger, index=True),
    Column("ingested_at", String(32), nullable=False),
)

document_tag = Table(
    "document_tag",
    metadata,
    Column(
        "document_id", BigInteger, ForeignKey("document.id", ondelete="CASCADE"), primary_key=True
    ),
    Column("tag", String(200), primary_key=True),
)

revision = Table(
    "revision",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    _owner("document"),
    Column("sha256", String(64), nullable=False, index=True),
    Column("media_type", String(100), nullable=False),
    Column("parser", String(40), nullable=False),
    Column("chunking", String(200), nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("page_count", Integer),
    Column("page_accuracy", String(12)),
    Column("warnings", Text, nullable=False),
    Column("title", Text),
    Column("page_unit", String(8), nullable=False, server_default="page"),
    Column("page_labels", Text),
    Column("page_reads", Text, nullable=False, server_default="[]"),
    Column("properties", Text, nullable=False, server_default="{}"),
    # NULL: written before attachments were, so this parse cannot be used again.
    Column("attachments", Text),
    # Visible to searches while put_seq <= applied < superseded_seq: replacing a document is one
    # change of generation.applied, so there is no moment at which neither revision can be found.
    Column("put_seq", BigInteger, nullable=False),
    Column("superseded_seq", BigInteger),
)

asset = Table(
    "asset",
    metadata,
    Column(
        "revision_id", BigInteger, ForeignKey("revision.id", ondelete="CASCADE"), primary_key=True
    ),
    Column("ordinal", Integer, primary_key=True),
    Column("kind", String(20), nullable=False),
    Column("text", Text, nullable=False),
    Column("level", Integer),
    Column("heading_path", Text, nullable=False),
    Column("caption", Text),
    Column("cells", Text),
    Column("regions", Text, nullable=False),
    Column("picture", Text),
    Column("origins", Text, nullable=False, server_default="[]"),
)

parent = Table(
    "parent",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    _owner("revision"),
    Column("ordinal", Integer, nullable=False),
    Column("kind", String(20), nullable=False),
    Column("text", Text, nullable=False),
    Column("heading_path", Text, nullable=False),
    Column("segments", Text, nullable=False),
    Column("pages", Text, nullable=False),
    Column("page_labels", Text, nullable=False),
    Column("tokens", Integer, nullable=False),
)

child = Table(
    "child",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    _owner("revision"),
    _owner("parent"),
    Column("ordinal", Integer, nullable=False),
    Column("start", Integer, nullable=False),
    Column("end", Integer, nullable=False),
    Column("text", Text, nullable=False),
    Column("index_text", Text, nullable=False),
    Column("text_hash", LargeBinary(16), nullable=False),
    Column("kind", String(20), nullable=False),
    Column("heading_path", Text, nullable=False),
    Column("regions", Text, nullable=False),
    Column("pages", Text, nullable=False),
    Column("first_page", Integer),
    Column("last_page", Integer),
    Column("tokens", Integer, nullable=False),
    Index("ix_child_text_hash", "text_hash"),
)

embedding = Table(
    "embedding",
    metadata,
    Column("model", String(200), primary_key=True),
    Column("text_hash", LargeBinary(16), primary_key=True),
    Column("vector", LargeBinary, nullable=False),
)

generation = Table(
    "generation",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("embedder", Text, nullable=False),
    Column("fingerprint", String(200), nullable=False),
    Column("dimension", Integer, nullable=False),
    Column("analyzer", String(40), nullable=False),
    Column("chunking", String(200), nullable=False),
    Column("keyword", String(40), nullable=False),
    # All of its indexes have saved every outbox row up to this one; searches see as much.
    Column("applied", BigInteger, nullable=False),
    Column("created_at", String(32), nullable=False),
)

outbox = Table(
    "outbox",
    metadata,
    Column("seq", _RowId, primary_key=True, autoincrement=True),
    Column("op", String(4), nullable=False),
    Column("revision_id", BigInteger, nullable=False),
    sqlite_autoincrement=True,
)

job = Table(
    "job",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("kind", String(20), nullable=False),
    Column("state", String(20), nullable=False),
    Column("started_at", String(32), nullable=False),
    Column("finished_at", String(32)),
)

job_item = Table(
    "job_item",
    metadata,
    Column("id", _RowId, primary_key=True, autoincrement=True),
    _owner("job"),
    Column("uri", Text, nullable=False, index=True),
    Column("status", String(20), nullable=False),
    Column("code", String(40)),
    Column("message", Text),
)
