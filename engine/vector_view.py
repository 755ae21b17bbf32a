"""What a reader sees of a vector folder: one commit, mapped into memory, searched exactly."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

import msgspec
import numpy as np
import numpy.typing as npt

from chapterverse.engine.hits import Hits, Ids, Scores, best, distinct
from chapterverse.schema.embedder import Vectors
from chapterverse.schema.errors import IndexDamaged

__all__ = ["FILES", "STATE", "State", "View", "data_path", "read_state"]

STATE = "state.json"
FILES = ("vectors", "ids", "groups", "parents", "removed")

_BLOCK_ROWS = 16384
_ROUNDING = 1e-5
Rows = npt.NDArray[np.intp]


class State(msgspec.Struct, frozen=True):
    """How much of the files counts: *spans* of ``removed``, *rows* of the others.

    *epoch* is the number in the files' names and *applied* the last outbox number held.
    """

    dimension: int
    epoch: int = 0
    rows: int = 0
    spans: int = 0
    applied: int = 0


class View:
    """The rows of one commit. Never changes, so threads may share it."""

    def __init__(self, folder: Path, state: State) -> None:
        """Map the files. Raises ``IndexDamaged`` when one is missing or short."""
        self.state = state
        self._vectors = _map(folder, state, "vectors", np.float32, (state.rows, state.dimension))
        self._ids = np.array(_map(folder, state, "ids", np.int64, (state.rows,)))
        self.groups = _map(folder, state, "groups", np.int64, (state.rows,))
        self._parents = _map(folder, state, "parents", np.int64, (state.rows,))
        self.alive = np.ones(state.rows, np.bool_)
        for start, stop in _map(folder, state, "removed", np.int64, (state.spans, 2)).tolist():
            self.alive[start:stop] = False
        live = np.flatnonzero(self.alive)
        self._order = live[np.argsort(self._ids[live], kind="stable")]
        self.sorted_ids: Ids = self._ids[self._order]

    @classmethod
    def newest(cls, folder: Path) -> Self:
        """The last commit; a compaction that ends while files are opened is waited out."""
        while True:
            state = read_state(folder)
            try:
                return cls(folder, state)
            except IndexDamaged:
                if read_state(folder) == state:
                    raise

    def rows(self, start: int, stop: int) -> tuple[Vectors, Ids, Ids, Ids]:
        """Vectors, ids, groups and parents of the live rows within ``[start, stop)``."""
        live = start + np.flatnonzero(self.alive[start:stop])
        return self._vectors[live], self._ids[live], self.groups[live], self._parents[live]

    def places(self, ids: Ids) -> tuple[Ids, Ids, Ids]:
        """Those of *ids* that live here, and the group and the parent of each."""
        known, rows = self._find(ids)
        return ids[known], self.groups[rows], self._parents[rows]

    def search(self, query: Vectors, limit: int, allowed: Ids | None) -> Hits:
        """The *limit* best live rows by dot product, among *allowed* ids if given."""
        # Sorted keys are looked up several times faster, and sorted rows are read so too.
        rows = None if allowed is None else np.sort(self._find(distinct(allowed))[1])
        if limit < 1 or not len(self.sorted_ids if rows is None else rows):
            return Hits(np.empty(0, np.int64), np.empty(0, np.float32))
        if rows is not None and len(rows) * 2 <= self.state.rows:
            rough = self._rough(query, rows)
            chosen = rows[_near_best(rough, limit)]
        else:
            rough = self._rough(query, None)
            rough[_outside(self.alive, rows)] = -np.inf
            chosen = _near_best(rough, limit)
        return best(self._ids[chosen], self._exact(query, chosen), limit)

    def scores(self, query: Vectors, ids: Ids) -> Scores:
        """Dot products by id; NaN where the id is unknown."""
        known, rows = self._find(ids)
        result = np.full(len(ids), np.nan, np.float32)
        result[known] = self._exact(query, rows)
        return result

    def get(self, ids: Ids) -> Vectors:
        """Vectors by id; rows of NaN where the id is unknown."""
        known, rows = self._find(ids)
        result = np.full((len(ids), self.state.dimension), np.nan, np.float32)
        result[known] = self._vectors[rows]
        return result

    def _find(self, ids: Ids) -> tuple[npt.NDArray[np.bool_], Rows]:
        """Which of *ids* live here, and the rows of those that do."""
        if not len(self.sorted_ids):
            return np.zeros(len(ids), np.bool_), np.empty(0, np.intp)
        place = np.searchsorted(self.sorted_ids, ids)
        place[place == len(self.sorted_ids)] = 0
        known = self.sorted_ids[place] == ids
        return known, self._order[place[known]]

    def _rough(self, query: Vectors, rows: Rows | None) -> Scores:
        count = self.state.rows if rows is None else len(rows)
        result = np.empty(count, np.float32)
        for start in range(0, count, _BLOCK_ROWS):
            block = slice(start, start + _BLOCK_ROWS)
            # A product of matrix and vector would wake a thread for each processor, and those spin
            # on for ten milliseconds after it.
            np.vecdot(self._vectors[block if rows is None else rows[block]], query, result[block])
        return result

    def _exact(self, query: Vectors, rows: Rows) -> Scores:
        # A matrix product may round one row differently by its place in the block; this does not,
        # so equal vectors tie and every way to ask for a score gives the same number.
        scores: Scores = np.einsum("ij,j->i", self._vectors[rows], query)
        return scores


def read_state(folder: Path) -> State:
    """The state file of *folder*. Raises ``IndexDamaged``."""
    try:
        return msgspec.json.decode((folder / STATE).read_bytes(), type=State)
    except (OSError, msgspec.MsgspecError) as error:
        raise _damaged(folder, f"{STATE}: {error}") from error


def data_path(folder: Path, name: str, epoch: int) -> Path:
    """Where the file *name* of number *epoch* lies."""
    return folder / f"{name}.{epoch}"


def _map(
    folder: Path, state: State, name: str, kind: type[Any], shape: tuple[int, ...]
) -> npt.NDArray[Any]:
    path = data_path(folder, name, state.epoch)
    need = int(np.prod(shape)) * np.dtype(kind).itemsize
    try:
        size = path.stat().st_size
        if size < need:
            raise _damaged(folder, f"{path.name} holds {size} bytes of {need}")
        if need == 0:
            return np.empty(shape, kind)
        # As a plain array: a memmap's indexing costs several microseconds more each time.
        return np.asarray(np.memmap(path, kind, "r", shape=shape))
    except OSError as error:
        raise _damaged(folder, f"{path.name}: {error}") from error


def _near_best(rough: Scores, limit: int) -> Rows:
    """Rows that may be among the *limit* best once scored exactly, ties at the edge included."""
    if limit >= len(rough):
        return np.flatnonzero(rough > -np.inf)
    edge = np.partition(rough, len(rough) - limit)[len(rough) - limit]
    return (
        np.flatnonzero(rough >= edge - _ROUNDING * max(1.0, abs(float(edge))))
        if edge > -np.inf
        else np.flatnonzero(rough > -np.inf)
    )


def _outside(alive: npt.NDArray[np.bool_], rows: Rows | None) -> npt.NDArray[np.bool_]:
    if rows is None:
        return ~alive
    outside = np.ones(len(alive), np.bool_)
    outside[rows] = False
    return outside


def _damaged(folder: Path, seen: str) -> IndexDamaged:
    return IndexDamaged(
        f"The vector index in {folder} is damaged ({seen}). Rebuild it from the database."
    )
