"""Assets of recognised pages: boxes as the page is displayed, and text marked as recognised."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from chapterverse.ingest.ocr_lines import ReadPicture, displayed
from chapterverse.schema.records import Asset, Box, Origin, Region

__all__ = ["mark_recognised"]


def mark_recognised(
    assets: Sequence[Asset], pictures: Mapping[int, ReadPicture]
) -> tuple[Asset, ...]:
    """*assets* with the regions on pages of *pictures* put in place and their text as ``ocr``."""
    if not pictures:
        return tuple(assets)
    return tuple(_marked(asset, pictures) for asset in assets)


def _marked(asset: Asset, pictures: Mapping[int, ReadPicture]) -> Asset:
    if not any(region.page in pictures for region in asset.regions):
        return asset
    regions, spans = [], []
    for region in asset.regions:
        picture = pictures.get(region.page or 0)
        if picture is None:
            regions.append(region)
            continue
        regions.append(_placed(region, picture))
        if region.end > region.start:
            spans.append(Origin(region.start, region.end, "ocr", _score(picture)))
    return replace(asset, regions=tuple(regions), origins=(*asset.origins, *_joined(spans)))


def _placed(region: Region, picture: ReadPicture) -> Region:
    box = region.box
    if box is None:
        return region
    x0, y0, x1, y1 = displayed(picture, box.x0, box.y0, box.x1, box.y1)
    return replace(region, box=Box(round(x0, 5), round(y0, 5), round(x1, 5), round(y1, 5)))


def _score(picture: ReadPicture) -> float | None:
    return None if picture.score is None else round(picture.score, 4)


def _joined(spans: Sequence[Origin]) -> list[Origin]:
    """Spans of one score that follow each other, white space between them included, as one."""
    out: list[Origin] = []
    for span in sorted(spans, key=lambda s: (s.start, s.end)):
        if out and span.start <= out[-1].end + 1 and span.score == out[-1].score:
            out[-1] = replace(out[-1], end=max(out[-1].end, span.end))
        else:
            out.append(span)
    return out
