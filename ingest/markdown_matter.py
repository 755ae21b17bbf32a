"""Front matter of Markdown files (YAML or TOML) as properties."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from chapterverse.ingest.lines import one_line
from chapterverse.schema.records import ParseWarning

__all__ = ["FrontMatter", "split_front_matter"]

_YAML = re.compile(r"\A---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.S | re.M)
_TOML = re.compile(r"\A\+\+\+[ \t]*\n(.*?)^\+\+\+[ \t]*(?:\n|\Z)", re.S | re.M)
_KEY = re.compile(r"^[\"']?[^\W\d][\w .-]*[\"']?\s*[:=]", re.M)
_LONGEST, _MOST = 2_000, 200


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What stood before the body: its title, its other values, and the lines that it takes."""

    title: str | None = None
    properties: dict[str, str] | None = None
    lines: int = 0
    warnings: tuple[ParseWarning, ...] = ()


def split_front_matter(text: str) -> tuple[FrontMatter, str]:
    """The front matter of *text* and the body behind it.

    Values that are texts, numbers, dates or lists of these become properties, lists joined by
    ``", "``, tables one level deep as ``key.name``. A block that cannot be parsed is no body text
    either; a warning says so. Rules between paragraphs are not taken for front matter.
    """
    yaml_block, toml_block = _YAML.match(text), _TOML.match(text)
    match = yaml_block or toml_block
    if match is None or not _KEY.search(match[1]):
        return FrontMatter(), text
    lines, body = match[0].count("\n"), text[match.end() :]
    try:
        found = _load(match[1], toml=toml_block is not None)
    except ValueError as exc:
        message = f"the front matter cannot be parsed and is not searched: {one_line(str(exc))}"
        warning = ParseWarning("front_matter", message[:500])
        return FrontMatter(lines=lines, warnings=(warning,)), body
    if not isinstance(found, dict):
        return FrontMatter(), text
    values = _flat(found)
    title = next((values.pop(key) for key in list(values) if key.lower() == "title"), None)
    return FrontMatter(title or None, values, lines), body


def _load(block: str, *, toml: bool) -> Any:
    """The value of *block*.

    :raises ValueError: it is not well-formed.
    """
    if toml:
        import tomllib

        return tomllib.loads(block)
    import yaml

    try:
        return yaml.safe_load(block)
    except (yaml.YAMLError, RecursionError) as exc:
        raise ValueError(str(exc)) from exc


def _flat(found: dict[Any, Any]) -> dict[str, str]:
    values: dict[str, str] = {}
    for key, value in found.items():
        inner = value.items() if isinstance(value, dict) else ()
        named = [(f"{key}.{name}", v) for name, v in inner] or [(str(key), value)]
        for name, one in named:
            text = _shown(one)
            if text and len(values) < _MOST:
                values[name] = text
    return values


def _shown(value: Any) -> str:
    if isinstance(value, list | tuple | set):
        # Aliases of YAML can make a short list stand for a huge one: not looked into.
        items = [_shown(item) for item in list(value)[:_MOST] if not isinstance(item, list | dict)]
        return ", ".join(filter(None, items))[:_LONGEST]
    if value is None or isinstance(value, dict):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return one_line(str(value))[:_LONGEST]
