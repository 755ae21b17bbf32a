"""The connection that searches read through, and how they hand it many ids.

Searches are many and small, so their SQL is written out and goes to the driver as it is: building
it with SQLAlchemy would cost several times what the database does, at each search and at start.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

__all__ = ["Reader", "Rows", "Snapshot", "select_in"]

_STEP = 32


class Rows(Protocol):
    """The rows of a result, each a tuple."""

    def __iter__(self) -> Iterator[Any]: ...

    def fetchone(self) -> Any:
        """The next row, or ``None``."""

    def fetchall(self) -> list[Any]:
        """All rows that are left."""


class Reader(Protocol):
    """A connection of the database's driver that sees one state of the database."""

    def execute(self, sql: str, parameters: Sequence[Any] = ..., /) -> Rows:
        """Run *sql*, which has a ``?`` for each of *parameters*."""


class Snapshot(Reader, Protocol):
    """A reader that is used again and again, and notices when the database has changed.

    ``memory`` holds what was read, with the version it was read at.
    """

    memory: dict[str, tuple[object, Any]]

    def version(self) -> int:
        """Another number once another connection has changed the database."""


def select_in(
    reader: Reader, sql: str, ids: Sequence[Any], parameters: Sequence[Any] = ()
) -> list[Any]:
    """All rows of *sql*, in which ``{ids}`` stands for *ids*; *parameters* come after them.

    The list is filled up with its last id to one of few lengths, so that the driver keeps the
    prepared statements.
    """
    if not ids:
        return []
    size = -(-len(ids) // _STEP) * _STEP if len(ids) > _STEP else 1 << (len(ids) - 1).bit_length()
    marks = ",".join("?" * size)
    filled = [*ids, *[ids[-1]] * (size - len(ids)), *parameters]
    return reader.execute(sql.replace("{ids}", marks), filled).fetchall()
