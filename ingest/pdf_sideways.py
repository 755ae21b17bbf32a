"""Pages whose content lies on its side: read as if turned upright, cited as they are displayed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from typing import Any

from chapterverse.ingest.pdf_text import Word
from chapterverse.schema.records import Asset, Box, Region

__all__ = ["as_displayed", "turn_of", "turned"]

_MOST, _ENOUGH = 0.8, 40
"""Share of a page's characters that must run one way, and their least number."""


def turn_of(words: Sequence[Word]) -> int:
    """Clockwise degrees (0, 90, 180 or 270) by which most text of a page appears turned."""
    aside = [word for word in words if not word.upright and not word.vertical]
    count = sum(len(word.text) for word in aside)
    if count < _ENOUGH or count < _MOST * sum(len(word.text) for word in words):
        return 0
    ways = Counter(way for a, b in pairwise(aside) if (way := _way(a, b)) is not None)
    if not ways:
        return 0
    way, steps = ways.most_common(1)[0]
    return way if steps >= _MOST * ways.total() else 0


def _way(a: Word, b: Word) -> int | None:
    """How far the line is turned on which *b* follows *a*; ``None`` if it is another line."""
    if abs(a.x - b.x) < 0.3 * a.size:
        return 90 if b.y > a.y else 270
    return 180 if abs(a.y - b.y) < 0.3 * a.size and b.x < a.x else None


@contextmanager
def turned(page: Any, turn: int) -> Iterator[None]:
    """The pypdfium2 page with its content upright that is turned by *turn* degrees."""
    if not turn:
        yield
        return
    before = page.get_rotation()
    page.set_rotation((before + 360 - turn) % 360)
    try:
        yield
    finally:
        page.set_rotation(before)


def as_displayed(assets: Sequence[Asset], turns: Mapping[int, int]) -> tuple[Asset, ...]:
    """The assets with the boxes on pages that were read turned (degrees by page) put in place."""
    if not turns:
        return tuple(assets)
    return tuple(
        replace(asset, regions=tuple(_in_place(region, turns) for region in asset.regions))
        for asset in assets
    )


def _in_place(region: Region, turns: Mapping[int, int]) -> Region:
    turn = turns.get(region.page, 0) if region.page is not None else 0
    return replace(region, box=_back(region.box, turn)) if turn and region.box else region


def _back(box: Box, turn: int) -> Box:
    if turn == 90:
        edges = (1 - box.y1, box.x0, 1 - box.y0, box.x1)
    elif turn == 180:
        edges = (1 - box.x1, 1 - box.y1, 1 - box.x0, 1 - box.y0)
    else:
        edges = (box.y0, 1 - box.x1, box.y1, 1 - box.x0)
    return Box(*(round(edge, 5) for edge in edges))
