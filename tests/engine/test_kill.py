"""SIGKILL at any moment of an ingest loses nothing and tears nothing."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.bases import all_ids, open_base

SCRIPT = """
import sys
from tests.bases import open_base
with open_base(sys.argv[1]) as kb:
    print("ready", flush=True)
    report = kb.ingest(sys.argv[2])
    assert not report.failed, report.failed
"""
FILES = 30
ROOT = Path(__file__).resolve().parents[2]


def write(folder: Path, revision: int) -> None:
    folder.mkdir(exist_ok=True)
    for number in range(FILES):
        text = f"# Document {number}\n\nMarker m{number}x revision r{revision}x.\n\n" + (
            f"Paragraph about valves of pump {number}, edition {revision}. " * 30
        )
        (folder / f"{number:03}.md").write_text(text, encoding="utf-8")


def start(base: Path, folder: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(base), str(folder)],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def check(base: Path, revision: int) -> None:
    """Every document is whole, in one revision that was really written, in every index."""
    with open_base(base) as kb:
        documents = kb.documents()
        ids = all_ids(kb)
        assert ids["database"] == ids["vectors"] == ids["chroma"]
        assert ids["keyword"] == [len(ids["database"])]
        assert kb.status().lag == 0
        for document in documents:
            content = kb.get(document.uri)
            text = "".join(p.text for p in content.parents)
            seen = [r for r in range(revision + 1) if f"r{r}x" in text]
            assert len(seen) == 1
            assert text.count(f"edition {seen[0]}.") == 30
        for document in documents[:3]:
            number = int(Path(document.uri).stem)
            best = kb.search(f"m{number}x", 1, mode="keyword")[0]
            assert best.document.uri == document.uri


def kills(tmp_path: Path, times: int, seed: int) -> None:
    chance = random.Random(seed)
    base, folder = tmp_path / "kb", tmp_path / "files"
    known = 0
    for round_ in range(times):
        write(folder, round_)
        process = start(base, folder)
        time.sleep(chance.uniform(0.0, 1.5))
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        check(base, round_)
        with open_base(base) as kb:
            found = len(kb.documents())
        assert found >= known
        known = found
    write(folder, times)
    final = start(base, folder)
    final.communicate(timeout=120)
    assert final.returncode == 0
    check(base, times)
    with open_base(base) as kb:
        assert len(kb.documents()) == FILES
        assert len(kb.search(f"edition {times}", FILES, mode="keyword")) == FILES


def test_a_few_kills(tmp_path: Path) -> None:
    kills(tmp_path, 4, seed=1)


@pytest.mark.integration
def test_fifty_kills(tmp_path: Path) -> None:
    kills(tmp_path, 50, seed=2)
