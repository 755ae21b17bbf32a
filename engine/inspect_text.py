"""What was read from a file, as lines for a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from chapterverse.schema.records import (
    Asset,
    AssetKind,
    PageUnit,
    Parsed,
    ParseWarning,
    Region,
    Table,
)

if TYPE_CHECKING:
    from chapterverse.engine.inspect import Inspection

__all__ = ["count", "inspection_lines", "pages_text", "place_text", "table_size", "warning_place"]

Line = tuple[str, str]
"""Text and its style in a terminal (``""`` for none)."""

_LISTED = {AssetKind.HEADING, AssetKind.TABLE, AssetKind.FIGURE}
_UNITS = {"page": "p.", "slide": "slide", "sheet": "sheet"}
_LABELS = 12
_WIDTH = 100
_WIDEST_PLACE = 60


def inspection_lines(inspection: Inspection, parsed: Parsed) -> Iterator[Line]:
    """A summary, the outline, tables, figures and all that a person should know of *parsed*."""
    yield inspection.path.name, "bold"
    yield from _summary(parsed)
    yield from _block("Outline", _outline(parsed))
    yield from _block("Tables", _tables(parsed))
    yield from _block("Figures", _figures(parsed))
    counts = Counter(a.kind.value for a in parsed.assets if a.kind not in _LISTED)
    others = ", ".join(f"{count} {kind}" for kind, count in counts.most_common())
    yield from _block("Everything else", [(others, "")] if others else [])
    yield from _block("Pages read by recognition", _reads(parsed))
    attached = ((f"{a.name}  {a.size:,} bytes", "") for a in parsed.attachments)
    yield from _block("Attachments", attached)
    yield from _block("Warnings", _warnings(parsed))
    cpu = inspection.cpu_seconds
    spent = "" if cpu is None else f", {cpu:.2f} s of processor time"
    yield "", ""
    yield f"{inspection.wall_seconds:.2f} s{spent}, with the start of the process", "dim"


def place_text(asset: Asset, unit: PageUnit) -> str:
    """Where *asset* stands, as people say it: ``p. 3 (iv)``, ``slide 2``, ``lines 4-9``.

    *unit* is what the pages of its document are.
    """
    regions = asset.regions
    if not regions:
        return ""
    first, last = regions[0], regions[-1]
    if first.place:
        return _place(first, last, unit)
    if first.page is not None:
        return _pages(first, last, unit)
    if first.lines is not None:
        end = (last.lines or first.lines).last
        start = first.lines.first
        return f"line {start}" if start == end else f"lines {start}-{end}"
    return ""


def warning_place(warning: ParseWarning, parsed: Parsed) -> str:
    """The page, slide or sheet that *warning* is about; empty for the whole file."""
    return "" if warning.page is None else f"{_UNITS[parsed.page_unit]} {warning.page}"


def _place(first: Region, last: Region, unit: PageUnit) -> str:
    """A place that the format has its own word for; rows of a sheet as one range of cells."""
    start, end = first.place or "", last.place or first.place or ""
    if unit == "slide" and first.page is not None:
        start = end = f"{_pages(first, last, unit)}, {start}"
    if start == end:
        return start
    sheet, mark, cells = start.rpartition("!")
    other, _, corner = end.rpartition("!")
    if mark and sheet == other:
        return f"{sheet}!{cells.partition(':')[0]}:{corner.rpartition(':')[2]}"
    return f"{start} to {end}"


def pages_text(parsed: Parsed) -> str | None:
    """How many pages there are, how sure their numbers are, and labels that differ from them."""
    if parsed.page_count is None:
        return None
    many = "" if parsed.page_count == 1 else "s"
    text = f"{parsed.page_count} {parsed.page_unit}{many}"
    if parsed.page_accuracy:
        text += f" ({parsed.page_accuracy})"
    labels = parsed.page_labels or ()
    if any(label != str(number) for number, label in enumerate(labels, 1)):
        more = ", ..." if len(labels) > _LABELS else ""
        text += f", labelled {', '.join(labels[:_LABELS])}{more}"
    return text


def table_size(table: Table) -> str:
    """Rows and columns, and how many of them are headers."""
    width = max((len(row) for row in table.rows), default=0)
    text = f"{len(table.rows)} x {width}, {count(table.header_rows, 'header row')}"
    if table.row_headers:
        text += f", {count(table.row_headers, 'header column')}"
    if table.merges:
        text += f", {count(len(table.merges), 'merged cell')}"
    return text


def count(number: int, what: str) -> str:
    """*number* things called *what*, in the plural where that is right."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def _pages(first: Region, last: Region, unit: PageUnit) -> str:
    text = f"{_UNITS[unit]} {first.page}"
    if last.page is not None and last.page != first.page:
        text += f"-{last.page}"
    elif first.label and first.label != str(first.page):
        text += f" ({first.label})"
    return text


def _summary(parsed: Parsed) -> Iterator[Line]:
    rows = [
        ("type", parsed.media_type),
        ("reader", parsed.parser),
        ("title", parsed.title),
        ("pages", pages_text(parsed)),
        *parsed.properties.items(),
    ]
    for name, value in rows:
        if value:
            yield f"  {name:<8}  {_short(value)}", ""


def _block(title: str, lines: Sequence[Line] | Iterator[Line]) -> Iterator[Line]:
    for number, (text, style) in enumerate(lines):
        if number == 0:
            yield "", ""
            yield title, "bold"
        yield f"  {text}", style


def _outline(parsed: Parsed) -> Iterator[Line]:
    headings = list(_of(parsed, AssetKind.HEADING))
    places = [place_text(asset, parsed.page_unit) for asset in headings]
    width = min(max(map(len, places), default=0), _WIDEST_PLACE)
    for asset, place in zip(headings, places, strict=True):
        level = asset.level or 0
        text = f"{'  ' * level}{_short(asset.text)}"
        yield f"{place:<{max(width, 10)}}  {text}", "bold" if level == 0 else ""


def _tables(parsed: Parsed) -> Iterator[Line]:
    for asset in _of(parsed, AssetKind.TABLE):
        size = table_size(asset.table) if asset.table else "without cells"
        caption = _short(asset.caption) if asset.caption else "no caption"
        yield f"{place_text(asset, parsed.page_unit):<10}  {size}: {caption}", ""


def _figures(parsed: Parsed) -> Iterator[Line]:
    for asset in _of(parsed, AssetKind.FIGURE):
        shown = "no picture"
        if asset.picture:
            shown = f"{asset.picture.width} x {asset.picture.height} {asset.picture.media_type}"
        caption = _short(asset.caption) if asset.caption else "no caption"
        yield f"{place_text(asset, parsed.page_unit):<10}  {shown}: {caption}", ""


def _reads(parsed: Parsed) -> Iterator[Line]:
    for read in parsed.page_reads:
        sure = "" if read.score is None else f", confidence {read.score:.2f}"
        how = "recognised" if read.source == "ocr" else "not read"
        yield f"p. {read.page:<7}  {how}: {_short(read.reason)}{sure}", ""


def _warnings(parsed: Parsed) -> Iterator[Line]:
    for warning in parsed.warnings:
        yield f"{warning_place(warning, parsed):<10}  {warning.code}: {warning.message}", "yellow"


def _of(parsed: Parsed, kind: AssetKind) -> Iterator[Asset]:
    return (asset for asset in parsed.assets if asset.kind is kind)


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _WIDTH else flat[: _WIDTH - 1] + "…"
