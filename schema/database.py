"""Opening the database of a knowledge base: create, recognise, migrate, and map its errors."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import URL, Connection, Engine, create_engine, select
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from chapterverse.schema import sqlite
from chapterverse.schema.errors import (
    StoreError,
    StoreForeign,
    StoreMissing,
    StoreNewer,
)
from chapterverse.schema.tables import SCHEMA_VERSION, knowledge_base

__all__ = ["Database", "now", "open_database"]

_KNOWN_VERSIONS = ("0001",)
_MIGRATIONS = "chapterverse:migrations"


def now() -> str:
    """The present moment, UTC, ISO 8601 to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


class Database:
    """Connections to one database; a read is a snapshot, a write is one transaction.

    ``name`` is the one the knowledge base got when it was made; every id depends on it.
    """

    def __init__(self, engine: Engine, path: Path, name: str) -> None:
        self.path = path
        self.name = name
        self._engine = engine
        self._writes = engine.execution_options(writes=True)

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection that sees one state of the database."""
        with self._explained(), self._engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """One transaction: committed when the block ends, rolled back when it raises."""
        with self._explained(), self._writes.begin() as connection:
            yield connection

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError as error:
            if isinstance(error.orig, sqlite3.Error):
                raise sqlite.explain(error.orig, self.path) from error
            raise StoreError(f"The database {self.path} failed: {error.orig}") from error
        except SQLAlchemyError as error:
            raise StoreError(f"The database {self.path} failed: {error}") from error

    def close(self) -> None:
        """Give back all connections."""
        self._engine.dispose()


def open_database(path: Path, *, name: str, create: bool) -> Database:
    """Open the database file at *path*; migrate an older one after a backup beside it.

    :raises StoreMissing: there is no file and *create* is false.
    :raises StoreForeign, StoreCorrupt: the file is something else, or damaged.
    :raises StoreNewer: it was written by a newer version of this package.
    """
    fresh = not path.exists() or path.stat().st_size == 0
    if fresh and not create:
        raise StoreMissing(
            f"There is no knowledge base at {path.parent}. Ingest documents first "
            f"(chapterverse ingest FOLDER --kb {path.parent}), or name another folder with --kb."
        )
    if fresh:
        path.parent.mkdir(parents=True, exist_ok=True)
        _migrate(path)
    else:
        version = _version_of(path)
        if version is None:
            _migrate(path)
        elif version != SCHEMA_VERSION:
            sqlite.backup(path, path.with_name(f"{path.stem}.before-{SCHEMA_VERSION}.sqlite3"))
            _migrate(path)
    engine = create_engine(_url(path))
    sqlite.configure(engine)
    database = Database(engine, path, name)
    try:
        database.name = _name_base(database)
    except BaseException:
        database.close()
        raise
    return database


def _url(path: Path) -> URL:
    # Not written as text: a folder may have ? or # in its name.
    return URL.create("sqlite", database=str(path))


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


def _migrate(path: Path) -> None:
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", _MIGRATIONS)
    config.set_main_option("path_separator", "os")
    engine = create_engine(_url(path), poolclass=NullPool, execution_options={"writes": True})
    # One transaction that asks for the lock first: a kill leaves nothing half-made, and of two
    # processes that open a new base the second waits and finds it made.
    sqlite.configure(engine, foreign_keys=False)
    try:
        with engine.begin() as connection:
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
    except DBAPIError as error:
        if isinstance(error.orig, sqlite3.Error):
            raise sqlite.explain(error.orig, path) from error
        raise


def _name_base(database: Database) -> str:
    """The stored name; the one that *database* was opened with is stored where there is none."""
    query = select(knowledge_base.c.name)
    with database.read() as connection:
        known = connection.scalar(query)
    if known is None:
        with database.write() as connection:
            known = connection.scalar(query)
            if known is None:
                known = database.name
                connection.execute(
                    knowledge_base.insert().values(
                        id=1, name=known, generation_id=0, created_at=now()
                    )
                )
    return str(known)
