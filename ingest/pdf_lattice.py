"""Tables drawn with lines: the cells that ruled lines enclose, merged ones among them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from chapterverse.ingest.pdf_graphics import Graphics, join_rules
from chapterverse.ingest.pdf_text import Rect

__all__ = ["Lattice", "Span", "find_lattices"]

_NEAR = 3.0
_NARROW = 4.5
"""Lines closer than this many points are one border (double lines)."""

_COVERED = 0.6
"""Share of a cell's side that lines must cover to be a border."""

_MOST = 300
"""Most lines of one direction that are looked at on a page; more are a drawing."""


@dataclass(frozen=True, slots=True)
class Span:
    """A cell at ``(row, column)`` that covers ``rows`` x ``columns`` places."""

    row: int
    column: int
    rows: int
    columns: int


@dataclass(frozen=True, slots=True)
class Lattice:
    """Borders of columns ``xs`` and rows ``ys`` in points, ascending, and the cells between."""

    xs: tuple[float, ...]
    ys: tuple[float, ...]
    cells: tuple[Span, ...]

    @property
    def rect(self) -> Rect:
        return Rect(self.xs[0], self.ys[0], self.xs[-1], self.ys[-1])

    def box(self, cell: Span) -> Rect:
        """The box that the borders of a cell enclose."""
        return Rect(
            self.xs[cell.column],
            self.ys[cell.row],
            self.xs[cell.column + cell.columns],
            self.ys[cell.row + cell.rows],
        )

    def place(self, x: float, y: float) -> tuple[int, int] | None:
        """Row and column of the place that holds a point."""
        column = next((i for i in range(len(self.xs) - 1) if x < self.xs[i + 1]), None)
        row = next((i for i in range(len(self.ys) - 1) if y < self.ys[i + 1]), None)
        outside = x < self.xs[0] - _NEAR or y < self.ys[0] - _NEAR
        return None if row is None or column is None or outside else (row, column)


def find_lattices(graphics: Graphics) -> list[Lattice]:
    """The grids of at least 2 x 2 cells on a page, those of lines before those of filled boxes."""
    found = list(_grids(graphics.across, graphics.down))
    fills = [r for r in graphics.fills if r.width > 6 and r.height > 6]
    if len(fills) > 3:
        across = [e for r in fills for e in _edges(r, r.y0, r.y1)]
        down = [Rect(x - 0.2, r.y0, x + 0.2, r.y1) for r in fills for x in (r.x0, r.x1)]
        across = join_rules([*graphics.across, *across], across=True)
        down = join_rules([*graphics.down, *down], across=False)
        for lattice in _grids(across, down):
            apart = not any(_covers(lattice.rect, other.rect) for other in found)
            if apart and _is_tiled(lattice, fills):
                found.append(lattice)
    return found


def _is_tiled(lattice: Lattice, fills: Sequence[Rect]) -> bool:
    """Whether cells of every column are filled boxes: shading of some columns is no grid."""
    columns: set[int] = set()
    count = 0
    for cell in lattice.cells:
        box = lattice.box(cell)
        if any(_fits(fill, box) for fill in fills):
            count += 1
            columns.update(range(cell.column, cell.column + cell.columns))
    return len(columns) == len(lattice.xs) - 1 and 5 * count > 2 * len(lattice.cells)


def _fits(fill: Rect, cell: Rect) -> bool:
    return all(abs(a - b) < _NARROW for a, b in zip(fill, cell, strict=True))


def _edges(rect: Rect, *heights: float) -> list[Rect]:
    return [Rect(rect.x0, y - 0.2, rect.x1, y + 0.2) for y in heights]


def _covers(a: Rect, b: Rect) -> bool:
    return a.x_overlap(b) > 0 and a.y_overlap(b) > 0


def _grids(across: Sequence[Rect], down: Sequence[Rect]) -> Iterator[Lattice]:
    if not 2 <= len(across) <= _MOST or not 1 <= len(down) <= _MOST:
        return
    for rows, columns in _connected(across, down):
        if len(rows) < 2:
            continue
        lattice = _grid(rows, columns)
        if lattice is not None:
            yield lattice


def _connected(
    across: Sequence[Rect], down: Sequence[Rect]
) -> Iterator[tuple[list[Rect], list[Rect]]]:
    """Groups of lines that touch each other."""
    group = list(range(len(across) + len(down)))

    def root(index: int) -> int:
        while group[index] != index:
            group[index] = group[group[index]]
            index = group[index]
        return index

    for d, (x0, y0, x1, y1) in enumerate(down, len(across)):
        for a, line in enumerate(across):
            if (
                line.x0 - _NEAR <= x1
                and x0 <= line.x1 + _NEAR
                and y0 - _NEAR <= line.y1
                and line.y0 <= y1 + _NEAR
            ):
                group[root(d)] = root(a)
    sets: dict[int, tuple[list[Rect], list[Rect]]] = {}
    for index in range(len(group)):
        rows, columns = sets.setdefault(root(index), ([], []))
        if index < len(across):
            rows.append(across[index])
        else:
            columns.append(down[index - len(across)])
    yield from (pair for pair in sets.values() if pair[0] and pair[1])


def _grid(across: list[Rect], down: list[Rect]) -> Lattice | None:
    left, right = min(r.x0 for r in across), max(r.x1 for r in across)
    top, bottom = min(r.y0 for r in down), max(r.y1 for r in down)
    ys = _borders([(r.y0 + r.y1) / 2 for r in across])
    if len(ys) > 2 or bottom - top > ys[-1] - ys[0] - 2 * _NARROW:
        # Tables without lines at their left and right are closed by the ends of their rules.
        top, bottom = min(top, ys[0]), max(bottom, ys[-1])
        if min(r.x0 for r in down) > left + _NARROW:
            down = [*down, Rect(left, top, left, bottom)]
        if max(r.x1 for r in down) < right - _NARROW:
            down = [*down, Rect(right, top, right, bottom)]
    # A row like the others over the first line across, which the lines between columns reach into.
    heights = [b - a for a, b in pairwise(ys)]
    if len(ys) > 2 and 0.6 * min(heights) < ys[0] - top < 1.6 * min(heights):
        ys = (top, *ys)
    xs = _borders([(r.x0 + r.x1) / 2 for r in down])
    if len(xs) < 3 or len(ys) < 3:
        return None
    cells = _cells(xs, ys, across, down)
    if cells is None:
        return None
    rows = {c.row for c in cells if c.columns < len(xs) - 1}
    columns = {c.column for c in cells}
    return Lattice(xs, ys, cells) if len(rows) > 1 and len(columns) > 1 else None


def _borders(values: list[float]) -> tuple[float, ...]:
    """Middle of each group of values closer than a narrow gap."""
    groups: list[list[float]] = []
    for value in sorted(values):
        if groups and value - groups[-1][0] < _NARROW:
            groups[-1].append(value)
        else:
            groups.append([value])
    return tuple(sum(g) / len(g) for g in groups)


def _cells(
    xs: Sequence[float], ys: Sequence[float], across: Sequence[Rect], down: Sequence[Rect]
) -> tuple[Span, ...] | None:
    """The cells between borders, joined where there is no line; ``None`` for odd shapes."""
    rows, columns = len(ys) - 1, len(xs) - 1
    beside = [
        [_drawn(down, xs[c], ys[r], ys[r + 1], turned=True) for c in range(columns + 1)]
        for r in range(rows)
    ]
    over = [
        [_drawn(across, ys[r], xs[c], xs[c + 1], turned=False) for c in range(columns)]
        for r in range(rows + 1)
    ]
    taken: set[tuple[int, int]] = set()
    spans, odd = [], 0
    for r in range(rows):
        for c in range(columns):
            if (r, c) in taken:
                continue
            wide = 1
            while c + wide < columns and not beside[r][c + wide] and (r, c + wide) not in taken:
                wide += 1
            tall = 1
            while r + tall < rows and _joins(beside, over, r + tall, c, wide):
                tall += 1
            odd += any(not over[r + tall][k] and r + tall < rows for k in range(c, c + wide))
            taken.update((r + i, c + k) for i in range(tall) for k in range(wide))
            spans.append(Span(r, c, tall, wide))
    return None if 3 * odd > len(spans) else tuple(spans)


def _joins(
    beside: Sequence[Sequence[bool]], over: Sequence[Sequence[bool]], row: int, c: int, wide: int
) -> bool:
    """Whether a cell goes on into *row* over all of its columns."""
    inner = any(beside[row][k] for k in range(c + 1, c + wide))
    return not inner and not any(over[row][k] for k in range(c, c + wide))


def _drawn(lines: Sequence[Rect], at: float, start: float, end: float, *, turned: bool) -> bool:
    """Whether lines at a border cover most of the way from start to end."""
    covered = 0.0
    for x0, y0, x1, y1 in lines:
        if turned:
            x0, y0, x1, y1 = y0, x0, y1, x1
        if abs((y0 + y1) / 2 - at) < _NARROW:
            covered += max(0.0, min(x1, end) - max(x0, start))
    return covered >= _COVERED * (end - start)
