"""One worker process as seen by its owner: start it, ask it, stop it, explain its end."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

import msgspec

from chapterverse.ingest.worker import BUDGET, ENDED, HEADER, STARTED, Ended, write_all
from chapterverse.ingest.worker_answer import ANSWER, FAILED, Failure, Request
from chapterverse.schema.errors import (
    DocumentError,
    OutOfMemory,
    TimedOut,
    TooLarge,
    WorkerDied,
    document_error,
)
from chapterverse.schema.parse_limits import ParseLimits
from chapterverse.schema.records import Parsed
from chapterverse.schema.telemetry import SILENCE

__all__ = ["Worker", "WorkerLost"]

FORKS = hasattr(os, "fork")
"""Whether a worker can serve many documents; elsewhere it ends after the first."""

PREPARE_SECONDS = 180.0
"""A worker may import heavy readers for so long before a document starts."""

GRACE_SECONDS = 10.0
"""A worker that has not stopped its child so long after the deadline is stopped itself."""

BOOTSTRAP = (
    "import json, sys; sys.path[:] = json.loads(sys.argv.pop(1)); "
    "from chapterverse.ingest.worker import main; main()"
)

ENVIRONMENT = {
    # Documents run side by side; threads of libraries would only compete, forbid a safe fork
    # and reserve address space that counts against the limit.
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "RAYON_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "2",
    # Readers that iterate over sets must give the same order each time.
    "PYTHONHASHSEED": "0",
}

MEMORY_SIGNS = ("memory allocation of", "bad_alloc", "MemoryError", "out of memory", "std::length")


class WorkerLost(Exception):
    """The worker process ended or said something it should not."""


class Worker:
    """A worker process, and the conversation with it."""

    def __init__(self) -> None:
        # Closed by dispose(): it lives as long as the process.
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115
        # What readers write for a while lies in here, so that nothing of a killed one stays.
        self._scratch = tempfile.mkdtemp(prefix="chapterverse-")
        paths = json.dumps([os.path.abspath(entry) for entry in sys.path])
        owner, mode = str(os.getpid()), "fork" if FORKS else "once"
        self._process = subprocess.Popen(
            [sys.executable, "-Wignore", "-c", BOOTSTRAP, paths, self._scratch, owner, mode],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            env={**SILENCE, **os.environ, **ENVIRONMENT, "TMPDIR": self._scratch},
            start_new_session=True,
        )
        self._child: int | None = None
        self._allowed = 0.0
        self._alarm: threading.Timer | None = None
        self.started = False
        self.overdue = False
        self.dead = False

    def ask(self, name: str, request: Request) -> Parsed:
        """Have one document parsed.

        :raises DocumentError: when it could not be.
        :raises WorkerLost: when there was no answer; the worker is of no use any more.
        """
        self.started = False
        # The children write where this file stands, for they share its offset.
        self._stderr.seek(0)
        self._stderr.truncate()
        answered = threading.Event()
        try:
            self._set_alarm(PREPARE_SECONDS, answered)
            self._send(request)
            kind, payload = self._converse(request.limits, answered)
        except (OSError, ValueError, msgspec.MsgspecError) as exc:
            self.dead = True
            raise WorkerLost(str(exc)) from exc
        finally:
            answered.set()
            self._child = None
            if self._alarm is not None:
                self._alarm.cancel()
            _empty(self._scratch)
        self.dead = not FORKS
        return self._result(name, request.limits, kind, payload)

    def _send(self, request: Request) -> None:
        data = msgspec.msgpack.encode(request)
        assert self._process.stdin is not None
        write_all(self._process.stdin.fileno(), len(data).to_bytes(4, "little") + data)

    def _converse(self, limits: ParseLimits, answered: threading.Event) -> tuple[bytes, bytes]:
        """Follow the frames of one document up to the last, and return that."""
        while True:
            kind, payload = self._receive(limits.answer_bytes)
            if kind == STARTED:
                self._child = msgspec.msgpack.decode(payload, type=int)
                self.started = True
                self._set_alarm(limits.seconds(0), answered)
            elif kind == BUDGET:
                self._set_alarm(msgspec.msgpack.decode(payload, type=float), answered)
            elif kind in (ANSWER, FAILED, ENDED):
                return kind, payload
            else:
                raise ValueError(f"unknown frame {kind!r}")

    def _receive(self, most: int) -> tuple[bytes, bytes]:
        assert self._process.stdout is not None
        header = self._process.stdout.read(HEADER.size)
        if len(header) < HEADER.size:
            raise OSError("the process ended")
        kind, size = HEADER.unpack(header)
        if size > most:
            raise ValueError(f"frame of {size} bytes")
        payload = self._process.stdout.read(size)
        if len(payload) < size:
            raise OSError("the process ended")
        return kind, payload

    def _set_alarm(self, seconds: float, answered: threading.Event) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
        self._allowed = seconds
        self._alarm = threading.Timer(seconds, self._stop_overdue, (answered,))
        self._alarm.daemon = True
        self._alarm.start()

    def _stop_overdue(self, answered: threading.Event) -> None:
        # The worker watches the same deadline and is believed when it answers in time; so is one
        # that finished while this process was suspended.
        if not answered.wait(GRACE_SECONDS if FORKS else 0):
            self.overdue = True
            self.kill()

    def _result(self, name: str, limits: ParseLimits, kind: bytes, payload: bytes) -> Parsed:
        try:
            if kind == ANSWER:
                return msgspec.msgpack.decode(payload, type=Parsed)
            if kind == FAILED:
                failure = msgspec.msgpack.decode(payload, type=Failure)
                raise document_error(failure.code, failure.message)
            ended = msgspec.msgpack.decode(payload, type=Ended)
        except msgspec.MsgspecError as exc:
            raise _garbled(name, str(exc)) from exc
        raise self._ended_error(name, limits, ended)

    def _ended_error(self, name: str, limits: ParseLimits, ended: Ended) -> DocumentError:
        timed_out = ended.reason == "timeout"
        if timed_out or (sys.platform != "win32" and ended.exitcode == -signal.SIGXCPU):
            return self._timed_out(name)
        if ended.reason == "oversize":
            return TooLarge(
                f"{name}: its parsed form takes more than the {limits.answer_bytes:,} bytes "
                "allowed; raise answer_bytes or split the document"
            )
        if ended.reason == "garbled":
            return _garbled(name, "not a frame")
        tail = self._last_words()
        if ended.reason == "memory" or any(sign in tail for sign in MEMORY_SIGNS):
            words = f" ({tail})" if tail else ""
            return OutOfMemory(
                f"{name}: needs more than the {limits.memory_bytes:,} bytes of memory allowed"
                f"{words}; raise memory_bytes or split the document"
            )
        return _crash(name, ended.exitcode, tail)

    def lost_error(self, name: str, detail: str) -> DocumentError:
        """Why the document being asked for failed, after ``WorkerLost``."""
        if self.overdue:
            return self._timed_out(name)
        with contextlib.suppress(subprocess.TimeoutExpired):
            return _crash(name, self._process.wait(1), self._last_words())
        return WorkerDied(f"{name}: lost the parsing process ({detail}); parse it again")

    def _timed_out(self, name: str) -> TimedOut:
        return TimedOut(
            f"{name}: parsing took longer than the {self._allowed:g} seconds allowed and was "
            "stopped; raise base_seconds or seconds_per_page, or split the document"
        )

    def _last_words(self) -> str:
        """The last line that native code printed before the end."""
        size = self._stderr.seek(0, os.SEEK_END)
        self._stderr.seek(max(0, size - 4096))
        lines = self._stderr.read().decode("utf-8", "replace").split("\n")
        return next((line.strip()[:300] for line in reversed(lines) if line.strip()), "")

    def kill(self) -> None:
        """End the worker and what it is parsing; any thread may call this."""
        self.dead = True
        child = self._child
        if child is not None and FORKS:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(child, signal.SIGKILL)
        self._process.kill()

    def dispose(self) -> None:
        """End the worker, wait for it, close what connects to it and remove what it wrote."""
        self.kill()
        self._process.wait()
        shutil.rmtree(self._scratch, ignore_errors=True)
        for stream in (self._process.stdin, self._process.stdout, self._stderr):
            if stream is not None:
                stream.close()


def _empty(folder: str) -> None:
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path, ignore_errors=True)
            else:
                os.unlink(entry.path)


def _crash(name: str, exitcode: int, tail: str) -> WorkerDied:
    how = f"exit code {exitcode}"
    if exitcode < 0:
        with contextlib.suppress(ValueError):
            how = signal.Signals(-exitcode).name
    words = f": {tail}" if tail else ""
    return WorkerDied(
        f"{name}: the parsing process ended without an answer ({how}{words}); "
        "try a copy saved anew by the program that made it"
    )


def _garbled(name: str, detail: str) -> WorkerDied:
    return WorkerDied(
        f"{name}: the parsing process gave an answer that cannot be read ({detail}); "
        "the document is likely to have damaged it"
    )
