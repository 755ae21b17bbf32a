"""Many rows at once, in statements that every database takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

from sqlalchemy import Connection, insert

__all__ = ["batches", "insert_all"]

_T = TypeVar("_T")
_BATCH = 500


def batches(items: Sequence[_T], size: int = _BATCH) -> Iterator[Sequence[_T]]:
    """Consecutive pieces of *items*, each of at most *size* (SQL statements have limits)."""
    for start in range(0, len(items), size):
        yield items[start : start + size]


def insert_all(connection: Connection, table: Any, rows: list[dict[str, object]]) -> None:
    """Insert *rows*, column name to value."""
    for part in batches(rows, 5000):
        connection.execute(insert(table), list(part))
