"""Reading one file through the real parsing process, without a knowledge base."""

from __future__ import annotations

import base64
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from chapterverse.engine.inspect_html import inspection_html
from chapterverse.engine.inspect_pages import MOST_PAGES
from chapterverse.ingest.media_types import JPEG, PDF, PNG, TIFF, WEBP
from chapterverse.ingest.pool import ParseJob, ParseOutcome, ParsePool
from chapterverse.ingest.snapshot import Blobs
from chapterverse.schema.errors import DocumentError
from chapterverse.schema.parse_limits import ParseLimits
from chapterverse.schema.records import Parsed, Picture

__all__ = ["Inspection", "inspect_file"]

_DRAWN = {PDF, PNG, JPEG, TIFF, WEBP}
_SHOWN = {PNG, JPEG, WEBP, "image/gif"}
_MOST_BYTES = 8 << 20


@dataclass(frozen=True, slots=True)
class Inspection:
    """What became of a file: ``parsed`` or ``error``.

    ``wall_seconds`` and ``cpu_seconds`` (``None`` where it is not measured: Windows) count the
    start of the parsing process too. Pictures lie in ``blobs``.
    """

    path: Path
    password: str | None
    limits: ParseLimits
    blobs: Blobs
    parsed: Parsed | None
    error: DocumentError | None
    wall_seconds: float
    cpu_seconds: float | None

    def write_html(self, target: Path) -> None:
        """Write *target*, one page that shows all that was read; nothing where that failed.

        Pages of PDFs and pictures are drawn, at most ``MOST_PAGES`` of them.

        :raises OSError: it cannot be written.
        """
        if self.parsed is None:
            return
        drawn, notes = self._draw(self.parsed)
        with target.open("w", encoding="utf-8", errors="replace", newline="\n") as file:
            file.writelines(
                inspection_html(self.path.name, self.parsed, drawn, self._source, notes)
            )

    def _draw(self, parsed: Parsed) -> tuple[dict[int, Picture], list[str]]:
        """Pictures of the pages by number, and what to say about those that are missing."""
        if parsed.media_type not in _DRAWN:
            return {}, []
        reader = "chapterverse.engine.inspect_pages:draw_pages"
        outcome = _parse(self.path, self.password, self.limits, self.blobs.folder, reader)
        if outcome.parsed is None:
            return {}, [f"The pages could not be drawn: {outcome.error}"]
        drawn = {
            asset.regions[0].page or 0: asset.picture
            for asset in outcome.parsed.assets
            if asset.picture is not None
        }
        if (parsed.page_count or 0) > len(drawn) == MOST_PAGES:
            return drawn, [f"Only the first {MOST_PAGES} of {parsed.page_count} pages are drawn."]
        return drawn, []

    def _source(self, picture: Picture) -> str | None:
        path = self.blobs.path(picture.sha256)
        if picture.media_type not in _SHOWN or not path.is_file():
            return None
        if path.stat().st_size > _MOST_BYTES:
            return None
        data = base64.b64encode(path.read_bytes()).decode("ascii")
        return f"data:{picture.media_type};base64,{data}"


@contextmanager
def inspect_file(
    path: Path, limits: ParseLimits, *, password: str | None = None
) -> Iterator[Inspection]:
    """Read the file at *path* in a process of its own; pictures are kept until the block ends."""
    with tempfile.TemporaryDirectory(prefix="chapterverse-") as scratch:
        blobs = Path(scratch, "blobs")
        wall, cpu = time.perf_counter(), _children_cpu()
        outcome = _parse(path, password, limits, blobs)
        wall, ended = time.perf_counter() - wall, _children_cpu()
        yield Inspection(
            path=path,
            password=password,
            limits=limits,
            blobs=Blobs(blobs),
            parsed=outcome.parsed,
            error=outcome.error,
            wall_seconds=wall,
            cpu_seconds=None if cpu is None or ended is None else ended - cpu,
        )


def _parse(
    path: Path,
    password: str | None,
    limits: ParseLimits,
    blobs: Path,
    reader: str = "chapterverse.ingest.readers:read",
) -> ParseOutcome:
    ocr_cache = blobs.with_name("ocr")
    with ParsePool(limits, reader=reader, blobs=blobs, ocr_cache=ocr_cache) as pool:
        (outcome,) = pool.parse([ParseJob(path, path.name, password)])
    return outcome


def _children_cpu() -> float | None:
    """Processor seconds of all processes started here that have ended."""
    if sys.platform == "win32":
        return None
    import resource

    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
