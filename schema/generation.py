"""Generations as searches read them: what the indexes were built with, how far they have come."""

from __future__ import annotations

from dataclasses import dataclass

from chapterverse.schema.reader import Reader

__all__ = ["Generation", "current_generation", "is_waiting"]


@dataclass(frozen=True, slots=True)
class Generation:
    """One set of derived indexes, what it was built with, and how far it has come.

    ``id`` 0 means not stored yet. Searches see what lies up to outbox row ``applied``.
    """

    id: int
    embedder: str
    fingerprint: str
    dimension: int
    analyzer: str
    chunking: str
    keyword: str
    applied: int = 0


_CURRENT = """
SELECT g.id, g.embedder, g.fingerprint, g.dimension, g.analyzer, g.chunking, g.keyword, g.applied
FROM knowledge_base AS k JOIN generation AS g ON g.id = k.generation_id
"""


def current_generation(reader: Reader) -> Generation | None:
    """The generation that searches use, or ``None`` before the first ingest."""
    row = reader.execute(_CURRENT).fetchone()
    return None if row is None else Generation(*row)


def is_waiting(reader: Reader, seq: int) -> bool:
    """Whether the outbox holds a row after *seq*."""
    sql = "SELECT 1 FROM outbox WHERE seq > ? LIMIT 1"
    return reader.execute(sql, (seq,)).fetchone() is not None
