"""What was read from a file, in a form that scorers and other tools can compare.

One dictionary a file: ``file``, ``status`` (``"ok"`` or ``"error"``), ``error`` (its code),
``message`` (of an error), ``pages``, ``page_labels`` and ``assets`` in reading order, each with
``kind``, ``text``, ``level``, ``heading_path`` (with the document title where it is a heading),
``page`` and ``bbox`` or ``regions`` (one box a page), ``place`` (a cell range, ``#heading``),
``line_range`` of a text file, ``lines`` (each place of the asset with its text), and for tables
and figures ``rows``, ``header_rows`` and ``caption``. Of a file that was read also
``media_type``, ``parser``, ``title``, ``page_unit``, ``page_accuracy``, ``properties``,
``warnings``, ``page_reads`` and ``attachments``. What is not known is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict

from chapterverse.schema.errors import DocumentError
from chapterverse.schema.records import Asset, AssetKind, Box, Parsed, Region

__all__ = ["neutral_asset", "neutral_failure", "neutral_form", "page_boxes"]

_DIGITS = 5


def neutral_form(name: str, parsed: Parsed) -> dict[str, object]:
    """The file *name* as it was read."""
    return {
        "file": name,
        "status": "ok",
        "error": None,
        "pages": parsed.page_count,
        "page_labels": None if parsed.page_labels is None else list(parsed.page_labels),
        "media_type": parsed.media_type,
        "parser": parsed.parser,
        "title": parsed.title,
        "page_unit": parsed.page_unit,
        "page_accuracy": parsed.page_accuracy,
        "properties": dict(parsed.properties),
        "warnings": [asdict(warning) for warning in parsed.warnings],
        "page_reads": [asdict(read) for read in parsed.page_reads],
        "attachments": [asdict(attachment) for attachment in parsed.attachments],
        "assets": [neutral_asset(asset, above) for asset, above in _with_title(parsed.assets)],
    }


def _with_title(assets: Sequence[Asset]) -> Iterator[tuple[Asset, tuple[str, ...]]]:
    """Each asset with the title above it, which our own paths leave out."""
    above: tuple[str, ...] = ()
    for asset in assets:
        yield asset, above
        if asset.kind is AssetKind.HEADING and asset.level == 0:
            above = (" ".join(asset.text.split()),)


def neutral_failure(name: str, error: DocumentError) -> dict[str, object]:
    """The file *name*, and the error that reading it ended with."""
    return {
        "file": name,
        "status": "error",
        "error": error.code,
        "message": str(error),
        "pages": None,
        "page_labels": None,
        "assets": [],
    }


def neutral_asset(asset: Asset, above: tuple[str, ...] = ()) -> dict[str, object]:
    """One asset, whose path of headings begins with *above*."""
    form: dict[str, object] = {"kind": asset.kind.value, "text": asset.text}
    if asset.level is not None:
        form["level"] = asset.level
    form["heading_path"] = [*above, *asset.heading_path]
    places = [_place(page, box) for page, box in page_boxes(_own_regions(asset))]
    if len(places) == 1:
        form |= places[0]
    elif places:
        form["regions"] = places
    form |= _marks(asset.regions)
    lines = [line for region in asset.regions if (line := _line(asset.text, region))]
    if lines:
        form["lines"] = lines
    if asset.table is not None:
        form["rows"] = [list(row) for row in asset.table.rows]
        form["header_rows"] = asset.table.header_rows
    if asset.caption is not None:
        form["caption"] = asset.caption
    return form


def _marks(regions: Sequence[Region]) -> dict[str, object]:
    """Where an asset stands in files without pages: the first place and the lines."""
    found: dict[str, object] = {}
    place = next((region.place for region in regions if region.place), None)
    if place is not None:
        found["place"] = place
    lines = [region.lines for region in regions if region.lines is not None]
    if lines:
        found["line_range"] = [min(x.first for x in lines), max(x.last for x in lines)]
    return found


def _own_regions(asset: Asset) -> Sequence[Region]:
    """The regions of an asset; of a figure its picture alone, without the caption beside it."""
    regions = asset.regions
    if asset.kind is not AssetKind.FIGURE or not regions:
        return regions
    whole = (regions[0].start, regions[0].end) == (0, len(asset.text))
    return regions[:1] if whole else regions


def page_boxes(regions: Sequence[Region]) -> list[tuple[int, Box | None]]:
    """The pages that *regions* stand on, ascending, each with the box around all its boxes."""
    found: dict[int, Box | None] = {}
    for region in regions:
        if region.page is not None:
            found[region.page] = _around(found.get(region.page), region.box)
    return sorted(found.items(), key=lambda item: item[0])


def _around(one: Box | None, other: Box | None) -> Box | None:
    if one is None or other is None:
        return one or other
    return Box(
        min(one.x0, other.x0), min(one.y0, other.y0), max(one.x1, other.x1), max(one.y1, other.y1)
    )


def _line(text: str, region: Region) -> dict[str, object] | None:
    if region.page is None:
        return None
    return {"text": text[region.start : region.end], **_place(region.page, region.box)}


def _place(page: int, box: Box | None) -> dict[str, object]:
    if box is None:
        return {"page": page}
    corners = (box.x0, box.y0, box.x1, box.y1)
    return {"page": page, "bbox": [round(value, _DIGITS) for value in corners]}
