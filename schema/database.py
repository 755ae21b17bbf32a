"""Opening the database of a knowledge base: create, recognise, migrate, and map its errors."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from chapterverse.schema import sqlite
from chapterverse.schema.errors import (
    StoreError,
    StoreForeign,
    StoreMissing,
    StoreNewer,
)
from chapterverse.schema.reader import Snapshot

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from chapterverse.schema.transactions import Transactions

__all__ = ["SCHEMA_VERSION", "Database", "now", "open_database"]

SCHEMA_VERSION = "0002"
"""The newest migration; a test holds it against the scripts."""

_KNOWN_VERSIONS = ("0001", "0002")
_MIGRATIONS = "chapterverse:migrations"


def now() -> str:
    """The present moment, UTC, ISO 8601 to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


class Database:
    """Connections to one database; a read is a snapshot, a write is one transaction.

    ``name`` is the one the knowledge base got when it was made; every id depends on it.
    """

    def __init__(self, path: Path, name: str) -> None:
        self.path = path
        self.name = name
        self._idle: list[sqlite.SqliteSnapshot] = []
        self._process = os.getpid()
        self._closed = False

    @contextmanager
    def snapshot(self) -> Iterator[Snapshot]:
        """A connection of the driver that sees one state of the database.

        For searches; costs some microseconds.

        :raises StoreError: after :meth:`close`, or in a process forked since it was opened.
        """
        self.check_open()
        connection: sqlite.SqliteSnapshot | None = None
        try:
            connection = self._take_idle() or sqlite.open_reader(self.path)
            connection.execute("BEGIN")
            yield connection
            connection.execute("COMMIT")
        except BaseException as error:
            if connection is not None:
                connection.close()
            if isinstance(error, sqlite3.Error):
                raise sqlite.explain(error, self.path) from error
            raise
        self._idle.append(connection)

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection of SQLAlchemy that sees one state of the database."""
        self.check_open()
        with self._transactions.read() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """One transaction: committed when the block ends, rolled back when it raises."""
        self.check_open()
        with self._transactions.write() as connection:
            yield connection

    def close(self) -> None:
        """Give back all connections, for good."""
        self._closed = True
        while connection := self._take_idle():
            connection.close()
        if "_transactions" in self.__dict__:
            self._transactions.close()

    def check_open(self) -> None:
        """Refuse to go on after :meth:`close`, or in a process forked since it was opened.

        :raises StoreError: saying which, and to open the base again.
        """
        if self._closed:
            raise StoreError(
                f"The knowledge base {self.path.parent} was closed. Open it again: "
                "KnowledgeBase.open(path)."
            )
        if os.getpid() != self._process:
            # Connections of SQLite carried over a fork damage the file.
            raise StoreError(
                f"The knowledge base {self.path.parent} was opened by process {self._process} "
                "before it forked. Open it again in this process."
            )

    def _take_idle(self) -> sqlite.SqliteSnapshot | None:
        with suppress(IndexError):
            return self._idle.pop()
        return None

    @cached_property
    def _transactions(self) -> Transactions:
        # Loading SQLAlchemy takes longer than all else that a first search does.
        from chapterverse.schema.transactions import Transactions

        return Transactions(self.path)


def open_database(path: Path, *, name: str, create: bool) -> Database:
    """Open the database file at *path*; migrate an older one after a backup beside it.

    :raises StoreMissing: there is no file and *create* is false.
    :raises StoreForeign, StoreCorrupt: the file is something else, or damaged.
    :raises StoreNewer: it was written by a newer version of this package.
    :raises StoreError: the folder cannot be made or entered.
    """
    try:
        fresh = not path.exists() or path.stat().st_size == 0
        if fresh and create:
            path.parent.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise StoreError(
            f"The folder {path.parent} cannot be used for a knowledge base ({error}). Check the "
            "path and your rights there, or name another folder with --kb."
        ) from error
    if fresh and not create:
        raise StoreMissing(
            f"There is no knowledge base at {path.parent}. Ingest documents first "
            f"(chapterverse ingest FOLDER --kb {path.parent}), or name another folder with --kb."
        )
    version = None if fresh else _version_of(path)
    if version not in (None, SCHEMA_VERSION):
        sqlite.backup(path, path.with_name(f"{path.stem}.before-{SCHEMA_VERSION}.sqlite3"))
    if version != SCHEMA_VERSION:
        from chapterverse.schema.transactions import migrate

        migrate(path, _MIGRATIONS)
    database = Database(path, name)
    try:
        database.name = _name_base(database)
    except BaseException:
        database.close()
        raise
    return database


def _version_of(path: Path) -> str | None:
    """The schema version, or ``None`` while the process that creates the file is at it."""
    try:
        with closing(
            sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
        ) as connection:
            tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master")}
            if not tables:
                return None
            if not {"alembic_version", "knowledge_base"} <= tables:
                raise StoreForeign(
                    f"{path} is a database, but not a chapterverse knowledge base. Name another "
                    "folder with --kb, or move that file away."
                )
            row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    except sqlite3.Error as error:
        raise sqlite.explain(error, path) from error
    version = str(row[0]) if row else ""
    if version not in _KNOWN_VERSIONS:
        raise StoreNewer(
            f"{path} has schema version {version!r}; this version of chapterverse knows up to "
            f"{SCHEMA_VERSION!r}. Install a newer chapterverse, or ingest into another folder."
        )
    return version


def _name_base(database: Database) -> str:
    """The stored name; the one that *database* was opened with is stored where there is none."""
    with database.snapshot() as reader:
        known = reader.execute("SELECT name FROM knowledge_base").fetchone()
    if known is not None:
        return str(known[0])
    from chapterverse.schema.transactions import add_base

    with database.write() as connection:
        return add_base(connection, database.name, now())
