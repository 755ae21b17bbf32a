"""A table as HTML: header cells, merged cells, caption; all text escaped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape

from chapterverse.schema.records import Merge, Table

__all__ = ["table_html"]

_Place = tuple[int, int]


def table_html(table: Table, caption: str | None = None) -> str:
    """*table* as a ``<table>`` element with ``<caption>``, ``<thead>`` and ``<tbody>``.

    Cells of header rows and of row header columns are ``<th>`` with a ``scope``, empty ones plain
    ``<td>``. A merged cell is written once with its ``colspan`` and ``rowspan``; one that reaches
    from the header into the body is written in both, since no cell may cross that line. Merges
    are cut at the edge of the table, and one that overlaps an earlier one is left out.
    """
    spans, covered = _laid_out(table)
    parts = ["<table>"]
    if caption:
        parts.append(f"<caption>{escape(caption)}</caption>")
    header = min(table.header_rows, len(table.rows))
    for tag, rows in (("thead", range(header)), ("tbody", range(header, len(table.rows)))):
        if rows:
            lines = (f"<tr>{''.join(_cells(table, row, spans, covered))}</tr>" for row in rows)
            parts += [f"<{tag}>", *lines, f"</{tag}>"]
    parts.append("</table>")
    return "\n".join(parts)


def _laid_out(table: Table) -> tuple[dict[_Place, _Place], set[_Place]]:
    """The size of each merged cell by its place, and the places it covers beside its own."""
    spans: dict[_Place, _Place] = {}
    covered: set[_Place] = set()
    width = max((len(row) for row in table.rows), default=0)
    for merge in table.merges:
        for part in _pieces(merge, table.header_rows, len(table.rows), width):
            places = [
                (part.row + down, part.column + right)
                for down in range(part.rows)
                for right in range(part.columns)
            ]
            if len(places) > 1 and not any(p in covered or p in spans for p in places):
                spans[places[0]] = (part.rows, part.columns)
                covered.update(places[1:])
    return spans, covered


def _pieces(merge: Merge, header_rows: int, height: int, width: int) -> Iterator[Merge]:
    """*merge* within a table of this size, cut where the header ends."""
    if not (0 <= merge.row < height and 0 <= merge.column < width):
        return
    columns = min(merge.columns, width - merge.column)
    end = min(merge.row + merge.rows, height)
    if merge.row < header_rows < end:
        yield Merge(merge.row, merge.column, header_rows - merge.row, columns)
        yield Merge(header_rows, merge.column, end - header_rows, columns)
    else:
        yield Merge(merge.row, merge.column, end - merge.row, columns)


def _cells(
    table: Table, row: int, spans: Mapping[_Place, _Place], covered: set[_Place]
) -> Iterator[str]:
    for column, text in enumerate(table.rows[row]):
        if (row, column) in covered:
            continue
        down, right = spans.get((row, column), (1, 1))
        size = f' rowspan="{down}"' if down > 1 else ""
        size += f' colspan="{right}"' if right > 1 else ""
        scope = None
        if row < table.header_rows:
            scope = "colgroup" if right > 1 else "col"
        elif column < table.row_headers:
            scope = "rowgroup" if down > 1 else "row"
        if scope and text.strip():
            yield f'<th scope="{scope}"{size}>{escape(text)}</th>'
        else:
            yield f"<td{size}>{escape(text)}</td>"
