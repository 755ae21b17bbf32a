"""The pinned package still has the place that we replace, and stays off the network."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys

import pytest

from chapterverse.ingest import unstructured_adapter as adapter


def test_the_hook_exists_and_is_replaced() -> None:
    adapter.partition_html("<p>One. Two.</p>")
    tokenize = importlib.import_module(adapter.HOOK[0])
    assert getattr(tokenize, adapter.HOOK[1]) is adapter._empty_pipeline
    assert tokenize._get_nlp().pipe_names == ["sentencizer"]


def test_a_moved_hook_is_a_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapter, "HOOK", (adapter.HOOK[0], "_load_spacy_model_v2"))
    adapter._load.cache_clear()
    with pytest.raises(adapter.HookMissing, match="_load_spacy_model_v2 does not exist"):
        adapter.partition_html("<p>x</p>")


SCRIPT = """
import socket, subprocess, sys, threading

def refuse(*args, **kwargs):
    raise SystemExit(f"opened: {args}")

class Refused(socket.socket):
    connect = connect_ex = sendto = refuse

socket.socket = Refused
socket.create_connection = socket.getaddrinfo = refuse
subprocess.Popen = subprocess.run = refuse
from chapterverse.ingest.unstructured_adapter import partition_html
elements = partition_html("<h1>A title</h1><p>We say one thing here. Then another.</p>")
assert [e.category for e in elements][0] == "Title", elements
assert not any(t.name != "MainThread" for t in threading.enumerate()), threading.enumerate()
print("torch" in sys.modules)
"""


def test_no_socket_no_process_no_torch() -> None:
    """In a fresh interpreter, so that imports are under watch as well."""
    # The switches must come from the adapter, not from what an earlier test left behind.
    clean = {key: value for key, value in os.environ.items() if key not in adapter._QUIET}
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SCRIPT],
        capture_output=True,
        text=True,
        check=False,
        env=clean,
    )
    assert (run.returncode, run.stdout.strip()) == (0, "False"), run.stderr
