"""Charts as tables: shared and own categories, several levels, titles, newer kinds."""

from __future__ import annotations

from chapterverse.ingest.chart_xml import chart_draft
from chapterverse.ingest.ooxml import parse_xml
from chapterverse.schema.records import Table

C = 'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"'
A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
CX = 'xmlns:cx="http://schemas.microsoft.com/office/drawing/2014/chartex"'


def cache(tag: str, values: list[str], kind: str = "num", code: str = "") -> str:
    points = "".join(f'<c:pt idx="{i}"><c:v>{v}</c:v></c:pt>' for i, v in enumerate(values))
    code = f"<c:formatCode>{code}</c:formatCode>" if code else ""
    inner = f"<c:{kind}Cache>{code}{points}</c:{kind}Cache>"
    return f"<c:{tag}><c:{kind}Ref>{inner}</c:{kind}Ref></c:{tag}>"


def title(text: str) -> str:
    return (
        f"<c:title><c:tx><c:rich><a:p><a:r><a:t>{text}</a:t></a:r></a:p></c:rich></c:tx></c:title>"
    )


def series(name: str, *parts: str) -> str:
    return f"<c:ser>{cache('tx', [name], 'str')}{''.join(parts)}</c:ser>"


def chart(body: str, head: str = "", axes: str = "") -> str:
    return (
        f"<c:chartSpace {C} {A}><c:chart>{head}<c:plotArea><c:bar3DChart>{body}</c:bar3DChart>"
        f"{axes}</c:plotArea></c:chart></c:chartSpace>"
    )


def table(xml: str) -> tuple[str | None, Table, str]:
    draft = chart_draft(parse_xml(xml.encode()))
    assert draft is not None and draft.table is not None
    return draft.caption, draft.table, draft.text


def test_categories_by_series() -> None:
    years = cache("cat", ["2019", "2020"], "str")
    body = series("Ducks", years, cache("val", ["0.25", "0.5"], code="0%"))
    body += series("Geese", years, cache("val", ["3", "4.0000000000000001"]))
    axes = f"<c:catAx>{title('Year')}</c:catAx><c:valAx>{title('Count')}</c:valAx>"
    caption, found, text = table(chart(body, title("Birds"), axes))
    assert caption == "Birds"
    assert found.rows == (("", "Ducks", "Geese"), ("2019", "25%", "3"), ("2020", "50%", "4"))
    assert found.header_rows == 1
    assert text.split("\n") == [
        "Birds",
        " | Ducks | Geese",
        "2019 | 25% | 3",
        "2020 | 50% | 4",
        "(Year)",
        "(Count)",
    ]


def test_a_lone_series_names_its_chart() -> None:
    body = series("2026", cache("cat", ["Q1"], "str"), cache("val", ["1"]))
    assert table(chart(body))[0] is None
    assert table(chart(body, "<c:title><c:overlay val='0'/></c:title>"))[0] == "2026"


def test_points_with_their_own_x() -> None:
    body = series("a", cache("xVal", ["1", "2"]), cache("yVal", ["5", "6"]))
    body += series("b", cache("xVal", ["7"]), cache("yVal", ["8"]))
    assert table(chart(body))[1].rows == (
        ("", "a", "b"),
        ("1", "5", ""),
        ("2", "6", ""),
        ("7", "", "8"),
    )


def test_levels_of_categories() -> None:
    levels = (
        '<c:cat><c:multiLvlStrRef><c:multiLvlStrCache><c:lvl><c:pt idx="0"><c:v>Q1</c:v></c:pt>'
        '<c:pt idx="1"><c:v>Q2</c:v></c:pt><c:pt idx="2"><c:v>Q1</c:v></c:pt></c:lvl><c:lvl>'
        '<c:pt idx="0"><c:v>2023</c:v></c:pt><c:pt idx="2"><c:v>2024</c:v></c:pt></c:lvl>'
        "</c:multiLvlStrCache></c:multiLvlStrRef></c:cat>"
    )
    body = series("x", levels, cache("val", ["1", "2", "3"]))
    assert [row[0] for row in table(chart(body))[1].rows[1:]] == [
        "2023 / Q1",
        "2023 / Q2",
        "2024 / Q1",
    ]


def test_missing_points_and_missing_caches() -> None:
    body = series(
        "x",
        cache("cat", ["a", "b", "c"], "str"),
        '<c:val><c:numRef><c:numCache><c:pt idx="2"><c:v>9</c:v></c:pt></c:numCache></c:numRef>'
        "</c:val>",
    )
    assert table(chart(body))[1].rows == (("", "x"), ("c", "9"))
    assert chart_draft(parse_xml(chart(series("x")).encode())) is None


def test_newer_kinds() -> None:
    xml = (
        f"<cx:chartSpace {CX} {A}><cx:chartData><cx:data id='0'><cx:strDim type='cat'><cx:lvl>"
        "<cx:pt idx='0'>start</cx:pt><cx:pt idx='1'>end</cx:pt></cx:lvl></cx:strDim>"
        "<cx:numDim type='val'><cx:lvl formatCode='General'><cx:pt idx='0'>5</cx:pt>"
        "<cx:pt idx='1'>7</cx:pt></cx:lvl></cx:numDim></cx:data></cx:chartData><cx:chart>"
        "<cx:plotArea><cx:plotAreaRegion><cx:series layoutId='waterfall'><cx:tx><cx:txData>"
        "<cx:v>Cash</cx:v></cx:txData></cx:tx></cx:series></cx:plotAreaRegion></cx:plotArea>"
        "</cx:chart></cx:chartSpace>"
    )
    assert table(xml)[1].rows == (("", "Cash"), ("start", "5"), ("end", "7"))
