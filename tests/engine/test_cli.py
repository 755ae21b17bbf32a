"""The commands as a user types them: output, JSON, exit codes."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from chapterverse.engine.cli import main
from chapterverse.engine.console import IngestDisplay
from chapterverse.ingest.discover import Found
from chapterverse.ingest.sources import Progress
from chapterverse.schema.results import IngestItem
from tests.bases import write_files


@pytest.fixture(autouse=True)
def hash_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHAPTERVERSE_EMBEDDER", "hash")
    monkeypatch.setenv("CHAPTERVERSE_PROCESSES", "1")


def run_json(capfd: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert main([*arguments, "--json"]) == 0
    return json.loads(capfd.readouterr().out)


def test_ingest_search_list_show_delete(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    files = write_files(tmp_path / "files")
    assert main(["ingest", str(files), "--tag", "demo"]) == 0
    assert "2 ingested" in capfd.readouterr().out
    assert (tmp_path / "kb" / "kb.sqlite3").exists()

    found = run_json(capfd, "search", "grade of oil", "-k", "2")
    assert found["query"] == "grade of oil"
    best = found["passages"][0]
    assert best["rank"] == 1
    assert set(best["document"]) == {"uri", "title", "id"}
    assert {"pages", "page_labels", "heading_path", "text", "scores", "citations"} <= set(best)
    child = best["children"][0]
    assert best["text"][child["start"] : child["end"]] == child["text"]
    assert {"pages", "regions", "score"} <= set(child)

    listed = run_json(capfd, "list")["documents"]
    assert [d["title"] for d in listed] == ["员工手册", "Pump manual"]
    assert listed[0]["tags"] == ["demo"]
    content = run_json(capfd, "show", "manual.md")
    assert {a["kind"] for a in content["assets"]} >= {"heading", "paragraph", "table"}
    assert content["children"][0]["parent_id"] == content["parents"][0]["id"]

    assert main(["show", "manual.md"]) == 0
    assert re.search(r"0 heading +line 1 +Pump manual", capfd.readouterr().out)

    assert main(["search", "报销", "--mode", "keyword"]) == 0
    assert "handbook.md, lines 1–5, 第三章 费用报销" in capfd.readouterr().out
    assert main(["delete", "manual.md"]) == 0
    capfd.readouterr()
    assert run_json(capfd, "status")["documents"] == 1
    assert main(["delete", "manual.md"]) == 1
    assert "There is no document 'manual.md'" in capfd.readouterr().err


def test_exit_codes(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    files = write_files(tmp_path / "files")
    (files / "empty.txt").touch()
    assert main(["ingest", str(files)]) == 1
    out = capfd.readouterr().out
    assert "2 ingested, 1 failed" in out
    assert "empty.txt\tempty\t" in out
    assert main(["ingest"]) == 2
    assert main(["search"]) == 2
    assert main(["search", "  "]) == 2
    assert main(["search", "x", "--kind", "poem"]) == 2
    assert main(["search", "x", "--pages", "9-3"]) == 2
    assert main(["search", "x", "--mode", "magic"]) == 2
    assert main(["list", "--kb", "nowhere"]) == 1
    assert "no knowledge base at" in capfd.readouterr().err


@pytest.mark.parametrize("terminal", [False, True])
def test_nothing_in_a_document_commands_the_terminal(
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    terminal: bool,
) -> None:
    file = tmp_path / "title \x1b]0;a\x07.md"
    text = "Oil \x9b2Jis red. " + "Pumps need it every day. " * 20
    file.write_text(f"# Oil \x1b]0;title\x07\n\n{text}\n", encoding="utf-8")
    assert main(["ingest", str(file)]) == 0
    monkeypatch.setattr("sys.stdout.isatty", lambda: terminal)
    for command in (["search", "oil"], ["list"], ["show", file.name]):
        assert main(command) == 0
        out = capfd.readouterr().out
        assert "Oil" in out
        assert not any(mark in out for mark in ("\x1b]0;", "\x07", "\x9b"))


def test_a_file_name_is_no_markup(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    with IngestDisplay(quiet=False) as display:
        display.progress(Progress("text/[%2Fb]", 1, 2))
        display._bar.refresh()


def test_progress_counts_the_documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    with IngestDisplay(quiet=False) as display:
        found = [Found(tmp_path / "a.pdf", 10), Found(tmp_path / "b.pdf", 0)]
        display.files(found)
        said = [display._bar.tasks[0].description]
        display.progress(Progress(found[0].uri, 1, 2))
        said.append(display._bar.tasks[0].description)
        display.item(IngestItem(found[0].uri, "ingested"))
        said.append(display._bar.tasks[0].description)
    assert said == ["0 of 2", "0 of 2 a.pdf", "1 of 2"]


def test_kb_from_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CHAPTERVERSE_KB", str(tmp_path / "elsewhere"))
    assert main(["ingest", str(write_files(tmp_path / "files"))]) == 0
    assert (tmp_path / "elsewhere" / "kb.sqlite3").exists()


def test_unknown_settings_are_errors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    files = write_files(tmp_path / "files")
    Path("chapterverse.toml").write_text("child_token = 80\n", encoding="utf-8")
    assert main(["ingest", str(files)]) == 1
    assert "Unknown setting 'child_token'" in capfd.readouterr().err
    Path("chapterverse.toml").unlink()
    monkeypatch.setenv("CHAPTERVERSE_CHILD_TOKEN", "80")
    assert main(["ingest", str(files)]) == 1
    assert "Unknown environment variable CHAPTERVERSE_CHILD_TOKEN" in capfd.readouterr().err


def test_rebuild_after_new_limits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    files = write_files(tmp_path / "files")
    assert main(["ingest", str(files)]) == 0
    monkeypatch.setenv("CHAPTERVERSE_CHILD_TOKENS", "20")
    assert main(["search", "oil"]) == 1
    assert "chapterverse rebuild" in capfd.readouterr().err
    before = run_json(capfd, "status")["children"]
    assert main(["rebuild"]) == 0
    capfd.readouterr()
    state = run_json(capfd, "status")
    assert state["children"] > before
    assert state["generation"] == 2
    assert state["vector_entries"] == state["keyword_entries"] == state["children"]
    assert run_json(capfd, "search", "oil")["passages"]


def test_interrupt_keeps_what_is_done_and_resumes(tmp_path: Path) -> None:
    files = tmp_path / "files"
    files.mkdir()
    for number in range(150):
        (files / f"{number:03}.txt").write_text(f"Pump number {number} needs oil.", "utf-8")
    command = [sys.executable, "-m", "chapterverse", "ingest", str(files)]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    process = subprocess.Popen(
        command, env=environment, stderr=subprocess.PIPE, start_new_session=True, text=True
    )
    blobs = tmp_path / "kb" / "blobs"
    while len(list(blobs.rglob("*"))) < 40:
        time.sleep(0.05)
        assert process.poll() is None
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in errors
    assert "run the same command to go on" in errors
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "unchanged" in done.stdout
    listed = subprocess.run(
        [sys.executable, "-m", "chapterverse", "list", "--json"],
        env=environment,
        capture_output=True,
        check=True,
    )
    assert len(json.loads(listed.stdout)["documents"]) == 150


def test_output_that_cannot_be_written(tmp_path: Path) -> None:
    """A full disk behind ``>`` is one line and exit code 1; closed streams are no error."""
    assert main(["ingest", str(write_files(tmp_path / "files"))]) == 0
    command = [sys.executable, "-m", "chapterverse", "list"]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    for form in ([], ["--json"]):
        with open("/dev/full", "wb") as full:
            done = subprocess.run(
                [*command, *form], env=environment, stdout=full, stderr=subprocess.PIPE, check=False
            )
        assert done.returncode == 1
        assert done.stderr.decode().splitlines() == ["Error: [Errno 28] No space left on device"]
    closed = subprocess.run(
        ["sh", "-c", 'exec "$@" >&- 2>&-', "sh", *command], env=environment, check=False
    )
    assert closed.returncode == 0
