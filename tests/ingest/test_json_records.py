"""JSON records: tables, texts with titles, sections, lines, damage and depth."""

from __future__ import annotations

import json

import pytest

from chapterverse.ingest import json_records
from chapterverse.ingest.context import ReadContext
from chapterverse.ingest.json_records import read_json, read_json_lines
from chapterverse.ingest.readers import read
from chapterverse.schema.errors import Corrupt, Empty, TooLarge
from chapterverse.schema.records import AssetKind, LineRange, Parsed


def kinds(parsed: Parsed) -> list[tuple[str, str]]:
    return [(str(asset.kind), asset.text) for asset in parsed.assets]


def test_flat_records_are_a_table() -> None:
    parsed = read_json(b'[\n {"id": 1, "price": 2.50},\n {"id": 2, "price": null, "new": true}\n]')
    (asset,) = parsed.assets
    assert asset.table is not None
    assert asset.table.rows == (("id", "price", "new"), ("1", "2.50", ""), ("2", "", "true"))
    assert asset.table.header_rows == 1
    assert [(r.lines, r.place) for r in asset.regions] == [
        (LineRange(2, 2), "[0]"),
        (LineRange(2, 2), "[0]"),
        (LineRange(3, 3), "[1]"),
    ]


def test_records_with_depth_are_texts_under_their_titles() -> None:
    data = {
        "count": 2,
        "items": [
            {"title": "First", "body": {"parts": [{"text": "a"}, {"text": "b"}], "x y": 1}},
            {"id": 7, "body": {"points": [1, 2, 3]}},
        ],
    }
    parsed = read_json(json.dumps(data, indent=1).encode())
    assert kinds(parsed) == [
        ("paragraph", "count: 2"),
        ("heading", "First"),
        ("paragraph", 'body.parts[0].text: a\nbody.parts[1].text: b\nbody."x y": 1'),
        ("heading", "id: 7"),
        ("paragraph", "id: 7\nbody.points: 1, 2, 3"),
    ]
    assert parsed.assets[2].heading_path == ("First",)
    assert parsed.assets[2].regions[0].place == "items[0]"
    lines = parsed.assets[2].regions[0].lines
    assert lines is not None and lines.first == 4 and lines.last > lines.first


def test_members_with_content_are_sections() -> None:
    parsed = read_json(b'{"server": {"port": 80}, "tags": ["x", "y"], "name": "demo"}')
    assert kinds(parsed) == [
        ("paragraph", "name: demo"),
        ("heading", "server"),
        ("paragraph", "port: 80"),
        ("heading", "tags"),
        ("list_item", "x"),
        ("list_item", "y"),
    ]


def test_long_cells_make_no_table() -> None:
    rows = [{"name": f"n{i}", "text": "word " * 100} for i in range(3)]
    parsed = read_json(json.dumps(rows).encode())
    assert [k for k, _ in kinds(parsed)] == ["heading", "paragraph"] * 3


def test_rows_of_values_are_a_table() -> None:
    parsed = read_json(b'[["a", "b"], ["x", 1], ["y", 2]]')
    assert parsed.assets[0].table is not None
    assert parsed.assets[0].table.header_rows == 1


def test_json_lines_name_bad_lines() -> None:
    data = b'{"title": "A", "t": {"x": 1}}\nnot json\n\n{"title": "B", "t": {"x": 2}}\n[1'
    parsed = read_json_lines(data)
    assert kinds(parsed)[::2] == [("heading", "A"), ("heading", "B")]
    assert parsed.assets[3].regions[0].lines == LineRange(4, 4)
    (warning,) = parsed.warnings
    assert warning.code == "invalid_lines" and "2, 5" in warning.message


@pytest.mark.parametrize(
    "data", [b"[1, 2", b'{"a" 1}', b"[1] 2", b'{"a": 1,, "b": 2}', b'{"a": tru}', b'["x]']
)
def test_broken_json_is_corrupt(data: bytes) -> None:
    with pytest.raises(Corrupt, match="no valid JSON"):
        read_json(data)


def test_no_line_is_json() -> None:
    with pytest.raises(Corrupt, match="none of the 2 lines"):
        read_json_lines(b"{x\n{y\n")


@pytest.mark.parametrize("depth", [150, 100_000])
def test_deep_nesting_is_refused(depth: int) -> None:
    with pytest.raises(TooLarge, match="nested"):
        read_json(b"[" * depth + b'"x"' + b"]" * depth)
    with pytest.raises(TooLarge, match="nested"):
        read_json_lines(b'{"a":' * depth + b'"x"' + b"}" * depth)


def test_values_over_the_limit_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_records, "MAX_CELLS", 6)
    rows = [{"a": i, "b": i} for i in range(50)]
    for parsed in (
        read_json(json.dumps(rows).encode()),
        read_json(json.dumps({"rows": rows, "after": 1}).encode()),
        read_json_lines("\n".join(map(json.dumps, rows)).encode()),
    ):
        table = next(a.table for a in parsed.assets if a.kind is AssetKind.TABLE)
        assert table is not None and len(table.rows) == 4
        assert [w.code for w in parsed.warnings] == ["records_left_out"]


def test_through_the_registry() -> None:
    assert read(b'{"a": 1}\n{"a": 2}\n', ReadContext(name="x.json")).parser == "jsonl/1"
    assert read(b'{"a": "text"}', ReadContext(name="x.json")).parser == "json/1"
    with pytest.raises(Empty):
        read(b'{"a": null}', ReadContext(name="x.json"))
