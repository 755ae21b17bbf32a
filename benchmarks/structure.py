"""Structure read from a gold set of files, through the product's own parsing processes.

    python benchmarks/structure.py --data DIR [--score PATH] [--files] [--only FORMAT]
                                   [--names SUBSTRING] [--cost] [--all-pdfs] [--out FILE]

``DIR/structure`` holds ``files/``, ``gold/`` and the scorer. Every file is parsed, written in the
neutral form and scored; the figures that have an aim are printed beside it. ``--cost`` adds what
reading PDFs costs beside PDFium's plain text, how two processes compare to one, and the speed of
text recognition; for these the PDFs of the sets beside ``structure`` are read.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from structure_cost import costs

from chapterverse.engine.inspect_neutral import neutral_failure, neutral_form
from chapterverse.ingest.pool import ParseJob, ParsePool
from chapterverse.schema.settings import load_settings

AIMS = {
    "heading recall": 0.90,
    "heading precision": 0.85,
    "table found": 0.90,
    "table precision": 0.85,
    "table header": 0.85,
    "table cells": 0.90,
    "table caption": 0.85,
    "figure found": 0.80,
    "figure caption": 0.80,
    "sentence page": 0.99,
    "sentence IoU": 0.95,
    "order": 0.97,
    "absent": 0.95,
    "error kind": 1.00,
}
HEADINGS = ("heading recall", "heading precision", "heading page", "heading level")
TWO_COLUMNS = ("moran_paper_p1-5.pdf",)
_HAN = re.compile("[\u4e00-\u9fff]")

Scores = dict[str, list[int]]


@dataclass(frozen=True, slots=True)
class Share:
    """How many cases of a metric were right; ``aim`` is the least share it should reach."""

    what: str
    hits: int
    cases: int
    aim: float | None = None

    def line(self) -> str:
        """The share as a row of the printed table."""
        if not self.cases:
            return f"{self.what:<32}      no cases"
        value = self.hits / self.cases
        met = "" if self.aim is None else ("ok" if value >= self.aim else "MISSED")
        aim = "" if self.aim is None else f"at least {self.aim:.2f}"
        return f"{self.what:<32} {self.hits:>5}/{self.cases:<5} {value:6.3f}  {aim:<14} {met}"


def main() -> int:
    """Parse, score and report."""
    options = _options()
    folder = options.data / "structure"
    scorer = options.score or folder / "score.py"
    for needed in (folder / "files", folder / "gold", scorer):
        if not needed.exists():
            print(
                f"There is no {needed}. The gold set is not part of this project: name the folder "
                "that holds 'structure/' with --data, the scorer with --score.",
                file=sys.stderr,
            )
            return 2
    result: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as scratch:
        gold = select(folder / "gold", Path(scratch, "gold"), options.only, options.names)
        if not gold:
            print("No gold file has this format and name.", file=sys.stderr)
            return 2
        parse_all([folder / "files" / name for name in gold], Path(scratch, "produced"))
        scores = score(scorer, Path(scratch), files=options.files)
        shares = [*overall(scores), *by_kind(scores, gold)]
        print()
        for share in shares:
            print(share.line())
        result["shares"] = [asdict(share) for share in shares]
        result["per_format"] = scores["per_format"]
    if options.cost:
        print()
        result["costs"] = []
        for figure in costs(options.data, every=options.all_pdfs):
            print(figure.line(), flush=True)
            result["costs"].append(asdict(figure))  # type: ignore[attr-defined]
    if options.out:
        text = json.dumps(result, ensure_ascii=False, indent=1)
        options.out.write_text(text + "\n", encoding="utf-8")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder that holds 'structure/'")
    parser.add_argument("--score", type=Path, help="the scorer; DIR/structure/score.py by default")
    parser.add_argument("--files", action="store_true", help="say what went wrong in each file")
    parser.add_argument("--only", metavar="FORMAT", help="only files of this format (pdf, docx)")
    parser.add_argument("--names", metavar="SUBSTRING", help="only files with this in their name")
    parser.add_argument("--cost", action="store_true", help="measure what parsing costs, too")
    parser.add_argument("--all-pdfs", action="store_true", help="with --cost: all, not twelve")
    parser.add_argument("--out", type=Path, help="write shares and figures as JSON")
    return parser.parse_args()


def select(
    source: Path, target: Path, only: str | None, names: str | None
) -> dict[str, dict[str, object]]:
    """Copy the gold files that were asked for; returns their contents by file name."""
    target.mkdir()
    found = {}
    for path in sorted(source.glob("*.json")):
        gold = json.loads(path.read_text(encoding="utf-8"))
        if (only and gold["format"] != only) or (names and names not in gold["file"]):
            continue
        shutil.copyfile(path, target / path.name)
        found[gold["file"]] = gold
    return found


def parse_all(files: list[Path], target: Path) -> None:
    """Parse *files* and write the neutral form of each to *target*."""
    target.mkdir()
    limits = load_settings().parse_limits
    started = time.perf_counter()
    with (
        tempfile.TemporaryDirectory() as kept,
        ParsePool(limits, blobs=Path(kept, "blobs"), ocr_cache=Path(kept, "ocr")) as pool,
    ):
        for outcome in pool.parse(ParseJob(path, path.name) for path in files):
            name = outcome.job.name
            if outcome.parsed is not None:
                form = neutral_form(name, outcome.parsed)
                said = f"{len(outcome.parsed.assets)} assets ({outcome.parsed.parser})"
            else:
                assert outcome.error is not None
                form = neutral_failure(name, outcome.error)
                said = f"{outcome.error.code}: {outcome.error}"
            text = json.dumps(form, ensure_ascii=False)
            (target / f"{name}.json").write_text(text, encoding="utf-8")
            print(f"{outcome.seconds:7.2f} s  {name}: {said[:150]}", file=sys.stderr)
    spent = time.perf_counter() - started
    print(f"{spent:7.2f} s  in all, {limits.processes} processes", file=sys.stderr)


def score(scorer: Path, scratch: Path, *, files: bool) -> dict[str, dict[str, Scores]]:
    """Run the scorer, which prints its table, and read what it counted."""
    out = scratch / "scores.json"
    command = [sys.executable, str(scorer), str(scratch / "produced"), str(scratch / "gold")]
    flags = ["--files"] if files else []
    subprocess.run([*command, "--json", str(out), *flags], check=True)
    counted: dict[str, dict[str, Scores]] = json.loads(out.read_text(encoding="utf-8"))
    return counted


def overall(scores: dict[str, dict[str, Scores]]) -> Iterator[Share]:
    """The metrics that have an aim, over all files."""
    counted = scores["per_format"]["ALL"]
    for name, aim in AIMS.items():
        hits, cases = counted.get(name, (0, 0))
        yield Share(name, hits, cases, aim)


def by_kind(
    scores: dict[str, dict[str, Scores]], gold: dict[str, dict[str, object]]
) -> Iterator[Share]:
    """Headings of Chinese and of two-column documents apart."""
    groups: dict[str, Callable[[str], bool]] = {
        "Chinese": lambda name: bool(_HAN.search(json.dumps(gold[name], ensure_ascii=False))),
        "two columns": lambda name: name in TWO_COLUMNS,
    }
    for group, belongs in groups.items():
        for metric in HEADINGS:
            share = Share(f"{group}: {metric}", 0, 0, AIMS.get(metric))
            for name, detail in scores["files"].items():
                if belongs(name):
                    counted: dict[str, list[int]] = detail["scores"]  # type: ignore[assignment]
                    hits, cases = counted.get(metric, (0, 0))
                    share = replace(share, hits=share.hits + hits, cases=share.cases + cases)
            yield share


if __name__ == "__main__":
    sys.exit(main())
