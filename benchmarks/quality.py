"""Retrieval quality on the evaluation sets, through the product as a user would run it.

    python benchmarks/quality.py --data DIR [--sets scifact zh_pdf] [--work DIR] [--out FILE]

Text sets are ingested as texts, one document each; PDF sets by ingesting the PDFs themselves and
judging pages. For a PDF set a passage stands for the pages of its matched children, best child
first. Prints nDCG@10, hit@1, hit@5 and recall@10 (means over questions, with the standard error
of nDCG) for keyword, dense and hybrid search, and writes the same as JSON.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import ir_measures
from ir_measures import R, Success, nDCG

from chapterverse import KnowledgeBase, Passage, TextSource

MEASURES = {"ndcg@10": nDCG @ 10, "hit@1": Success @ 1, "hit@5": Success @ 5, "recall@10": R @ 10}
MODES = ("keyword", "dense", "hybrid")
PASSAGES = 30
TEXT_SETS = ("scifact", "cranfield", "cmrc2018", "drcd", "dureader", "xquad_en", "xquad_zh")
SENTENCE_SETS = ("xquad_en_sentences", "xquad_zh_sentences")
PDF_SETS = ("zh_pdf", "mmlongbench", "financebench")


@dataclass(frozen=True, slots=True)
class Row:
    """Scores of one mode on one set."""

    set: str
    mode: str
    questions: int
    ndcg: float
    ndcg_error: float
    hit_1: float
    hit_5: float
    recall_10: float
    ms: float


def main() -> int:
    """Run the sets that were asked for."""
    known = (*TEXT_SETS, *SENTENCE_SETS, *PDF_SETS)
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the evaluation sets")
    parser.add_argument("--sets", nargs="+", default=known, choices=known)
    parser.add_argument("--modes", nargs="+", default=MODES, choices=MODES)
    parser.add_argument("--work", type=Path, help="keep the knowledge bases here for the next run")
    parser.add_argument("--out", type=Path, help="write the rows as JSON")
    parser.add_argument("--set", dest="settings", action="append", default=[], help="name=value")
    options = parser.parse_args()
    settings = dict(setting.split("=", 1) for setting in options.settings)
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as scratch:
        for name in options.sets:
            folder = options.data / name.removesuffix("_sentences")
            if not folder.is_dir():
                print(f"{name}: absent, there is no {folder}", file=sys.stderr)
                continue
            base = (options.work or Path(scratch)) / name
            with KnowledgeBase.open(base, **settings) as kb:
                started = time.perf_counter()
                ingest(kb, name, folder)
                print(f"{name}: ingested in {time.perf_counter() - started:.0f} s", file=sys.stderr)
                for mode in options.modes:
                    rows.append(evaluate(kb, name, folder, mode))
                    print(line(rows[-1]), flush=True)
    if options.out:
        options.out.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")
    return 0


def ingest(kb: KnowledgeBase, name: str, folder: Path) -> None:
    """Bring a set into *kb*; what is there already costs little."""
    if name in PDF_SETS:
        lines = (folder / "docs.jsonl").read_text(encoding="utf-8").splitlines()
        report = kb.ingest([(folder / json.loads(text)["pdf"]).resolve() for text in lines])
    else:
        corpus = "corpus_sentences" if name in SENTENCE_SETS else "corpus"
        report = kb.ingest_texts(texts(folder / f"{corpus}.jsonl.gz"))
    for item in report.failed:
        print(f"  failed: {item.uri}: {item.code}: {item.message}", file=sys.stderr)


def texts(corpus: Path) -> Iterator[TextSource]:
    """The documents of a corpus file; one without text is searched by its title."""
    with gzip.open(corpus, "rt", encoding="utf-8") as lines:
        for text in lines:
            entry = json.loads(text)
            body = entry["text"].strip() or entry["title"]
            if body:
                yield TextSource(body, uri=entry["_id"], title=entry["title"] or None)


def evaluate(kb: KnowledgeBase, name: str, folder: Path, mode: str) -> Row:
    """Ask all judged questions in one mode."""
    qrels = read_qrels(folder, name)
    judged = {qrel.query_id for qrel in qrels}
    run, spent, questions = [], 0.0, 0
    with (folder / "queries.jsonl").open(encoding="utf-8") as lines:
        for text in lines:
            query = json.loads(text)
            if query["_id"] not in judged:
                continue
            started = time.perf_counter()
            passages = kb.search(query["text"], PASSAGES, mode=mode)  # type: ignore[arg-type]
            spent += time.perf_counter() - started
            questions += 1
            for rank, target in enumerate(targets(passages, name in PDF_SETS)):
                run.append(ir_measures.ScoredDoc(query["_id"], target, 1.0 / (rank + 1)))
    values: dict[str, list[float]] = {key: [] for key in MEASURES}
    named = {str(measure): key for key, measure in MEASURES.items()}
    for metric in ir_measures.iter_calc(list(MEASURES.values()), qrels, run):
        values[named[str(metric.measure)]].append(metric.value)
    ndcg = values["ndcg@10"]
    return Row(
        set=name,
        mode=mode,
        questions=questions,
        ndcg=statistics.fmean(ndcg),
        ndcg_error=statistics.stdev(ndcg) / math.sqrt(len(ndcg)),
        hit_1=statistics.fmean(values["hit@1"]),
        hit_5=statistics.fmean(values["hit@5"]),
        recall_10=statistics.fmean(values["recall@10"]),
        ms=1000 * spent / questions,
    )


def read_qrels(folder: Path, name: str) -> list[ir_measures.Qrel]:
    """The judgments of a set."""
    file = "qrels_sentences.tsv" if name in SENTENCE_SETS else "qrels.tsv"
    lines = (folder / file).read_text(encoding="utf-8").splitlines()[1:]
    return [ir_measures.Qrel(q, d, int(s)) for q, d, s in (text.split("\t") for text in lines)]


def targets(passages: Sequence[Passage], pages: bool) -> list[str]:
    """What was found, in order and each once: documents, or pages as ``DOC#p12``."""
    found: dict[str, None] = {}
    for passage in passages:
        if not pages:
            found.setdefault(passage.document.uri)
            continue
        stem = Path(passage.document.uri).stem
        for child in passage.children:
            for page in child.pages:
                found.setdefault(f"{stem}#p{page}")
    return list(found)


def line(row: Row) -> str:
    """A row as a line of text."""
    return (
        f"{row.set:<20} {row.mode:<8} nDCG@10 {row.ndcg:.4f} ±{row.ndcg_error:.4f}  "
        f"hit@1 {row.hit_1:.3f}  hit@5 {row.hit_5:.3f}  recall@10 {row.recall_10:.3f}  "
        f"{row.ms:.1f} ms  ({row.questions} questions)"
    )


if __name__ == "__main__":
    sys.exit(main())
