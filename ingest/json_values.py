"""JSON text to values with the lines they stand on, and values to lines of text.

Numbers keep the digits they are written with. Elements of the outermost list are decoded one by
one, so that each knows its lines and a long file can be cut.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from chapterverse.schema.errors import TooLarge
from chapterverse.schema.records import LineRange

__all__ = [
    "MAX_DEPTH",
    "Located",
    "Number",
    "Source",
    "flat_lines",
    "is_scalar",
    "scalar_text",
    "too_deep",
]

MAX_DEPTH = 100
"""Lists and objects inside each other; deeper ones are refused."""

_SPACE = re.compile(r"[ \t\n\r]*")
_PLAIN_KEY = re.compile(r"[^\s.\[\]\"]+")


class Number(str):
    """A number as written in the file."""


@dataclass(frozen=True, slots=True)
class Located:
    """A value, the lines it stands on, and the way to it (``data[3]``)."""

    value: Any
    lines: LineRange
    place: str


class Source:
    """A JSON text that is decoded piece by piece.

    All methods raise ``ValueError`` for text that is no JSON, :class:`TooLarge` for lists and
    objects nested too deep for the decoder.
    """

    def __init__(self, text: str, name: str) -> None:
        self.text = text
        self._name = name
        self._breaks = [m.start() for m in re.finditer("\n", text)]
        self._decoder = json.JSONDecoder(
            parse_float=Number, parse_int=Number, parse_constant=Number, strict=False
        )

    def start(self) -> int:
        """Where the outermost value begins."""
        return self._skip(0)

    def whole(self, at: int, place: str) -> tuple[Located, int]:
        """The value at *at*, and the offset behind it."""
        try:
            value, end = self._decoder.raw_decode(self.text, at)
        except RecursionError:
            raise too_deep(self._name) from None
        return Located(value, self._lines(at, end), place), end

    def elements(self, at: int, place: str) -> Iterator[Located]:
        """The elements of the list at *at* one by one; :attr:`end` is set behind the last."""
        at = self._skip(at + 1)
        index = 0
        while not self.text.startswith("]", at):
            found, at = self.whole(at, f"{place}[{index}]")
            yield found
            index += 1
            at = self._next(at, "]")
        self._end = at + 1

    def members(self, at: int) -> Iterator[tuple[str, int]]:
        """Keys of the object at *at* and the offsets of their values; send it no other calls.

        The consumer must call :meth:`passed` with the offset behind each value it has decoded.
        """
        at = self._skip(at + 1)
        while not self.text.startswith("}", at):
            if not self.text.startswith('"', at):
                raise ValueError(f"a key in quotes is expected at character {at}")
            key, at = self._decoder.raw_decode(self.text, at)
            at = self._skip(at)
            if not self.text.startswith(":", at):
                raise ValueError(f"a colon is expected at character {at}")
            yield key, self._skip(at + 1)
            at = self._next(self._end, "}")
        self._end = at + 1

    def passed(self, end: int) -> None:
        """Say where the value that :meth:`members` gave ends."""
        self._end = end

    @property
    def end(self) -> int:
        """Offset behind the list or object that was walked last."""
        return self._end

    def finish(self) -> None:
        """Check that nothing stands behind the outermost value."""
        at = self._skip(self._end)
        if at < len(self.text):
            raise ValueError(f"more text behind the end, at character {at}")

    _end = 0

    def _skip(self, at: int) -> int:
        match = _SPACE.match(self.text, at)
        return match.end() if match else at

    def _next(self, at: int, closing: str) -> int:
        at = self._skip(at)
        if self.text.startswith(",", at):
            return self._skip(at + 1)
        if not self.text.startswith(closing, at):
            raise ValueError(f"a comma or {closing!r} is expected at character {at}")
        return at

    def _lines(self, start: int, end: int) -> LineRange:
        first = bisect_right(self._breaks, start - 1) + 1
        return LineRange(first, bisect_right(self._breaks, max(start, end - 1) - 1) + 1)


def too_deep(name: str) -> TooLarge:
    """The error for lists and objects nested too deep."""
    return TooLarge(
        f"{name}: lists and objects are nested more than {MAX_DEPTH} deep; flatten the file"
    )


def is_scalar(value: Any) -> bool:
    """Whether *value* holds no other values; an empty list or object counts as none."""
    return not isinstance(value, dict | list) or not value


def scalar_text(value: Any) -> str:
    """A scalar as text: ``true``, the digits as written, text as it is, nothing for null."""
    if value is None or isinstance(value, dict | list):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def flat_lines(value: Any, name: str) -> Iterator[tuple[str, str]]:
    """``(path, text)`` of the scalars in *value* in order: ``("a.b[0].c", "x")``; nulls left out.

    A list of numbers is one of them: coordinates say nothing one by one.

    :raises TooLarge: nested more than ``MAX_DEPTH`` deep.
    """
    pending: list[tuple[str, Any, int]] = [("", value, 0)]
    while pending:
        path, one, depth = pending.pop()
        if is_scalar(one):
            text = scalar_text(one)
            if text.strip():
                yield path, text
            continue
        if depth >= MAX_DEPTH:
            raise too_deep(name)
        if isinstance(one, list) and all(isinstance(x, Number) for x in one):
            yield path, ", ".join(one)
            continue
        if isinstance(one, dict):
            parts = [(_join(path, key), x, depth + 1) for key, x in one.items()]
        else:
            parts = [(f"{path}[{i}]", x, depth + 1) for i, x in enumerate(one)]
        pending += reversed(parts)


def _join(path: str, key: str) -> str:
    if not _PLAIN_KEY.fullmatch(key):
        key = json.dumps(key, ensure_ascii=False) if path or "\n" in key else key
    return f"{path}.{key}" if path else key
