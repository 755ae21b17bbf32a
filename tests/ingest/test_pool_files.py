"""Temporary files of parsing processes do not outlive their documents."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from chapterverse.ingest.pool import ParseJob, ParsePool
from chapterverse.schema.errors import TimedOut
from chapterverse.schema.parse_limits import ParseLimits

HERE = Path(__file__).parent
HASTY = ParseLimits(base_seconds=0.3, seconds_per_page=0, processes=1)


def test_those_of_a_stopped_document_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(HERE)
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    path = tmp_path / "a.txt"
    path.write_text("leave")
    job = ParseJob(path, "a.txt")
    with ParsePool(HASTY, reader="fake_reader:read") as pool:
        (outcome,) = pool.parse([job])
        assert type(outcome.error) is TimedOut
        (scratch,) = folder.iterdir()
        assert not list(scratch.iterdir())
        closer = threading.Timer(0.1, pool.close)
        closer.start()
        with pytest.raises(RuntimeError, match="closed"):
            list(pool.parse([job] * 3))
        closer.join()
    assert not list(folder.iterdir())
