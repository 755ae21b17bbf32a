"""Limits that a parsing process puts on itself before it touches a document."""

from __future__ import annotations

import contextlib
import math
import os
import sys
from pathlib import Path

from chapterverse.ingest.sniff import is_pdf
from chapterverse.schema.errors import FileMissing, FileUnreadable, TooLarge
from chapterverse.schema.parse_limits import ParseLimits

__all__ = ["allow_recognition", "apply_limits", "estimate_pages", "limit_cpu", "read_source"]

SCRATCH_BYTES = 16 << 20
"""A parsing process may write files of this size, and attachments as large as documents may be."""

BYTES_PER_PAGE = 20_000
"""Where pages cannot be counted, this many bytes are allowed the time of one page."""


def apply_limits(limits: ParseLimits) -> None:
    """Bound memory, CPU time, core dumps and written files of this process, for good.

    The address space is bounded on Linux only (macOS ignores that limit). Does nothing on
    platforms without ``resource``, such as Windows.
    """
    if sys.platform == "win32":
        return
    import resource

    if sys.platform == "linux":
        # Let the kernel's choice under memory pressure fall on this process, never on the user's.
        with contextlib.suppress(OSError):
            Path("/proc/self/oom_score_adj").write_text("1000")
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        held = pages * resource.getpagesize()
        most = max(limits.memory_bytes, limits.ocr_memory_bytes)
        _lower(resource.RLIMIT_AS, held + limits.memory_bytes, held + most)
    _lower(resource.RLIMIT_CORE, 0, 0)
    written = max(SCRATCH_BYTES, limits.max_bytes)
    _lower(resource.RLIMIT_FSIZE, written, written)
    limit_cpu(limits.seconds(0), limits.longest)


def allow_recognition() -> None:
    """Raise the bound of memory to what text recognition may use."""
    if sys.platform != "linux":
        return
    import resource

    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))


def limit_cpu(seconds: float, most: float | None = None) -> None:
    """End this process by SIGXCPU after *seconds* of work on every core.

    The wall clock is watched from outside; this stops a process whose watchers are gone or
    suspended. *most*, given once, is the bound that later calls may not exceed.
    """
    if sys.platform == "win32":
        return
    import resource

    cores = os.cpu_count() or 1
    soft = math.ceil(seconds * cores) + 1
    hard = math.ceil((most or seconds) * cores) + 5
    if most is None:
        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    _lower(resource.RLIMIT_CPU, soft, hard)


def _lower(kind: int, soft: int, hard: int) -> None:
    import resource

    ceiling = resource.getrlimit(kind)[1]
    if ceiling != resource.RLIM_INFINITY:
        hard = ceiling if hard == resource.RLIM_INFINITY else min(hard, ceiling)
    if hard != resource.RLIM_INFINITY:
        soft = min(soft, hard)
    resource.setrlimit(kind, (soft, hard))


def read_source(path: Path, name: str, max_bytes: int) -> bytes:
    """The bytes of the file at *path*, called *name* in errors.

    :raises FileMissing: when there is none.
    :raises FileUnreadable: when the system refuses to read it.
    :raises TooLarge: when it holds more than *max_bytes*.
    """
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            data = file.read(max_bytes + 1) if size <= max_bytes else b""
    except FileNotFoundError as exc:
        raise FileMissing(f"{name}: there is no such file; check the path") from exc
    except OSError as exc:
        if path.is_dir():
            raise FileUnreadable(f"{name}: is a folder; name one of its files") from exc
        raise FileUnreadable(
            f"{name}: cannot be read ({exc.strerror}); check its permissions"
        ) from exc
    if size > max_bytes or len(data) > max_bytes:
        raise TooLarge(
            f"{name}: holds {max(size, len(data)):,} bytes, {max_bytes:,} are allowed; "
            "raise max_bytes or split the file"
        )
    return data


def estimate_pages(data: bytes, password: str | None) -> int:
    """Pages of a PDF as it states them (0 when it cannot be opened), else a guess from its size."""
    if not is_pdf(data):
        return len(data) // BYTES_PER_PAGE + 1
    import pypdfium2

    try:
        with pypdfium2.PdfDocument(data, password=password) as document:
            return len(document)
    except pypdfium2.PdfiumError:
        return 0
