"""What a PDF page shows besides text: ruled lines, filled areas, drawings and pictures.

Boxes are in points of the displayed page (after ``/Rotate``, visible part), origin top left.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import compress, repeat
from typing import Any

from chapterverse.ingest.pdf_text import Rect

__all__ = ["Graphics", "frames", "join_rules", "read_graphics"]

_THIN = 3.0
"""Most thickness of a ruled line in points."""

_SHORT = 6.0
"""Least length of a ruled line in points, pieces joined."""

_LONGEST = 240
"""Most parts of a path that is looked at closely; one with more is a drawing."""

_MANY = 100
"""From so many drawn shapes on, the other outlines of a page are taken for shapes as well."""

_MAX_SEGMENTS, _MAX_OBJECTS, _MAX_DEPTH = 6_000, 60_000, 4
_Matrix = tuple[float, float, float, float, float, float]
_Point = tuple[float, float]
_UNIT: _Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Graphics:
    """The graphics of a page.

    ``across`` and ``down`` are ruled lines as thin boxes, the edges of outlined boxes among them;
    ``fills`` coloured boxes, ``drawings`` all other paths and shadings, ``pictures`` images.
    """

    across: tuple[Rect, ...] = ()
    down: tuple[Rect, ...] = ()
    fills: tuple[Rect, ...] = ()
    drawings: tuple[Rect, ...] = ()
    pictures: tuple[Rect, ...] = ()


def read_graphics(page: Any) -> Graphics:
    """The graphics of a pypdfium2 page; of its objects the first 60,000 are looked at."""
    return _Reader(page).read()


def join_rules(rules: Iterable[Rect], *, across: bool, gap: float = 3.0) -> list[Rect]:
    """Lines of one direction with touching pieces joined and short ones left out."""
    turned = [r if across else _turn(r) for r in rules]
    rows: list[list[Rect]] = []
    for rule in sorted(turned, key=lambda r: (r.y0 + r.y1, r.x0)):
        middle = (rule.y0 + rule.y1) / 2
        if rows and middle - (rows[-1][0].y0 + rows[-1][0].y1) / 2 < 1.6:
            rows[-1].append(rule)
        else:
            rows.append([rule])
    out = []
    for row in rows:
        row.sort()
        whole = row[0]
        for rule in row[1:]:
            if rule.x0 <= whole.x1 + gap:
                whole = whole.union(rule)
            else:
                out.append(whole)
                whole = rule
        out.append(whole)
    kept = [r for r in out if r.width >= _SHORT]
    return kept if across else [_turn(r) for r in kept]


def frames(across: Iterable[Rect]) -> list[Rect]:
    """Areas between lines of one length, one above the other."""
    groups: dict[tuple[int, int], list[Rect]] = {}
    for rule in across:
        groups.setdefault((round(rule.x0 / 4), round(rule.x1 / 4)), []).append(rule)
    frames = []
    for rules in groups.values():
        frame = Rect(rules[0].x0 - 2, rules[0].y0, rules[0].x1 + 2, rules[-1].y1)
        if len(rules) > 1 and frame.height > 40 and frame.width > 100:
            frames.append(frame)
    return frames


def _turn(rect: Rect) -> Rect:
    return Rect(rect.y0, rect.x0, rect.y1, rect.x1)


@cache
def _functions() -> dict[str, Any]:
    """PDFium's functions with bare argument types, which cost less to convert."""
    import pypdfium2.raw as raw

    at, number = ctypes.c_void_p, ctypes.c_int
    signatures: dict[str, tuple[Any, ...]] = {
        "FPDFPage_CountObjects": (number, at),
        "FPDFPage_GetObject": (at, at, number),
        "FPDFFormObj_CountObjects": (number, at),
        "FPDFFormObj_GetObject": (at, at, ctypes.c_ulong),
        "FPDFPageObj_GetType": (number, at),
        "FPDFPageObj_GetBounds": (number, at, at, at, at, at),
        "FPDFPageObj_GetMatrix": (number, at, at),
        "FPDFPageObj_GetFillColor": (number, at, at, at, at, at),
        "FPDFPath_CountSegments": (number, at),
        "FPDFPath_GetDrawMode": (number, at, at, at),
        "FPDFPath_GetPathSegment": (at, at, number),
        "FPDFPathSegment_GetPoint": (number, at, at, at),
        "FPDFPathSegment_GetType": (number, at),
        "FPDFPathSegment_GetClose": (number, at),
    }
    made = {}
    for name, (result, *arguments) in signatures.items():
        address = ctypes.cast(getattr(raw, name), at).value or 0
        made[name] = ctypes.CFUNCTYPE(result, *arguments)(address)
    return made


class _Reader:
    """One page; the numbers that PDFium writes land in fields made once."""

    def __init__(self, page: Any) -> None:
        import pypdfium2.raw as raw

        self._call = _functions()
        self._page = ctypes.cast(page.raw, ctypes.c_void_p).value
        self._frame: tuple[float, float, float, float] = page.get_bbox()
        self._rotation: int = page.get_rotation()
        self._raw = raw
        self._reals = [ctypes.c_float() for _ in range(4)]
        self._real_at = [ctypes.byref(x) for x in self._reals]
        self._numbers = [ctypes.c_uint() for _ in range(4)]
        self._number_at = [ctypes.byref(x) for x in self._numbers]
        self._matrix = raw.FS_MATRIX()
        self._objects, self._segments = _MAX_OBJECTS, _MAX_SEGMENTS
        self._across: list[Rect] = []
        self._down: list[Rect] = []
        self._fills: list[Rect] = []
        self._drawings: list[Rect] = []
        self._pictures: list[Rect] = []

    def read(self) -> Graphics:
        call, page = self._call, self._page
        count = call["FPDFPage_CountObjects"](page)
        self._walk(map(call["FPDFPage_GetObject"], repeat(page), range(count)), _UNIT, 0)
        return Graphics(
            tuple(join_rules(self._across, across=True)),
            tuple(join_rules(self._down, across=False)),
            tuple(self._fills),
            tuple(self._drawings),
            tuple(self._pictures),
        )

    def _walk(self, items: Iterator[int], base: _Matrix, depth: int) -> None:
        call, raw = self._call, self._raw
        kind_of = call["FPDFPageObj_GetType"]
        # Most objects of a page are text: loops in C pass over them.
        handles = list(items)
        kinds = list(map(kind_of, handles))
        shapes = map(raw.FPDF_PAGEOBJ_TEXT.__ne__, kinds)
        for item, kind in compress(zip(handles, kinds, strict=True), shapes):
            self._objects -= 1
            if self._objects < 0:
                return
            if kind == raw.FPDF_PAGEOBJ_FORM:
                if depth < _MAX_DEPTH:
                    count = call["FPDFFormObj_CountObjects"](item)
                    inner = map(call["FPDFFormObj_GetObject"], repeat(item), range(count))
                    self._walk(inner, _times(self._own_matrix(item), base), depth + 1)
                continue
            if not call["FPDFPageObj_GetBounds"](item, *self._real_at):
                continue
            left, bottom, right, top = (x.value for x in self._reals)
            box = self._shown((left, bottom), (right, top), base)
            if kind == raw.FPDF_PAGEOBJ_IMAGE:
                self._pictures.append(box)
            elif kind == raw.FPDF_PAGEOBJ_PATH:
                self._path(item, box, base)
            else:
                self._drawings.append(box)

    def _own_matrix(self, item: int) -> _Matrix:
        m = self._matrix
        if not self._call["FPDFPageObj_GetMatrix"](item, ctypes.byref(m)):
            return _UNIT
        return (m.a, m.b, m.c, m.d, m.e, m.f)

    def _shown(self, one: _Point, other: _Point, base: _Matrix) -> Rect:
        """The box of two opposite corners on the displayed page."""
        if base is _UNIT and self._rotation == 0:
            (ax, ay), (bx, by), (left, _, _, top) = one, other, self._frame
            low, high = (ax, bx) if ax < bx else (bx, ax)
            under, over = (ay, by) if ay < by else (by, ay)
            return Rect(low - left, top - over, high - left, top - under)
        if base is not _UNIT:
            corners = [_apply(base, x, y) for x in (one[0], other[0]) for y in (one[1], other[1])]
            one = (min(x for x, _ in corners), min(y for _, y in corners))
            other = (max(x for x, _ in corners), max(y for _, y in corners))
        left, bottom, right, top = self._frame
        points = []
        for x, y in (one, other):
            if self._rotation == 90:
                points.append((y - bottom, x - left))
            elif self._rotation == 180:
                points.append((right - x, y - bottom))
            elif self._rotation == 270:
                points.append((top - y, right - x))
            else:
                points.append((x - left, top - y))
        (ax, ay), (bx, by) = points
        return Rect(min(ax, bx), min(ay, by), max(ax, bx), max(ay, by))

    def _path(self, item: int, box: Rect, base: _Matrix) -> None:
        call = self._call
        if not call["FPDFPath_GetDrawMode"](item, *self._number_at[:2]):
            return
        filled, stroked = bool(self._numbers[0].value), bool(self._numbers[1].value)
        if not (filled or stroked):
            return
        if filled and not stroked and self._is_white(item):
            return
        if self._rule(box):
            return
        count = call["FPDFPath_CountSegments"](item)
        if count > _LONGEST or count > self._segments or len(self._drawings) > _MANY:
            self._drawings.append(box)
            return
        self._segments -= count
        lines = self._lines(item, count, base)
        if lines is None:
            self._drawings.append(box)
        elif stroked:
            for line in lines:
                self._rule(line)
        elif count <= 5:
            self._fills.append(box)
        else:
            self._drawings.append(box)

    def _rule(self, box: Rect) -> bool:
        """Take a thin box as a ruled line; whether it is one."""
        if box.height <= _THIN and box.width >= box.height:
            self._across.append(box)
        elif box.width <= _THIN and box.height > box.width:
            self._down.append(box)
        else:
            return False
        return True

    def _is_white(self, item: int) -> bool:
        if not self._call["FPDFPageObj_GetFillColor"](item, *self._number_at):
            return False
        red, green, blue, alpha = (x.value for x in self._numbers)
        return min(red, green, blue) >= 252 or alpha == 0

    def _lines(self, item: int, count: int, base: _Matrix) -> list[Rect] | None:
        """The straight lines of a path; ``None`` if one is curved or aslant."""
        call, raw = self._call, self._raw
        matrix = _times(self._own_matrix(item), base)
        out: list[Rect] = []
        start = last = (0.0, 0.0)
        for index in range(count):
            segment = call["FPDFPath_GetPathSegment"](item, index)
            kind = call["FPDFPathSegment_GetType"](segment)
            if kind == raw.FPDF_SEGMENT_BEZIERTO:
                return None
            call["FPDFPathSegment_GetPoint"](segment, *self._real_at[:2])
            point = _apply(matrix, self._reals[0].value, self._reals[1].value)
            steps = [] if kind == raw.FPDF_SEGMENT_MOVETO else [point]
            start = start if steps else point
            if call["FPDFPathSegment_GetClose"](segment):
                steps.append(start)
            for step in steps:
                if min(abs(last[0] - step[0]), abs(last[1] - step[1])) > 1.0:
                    return None
                out.append(self._shown(last, step, _UNIT))
                last = step
            last = last if steps else point
        return out


def _apply(m: _Matrix, x: float, y: float) -> _Point:
    return m[0] * x + m[2] * y + m[4], m[1] * x + m[3] * y + m[5]


def _times(first: _Matrix, then: _Matrix) -> _Matrix:
    """The matrix that applies *first*, then *then*."""
    a, b, c, d, e, f = first
    return (
        *(a * then[0] + b * then[2], a * then[1] + b * then[3]),
        *(c * then[0] + d * then[2], c * then[1] + d * then[3]),
        *(e * then[0] + f * then[2] + then[4], e * then[1] + f * then[3] + then[5]),
    )
