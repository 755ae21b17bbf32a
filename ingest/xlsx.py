"""Excel workbooks: cells as people see them, tables found between empty rows and columns.

The parts are read directly. A general library builds an object for each cell that is styled, which
files with a million empty styled cells turn into gigabytes; and what only it knows of a workbook
(recalculation, pivots, writing) is not needed here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

from chapterverse.ingest.context import DEFAULT_CONTEXT, ReadContext
from chapterverse.ingest.grid import MAX_CELLS, Area, DefinedTable, Sheet
from chapterverse.ingest.grid_drafts import PlacedDraft, sheet_drafts, sheet_heading
from chapterverse.ingest.media_types import XLSX
from chapterverse.ingest.ooxml import DAMAGE, Package
from chapterverse.ingest.outline import Draft
from chapterverse.ingest.workbook import allow_sheets, workbook
from chapterverse.ingest.xlsx_cells import Worksheet, read_strings, read_worksheet
from chapterverse.ingest.xlsx_parts import (
    comment_drafts,
    defined_tables,
    drawing_drafts,
)
from chapterverse.ingest.xlsx_styles import CellStyle, read_styles
from chapterverse.schema.errors import Corrupt
from chapterverse.schema.records import Parsed, ParseWarning

__all__ = ["PARSER", "merge_placed", "read_xlsx"]

PARSER = "xlsx/2"

_T = TypeVar("_T")
_LOST = ("sheet_missing", "sheet_unread")


@dataclass(frozen=True, slots=True)
class _Entry:
    """A sheet as the workbook lists it."""

    name: str
    number: int
    part: str
    kind: str
    hidden: bool


@dataclass(slots=True)
class _Workbook:
    """What all sheets share, and how many cells may still be read."""

    package: Package
    context: ReadContext
    strings: list[str]
    styles: list[CellStyle]
    epoch_1904: bool
    budget: int
    warnings: list[ParseWarning] = field(default_factory=list)

    def warn(self, code: str, message: str, sheet: int | None) -> None:
        self.warnings.append(ParseWarning(code, message, sheet))

    def beside(self, read: Callable[[], _T], instead: _T, what: str, sheet: int | None) -> _T:
        """What *read* gives; *instead*, with a warning, where a part that it needs is damaged."""
        try:
            return read()
        except (Corrupt, *DAMAGE) as exc:
            self.warn("part_damaged", f"{what} cannot be read: {exc}", sheet)
            return instead


def read_xlsx(data: bytes, context: ReadContext = DEFAULT_CONTEXT) -> Parsed:
    """Parse a ``.xlsx`` or ``.xlsm`` workbook; pages are its sheets, hidden ones too.

    Values are those that the last program computed and saved; nothing is calculated. At most
    ``MAX_CELLS`` filled cells are read, a warning names the rows left out. Damaged sheets, and
    damaged parts beside the cells, are left out with a warning.

    :raises Corrupt: a part that all sheets need is missing or damaged, or every sheet is.
    :raises TooLarge: more sheets than ``context.max_pages``.
    """
    from lxml import etree

    try:
        with Package(data, context.name) as package:
            return _read(package, context)
    except (etree.XMLSyntaxError, *DAMAGE) as exc:
        raise Corrupt(
            f"{context.name}: the workbook is damaged ({type(exc).__name__}: {exc}); open it in "
            "Excel or LibreOffice and save it again"
        ) from exc


def _read(package: Package, context: ReadContext) -> Parsed:
    part = next(iter(package.related("", "officeDocument")), None)
    if part is None:
        raise Corrupt(f"{context.name}: the package holds no workbook; save the file again")
    root = package.xml(part)
    entries = list(_entries(package, part, root))
    allow_sheets(len(entries), context)
    styles = next(iter(package.related(part, "styles")), None)
    strings = next(iter(package.related(part, "sharedStrings")), None)
    book = _Workbook(
        package,
        context,
        read_strings(package.open(strings)) if strings else [],
        read_styles(package.xml(styles) if styles else None),
        any(e.get("date1904") in ("1", "true") for e in root.iter("{*}workbookPr")),
        MAX_CELLS,
    )
    drafts: list[Draft] = []
    for entry in entries:
        drafts += _sheet(book, entry)
    if entries and sum(w.code in _LOST for w in book.warnings) == len(entries):
        raise Corrupt(f"{context.name}: none of its {len(entries)} sheets can be read")
    properties: dict[str, str] = book.beside(
        package.properties, {}, "what the file says of itself", None
    )
    names = [entry.name for entry in entries]
    return workbook(XLSX, PARSER, drafts, names, book.warnings, properties)


def _entries(package: Package, part: str, root: Any) -> Iterator[_Entry]:
    links = package.relationships(part)
    for number, element in enumerate(root.iter("{*}sheet"), start=1):
        keys = [v for k, v in element.attrib.items() if k.rpartition("}")[2] == "id" and "}" in k]
        link = links.get(keys[0]) if keys else None
        hidden = element.get("state", "visible") != "visible"
        name = element.get("name") or f"Sheet{number}"
        yield _Entry(name, number, link.target if link else "", link.kind if link else "", hidden)


def _sheet(book: _Workbook, entry: _Entry) -> list[Draft]:
    if not book.package.has(entry.part):
        message = f"the sheet {entry.name!r} is listed, but its part is missing from the file"
        book.warn("sheet_missing", message, entry.number)
        return []
    if entry.hidden:
        book.warn("hidden_sheet", f"the sheet {entry.name!r} is hidden; it is read", entry.number)
    if entry.kind not in ("worksheet", "chartsheet"):
        message = f"{entry.name!r} is a {entry.kind}, which holds no cells to read"
        book.warn("sheet_skipped", message, entry.number)
        return []
    sheet = Sheet(entry.name, entry.number, {})
    placed: list[PlacedDraft] = []
    if entry.kind == "worksheet":
        read = _worksheet(book, entry)
        if read is None:
            return []
        declared: list[DefinedTable] = book.beside(
            lambda: defined_tables(book.package, entry.part),
            [],
            f"{entry.name}: which ranges are tables",
            entry.number,
        )
        sheet = Sheet(
            entry.name,
            entry.number,
            read.cells,
            tuple(read.merges),
            tuple(declared),
            read.frozen_rows,
        )
        _warn_of_cells(book, entry, read, sheet)
        placed = sheet_drafts(sheet)
    drafts = _with_parts_beside(book, entry, placed)
    return [sheet_heading(sheet), *drafts] if drafts else []


def _worksheet(book: _Workbook, entry: _Entry) -> Worksheet | None:
    """The cells of a sheet; ``None``, with a warning, where the part is damaged."""
    from lxml import etree

    try:
        with book.package.open(entry.part) as stream:
            read = read_worksheet(
                stream,
                book.strings,
                book.styles,
                epoch_1904=book.epoch_1904,
                most=max(1, book.budget),
            )
    except (etree.XMLSyntaxError, OSError, RuntimeError, *DAMAGE) as exc:
        message = f"the sheet {entry.name!r} is damaged and was left out ({exc})"
        book.warn("sheet_unread", message, entry.number)
        return None
    book.budget -= read.filled
    return read


def _with_parts_beside(book: _Workbook, entry: _Entry, placed: list[PlacedDraft]) -> list[Draft]:
    """*placed* with the drawings and comments of the sheet."""
    nothing: tuple[list[PlacedDraft], list[ParseWarning]] = ([], [])
    drawn, warnings = book.beside(
        lambda: drawing_drafts(book.package, entry.part, entry.name, entry.number, book.context),
        nothing,
        f"{entry.name}: pictures and charts",
        entry.number,
    )
    book.warnings += warnings
    comments: list[PlacedDraft] = book.beside(
        lambda: comment_drafts(book.package, entry.part, entry.name, entry.number),
        [],
        f"{entry.name}: comments",
        entry.number,
    )
    return merge_placed(placed, drawn, comments)


def merge_placed(
    placed: list[PlacedDraft], drawn: list[PlacedDraft], comments: list[PlacedDraft]
) -> list[Draft]:
    """One reading order: *drawn* before the first block below them, a comment behind its block."""
    order = list(placed)
    for one in sorted(drawn, key=lambda p: (p.area.top, p.area.left)):
        at = next((i for i, p in enumerate(order) if p.area.top > one.area.top), len(order))
        order.insert(at, one)
    for comment in reversed(comments):
        inside = [i for i, p in enumerate(order) if p.area.holds(comment.area.top,
                                                                  comment.area.left)]  # fmt: skip
        order.insert(inside[0] + 1 if inside else len(order), comment)
    return [one.draft for one in order]


def _warn_of_cells(book: _Workbook, entry: _Entry, read: Worksheet, sheet: Sheet) -> None:
    if read.cut is not None:
        message = (
            f"sheet {entry.name!r}: rows after {read.cut:,} are left out (a file may have "
            f"{MAX_CELLS:,} filled cells; the sheet spans {read.dimension or 'more'})"
        )
        book.warn("rows_left_out", message, entry.number)
    if read.lost_strings:
        message = (
            f"sheet {entry.name!r}: the texts of {read.lost_strings} cells are not in the file"
        )
        book.warn("texts_missing", message, entry.number)
    if read.uncomputed:
        shown = ", ".join(read.uncomputed[:5])
        message = (
            f"sheet {entry.name!r}: {len(read.uncomputed)} formulas ({shown}) were saved without "
            "a value; their text is read. Open the file in Excel or LibreOffice and save it"
        )
        book.warn("formula_without_value", message, entry.number)
    rows = [row for row in read.hidden_rows if row in read.cells]
    if rows:
        message = f"sheet {entry.name!r}: hidden rows are read: {_runs(rows)}"
        book.warn("hidden_rows", message, entry.number)
    used = sheet.used()
    columns = [c for c in read.hidden_columns if used and _is_filled(sheet, used, *c)]
    if columns:
        from chapterverse.ingest.grid import column_name

        names = ", ".join(f"{column_name(a)}-{column_name(b)}" if a != b else column_name(a)
                          for a, b in columns[:10])  # fmt: skip
        message = f"sheet {entry.name!r}: hidden columns are read: {names}"
        book.warn("hidden_columns", message, entry.number)


def _is_filled(sheet: Sheet, used: Area, first: int, last: int) -> bool:
    if first > used.right or last < used.left:
        return False
    return any(first <= column <= last for cells in sheet.cells.values() for column in cells)


def _runs(numbers: Iterable[int]) -> str:
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    shown = [f"{a}-{b}" if a != b else str(a) for a, b in runs[:10]]
    return ", ".join(shown) + (f" and {len(runs) - 10} more" if len(runs) > 10 else "")
