"""One writer at a time, also when the last one was killed."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from chapterverse.engine.lock import WriterLock
from chapterverse.schema.errors import StoreError, StoreLocked

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """
import sys
from pathlib import Path
from chapterverse.engine.lock import WriterLock
with WriterLock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def holder(folder: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(folder)],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_owner_is_known_while_the_lock_is_held(tmp_path: Path) -> None:
    lock = WriterLock(tmp_path)
    assert lock.owner() is None
    assert lock.describe() == "its owner is not known"
    with lock:
        owner = WriterLock(tmp_path).owner()
        assert owner is not None
        assert (owner.pid, owner.host) == (os.getpid(), socket.gethostname())
        assert owner.since <= owner.heartbeat
    assert lock.owner() is None


def test_one_instance_may_take_it_twice(tmp_path: Path) -> None:
    lock = WriterLock(tmp_path)
    with lock:
        with lock:
            pass
        with pytest.raises(StoreLocked):
            WriterLock(tmp_path).acquire()
        assert lock.owner() is not None
    with WriterLock(tmp_path):
        pass


def test_another_process_holds_it(tmp_path: Path) -> None:
    process = holder(tmp_path)
    with pytest.raises(StoreLocked, match=rf"process {process.pid} on .*since .*wait until"):
        WriterLock(tmp_path).acquire()
    process.communicate("")
    with WriterLock(tmp_path):
        pass


def test_the_lock_of_a_killed_process_is_free(tmp_path: Path) -> None:
    process = holder(tmp_path)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    lock = WriterLock(tmp_path)
    owner = lock.owner()
    assert owner is not None
    assert owner.pid == process.pid
    with lock:
        owner = lock.owner()
        assert owner is not None
        assert owner.pid == os.getpid()


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b'{"pid": "x"}'])
def test_an_owner_file_that_cannot_be_read(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "writer.json").write_bytes(content)
    assert WriterLock(tmp_path).owner() is None


def test_no_room_for_the_owner_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    lock = WriterLock(tmp_path)
    monkeypatch.setattr(Path, "write_bytes", full)
    with lock:
        pass
    monkeypatch.undo()
    with WriterLock(tmp_path):
        pass


def test_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="lock file"):
        WriterLock(tmp_path / "file").acquire()
