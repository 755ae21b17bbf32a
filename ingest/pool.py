"""Parsing of many documents, each in a process of its own, from the side that asks.

Each of a few threads owns one worker process (:mod:`chapterverse.ingest.worker`), which forks a
child for each document. The workers are started as plain subprocesses: ``multiprocessing`` would
run the user's main script again. On platforms without ``fork`` (Windows) every document gets a
fresh worker; memory, CPU time and written files are not bounded there, the wall clock is.
"""

from __future__ import annotations

import contextlib
import os
import queue
import threading
import time
import weakref
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Self, overload

import msgspec

from chapterverse.ingest.worker_answer import READERS, Request
from chapterverse.ingest.worker_client import Worker, WorkerLost
from chapterverse.schema.errors import DocumentError, WorkerDied
from chapterverse.schema.parse_limits import ParseLimits
from chapterverse.schema.records import Parsed

__all__ = ["ParseJob", "ParseOutcome", "ParsePool"]


@dataclass(frozen=True, slots=True)
class ParseJob:
    """A file to parse, under the name that messages use; ``depth`` counts the files around it."""

    path: Path
    name: str
    password: str | None = None
    depth: int = 0


@dataclass(frozen=True, slots=True)
class ParseOutcome:
    """What became of a job: either ``parsed`` or ``error``, after so many ``seconds``."""

    job: ParseJob
    parsed: Parsed | None
    error: DocumentError | None
    seconds: float


_Task = tuple[ParseJob, "Future[ParseOutcome]"]


class ParsePool:
    """Parses documents in isolated processes; use as a context manager or call :meth:`close`.

    *reader* is ``module:function`` with the signature of ``chapterverse.ingest.readers.read``.
    Pictures and attachments are kept in the folder *blobs*, recognised pages in *ocr_cache*.
    Workers start with the first jobs and end with the pool, or with this process however it dies.
    """

    def __init__(
        self,
        limits: ParseLimits,
        *,
        reader: str = f"{READERS}:read",
        blobs: Path | None = None,
        ocr_cache: Path | None = None,
    ) -> None:
        template = Request(b"", b"", None, limits, reader, _encoded(blobs), _encoded(ocr_cache))
        self._ahead = 2 * limits.processes
        self._tasks: queue.SimpleQueue[_Task | None] = queue.SimpleQueue()
        self._slots = [_Slot(template) for _ in range(limits.processes)]
        self._threads: list[threading.Thread] = []
        self._idle = threading.Semaphore(0)
        self._lock = threading.Lock()
        self._close = weakref.finalize(self, _shut_down, self._tasks, self._slots, self._threads)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop all workers at once, whatever they are doing. May be called again."""
        with self._lock:
            self._close()

    @overload
    def parse(self, jobs: Iterable[ParseJob]) -> Iterator[ParseOutcome]: ...

    @overload
    def parse(self, jobs: Iterable[ParseJob | None]) -> Iterator[ParseOutcome | None]: ...

    def parse(self, jobs: Iterable[ParseJob | None]) -> Iterator[ParseOutcome | None]:
        """Yield one outcome a job, in the order of *jobs*.

        A ``None`` among the jobs is answered by a ``None`` at once: it gives the caller a turn
        while documents are being parsed, and keeps no place in the order.

        At most ``2 * processes`` jobs are taken from *jobs* before their outcome is yielded.

        :raises RuntimeError: when the pool is, or gets, closed.
        """
        pending: deque[Future[ParseOutcome]] = deque()
        try:
            for job in jobs:
                if job is None:
                    yield None
                    continue
                pending.append(self._submit(job))
                if len(pending) >= self._ahead:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        finally:
            for future in pending:
                future.cancel()

    def _submit(self, job: ParseJob) -> Future[ParseOutcome]:
        future: Future[ParseOutcome] = Future()
        with self._lock:
            if not self._close.alive:
                raise _closed()
            self._tasks.put((job, future))
            if not self._idle.acquire(blocking=False) and len(self._threads) < len(self._slots):
                self._add_thread(self._slots[len(self._threads)])
        return future

    def _add_thread(self, slot: _Slot) -> None:
        # A daemon, so that an interpreter that exits does not wait for a slow document.
        thread = threading.Thread(
            target=_work, args=(self._tasks, slot, self._idle), name="parse", daemon=True
        )
        self._threads.append(thread)
        thread.start()


def _work(tasks: queue.SimpleQueue[_Task | None], slot: _Slot, idle: threading.Semaphore) -> None:
    while (task := tasks.get()) is not None:
        job, future = task
        if future.set_running_or_notify_cancel():
            try:
                future.set_result(slot.outcome(job))
            except BaseException as exc:
                future.set_exception(exc)
        # An outcome can be large: it must not live here until the next job comes.
        del task, future
        idle.release()
    slot.stop()


def _shut_down(
    tasks: queue.SimpleQueue[_Task | None], slots: list[_Slot], threads: list[threading.Thread]
) -> None:
    with contextlib.suppress(queue.Empty):
        while (task := tasks.get_nowait()) is not None:
            future = task[1]
            if future.set_running_or_notify_cancel():
                future.set_exception(_closed())
    for slot in slots:
        slot.close()
    for _ in threads:
        tasks.put(None)
    for thread in threads:
        # The last reference to a pool may be dropped in one of its own threads.
        if thread is not threading.current_thread():
            thread.join()


def _encoded(path: Path | None) -> bytes | None:
    return None if path is None else os.path.abspath(path).encode("utf-8", "surrogatepass")


def _closed() -> RuntimeError:
    return RuntimeError("the parse pool is closed; open a new one")


class _Slot:
    """The place of one worker process, replaced whenever it is lost."""

    def __init__(self, template: Request) -> None:
        self._template = template
        self._lock = threading.Lock()
        self._closed = False
        self._worker: Worker | None = None

    def outcome(self, job: ParseJob) -> ParseOutcome:
        """Parse *job*.

        :raises RuntimeError: when the slot was closed meanwhile.
        """
        start = time.perf_counter()
        parsed, error = None, None
        try:
            parsed = self._parse(job)
        except DocumentError as exc:
            error = exc
        except OSError as exc:
            error = WorkerDied(
                f"{job.name}: no parsing process could be started ({exc}); "
                "free memory or open files and parse it again"
            )
        if self._closed:
            raise _closed()
        return ParseOutcome(job, parsed, error, time.perf_counter() - start)

    def _parse(self, job: ParseJob) -> Parsed:
        request = msgspec.structs.replace(
            self._template,
            path=_encoded(job.path),
            name=job.name.encode("utf-8", "surrogatepass"),
            password=job.password and job.password.encode("utf-8", "surrogatepass"),
            depth=job.depth,
        )
        for fresh in (False, True):
            worker = self._ready_worker()
            try:
                return worker.ask(job.name, request)
            except WorkerLost as exc:
                # A worker that died idle is no fault of this document: once more with a new one.
                if worker.started or worker.overdue or fresh or self._closed:
                    raise worker.lost_error(job.name, str(exc)) from exc
            finally:
                if worker.dead:
                    self.stop()
        raise AssertionError("unreachable")

    def _ready_worker(self) -> Worker:
        with self._lock:
            if self._closed:
                raise _closed()
            if self._worker is None:
                self._worker = Worker()
            return self._worker

    def close(self) -> None:
        """Kill the worker and start no other; any thread may call this."""
        with self._lock:
            self._closed = True
            if self._worker is not None:
                self._worker.kill()

    def stop(self) -> None:
        """Kill the worker and free what it holds here."""
        with self._lock:
            worker, self._worker = self._worker, None
        if worker is not None:
            worker.dispose()
