"""Damaged files of every format end as a document or a typed error; nothing reaches a network."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from fuzz_memory import resident_mib, worker_ids
from fuzz_mutate import MUTATIONS, mutate
from fuzz_watch import SOCKET_SIGN

from chapterverse.ingest.pool import ParseJob, ParsePool
from chapterverse.ingest.readers import READERS
from chapterverse.schema.errors import DocumentError
from chapterverse.schema.parse_limits import ParseLimits
from tests.ingest.every_format import small_files

HERE = Path(__file__).parent
BENCHMARKS = HERE.parents[1] / "benchmarks"
FILES = small_files()
COPIES = 8
# Wide enough that a slow machine never meets it by accident.
LIMITS = ParseLimits(base_seconds=120, ocr_pages=0, processes=2, memory_bytes=1 << 30)
# Of another program, or not to be made without one.
NOT_MADE = {
    "application/msword",
    "application/rtf",
    "application/vnd.ms-powerpoint",
    "application/vnd.oasis.opendocument.presentation",
    "application/vnd.oasis.opendocument.text",
}


@pytest.fixture(scope="module")
def pool() -> Iterator[ParsePool]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(BENCHMARKS)
        with ParsePool(LIMITS, reader="fuzz_reader:read") as pool:
            yield pool


def test_whole_files_are_of_every_format_and_read(pool: ParsePool, tmp_path: Path) -> None:
    outcomes = list(pool.parse(write(tmp_path, FILES)))
    failed = {o.job.name: str(o.error) for o in outcomes if o.error is not None}
    # A picture has no text where recognition is off, and a format may have no reader; no more.
    allowed = ("; there are readers for ", "text recognition is turned off")
    assert [text for text in failed.values() if not any(a in text for a in allowed)] == []
    pictures = {kind for kind in READERS if kind.startswith("image/")}
    assert len([name for name in failed if name.startswith("sign.")]) in (0, len(pictures))
    read = {o.parsed.media_type for o in outcomes if o.parsed is not None}
    assert set(READERS) - read - pictures - NOT_MADE == set()


def test_damaged_files_end_typed(pool: ParsePool, tmp_path: Path) -> None:
    damaged = {}
    for name, data in FILES.items():
        for copy in range(COPIES):
            way, changed = mutate(data, data, f"{name}:{copy}")
            damaged[f"{copy} {way} {name}"] = changed
    outcomes = list(pool.parse(write(tmp_path, damaged)))
    assert len(outcomes) == len(FILES) * COPIES
    untyped = {
        outcome.job.name: str(outcome.error)
        for outcome in outcomes
        if outcome.error is not None
        and outcome.error.code in (DocumentError.code, "crashed", "timeout", "out_of_memory")
    }
    assert untyped == {}
    codes = Counter("ok" if o.error is None else o.error.code for o in outcomes)
    # Damage that nothing notices would test nothing.
    assert codes["ok"] > 20
    assert codes["corrupt"] > 10


def write(folder: Path, files: dict[str, bytes]) -> Iterator[ParseJob]:
    for number, (name, data) in enumerate(files.items()):
        path = folder / f"{number}{Path(name).suffix}"
        path.write_bytes(data)
        yield ParseJob(path, name)


def test_damage_is_the_same_in_every_run_and_of_every_way() -> None:
    data = FILES["letter.docx"]
    made = [mutate(data, FILES["deck.pptx"], f"1:{n}") for n in range(60)]
    assert made == [mutate(data, FILES["deck.pptx"], f"1:{n}") for n in range(60)]
    assert {way.removeprefix("inside ") for way, _ in made} == set(MUTATIONS)
    assert any(way.startswith("inside") for way, _ in made)
    assert sum(changed != data for _, changed in made) > 50


@pytest.mark.parametrize("call", ["connect(('127.0.0.1', 9))", "bind(('127.0.0.1', 0))"])
def test_a_socket_is_seen_even_when_its_refusal_is_caught(call: str) -> None:
    code = f"""
import socket, sys
from fuzz_watch import refuse_sockets
sys.addaudithook(refuse_sockets)
try:
    socket.socket().{call}
except BaseException:
    pass
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=BENCHMARKS, capture_output=True, text=True, check=False
    )
    assert done.returncode == 77
    assert SOCKET_SIGN in done.stderr


def test_memory_does_not_grow_over_200_documents(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("huge 300000")
    before = set(worker_ids())
    taken = []
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(HERE)
        with ParsePool(LIMITS, reader="fake_reader:read") as pool:
            for number, outcome in enumerate(pool.parse([ParseJob(path, "a")] * 200), 1):
                assert outcome.error is None
                if number in (50, 200):
                    workers = set(worker_ids()) - before
                    assert len(workers) == LIMITS.processes
                    taken.append((resident_mib(), sum(map(resident_mib, workers))))
    # Kept answers would come to 45 MiB.
    for first, last in zip(*taken, strict=True):
        assert last - first < 20
