"""Readers that behave and misbehave as their input says; run inside parsing processes only."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Callable

from chapterverse.ingest.context import ReadContext
from chapterverse.schema.errors import Encrypted
from chapterverse.schema.records import Asset, AssetKind, Box, Parsed, Region

__all__ = ["read"]


def parsed(text: str) -> Parsed:
    region = Region(0, len(text), page=1, box=Box(0.1, 0.2, 0.3, 0.4))
    asset = Asset(0, AssetKind.PARAGRAPH, text, (region,))
    return Parsed("text/plain", "fake/1", (asset,), page_count=1, page_accuracy="exact")


def read(data: bytes, context: ReadContext) -> Parsed:
    """Do what the first word of *data* says, with the rest as argument."""
    word, _, rest = data.decode().partition(" ")
    act = ACTS.get(word)
    return (
        act(rest)
        if act
        else parsed(f"{context.name}|{context.password}|{context.max_pages}|{data.decode()}")
    )


def _encrypted(rest: str) -> Parsed:
    raise Encrypted(rest)


def _bug(rest: str) -> Parsed:
    raise KeyError(rest)


def _signal(rest: str) -> Parsed:
    os.kill(os.getpid(), signal.Signals[rest])
    return _loop(rest)


def _null(rest: str) -> Parsed:
    return parsed(str(ctypes.string_at(0)))


def _abort(rest: str) -> Parsed:
    os.write(2, rest.encode() + b"\n")
    os.abort()


def _exit(rest: str) -> Parsed:
    sys.exit(rest)


def _loop(rest: str) -> Parsed:
    while True:
        pass


def _leave(rest: str) -> Parsed:
    with open(os.path.join(tempfile.mkdtemp(), "part"), "wb") as file:
        file.write(b"half")
    return _loop(rest)


def _sleep(rest: str) -> Parsed:
    time.sleep(float(rest))
    return parsed(f"slept {rest}")


def _allocate(rest: str) -> Parsed:
    return parsed(str(len(bytearray(int(rest)))))


def _fill(rest: str) -> Parsed:
    kept = b"x" * int(rest)
    os.abort()
    return parsed(str(len(kept)))


def _many_small(rest: str) -> Parsed:
    kept: list[list[int]] = []
    while True:
        kept.append([0] * 64)


def _print(rest: str) -> Parsed:
    print("A\x00\x00\x00\x01 garbage", flush=True)
    os.write(1, b"E\xff\xff\xff\xff" * 1000)
    os.write(2, b"noise\n" * 1000)
    return parsed("printed")


def _huge(rest: str) -> Parsed:
    return parsed("x" * int(rest))


def _forge(rest: str) -> Parsed:
    # The only pipe a child holds is that of its own answer.
    for descriptor in range(3, 64):
        try:
            os.write(descriptor, rest.encode())
        except OSError:
            continue
    return _sleep("60")


def _pipes(rest: str) -> Parsed:
    found = []
    for descriptor in range(64):
        try:
            found.append(os.readlink(f"/proc/self/fd/{descriptor}"))
        except OSError:
            continue
    return parsed(str(sum(target.startswith("pipe:") for target in found)))


def _warn(rest: str) -> Parsed:
    warnings.warn(rest, ResourceWarning, stacklevel=1)
    return parsed("warned")


def _kill_parent(rest: str) -> Parsed:
    os.kill(os.getppid(), signal.SIGKILL)
    return _sleep("60")


def _write(rest: str) -> Parsed:
    with open(rest, "wb") as file:
        for _ in range(256):
            file.write(bytes(1 << 20))
    return parsed("written")


def _grandchild(rest: str) -> Parsed:
    if os.fork() == 0:
        time.sleep(60)
        os._exit(0)
    return parsed("born")


def _wrong(rest: str) -> Parsed:
    return rest  # type: ignore[return-value]


def _surrogate(rest: str) -> Parsed:
    raise Encrypted("caf\udce9")


def _world(rest: str) -> Parsed:
    heavy = {"numpy", "sqlalchemy", "torch", "tantivy", "chromadb", "onnxruntime", "pydantic"}
    threads = len(os.listdir(f"/proc/{os.getppid()}/task"))
    return parsed(f"{os.getppid()} {threads} {sorted(heavy & set(sys.modules))}")


ACTS: dict[str, Callable[[str], Parsed]] = {
    "encrypted": _encrypted,
    "bug": _bug,
    "signal": _signal,
    "null": _null,
    "abort": _abort,
    "exit": _exit,
    "loop": _loop,
    "leave": _leave,
    "sleep": _sleep,
    "allocate": _allocate,
    "fill": _fill,
    "many": _many_small,
    "print": _print,
    "huge": _huge,
    "forge": _forge,
    "pipes": _pipes,
    "warn": _warn,
    "kill-parent": _kill_parent,
    "write": _write,
    "grandchild": _grandchild,
    "wrong": _wrong,
    "surrogate": _surrogate,
    "world": _world,
}
