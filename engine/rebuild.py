"""A new generation beside the old one: cut, embed and index anew, then switch in one step."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace

from chapterverse.engine.analyze import ANALYZER_VERSION
from chapterverse.engine.embed import make_embedder
from chapterverse.engine.indexes import IndexSet
from chapterverse.engine.session import Session, generation_folder
from chapterverse.ingest.sources import Progress
from chapterverse.ingest.write import Writer
from chapterverse.schema import embeddings, journal, store
from chapterverse.schema.choices import CHUNK_SETTINGS, Choices
from chapterverse.schema.chunk_limits import ChunkLimits
from chapterverse.schema.embedder import Embedder
from chapterverse.schema.generation import Generation

__all__ = ["rebuild"]


def rebuild(session: Session, settings: Choices, on_progress: Callable[[Progress], None]) -> int:
    """Build a new generation with *settings* and let searches use it.

    Settings that were not given stay as the base was built. Searches go on with the old generation
    until the switch; killed or failed before it, nothing has changed for them.

    :raises StoreLocked: another process is writing.
    :returns: the number of the new generation.
    """
    with session.writing():
        old = session.generation()
        assert old is not None
        wanted = _wanted(settings, old)
        same = wanted.embedder == old.embedder
        embedder = session.embedder_for(old) if same else make_embedder(wanted.embedder)
        wanted = replace(wanted, fingerprint=embedder.fingerprint, dimension=embedder.dimension)
        writer = replace(
            session.writer(embedder, ChunkLimits.from_key(wanted.chunking), on_progress),
            settled=lambda: None,
        )
        _renew_documents(session, writer)
        return _switch(session, wanted, embedder, settings)


def _wanted(settings: Choices, old: Generation) -> Generation:
    given = settings.given
    built = ChunkLimits.from_key(old.chunking)
    asked = settings.chunk_limits
    limits = replace(
        built,
        **{name: getattr(asked, name) for name in CHUNK_SETTINGS & given},
    )
    return Generation(
        id=0,
        embedder=settings.embedder if "embedder" in given else old.embedder,
        fingerprint="",
        dimension=0,
        analyzer=ANALYZER_VERSION,
        chunking=limits.key(),
        keyword=settings.keyword if "keyword" in given else old.keyword,
    )


def _renew_documents(session: Session, writer: Writer) -> None:
    with session.database.read() as connection:
        documents = store.list_documents(connection)
    for document in documents:
        with session.database.read() as connection:
            chunking = store.chunking_of(connection, document.revision.id)
        if chunking != writer.limits.key():
            writer.recut(document)
        else:
            writer.embed_stored(document)


def _switch(session: Session, wanted: Generation, embedder: Embedder, settings: Choices) -> int:
    with session.database.write() as connection:
        number = journal.add_generation(connection, wanted)
        seq = journal.outbox_end(connection)
        revisions = journal.live_revisions(connection, seq)
    folder = generation_folder(session.path, number)
    shutil.rmtree(folder, ignore_errors=True)
    indexes = IndexSet(folder, replace(wanted, id=number), writable=True, end=session.outbox_end)

    def commit() -> None:
        with session.database.write() as connection:
            journal.use_generation(connection, number)
            journal.mark_applied(connection, number, seq)
            embeddings.forget_other_models(connection, wanted.fingerprint)

    try:
        indexes.fill(session.database, revisions, seq, embedder.embed_documents)
        session.switch(commit, indexes, settings)
    except BaseException:
        indexes.close()
        shutil.rmtree(folder, ignore_errors=True)
        raise
    session.catch_up()
    for other in folder.parent.iterdir():
        if other != folder:
            shutil.rmtree(other, ignore_errors=True)
    return number
