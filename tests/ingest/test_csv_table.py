"""Delimited text: delimiter, quotes, encodings, lines, headers, limits."""

from __future__ import annotations

import pytest

from chapterverse.ingest import csv_table
from chapterverse.ingest.context import ReadContext
from chapterverse.ingest.csv_dialect import find_delimiter, read_records
from chapterverse.ingest.csv_table import read_csv, read_tsv
from chapterverse.ingest.readers import read
from chapterverse.schema.errors import Empty
from chapterverse.schema.records import Asset, AssetKind, LineRange, Table


def table_of(data: bytes) -> tuple[Asset, Table]:
    (asset,) = [a for a in read_csv(data).assets if a.kind is AssetKind.TABLE]
    assert asset.table is not None
    return asset, asset.table


def test_quotes_line_breaks_and_lines() -> None:
    data = b'\xef\xbb\xbfname,remark\r\nOak,"a, b"\r\nLime,"two\nlines"\r\nYew,"said ""hi"""\r\n'
    asset, table = table_of(data)
    assert table.rows == (
        ("name", "remark"),
        ("Oak", "a, b"),
        ("Lime", "two lines"),
        ("Yew", 'said "hi"'),
    )
    assert table.header_rows == 1
    lines = [(r.lines.first, r.lines.last) for r in asset.regions if r.lines]
    assert lines == [(1, 1), (2, 2), (3, 4), (5, 5)]
    assert asset.text[asset.regions[2].start : asset.regions[2].end] == "Lime | two lines"


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_the_delimiter_is_measured(mark: str) -> None:
    text = mark.join(["a", "b", "c"]) + "\n" + mark.join(["1,5", "x", "y"]) + "\n"
    quoted = text.replace("1,5", '"1,5"')
    _, table = table_of(quoted.encode())
    assert table.rows == (("a", "b", "c"), ("1,5", "x", "y"))


def test_decimal_commas_and_prose_do_not_mislead() -> None:
    assert find_delimiter(["Preis;Menge", "1,50;2", "2,75;3", "12,00;4"]) == ";"
    assert find_delimiter(["id|text", "1|well, then", "2|no", "3|a, b, c"]) == "|"
    assert find_delimiter(["sep=;", "a,b;c"]) == ";"
    assert find_delimiter(["one column", "only"], "\t") == "\t"


def test_lines_before_the_table_are_text() -> None:
    data = b"# made by hand\nSales of the year,,\n\nregion,q1,q2\nnorth,1,2\nsouth,3,4\n"
    parsed = read_csv(data)
    assert [(str(a.kind), a.text.split("\n")[0]) for a in parsed.assets] == [
        ("paragraph", "made by hand"),
        ("paragraph", "Sales of the year"),
        ("table", "region | q1 | q2"),
    ]
    assert [a.regions[0].lines for a in parsed.assets] == [
        LineRange(1, 1),
        LineRange(2, 2),
        LineRange(4, 4),
    ]
    assert parsed.page_count is None


def test_ragged_rows_and_trailing_delimiters() -> None:
    _, table = table_of(b"a,b,c,\n1,2,3,\n4,5\n6,7,8,9\n")
    assert table.rows == (
        ("a", "b", "c", ""),
        ("1", "2", "3", ""),
        ("4", "5", "", ""),
        ("6", "7", "8", "9"),
    )
    assert table_of(b"a,b,\n1,2,\n3,4,\n")[1].rows[0] == ("a", "b")


def test_a_table_without_header() -> None:
    assert table_of(b"1,2\n3,4\n5,6\n")[1].header_rows == 0
    assert table_of(b"name,value\nx,1\ny,2\n")[1].header_rows == 1
    assert table_of(b"Country,2019,2020\nNorway,1,2\nItaly,3,4\n")[1].header_rows == 1


def test_encodings_are_told() -> None:
    parsed = read_csv("名称,数量\n苹果,三\n梨,四\n香蕉,五\n".encode("gb18030"))
    assert parsed.assets[0].table is not None
    assert parsed.assets[0].table.rows[1] == ("苹果", "三")
    assert parsed.properties["encoding"] == "gb18030"
    wide = read_csv("a;b\n1;2\n".encode("utf-16"))
    assert wide.assets[0].table is not None and wide.assets[0].table.rows[0] == ("a", "b")


def test_a_quote_that_is_never_closed_swallows_one_line_only() -> None:
    lines = ["a,b", '"x,1'] + [f"r{n},{n}" for n in range(20_000)]
    records = list(read_records(lines, ","))
    assert records[1].fields == ('"x', "1")
    assert len(records) == 20_002
    inch = list(read_records(["size,n", '5" pipe,1', '6" pipe,2'], ","))
    assert inch[1].fields == ('5" pipe', "1")


def test_rows_over_the_limit_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_table, "MAX_CELLS", 10)
    parsed = read_csv(b"a,b\n" + b"1,2\n" * 50)
    assert parsed.assets[0].table is not None and len(parsed.assets[0].table.rows) == 5
    (warning,) = parsed.warnings
    assert warning.code == "rows_left_out" and "lines from 6 on" in warning.message


def test_through_the_registry() -> None:
    assert read(b"a\tb\n1\t2\n", ReadContext(name="x.tsv")).properties["delimiter"] == "tab"
    assert read_tsv(b"a\n").assets[0].text == "a"
    with pytest.raises(Empty):
        read(b"\n\n\n", ReadContext(name="x.csv"))
