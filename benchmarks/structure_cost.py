"""What reading PDFs costs: beside PDFium's plain text, with a second process, with recognition."""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

from chapterverse.ingest.pool import ParseJob, ParseOutcome, ParsePool
from chapterverse.schema.parse_limits import ParseLimits
from chapterverse.schema.settings import load_settings

__all__ = ["Cost", "costs"]

SETS = ("financebench", "mmlongbench", "zh_pdf")
SAMPLE, TURNS = 12, 3
SCANS = ("scan_four_rotations.pdf", "zh_scan_annual.pdf", "no_tounicode_cid.pdf")


@dataclass(frozen=True, slots=True)
class Cost:
    """One measured number, with the most (or the least) it should be where there is such."""

    what: str
    value: float
    unit: str
    most: float | None = None
    least: float | None = None

    def line(self) -> str:
        """The figure as a row of the printed table."""
        aim, met = "", ""
        if self.most is not None:
            aim, met = f"at most {self.most:g}", "ok" if self.value <= self.most else "MISSED"
        if self.least is not None:
            aim, met = f"at least {self.least:g}", "ok" if self.value >= self.least else "MISSED"
        return f"{self.what:<58} {self.value:>9.2f} {self.unit:<12} {aim:<14} {met}"


def costs(data: Path, *, every: bool) -> Iterator[Cost]:
    """All figures, over twelve PDFs of the sets in *data*, or over *every* one of them."""
    pdfs = sample(data, None if every else SAMPLE)
    if pdfs:
        yield from _text(pdfs)
    else:
        print(f"No PDFs in {', '.join(SETS)} of {data}: cost not measured.", file=sys.stderr)
    scans = [path for name in SCANS if (path := data / "structure" / "files" / name).exists()]
    if scans:
        yield from _recognition(scans)


def sample(data: Path, count: int | None) -> list[Path]:
    """As many PDFs of each set (of *count* in all), evenly spaced by size; all for ``None``."""
    found: list[Path] = []
    for name in SETS:
        paths = sorted(
            (data / name / "pdfs").glob("*.pdf"), key=lambda path: (path.stat().st_size, path.name)
        )
        if count is not None and paths:
            wanted = count // len(SETS)
            # The middles of so many equal parts: neither the smallest nor the largest.
            paths = [paths[(2 * i + 1) * len(paths) // (2 * wanted)] for i in range(wanted)]
        found += paths
    return found


def _text(pdfs: Sequence[Path]) -> Iterator[Cost]:
    limits = replace(load_settings().parse_limits, ocr_pages=0, max_pages=100_000)
    # By turns, since the speed of a shared machine changes from minute to minute.
    turns = [_turn(pdfs, limits) for _ in range(TURNS)]
    pages = turns[0].pages
    plain = 1000 * median(turn.plain for turn in turns) / pages
    yield Cost(f"{len(pdfs)} PDFs, {pages} pages: PDFium's text", plain, "cpu ms/page")
    assets = 1000 * median(turn.one.cpu for turn in turns) / pages
    yield Cost("to assets, without recognition", assets, "cpu ms/page")
    ratio = median(turn.one.cpu / turn.plain for turn in turns)
    yield Cost("to assets / PDFium's text, processor time", ratio, "", most=6)
    one, two = (min(t.one.wall for t in turns), min(t.two.wall for t in turns))
    yield Cost("1 process, wall, best", one, "s")
    yield Cost("2 processes, wall, best", two, "s")
    yield Cost(f"2 processes / 1 ({_cores()} cores)", one / two, "", least=1.7)


def _turn(pdfs: Sequence[Path], limits: ParseLimits) -> _Turn:
    before, pages = _plain_text(pdfs)
    one = _Run.of(pdfs, replace(limits, processes=1))
    after, _ = _plain_text(pdfs)
    return _Turn(pages, (before + after) / 2, one, _Run.of(pdfs, replace(limits, processes=2)))


def _recognition(scans: Sequence[Path]) -> Iterator[Cost]:
    limits = replace(load_settings().parse_limits, processes=1)
    run = _Run.of(scans, limits)
    reads = [page for outcome in run.outcomes for page in _reads(outcome)]
    yield Cost(f"pages recognised, of {len(scans)} files", len(reads), "")
    if reads:
        yield Cost("recognised, one process, wall", 60 * len(reads) / run.wall, "pages/min")
        yield Cost("recognised, processor time", run.cpu / len(reads), "cpu s/page")


def _reads(outcome: ParseOutcome) -> list[int]:
    reads = outcome.parsed.page_reads if outcome.parsed else ()
    return [read.page for read in reads if read.source == "ocr"]


def _plain_text(pdfs: Sequence[Path]) -> tuple[float, int]:
    """Processor seconds that PDFium takes for the text of *pdfs*, and their pages."""
    import pypdfium2

    pages = 0
    started = time.process_time()
    for path in pdfs:
        with pypdfium2.PdfDocument(path) as document:
            for page in document:
                text = page.get_textpage()
                text.get_text_range()
                text.close()
                page.close()
            pages += len(document)
    return time.process_time() - started, pages


@dataclass(frozen=True, slots=True)
class _Run:
    """Parsing of some files: its outcomes, and seconds with the start of the processes."""

    outcomes: tuple[ParseOutcome, ...]
    wall: float
    cpu: float

    @classmethod
    def of(cls, files: Sequence[Path], limits: ParseLimits) -> _Run:
        # The largest first, so that no process waits long for the last of the other.
        files = sorted(files, key=lambda path: -path.stat().st_size)
        before, started = _ended_children(), time.perf_counter()
        with (
            tempfile.TemporaryDirectory() as kept,
            ParsePool(limits, blobs=Path(kept, "blobs"), ocr_cache=Path(kept, "ocr")) as pool,
        ):
            outcomes = tuple(pool.parse(ParseJob(path, path.name) for path in files))
        wall = time.perf_counter() - started
        for outcome in outcomes:
            if outcome.error is not None:
                print(f"{outcome.job.name}: {outcome.error}", file=sys.stderr)
        return cls(outcomes, wall, _ended_children() - before)


@dataclass(frozen=True, slots=True)
class _Turn:
    """Processor seconds of PDFium's text (before and after), one process and two, in a row."""

    pages: int
    plain: float
    one: _Run
    two: _Run


def _ended_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
