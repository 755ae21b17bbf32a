"""Markdown: structure, verbatim code, and the lines everything stands on."""

from __future__ import annotations

import pytest

from chapterverse.ingest.markdown import parse_markdown, read_markdown
from chapterverse.schema.errors import Corrupt
from chapterverse.schema.records import Asset, AssetKind, LineRange

DIARY = """---
title: "Bee diary"
date: 2026-04-02
---

Bee diary
=========

Kept from March
to October.

## Hives

Table 1: Hives

| Hive | Queen |
|------|-------|
| 1    | blue  |
| 2    | `a|b` |

```python
# not a heading
def light(n):  return n < 5
```

1. Open
   - look *inside*
   - close

   again
2. Leave

![Queen cell](cell.png "Figure 1: A cell")

> Taste before you sell.

Feed late.[^1]

[^1]: Ibid
"""


def pick(assets: tuple[Asset, ...], kind: AssetKind) -> list[Asset]:
    return [asset for asset in assets if asset.kind is kind]


def test_diary_structure() -> None:
    parsed = read_markdown(DIARY.encode())
    assert parsed.title == "Bee diary"
    headings = [(a.text, a.level) for a in pick(parsed.assets, AssetKind.HEADING)]
    assert headings == [("Bee diary", 0), ("Hives", 1)]
    table = pick(parsed.assets, AssetKind.TABLE)[0]
    assert table.caption == "Table 1: Hives"
    assert table.table is not None
    assert table.table.rows == (("Hive", "Queen"), ("1", "blue"), ("2", "`a"))
    assert table.table.header_rows == 1
    assert [table.text[a:b] for a, b in table.table.row_spans][1] == "1 | blue"
    assert table.heading_path == ("Hives",)
    code = pick(parsed.assets, AssetKind.CODE)[0]
    assert code.text == "# not a heading\ndef light(n):  return n < 5"
    items = [(a.text, a.level) for a in pick(parsed.assets, AssetKind.LIST_ITEM)]
    assert items == [("1. Open", 0), ("look inside", 1), ("close", 1), ("2. Leave", 0)]
    figure = pick(parsed.assets, AssetKind.FIGURE)[0]
    assert (figure.caption, figure.text) == ("Figure 1: A cell", "Figure 1: A cell\nQueen cell")
    assert "again" in [a.text for a in pick(parsed.assets, AssetKind.PARAGRAPH)]
    assert [a.text for a in pick(parsed.assets, AssetKind.FOOTNOTE)] == ["[^1]: Ibid"]
    assert [w.code for w in parsed.warnings] == ["pictures_left_out"]
    assert parsed.properties["date"] == "2026-04-02"
    assert not any("2026" in asset.text for asset in parsed.assets)


def test_pictures_that_are_not_shown_are_counted() -> None:
    source = "![a](a.png)\n\nText ![b](b.png) and <img src=c.png>.\n\n<p><img src=d.png></p>\n"
    (warning,) = read_markdown(source.encode()).warnings
    assert warning.message.startswith("4 pictures are not shown: ")
    assert read_markdown(b"No picture.").warnings == ()


def test_regions_point_at_the_source_lines() -> None:
    source = DIARY.split("\n")
    assets = parse_markdown(DIARY).assets
    seen = 0
    for asset in assets:
        for region in asset.regions:
            assert region.lines is not None
            words = asset.text[region.start : region.end].split()
            block = " ".join(source[region.lines.first - 1 : region.lines.last])
            if words and asset.kind is not AssetKind.TABLE:
                assert words[-1].strip("*") in block
                seen += 1
    assert seen > 12
    table = pick(assets, AssetKind.TABLE)[0]
    rows = [r.lines.first for r in table.regions if r.lines]
    assert [source[line - 1][:3] for line in rows] == ["Tab", "| H", "| 1", "| 2"]


def test_html_inside_goes_through_the_table_reader() -> None:
    table = "<table><tr><th>N</th><th>V</th></tr><tr><td>x</td><td>1</td></tr></table>"
    box = "<div><p>Seen</p><script>not()</script><ul><li>one</li></ul></div>"
    text = f"a<br>b <b>c</b>\n\n{table}\n\n{box}\n"
    assets = parse_markdown(text).assets
    assert [(str(a.kind), a.text) for a in assets] == [
        ("paragraph", "a b c"),
        ("table", "N | V\nx | 1"),
        ("paragraph", "Seen"),
        ("list_item", "one"),
    ]


def test_chinese_soft_breaks_leave_no_space() -> None:
    asset = parse_markdown("报销单据应当\n按时提交 and\nkept\n").assets[0]
    assert asset.text == "报销单据应当按时提交 and kept"
    assert [asset.text[r.start : r.end] for r in asset.regions] == [
        "报销单据应当",
        "按时提交 and ",
        "kept",
    ]


def test_deep_nesting_is_kept() -> None:
    text = "\n".join(f"{'  ' * n}- item {n}" for n in range(30))
    assert [a.level for a in parse_markdown(text).assets] == list(range(30))


@pytest.mark.parametrize("count", [50, 58, 59, 60, 61, 80, 119, 120, 121, 300])
@pytest.mark.parametrize("mark", ["> ", "- "])
def test_deeper_nesting_is_kept_or_refused(mark: str, count: int) -> None:
    try:
        assets = parse_markdown(mark * count + "word").assets
    except Corrupt as error:
        assert "nested too deeply" in str(error)
        assert count > 50
    else:
        assert [asset.text for asset in assets] == ["word"]


@pytest.mark.parametrize(
    "text", ["", "---\n", "---\n---\n", "|\n|-", "<", "- \n", "![]()", "[^1]:"]
)
def test_odd_input_is_read_without_error(text: str) -> None:
    assert parse_markdown(text).media_type == "text/markdown"


def test_front_matter_is_properties() -> None:
    matter = "title: Bees\ntags: [honey, wax]\ndraft: false\nauthor:\n  name: Ann\n"
    text = f"---\n{matter}---\n\n# A\n\nx\n"
    parsed = parse_markdown(text)
    assert parsed.title == "Bees"
    assert parsed.properties == {"tags": "honey, wax", "draft": "false", "author.name": "Ann"}
    assert [r.lines for a in parsed.assets for r in a.regions] == [
        LineRange(9, 9),
        LineRange(11, 11),
    ]
    toml = parse_markdown('+++\ntitle = "Bees"\nweight = 3\n+++\nx\n')
    assert (toml.title, toml.properties) == ("Bees", {"weight": "3"})


def test_front_matter_that_is_broken_is_reported() -> None:
    parsed = parse_markdown("---\ntitle: [a\n---\nBody.\n")
    assert [asset.text for asset in parsed.assets] == ["Body."]
    assert [warning.code for warning in parsed.warnings] == ["front_matter"]
    rules = parse_markdown("---\n\nOne day passed.\n\n---\n\nTwo.\n")
    assert [asset.text for asset in rules.assets] == ["One day passed.", "Two."]


def test_notes_stand_behind_what_refers_to_them() -> None:
    text = (
        "First.[^a] And.[^long]\n\nSecond^[made here].\n\n[^long]: One.\n\n    Two.\n\n"
        "[^a]: Note.\n[^lost]: Nobody asks.\n"
    )
    assets = parse_markdown(text).assets
    assert [(str(a.kind), a.text) for a in assets] == [
        ("paragraph", "First.[^a] And.[^long]"),
        ("footnote", "[^a]: Note."),
        ("footnote", "[^long]: One."),
        ("footnote", "Two."),
        ("paragraph", "Second."),
        ("footnote", "made here"),
        ("footnote", "[^lost]: Nobody asks."),
    ]
    assert [a.regions[0].lines for a in assets][1:4] == [
        LineRange(9, 9),
        LineRange(5, 5),
        LineRange(7, 7),
    ]


def test_definitions_alerts_tasks_and_heading_attributes() -> None:
    text = "# A {#a .x}\n\nApple\n: A fruit.\n\n> [!NOTE]\n> Mind.\n\n- [x] done\n- [ ] open\n"
    assets = parse_markdown(text).assets
    assert [(str(a.kind), a.text) for a in assets] == [
        ("heading", "A"),
        ("list_item", "Apple: A fruit."),
        ("paragraph", "Note: Mind."),
        ("list_item", "[x] done"),
        ("list_item", "[ ] open"),
    ]
    places = [(assets[1].text[r.start : r.end], r.lines) for r in assets[1].regions]
    assert places == [("Apple: ", LineRange(3, 3)), ("A fruit.", LineRange(4, 4))]


def test_formulas_keep_their_signs() -> None:
    text = "With $a_1*b*c$ for $5 or $6.\n\n$$\nx^2 \\\\ y\n$$\n\n```math\nz\n```\n"
    assets = parse_markdown(text).assets
    assert [(str(a.kind), a.text) for a in assets] == [
        ("paragraph", "With $a_1*b*c$ for $5 or $6."),
        ("formula", "x^2 \\\\ y"),
        ("formula", "z"),
    ]
    assert assets[1].regions[0].lines == LineRange(3, 5)


def test_descriptions_of_pictures_are_marked() -> None:
    (figure,) = parse_markdown('![A cell](img/cell.png "Figure 1: Cell")\n').assets
    (origin,) = figure.origins
    assert (figure.text[origin.start : origin.end], origin.kind) == ("A cell", "alt")


def test_terms_before_code_are_kept() -> None:
    assets = parse_markdown("Run\n:     x = 1\n\nAfter.\n").assets
    assert [(str(a.kind), a.text) for a in assets] == [
        ("paragraph", "Run"),
        ("code", "x = 1"),
        ("paragraph", "After."),
    ]
