"""Files and functions stay small enough to be read in one go."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("engine", "ingest", "schema", "migrations", "tests", "benchmarks", "examples")
MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 45
SOURCES = [
    ROOT / "dev",
    *(path for name in FOLDERS for path in sorted((ROOT / name).rglob("*.py"))),
]


def long_functions(source: str) -> list[str]:
    """Functions over the limit, decorators and docstring left out."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        length = (node.end_lineno or node.lineno) - node.lineno + 1
        if ast.get_docstring(node) is not None:
            length -= (node.body[0].end_lineno or 0) - node.body[0].lineno + 1
        if length > MAX_FUNCTION_LINES:
            found.append(f"{node.name}: {length} lines")
    return found


def test_sources_are_found() -> None:
    assert len(SOURCES) > 20


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_file_and_its_functions_are_short(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    assert len(source.splitlines()) <= MAX_FILE_LINES
    # A migration is a flat list of statements; cutting it up would not make it shorter.
    if path.parent.name != "versions":
        assert long_functions(source) == []


def test_a_long_function_is_seen() -> None:
    body = "\n".join(f"    x{n} = {n}" for n in range(MAX_FUNCTION_LINES))
    assert long_functions(f"def f():\n{body}\n") == [f"f: {MAX_FUNCTION_LINES + 1} lines"]
    assert long_functions("def g():\n    '''" + "\n" * 99 + "'''\n    return 1\n") == []
