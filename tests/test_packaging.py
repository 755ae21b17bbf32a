"""The wheel holds the package and nothing else."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ("chapterverse", "engine", "ingest", "schema", "migrations")
BUILD = "import sys; from setuptools import build_meta; build_meta.build_wheel(sys.argv[1])"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Names in a wheel built from a copy, so that the checkout gets no build folder."""
    copy = tmp_path_factory.mktemp("source")
    for name in SOURCES:
        shutil.copytree(
            ROOT / name, copy / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__")
        )
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy / name)
    built = copy / "wheel"
    subprocess.run(
        [sys.executable, "-c", BUILD, str(built)], cwd=copy, check=True, capture_output=True
    )
    (path,) = built.glob("*.whl")
    with zipfile.ZipFile(path) as archive:
        return archive.namelist()


def test_only_our_package_is_on_top(wheel: list[str]) -> None:
    top = {name.split("/")[0] for name in wheel}
    assert "chapterverse" in top
    assert all(name == "chapterverse" or name.endswith(".dist-info") for name in top)
    assert len(top) == 2


def test_types_migrations_and_licence_are_in_the_wheel(wheel: list[str]) -> None:
    assert "chapterverse/py.typed" in wheel
    assert "chapterverse/migrations/env.py" in wheel
    assert "chapterverse/migrations/script.py.mako" in wheel
    assert any(name.endswith("/licenses/LICENSE") for name in wheel)


@pytest.mark.parametrize("folder", ["engine", "ingest", "schema", "migrations/versions"])
def test_every_module_is_in_the_wheel(wheel: list[str], folder: str) -> None:
    modules = {f"chapterverse/{folder}/{path.name}" for path in (ROOT / folder).glob("*.py")}
    assert modules
    assert modules <= set(wheel)
