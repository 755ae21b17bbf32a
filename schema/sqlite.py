"""All that is particular to SQLite: connections, online backup, and what its errors mean."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chapterverse.schema.errors import (
    StoreCorrupt,
    StoreError,
    StoreForeign,
    StoreFull,
    StoreLocked,
)

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine
    from sqlalchemy.engine.interfaces import DBAPIConnection
    from sqlalchemy.pool import ConnectionPoolEntry

__all__ = ["SqliteSnapshot", "backup", "configure", "explain", "open_reader", "reader_of"]

_BUSY_MS = 10_000


def configure(engine: Engine, *, foreign_keys: bool = True) -> None:
    """Every connection: write-ahead log, foreign keys, a busy timeout, explicit transactions.

    Migrations go without foreign keys: SQLite changes a table by making it anew, and dropping the
    old one would take along every row that refers to it.
    """
    from sqlalchemy import event

    @event.listens_for(engine, "connect")
    def on_connect(connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
        connection.isolation_level = None  # BEGIN is ours, below
        cursor = connection.cursor()
        cursor.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
        cursor.execute("PRAGMA journal_mode = WAL")
        # FULL, because the indexes trust that an acknowledged sequence number stays acknowledged.
        cursor.execute("PRAGMA synchronous = FULL")
        cursor.execute(f"PRAGMA foreign_keys = {'ON' if foreign_keys else 'OFF'}")
        cursor.close()

    @event.listens_for(engine, "begin")
    def on_begin(connection: Connection) -> None:
        # A reader turned writer in mid-transaction cannot wait for the lock: writers ask first.
        writes = connection.get_execution_options().get("writes", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


class SqliteSnapshot(sqlite3.Connection):
    """See :class:`~chapterverse.schema.reader.Snapshot`."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.memory: dict[str, tuple[object, Any]] = {}

    def version(self) -> int:
        """Another number once another connection has changed the database."""
        return int(self.execute("PRAGMA data_version").fetchone()[0])


def open_reader(path: Path) -> SqliteSnapshot:
    """A connection for reading that any thread may use, one at a time; transactions are explicit.

    It can write no row.
    """
    connection = sqlite3.connect(
        path, isolation_level=None, check_same_thread=False, factory=SqliteSnapshot
    )
    connection.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
    connection.execute("PRAGMA query_only = ON")
    return connection


def reader_of(connection: Connection) -> sqlite3.Connection:
    """The driver's connection beneath *connection*, in the same transaction."""
    driver = connection.connection.driver_connection
    assert isinstance(driver, sqlite3.Connection)
    return driver


def backup(source: Path, target: Path) -> None:
    """Copy a live database by SQLite's online backup; *target* appears whole or not at all."""
    partial = target.with_suffix(".partial")
    with closing(sqlite3.connect(source)) as old, closing(sqlite3.connect(partial)) as new:
        old.backup(new)
    partial.replace(target)


def explain(error: sqlite3.Error, path: Path) -> StoreError:
    """The error of ours that says what SQLite's error means for the user."""
    name = getattr(error, "sqlite_errorname", None) or ""
    text = str(error)
    if name.startswith("SQLITE_FULL") or "disk is full" in text:
        return StoreFull(
            f"The disk holding {path} is full; nothing of this step was kept. Free some space and "
            "run the same command again: what was finished before is still there."
        )
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")) or "locked" in text:
        return StoreLocked(
            f"{path} stayed locked by another process for {_BUSY_MS // 1000} s. Wait for it to "
            "finish, or stop it, and try again."
        )
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")) or "malformed" in text:
        return StoreCorrupt(
            f"{path} is damaged or is not a database ({text}). Put back a copy of it (backups made "
            "before migrations lie beside it), or move it away and ingest again."
        )
    if name.startswith(("SQLITE_CANTOPEN", "SQLITE_READONLY", "SQLITE_PERM", "SQLITE_IOERR")):
        return StoreError(
            f"{path} cannot be opened or written ({text}). Check that the folder exists, that you "
            "may write to it, and that the disk is healthy."
        )
    if "no such table" in text or "no such column" in text:
        return StoreForeign(
            f"{path} is a database, but not a chapterverse knowledge base ({text}). Name another "
            "folder with --kb, or move that file away."
        )
    return StoreError(f"The database {path} failed: {text}")
