"""What a knowledge base holds, counted in the database and in each index."""

from __future__ import annotations

from chapterverse.engine.indexes import IndexSet
from chapterverse.engine.session import Session, generation_folder
from chapterverse.schema import journal, store
from chapterverse.schema.errors import IndexDamaged
from chapterverse.schema.results import Status

__all__ = ["read_status"]


def read_status(session: Session) -> Status:
    """Counts and build settings; -1 for an index that cannot be read."""
    generation = session.generation()
    with session.database.read() as connection:
        counts = store.count_rows(connection)
        applied = 0 if generation is None else generation.applied
        lag = len(journal.outbox_after(connection, applied))
    keyword = vectors = 0
    if generation is not None:
        try:
            folder = generation_folder(session.path, generation.id)
            indexes = IndexSet(folder, generation, writable=False, end=session.outbox_end)
            keyword, vectors = indexes.keyword.count()[0], indexes.vectors.count()
            indexes.close()
        except IndexDamaged:
            keyword = vectors = -1
    owner = session.lock.owner()
    settings = session.settings
    return Status(
        path=str(session.path),
        documents=counts["document"],
        parents=counts["parent"],
        children=counts["child"],
        embeddings=counts["embedding"],
        keyword_entries=keyword,
        vector_entries=vectors,
        lag=lag,
        generation=generation.id if generation else 0,
        embedder=generation.embedder if generation else settings.embedder,
        dimension=generation.dimension if generation else 0,
        analyzer=generation.analyzer if generation else "",
        chunking=generation.chunking if generation else settings.chunk_limits.key(),
        keyword=generation.keyword if generation else settings.keyword,
        writer=None if owner is None else session.lock.describe(),
    )
