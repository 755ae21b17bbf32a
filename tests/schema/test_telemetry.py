"""Libraries that would report to their makers are silenced before they are loaded."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

import chapterverse
from chapterverse.schema.telemetry import SILENCE, silence

REPORTING = re.compile(r"^ +import (?:onnxruntime|rapidocr|chromadb)\b", re.M)


def test_what_the_user_has_set_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORT_DISABLE_TELEMETRY", "0")
    monkeypatch.delenv("ANONYMIZED_TELEMETRY", raising=False)
    silence()
    assert os.environ["ORT_DISABLE_TELEMETRY"] == "0"
    assert os.environ["ANONYMIZED_TELEMETRY"] == "False"


def test_every_loader_of_such_a_library_silences_it_first() -> None:
    package = Path(chapterverse.__file__).parent
    sources = [
        path.read_text() for part in ("engine", "ingest") for path in (package / part).glob("*.py")
    ]
    loaders = [source for source in sources if REPORTING.search(source)]
    assert len(loaders) >= 3
    for source in loaders:
        found = REPORTING.search(source)
        assert found is not None and "    silence()\n" in source[: found.start()]


def test_a_parsing_process_is_born_silent(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from chapterverse.ingest import worker_client

    for name in SILENCE:
        monkeypatch.delenv(name, raising=False)
    given: list[dict[str, str]] = []

    def popen(*_: object, env: dict[str, str], **__: object) -> None:
        given.append(env)

    monkeypatch.setattr("subprocess.Popen", popen)
    worker = worker_client.Worker()
    worker._stderr.close()
    Path(worker._scratch).rmdir()
    assert given[0].items() >= SILENCE.items()
