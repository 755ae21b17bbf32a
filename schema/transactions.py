"""What needs SQLAlchemy and Alembic: transactions of the store, migrations, and their errors.

Loaded when something is ingested, listed or shown; a search does without.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import URL, Connection, create_engine, select
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from chapterverse.schema import sqlite
from chapterverse.schema.errors import StoreError
from chapterverse.schema.tables import knowledge_base

__all__ = ["Transactions", "add_base", "migrate"]


class Transactions:
    """SQLAlchemy's connections to the database at *path*."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._engine = create_engine(_url(path))
        sqlite.configure(self._engine)
        self._writes = self._engine.execution_options(writes=True)

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

    def close(self) -> None:
        """Give back all connections."""
        self._engine.dispose()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError as error:
            if isinstance(error.orig, sqlite3.Error):
                raise sqlite.explain(error.orig, self._path) from error
            raise StoreError(f"The database {self._path} failed: {error.orig}") from error
        except SQLAlchemyError as error:
            raise StoreError(f"The database {self._path} failed: {error}") from error


def add_base(connection: Connection, name: str, moment: str) -> str:
    """Name the knowledge base *name* unless it has a name; returns the one it has then."""
    known = connection.scalar(select(knowledge_base.c.name))
    if known is None:
        known = name
        connection.execute(
            knowledge_base.insert().values(id=1, name=name, generation_id=0, created_at=moment)
        )
    return str(known)


def migrate(path: Path, scripts: str) -> None:
    """Bring the database at *path*, made when missing, to the newest of the *scripts*."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", scripts)
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


def _url(path: Path) -> URL:
    # Not written as text: a folder may have ? or # in its name.
    return URL.create("sqlite", database=str(path))
