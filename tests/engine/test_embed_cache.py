"""Models are made once, whole, by one process."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from chapterverse.engine.model_cache import cache_folder, cached_model, damaged_files
from chapterverse.engine.onnx_embedder import OnnxEmbedder
from chapterverse.schema.errors import EmbedderError

RACER = """
import sys, time
from pathlib import Path
from chapterverse.engine.model_cache import cached_model

def build(folder):
    with open(sys.argv[2], "a") as log:
        log.write("built\\n")
    (folder / "weights").write_bytes(b"half")
    time.sleep(0.3)
    (folder / "weights").write_bytes(b"whole")

print((cached_model("m", build, root=Path(sys.argv[1])) / "weights").read_text())
"""


class Builder:
    def __init__(self) -> None:
        self.runs = 0

    def __call__(self, folder: Path) -> None:
        self.runs += 1
        (folder / "weights").write_bytes(b"abc")


def test_a_model_is_made_once(tmp_path: Path) -> None:
    build = Builder()
    lines: list[str] = []
    for _ in range(2):
        folder = cached_model("m", build, root=tmp_path / "cache", notify=lines.append)
        assert (folder / "weights").read_bytes() == b"abc"
    assert build.runs == 1
    assert len(lines) == 1


@pytest.mark.parametrize("name", ["weights", "manifest.json"])
@pytest.mark.parametrize("content", [None, b"", b"{}", b"[12]"])
def test_a_folder_that_is_not_whole_is_made_again(
    tmp_path: Path, name: str, content: bytes | None
) -> None:
    build = Builder()
    path = cached_model("m", build, root=tmp_path) / name
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    folder = cached_model("m", build, root=tmp_path)
    assert build.runs == 2
    assert (folder / "weights").read_bytes() == b"abc"


def test_leftovers_of_a_killed_build_are_removed(tmp_path: Path) -> None:
    (tmp_path / ".m.123").mkdir()
    cached_model("m", Builder(), root=tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_dir()) == ["m"]


def test_a_failing_build_leaves_nothing(tmp_path: Path) -> None:
    def build(folder: Path) -> None:
        (folder / "weights").write_bytes(b"a")
        raise EmbedderError("no weights")

    with pytest.raises(EmbedderError, match="no weights"):
        cached_model("m", build, root=tmp_path)
    assert not [path for path in tmp_path.iterdir() if path.is_dir()]


def test_damage_of_the_same_size_is_found(tmp_path: Path) -> None:
    folder = cached_model("m", Builder(), root=tmp_path)
    assert damaged_files(folder) == []
    (folder / "weights").write_bytes(b"abd")
    assert damaged_files(folder) == ["weights"]


def test_a_cache_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(EmbedderError, match="CHAPTERVERSE_CACHE"):
        cached_model("m", Builder(), root=tmp_path / "file" / "cache")


def test_processes_do_not_race(tmp_path: Path) -> None:
    log = tmp_path / "log"
    command = [sys.executable, "-c", RACER, str(tmp_path / "cache"), str(log)]
    racers = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    answers = [racer.communicate()[0].strip() for racer in racers]
    assert answers == ["whole", "whole"]
    assert log.read_text() == "built\n"


def test_the_environment_names_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHAPTERVERSE_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path
    assert cache_folder(tmp_path / "other") == tmp_path / "other"
    monkeypatch.delenv("CHAPTERVERSE_CACHE")
    assert cache_folder().name == "chapterverse"


def test_a_model_that_is_not_there_is_not_made_in_the_background(tmp_path: Path) -> None:
    before = set(threading.enumerate())
    OnnxEmbedder(cache=tmp_path).warm()
    assert set(threading.enumerate()) == before
    assert list(tmp_path.iterdir()) == []
