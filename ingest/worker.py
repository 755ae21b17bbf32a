"""The parsing process: forks one short-lived child for each document it is asked to read.

Started by :mod:`chapterverse.ingest.pool`, never imported for its effect. It answers each
request on standard input with frames of a kind, a length and a payload:

- ``STARTED`` with the child's process id, when the time of the document begins to count,
- ``BUDGET`` with the seconds allowed from then on, once its pages are known,
- and last one of ``ANSWER`` (a ``Parsed``), ``FAILED`` (a :class:`Failure`) or ``ENDED``
  (an :class:`Ended`: the child gave no answer).

Only the child reads the document; this process looks at its first bytes, to guess which reader to
load. It stays single-threaded so that forking is safe, and ends when its parent does.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import select
import shutil
import signal
import struct
import sys
import time
from pathlib import Path
from typing import Literal, NoReturn

import msgspec

from chapterverse.ingest.limits import apply_limits, limit_cpu
from chapterverse.ingest.worker_answer import ANSWER, FAILED, READERS, Request, answer, decode_text
from chapterverse.schema.parse_limits import ParseLimits

__all__ = [
    "BUDGET",
    "ENDED",
    "HEADER",
    "STARTED",
    "Ended",
    "main",
    "send_frame",
    "write_all",
]

STARTED, BUDGET, ENDED = b"S", b"B", b"E"

HEADER = struct.Struct("<cI")
"""Kind and payload length of a frame."""

HEARTBEAT_SECONDS = 2.0
"""How often an idle process looks whether its parent still lives (end of input tells sooner)."""

READ_BYTES = 1 << 20

_COLLECT = (50_000, 20, 100)
"""New objects, and younger collections, after which a child looks for garbage."""

_FULL = 0.7
"""A child that held so much of its memory and was ended by native code most likely lacked more."""

Reason = Literal["exit", "memory", "timeout", "oversize", "garbled"]


class Ended(msgspec.Struct, frozen=True):
    """A child that gave no answer: its exit code (negative: the signal), and why it ended.

    ``oversize`` says that its answer was longer than allowed, ``garbled`` that it was none,
    ``memory`` that it was cut off when it held most of what it may.
    """

    exitcode: int
    reason: Reason


class _ParentGone(Exception):
    """Nobody is left to answer to."""


def main() -> None:
    """Serve until the parent closes its end or is gone: ``worker SCRATCH PARENT_PID fork|once``.

    ``once`` reads one document in this very process and ends: for platforms without ``fork``.
    The folder SCRATCH, for temporary files, is removed when the parent is gone.
    """
    scratch, parent, mode = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    # Ctrl-C reaches the whole foreground group; the parent alone decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform != "win32":
        # A parent that ignores this signal would take away the status of the children.
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    requests, answers = _private_streams()
    with contextlib.suppress(_ParentGone, BrokenPipeError):
        if mode == "once":
            _serve_once(requests, answers)
        else:
            _serve(requests, answers, parent)
    shutil.rmtree(scratch, ignore_errors=True)


def _private_streams() -> tuple[int, int]:
    """Move the protocol off descriptors 0 and 1, where prints of native code would break it."""
    requests, answers = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    os.close(null)
    return requests, answers


def _serve(requests: int, answers: int, parent: int) -> None:
    while True:
        _await_request(requests, parent)
        request = _read_request(requests)
        _preload(request)
        pid, results = _fork_child(request, (requests, answers))
        try:
            send_frame(answers, STARTED, msgspec.msgpack.encode(pid))
            kind, payload, reason = _watch(results, requests, answers, request.limits)
        finally:
            os.close(results)
            _kill_group(pid)
            _, status, used = os.wait4(pid, 0)
        if kind == ENDED:
            code = os.waitstatus_to_exitcode(status)
            if reason == "exit" and _lacked_memory(code, used.ru_maxrss, request.limits):
                reason = "memory"
            ended = Ended(code, reason)
            payload = msgspec.msgpack.encode(ended)
        send_frame(answers, kind, payload)


def _serve_once(requests: int, answers: int) -> None:
    request = _read_request(requests)
    send_frame(answers, STARTED, msgspec.msgpack.encode(os.getpid()))
    kind, payload = answer(
        request, lambda seconds: send_frame(answers, BUDGET, msgspec.msgpack.encode(seconds))
    )
    send_frame(answers, kind, payload)


def _await_request(requests: int, parent: int) -> None:
    poll = select.poll()
    poll.register(requests, select.POLLIN)
    # The other end stays open when the parent had forked children of its own: ask who it is.
    while not poll.poll(HEARTBEAT_SECONDS * 1000):
        if os.getppid() != parent:
            raise _ParentGone


def _read_request(requests: int) -> Request:
    size = int.from_bytes(_read_exactly(requests, 4), "little")
    return msgspec.msgpack.decode(_read_exactly(requests, size), type=Request)


def _read_exactly(source: int, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        chunk = os.read(source, size - len(data))
        if not chunk:
            raise _ParentGone
        data += chunk
    return bytes(data)


def send_frame(target: int, kind: bytes, payload: bytes) -> None:
    """Write *payload* with its header in front to the descriptor *target*."""
    write_all(target, HEADER.pack(kind, len(payload)))
    write_all(target, payload)


def write_all(target: int, data: bytes) -> None:
    """Write *data* whole to the descriptor *target*."""
    view = memoryview(data)
    while view:
        view = view[os.write(target, view) :]


def _preload(request: Request) -> None:
    """Import what this kind of document needs, so that later children are born with it.

    A wrong guess costs time only, and an import that fails is reported by the child.
    """
    with contextlib.suppress(Exception):
        module = request.reader.partition(":")[0]
        importlib.import_module(module)
        if module == READERS:
            from chapterverse.ingest.preload import preload

            preload(_guess_media_type(request))
    # Objects that live on are left out of collections, which would copy their pages.
    gc.freeze()


def _guess_media_type(request: Request) -> str:
    from chapterverse.ingest.preload import guess

    with open(decode_text(request.path), "rb") as file:
        return guess(file.read(1024), decode_text(request.name))


def _fork_child(request: Request, private: tuple[int, int]) -> tuple[int, int]:
    """Process id of a child that reads the document, and the descriptor of its answer."""
    zygote = os.getpid()
    results, results_in = os.pipe()
    pid = os.fork()
    if pid == 0:
        for descriptor in (*private, results):
            os.close(descriptor)
        _run_child(request, results_in, zygote)
    os.close(results_in)
    # Both sides do this, since either may come first.
    with contextlib.suppress(OSError):
        os.setpgid(pid, pid)
    return pid, results


def _run_child(request: Request, results: int, zygote: int) -> NoReturn:
    try:
        os.setpgid(0, 0)
        _die_with(zygote)
        apply_limits(request.limits)
        # What a reader makes is kept until it ends, mostly: looking for garbage finds none.
        gc.set_threshold(*_COLLECT)

        def budget(seconds: float) -> None:
            limit_cpu(seconds)
            send_frame(results, BUDGET, msgspec.msgpack.encode(seconds))

        kind, payload = answer(request, budget)
        send_frame(results, kind, payload)
    finally:
        # No clean-up that belongs to the process this one was copied from.
        os._exit(0)


def _die_with(zygote: int) -> None:
    if sys.platform != "linux":
        return
    import ctypes

    set_parent_death_signal = 1
    ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL)
    if os.getppid() != zygote:
        os._exit(1)


def _kill_group(pid: int) -> None:
    # The child is not waited for yet, so the number cannot belong to anybody else.
    for kill in (os.killpg, os.kill):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            kill(pid, signal.SIGKILL)


def _watch(
    results: int, requests: int, answers: int, limits: ParseLimits
) -> tuple[bytes, bytes, Reason]:
    """The child's first answer, or ``ENDED`` and the reason why there is none."""
    start = time.monotonic()
    deadline = start + limits.seconds(0)
    poll = select.poll()
    poll.register(results, select.POLLIN)
    poll.register(requests, select.POLLIN)
    buffer = bytearray()
    while (left := deadline - time.monotonic()) > 0:
        ready = [descriptor for descriptor, _ in poll.poll(min(left, 3600) * 1000)]
        # Nothing is asked before the last answer: this can only be the end of input.
        if requests in ready:
            raise _ParentGone
        if results not in ready:
            continue
        chunk = os.read(results, READ_BYTES)
        if not chunk:
            return ENDED, b"", "exit"
        buffer += chunk
        while (header := _header(buffer)) is not None:
            kind, size = header
            if kind not in (BUDGET, ANSWER, FAILED):
                return ENDED, b"", "garbled"
            if size > limits.answer_bytes:
                return ENDED, b"", "oversize"
            if len(buffer) < HEADER.size + size:
                break
            payload = bytes(memoryview(buffer)[HEADER.size : HEADER.size + size])
            if kind != BUDGET:
                return kind, payload, "exit"
            del buffer[: HEADER.size + size]
            seconds = min(_seconds(payload), limits.longest)
            deadline = start + seconds
            send_frame(answers, BUDGET, msgspec.msgpack.encode(seconds))
    return ENDED, b"", "timeout"


def _lacked_memory(exitcode: int, peak: int, limits: ParseLimits) -> bool:
    """Whether native code ended a child of this *peak* (in KiB), for it says nothing of why."""
    # Memory is bounded on Linux alone.
    if sys.platform != "linux":
        return False
    aborts = (signal.SIGABRT, signal.SIGTRAP, signal.SIGILL, signal.SIGSEGV, signal.SIGBUS)
    born = int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return -exitcode in aborts and peak * 1024 - born > limits.memory_bytes * _FULL


def _header(buffer: bytearray) -> tuple[bytes, int] | None:
    return HEADER.unpack_from(buffer) if len(buffer) >= HEADER.size else None


def _seconds(payload: bytes) -> float:
    with contextlib.suppress(msgspec.MsgspecError):
        return msgspec.msgpack.decode(payload, type=float)
    return 0.0
