"""Imports point one way; the contracts are in pyproject.toml."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RUN = """
import sys
from importlinter.cli import lint_imports
sys.exit(lint_imports(no_cache=True, no_logo=True))
"""


def contracts(folder: Path) -> subprocess.CompletedProcess[str]:
    """The import contracts checked with *folder* as the project."""
    return subprocess.run(
        [sys.executable, "-c", RUN], cwd=folder, capture_output=True, text=True, check=False
    )


def test_contracts_hold() -> None:
    result = contracts(ROOT)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "0 broken" in result.stdout


def test_an_import_against_the_direction_is_seen(tmp_path: Path) -> None:
    package = tmp_path / "chapterverse"
    files = {
        "__init__.py": "",
        "__main__.py": "",
        "engine/__init__.py": "",
        "engine/app.py": "import chapterverse.ingest.pool",
        "engine/cli.py": "import chapterverse.engine.app",
        "engine/console.py": "",
        "engine/fuse.py": "import chapterverse.ingest.pool",
        "ingest/__init__.py": "",
        "ingest/pool.py": "import chapterverse.schema.ids",
        "migrations/__init__.py": "",
        "schema/__init__.py": "",
        "schema/ids.py": "",
    }
    for name, text in files.items():
        path = package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    settings = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert len(tomllib.loads(settings)["tool"]["importlinter"]["contracts"]) == 4
    (tmp_path / "pyproject.toml").write_text(settings, encoding="utf-8")
    result = contracts(tmp_path)
    assert result.returncode == 1
    assert "3 kept, 1 broken" in result.stdout
    assert "chapterverse.engine.fuse -> chapterverse.ingest.pool" in result.stdout
