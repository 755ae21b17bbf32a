"""Delimited text (CSV, TSV): one table with the lines of the file behind each row."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from chapterverse.ingest.context import DEFAULT_CONTEXT, ReadContext
from chapterverse.ingest.csv_dialect import Record, find_delimiter, read_records
from chapterverse.ingest.encoding import decode
from chapterverse.ingest.grid import MAX_CELLS, GridCell
from chapterverse.ingest.grid_drafts import table_draft
from chapterverse.ingest.lines import one_line
from chapterverse.ingest.media_types import CSV, TSV
from chapterverse.ingest.outline import Draft, to_assets
from chapterverse.ingest.plain import decoding_warnings
from chapterverse.schema.records import AssetKind, LineRange, Parsed, ParseWarning, Region

__all__ = ["PARSER", "read_csv", "read_tsv"]

PARSER = "csv/1"
_MOST_LEAD = 30
_NUMBER = re.compile(
    r"[-+(]?\s?(?:[$€£¥￥]|[A-Z]{3}\s)?\s?[-+]?(?:\d{1,3}(?:[,.'\s]\d{3})+|\d+)(?:[.,]\d+)?"
    r"(?:[eE][-+]?\d+)?\s?[%)€$]?"
)
_DATE = re.compile(r"\d{4}[-/.年]\d{1,2}(?:[-/.月]\d{1,2}日?)?(?:[T ][\d:.]+(?:Z|[-+]\d\d:?\d\d)?)?"
                   r"|\d{1,2}[/.]\d{1,2}[/.]\d{2,4}(?: [\d:]+)?")  # fmt: skip


def read_csv(data: bytes, context: ReadContext = DEFAULT_CONTEXT) -> Parsed:
    """Parse delimited text; the delimiter is measured (comma, semicolon, tab, bar).

    Lines before the table that have no delimiter, or begin with ``#``, are paragraphs. Rows may
    differ in length; none is dropped. At most ``MAX_CELLS`` fields are read, a warning names the
    lines left out.
    """
    return _read(data, CSV, None)


def read_tsv(data: bytes, context: ReadContext = DEFAULT_CONTEXT) -> Parsed:
    """Parse tab-separated text; as :func:`read_csv`, with tabs where the measure is even."""
    return _read(data, TSV, "\t")


def _read(data: bytes, media_type: str, preferred: str | None) -> Parsed:
    decoded = decode(data)
    lines = decoded.text.replace("\0", " ").split("\n")
    skipped = _comment_lines(lines)
    mark = find_delimiter([line for line in lines[skipped : skipped + 400] if line], preferred)
    records, cut = _records(lines, skipped, mark)
    lead = _lead(records)
    drafts = [_paragraph(line, n) for n, line in enumerate(lines[:skipped], 1) if line.strip()]
    drafts += [_paragraph(" ".join(r.fields), r.first, r.last) for r in records[:lead]]
    if records[lead:]:
        drafts.append(_table(records[lead:]))
    warnings = [*decoding_warnings(decoded)]
    if cut:
        message = (
            f"lines from {cut:,} on are left out ({len(lines):,} in all; a file may have "
            f"{MAX_CELLS:,} fields); split the file to read them"
        )
        warnings.append(ParseWarning("rows_left_out", message))
    names = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
    return Parsed(
        media_type,
        PARSER,
        to_assets(drafts),
        warnings=tuple(warnings),
        properties={"encoding": decoded.encoding, "delimiter": names.get(mark, mark)},
    )


def _comment_lines(lines: Sequence[str]) -> int:
    """How many leading lines are blank, comments or ``sep=`` hints."""
    count = 0
    for line in lines[:_MOST_LEAD]:
        # A header may begin with "#" as well; a comment is prose, so few delimiters follow.
        comment = line.startswith("#") and not re.match(r"#\S*[,;\t|]", line)
        if line.strip() and not comment:
            break
        count += 1
    return count if count < len(lines) else 0


def _records(lines: Sequence[str], skipped: int, mark: str) -> tuple[list[Record], int | None]:
    """The records that are not blank, and the first line left out."""
    records: list[Record] = []
    fields = 0
    if skipped < len(lines) and re.fullmatch(r"sep=.", lines[skipped], re.I):
        skipped += 1
    for record in read_records(lines[skipped:] if skipped else lines, mark):
        first, last = record.first + skipped, record.last + skipped
        if fields >= MAX_CELLS:
            return records, first
        if any(field.strip() for field in record.fields):
            records.append(Record(record.fields, first, last))
            fields += len(record.fields)
    return records, None


def _lead(records: Sequence[Record]) -> int:
    """How many records are lines of text before the table: one filled field where rows have more.

    They end with the first record that has the usual number of fields or more than one filled.
    """
    widths = Counter(len(r.fields) for r in records[:500])
    if not widths:
        return 0
    usual = max(widths, key=lambda width: (widths[width], width))
    if usual < 2:
        return 0
    for index, record in enumerate(records[:_MOST_LEAD]):
        filled = sum(bool(field.strip()) for field in record.fields)
        if filled > 1 and len(record.fields) * 2 > usual:
            return index
    return 0


def _paragraph(text: str, first: int, last: int | None = None) -> Draft:
    text = one_line(text.lstrip("#")) or one_line(text)
    region = Region(0, len(text), lines=LineRange(first, last or first))
    return Draft(AssetKind.PARAGRAPH, text, (region,))


def _table(records: Sequence[Record]) -> Draft:
    width = max(len(record.fields) for record in records)
    while width > 1 and not any(len(r.fields) >= width and r.fields[width - 1] for r in records):
        width -= 1  # a delimiter at the end of each line makes no column
    rows = [[_cell(field) for field in record.fields[:width]] for record in records]
    draft = table_draft(rows)
    assert draft.table is not None
    regions = tuple(
        Region(start, end, lines=LineRange(record.first, record.last))
        for record, (start, end) in zip(records, draft.table.row_spans, strict=True)
    )
    return replace(draft, regions=regions)


def _cell(field: str) -> GridCell | None:
    text = field.strip()
    if not text:
        return None
    number = text[-1] in "0123456789%)€$Z日月" and text[0] not in "_abcdefghijklmnopqrstuvwxyz"
    return GridCell(text, number and bool(_NUMBER.fullmatch(text) or _DATE.fullmatch(text)))
