"""Cold start of the command line, and text of a PDF beside PDFium's own."""

from __future__ import annotations

import statistics
import sys
import time
from pathlib import Path

from speed_data import Corpus
from speed_report import Figure, run_cpu

from chapterverse import KnowledgeBase
from chapterverse.engine.e5_onnx import GRAPH_FILE
from chapterverse.engine.model_cache import cache_folder
from chapterverse.ingest.context import ReadContext
from chapterverse.ingest.readers import read

__all__ = ["cold_start", "pdf_text"]

_BARE = """
import sys
from onnxruntime import InferenceSession, SessionOptions
options = SessionOptions()
options.intra_op_num_threads = options.inter_op_num_threads = 1
options.log_severity_level = 3
InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"])
"""
_OURS = "import sys; from chapterverse.engine.cli import main; sys.exit(main(sys.argv[1:]))"


def cold_start(work: Path, rounds: int) -> list[Figure]:
    """``chapterverse search`` with the real model beside Python that only opens its session."""
    base = work / "start"
    with KnowledgeBase.open(base) as kb:
        kb.ingest_texts(list(Corpus().documents(100)))
        model = cache_folder() / kb._session.embedder.fingerprint.replace(":", "-") / GRAPH_FILE
    commands = {
        "bare": [sys.executable, "-c", _BARE, str(model)],
        "ours": [sys.executable, "-c", _OURS, "search", "oil of the pump", "--kb", str(base)],
    }
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
    for _ in range(rounds + 1):
        for name, command in commands.items():
            taken[name].append(run_cpu(command))
    middle = {
        name: tuple(map(statistics.median, zip(*times[1:], strict=True)))
        for name, times in taken.items()
    }
    (bare_wall, bare_cpu), (wall, cpu) = middle["bare"], middle["ours"]
    return [
        Figure("start: Python and the ONNX session alone, wall", bare_wall, "s"),
        Figure("start: chapterverse search, wall", wall, "s"),
        Figure("start: wall, search / session alone", wall / bare_wall, "", 1.5),
        Figure("start: processor time, search / session alone", cpu / bare_cpu, "", 1.5),
    ]


def pdf_text(folder: Path, files: int) -> list[Figure]:
    """Reading the smallest *files* PDFs of *folder* to assets beside PDFium's plain text."""
    import pypdfium2

    ours = plain = 0.0
    pages = 0
    for path in sorted(folder.glob("*.pdf"), key=lambda path: path.stat().st_size)[:files]:
        started = time.process_time()
        document = pypdfium2.PdfDocument(path)
        for page in document:
            page.get_textpage().get_text_range()
        pages += len(document)
        plain += time.process_time() - started
        started = time.process_time()
        read(path.read_bytes(), ReadContext(name=path.name, max_pages=10_000))
        ours += time.process_time() - started
    return [
        Figure("PDF: PDFium's text", 1000 * plain / pages, "cpu ms/page"),
        Figure("PDF: to assets with boxes", 1000 * ours / pages, "cpu ms/page"),
        Figure("PDF: to assets / PDFium's text", ours / plain, ""),
    ]
