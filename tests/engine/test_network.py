"""Nothing is fetched and nothing is sent, whatever a dependency would like to do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.bases import write_files

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = ROOT / "examples" / "documents"

# An audit hook sees every connection and look-up that goes through Python, and cannot be taken
# away again; it outlives a fork. Libraries that bring their own sockets would not be seen here.
WATCH = """
import os, sys
log = os.environ["NETWORK_LOG"]

def watch(event, arguments):
    if event == "socket.connect":
        address = arguments[1]
        local = isinstance(address, (str, bytes)) or address[0] in ("127.0.0.1", "::1")
    elif event in ("socket.getaddrinfo", "socket.gethostbyname"):
        address = arguments[0]
        local = address in ("127.0.0.1", "::1", "localhost", None)
    else:
        return
    if not local:
        with open(log, "a") as file:
            file.write(f"{event} {address!r}\\n")
        raise OSError(f"no network: {address!r}")

sys.addaudithook(watch)
"""
USE = """
import chapterverse, sys
with chapterverse.KnowledgeBase.open("kb", processes=1) as kb:
    report = kb.ingest(sys.argv[1:])
    assert not report.failed, report.failed
    kb.ingest_text("The pump needs oil.", "text:a")
    for question in ("How is the pump maintained?", "报销需要在几天内提交？"):
        for mode in ("hybrid", "keyword", "dense"):
            assert kb.search(question, mode=mode)
    kb.rebuild(child_tokens=60)
    assert kb.search("warranty")
"""
KEPT = ("CHAPTERVERSE_CACHE", "PATH", "HOME", "LANG")


def run(folder: Path, script: str, *arguments: str, **variables: str) -> list[str]:
    """Run *script* under watch, in a plain environment; what it tried to reach."""
    (folder / "sitecustomize.py").write_text(WATCH, encoding="utf-8")
    log = folder / "network.log"
    environment = {name: os.environ[name] for name in KEPT if name in os.environ}
    environment |= {"PYTHONPATH": f"{folder}:{ROOT}", "NETWORK_LOG": str(log), **variables}
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    tried = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    assert done.returncode == 0 or tried, done.stderr
    return tried


def samples(tmp_path: Path) -> list[str]:
    names = ("supply-contract.docx", "commissioning.html", "faq.md", "pump-manual.pdf")
    return [*(str(DOCUMENTS / name) for name in names), str(write_files(tmp_path / "files"))]


def test_the_watch_sees_connections(tmp_path: Path) -> None:
    script = (
        "import os, socket\n"
        "for call in (lambda: socket.create_connection(('192.0.2.1', 9), 0.1),\n"
        "             lambda: socket.getaddrinfo('example.org', 80)):\n"
        "    try: call()\n"
        "    except OSError: pass\n"
        "if os.fork() == 0:\n"
        "    try: socket.getaddrinfo('forked.example.org', 80)\n"
        "    finally: os._exit(0)\n"
        "os.wait()\n"
    )
    tried = run(tmp_path, script)
    assert any("192.0.2.1" in line for line in tried)
    assert any("'example.org'" in line for line in tried)
    assert any("forked.example.org" in line for line in tried)


def test_no_network_with_the_hash_embedder(tmp_path: Path) -> None:
    tried = run(tmp_path, USE, *samples(tmp_path), CHAPTERVERSE_EMBEDDER="hash")
    assert tried == []


@pytest.mark.integration
def test_no_network_with_the_default_embedder(tmp_path: Path) -> None:
    assert run(tmp_path, USE, *samples(tmp_path)) == []
