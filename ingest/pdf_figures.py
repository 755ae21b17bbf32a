"""Figures of a page: pictures and dense drawings, merged and freed of backgrounds."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import chain

from chapterverse.ingest.pdf_graphics import Graphics
from chapterverse.ingest.pdf_text import Line, Rect

__all__ = ["figure_areas", "figure_regions", "is_background", "is_beside"]

_MIN_SHARE = 0.01
_MAX_SHARE = 0.85
_NEAR = 12.0
_PANELS = 60.0
"""Most points between the panels of one figure."""

_SHAPES, _STROKES = 8, 3
"""Curved or slanted shapes of a drawing without a caption; shapes of one with a caption."""

_LABEL = 50
_MOST_SHAPES = 3_000


def figure_areas(
    boxes: Sequence[Rect],
    graphics: Graphics,
    size: tuple[float, float],
    tables: Sequence[Rect],
    lines: Sequence[Line],
    captions: Sequence[Rect],
) -> list[Rect]:
    """The areas of the page's figures in points.

    *boxes* are those of its pictures, *size* its width and height, *tables* the areas of tables
    and code, *lines* its text, *captions* the boxes of captions of figures. A drawing is a figure
    if many curved or slanted shapes make it up, or if a caption stands beside it. Panels over
    one caption are one figure.
    """

    def fit(area: Rect) -> bool:
        shared = sum(max(0.0, area.x_overlap(t)) * max(0.0, area.y_overlap(t)) for t in tables)
        return shared < 0.4 * area.area and not is_background(area, lines)

    pictures = [a for a in figure_regions(boxes, *size) if fit(a)]
    drawn = [a for a in _drawn(graphics, size, tables, captions) if fit(a)]
    areas = _both(pictures, drawn, captions)
    for caption in captions:
        areas = _with_panels(areas, caption, lines)
    return sorted((_with_labels(a, captions, lines) for a in areas), key=lambda r: (r.y0, r.x0))


def _both(pictures: Sequence[Rect], drawn: Sequence[Rect], captions: Sequence[Rect]) -> list[Rect]:
    """Pictures and drawings; of those that share an area, a drawing over a caption is the whole
    figure (a diagram with icons in it), any other one only its frame.
    """
    areas = list(pictures)
    for area in drawn:
        shared = [p for p in areas if _shares(area, p)]
        if shared and not any(is_beside(caption, area) for caption in captions):
            continue
        areas = [p for p in areas if p not in shared]
        areas.append(reduce(Rect.union, shared, area))
    return areas


def _shares(a: Rect, b: Rect) -> bool:
    shared = max(0.0, a.x_overlap(b)) * max(0.0, a.y_overlap(b))
    return shared > 0.5 * min(a.area, b.area)


def _drawn(
    graphics: Graphics,
    size: tuple[float, float],
    tables: Sequence[Rect],
    captions: Sequence[Rect],
) -> list[Rect]:
    """Areas of drawings."""
    shapes = [r for r in graphics.drawings if r.area < _MAX_SHARE * size[0] * size[1]]
    # Lines are widened, as what is thinner than 4 points is no part of a figure by itself.
    plain = [
        Rect(r.x0 - 2.1, r.y0 - 2.1, r.x1 + 2.1, r.y1 + 2.1)
        for r in chain(graphics.fills, graphics.across, graphics.down)
        if r.width < 0.75 * size[0] and not any(t.holds(*_middle(r), 3.0) for t in tables)
    ]
    if len(shapes) + len(plain) > _MOST_SHAPES or (len(shapes) < _SHAPES and not captions):
        plain = []
    out = []
    for area in figure_regions([*shapes, *plain], *size):
        curved = sum(area.holds(*_middle(r), 1.0) for r in shapes)
        straight = sum(area.holds(*_middle(r), 1.0) for r in plain)
        named = any(is_beside(c, area) for c in captions) and curved + straight >= _STROKES
        if named or (curved >= _SHAPES and area.area > 2 * _MIN_SHARE * size[0] * size[1]):
            out.append(area)
    return out


def _with_panels(areas: list[Rect], caption: Rect, lines: Sequence[Line]) -> list[Rect]:
    """The areas with those over (or under) one caption made one."""
    beside = [a for a in areas if is_beside(caption, a)]
    if not beside:
        return areas
    above = [a for a in beside if a.y1 <= caption.y0 + 6] or beside
    whole = above[0]
    for area in above[1:]:
        whole = whole.union(area)
    rest = [a for a in areas if a not in above]
    side = whole.y1 <= caption.y0 + 6
    while (index := _panel(whole, rest, caption, lines, side)) is not None:
        whole = whole.union(rest.pop(index))
    return [*rest, whole]


def _panel(
    whole: Rect, rest: Sequence[Rect], caption: Rect, lines: Sequence[Line], above: bool
) -> int | None:
    """The next area that belongs to the figure: level with it or stacked on it, no text between."""
    for index, area in enumerate(rest):
        if (area.y1 > caption.y0 + 6) if above else (area.y0 < caption.y1 - 6):
            continue
        apart_x, apart_y = -whole.x_overlap(area), -whole.y_overlap(area)
        level = -apart_y > 0.5 * min(whole.height, area.height) and apart_x < _PANELS
        stacked = -apart_x > 0.5 * min(whole.width, area.width) and apart_y < _PANELS
        both = whole.union(area)
        wide = max(caption.width, whole.width) + 2 * _PANELS
        if (level and both.width < wide) or stacked:
            between = [x for x in lines if both.holds(*_middle(x.rect)) and len(x.text) > _LABEL]
            if not between:
                return index
    return None


def _with_labels(area: Rect, captions: Sequence[Rect], lines: Sequence[Line]) -> Rect:
    """The area with the short lines between it and its caption: labels of axes and panels."""
    caption = next((c for c in captions if is_beside(c, area) and c.y0 >= area.y1 - 6), None)
    if caption is None:
        return area
    wide = Rect(area.x0 - 6, area.y1 - 6, area.x1 + 6, caption.y0 - 0.5)
    for line in lines:
        rect = line.rect
        within = rect.x0 >= wide.x0 and rect.x1 <= wide.x1 and wide.y0 <= rect.y0
        if within and rect.y1 <= caption.y0 + 1 and len(line.text) <= _LABEL:
            area = area.union(rect)
    return area


def figure_regions(boxes: Sequence[Rect], width: float, height: float) -> list[Rect]:
    """Boxes of figures in points: neighbours within 12 points merged, 1 to 85 % of the page."""
    page = Rect(0.0, 0.0, width, height)
    rects = [_clip(box, page) for box in boxes]
    rects = [r for r in rects if r.area < _MAX_SHARE * page.area and r.width > 4 and r.height > 4]
    merged: list[Rect] = []
    for rect in sorted(rects, key=lambda r: (r.y0, r.x0)):
        # The others are no neighbours of each other, so only the newest can have one.
        while (index := _neighbour(rect, merged)) is not None:
            rect = rect.union(merged.pop(index))
        merged.append(rect)
    kept = [r for r in merged if _MIN_SHARE * page.area <= r.area < _MAX_SHARE * page.area]
    return sorted((r for r in kept if min(r.width, r.height) > 18), key=lambda r: (r.y0, r.x0))


def _neighbour(rect: Rect, others: Sequence[Rect]) -> int | None:
    for index, other in enumerate(others):
        if rect.x_overlap(other) > -_NEAR and rect.y_overlap(other) > -_NEAR:
            return index
    return None


def _clip(rect: Rect, page: Rect) -> Rect:
    return Rect(
        max(rect.x0, page.x0), max(rect.y0, page.y0), min(rect.x1, page.x1), min(rect.y1, page.y1)
    )


def is_background(rect: Rect, lines: Sequence[Line]) -> bool:
    """Whether the text inside is running text on a coloured panel or photograph, no labels."""
    held = (x for x in lines if rect.holds(*_middle(x.rect)))
    inside = [x for x in held if x.rect.width <= rect.width + _NEAR]
    chars = sum(len(x.text) for x in inside)
    prose = sum(len(x.text) > 45 for x in inside)
    covered = sum(x.rect.area for x in inside)
    return prose >= 3 or chars > 500 or covered > 0.5 * rect.area


def is_beside(caption: Rect, area: Rect) -> bool:
    """Whether the area stands right above or below the caption, at most 40 points away."""
    gap = max(caption.y0 - area.y1, area.y0 - caption.y1)
    return -6 < gap < 40 and caption.x_overlap(area) > 0


def _middle(rect: Rect) -> tuple[float, float]:
    return (rect.x0 + rect.x1) / 2, (rect.y0 + rect.y1) / 2
