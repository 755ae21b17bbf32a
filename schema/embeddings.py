"""Vectors in SQL, by the text they were made from and the model that made them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from sqlalchemy import Connection, delete, exists, select

from chapterverse.schema import tables as t
from chapterverse.schema.bulk import batches, insert_all
from chapterverse.schema.embedder import Vectors

__all__ = ["add_embeddings", "drop_orphans", "forget_other_models", "missing_embeddings"]


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
    insert_all(connection, t.embedding, rows)


def forget_other_models(connection: Connection, model: str) -> None:
    """Delete the stored vectors of every model but *model*."""
    connection.execute(delete(t.embedding).where(t.embedding.c.model != model))
