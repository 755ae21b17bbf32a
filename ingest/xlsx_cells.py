"""The cells of one worksheet, streamed: memory grows with filled cells, not with the used range.

A sheet may style a million empty cells. They are cut out of the bytes before the XML is parsed,
which costs a scan and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import IO, Any, TypeVar

from chapterverse.ingest.grid import Area, GridCell, parse_area
from chapterverse.ingest.number_format import is_date_code, show_number
from chapterverse.ingest.ooxml import local_name
from chapterverse.ingest.xlsx_styles import CellStyle

__all__ = ["Worksheet", "read_strings", "read_worksheet"]

_T = TypeVar("_T")
_CHUNK = 1 << 20
# Only cells that say where they stand: without that, empty ones count for those behind them.
_EMPTY = re.compile(rb"<c\b(?=[^<>]*\sr=\")[^<>]*(?:/>|(?<!/)></c>)")
_EMPTY_ROW = re.compile(rb"<row\b(?=[^<>]*\sr=\")[^<>]*(?:/>|(?<!/)></row>)")
_ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f\ufffe\uffff]")
_PLAIN = CellStyle()


@dataclass(slots=True)
class Worksheet:
    """What a worksheet part holds. ``cut`` is the last row read where the limit stopped it."""

    cells: dict[int, dict[int, GridCell]] = field(default_factory=dict)
    merges: list[Area] = field(default_factory=list)
    frozen_rows: int = 0
    hidden_rows: list[int] = field(default_factory=list)
    hidden_columns: list[tuple[int, int]] = field(default_factory=list)
    uncomputed: list[str] = field(default_factory=list)
    lost_strings: int = 0
    dimension: str = ""
    filled: int = 0
    cut: int | None = None


@dataclass(slots=True)
class _Reader:
    """Takes the elements of a worksheet one by one."""

    strings: Sequence[str | None]
    styles: Sequence[CellStyle]
    epoch_1904: bool
    most: int
    sheet: Worksheet = field(default_factory=Worksheet)
    number: int = 0
    columns: dict[str, int] = field(default_factory=dict)

    def row(self, element: Any) -> None:
        """Take the cells of a row; those without a reference follow the one before them."""
        number = element.get("r")
        self.number = int(number) if number else self.number + 1
        space = element.tag[:-3]
        found: dict[int, GridCell] = {}
        column = 0
        for cell in element:
            column = self._column(cell.get("r"), column + 1)
            content = self._content(cell, space)
            if content is not None:
                found[column] = content
        if not found:
            return
        if element.get("hidden") in ("1", "true"):
            self.sheet.hidden_rows.append(self.number)
        self.sheet.cells.setdefault(self.number, {}).update(found)
        self.sheet.filled += len(found)
        if self.sheet.filled >= self.most:
            self.sheet.cut = self.number

    def _column(self, reference: str | None, following: int) -> int:
        if reference is None:
            return following
        letters = reference.rstrip("0123456789")
        if letters not in self.columns:
            area = parse_area(f"{letters}1")
            self.columns[letters] = area.left if area else following
        return self.columns[letters]

    def _content(self, cell: Any, space: str) -> GridCell | None:
        style = _at(self.styles, cell.get("s"), _PLAIN)
        value = formula = None
        number = False
        for child in cell:
            tag = child.tag
            if tag == f"{space}v":
                value = child.text
            elif tag == f"{space}f":
                formula = child.text or ""
            elif tag == f"{space}is":
                text = _rich_text(child)
                return GridCell(text, False, style.strong) if text.strip() else None
        if value is not None:
            text, number = self._value(value, cell.get("t", "n"), style)
        elif formula:
            self.sheet.uncomputed.append(cell.get("r") or f"row {self.number}")
            text = f"={_clean(formula)}"
        else:
            return None
        return GridCell(text, number, style.strong) if text.strip() else None

    def _value(self, value: str, kind: str, style: CellStyle) -> tuple[str, bool]:
        if kind == "n":
            return self._number(value, style)
        if kind == "s":
            text = _at(self.strings, value.strip(), None)
            self.sheet.lost_strings += text is None
            return text or "", False
        if kind == "b":
            return ("TRUE" if value.strip() in ("1", "true") else "FALSE"), False
        if kind == "d":
            return value.replace("T00:00:00", "").replace("T", " "), True
        return _clean(value), False

    def _number(self, value: str, style: CellStyle) -> tuple[str, bool]:
        try:
            number = float(value)
        except ValueError:
            return _clean(value), False
        # A float holds fifteen digits; a longer number is a code that someone typed in.
        if len(value) > 15 and value.isdecimal() and not is_date_code(style.code):
            return value, True
        return show_number(number, style.code, self.epoch_1904), True

    def other(self, element: Any) -> None:
        name = local_name(element)
        if name == "mergeCell":
            area = parse_area(element.get("ref") or "")
            if area is not None and area.height * area.width > 1:
                self.sheet.merges.append(area)
        elif name == "col" and element.get("hidden") in ("1", "true"):
            self.sheet.hidden_columns.append((int(element.get("min")), int(element.get("max"))))
        elif name == "pane" and element.get("state") in ("frozen", "frozenSplit"):
            self.sheet.frozen_rows = int(float(element.get("ySplit") or 0))
        elif name == "dimension":
            self.sheet.dimension = element.get("ref") or ""


def read_worksheet(
    stream: IO[bytes],
    strings: Sequence[str],
    styles: Sequence[CellStyle],
    *,
    epoch_1904: bool = False,
    most: int,
) -> Worksheet:
    """The filled cells of a worksheet part with their text as shown; at most *most* of them.

    :raises lxml.etree.XMLSyntaxError: not well-formed.
    :raises ValueError: an attribute that is no number.
    """
    reader = _Reader(strings, styles, epoch_1904, most)
    for element in _elements(stream, ("row", "mergeCell", "col", "pane", "dimension")):
        if local_name(element) != "row":
            reader.other(element)
            continue
        reader.row(element)
        _forget(element)
        if reader.sheet.cut is not None:
            break
    sheet = reader.sheet
    sheet.cells = {row: dict(sorted(sheet.cells[row].items())) for row in sorted(sheet.cells)}
    return sheet


def _elements(stream: IO[bytes], names: Sequence[str]) -> Iterator[Any]:
    """The elements called *names* (in any namespace), each when its end is read."""
    from lxml import etree

    parser = etree.XMLPullParser(
        events=("end",),
        tag=[f"{{*}}{name}" for name in names],
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True,
        remove_comments=True, remove_pis=True,
    )  # fmt: skip
    for chunk in _chunks(stream):
        parser.feed(chunk)
        for _, element in parser.read_events():
            yield element
    parser.close()
    for _, element in parser.read_events():
        yield element


def _chunks(stream: IO[bytes]) -> Iterator[bytes]:
    """The bytes of *stream* without empty cells; chunks end before a tag."""
    rest = b""
    while block := stream.read(_CHUNK):
        block = rest + block
        # `<c ...></c>` may be cut at its second tag: two tags back is always safe.
        cut = max(block.rfind(b"<", 0, max(block.rfind(b"<"), 0)), 0)
        yield _without_empty(block[:cut])
        rest = block[cut:]
        if len(rest) > 64 * _CHUNK:
            yield rest
            rest = b""
    yield _without_empty(rest)


def _without_empty(data: bytes) -> bytes:
    return _EMPTY_ROW.sub(b"", _EMPTY.sub(b"", data))


def _forget(element: Any) -> None:
    """Free a row that was read, and those before it."""
    element.clear()
    while element.getprevious() is not None:
        del element.getparent()[0]


def read_strings(stream: IO[bytes]) -> list[str]:
    """The shared strings of a workbook, phonetic guides left out.

    :raises lxml.etree.XMLSyntaxError: not well-formed.
    """
    strings: list[str] = []
    for element in _elements(stream, ("si",)):
        strings.append(_rich_text(element))
        _forget(element)
    return strings


def _rich_text(element: Any) -> str:
    pieces = []
    for child in element:
        name = local_name(child)
        if name == "t":
            pieces.append(child.text or "")
        elif name == "r":
            pieces += [t.text or "" for t in child if local_name(t) == "t"]
    return _clean("".join(pieces))


def _clean(text: str) -> str:
    """*text* with Excel's ``_x000D_`` escapes resolved and control characters left out."""
    if "_x" in text:
        text = _ESCAPE.sub(lambda m: chr(int(m[1], 16)), text)
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return _CONTROL.sub(" ", text)


def _at(items: Sequence[_T], index: str | None, default: _T) -> _T:
    if index is None or not index.isdecimal() or int(index) >= len(items):
        return default
    return items[int(index)]
