"""Reading one file through the real parsing process, without a knowledge base."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from chapterverse.ingest.pool import ParseJob, ParsePool
from chapterverse.ingest.snapshot import Blobs
from chapterverse.schema.errors import DocumentError
from chapterverse.schema.parse_limits import ParseLimits
from chapterverse.schema.records import Parsed

__all__ = ["Inspection", "inspect_file"]


@dataclass(frozen=True, slots=True)
class Inspection:
    """What became of a file: ``parsed`` or ``error``.

    ``wall_seconds`` and ``cpu_seconds`` (``None`` where it is not measured: Windows) count the
    start of the parsing process too. Pictures lie in ``blobs``.
    """

    path: Path
    parsed: Parsed | None
    error: DocumentError | None
    wall_seconds: float
    cpu_seconds: float | None
    blobs: Blobs


@contextmanager
def inspect_file(
    path: Path, limits: ParseLimits, *, password: str | None = None
) -> Iterator[Inspection]:
    """Read the file at *path* in a process of its own; pictures are kept until the block ends."""
    with tempfile.TemporaryDirectory(prefix="chapterverse-") as scratch:
        blobs, ocr_cache = Path(scratch, "blobs"), Path(scratch, "ocr")
        blobs.mkdir()
        ocr_cache.mkdir()
        wall, cpu = time.perf_counter(), _children_cpu()
        with ParsePool(limits, blobs=blobs, ocr_cache=ocr_cache) as pool:
            (outcome,) = pool.parse([ParseJob(path, path.name, password)])
            wall = time.perf_counter() - wall
        ended = _children_cpu()
        spent = None if cpu is None or ended is None else ended - cpu
        yield Inspection(path, outcome.parsed, outcome.error, wall, spent, Blobs(blobs))


def _children_cpu() -> float | None:
    """Processor seconds of all processes started here that have ended."""
    if sys.platform == "win32":
        return None
    import resource

    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
