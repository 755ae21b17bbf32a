"""JSON and JSON lines: records as a table when they are flat and short, else one text each."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from chapterverse.ingest.context import DEFAULT_CONTEXT, ReadContext
from chapterverse.ingest.encoding import decode
from chapterverse.ingest.grid import MAX_CELLS
from chapterverse.ingest.json_values import (
    Located,
    Number,
    Source,
    flat_lines,
    is_scalar,
    scalar_text,
    too_deep,
)
from chapterverse.ingest.lines import one_line
from chapterverse.ingest.media_types import JSON, JSON_LINES
from chapterverse.ingest.outline import Draft, to_assets
from chapterverse.ingest.plain import decoding_warnings
from chapterverse.ingest.tables import build_table, guess_header_rows
from chapterverse.schema.errors import Corrupt
from chapterverse.schema.records import AssetKind, LineRange, Parsed, ParseWarning, Region

__all__ = ["JSON_LINES_PARSER", "JSON_PARSER", "read_json", "read_json_lines"]

JSON_PARSER = "json/1"
JSON_LINES_PARSER = "jsonl/1"
_TITLES = ("title", "headline", "heading", "name", "subject", "label", "question",
           "标题", "名称", "题目", "标题名", "问题")  # fmt: skip
_IDS = ("id", "_id", "key", "uuid", "doc_id", "docid", "code", "编号")
_LONGEST_TITLE = 160
_MOST_COLUMNS = 30
_LONG_CELL = 200
_NAMED_LINES = 10


@dataclass(slots=True)
class _State:
    """The file being read, what was said about it, and how many values may still be read."""

    name: str
    warnings: list[ParseWarning]
    budget: int

    def spend(self, value: Any) -> None:
        self.budget -= sum(1 for _ in flat_lines(value, self.name))


def read_json(data: bytes, context: ReadContext = DEFAULT_CONTEXT) -> Parsed:
    """Parse a JSON file.

    A list of flat, uniform, short objects is a table, of other objects one text each
    (``path: value`` lines under the record's title), of plain values a list. The members of an
    outermost object that hold lists or objects are sections. Regions carry lines, and the way to
    the value as place. At most ``MAX_CELLS`` values are read, a warning says what is left out.

    :raises Corrupt: no JSON.
    :raises TooLarge: nested too deep.
    """
    decoded = decode(data)
    state = _State(context.name, [*decoding_warnings(decoded)], MAX_CELLS)
    source = Source(decoded.text, context.name)
    try:
        drafts = list(_document(source, state))
    except ValueError as exc:
        raise Corrupt(
            f"{context.name}: no valid JSON ({exc}); check that the file was written completely"
        ) from exc
    return _parsed(JSON, JSON_PARSER, drafts, state, decoded.encoding)


def read_json_lines(data: bytes, context: ReadContext = DEFAULT_CONTEXT) -> Parsed:
    """Parse a file with one JSON value a line, as :func:`read_json` does the elements of a list.

    Lines that are no JSON are left out with a warning that names them.

    :raises Corrupt: no line is JSON.
    :raises TooLarge: nested too deep.
    """
    decoded = decode(data)
    state = _State(context.name, [*decoding_warnings(decoded)], MAX_CELLS)
    bad: list[int] = []
    found = list(_from_lines(decoded.text.split("\n"), state, bad))
    if bad and not found:
        raise Corrupt(
            f"{context.name}: none of the {len(bad):,} lines is valid JSON; each line has to hold "
            "one whole value"
        )
    if bad:
        shown = ", ".join(f"{n:,}" for n in bad[:_NAMED_LINES])
        more = f" and {len(bad) - _NAMED_LINES:,} more" if len(bad) > _NAMED_LINES else ""
        message = f"lines that are no valid JSON were left out: {shown}{more}"
        state.warnings.append(ParseWarning("invalid_lines", message))
    return _parsed(JSON_LINES, JSON_LINES_PARSER, list(_list(found, state, 1)), state,
                   decoded.encoding)  # fmt: skip


def _parsed(
    media_type: str, parser: str, drafts: Sequence[Draft], state: _State, encoding: str
) -> Parsed:
    return Parsed(
        media_type,
        parser,
        to_assets(drafts),
        warnings=tuple(state.warnings),
        properties={"encoding": encoding},
    )


def _from_lines(lines: Sequence[str], state: _State, bad: list[int]) -> Iterator[Located]:
    options: dict[str, Any] = {
        "parse_float": Number, "parse_int": Number, "parse_constant": Number, "strict": False,
    }  # fmt: skip
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        if state.budget <= 0:
            _warn_cut(state, f"lines from {number:,} on are left out ({len(lines):,} in all)")
            return
        try:
            value = json.loads(line, **options)
        except ValueError:
            bad.append(number)
            continue
        except RecursionError:
            raise too_deep(state.name) from None
        state.spend(value)
        yield Located(value, LineRange(number, number), "")


def _warn_cut(state: _State, what: str) -> None:
    message = f"{what}; a file may have {MAX_CELLS:,} values. Split it to read them"
    state.warnings.append(ParseWarning("records_left_out", message))


def _document(source: Source, state: _State) -> Iterator[Draft]:
    at = source.start()
    if source.text.startswith("[", at):
        yield from _list(list(_limited(source.elements(at, ""), state)), state, 1)
        if state.budget > 0:
            source.finish()
        return
    if not source.text.startswith("{", at):
        found, end = source.whole(at, "")
        source.passed(end)
        source.finish()
        yield from _list([found], state, 1)
        return
    yield from _object(source, at, state)
    if state.budget > 0:
        source.finish()


def _limited(elements: Iterable[Located], state: _State) -> Iterator[Located]:
    for found in elements:
        if state.budget <= 0:
            _warn_cut(state, f"everything from {found.place} (line {found.lines.first:,}) on is "
                             "left out")  # fmt: skip
            return
        state.spend(found.value)
        yield found


def _object(source: Source, at: int, state: _State) -> Iterator[Draft]:
    """The outermost object: plain members first, the others as sections."""
    plain: list[tuple[str, Located]] = []
    sections: list[tuple[str, list[Located], bool]] = []
    for key, offset in source.members(at):
        if state.budget <= 0:
            break
        if source.text.startswith("[", offset):
            items = list(_limited(source.elements(offset, key), state))
            sections.append((key, items, True))
            if state.budget <= 0:
                break
            continue
        found, end = source.whole(offset, key)
        source.passed(end)
        state.spend(found.value)
        if is_scalar(found.value):
            plain.append((key, found))
        else:
            sections.append((key, [found], False))
    alone = len(sections) == 1 and sections[0][2]
    yield from _plain(plain)
    for key, items, is_list in sections:
        if not items:
            continue
        if not alone:
            yield _heading(one_line(key), items[0].lines, key, 1)
        if is_list:
            yield from _list(items, state, 1 if alone else 2)
        else:
            yield from _record(items[0], state, None)


def _plain(members: Sequence[tuple[str, Located]]) -> Iterator[Draft]:
    lines: list[str] = []
    regions: list[Region] = []
    length = 0
    for key, found in members:
        text = scalar_text(found.value)
        if text.strip():
            line = f"{key}: {text}"
            regions.append(Region(length, length + len(line), lines=found.lines, place=found.place))
            length += len(line) + 1
            lines.append(line)
    if lines:
        yield Draft(AssetKind.PARAGRAPH, "\n".join(lines), tuple(regions))


def _list(items: Sequence[Located], state: _State, level: int) -> Iterator[Draft]:
    """The elements of a list: a table, list items, or a text for each record."""
    table = _table(items)
    if table is not None:
        yield table
        return
    for item in items:
        if isinstance(item.value, dict) or not is_scalar(item.value):
            yield from _record(item, state, level)
        elif text := scalar_text(item.value).strip():
            yield Draft(AssetKind.LIST_ITEM, text, (_region(item, text),), level=0)


def _region(item: Located, text: str) -> Region:
    return Region(0, len(text), lines=item.lines, place=item.place or None)


def _record(item: Located, state: _State, level: int | None) -> Iterator[Draft]:
    """A record under its title (no heading without *level*)."""
    title = _title(item.value) if level is not None else None
    if title is not None and level is not None:
        key, text, is_id = title
        yield _heading(f"{key}: {text}" if is_id else text, item.lines, item.place, level)
    lines = [
        f"{path}: {text}" if path else text
        for path, text in flat_lines(item.value, state.name)
        if title is None or title[2] or path != title[0]
    ]
    if lines:
        text = "\n".join(lines)
        yield Draft(AssetKind.PARAGRAPH, text, (_region(item, text),))


def _heading(text: str, lines: LineRange, place: str, level: int) -> Draft:
    region = Region(0, len(text), lines=LineRange(lines.first, lines.first), place=place or None)
    return Draft(AssetKind.HEADING, text, (region,), level=level)


def _title(value: Any) -> tuple[str, str, bool] | None:
    """Key, text, and whether it is only an identifier, of the field that names a record."""
    if not isinstance(value, dict):
        return None
    folded = {key.casefold(): key for key in reversed(value)}
    for names in (_TITLES, _IDS):
        for name in names:
            key = folded.get(name)
            if key is None or not is_scalar(value[key]):
                continue
            text = one_line(scalar_text(value[key]))
            if text and len(text) <= _LONGEST_TITLE:
                return key, text, names is _IDS
    return None


def _table(items: Sequence[Located]) -> Draft | None:
    """A table of records or rows that are flat, uniform and short; ``None`` where they are not."""
    if len(items) < 2:
        return None
    values = [item.value for item in items]
    if all(isinstance(value, dict) and value for value in values):
        columns = list(dict.fromkeys(key for value in values for key in value))
        filled = sum(len(value) for value in values)
        if not 2 <= len(columns) <= _MOST_COLUMNS or filled < 0.6 * len(columns) * len(values):
            return None
        cells = [[value.get(key) for key in columns] for value in values]
        header = [columns]
    elif all(isinstance(value, list) and len(value) > 1 for value in values):
        cells, header = values, []
        if max(map(len, values)) > _MOST_COLUMNS:
            return None
    else:
        return None
    if any(isinstance(cell, dict | list) and cell for row in cells for cell in row):
        return None
    rows = [[scalar_text(cell) for cell in row] for row in cells]
    if any(len(cell) > _LONG_CELL or "\n" in cell.strip() for row in rows for cell in row):
        return None
    text, table = build_table([*header, *rows], 1 if header else guess_header_rows(rows))
    spans = table.row_spans[len(header) :]
    regions = [
        Region(start, end, lines=item.lines, place=item.place or None)
        for item, (start, end) in zip(items, spans, strict=True)
    ]
    if header:
        first = replace(regions[0], start=0, end=table.row_spans[0][1])
        regions.insert(0, first)
    return Draft(AssetKind.TABLE, text, tuple(regions), table=table)
