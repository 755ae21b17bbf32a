"""Speed of the product, as ratios to the bare libraries measured in the same run.

    python benchmarks/speed.py [--parts ingest search start pdf] [--sizes 10000 100000]
                               [--pdfs DIR] [--work DIR] [--out FILE]

Text and vectors are made up, the same in every run; what embedding costs is measured with the
real model. Processor time throughout, interleaved with what it is compared to, since other work
on the machine then weighs on both alike.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from speed_ingest import ingest_real, ingest_synthetic
from speed_report import Figure
from speed_search import search_synthetic
from speed_start import cold_start, pdf_text

PARTS = ("ingest", "search", "start", "pdf")


def main() -> int:
    """Run the parts that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--parts", nargs="+", default=PARTS, choices=PARTS)
    parser.add_argument("--sizes", nargs="*", type=int, default=[10_000, 100_000])
    parser.add_argument("--documents", type=int, default=100, help="with the real model")
    parser.add_argument("--queries", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=9, help="cold starts")
    parser.add_argument("--pdfs", type=Path, help="folder of PDFs; left out when not given")
    parser.add_argument("--work", type=Path, help="keep the synthetic bases here for the next run")
    parser.add_argument("--out", type=Path, help="write the figures as JSON")
    options = parser.parse_args()
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory() as scratch:
        for figure in run(options, Path(scratch)):
            figures.append(figure)
            print(figure.line(), flush=True)
    if options.out:
        options.out.write_text(json.dumps([asdict(f) for f in figures], indent=1) + "\n")
    return 0


def run(options: argparse.Namespace, scratch: Path) -> Iterable[Figure]:
    """All figures, as they are measured."""
    for size in options.sizes:
        base = (options.work or scratch) / f"synthetic-{size}"
        if "ingest" in options.parts or ("search" in options.parts and not base.exists()):
            if base.exists():
                raise SystemExit(f"{base} is there already; ingesting is measured on an empty one.")
            yield from ingest_synthetic(base, size)
        if "search" in options.parts:
            yield from search_synthetic(base, size, options.queries)
    if "ingest" in options.parts:
        yield from ingest_real(scratch, options.documents)
    if "start" in options.parts:
        yield from cold_start(scratch, options.rounds)
    if "pdf" in options.parts and options.pdfs:
        yield from pdf_text(options.pdfs, files=20)


if __name__ == "__main__":
    sys.exit(main())
