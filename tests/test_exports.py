"""Every module says what it offers."""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path
from types import ModuleType

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


def public_definitions(module: ModuleType) -> set[str]:
    """Classes and functions that a module defines without a leading underscore."""
    return {
        name
        for name, value in vars(module).items()
        if (inspect.isclass(value) or inspect.isfunction(value))
        and value.__module__ == module.__name__
        and not name.startswith("_")
    }


@pytest.mark.parametrize("name", MODULES)
def test_module_lists_what_it_offers(name: str) -> None:
    module = importlib.import_module(name)
    exported = module.__all__
    assert list(exported) == sorted(set(exported), key=order)
    assert [item for item in exported if not hasattr(module, item)] == []
    assert public_definitions(module) - set(exported) == set()


def test_package_offers_the_public_names() -> None:
    package = importlib.import_module("chapterverse")
    assert {"KnowledgeBase", "__version__"} <= set(package.__all__)
    assert [item for item in package.__all__ if not hasattr(package, item)] == []
