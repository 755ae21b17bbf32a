"""Outbox, applied sequence numbers, generations and jobs.

Order of things: a transaction writes a revision and its outbox row *n*. Every index then applies
all rows up to *n* and saves; only then does :func:`mark_applied` move ``applied`` to *n*, which at
once makes the new revision visible and the one it superseded invisible, and turns the superseded
one into a ``drop`` row for the next round. A crash anywhere is repaired by applying again from
``applied``: every step is an idempotent replace or remove.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, delete, func, insert, select, update

from chapterverse.schema import sqlite
from chapterverse.schema import tables as t
from chapterverse.schema.database import now
from chapterverse.schema.generation import Generation
from chapterverse.schema.generation import current_generation as read_generation
from chapterverse.schema.results import IngestItem
from chapterverse.schema.store import enqueue_drop

__all__ = [
    "OutboxRow",
    "add_generation",
    "current_generation",
    "finish_job",
    "live_revisions",
    "mark_applied",
    "outbox_after",
    "outbox_end",
    "record_items",
    "start_job",
    "use_generation",
]

_JOBS_KEPT = 100


@dataclass(frozen=True, slots=True)
class OutboxRow:
    """A change that the indexes have to follow: ``put`` or ``drop`` of a revision."""

    seq: int
    op: str
    revision_id: int


def current_generation(connection: Connection) -> Generation | None:
    """The generation that searches use, or ``None`` before the first ingest."""
    return read_generation(sqlite.reader_of(connection))


def add_generation(connection: Connection, new: Generation) -> int:
    """Store *new* under the next number, which is returned; nothing is applied yet."""
    number = (connection.scalar(select(func.max(t.generation.c.id))) or 0) + 1
    connection.execute(
        insert(t.generation).values(
            id=number,
            embedder=new.embedder,
            fingerprint=new.fingerprint,
            dimension=new.dimension,
            analyzer=new.analyzer,
            chunking=new.chunking,
            keyword=new.keyword,
            applied=new.applied,
            created_at=now(),
        )
    )
    return number


def use_generation(connection: Connection, number: int) -> None:
    """Let searches use generation *number*; forget what is known of the others."""
    connection.execute(update(t.knowledge_base).values(generation_id=number))
    connection.execute(delete(t.generation).where(t.generation.c.id != number))


def mark_applied(connection: Connection, generation_id: int, seq: int) -> None:
    """Every index of a generation has saved all up to *seq*: searches see it from now on.

    Superseded revisions that became invisible by this lose their rows and get ``drop`` entries.
    """
    connection.execute(
        update(t.generation).where(t.generation.c.id == generation_id).values(applied=seq)
    )
    connection.execute(delete(t.outbox).where(t.outbox.c.seq <= seq))
    gone = connection.scalars(
        select(t.revision.c.id)
        .where(t.revision.c.superseded_seq <= seq)
        .order_by(t.revision.c.superseded_seq)
    ).all()
    for revision_id in gone:
        enqueue_drop(connection, revision_id)
        connection.execute(delete(t.revision).where(t.revision.c.id == revision_id))


def outbox_after(connection: Connection, seq: int) -> list[OutboxRow]:
    """The outbox rows that come after *seq*, in order."""
    rows = connection.execute(select(t.outbox).where(t.outbox.c.seq > seq).order_by(t.outbox.c.seq))
    return [OutboxRow(row.seq, row.op, row.revision_id) for row in rows]


def outbox_end(connection: Connection) -> int:
    """The last sequence number given out (0 before the first)."""
    last = connection.scalar(select(func.max(t.outbox.c.seq))) or 0
    put = connection.scalar(select(func.max(t.revision.c.put_seq))) or 0
    seen = connection.scalar(select(func.max(t.generation.c.applied))) or 0
    return max(last, put, seen)


def live_revisions(connection: Connection, seq: int) -> list[int]:
    """Ids of the revisions that searches see at *seq*, in the order they were put."""
    query = (
        select(t.revision.c.id)
        .where(t.revision.c.put_seq <= seq)
        .where(t.revision.c.superseded_seq.is_(None) | (t.revision.c.superseded_seq > seq))
        .order_by(t.revision.c.put_seq)
    )
    return list(connection.scalars(query))


def start_job(connection: Connection, kind: str) -> int:
    """Open a job of *kind* and return its number; jobs that a crash left open end here.

    The last hundred jobs are kept.
    """
    connection.execute(update(t.job).where(t.job.c.state == "running").values(state="interrupted"))
    result = connection.execute(insert(t.job).values(kind=kind, state="running", started_at=now()))
    key = result.inserted_primary_key
    assert key is not None
    connection.execute(delete(t.job).where(t.job.c.id <= int(key[0]) - _JOBS_KEPT))
    return int(key[0])


def record_items(connection: Connection, job_id: int, items: Sequence[IngestItem]) -> None:
    """What became of documents in a job."""
    rows = [
        {
            "job_id": job_id,
            "uri": item.uri,
            "status": item.status,
            "code": item.code,
            "message": item.message,
        }
        for item in items
    ]
    connection.execute(insert(t.job_item), rows)


def finish_job(connection: Connection, job_id: int, state: str) -> None:
    """Close a job as ``done`` or ``interrupted``."""
    connection.execute(
        update(t.job).where(t.job.c.id == job_id).values(state=state, finished_at=now())
    )
