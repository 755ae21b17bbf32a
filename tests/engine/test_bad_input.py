"""Whatever is wrong outside: one clear error that names the file and the way out, nothing lost."""

from __future__ import annotations

import os
import resource
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from chapterverse import IngestReport, KnowledgeBase
from chapterverse.ingest import snapshot
from chapterverse.schema.errors import (
    NotFound,
    QueryError,
    SettingsError,
    StoreCorrupt,
    StoreForeign,
    StoreFull,
    StoreLocked,
    StoreMismatch,
    StoreMissing,
    StoreNewer,
)
from chapterverse.schema.results import Mode
from tests.bases import open_base, write_files

MODES: tuple[Mode, ...] = ("hybrid", "keyword", "dense")
ROOT = Path(__file__).resolve().parents[2]


def reasons(report: IngestReport) -> dict[str, str | None]:
    return {Path(item.uri).name: item.code for item in report.failed}


def test_one_bad_file_never_stops_the_others(tmp_path: Path) -> None:
    files = write_files(tmp_path / "files")
    (files / "zero.pdf").touch()
    (files / "noise.pdf").write_bytes(bytes(range(128, 256)) * 64)
    (files / "cut.pdf").write_bytes(b"%PDF-1.7\n1 0 obj << /Type /Catalog >> endobj\n")
    (files / "cut.docx").write_bytes(b"PK\x03\x04" + bytes(200))
    (files / "blank.txt").write_text("  \n\n \n", encoding="utf-8")
    (files / "broken").symlink_to(files / "nothing")
    os.mkfifo(files / "pipe")
    (files / "empty").mkdir()
    with open_base(tmp_path / "kb") as kb:
        report = kb.ingest([files, tmp_path / "missing.pdf", files / "empty"])
        found = reasons(report)
        assert report.count("ingested") == 2
        assert found["zero.pdf"] == "empty"
        assert found["noise.pdf"] in ("corrupt", "unsupported")
        assert found["cut.pdf"] == found["cut.docx"] == "corrupt"
        assert found["blank.txt"] == "empty"
        assert found["broken"] == found["missing.pdf"] == found["empty"] == "missing"
        assert found["pipe"] == "unsupported"
        assert all(Path(item.uri).name in (item.message or "") for item in report.failed)
        assert len(kb.search("oil 报销", 10)) > 0


def test_other_kinds_in_a_folder_are_skipped_but_not_when_named(tmp_path: Path) -> None:
    files = write_files(tmp_path / "files")
    (files / "film.gif").write_bytes(b"GIF89a" + bytes(range(256)))
    with open_base(tmp_path / "kb") as kb:
        report = kb.ingest(files)
        assert report.failed == ()
        assert [i.status for i in report.items if i.uri.endswith(".gif")] == ["skipped"]
        assert str(report) == "2 ingested, 1 skipped"
        assert [i.code for i in kb.ingest(files / "film.gif").failed] == ["unsupported"]


def test_content_decides_not_the_extension(tmp_path: Path) -> None:
    (tmp_path / "page.pdf").write_text("<!DOCTYPE html><h1>Oil</h1><p>Change it.</p>", "utf-8")
    with open_base(tmp_path / "kb") as kb:
        assert kb.ingest(tmp_path / "page.pdf").failed == ()
        assert kb.documents()[0].revision.media_type == "text/html"


def test_too_large(tmp_path: Path) -> None:
    files = write_files(tmp_path / "files")
    with open_base(tmp_path / "kb", max_bytes=100) as kb:
        report = kb.ingest(files)
    assert {item.code for item in report.failed} == {"too_large"}
    assert "raise max_bytes" in (report.failed[0].message or "")


def test_unreadable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = write_files(tmp_path / "files")
    real = Path.open

    def refuse(path: Path, *args: Any, **kwargs: Any) -> Any:
        if path.name == "manual.md":
            raise PermissionError(13, "Permission denied")
        return real(path, *args, **kwargs)

    monkeypatch.setattr(Path, "open", refuse)
    with open_base(tmp_path / "kb") as kb:
        report = kb.ingest(files)
    assert reasons(report) == {"manual.md": "unreadable"}
    assert report.count("ingested") == 1


def test_a_file_that_changes_while_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = write_files(tmp_path / "files")
    real = snapshot.hash_file

    def hash_then_change(path: Path, limit: int) -> tuple[str, int]:
        result = real(path, limit)
        if path.name == "manual.md":
            path.write_text("something else", encoding="utf-8")
        return result

    monkeypatch.setattr("chapterverse.ingest.pipeline.hash_file", hash_then_change)
    with open_base(tmp_path / "kb") as kb:
        report = kb.ingest(files)
        assert reasons(report) == {"manual.md": "changed"}
    monkeypatch.undo()
    with open_base(tmp_path / "kb") as kb:
        assert kb.ingest(files).failed == ()


def test_changes_are_seen_by_content_alone(tmp_path: Path) -> None:
    path = tmp_path / "note.txt"
    path.write_text("The seal lasts 8000 hours.", encoding="utf-8")
    os.utime(path, (1_000_000, 1_000_000))
    with open_base(tmp_path / "kb") as kb:
        kb.ingest(path)
        os.utime(path, (2_000_000, 2_000_000))
        assert kb.ingest(path).count("unchanged") == 1
        path.write_text("The seal lasts 9000 hours.", encoding="utf-8")
        os.utime(path, (2_000_000, 2_000_000))
        assert kb.ingest(path).count("replaced") == 1
        assert "9000" in kb.search("seal", 1)[0].text
        assert len(kb.search("seal", 5)) == 1


def test_disk_full_in_the_database(tmp_path: Path) -> None:
    big = tmp_path / "big.txt"
    big.write_text(
        "\n\n".join(f"Paragraph {n} about pumps and oil." for n in range(20000)), "utf-8"
    )
    with open_base(tmp_path / "kb") as kb:
        kb.ingest_text("The pump needs oil.", "text:small")
        engine = kb._session.database._transactions._engine

        @event.listens_for(engine, "begin")
        def few_pages(connection: object) -> None:
            connection.exec_driver_sql("PRAGMA max_page_count = 300")  # type: ignore[attr-defined]

        with pytest.raises(StoreFull, match="Free some space"):
            kb.ingest(big)
        assert kb.search("pump oil", 1)[0].document.uri == "text:small"
        event.remove(engine, "begin", few_pages)
    with open_base(tmp_path / "kb") as kb:
        with kb._session.database.write() as connection:
            connection.exec_driver_sql("PRAGMA max_page_count = 1000000")
        assert kb.ingest(big).failed == ()
        assert len(kb.documents()) == 2


def test_no_room_for_files(tmp_path: Path) -> None:
    """Files may grow to 200 kB in the child: as on a full disk, writes fail in the middle."""
    files = tmp_path / "files"
    files.mkdir()
    for number in range(60):
        words = " ".join(f"w{number}x{n}" for n in range(1500))
        (files / f"{number:02}.txt").write_text(words, encoding="utf-8")
    command = [sys.executable, "-m", "chapterverse", "ingest", str(files), "--kb", "kb"]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "CHAPTERVERSE_EMBEDDER": "hash"}
    full = subprocess.run(
        command,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000)),
    )
    assert full.returncode == 1, full.stderr
    assert "Traceback" not in full.stderr
    assert full.stderr.startswith("Error: "), full.stderr
    again = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert again.returncode == 0, again.stderr
    with open_base(tmp_path / "kb") as kb:
        assert len(kb.documents()) == 60
        assert kb.search("w7x3", 1, mode="keyword")[0].document.title.startswith("07")


def test_another_process_writes(tmp_path: Path) -> None:
    with open_base(tmp_path / "kb") as kb:
        kb.ingest_text("The pump needs oil.", "text:a")
    script = (
        "import sys\nfrom tests.bases import open_base\n"
        "with open_base('kb') as kb, kb._session.writing():\n"
        "    print('writing', flush=True)\n    sys.stdin.read()\n"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", script],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert other.stdout is not None
    assert other.stdout.readline() == "writing\n"
    with open_base(tmp_path / "kb") as kb:
        assert kb.search("oil", 1)
        with pytest.raises(StoreLocked, match=f"process {other.pid} on "):
            kb.ingest_text("Another.", "text:b")
        assert f"process {other.pid}" in str(kb.status().writer)
    other.communicate("")
    with open_base(tmp_path / "kb") as kb:
        assert kb.ingest_text("Another.", "text:b").status == "ingested"


def test_not_a_base(tmp_path: Path) -> None:
    with pytest.raises(StoreMissing, match="chapterverse ingest"):
        KnowledgeBase.open(tmp_path / "none", create=False)
    for name, content in {
        "text": b"no database at all" * 100,
        "cut": b"SQLite format 3\x00abc",
    }.items():
        folder = tmp_path / name
        folder.mkdir()
        (folder / "kb.sqlite3").write_bytes(content)
        with pytest.raises(StoreCorrupt, match="move it away"):
            open_base(folder)
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    with closing(sqlite3.connect(foreign / "kb.sqlite3")) as connection, connection:
        connection.execute("CREATE TABLE tree (id INTEGER)")
    with pytest.raises(StoreForeign, match="another folder"):
        open_base(foreign)


def test_damaged_database(tmp_path: Path) -> None:
    files = write_files(tmp_path / "files")
    with open_base(tmp_path / "kb") as kb:
        kb.ingest(files)
    path = tmp_path / "kb" / "kb.sqlite3"
    data = bytearray(path.read_bytes())
    data[4096:] = os.urandom(len(data) - 4096)
    path.write_bytes(bytes(data))
    with pytest.raises(StoreCorrupt, match=r"kb\.sqlite3"), open_base(tmp_path / "kb") as kb:
        kb.search("oil")


def test_newer_base(tmp_path: Path) -> None:
    with open_base(tmp_path / "kb"):
        pass
    with closing(sqlite3.connect(tmp_path / "kb" / "kb.sqlite3")) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(StoreNewer, match="'9999'"):
        open_base(tmp_path / "kb")


def test_other_embedder(tmp_path: Path) -> None:
    from chapterverse.engine.hash_embedder import HashEmbedder

    with KnowledgeBase.open(tmp_path / "kb", embedder=HashEmbedder(32)) as kb:
        kb.ingest_text("The pump needs oil.", "text:a")
    with KnowledgeBase.open(tmp_path / "kb", embedder=HashEmbedder(16)) as kb:
        with pytest.raises(StoreMismatch, match="chapterverse rebuild"):
            kb.search("oil")
        with pytest.raises(StoreMismatch, match="chapterverse rebuild"):
            kb.ingest_text("More.", "text:b")
        assert kb.search("oil", mode="keyword")


@pytest.mark.parametrize(
    "query",
    [
        '"oil',
        "a AND (b OR",
        "-" * 33,
        "🛢️",
        "油",
        "x" * 10_000,
        "oil " * 2500,
        "*",
        "field:oil",
        "\\",
        "\x00",
        "\ud800",
        "～！＠",
        "NOT",
        "oil^9",
        "/oil/",
    ],
)
def test_a_query_is_data(tmp_path: Path, query: str) -> None:
    with open_base(tmp_path / "kb") as kb:
        kb.ingest_text("The pump needs oil. 泵需要油。", "text:a")
        for mode in MODES:
            kb.search(query, 3, mode=mode)


def test_wrong_questions(tmp_path: Path) -> None:
    with open_base(tmp_path / "kb") as kb:
        assert kb.search("anything") == ()
        for query in ("", "  \n\t "):
            with pytest.raises(QueryError, match="empty"):
                kb.search(query)
        with pytest.raises(QueryError, match="at least 1"):
            kb.search("oil", 0)
        for k in (1.5, "5", None):
            with pytest.raises(QueryError, match="whole number"):
                kb.search("oil", k)  # type: ignore[arg-type]
        for wrong in (None, 5, b"oil"):
            with pytest.raises(QueryError, match="must be a text"):
                kb.search(wrong)  # type: ignore[arg-type]
        with pytest.raises(QueryError, match="mode"):
            kb.search("oil", mode="both")  # type: ignore[arg-type]
        for name in ("no such document", "\ud800", "a\0b"):
            with pytest.raises(NotFound, match="chapterverse list"):
                kb.get(name)


def test_wrong_settings(tmp_path: Path) -> None:
    for settings in (
        {"child_tokens": 700},
        {"child_tokens": 300, "parent_tokens": 200},
        {"pool": 1},
        {"dense_weight": 0, "keyword_weight": 0},
        {"colour": "red"},
        {"keyword": "lucene"},
        {"embedder": ""},
    ):
        with pytest.raises(SettingsError):
            KnowledgeBase.open(tmp_path / "kb", **settings)
    assert not (tmp_path / "kb").exists()
