"""How a delimited file is written: measured on its first lines, not assumed."""

from __future__ import annotations

import csv
import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

__all__ = ["Record", "find_delimiter", "read_records"]

DELIMITERS = (",", ";", "\t", "|")
_SAMPLE_LINES = 200
_LONGEST_FIELD = 1 << 20


@dataclass(frozen=True, slots=True)
class Record:
    """Fields of one record and the physical lines it stands on, 1-based."""

    fields: tuple[str, ...]
    first: int
    last: int


def find_delimiter(lines: Sequence[str], preferred: str | None = None) -> str:
    """The delimiter that cuts *lines* into the most regular rows of more than one field.

    *preferred* (a file name may suggest one) wins a tie. A line ``sep=;`` in front, as Excel
    writes, decides. ``","`` where nothing fits.
    """
    if lines and lines[0].lower().startswith("sep=") and len(lines[0].rstrip("\n")) == 5:
        return lines[0][4]
    order = sorted(DELIMITERS, key=lambda mark: (mark != preferred, DELIMITERS.index(mark)))
    scores = {mark: _score(lines[:_SAMPLE_LINES], mark) for mark in order}
    best = max(order, key=lambda mark: scores[mark])
    return best if scores[best] > 0 else preferred or ","


def _score(lines: Sequence[str], mark: str) -> float:
    """Share of records with the usual number of fields, times a little more for more fields."""
    widths: Counter[int] = Counter()
    for record in itertools.islice(read_records(lines, mark), _SAMPLE_LINES):
        if any(record.fields):
            widths[len(record.fields)] += 1
    wide = {width: count for width, count in widths.items() if width > 1}
    if not wide:
        return 0.0
    usual, count = max(wide.items(), key=lambda item: (item[1] * min(item[0], 4), item[0]))
    # A comma in most lines of prose or in decimals makes two or three uneven fields.
    regular = count / sum(widths.values())
    return regular * regular * (1 + min(usual, 20) / 20)


def read_records(lines: Sequence[str], mark: str) -> Iterator[Record]:
    """The records of *lines* (without line ends), quotes as RFC 4180 has them.

    A quote inside an unquoted field is a character like any other. A quoted field may hold line
    breaks, but not more than a million characters: behind a quote that is never closed, its line
    is read without regard to quotes.
    """
    position = 0
    while position < len(lines):
        line = lines[position]
        last = position
        if _is_open(line, mark):
            last = _closing(lines, position, mark)
        if last < 0:
            yield Record(tuple(_parse(line, mark, csv.QUOTE_NONE)), position + 1, position + 1)
            position += 1
            continue
        text = "\n".join(lines[position : last + 1]) if last > position else line
        yield Record(tuple(_parse(text, mark, csv.QUOTE_MINIMAL)), position + 1, last + 1)
        position = last + 1


def _closing(lines: Sequence[str], start: int, mark: str) -> int:
    """The line on which the quoted field that *start* leaves open is closed; -1: nowhere near."""
    size = 0
    inside = True
    for number in range(start + 1, len(lines)):
        line = lines[number]
        size += len(line)
        if size > _LONGEST_FIELD or number - start > 10_000:
            return -1
        if '"' not in line:
            continue
        inside = _is_open(line, mark, inside)
        if not inside:
            return number
    return -1


def _is_open(line: str, mark: str, inside: bool = False) -> bool:
    """Whether a quoted field is open at the end of *line*; *inside*: it was at its beginning."""
    if not inside and '"' not in line:
        return False
    at, fresh = 0, not inside
    while at < len(line):
        if inside:
            at = line.find('"', at)
            if at < 0:
                return True
            if line.startswith('""', at):
                at += 2
                continue
            inside, fresh = False, False
            at += 1
        elif fresh and line[at] == '"':
            inside = True
            at += 1
        else:
            at = line.find(mark, at)
            if at < 0:
                return False
            at, fresh = at + 1, True
    return inside


def _parse(text: str, mark: str, quoting: int) -> list[str]:
    if '"' not in text and "\n" not in text:
        return text.split(mark)
    csv.field_size_limit(4 * _LONGEST_FIELD)
    rows = list(csv.reader([text], delimiter=mark, quoting=quoting))  # type: ignore[arg-type]
    return rows[0] if rows else [""]
