"""Figures of a page: pictures and dense drawings, merged and freed of backgrounds."""

from __future__ import annotations

from collections.abc import Sequence

from chapterverse.ingest.pdf_text import Line, Rect

__all__ = ["figure_regions", "is_background", "is_beside"]

_MIN_SHARE = 0.01
_MAX_SHARE = 0.85
_NEAR = 12.0


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
    inside = [x for x in lines if rect.holds(*_middle(x.rect))]
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
