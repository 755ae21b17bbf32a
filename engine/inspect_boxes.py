"""A page drawn with the boxes of its assets over it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from chapterverse.engine.inspect_neutral import page_boxes
from chapterverse.schema.records import Asset, Box

__all__ = ["drawn_page", "has_boxes"]

_HOVER = 300
_WORDS = 600


def has_boxes(assets: Sequence[Asset], page: int) -> bool:
    """Whether any of *assets* has a box on *page*."""
    return any(r.page == page and r.box for asset in assets for r in asset.regions)


def drawn_page(
    assets: Sequence[Asset], page: int, size: tuple[int, int], source: str | None
) -> Iterator[str]:
    """*page* as SVG of *size* pixels: its picture, where *source* has one, under all boxes.

    Each box is one region; a dashed line goes around an asset of several. Without a picture the
    words stand in their boxes.
    """
    width, height = size
    yield f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="page {page}">\n'
    if source:
        yield f'<image href="{escape(source)}" width="{width}" height="{height}"/>\n'
    words = {} if source else _words(assets, page)
    for asset in assets:
        # Rows of a table may share the box of the whole.
        boxes = list(dict.fromkeys(r.box for r in asset.regions if r.page == page and r.box))
        if boxes:
            yield from _asset(asset, page, boxes, size, words)
    yield "</svg>\n"


def _words(assets: Sequence[Asset], page: int) -> dict[Box, str]:
    """What to write into each box: all assets that share it, one after the other."""
    found: dict[Box, str] = {}
    for asset in assets:
        box = dict(page_boxes(asset.regions)).get(page)
        if box:
            found[box] = f"{found[box]}\n{asset.text}" if box in found else asset.text
    return found


def _asset(
    asset: Asset, page: int, boxes: Sequence[Box], size: tuple[int, int], words: dict[Box, str]
) -> Iterator[str]:
    """One asset; its *words* are taken, so that the next one in the same box writes none."""
    around = dict(page_boxes(asset.regions))[page]
    assert around is not None
    level = "" if asset.level is None else f", level {asset.level}"
    path = " > ".join(asset.heading_path)
    hover = f"{asset.ordinal} {asset.kind.value}{level}\n{path}\n{asset.text[:_HOVER]}"
    yield f'<a href="#a{asset.ordinal}"><g class="box {asset.kind.value}">'
    yield f"<title>{escape(hover)}</title>"
    if len(boxes) > 1:
        yield f'<rect class="around" {_corners(around, size)}/>'
    yield from (f"<rect {_corners(box, size)}/>" for box in boxes)
    if around in words:
        text = escape(words.pop(around)[:_WORDS])
        yield f"<foreignObject {_corners(around, size)}>"
        yield f'<div class="words">{text}</div></foreignObject>'
    x, y = boxes[0].x0 * size[0], boxes[0].y0 * size[1]
    # Left of the box, but never off the page.
    yield f'<text x="{max(x - 2, 24):.1f}" y="{max(y + 11, 12):.1f}">{asset.ordinal}</text>'
    yield "</g></a>\n"


def _corners(box: Box, size: tuple[int, int]) -> str:
    width, height = size
    return (
        f'x="{box.x0 * width:.1f}" y="{box.y0 * height:.1f}" '
        f'width="{(box.x1 - box.x0) * width:.1f}" height="{(box.y1 - box.y0) * height:.1f}"'
    )
