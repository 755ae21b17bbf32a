"""The data of charts (DrawingML) as tables: categories by series.

The values are those that the file caches beside the reference to its workbook. Read from the XML
for all chart types alike; libraries know only some of them (no 3-D charts, no newer kinds).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from chapterverse.ingest.lines import one_line
from chapterverse.ingest.number_format import show_number
from chapterverse.ingest.ooxml import local_name
from chapterverse.ingest.outline import Draft
from chapterverse.ingest.tables import build_table
from chapterverse.schema.records import AssetKind

__all__ = ["chart_draft"]

_MOST_POINTS = 50_000


@dataclass(frozen=True, slots=True)
class _Series:
    """A name, and the values by index under one or more headings (x, y, size)."""

    name: str
    categories: dict[int, str]
    columns: tuple[tuple[str, dict[int, str]], ...]


def chart_draft(root: Any) -> Draft | None:
    """The table of a ``c:chartSpace`` or ``cx:chartSpace``; ``None`` when it caches no values.

    The first row names the series, the first column the categories; the chart's title is the
    caption, its axis titles stand behind the rows.
    """
    series = [s for s in map(_series, _named(root, "ser")) if s.columns]
    series = series or _extended(root)
    if not series:
        return None
    rows = _rows(series)
    if len(rows) < 2:
        return None
    title = _title(root, [s.name for s in series])
    text, table = build_table(rows, 1, title)
    axes = [one_line(_text(t)) for axis in _axes(root) for t in _children(axis, "title")]
    lines = [text, *dict.fromkeys(f"({axis})" for axis in axes if axis)]
    return Draft(AssetKind.TABLE, "\n".join(lines), caption=title, table=table)


def _named(root: Any, *names: str) -> Iterable[Any]:
    return (e for e in root.iter() if local_name(e) in names)


def _children(element: Any, *names: str) -> list[Any]:
    return [child for child in element if local_name(child) in names]


def _axes(root: Any) -> Iterable[Any]:
    return _named(root, "catAx", "valAx", "dateAx", "serAx")


def _text(element: Any) -> str:
    """Text of a title: rich text, else the cached cell that it refers to."""
    written = "".join(
        " " if local_name(e) in ("p", "br") else e.text or ""
        for e in _named(element, "t", "p", "br")
    )
    return written.strip() or " ".join(e.text or "" for e in _named(element, "v"))


def _title(root: Any, names: Sequence[str]) -> str | None:
    for chart in _named(root, "chart"):
        for title in _children(chart, "title"):
            written = one_line(_text(title))
            if not written and len(names) == 1:
                return names[0] or None  # drawn so: a lone series names its chart
            return written or None
    return None


def _series(element: Any) -> _Series:
    parts = {local_name(child): child for child in element}
    name = one_line(_text(parts["tx"])) if "tx" in parts else ""
    if "xVal" in parts or "bubbleSize" in parts:
        x = _points(parts.get("xVal"))
        columns = [(name, _points(parts.get("yVal")))]
        if "bubbleSize" in parts:
            columns.append((f"{name} (size)".strip(), _points(parts["bubbleSize"])))
    else:
        x = _points(parts.get("cat"))
        columns = [(name, _points(parts.get("val")))]
    return _Series(name, x, tuple(column for column in columns if column[1]))


def _points(element: Any | None) -> dict[int, str]:
    """Cached values by index; levels of categories are joined, the outermost first."""
    if element is None:
        return {}
    levels = list(_named(element, "lvl"))
    if len(levels) > 1:
        return _levels(levels)
    code = next((e.text for e in _named(element, "formatCode") if e.text), "General")
    literal = any(True for _ in _named(element, "strCache", "strLit", "multiLvlStrCache"))
    found: dict[int, str] = {}
    for point in _named(element, "pt"):
        index = point.get("idx", "")
        value = next((v.text or "" for v in _children(point, "v")), "")
        if index.isdecimal() and int(index) < _MOST_POINTS:
            own = point.get("formatCode") or code
            found[int(index)] = one_line(value) if literal else _shown(value, own)
    return found


def _levels(levels: Sequence[Any]) -> dict[int, str]:
    """An outer level names all points up to its next one."""
    inner, *outer = [
        {int(p.get("idx", "0")): one_line("".join(p.itertext())) for p in _children(level, "pt")}
        for level in levels
    ]
    joined = {}
    for index, text in sorted(inner.items()):
        above = [max((i for i in level if i <= index), default=None) for level in outer]
        names = [level[i] for level, i in zip(outer, above, strict=True) if i is not None]
        joined[index] = " / ".join([*reversed(names), text])
    return joined


def _shown(value: str, code: str) -> str:
    try:
        return show_number(float(value), code)
    except ValueError:
        return one_line(value)


def _rows(series: Sequence[_Series]) -> list[list[str]]:
    shared = all(s.categories == series[0].categories or not s.categories for s in series)
    groups = [series] if shared else [[s] for s in series]
    header = ["", *(name for s in series for name, _ in s.columns)]
    rows = [header]
    done = 0
    for group in groups:
        names = group[0].categories
        columns = [values for s in group for _, values in s.columns]
        for index in sorted({*names, *(i for values in columns for i in values)}):
            cells = [values.get(index, "") for values in columns]
            if not any(cells):
                continue
            row = [names.get(index, str(index + 1)), *[""] * done, *cells]
            rows.append(row + [""] * (len(header) - len(row)))
        done += len(columns)
    return rows


def _extended(root: Any) -> list[_Series]:
    """Series of the newer charts (waterfall, treemap, box plot, funnel)."""
    series = []
    names = [one_line(_text(tx)) for s in _named(root, "series") for tx in _children(s, "tx")]
    for number, data in enumerate(d for d in _named(root, "data") if d.get("id") is not None):
        columns, categories = [], dict[int, str]()
        for dim in _children(data, "strDim", "numDim"):
            levels = [
                {int(p.get("idx", "0")): one_line(p.text or "") for p in _children(level, "pt")}
                for level in _children(dim, "lvl")
            ]
            if local_name(dim) == "numDim" and levels:
                code = re.sub(r"^$", "General", _children(dim, "lvl")[0].get("formatCode") or "")
                columns.append({i: _shown(v, code) for i, v in levels[0].items()})
            elif levels:
                categories = {
                    i: " / ".join(dict.fromkeys(x[i] for x in reversed(levels) if i in x))
                    for i in levels[0]
                }
        name = names[number] if number < len(names) else ""
        series.append(_Series(name, categories, tuple((name, values) for values in columns)))
    return [s for s in series if s.columns]
