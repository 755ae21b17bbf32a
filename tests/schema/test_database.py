"""The database of a knowledge base: made, recognised, migrated, and its transactions."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import produce_migrations
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, event, select, text

import chapterverse
from chapterverse.schema import database as database_module
from chapterverse.schema import sqlite
from chapterverse.schema import tables as t
from chapterverse.schema.database import Database, open_database
from chapterverse.schema.errors import StoreError, StoreForeign, StoreNewer
from tests.bases import open_base

ROOT = Path(__file__).resolve().parents[2]
THIRD = """
import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("document", recreate="always") as batch:
        batch.add_column(sa.Column("author", sa.Text()))
"""


def fresh(folder: Path) -> Database:
    return open_database(folder / "kb.sqlite3", name="test", create=True)


def columns(path: Path, table: str) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]


def test_fresh_database_is_what_the_tables_say(tmp_path: Path) -> None:
    database = fresh(tmp_path)
    with database.read() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        upgrade = produce_migrations(context, t.metadata).upgrade_ops
    database.close()
    assert upgrade is not None
    assert upgrade.as_diffs() == []


def test_schema_version_is_the_head_of_the_scripts() -> None:
    config = Config()
    config.set_main_option("script_location", "chapterverse:migrations")
    config.set_main_option("path_separator", "os")
    script = ScriptDirectory.from_config(config)
    known = {revision.revision for revision in script.walk_revisions()}
    assert script.get_heads() == [database_module.SCHEMA_VERSION]
    assert set(database_module._KNOWN_VERSIONS) == known


def test_pragmas_are_on_in_every_connection(tmp_path: Path) -> None:
    database = fresh(tmp_path)
    for use in (database.read, database.write, database.read):
        with use() as connection:
            found = {
                name: connection.exec_driver_sql(f"PRAGMA {name}").scalar()
                for name in ("journal_mode", "foreign_keys", "busy_timeout", "synchronous")
            }
        assert found == {
            "journal_mode": "wal",
            "foreign_keys": 1,
            "busy_timeout": 10_000,
            "synchronous": 2,
        }
    database.close()


def test_a_write_is_one_transaction(tmp_path: Path) -> None:
    database = fresh(tmp_path)
    with pytest.raises(ZeroDivisionError), database.write() as connection:
        connection.execute(t.job.insert().values(kind="x", state="running", started_at="now"))
        raise ZeroDivisionError
    with database.read() as connection:
        assert connection.execute(select(t.job)).all() == []
    with (
        pytest.raises(StoreError, match=r"kb\.sqlite3 failed: FOREIGN KEY"),
        database.write() as connection,
    ):
        connection.execute(t.job.insert().values(kind="x", state="r", started_at="now"))
        connection.execute(t.document_tag.insert().values(document_id=1, tag="a"))
    with database.read() as connection:
        assert connection.execute(select(t.job)).all() == []
    database.close()


def test_a_read_sees_one_state(tmp_path: Path) -> None:
    database = fresh(tmp_path)

    def jobs(connection: Connection) -> int:
        return len(connection.execute(select(t.job)).all())

    with database.read() as reader:
        assert jobs(reader) == 0
        with database.write() as writer:
            writer.execute(t.job.insert().values(kind="x", state="r", started_at="now"))
        assert jobs(reader) == 0
    with database.read() as reader:
        assert jobs(reader) == 1
    database.close()


@pytest.mark.parametrize("name", ["a?b", "a#b", "a%20b", "知识 库", "mode=ro&x"])
def test_any_folder_name_will_do(tmp_path: Path, name: str) -> None:
    for _ in range(2):
        fresh(tmp_path / name).close()
    assert (tmp_path / name / "kb.sqlite3").stat().st_size > 0
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_the_first_name_stays(tmp_path: Path) -> None:
    fresh(tmp_path).close()
    database = open_database(tmp_path / "kb.sqlite3", name="other", create=True)
    assert database.name == "test"
    database.close()


def test_many_processes_make_one_base(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path\n"
        "from chapterverse.schema.database import open_database\n"
        "sys.stdin.read(1)\n"
        "open_database(Path('kb/kb.sqlite3'), name=sys.argv[1], create=True).close()\n"
    )
    started = [
        subprocess.Popen(
            [sys.executable, "-c", script, str(number)],
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for number in range(4)
    ]
    for process in started:
        assert process.stdin is not None
        process.stdin.write(b"x")
        process.stdin.flush()
    errors = [process.communicate()[1].decode() for process in started]
    assert [process.returncode for process in started] == [0, 0, 0, 0], errors


def test_a_kill_while_the_base_is_made_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = 0
    real = sqlite.configure

    def dying(engine: object, *, foreign_keys: bool = True) -> None:
        real(engine, foreign_keys=foreign_keys)  # type: ignore[arg-type]

        @event.listens_for(engine, "before_cursor_execute")
        def die(_c: object, _u: object, statement: str, *_: object) -> None:
            nonlocal steps
            if statement.lstrip().startswith("CREATE TABLE"):
                steps += 1
                if steps == 5:
                    raise KeyboardInterrupt

    monkeypatch.setattr(sqlite, "configure", dying)
    with pytest.raises(KeyboardInterrupt):
        fresh(tmp_path)
    monkeypatch.undo()
    assert steps == 5
    database = fresh(tmp_path)
    with database.read() as connection:
        assert connection.execute(select(t.document)).all() == []
    database.close()


def with_third_migration(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Behave like the next version of this package: one more migration."""
    target = folder / "migrations"
    shutil.rmtree(target, ignore_errors=True)
    source = Path(chapterverse.__file__).parent / "migrations"
    shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    (target / "versions" / "0003_third.py").write_text(script, encoding="utf-8")
    monkeypatch.setattr(database_module, "_MIGRATIONS", str(target))
    monkeypatch.setattr(database_module, "_KNOWN_VERSIONS", ("0001", "0002", "0003"))
    monkeypatch.setattr(database_module, "SCHEMA_VERSION", "0003")


def test_an_older_base_is_backed_up_and_migrated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_base(tmp_path / "kb") as kb:
        kb.ingest_text("The pump needs oil.", "text:a", tags=["x"])
    with_third_migration(tmp_path, monkeypatch, THIRD)
    with open_base(tmp_path / "kb") as kb:
        assert kb.documents()[0].tags == ("x",)
        assert kb.search("oil", 1)[0].document.uri == "text:a"
    path = tmp_path / "kb" / "kb.sqlite3"
    backup = path.with_name("kb.before-0003.sqlite3")
    assert "author" in columns(path, "document")
    assert "author" not in columns(backup, "document")
    with closing(sqlite3.connect(backup)) as connection:
        assert connection.execute("SELECT uri FROM document").fetchall() == [("text:a",)]
        assert connection.execute("SELECT version_num FROM alembic_version").fetchone() == ("0002",)
    assert not list(path.parent.glob("*.partial"))
    monkeypatch.undo()
    with pytest.raises(StoreNewer, match="'0003'"):
        open_base(tmp_path / "kb")


def test_a_migration_that_fails_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh(tmp_path).close()
    broken = THIRD + '    op.execute("INSERT INTO nothing VALUES (1)")\n'
    with_third_migration(tmp_path, monkeypatch, broken)
    with pytest.raises(StoreError, match=r"kb\.sqlite3"):
        fresh(tmp_path)
    assert "author" not in columns(tmp_path / "kb.sqlite3", "document")
    with_third_migration(tmp_path, monkeypatch, THIRD)
    fresh(tmp_path).close()
    assert "author" in columns(tmp_path / "kb.sqlite3", "document")


def test_backup_of_a_database_in_use(tmp_path: Path) -> None:
    database = fresh(tmp_path)
    with database.write() as connection:
        connection.execute(t.job.insert().values(kind="x", state="r", started_at="now"))
        connection.execute(text("SELECT 1"))
    # What was committed lies in the write-ahead log, not in the file itself.
    sqlite.backup(tmp_path / "kb.sqlite3", tmp_path / "copy.sqlite3")
    database.close()
    with closing(sqlite3.connect(tmp_path / "copy.sqlite3")) as copy:
        assert copy.execute("SELECT kind FROM job").fetchall() == [("x",)]


def test_database_of_an_alembic_user_is_foreign(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "kb.sqlite3")) as connection, connection:
        connection.execute("CREATE TABLE alembic_version (version_num TEXT)")
        connection.execute("INSERT INTO alembic_version VALUES ('0001')")
    with pytest.raises(StoreForeign):
        fresh(tmp_path)
