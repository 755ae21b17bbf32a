"""Exact vector search over memory-mapped files.

A folder holds four append-only files, rows in the order of arrival: ``vectors`` (float32),
``ids``, ``groups`` and ``parents`` (int64); ``removed`` lists spans of rows that were taken out
(pairs of int64). ``state.json`` says how much of each counts. It is replaced last, so that readers
see a whole commit or none, and what a crash left behind it is cut off by the next writer.
Compaction writes all anew under the next number and then replaces ``state.json``.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, BinaryIO, Literal, Self

import msgspec
import numpy as np
import numpy.typing as npt

from chapterverse.engine.durable import sync_folder, write_file
from chapterverse.engine.hits import Hits, Ids, Scores
from chapterverse.engine.vector_view import FILES, STATE, State, View, data_path, read_state
from chapterverse.schema.embedder import Vectors
from chapterverse.schema.errors import StoreMismatch

__all__ = ["VectorFile"]

_BLOCK_ROWS = 8192
_MOST_DEAD = 0.3


class VectorFile:
    """Vectors of one length by id, in *folder*. One writer, many readers.

    Ids are unique among the rows that live. Changes are seen after :meth:`commit`, in other
    processes after :meth:`reload`. Threads may search beside one that writes.
    """

    def __init__(self, folder: Path, dimension: int, writable: bool = False) -> None:
        """Open what :meth:`create` made.

        Raises ``IndexDamaged`` when a file is missing or short and ``StoreMismatch`` when the
        vectors are not *dimension* long.
        """
        self._folder = folder
        self._view = View.newest(folder)
        if self._view.state.dimension != dimension:
            raise StoreMismatch(
                f"The vectors in {folder} have dimension {self._view.state.dimension}, the "
                f"embedder gives {dimension}. Rebuild with the embedder you want to use."
            )
        self._writer = _Writer(folder, self._view) if writable else None

    @classmethod
    def create(cls, folder: Path, dimension: int) -> Self:
        """Make a new, empty file set in *folder* (created when missing), open for writing."""
        folder.mkdir(parents=True, exist_ok=True)
        for name in FILES:
            data_path(folder, name, 0).write_bytes(b"")
        write_file(folder / STATE, msgspec.json.encode(State(dimension)))
        return cls(folder, dimension, writable=True)

    @property
    def applied(self) -> int:
        """The number given to the last :meth:`commit`; 0 for a new file set."""
        return self._view.state.applied

    def count(self) -> int:
        """Rows that live, as of the last commit seen."""
        return len(self._view.sorted_ids)

    def ids(self) -> Ids:
        """All ids that live, ascending."""
        return self._view.sorted_ids

    def replace(
        self,
        group: int,
        ids: Ids | Sequence[int],
        vectors: Vectors,
        parents: Ids | Sequence[int] | None = None,
    ) -> None:
        """Make *vectors* ``[len(ids), dimension]`` all that is held of *group*.

        ``parents`` are kept beside the ids for :meth:`places`; 0 where none are given.
        """
        rows = np.ascontiguousarray(vectors, np.float32)
        expected = len(ids), self._view.state.dimension
        if rows.shape != expected and len(ids):
            raise ValueError(f"Vectors have the shape {rows.shape}; these ids need {expected}.")
        if not np.isfinite(rows).all():
            raise ValueError("A vector holds NaN or infinity; the embedder must give numbers.")
        writer = self._writing()
        writer.remove(group)
        if len(ids):
            own = np.ascontiguousarray(ids, np.int64)
            above = np.zeros_like(own) if parents is None else np.array(parents, np.int64)
            writer.append(group, own, above, rows)

    def remove(self, group: int) -> None:
        """Take out all of *group*; nothing happens when there is none."""
        self._writing().remove(group)

    def commit(self, seq: int) -> int:
        """Make all changes durable, remember *seq*, and return the number of rows that live.

        Compacts first when more than 30 % of the rows are dead.
        """
        writer = self._writing()
        state = writer.flush(seq)
        view = View(self._folder, state)
        if np.count_nonzero(view.alive) < (1 - _MOST_DEAD) * state.rows:
            state = _compact(self._folder, view)
        write_file(self._folder / STATE, msgspec.json.encode(state))
        if state.epoch != view.state.epoch:
            writer.close()
            view = View(self._folder, state)
            self._writer = _Writer(self._folder, view)
        self._view = view
        return self.count()

    def search(self, query: Vectors, limit: int, allowed: Ids | None = None) -> Hits:
        """The *limit* rows of greatest dot product with *query*, among *allowed* ids if given.

        Every row is looked at. Equal vectors score equal, and as in :meth:`scores`.
        """
        return self._view.search(np.ascontiguousarray(query, np.float32), limit, allowed)

    def scores(self, query: Vectors, ids: Ids) -> Scores:
        """float32 ``[len(ids)]`` dot products with *query*; NaN where the id is unknown."""
        return self._view.scores(np.ascontiguousarray(query, np.float32), ids)

    def get(self, ids: Ids) -> Vectors:
        """float32 ``[len(ids), dimension]``; rows of NaN where the id is unknown."""
        return self._view.get(ids)

    def places(self, ids: Ids) -> tuple[Ids, Ids, Ids]:
        """Those of *ids* that live, with the group and the parent of each."""
        return self._view.places(ids)

    def reload(self) -> None:
        """See what another process committed."""
        if read_state(self._folder) != self._view.state:
            self._view = View.newest(self._folder)

    def close(self) -> None:
        """Give up the files; changes not committed are lost."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    def _writing(self) -> _Writer:
        if self._writer is None:
            raise RuntimeError(f"{self._folder} is not open for writing.")
        return self._writer


class _Writer:
    """Appends to the files of one epoch; starts by cutting off what was not committed."""

    def __init__(self, folder: Path, view: View) -> None:
        state = view.state
        self._state, self._rows, self._removed = state, state.rows, state.spans
        self._spans = _spans(view)
        widths = (4 * state.dimension, 8, 8, 8, 16)
        counts = (*[state.rows] * 4, state.spans)
        for name, width, count in zip(FILES, widths, counts, strict=True):
            os.truncate(data_path(folder, name, state.epoch), width * count)
        self._open = ExitStack()
        self._files = _files(self._open, folder, state.epoch, "ab")
        _delete_others(folder, state.epoch)

    def append(self, group: int, ids: Ids, parents: Ids, vectors: Vectors) -> None:
        self._files["vectors"].write(vectors.data)
        self._files["ids"].write(ids.data)
        self._files["groups"].write(np.full_like(ids, group).data)
        self._files["parents"].write(parents.data)
        self._spans[group] = (self._rows, self._rows + len(ids))
        self._rows += len(ids)

    def remove(self, group: int) -> None:
        if span := self._spans.pop(group, None):
            self._files["removed"].write(np.array(span, np.int64).data)
            self._removed += 1

    def flush(self, seq: int) -> State:
        for file in self._files.values():
            file.flush()
            os.fsync(file.fileno())
        return State(self._state.dimension, self._state.epoch, self._rows, self._removed, seq)

    def close(self) -> None:
        self._open.close()


def _files(
    stack: ExitStack, folder: Path, epoch: int, mode: Literal["ab", "wb"]
) -> dict[str, BinaryIO]:
    return {n: stack.enter_context(data_path(folder, n, epoch).open(mode)) for n in FILES}


def _spans(view: View) -> dict[int, tuple[int, int]]:
    """Where each live group stands; :meth:`VectorFile.replace` keeps a group in one piece."""
    live = np.flatnonzero(view.alive)
    groups = view.groups[live]
    starts = np.flatnonzero(np.diff(groups, prepend=groups[:1] - 1))
    stops = np.append(starts[1:], len(live)) - 1
    return (
        {
            int(groups[a]): (int(live[a]), int(live[b]) + 1)
            for a, b in zip(starts.tolist(), stops.tolist(), strict=True)
        }
        if len(live)
        else {}
    )


def _compact(folder: Path, view: View) -> State:
    """Write the live rows under the next number; nothing changes until the state is replaced."""
    old = view.state
    new = State(old.dimension, old.epoch + 1, len(view.sorted_ids), 0, old.applied)
    with ExitStack() as stack:
        files = _files(stack, folder, new.epoch, "wb").values()
        for start in range(0, old.rows, _BLOCK_ROWS):
            columns: tuple[npt.NDArray[Any], ...] = view.rows(start, start + _BLOCK_ROWS)
            for file, column in zip(files, columns, strict=False):
                file.write(column.data)
        for file in files:
            file.flush()
            os.fsync(file.fileno())
    sync_folder(folder)
    return new


def _delete_others(folder: Path, epoch: int) -> None:
    """Delete what other compactions left; a reader that still maps a file keeps its content."""
    for name in FILES:
        for path in folder.glob(f"{name}.*"):
            if path.name != f"{name}.{epoch}":
                with suppress(OSError):
                    path.unlink()
