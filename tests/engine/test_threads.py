"""Threads and processes that search while others write: nothing is missed, nothing breaks."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Literal

import pytest

from chapterverse import KnowledgeBase, TextSource
from chapterverse.schema.errors import StoreLocked
from tests.bases import all_ids, open_base

ROOT = Path(__file__).resolve().parents[2]
WRITER = """
import sys, time
from chapterverse.schema.errors import StoreLocked
from tests.bases import open_base
written = 0
with open_base("kb") as kb:
    print("ready", flush=True)
    while written < 5:
        try:
            kb.ingest_text(f"The turbine of the other process, edition {written}.", "text:other")
            written += 1
            time.sleep(0.02)
        except StoreLocked:
            time.sleep(0.002)
"""


@contextmanager
def process(script: str) -> Iterator[subprocess.Popen[str]]:
    """A process that has printed ``ready``; it is ended at the end."""
    started = subprocess.Popen(
        [sys.executable, "-c", script],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with started:
        try:
            assert started.stdout is not None
            assert started.stdout.readline() == "ready\n"
            yield started
        finally:
            started.kill()


class Searchers:
    """Threads that search until stopped; what went wrong in them."""

    def __init__(self, kb: KnowledgeBase, always: set[str]) -> None:
        self.kb, self.always = kb, always
        self.errors: list[BaseException] = []
        self.missed: list[set[str]] = []
        self.searches = 0
        self._stop = threading.Event()
        modes: tuple[Literal["hybrid", "keyword", "dense"], ...] = ("hybrid", "keyword", "dense")
        self._threads = [threading.Thread(target=self._search, args=(mode,)) for mode in modes]

    def _search(self, mode: Literal["hybrid", "keyword", "dense"]) -> None:
        while not self._stop.is_set():
            try:
                found = {p.document.uri for p in self.kb.search("turbine", 20, mode=mode)}
                self.kb.documents()
                self.kb.status()
            except BaseException as error:
                self.errors.append(error)
                return
            self.searches += 1
            if not self.always <= found:
                self.missed.append(self.always - found)

    def __enter__(self) -> Searchers:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def check(self) -> None:
        assert self.errors == []
        assert self.missed == []
        assert self.searches > 5


def patiently(call: Callable[[], object]) -> None:
    """Do it as soon as no other process writes, and give others a turn."""
    while True:
        try:
            call()
        except StoreLocked:
            time.sleep(0.005)
        else:
            time.sleep(0.05)
            return


@pytest.mark.parametrize("limit", [0, 20_000], ids=["chroma", "exact"])
def test_searching_while_two_processes_write(tmp_path: Path, limit: int) -> None:
    with open_base(tmp_path / "kb", exact_limit=limit) as kb:
        kb.ingest_texts(TextSource(f"The turbine {n} stays.", f"text:{n}") for n in range(3))
        always = {f"text:{n}" for n in range(3)}
        with process(WRITER) as other, Searchers(kb, always) as searchers:
            for number in range(5):
                text = f"The turbine number {number} comes and goes."
                patiently(partial(kb.ingest_text, text, "text:0"))
                patiently(partial(kb.ingest_text, text, "text:guest"))
                patiently(partial(kb.delete, "text:guest"))
            _, errors = other.communicate()
            assert other.returncode == 0, errors
        searchers.check()
        assert "edition" in kb.search("other process", 1, mode="keyword")[0].text
        ids = all_ids(kb)
        assert ids["database"] == ids["vectors"] == ids["chroma"]
        assert ids["keyword"] == [len(ids["database"])]


def test_searching_while_the_base_is_rebuilt(tmp_path: Path) -> None:
    with open_base(tmp_path / "kb") as kb:
        kb.ingest_texts(TextSource(f"The turbine {n} stays.", f"text:{n}") for n in range(3))
        with open_base(tmp_path / "kb") as reader:
            always = {f"text:{n}" for n in range(3)}
            with Searchers(kb, always) as near, Searchers(reader, always) as far:
                for tokens in (40, 50):
                    kb.rebuild(child_tokens=tokens)
            near.check()
            far.check()


OBEY = """
import sys
from tests.bases import open_base
with open_base("kb") as kb:
    print("ready", flush=True)
    for line in sys.stdin:
        exec(line)
        print("done", flush=True)
"""


def test_a_reader_sees_what_another_process_writes(tmp_path: Path) -> None:
    with open_base(tmp_path / "kb") as kb:
        kb.ingest_text("The turbine is old.", "text:a")
        assert len(kb.search("turbine", 9)) == 1
        with process(OBEY) as other:

            def there(line: str) -> list[str]:
                """What a search here finds after the other process did *line*."""
                assert other.stdin is not None
                assert other.stdout is not None
                other.stdin.write(line + "\n")
                other.stdin.flush()
                assert other.stdout.readline() == "done\n"
                return sorted(p.text for p in kb.search("turbine", 9))

            old, new, big = (f"The turbine is {word}." for word in ("old", "new", "big"))
            assert there(f"kb.ingest_text({big!r}, 'text:b')") == [big, old]
            assert there(f"kb.ingest_text({new!r}, 'text:a')") == [big, new]
            assert there("kb.rebuild(child_tokens=40)") == [big, new]
            assert there("kb.delete('text:b')") == [new]


def test_writers_in_threads_take_turns(tmp_path: Path) -> None:
    errors: list[BaseException] = []
    with open_base(tmp_path / "kb") as kb:

        def write(name: str) -> None:
            try:
                for number in range(5):
                    kb.ingest_text(f"Turbine {name} {number}.", f"text:{name}{number}")
                    if number % 2:
                        kb.delete(f"text:{name}{number}")
            except BaseException as error:
                errors.append(error)

        threads = [threading.Thread(target=write, args=(name,)) for name in "abc"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert errors == []
        assert len(kb.documents()) == 9
        ids = all_ids(kb)
        assert ids["database"] == ids["vectors"] == ids["chroma"]
