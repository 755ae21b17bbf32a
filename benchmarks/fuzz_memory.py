"""Resident memory of this process and of its parsing processes (Linux)."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

__all__ = ["resident_mib", "worker_ids"]


def resident_mib(process: int | None = None) -> float:
    """MiB that a process holds; this one when none is named."""
    pages = int(Path(f"/proc/{process or 'self'}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


def worker_ids() -> list[int]:
    """The process ids of the children of this process, whichever thread started them."""
    found: list[int] = []
    for task in Path("/proc/self/task").iterdir():
        # A thread may end while the others are looked at.
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            found += map(int, (task / "children").read_text().split())
    return sorted(found)
