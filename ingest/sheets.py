"""Older Excel workbooks (``.xls``).

Read by calamine: values, merged cells and which sheets are hidden, but no number formats, bold
cells or comments; numbers come as they are stored. What else lies on the sheets is counted.
"""

from __future__ import annotations

import datetime as dt
import io
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from chapterverse.ingest.context import DEFAULT_CONTEXT, ReadContext
from chapterverse.ingest.grid import MAX_CELLS, Area, GridCell, Sheet
from chapterverse.ingest.grid_drafts import sheet_drafts, sheet_heading
from chapterverse.ingest.media_types import XLS
from chapterverse.ingest.number_format import plain_number, show_date
from chapterverse.ingest.outline import Draft
from chapterverse.ingest.workbook import allow_sheets, workbook
from chapterverse.ingest.xls_container import DAMAGE, packed_anew, workbook_stream
from chapterverse.ingest.xls_records import check_sizes, count_beside, summary
from chapterverse.schema.errors import Corrupt, Encrypted
from chapterverse.schema.records import Parsed, ParseWarning

__all__ = ["PARSER", "read_xls"]

PARSER = "xls/2"

_T = TypeVar("_T")
_MOST_PLACES = 20_000_000
"""Cells, filled or not, between the first and the last one of a sheet: calamine holds them all."""


def read_xls(data: bytes, context: ReadContext = DEFAULT_CONTEXT) -> Parsed:
    """Parse a ``.xls`` workbook; pages are its sheets, hidden ones too.

    :raises Encrypted: a password is needed.
    :raises Corrupt: not a whole workbook.
    :raises TooLarge: more sheets than ``context.max_pages``.
    """
    import python_calamine as calamine

    book, stream = _open(data, context)
    names = list(book.sheet_names)
    allow_sheets(len(names), context)
    warnings: list[ParseWarning] = []
    drafts: list[Draft] = []
    budget = MAX_CELLS
    for number, meta in enumerate(book.sheets_metadata, start=1):
        if meta.visible != calamine.SheetVisibleEnum.Visible:
            message = f"the sheet {meta.name!r} is hidden; it is read"
            warnings.append(ParseWarning("hidden_sheet", message, number))
        if meta.typ != calamine.SheetTypeEnum.WorkSheet:
            message = f"{meta.name!r} is no worksheet and holds no cells to read"
            warnings.append(ParseWarning("sheet_skipped", message, number))
            continue
        read = partial(_sheet_at, book, number, budget)
        sheet, cut = _careful(read, context)
        budget -= sum(map(len, sheet.cells.values()))
        if cut:
            warnings.append(ParseWarning("rows_left_out", cut, number))
        placed = sheet_drafts(sheet)
        if placed:
            drafts += [sheet_heading(sheet), *(one.draft for one in placed)]
    beside = ", ".join(f"{count} {name}" for name, count in count_beside(stream).items())
    if beside:
        message = f"{beside} are not read of .xls files; save the workbook as .xlsx to have them"
        warnings.append(ParseWarning("objects_unread", message))
    return workbook(XLS, PARSER, drafts, names, warnings, summary(data))


def _open(data: bytes, context: ReadContext) -> tuple[Any, bytes]:
    """The workbook as the library sees it, and its records."""
    import python_calamine as calamine

    try:
        name, stream = workbook_stream(data)
        check_sizes(stream)
        whole = io.BytesIO(packed_anew(name, stream))
    except DAMAGE as exc:
        raise _damaged(context, exc) from exc
    return _careful(lambda: calamine.CalamineWorkbook.from_filelike(whole), context), stream


def _careful(call: Callable[[], _T], context: ReadContext) -> _T:
    """What *call* gives; damage that the library trips over is named."""
    import python_calamine as calamine

    try:
        return call()
    except calamine.PasswordError as exc:
        raise Encrypted(
            f"{context.name}: the workbook is encrypted; save it without a password"
        ) from exc
    except (calamine.CalamineError, OSError, ValueError) as exc:
        raise _damaged(context, exc) from exc
    except BaseException as exc:
        # What its Rust code takes for impossible is raised as no Exception.
        if type(exc).__name__ != "PanicException":
            raise
        raise _damaged(context, exc) from exc


def _damaged(context: ReadContext, exc: BaseException) -> Corrupt:
    return Corrupt(
        f"{context.name}: the workbook is damaged ({exc}); open it in Excel or LibreOffice and "
        "save it again"
    )


def _sheet_at(book: Any, number: int, budget: int) -> tuple[Sheet, str | None]:
    return _sheet(book.get_sheet_by_index(number - 1), number, budget)


def _sheet(source: Any, number: int, budget: int) -> tuple[Sheet, str | None]:
    """The filled cells of a sheet, and what to say of rows beyond *budget* cells."""
    cells: dict[int, dict[int, GridCell]] = {}
    left = source.start[1] if source.start else 0
    cut = None
    if source.height * source.width > _MOST_PLACES:
        return Sheet(source.name, number, {}), (
            f"sheet {source.name!r} is left out: it spans {source.height:,} rows and "
            f"{source.width:,} columns; delete what stands far from the rest"
        )
    # The rows begin at the top of the sheet, their cells at the first filled column.
    for y, values in enumerate(source.iter_rows(), start=1):
        # A damaged or careless sheet may span millions of empty cells.
        filled = [(x, value) for x, value in enumerate(values, start=left + 1) if value != ""]
        found = ((x, _cell(value)) for x, value in filled)
        row = {x: cell for x, cell in found if cell is not None}
        if not row:
            continue
        if budget <= 0:
            cut = (
                f"sheet {source.name!r}: rows from {y:,} on are left out (a file may have "
                f"{MAX_CELLS:,} filled cells)"
            )
            break
        cells[y] = row
        budget -= len(row)
    merges = tuple(
        Area(top + 1, left + 1, bottom + 1, right + 1)
        for (top, left), (bottom, right) in source.merged_cell_ranges or ()
    )
    return Sheet(source.name, number, cells, merges), cut


def _cell(value: object) -> GridCell | None:
    if isinstance(value, bool):
        return GridCell("TRUE" if value else "FALSE")
    if isinstance(value, int | float):
        return GridCell(plain_number(value), number=True)
    if isinstance(value, dt.date | dt.time | dt.timedelta):
        return GridCell(show_date(value), number=True)
    text = str(value)
    return GridCell(text) if text.strip() else None
