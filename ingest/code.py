"""Source code: blocks of whole lines, never cut inside a function where indentation tells.

Text is kept as it stands; the assets of a file together hold all of its lines that are not blank.
Definitions give the heading path, without a language's grammar: their first line is recognised by
its keyword.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from chapterverse.ingest.context import DEFAULT_CONTEXT, ReadContext
from chapterverse.ingest.encoding import decode
from chapterverse.ingest.lines import join_lines, line_regions
from chapterverse.ingest.media_types import CODE
from chapterverse.ingest.plain import decoding_warnings, encoding_properties
from chapterverse.schema.records import Asset, AssetKind, Parsed

__all__ = ["PARSER", "language", "read_code"]

PARSER = "code/1"
_MOST_LINES = 80
"""Blocks are joined up to this length, and longer ones cut at their inner blank lines."""

_LANGUAGES = {
    "bash": "Shell", "sh": "Shell", "zsh": "Shell", "bat": "Batch", "ps1": "PowerShell",
    "c": "C", "h": "C", "cc": "C++", "cpp": "C++", "cxx": "C++", "hpp": "C++", "cs": "C#",
    "clj": "Clojure", "cmake": "CMake", "cmakelists.txt": "CMake", "css": "CSS", "scss": "CSS",
    "less": "CSS", "dart": "Dart", "dockerfile": "Dockerfile", "erl": "Erlang", "ex": "Elixir",
    "exs": "Elixir", "fs": "F#", "go": "Go", "gradle": "Groovy", "groovy": "Groovy",
    "hs": "Haskell", "ini": "INI", "cfg": "INI", "java": "Java", "jl": "Julia",
    "js": "JavaScript", "jsx": "JavaScript", "mjs": "JavaScript", "kt": "Kotlin",
    "kts": "Kotlin", "lua": "Lua", "m": "Objective-C", "makefile": "Make", "ml": "OCaml",
    "php": "PHP", "pl": "Perl", "pm": "Perl", "proto": "Protocol Buffers", "py": "Python",
    "pyi": "Python", "r": "R", "rb": "Ruby", "rs": "Rust", "scala": "Scala", "sql": "SQL",
    "swift": "Swift", "tcl": "Tcl", "tf": "Terraform", "toml": "TOML", "ts": "TypeScript",
    "tsx": "TypeScript", "v": "Verilog", "vb": "Visual Basic", "vue": "Vue", "xml": "XML",
    "xsd": "XML", "yaml": "YAML", "yml": "YAML", "zig": "Zig",
}  # fmt: skip
_SHEBANG = re.compile(r"#!.*?\b(python|bash|sh|zsh|perl|ruby|node|php|lua|Rscript)", re.I)
_INTERPRETERS = {
    "python": "Python", "bash": "Shell", "sh": "Shell", "zsh": "Shell", "perl": "Perl",
    "ruby": "Ruby", "node": "JavaScript", "php": "PHP", "lua": "Lua", "rscript": "R",
}  # fmt: skip
_BEFORE = (
    r"(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|pub"
    r"(?:\([\w:]+\))?|unsafe|const|inline|virtual|override|partial|sealed|open|data|extern|local"
    r"|declare|create|or\s+replace)\s+)*"
)
_DEFINITION = re.compile(
    rf"\s*{_BEFORE}(?P<word>class|interface|struct|enum|trait|impl|module|namespace|protocol|record"
    r"|object|def|fn|func|function|fun|sub|procedure|proc|table|view|message|service|defmodule"
    r"|defp?)\b[\s*&]*(?:\([^()]{0,80}\)\s*)?(?P<name>[A-Za-z_$@\"`][\w$.:\"`]*[?!]?)",
    re.I,
)
_ARROW = re.compile(
    r"\s*(?:export\s+)?(?:const|let|var)\s+(?P<name>[A-Za-z_$][\w$]*)\s*=\s*(?:async\s*)?"
    r"(?:function\b|\([^()]*\)\s*=>|[\w$]+\s*=>)"
)
_SQL_WORDS = {"table", "view", "procedure", "sub", "proc", "message", "service", "object", "record"}
_CONTINUES = re.compile(r"(?:[)\]}]|else\b|elif\b|except\b|finally\b|catch\b|end\b|\.\w)", re.I)
_LEADS = re.compile(r"(?:@\w|#\[|//|/\*|\*|--|#(?!include|define|if|endif|pragma)|\"\"\"|''')")


@dataclass(frozen=True, slots=True)
class _Group:
    """Lines ``[start, end)``, counted from 0, that belong together."""

    start: int
    end: int


def read_code(data: bytes, context: ReadContext = DEFAULT_CONTEXT) -> Parsed:
    """Read a source file as ``CODE`` assets with exact line regions.

    ``properties`` names the language, told by the file name or the first line.
    """
    decoded = decode(data)
    lines = decoded.text.split("\n")
    found = language(context.name, lines[0])
    properties = encoding_properties(decoded) | ({"language": found} if found else {})
    groups = [piece for group in _joined(_groups(lines), lines) for piece in _cut(group, lines)]
    return Parsed(
        CODE,
        PARSER,
        tuple(_assets(groups, lines)),
        warnings=decoding_warnings(decoded),
        properties=properties,
    )


def language(name: str, first_line: str = "") -> str | None:
    """The language of a file by its *name*, else by the interpreter that its first line names."""
    path = PurePath(name.lower())
    known = _LANGUAGES.get(path.suffix[1:]) or _LANGUAGES.get(path.name)
    if known is not None:
        return known
    found = _SHEBANG.match(first_line)
    return _INTERPRETERS[found[1].lower()] if found else None


def _groups(lines: Sequence[str]) -> Iterator[_Group]:
    """Top-level blocks: a new one begins at column 0 behind a blank line, or at a definition."""
    start: int | None = None
    end = 0
    for number, line in enumerate(lines):
        if not line.strip():
            continue
        begins = start is None or (
            not line[0].isspace()
            and not _CONTINUES.match(line)
            and (end < number or (_name(line) is not None and not _leads(lines, start, number)))
        )
        if begins:
            if start is not None:
                yield _Group(start, end)
            start = number
        end = number + 1
    if start is not None:
        yield _Group(start, end)


def _leads(lines: Sequence[str], start: int, end: int) -> bool:
    """Whether all lines before a definition are its comments and decorators."""
    return all(_LEADS.match(line) or line[:1].isspace() for line in lines[start:end] if line)


def _joined(groups: Iterator[_Group], lines: Sequence[str]) -> Iterator[_Group]:
    """Neighbouring blocks without a definition made one, as far as they stay short."""
    last: _Group | None = None
    for group in groups:
        whole = group.end - (last.start if last else 0)
        plain = last is not None and not _defines(group, lines) and not _defines(last, lines)
        if last is not None and plain and whole <= _MOST_LINES:
            last = _Group(last.start, group.end)
            continue
        # A comment alone belongs to what it stands above.
        if last is not None and _is_comment(last, lines) and group.end - last.start <= _MOST_LINES:
            last = _Group(last.start, group.end)
            continue
        if last is not None:
            yield last
        last = group
    if last is not None:
        yield last


def _defines(group: _Group, lines: Sequence[str]) -> bool:
    return any(
        _name(line) is not None for line in lines[group.start : group.end] if not line[:1].isspace()
    )


def _is_comment(group: _Group, lines: Sequence[str]) -> bool:
    return all(
        _LEADS.match(line.strip()) for line in lines[group.start : group.end] if line.strip()
    )


def _cut(group: _Group, lines: Sequence[str]) -> Iterator[_Group]:
    """*group*, in pieces when it is long: cut where the indentation is least."""
    start = group.start
    while group.end - start > _MOST_LINES:
        place = _cut_place(lines, start, min(start + _MOST_LINES, group.end - 1))
        yield _trimmed(lines, start, place)
        start = place
    yield _trimmed(lines, start, group.end)


def _trimmed(lines: Sequence[str], start: int, end: int) -> _Group:
    while start < end and not lines[start].strip():
        start += 1
    while end > start and not lines[end - 1].strip():
        end -= 1
    return _Group(start, end)


def _cut_place(lines: Sequence[str], start: int, last: int) -> int:
    """The best line in the later part of ``(start, last]`` to begin a new piece with."""

    def cost(number: int) -> tuple[int, int]:
        line = lines[number]
        indent = len(line) - len(line.lstrip())
        after_blank = not lines[number - 1].strip()
        closes = bool(_CONTINUES.match(line.strip()))
        unit = 4 if _name(line) is None else 0
        return (indent + unit + (0 if after_blank else 12) + (100 if closes else 0), -number)

    places = [n for n in range(start + _MOST_LINES // 4, last + 1) if lines[n].strip()]
    return min(places, key=cost, default=last)


def _name(line: str) -> str | None:
    """What *line* defines, ``None`` when it defines nothing."""
    found = _DEFINITION.match(line)
    if found is not None:
        word = found["word"].lower()
        if word not in _SQL_WORDS or re.match(r"\s*create\b|.*[({:]\s*$", line, re.I):
            return found["name"].strip('"`').rstrip(":")
    arrow = _ARROW.match(line)
    return None if arrow is None else arrow["name"]


def _assets(groups: Sequence[_Group], lines: Sequence[str]) -> Iterator[Asset]:
    opened: list[tuple[int, str]] = []
    ordinal = 0
    for group in groups:
        if group.start >= group.end:
            continue
        path, opened = _path(group, lines, opened)
        text, starts = join_lines(lines[group.start : group.end], "\n")
        regions = line_regions(starts, len(text), group.start + 1)
        yield Asset(ordinal, AssetKind.CODE, text, regions, heading_path=path)
        ordinal += 1


def _path(
    group: _Group, lines: Sequence[str], opened: list[tuple[int, str]]
) -> tuple[tuple[str, ...], list[tuple[int, str]]]:
    """Names of the definitions around and at the start of *group*; and what is open behind it."""
    first: tuple[str, ...] | None = None
    for line in lines[group.start : group.end]:
        if not line.strip():
            continue
        indent = len(line) - len(line.lstrip())
        name = _name(line)
        if not _CONTINUES.match(line.strip()):
            opened = [(depth, n) for depth, n in opened if depth < indent]
        if name is not None:
            opened = [*opened, (indent, name)]
        leads = name is None and _LEADS.match(line.strip()) is not None
        if first is None and not leads:
            first = tuple(n for _, n in opened)
    return first or (), opened
