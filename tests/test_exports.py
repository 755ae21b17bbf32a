"""Every module says what it offers."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MODULES = [
    f"chapterverse.{folder}.{path.stem}"
    for folder in ("engine", "ingest", "schema")
    for path in sorted((ROOT / folder).glob("*.py"))
    if path.stem != "__init__"
]


def order(name: str) -> tuple[int, str]:
    """Constants, then classes, then functions, each by name (as ruff sorts)."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)


def public_definitions(path: Path) -> set[str]:
    """Classes and functions at the top of a file without a leading underscore."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    kinds = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return {node.name for node in tree.body if isinstance(node, kinds)} - {
        node.name for node in tree.body if isinstance(node, kinds) and node.name.startswith("_")
    }


@pytest.mark.parametrize("name", MODULES)
def test_module_lists_what_it_offers(name: str) -> None:
    module = importlib.import_module(name)
    exported = module.__all__
    assert list(exported) == sorted(set(exported), key=order)
    assert [item for item in exported if not hasattr(module, item)] == []
    assert module.__file__ is not None
    assert public_definitions(Path(module.__file__)) - set(exported) == set()


def test_package_offers_the_public_names() -> None:
    package = importlib.import_module("chapterverse")
    assert {"KnowledgeBase", "__version__"} <= set(package.__all__)
    assert [item for item in package.__all__ if not hasattr(package, item)] == []
