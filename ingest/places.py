"""Which regions, and so which pages, a span of an asset's text stands on."""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace

from chapterverse.schema.records import Asset, Region, Segment

__all__ = ["Places"]


class Places:
    """Looks up regions by span in time logarithmic in the number of regions."""

    def __init__(self, assets: Sequence[Asset]) -> None:
        self._assets = assets
        self._sorted: dict[int, tuple[list[Region], list[int], list[int]]] = {}
        self._number = {asset.ordinal: index for index, asset in enumerate(assets)}

    def overlapping(self, asset: int, start: int, end: int) -> list[Region]:
        """Regions of asset number *asset* that hold visible text of ``[start, end)``."""
        regions, starts, reach = self._order(asset)
        text = self._assets[asset].text
        candidates = regions[bisect_right(reach, start) : bisect_left(starts, end)]
        return [
            region
            for region in candidates
            if text[max(region.start, start) : min(region.end, end)].strip()
        ]

    def pages(self, asset: int, start: int, end: int) -> tuple[int, int] | None:
        """First and last page of a span; ``None`` where pages are not known."""
        found = self.overlapping(asset, start, end)
        pages = [region.page for region in found if region.page is not None]
        return (min(pages), max(pages)) if pages else None

    def rebased(self, segments: Sequence[Segment], start: int, end: int) -> tuple[Region, ...]:
        """Regions under ``[start, end)`` of a parent's text, counted from *start*."""
        found: list[Region] = []
        for segment in segments:
            if segment.end <= start or segment.start >= end:
                continue
            asset = self._number[segment.asset]
            shift = segment.asset_start - segment.start
            first, last = max(start, segment.start) + shift, min(end, segment.end) + shift
            for region in self.overlapping(asset, first, last):
                at = max(region.start, first) - shift - start
                to = min(region.end, last) - shift - start
                found.append(replace(region, start=at, end=to))
        return tuple(found)

    def _order(self, asset: int) -> tuple[list[Region], list[int], list[int]]:
        if asset not in self._sorted:
            regions = sorted(self._assets[asset].regions, key=lambda r: (r.start, r.end))
            # Regions may overlap: the furthest end so far only grows, so it can be searched.
            reach = list(itertools.accumulate((r.end for r in regions), max))
            self._sorted[asset] = regions, [r.start for r in regions], reach
        return self._sorted[asset]
