"""The text that both channels index: where a child stands, then what it says."""

from __future__ import annotations

from collections.abc import Sequence

from chapterverse.ingest.children import Placed
from chapterverse.ingest.drafts import path_of
from chapterverse.ingest.table_chunks import Role
from chapterverse.ingest.units import TokenCounter
from chapterverse.schema.records import Asset, AssetKind

__all__ = ["IndexWriter"]


class IndexWriter:
    """Writes the indexed text of each child of one document.

    A title, headings or caption that the child itself holds are not said twice, and headings in
    the middle give way when the line has more than *most* tokens.
    """

    def __init__(self, title: str, assets: Sequence[Asset], most: int, count: TokenCounter) -> None:
        self._title = _tidy(title)
        self._assets = assets
        self._most = most
        self._count = count
        names = {_tidy(name) for asset in assets for name in asset.heading_path}
        names |= {_tidy(asset.text) for asset in assets if asset.kind is AssetKind.HEADING}
        captions = {_tidy(asset.caption) for asset in assets if asset.caption}
        # One call for the whole document; later ones are answered from memory.
        count(sorted({self._title, *names, *captions}))

    def write(self, placed: Sequence[Placed], text: str) -> str:
        """Context line, line break, then *text*, table rows with their column names."""
        line = " > ".join(self._shorten(self._context(placed)))
        body = _body(placed, text)
        return f"{line}\n{body}" if line else body

    def _context(self, placed: Sequence[Placed]) -> list[str]:
        units = [p.unit for p in placed]
        first = next((u for u in units if u.kind is not AssetKind.HEADING), units[0])
        asset = self._assets[first.asset]
        parts = [self._title, *map(_tidy, path_of([first], self._assets))]
        if not any(unit.role is Role.CAPTION for unit in units):
            parts.append(_tidy(asset.caption or ""))
        said = {_tidy(self._assets[u.asset].text) for u in units if u.kind is AssetKind.HEADING} | {
            ""
        }
        return [part for part in dict.fromkeys(parts) if part not in said]

    def _shorten(self, parts: list[str]) -> list[str]:
        if not self._most:
            return []
        counts = self._count(parts)
        while len(parts) > 2 and sum(counts) > self._most:
            middle = len(parts) // 2
            del parts[middle], counts[middle]
        if sum(counts) <= self._most:
            return parts
        share = self._most // len(parts)
        return [
            part if tokens <= share else _cut(part, len(part) * share // tokens)
            for part, tokens in zip(parts, counts, strict=True)
        ]


def _body(placed: Sequence[Placed], text: str) -> str:
    if not any(p.unit.written for p in placed):
        return text
    origin = placed[0].start
    lines = [p.unit.written or text[p.start - origin : p.end - origin] for p in placed]
    return "\n".join(lines)


def _cut(part: str, length: int) -> str:
    """The first words of *part*, about *length* characters."""
    head = part[: max(length, 1)]
    return head.rsplit(" ", 1)[0] if " " in head[1:] else head


def _tidy(text: str) -> str:
    return " ".join(text.split())
