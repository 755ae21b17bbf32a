"""Source files: whole lines, cut between functions, with the names that stand above them."""

from __future__ import annotations

import pytest

from chapterverse.ingest.code import language, read_code
from chapterverse.ingest.context import ReadContext
from chapterverse.schema.records import AssetKind, LineRange, Parsed

PYTHON = '''#!/usr/bin/env python
"""A pump."""

import os
import sys

LIMIT = 3


# Opens the valve.
@cached
def open_valve(n):
    """Open it."""

    if n > LIMIT:
        return None

    return n


class Pump:
    oil = 1

    def start(self):
        pass
'''


def parse(source: str, name: str = "a.py") -> Parsed:
    return read_code(source.encode(), ReadContext(name=name))


def test_blocks_paths_and_lines() -> None:
    parsed = parse(PYTHON)
    assert [(a.text.split("\n")[0], a.heading_path) for a in parsed.assets] == [
        ("#!/usr/bin/env python", ()),
        ("# Opens the valve.", ("open_valve",)),
        ("class Pump:", ("Pump",)),
    ]
    assert parsed.properties["language"] == "Python"
    assert {asset.kind for asset in parsed.assets} == {AssetKind.CODE}


@pytest.mark.parametrize("repeat", [1, 40])
def test_every_line_is_kept_where_it_stands(repeat: int) -> None:
    source = PYTHON + "".join(
        f"\ndef f{n}():\n" + "    x = 1\n" * 30 + "\n    y = 2\n" for n in range(repeat)
    )
    lines, seen = source.split("\n"), []
    for asset in parse(source).assets:
        assert asset.text.count("\n") < 80
        for region in asset.regions:
            assert region.lines is not None
            assert region.lines.first == region.lines.last
            seen.append(region.lines.first)
            assert asset.text[region.start : region.end].rstrip("\n") == lines[seen[-1] - 1]
    assert seen == sorted(set(seen))
    assert {n for n, line in enumerate(lines, 1) if line.strip()} <= set(seen)


def test_long_classes_are_cut_between_their_methods() -> None:
    methods = "".join(f"    def m{n}(self):\n" + "        pass\n" * 25 + "\n" for n in range(6))
    assets = parse(f"class Long:\n{methods}").assets
    assert len(assets) > 1
    starts = [asset.text.split("\n")[0].strip() for asset in assets]
    assert all(start.startswith(("class Long", "def m")) for start in starts)
    assert assets[0].heading_path == ("Long",)
    assert all(asset.heading_path[0] == "Long" for asset in assets)
    assert all(asset.heading_path[1].startswith("m") for asset in assets[1:])


BRACES = "function one() {\n  a()\n\n  b()\n}\n\nexport const two = async (x) => {\n  c()\n}\n"


@pytest.mark.parametrize(
    ("source", "name", "names"),
    [
        (BRACES, "a.js", ["one", "two"]),
        ("func (p *Pump) Start() error {\n\treturn nil\n}\n", "a.go", ["Start"]),
        ("pub(crate) fn run<T>() {}\n\nimpl Pump {\n}\n", "a.rs", ["run", "Pump"]),
        ("public static class Pump {\n}\n", "A.java", ["Pump"]),
        ("CREATE TABLE parts (\n  id int\n);\n", "a.sql", ["parts"]),
        ("select * from parts\n", "a.sql", [None]),
        ("key: value\nlist:\n  - a\n", "a.yaml", [None]),
    ],
)
def test_definitions_of_other_languages(source: str, name: str, names: list[str | None]) -> None:
    paths = [asset.heading_path for asset in parse(source, name).assets]
    assert paths == [() if found is None else (found,) for found in names]


def test_languages() -> None:
    assert language("Makefile") == "Make"
    assert language("run", "#!/bin/bash") == "Shell"
    assert language("a.unknown") is None


def test_indented_and_odd_files_are_read() -> None:
    assert [a.text for a in parse("    a\n\n  b\n").assets] == ["    a\n\n  b"]
    assert parse("\n\n").assets == ()
    one = "x" * 100_000
    assert parse(one).assets[0].regions[0].lines == LineRange(1, 1)
