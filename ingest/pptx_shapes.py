"""The shapes of a slide with their places, in reading order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from chapterverse.ingest.ooxml import local_name
from chapterverse.schema.records import Box

__all__ = ["Placed", "flatten_alternatives", "in_reading_order", "placed_shapes"]

_DEEPEST = 20


@dataclass(frozen=True, slots=True)
class Placed:
    """A shape that is no group, and its rectangle in fractions of the slide (not clamped).

    ``box`` is ``None`` where neither the shape nor its layout says where it stands.
    """

    shape: Any
    box: tuple[float, float, float, float] | None

    @property
    def region_box(self) -> Box | None:
        """The rectangle cut at the borders of the slide."""
        if self.box is None:
            return None
        x0, y0, x1, y1 = (min(1.0, max(0.0, value)) for value in self.box)
        return Box(x0, y0, max(x0, x1), max(y0, y1))


@dataclass(frozen=True, slots=True)
class _Frame:
    """How the coordinates inside a group become those of the slide."""

    x: float = 0.0
    y: float = 0.0
    scale_x: float = 1.0
    scale_y: float = 1.0


def flatten_alternatives(tree: Any) -> None:
    """Put the shapes of ``mc:AlternateContent`` in its place: the first form that holds any.

    Ink and other content that is only drawn is taken as its picture.
    """
    for block in list(tree.iter("{*}AlternateContent")):
        parent = block.getparent()
        if parent is None or local_name(parent) not in ("spTree", "grpSp", "oleObj"):
            continue
        forms = [list(form) for form in block if local_name(form) in ("Choice", "Fallback")]
        usable = (form for form in forms if form and local_name(form[0]) != "contentPart")
        for shape in next(usable, []):
            block.addprevious(shape)
        parent.remove(block)


def placed_shapes(shapes: Any, size: tuple[int, int]) -> list[Placed]:
    """All shapes of *shapes*, those inside groups too; *size* is that of the slide in EMU."""
    return list(_walk(shapes, size, _Frame(), 0))


def _walk(shapes: Any, size: tuple[int, int], frame: _Frame, depth: int) -> Iterator[Placed]:
    for shape in shapes:
        if local_name(shape._element) == "grpSp":
            if depth < _DEEPEST:
                yield from _walk(shape.shapes, size, _inside(shape, frame), depth + 1)
            continue
        sides = (shape.left, shape.top, shape.width, shape.height)
        if any(side is None for side in sides):
            yield Placed(shape, None)
            continue
        left, top, width, height = sides
        x, y = frame.x + left * frame.scale_x, frame.y + top * frame.scale_y
        right, bottom = x + width * frame.scale_x, y + height * frame.scale_y
        yield Placed(shape, (x / size[0], y / size[1], right / size[0], bottom / size[1]))


def _inside(group: Any, frame: _Frame) -> _Frame:
    values = {}
    for element in group._element.iter("{*}xfrm"):
        for child in element:
            values[local_name(child)] = child.attrib
        break
    try:
        off, ext, inner, inner_ext = (values[key] for key in ("off", "ext", "chOff", "chExt"))
        scale_x = int(ext["cx"]) / int(inner_ext["cx"]) if int(inner_ext["cx"]) else 1.0
        scale_y = int(ext["cy"]) / int(inner_ext["cy"]) if int(inner_ext["cy"]) else 1.0
        x = int(off["x"]) - int(inner["x"]) * scale_x
        y = int(off["y"]) - int(inner["y"]) * scale_y
    except (KeyError, ValueError):
        return frame
    return _Frame(
        frame.x + x * frame.scale_x,
        frame.y + y * frame.scale_y,
        frame.scale_x * scale_x,
        frame.scale_y * scale_y,
    )


def in_reading_order(shapes: Sequence[Placed]) -> list[Placed]:
    """*shapes* top to bottom and left to right, columns that stand side by side one by one.

    The slide is cut where no shape stands: at empty bands across it first, then at empty strips
    down. Shapes without a place come last, in the order of the file.
    """
    placed = [one for one in shapes if one.box is not None]
    rest = [one for one in shapes if one.box is None]
    return _cut(placed, across=True, tried=False) + rest


def _cut(shapes: list[Placed], *, across: bool, tried: bool) -> list[Placed]:
    if len(shapes) < 2:
        return shapes
    groups = _groups(shapes, 1 if across else 0)
    if len(groups) == 1:
        if tried:
            # They overlap: by lines of about the same top, each from left to right.
            return sorted(shapes, key=_place)
        return _cut(shapes, across=not across, tried=True)
    return [one for group in groups for one in _cut(group, across=not across, tried=False)]


def _groups(shapes: Sequence[Placed], axis: int) -> list[list[Placed]]:
    """*shapes* in groups whose extents along *axis* do not overlap (a little does not count)."""
    groups: list[list[Placed]] = []
    reach = -1e9
    for one in sorted(shapes, key=lambda shape: _extent(shape, axis)):
        start, end = _extent(one, axis)
        if groups and start < reach - 0.01:
            groups[-1].append(one)
        else:
            groups.append([one])
        reach = max(reach, end)
    return groups


def _extent(one: Placed, axis: int) -> tuple[float, float]:
    box = one.box or (0.0, 0.0, 0.0, 0.0)
    return box[axis], box[axis + 2]


def _place(one: Placed) -> tuple[int, float]:
    box = one.box or (0.0, 0.0, 0.0, 0.0)
    return round(box[1] / 0.03), box[0]
