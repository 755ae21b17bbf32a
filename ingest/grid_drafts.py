"""A sheet to drafts: tables with captions and notes, loose cells as text, each with its range."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from chapterverse.ingest.flow_captions import caption_kind
from chapterverse.ingest.grid import Area, DefinedTable, GridCell, Sheet, range_name
from chapterverse.ingest.grid_blocks import Block, find_blocks
from chapterverse.ingest.grid_headers import count_header_rows, count_row_headers
from chapterverse.ingest.lines import one_line
from chapterverse.ingest.outline import Draft
from chapterverse.ingest.tables import build_table
from chapterverse.schema.records import AssetKind, Merge, Region

__all__ = ["PlacedDraft", "sheet_drafts", "sheet_heading", "table_draft"]

_LONG_TITLE = 200
_MOST_TITLES = 3
_LONG_LIST = 30
_MOST_MERGED = 50
_DENSE = 200_000
"""Grid places that a table may have however few are filled; beyond, one in ten has to be."""
_NOTE = re.compile(
    r"(?:note|notes|source|sources|footnote|legend|remark|n\.b\.|\*|†|‡|¹|²|³|[\[(]?[\da-z][\])]|"
    r"注|註|说明|說明|备注|備註|来源|來源|资料来源|資料來源|数据来源)(?![a-z])",
    re.I,
)


@dataclass(frozen=True, slots=True)
class PlacedDraft:
    """A draft and the range it was made from."""

    area: Area
    draft: Draft


@dataclass(frozen=True, slots=True)
class _Parts:
    """A block taken apart: lines above, the table itself (``None``: no table), lines below."""

    above: tuple[int, ...]
    table: Area | None
    below: tuple[int, ...]
    defined: DefinedTable | None = None


def sheet_heading(sheet: Sheet) -> Draft:
    """The name of *sheet* as a heading of the first level."""
    name = one_line(sheet.name)
    return Draft(
        AssetKind.HEADING,
        name,
        (Region(0, len(name), page=sheet.number, label=sheet.name),),
        level=1,
    )


def sheet_drafts(sheet: Sheet) -> list[PlacedDraft]:
    """All filled cells of *sheet* as drafts in reading order.

    Cells that empty rows and columns set apart are tables of their own. A lone line above a table
    is its caption, lines below are paragraphs; so are cells that form no table. Regions carry the
    sheet number as page, the sheet's name as label, and the range as place, one a table row.
    """
    placed: list[PlacedDraft] = []
    pending: list[tuple[int, Area]] = []
    for block in find_blocks(sheet):
        parts = _take_apart(sheet, block)
        lines = [(row, block.area) for row in parts.above]
        if parts.table is None:
            if not _belongs(pending, block.area):
                placed += _paragraphs(sheet, pending)
                pending = []
            pending += lines
            continue
        if pending and _belongs(pending, parts.table):
            lines, pending = pending + lines, []
        placed += _paragraphs(sheet, pending)
        pending = []
        text_lines, titles = _titles(sheet, lines)
        placed += _paragraphs(sheet, text_lines)
        placed.append(_table(sheet, parts.table, titles, parts.defined))
        placed += _paragraphs(sheet, [(row, block.area) for row in parts.below])
    return placed + _paragraphs(sheet, pending)


def _belongs(lines: Sequence[tuple[int, Area]], area: Area) -> bool:
    """Whether *lines* stand right above *area*, one empty row between at most."""
    if not lines:
        return False
    row, block = lines[-1]
    return 1 <= area.top - row <= 2 and block.left <= area.right and area.left <= block.right


def _take_apart(sheet: Sheet, block: Block) -> _Parts:
    area = block.area
    if block.table is not None:
        return _Parts((), area, (), block.table)
    rows = [number for number, _ in sheet.rows_of(area)]
    first = 0
    while (
        area.width > 1
        and first < len(rows) - 1
        and _is_title(sheet, area, rows[first], rows[first + 1])
    ):
        first += 1
    last = len(rows)
    while last > first + 2 and _is_note(sheet, area, rows[last - 1]):
        last -= 1
    body = rows[first:last]
    if not _is_table(sheet, area, body):
        return _Parts(tuple(rows), None, ())
    columns = [x for row in body for x in sheet.row(row, area)]
    table = Area(body[0], min(columns), body[-1], max(columns))
    table = _with_merged(sheet, table)
    if table.height * table.width > max(_DENSE, 10 * len(columns)):
        return _Parts(tuple(rows), None, ())
    return _Parts(tuple(rows[:first]), table, tuple(rows[last:]))


def _is_table(sheet: Sheet, area: Area, rows: Sequence[int]) -> bool:
    """Whether two rows have two cells, or the first has and others hang below; or a long list."""
    if area.width == 1:
        return len(rows) >= _LONG_LIST
    full = sum(len(sheet.row(row, area)) > 1 for row in rows)
    return full >= 2 or (full == 1 and len(rows) > 2)


def _with_merged(sheet: Sheet, table: Area) -> Area:
    """*table* with the places that merged cells in it cover on the right and below."""
    right, bottom = table.right, table.bottom
    for m in sheet.merges:
        if table.holds(m.top, m.left) and m.left in sheet.cells.get(m.top, {}):
            right, bottom = max(right, m.right), max(bottom, m.bottom)
    return replace(
        table,
        right=min(right, table.right + _MOST_MERGED),
        bottom=min(bottom, table.bottom + _MOST_MERGED),
    )


def _is_title(sheet: Sheet, area: Area, row: int, following: int) -> bool:
    """Whether *row* is a line over the table rather than its first row."""
    cells = sheet.row(row, area)
    below = sheet.row(following, area)
    column = min(cells)
    merged = next((m for m in sheet.merges if m.top == row and m.left == column), None)
    if len(cells) == 1:
        if cells[column].number:
            return False
        # A merged cell over some of the columns groups them: a first level of the header.
        groups = merged is not None and merged.width > 1 and column > area.left
        starts = groups and column > min(below) and len(below) > 1
        return not starts
    few = len(cells) == 2 and len(below) >= 5 and column == area.left
    return few and not any(m.top == row and m.width > 1 for m in sheet.merges)


def _is_note(sheet: Sheet, area: Area, row: int) -> bool:
    cells = sheet.row(row, area)
    if len(cells) != 1 or min(cells) > area.left + 1:
        return False
    (cell,) = cells.values()
    return not cell.number and (len(cell.text) > 60 or bool(_NOTE.match(cell.text)))


def _titles(
    sheet: Sheet, lines: list[tuple[int, Area]]
) -> tuple[list[tuple[int, Area]], list[tuple[int, Area]]]:
    """*lines* over a table, parted into text and those that make its caption."""
    start = len(lines)
    while start and len(lines) - start < _MOST_TITLES:
        row, area = lines[start - 1]
        if len(_line(sheet, row, area)) > _LONG_TITLE:
            break
        start -= 1
        if caption_kind(_line(sheet, row, area)) is AssetKind.TABLE:
            break
    if start and len(lines) - start == _MOST_TITLES:
        start = len(lines) - 1  # a page of text, of which only the last line is near
    return lines[:start], lines[start:]


def _line(sheet: Sheet, row: int, area: Area) -> str:
    return one_line(" ".join(cell.text for cell in sheet.row(row, area).values()))


def _paragraphs(sheet: Sheet, lines: Sequence[tuple[int, Area]]) -> list[PlacedDraft]:
    found: list[PlacedDraft] = []
    for row, area in lines:
        cells = sheet.row(row, area)
        text = _line(sheet, row, area)
        where = Area(row, min(cells), row, max(cells))
        region = _region(sheet, where, 0, len(text))
        found.append(PlacedDraft(where, Draft(AssetKind.PARAGRAPH, text, (region,))))
    return found


def _region(sheet: Sheet, area: Area, start: int, end: int) -> Region:
    return Region(
        start, end, page=sheet.number, label=sheet.name, place=range_name(sheet.name, area)
    )


def _table(
    sheet: Sheet, area: Area, titles: list[tuple[int, Area]], defined: DefinedTable | None
) -> PlacedDraft:
    caption = " – ".join(_line(sheet, row, block) for row, block in titles) or None
    numbers = [n for n in range(area.top, area.bottom + 1) if sheet.row(n, area)]
    draft = table_draft(
        [_dense(sheet, number, area) for number in numbers],
        _relative(sheet, area, numbers),
        caption,
        frozen=sheet.frozen_rows - area.top + 1,
        header_rows=None if defined is None else defined.header_rows,
    )
    assert draft.table is not None
    regions = [
        _region(sheet, Area(number, area.left, number, area.right), start, end)
        for number, (start, end) in zip(numbers, draft.table.row_spans, strict=True)
    ]
    if caption:
        (first, block), (last, _) = titles[0], titles[-1]
        where = Area(first, min(sheet.row(first, block)), last, min(sheet.row(last, block)))
        where = replace(where, right=max(where.left, where.right))
        regions.insert(0, _region(sheet, where, 0, len(caption)))
    return PlacedDraft(area, replace(draft, regions=tuple(regions)))


def _dense(sheet: Sheet, number: int, area: Area) -> list[GridCell | None]:
    cells = sheet.cells[number]
    return [cells.get(x) for x in range(area.left, area.right + 1)]


def _relative(sheet: Sheet, area: Area, numbers: Sequence[int]) -> list[Area]:
    """Merged ranges inside *area*, counted from its first row and column as 1."""
    at = {number: index for index, number in enumerate(numbers, start=1)}
    found: list[Area] = []
    for merge in sheet.merges:
        if not area.holds(merge.top, merge.left) or merge.top not in at:
            continue
        bottom = max(at.get(y, 0) for y in range(merge.top, min(merge.bottom, area.bottom) + 1))
        right = min(merge.right, area.right)
        here = Area(at[merge.top], merge.left - area.left + 1, bottom, right - area.left + 1)
        if here.height * here.width > 1:
            found.append(here)
    return found


def table_draft(
    rows: Sequence[Sequence[GridCell | None]],
    merges: Sequence[Area] = (),
    caption: str | None = None,
    *,
    frozen: int = 0,
    header_rows: int | None = None,
) -> Draft:
    """A table of *rows* without regions; header rows are counted unless given.

    *merges* count the first row and column as 1. A cell over several rows is repeated in each, one
    over several columns in header rows.
    """
    if header_rows is None:
        header_rows = count_header_rows(rows, merges, frozen)
    grid = [[cell.text if cell else "" for cell in row] for row in rows]
    for m in merges:
        text = grid[m.top - 1][m.left - 1]
        for y, x in _places(m):
            if not grid[y][x] and (x == m.left - 1 or y < header_rows):
                grid[y][x] = text
    text, table = build_table(grid, header_rows, caption)
    table = replace(
        table,
        row_headers=count_row_headers(rows, header_rows),
        merges=tuple(Merge(m.top - 1, m.left - 1, m.height, m.width) for m in merges),
    )
    line = one_line(caption) if caption else None
    return Draft(AssetKind.TABLE, text, caption=line, table=table)


def _places(m: Area) -> Iterator[tuple[int, int]]:
    for y in range(m.top - 1, m.bottom):
        for x in range(m.left - 1, m.right):
            yield y, x
