"""The sheets of an OpenDocument spreadsheet, streamed row by row out of its content part."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO, Any

from chapterverse.ingest.grid import Area, GridCell
from chapterverse.ingest.lines import one_line
from chapterverse.ingest.number_format import plain_number
from chapterverse.ingest.ooxml import local_name

__all__ = ["Drawing", "OdsSheet", "read_sheets"]

_NUMBERS = {"float", "percentage", "currency", "date", "time"}
_DURATION = re.compile(r"(-?)P(?:(\d+)D)?T?(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:[.,]\d+)?S)?")
_FIGURES = re.compile(r"\d(?:[\d.,'\u00a0\u202f\u2019 ]*\d)?")
_MOST_ROWS, _MOST_COLUMNS = 1_048_576, 16_384


@dataclass(frozen=True, slots=True)
class Drawing:
    """What lies over the cell *area*: a picture, a chart, or a shape with text.

    ``link`` leads to the part of a picture or chart, ``text`` is the description of a picture.
    """

    area: Area
    kind: str
    link: str = ""
    text: str = ""


@dataclass(slots=True)
class OdsSheet:
    """One sheet; ``cut`` is the first row left out where the limit stopped it."""

    name: str
    hidden: bool
    cells: dict[int, dict[int, GridCell]] = field(default_factory=dict)
    merges: list[Area] = field(default_factory=list)
    comments: list[tuple[Area, str]] = field(default_factory=list)
    drawings: list[Drawing] = field(default_factory=list)
    row: int = 0
    filled: int = 0
    cut: int | None = None


@dataclass(slots=True)
class _Styles:
    bold: set[str] = field(default_factory=set)
    hidden: set[str] = field(default_factory=set)

    def take(self, style: Any) -> None:
        name = _get(style, "name")
        for part in style:
            if local_name(part) == "text-properties" and _get(part, "font-weight") == "bold":
                self.bold.add(name)
            elif local_name(part) == "table-properties" and _get(part, "display") == "false":
                self.hidden.add(name)


def read_sheets(stream: IO[bytes], most: int) -> Iterator[OdsSheet]:
    """The sheets of the content part, in order; of all together at most *most* filled cells.

    :raises lxml.etree.XMLSyntaxError: not well-formed.
    """
    from lxml import etree

    names = ("style", "table", "table-row", "shapes")
    events = etree.iterparse(
        stream, ("start", "end"), tag=[f"{{*}}{name}" for name in names],
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True,
        remove_comments=True, remove_pis=True,
    )  # fmt: skip
    styles, sheet = _Styles(), None
    for event, element in events:
        name = local_name(element)
        if name == "style":
            if event == "end":
                styles.take(element)
            continue
        if _in_cell(element):
            continue
        if name == "table" and event == "start":
            sheet = OdsSheet(_get(element, "name"), _get(element, "style-name") in styles.hidden)
        elif sheet is None or event == "start":
            continue
        elif name == "table":
            most -= sheet.filled
            yield sheet
            sheet = None
            element.clear()
        elif name == "shapes":
            _draw(sheet, element, Area(1, 1, 1, 1))
        else:
            _row(sheet, element, styles, most)
            element.clear()


def _in_cell(element: Any) -> bool:
    """Whether *element* belongs to a table inside a cell, or to a chart."""
    return next(element.iterancestors("{*}table-cell", "{*}frame"), None) is not None


def _row(sheet: OdsSheet, element: Any, styles: _Styles, most: int) -> None:
    repeated = _count(_get(element, "number-rows-repeated"), _MOST_ROWS)
    first = sheet.row + 1
    sheet.row = min(sheet.row + repeated, _MOST_ROWS)
    found = _cells(sheet, element, styles, first)
    for number in range(first, sheet.row + 1) if found else ():
        if sheet.cut is None and sheet.filled >= most:
            sheet.cut = number
        if sheet.cut is not None:
            return
        sheet.cells[number] = found
        sheet.filled += len(found)


def _cells(sheet: OdsSheet, row: Any, styles: _Styles, number: int) -> dict[int, GridCell]:
    """The filled cells of *row*; what lies over them is added to *sheet*."""
    found: dict[int, GridCell] = {}
    column = 1
    for cell in row:
        if column > _MOST_COLUMNS or local_name(cell) not in ("table-cell", "covered-table-cell"):
            continue
        end = column + _count(_get(cell, "number-columns-repeated"), _MOST_COLUMNS)
        area = Area(number, column, number, column)
        for part in cell:
            if local_name(part) == "annotation":
                lines = (one_line(_text(p)) for p in part if local_name(p) == "p")
                text = " ".join(filter(None, lines))
                sheet.comments += [(area, text)] if text else []
        _draw(sheet, cell, area)
        content = _content(cell, _get(cell, "style-name") in styles.bold)
        if content is not None:
            found |= dict.fromkeys(range(column, min(end, _MOST_COLUMNS + 1)), content)
        height = _count(_get(cell, "number-rows-spanned"), _MOST_ROWS - number + 1)
        width = _count(_get(cell, "number-columns-spanned"), _MOST_COLUMNS - column + 1)
        if height * width > 1:
            sheet.merges.append(Area(number, column, number + height - 1, column + width - 1))
        column = end
    return found


def _content(cell: Any, strong: bool) -> GridCell | None:
    kind = _get(cell, "value-type")
    shown = "\n".join(_text(p) for p in _paragraphs(cell)).strip()
    text = _value(cell, kind, shown)
    return GridCell(text, kind in _NUMBERS, strong) if text.strip() else None


def _paragraphs(cell: Any) -> Iterator[Any]:
    for part in cell:
        if local_name(part) in ("p", "h"):
            yield part
        elif local_name(part) == "table":  # a table inside the cell becomes its text
            yield from part.iter("{*}p")


def _value(cell: Any, kind: str, shown: str) -> str:
    """What a cell says: dates as ISO 8601, numbers as shown but without marks of thousands."""
    if kind == "date":
        return _get(cell, "date-value").replace("T00:00:00", "").replace("T", " ") or shown
    if kind == "time":
        return _duration(_get(cell, "time-value")) or shown
    if kind == "boolean":
        return _get(cell, "boolean-value").upper() or shown
    if kind not in _NUMBERS:
        return shown or _get(cell, "string-value")
    try:
        value = float(_get(cell, "value"))
    except ValueError:
        return shown
    return _plain(shown, value * 100 if kind == "percentage" else value) or plain_number(value)


def _plain(shown: str, value: float) -> str:
    """*shown* with its number written as in code, whichever language it was formatted in."""
    found = _FIGURES.search(shown)
    if found is None:
        return shown
    for point in ".,":
        figures = re.sub(rf"[^\d{point}]", "", found[0]).replace(point, ".")
        places = len(figures.partition(".")[2])
        # A point between groups of digits gives another number than the one that is stored.
        if figures.count(".") < 2 and abs(float(figures) - abs(value)) <= 0.51 * 10.0**-places:
            return shown[: found.start()] + figures + shown[found.end() :]
    return shown


def _duration(value: str) -> str:
    found = _DURATION.fullmatch(value)
    if found is None:
        return ""
    days, hours, minutes, seconds = (int(part or 0) for part in found.groups()[1:])
    return f"{found[1]}{days * 24 + hours:02}:{minutes:02}:{seconds:02}"


def _draw(sheet: OdsSheet, holder: Any, area: Area) -> None:
    """Add what is drawn in *holder*: pictures, charts, and shapes with text."""
    for part in holder:
        name = local_name(part)
        if name in ("g", "a"):
            _draw(sheet, part, area)
        elif name == "frame":
            _frame(sheet, part, area)
        elif name in ("custom-shape", "rect", "ellipse", "caption", "line", "connector", "path"):
            _shape(sheet, part, area)


def _frame(sheet: OdsSheet, frame: Any, area: Area) -> None:
    inside = {local_name(part): part for part in reversed(frame)}
    if "object" in inside:
        sheet.drawings.append(Drawing(area, "object", _get(inside["object"], "href")))
    elif "image" in inside:
        told = [inside[name] for name in ("desc", "title") if name in inside]
        text = next(filter(None, (one_line(e.text or "") for e in told)), "")
        sheet.drawings.append(Drawing(area, "picture", _get(inside["image"], "href"), text))
    else:
        for box in inside.values():
            _shape(sheet, box, area)


def _shape(sheet: OdsSheet, shape: Any, area: Area) -> None:
    for paragraph in shape.iter("{*}p"):
        text = one_line(_text(paragraph))
        if text:
            sheet.drawings.append(Drawing(area, "text", text=text))


def _text(element: Any) -> str:
    pieces = [element.text or ""]
    for child in element:
        name = local_name(child)
        if name == "s":
            pieces.append(" " * _count(_get(child, "c"), 1000))
        elif name in ("tab", "line-break"):
            pieces.append("\t" if name == "tab" else "\n")
        elif name and name not in ("annotation", "ruby-text", "frame", "custom-shape"):
            pieces.append(_text(child))
        pieces.append(child.tail or "")
    return "".join(pieces)


def _get(element: Any, name: str) -> str:
    """The attribute *name* of the namespaces of the format, not of those of a program."""
    for key, value in element.attrib.items():
        space, _, local = key.rpartition("}")
        if local == name and not space.endswith("calcext:1.0"):
            return str(value)
    return ""


def _count(value: str, most: int) -> int:
    return min(int(value), most) if value.isdecimal() and int(value) else 1
