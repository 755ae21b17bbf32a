"""Outbox, applied numbers, generations and jobs: the order that everything relies on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import Connection, func, select

from chapterverse.schema import embeddings, journal, lookup, sqlite, store
from chapterverse.schema import tables as t
from chapterverse.schema.database import Database, open_database
from chapterverse.schema.generation import Generation, current_generation
from chapterverse.schema.ids import make_id, text_hash
from chapterverse.schema.journal import OutboxRow
from chapterverse.schema.records import (
    Asset,
    AssetKind,
    Child,
    Chunks,
    Parent,
    ParentKind,
    Revision,
    Segment,
)
from chapterverse.schema.results import IngestItem

NEW = Generation(0, "hash", "hash:64:1", 64, "1", "chunks", "tantivy")


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = open_database(tmp_path / "kb.sqlite3", name="test", create=True)
    yield opened
    opened.close()


def content(uri: str, text: str) -> store.NewRevision:
    """A document of one asset, one parent and one child, all of them *text*."""
    document = make_id("document", uri)
    revision = make_id("revision", uri, text)
    parent = make_id("parent", revision)
    path: tuple[str, ...] = ()
    return store.NewRevision(
        uri=uri,
        title=uri,
        tags=(),
        metadata={},
        revision=Revision(revision, document, "0" * 64, "text/plain", "x/1", 1, None, None, ()),
        chunking="chunks",
        assets=(Asset(0, AssetKind.PARAGRAPH, text),),
        chunks=Chunks(
            (
                Parent(
                    parent,
                    0,
                    ParentKind.SECTION,
                    text,
                    path,
                    (Segment(0, 0, len(text), 0),),
                    (),
                    (),
                    1,
                ),
            ),
            (
                Child(
                    make_id("child", revision),
                    parent,
                    0,
                    0,
                    len(text),
                    text,
                    text,
                    AssetKind.PARAGRAPH,
                    path,
                    (),
                    (),
                    1,
                ),
            ),
        ),
    )


def put(database: Database, uri: str, text: str) -> int:
    with database.write() as connection:
        vectors = np.ones((1, 64), np.float32)
        embeddings.add_embeddings(connection, "hash:64:1", [text_hash(text)], vectors)
        return store.put_revision(connection, content(uri, text))


def apply(database: Database, number: int, seq: int) -> None:
    with database.write() as connection:
        journal.mark_applied(connection, number, seq)


def start(database: Database) -> int:
    with database.write() as connection:
        number = journal.add_generation(connection, NEW)
        journal.use_generation(connection, number)
    return number


def visible(connection: Connection, *places: tuple[str, str]) -> list[tuple[str, str]]:
    """Those of *places* (URI and text) whose child a search would see now."""
    generation = current_generation(sqlite.reader_of(connection))
    assert generation is not None
    found = []
    for uri, text in places:
        revision = make_id("revision", uri, text)
        if lookup.live_revisions(sqlite.reader_of(connection), [revision], generation.applied):
            found.append((uri, text))
    return found


def rows(connection: Connection) -> dict[str, int]:
    return {
        table.name: connection.scalar(select(func.count()).select_from(table)) or 0
        for table in (t.revision, t.asset, t.parent, t.child, t.embedding)
    }


def test_a_new_base_has_no_generation(database: Database) -> None:
    with database.read() as connection:
        assert current_generation(sqlite.reader_of(connection)) is None
        assert journal.outbox_end(connection) == 0


def test_a_document_shows_once_it_is_applied(database: Database) -> None:
    number = start(database)
    seq = put(database, "a", "one")
    with database.read() as connection:
        assert visible(connection, ("a", "one")) == []
        assert journal.outbox_after(connection, 0) == [
            OutboxRow(seq, "put", make_id("revision", "a", "one"))
        ]
    apply(database, number, seq)
    with database.read() as connection:
        assert visible(connection, ("a", "one")) == [("a", "one")]
        assert journal.outbox_after(connection, 0) == []
        assert journal.outbox_end(connection) == seq


def test_of_two_revisions_one_shows_at_every_moment(database: Database) -> None:
    number = start(database)
    apply(database, number, put(database, "a", "one"))
    both = (("a", "one"), ("a", "two"))
    seq = put(database, "a", "two")
    with database.read() as connection:
        assert visible(connection, *both) == [("a", "one")]
        assert rows(connection)["revision"] == 2
    apply(database, number, seq)
    with database.write() as connection:
        # Vectors go at the end of a job: an interrupted one may still want them.
        assert rows(connection)["embedding"] == 2
        embeddings.drop_orphans(connection)
    with database.read() as connection:
        assert visible(connection, *both) == [("a", "two")]
        assert set(rows(connection).values()) == {1}
        drop = journal.outbox_after(connection, seq)
    assert [(row.op, row.revision_id) for row in drop] == [
        ("drop", make_id("revision", "a", "one"))
    ]
    apply(database, number, drop[0].seq)
    with database.read() as connection:
        assert visible(connection, *both) == [("a", "two")]
        assert journal.outbox_after(connection, 0) == []


def test_applying_only_a_part_keeps_the_rest(database: Database) -> None:
    number = start(database)
    first, second = put(database, "a", "one"), put(database, "b", "two")
    apply(database, number, first)
    with database.read() as connection:
        assert visible(connection, ("a", "one"), ("b", "two")) == [("a", "one")]
        assert [row.seq for row in journal.outbox_after(connection, first)] == [second]
        assert journal.live_revisions(connection, first) == [make_id("revision", "a", "one")]
        assert len(journal.live_revisions(connection, second)) == 2


def test_numbers_are_never_given_twice(database: Database) -> None:
    number = start(database)
    seen = []
    for text in ("one", "two", "three"):
        seq = put(database, "a", text)
        apply(database, number, seq)
        with database.read() as connection:
            end = journal.outbox_end(connection)
        apply(database, number, end)
        seen += [seq, end]
    assert seen == sorted(seen)
    assert len(set(seen)) >= 5


def test_deleting_leaves_a_drop_for_every_revision(database: Database) -> None:
    number = start(database)
    apply(database, number, put(database, "a", "one"))
    put(database, "a", "two")
    put(database, "b", "other")
    with database.write() as connection:
        store.delete_document(connection, make_id("document", "a"))
        embeddings.drop_orphans(connection)
    with database.read() as connection:
        drops = [r.revision_id for r in journal.outbox_after(connection, 0) if r.op == "drop"]
        assert drops == [make_id("revision", "a", "one"), make_id("revision", "a", "two")]
        assert rows(connection) == dict.fromkeys(
            ("revision", "asset", "parent", "child", "embedding"), 1
        )


def test_generations(database: Database) -> None:
    first = start(database)
    with database.write() as connection:
        second = journal.add_generation(connection, NEW)
        assert current_generation(sqlite.reader_of(connection)) == Generation(
            first, "hash", "hash:64:1", 64, "1", "chunks", "tantivy"
        )
        journal.use_generation(connection, second)
        current = current_generation(sqlite.reader_of(connection))
        assert current is not None
        assert current.id == second == first + 1
        assert connection.scalar(select(func.count()).select_from(t.generation)) == 1


def test_jobs(database: Database) -> None:
    with database.write() as connection:
        lost = journal.start_job(connection, "ingest")
        job = journal.start_job(connection, "ingest")
        items = [
            IngestItem("a", "ingested"),
            IngestItem("b", "failed", code="empty", message="nothing in it"),
        ]
        journal.record_items(connection, job, items)
        journal.finish_job(connection, job, "done")
    with database.read() as connection:
        states = dict(connection.execute(select(t.job.c.id, t.job.c.state)).all())
        found = connection.execute(
            select(t.job_item.c.uri, t.job_item.c.status, t.job_item.c.code).order_by(
                t.job_item.c.id
            )
        ).all()
    assert states == {lost: "interrupted", job: "done"}
    assert [tuple(row) for row in found] == [("a", "ingested", None), ("b", "failed", "empty")]
