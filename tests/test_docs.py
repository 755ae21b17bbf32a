"""What can be typed or set is described, and what is described exists."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from chapterverse.engine.cli import cli
from chapterverse.schema.settings import Settings

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
TEXT = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
GROUPS = [cli]
COMMANDS = [(name, command) for group in GROUPS for name, command in group.commands.items()]
MODULES = [
    f"{folder}/{path.name}"
    for folder in ("schema", "ingest", "engine", "migrations")
    for path in sorted((ROOT / folder).glob("*.py"))
    if path.stem != "__init__"
]


def named(word: str) -> bool:
    """Whether the word stands in the documentation, not as a part of a longer one."""
    return re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", TEXT) is not None


def test_commands_are_found() -> None:
    assert {"ingest", "search", "list", "show", "delete", "status"} <= {n for n, _ in COMMANDS}


@pytest.mark.parametrize(("name", "command"), COMMANDS, ids=[name for name, _ in COMMANDS])
def test_command_and_its_options_are_described(name: str, command: click.Command) -> None:
    assert f"chapterverse {name}" in TEXT
    options = [p for p in command.params if isinstance(p, click.Option) and not p.hidden]
    assert [p.name for p in options if not any(named(word) for word in p.opts)] == []


@pytest.mark.parametrize("field", sorted(Settings.model_fields))
def test_setting_is_described(field: str) -> None:
    assert f"`{field}`" in TEXT


@pytest.mark.parametrize("module", MODULES)
def test_module_is_listed_in_the_architecture(module: str) -> None:
    folder, name = module.split("/")
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    section = page.split(f"### `{folder}/`")[1].split("\n##")[0]
    assert f"| `{name}` |" in section


def test_architecture_lists_no_module_that_is_gone() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    for folder in ("schema", "ingest", "engine", "migrations"):
        section = page.split(f"### `{folder}/`")[1].split("\n##")[0]
        for name in re.findall(r"^\| `(\w+\.py)` \|", section, re.MULTILINE):
            assert (ROOT / folder / name).is_file(), f"{folder}/{name}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target
