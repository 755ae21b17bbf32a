"""What was read from a file, as one self-contained HTML page for judging it by eye.

Each page stands as a picture with the boxes of its assets over it, beside the assets in reading
order. Nothing is loaded from elsewhere and nothing runs; all text of the document is escaped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape

from chapterverse.engine.inspect_boxes import drawn_page, has_boxes
from chapterverse.engine.inspect_style import COLOURS, style_sheet
from chapterverse.engine.inspect_text import (
    count,
    pages_text,
    place_text,
    table_size,
    warning_place,
)
from chapterverse.schema.records import Asset, AssetKind, Origin, Parsed, Picture
from chapterverse.schema.table_html import table_html

__all__ = ["Source", "inspection_html"]

Source = Callable[[Picture], str | None]
"""The ``data:`` address of a kept picture; ``None`` when a browser cannot show it."""

_BLANK = {"page": (850, 1100), "slide": (960, 540), "sheet": (960, 540)}
_HEAD = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<title>{title}</title>
<style>{style}</style></head><body>
"""


def inspection_html(
    name: str, parsed: Parsed, drawn: Mapping[int, Picture], source: Source, notes: Sequence[str]
) -> Iterator[str]:
    """The pieces of the page for *parsed*, the file *name*.

    *drawn* holds the pictures of pages, *notes* what else a reader of the page should know.
    """
    yield _HEAD.format(title=escape(name), style=style_sheet())
    yield from _header(name, parsed, notes)
    yield from _legend(parsed)
    yield "<main>\n"
    placed = {asset.ordinal: _pages(asset) for asset in parsed.assets}
    for page in sorted(set(drawn).union(*placed.values())):
        assets = [asset for asset in parsed.assets if page in placed[asset.ordinal]]
        yield from _page(page, assets, parsed, drawn.get(page), source)
    rest = [asset for asset in parsed.assets if not placed[asset.ordinal]]
    if rest:
        title = "" if parsed.page_count is None else "<h2>Without a page</h2>"
        yield f'<section>{title}<ol class="assets">\n'
        for asset in rest:
            yield from _item(asset, parsed, source, None)
        yield "</ol></section>\n"
    yield "</main></body></html>\n"


def _pages(asset: Asset) -> list[int]:
    return sorted({r.page for r in asset.regions if r.page is not None})


def _header(name: str, parsed: Parsed, notes: Sequence[str]) -> Iterator[str]:
    yield f"<header><h1>{escape(name)}</h1>\n<dl>"
    rows = [
        ("type", parsed.media_type),
        ("reader", parsed.parser),
        ("title", parsed.title),
        ("pages", pages_text(parsed)),
        *parsed.properties.items(),
    ]
    for key, value in rows:
        if value:
            yield f"<dt>{escape(key)}</dt><dd>{escape(value)}</dd>"
    yield "</dl>\n"
    yield from _details("note", [escape(note) for note in notes], opened=True)
    warnings = [
        ": ".join(filter(None, (warning_place(w, parsed), escape(w.code), escape(w.message))))
        for w in parsed.warnings
    ]
    yield from _details("warning", warnings, opened=True)
    reads = [
        f"p. {read.page}: {read.source}, {escape(read.reason)}"
        + ("" if read.score is None else f", confidence {read.score:.2f}")
        for read in parsed.page_reads
    ]
    yield from _details("recognised page", reads)
    attached = [f"{escape(a.name)}, {a.size:,} bytes" for a in parsed.attachments]
    yield from _details("attachment", attached)
    yield from _details("heading", list(_outline(parsed)))
    yield "</header>\n"


def _outline(parsed: Parsed) -> Iterator[str]:
    for asset in parsed.assets:
        if asset.kind is AssetKind.HEADING:
            indent = 20 * (asset.level or 0)
            place = escape(place_text(asset, parsed.page_unit))
            link = f'<a href="#a{asset.ordinal}">{escape(asset.text)}</a>'
            where = f'<i class="place">{place}</i>'
            yield f'<span style="padding-left:{indent}px">{link}</span> {where}'


def _details(title: str, items: Sequence[str], *, opened: bool = False) -> Iterator[str]:
    if items:
        summary = f"<summary>{count(len(items), title)}</summary>"
        yield f"<details{' open' if opened else ''}>{summary}<ul>"
        yield from (f"<li>{item}</li>\n" for item in items)
        yield "</ul></details>\n"


def _legend(parsed: Parsed) -> Iterator[str]:
    counts = Counter(asset.kind for asset in parsed.assets)
    yield '<div class="legend">'
    for kind in COLOURS:
        if counts[kind]:
            word = kind.value.replace("_", " ")
            yield (
                f'<label class="{kind.value}"><input type="checkbox" checked '
                f'id="show-{kind.value}"> {counts[kind]} {word}</label>\n'
            )
    yield "</div>\n"


def _page(
    page: int, assets: Sequence[Asset], parsed: Parsed, picture: Picture | None, source: Source
) -> Iterator[str]:
    labels = {r.label for asset in assets for r in asset.regions if r.page == page and r.label}
    label = f" ({', '.join(sorted(labels))})" if labels - {str(page)} else ""
    yield f'<section id="p{page}"><h2>{parsed.page_unit} {page}{escape(label)}</h2>\n'
    address = source(picture) if picture else None
    show = address is not None or has_boxes(assets, page)
    if show:
        size = (picture.width, picture.height) if picture and address else _BLANK[parsed.page_unit]
        yield '<div class="spread"><div class="drawn">\n'
        yield from drawn_page(assets, page, size, address)
        yield "</div>\n"
    yield '<ol class="assets">\n'
    for asset in assets:
        yield from _item(asset, parsed, source, page)
    yield "</ol>" + ("</div>" if show else "") + "</section>\n"


def _item(asset: Asset, parsed: Parsed, source: Source, page: int | None) -> Iterator[str]:
    """*asset* as an item of a list; on its later *page*s only what stands there."""
    pages = _pages(asset)
    later = page is not None and page != pages[0]
    level = "" if asset.level is None else f" level {asset.level}"
    style = f' style="--nesting:{asset.level or 0}"' if asset.kind is AssetKind.LIST_ITEM else ""
    name = "" if later else f' id="a{asset.ordinal}"'
    yield f'<li{name} class="{asset.kind.value} level-{asset.level}"{style}>'
    yield f'<span class="tag">{asset.ordinal} {asset.kind.value.replace("_", " ")}{level}</span> '
    yield f'<span class="place">{escape(place_text(asset, parsed.page_unit))}</span> '
    yield f'<span class="path">{escape(" > ".join(asset.heading_path))}</span>\n'
    if later:
        parts = [asset.text[r.start : r.end] for r in asset.regions if r.page == page]
        yield '<div class="note">continued</div>'
        yield f'<div class="words">{escape(chr(10).join(parts))}</div>'
    elif asset.table is not None:
        yield f'<div class="note">{table_size(asset.table)}</div>'
        yield table_html(asset.table, asset.caption)
    elif asset.kind is AssetKind.FIGURE:
        yield from _figure(asset, source)
    elif asset.kind is AssetKind.CODE:
        yield f"<pre>{escape(asset.text)}</pre>"
    else:
        yield f'<div class="words">{_marked(asset.text, asset.origins)}</div>'
    yield "</li>\n"


def _figure(asset: Asset, source: Source) -> Iterator[str]:
    if asset.picture is not None:
        size = f"{asset.picture.media_type}, {asset.picture.width} x {asset.picture.height}"
        address = source(asset.picture)
        shown = "" if address else "; not shown here"
        yield f'<div class="note">{escape(size)}{shown}</div>'
        if address:
            yield f'<img src="{escape(address)}" alt="">'
    if asset.caption:
        yield f'<div class="note">caption: {escape(asset.caption)}</div>'
    yield f'<div class="words">{_marked(asset.text, asset.origins)}</div>'


def _marked(text: str, origins: Sequence[Origin]) -> str:
    """*text* escaped, with what was recognised, described or generated marked as such."""
    parts, at = [], 0
    for origin in sorted(origins, key=lambda origin: origin.start):
        if origin.start < at:
            continue
        sure = "" if origin.score is None else f" {origin.score:.2f}"
        inner = escape(text[origin.start : origin.end])
        parts.append(escape(text[at : origin.start]))
        parts.append(f'<mark class="{origin.kind}" title="{origin.kind}{sure}">{inner}</mark>')
        at = origin.end
    return "".join(parts) + escape(text[at:])
