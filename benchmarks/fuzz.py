"""Damaged documents through the product's own parsing processes.

    python benchmarks/fuzz.py --data DIR [--count 1000] [--seed 1] [--only SUFFIX] [--ocr N]
                              [--made] [--keep DIR] [--out FILE]

Makes the same damaged copies of the files in ``DIR/structure/files`` in every run (bytes flipped,
numbers made extreme, cut, spliced, repeated, zeroed; archives also from within) and reads them;
with ``--made`` also files of the formats that the folder lacks, made as the tests make them.
Every one must end as a document or a typed error, within its time, without a socket; then 200
whole documents are read and the memory of all processes is compared. Exit code 1 when any of this
does not hold.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import cycle, islice
from pathlib import Path

from fuzz_memory import resident_mib, worker_ids
from fuzz_mutate import mutate
from fuzz_watch import SOCKET_SIGN

from chapterverse.ingest.pool import ParseJob, ParseOutcome, ParsePool
from chapterverse.ingest.worker_client import GRACE_SECONDS
from chapterverse.schema.errors import DocumentError
from chapterverse.schema.parse_limits import ParseLimits

DOCUMENTS = 200
WARM = 50
MOST_GROWTH_MIB = 32.0


@dataclass(slots=True)
class Tally:
    """What became of the damaged files."""

    outcomes: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    untyped: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    ended: list[str] = field(default_factory=list)
    slow: list[str] = field(default_factory=list)
    sockets: list[str] = field(default_factory=list)

    def add(self, outcome: ParseOutcome, most_seconds: float) -> bool:
        """Count *outcome*; true when it is worth a look."""
        name, error = outcome.job.name, outcome.error
        code = "ok" if error is None else error.code
        self.outcomes[Path(name).suffix][code] += 1
        if outcome.seconds > most_seconds:
            self.slow.append(f"{name}: {outcome.seconds:.1f} s")
        if SOCKET_SIGN in str(error):
            self.sockets.append(f"{name}: {error}")
        elif code == DocumentError.code:
            self.untyped[str(error).partition("the reader failed")[2]].append(name)
        elif code in ("crashed", "timeout", "out_of_memory"):
            self.ended.append(f"{name}: {code}: {error}")
        return code in (DocumentError.code, "crashed", "timeout", "out_of_memory")

    @property
    def held(self) -> bool:
        """Whether nothing happened that must not."""
        return not (self.untyped or self.slow or self.sockets)


def main() -> int:
    """Damage, read, count."""
    options = _options()
    folder = options.data / "structure" / "files"
    if not folder.is_dir():
        print(f"There is no {folder}; name the folder that holds 'structure/'.", file=sys.stderr)
        return 2
    limits = ParseLimits(
        base_seconds=20,
        seconds_per_page=0.1,
        max_pages=200,
        max_bytes=32 << 20,
        answer_bytes=32 << 20,
        memory_bytes=1 << 30,
        max_pixels=20_000_000,
        ocr_pages=options.ocr,
        processes=2,
    )
    tally = read_damaged(options, folder, limits)
    report(tally)
    first, last = read_whole(folder, limits)
    print(f"\nMiB after {WARM} and {DOCUMENTS} documents (this process, parsing processes):")
    print(f"  {first[0]:.1f} -> {last[0]:.1f}, {first[1]:.1f} -> {last[1]:.1f}")
    steady = all(b - a <= MOST_GROWTH_MIB for a, b in zip(first, last, strict=True))
    if options.out:
        result = {"outcomes": tally.outcomes, "mib": {"first": first, "last": last}}
        options.out.write_text(json.dumps(result, indent=1, sort_keys=True) + "\n")
    return 0 if tally.held and steady else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder that holds 'structure/'")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", metavar="SUFFIX", help="only files that end so, as .docx")
    parser.add_argument("--made", action="store_true", help="also of formats that DIR lacks")
    parser.add_argument("--ocr", type=int, default=0, help="pages of each to recognise")
    parser.add_argument("--keep", type=Path, help="keep files here whose outcome needs a look")
    parser.add_argument("--out", type=Path, help="write the counts as JSON")
    return parser.parse_args()


def read_damaged(options: argparse.Namespace, folder: Path, limits: ParseLimits) -> Tally:
    """Read ``options.count`` damaged files, each made when its turn comes."""
    tally = Tally()
    with (
        tempfile.TemporaryDirectory() as scratch,
        ParsePool(limits, reader="fuzz_reader:read", blobs=Path(scratch, "blobs")) as pool,
    ):
        jobs = damaged(options, folder, Path(scratch))
        for number, outcome in enumerate(pool.parse(jobs), 1):
            if tally.add(outcome, limits.longest + GRACE_SECONDS) and options.keep:
                options.keep.mkdir(parents=True, exist_ok=True)
                (options.keep / outcome.job.name).write_bytes(outcome.job.path.read_bytes())
            outcome.job.path.unlink()
            if number % 100 == 0:
                print(f"{number} read", file=sys.stderr)
    return tally


def damaged(options: argparse.Namespace, folder: Path, scratch: Path) -> Iterator[ParseJob]:
    """Damaged files, the formats in turn and the files of each in turn."""
    kinds: dict[str, list[Path]] = defaultdict(list)
    paths = sorted(folder.iterdir())
    if options.made:
        paths += made({path.suffix for path in paths}, scratch)
    for path in paths:
        if path.stat().st_size and (not options.only or path.name.endswith(options.only)):
            kinds[path.suffix].append(path)
    turns = [cycle(paths) for _, paths in sorted(kinds.items())]
    sources = (next(turn) for turn in cycle(turns))
    for number, path in enumerate(islice(sources, options.count if turns else 0)):
        others = kinds[path.suffix]
        other = others[(number // len(turns) + 1) % len(others)]
        seed = f"{options.seed}:{number}"
        way, data = mutate(path.read_bytes(), other.read_bytes(), seed)
        target = scratch / f"{number:05}{path.suffix}"
        target.write_bytes(data)
        yield ParseJob(target, f"{number:05} {way} {path.name}")


def made(known: set[str], scratch: Path) -> list[Path]:
    """Small files of the formats whose suffix is not *known*, written into *scratch*."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from tests.ingest.every_format import small_files

    folder = scratch / "made"
    folder.mkdir()
    paths = []
    for name, data in sorted(small_files().items()):
        if Path(name).suffix not in known:
            paths.append(folder / name)
            paths[-1].write_bytes(data)
    return paths


def report(tally: Tally) -> None:
    """Print outcomes by format, then what must not be or needs a look."""
    codes = sorted({code for counts in tally.outcomes.values() for code in counts})
    print(f"{'':10}" + "".join(f"{code:>14}" for code in codes))
    for suffix, counts in sorted(tally.outcomes.items()):
        print(f"{suffix:10}" + "".join(f"{counts[code] or '':>14}" for code in codes))
    total: Counter[str] = sum(tally.outcomes.values(), Counter())
    print(f"{'all':10}" + "".join(f"{total[code]:>14}" for code in codes))
    _list("Exceptions that are no document error", _grouped(tally.untyped))
    _list("Over the time limit", tally.slow)
    _list("Sockets", tally.sockets)
    _list("Ended by a limit or a crash", tally.ended)


def _grouped(untyped: dict[str, list[str]]) -> list[str]:
    return [f"{len(names)} x {names[0]}{what}" for what, names in sorted(untyped.items())]


def _list(title: str, lines: Sequence[str]) -> None:
    print(f"\n{title}: {len(lines) or 'none'}")
    for line in lines:
        print(f"  {line[:600]}")


def read_whole(
    folder: Path, limits: ParseLimits
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Memory of this process and of all parsing processes after ``WARM`` and all documents."""
    paths = [p for p in sorted(folder.iterdir()) if 0 < p.stat().st_size < 200_000]
    jobs = [ParseJob(path, path.name) for path in islice(cycle(paths), DOCUMENTS)]
    taken = []
    with ParsePool(limits) as pool:
        for number, _ in enumerate(pool.parse(jobs), 1):
            if number in (WARM, DOCUMENTS):
                taken.append((resident_mib(), sum(map(resident_mib, worker_ids()))))
    return taken[0], taken[1]


if __name__ == "__main__":
    sys.exit(main())
