"""The reads of the indexes: what they take of one revision."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, select

from chapterverse.schema import codec
from chapterverse.schema import tables as t
from chapterverse.schema.ids import text_hash
from chapterverse.schema.naming import index_title

__all__ = ["IndexedChild", "indexed_children", "indexed_parents", "revision_vectors"]


@dataclass(frozen=True, slots=True)
class IndexedChild:
    """What the indexes take of a child; of a parent, which is its own."""

    id: int
    parent_id: int
    text: str
    text_hash: bytes


def indexed_children(connection: Connection, revision_id: int) -> list[IndexedChild]:
    """The children of a revision as the indexes take them, in reading order."""
    query = (
        select(t.child.c.id, t.child.c.parent_id, t.child.c.index_text, t.child.c.text_hash)
        .where(t.child.c.revision_id == revision_id)
        .order_by(t.child.c.ordinal)
    )
    return [IndexedChild(*row) for row in connection.execute(query)]


def indexed_parents(connection: Connection, revision_id: int) -> list[IndexedChild]:
    """The parents of a revision as the keyword index takes them: title and headings in front."""
    query = (
        select(
            t.parent.c.id,
            t.parent.c.heading_path,
            t.parent.c.text,
            t.document.c.title,
            t.document.c.uri,
        )
        .join_from(t.parent, t.revision)
        .join(t.document)
        .where(t.parent.c.revision_id == revision_id)
        .order_by(t.parent.c.ordinal)
    )
    rows = []
    for number, path, text, title, uri in connection.execute(query):
        context = "\n".join((index_title(title, uri), *codec.decode_strings(path), text))
        rows.append(IndexedChild(number, number, context, text_hash(context)))
    return rows


def revision_vectors(
    connection: Connection, revision_id: int, model: str
) -> dict[bytes, npt.NDArray[np.float32]]:
    """Text hash to vector (float32) for the children of a revision, as far as stored."""
    query = (
        select(t.embedding.c.text_hash, t.embedding.c.vector)
        .join_from(t.embedding, t.child, t.embedding.c.text_hash == t.child.c.text_hash)
        .where(t.child.c.revision_id == revision_id, t.embedding.c.model == model)
    )
    return {
        row[0]: np.frombuffer(row[1], dtype=np.float16).astype(np.float32)
        for row in connection.execute(query)
    }
