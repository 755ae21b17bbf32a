"""Units: the pieces of assets that parents and children are packed from.

A unit is a sentence, a heading, a line of code, a table row or a caption. Tokens are counted for
all units of a document in one call, since a call of a tokenizer costs more than its texts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from chapterverse.ingest.places import Places
from chapterverse.ingest.sentences import cut_long, split_sentences, trim
from chapterverse.ingest.table_chunks import Role, line_spans, table_lines
from chapterverse.schema.chunk_limits import ChunkLimits
from chapterverse.schema.records import FURNITURE, Asset, AssetKind

__all__ = ["TokenCounter", "Unit", "make_units"]

CountTokens = Callable[[Sequence[str]], list[int]]


class TokenCounter:
    """Counts each distinct text once for the length of one document."""

    def __init__(self, count: CountTokens) -> None:
        self._count = count
        self._known: dict[str, int] = {}

    def __call__(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each of *texts*, in one call at most."""
        unknown = [text for text in dict.fromkeys(texts) if text not in self._known]
        if unknown:
            self._known.update(zip(unknown, self._count(unknown), strict=True))
        return [self._known[text] for text in texts]


@dataclass(frozen=True, slots=True)
class Unit:
    """``[start, end)`` of the text of asset number *asset*, without white space at either end.

    Units of one table row share ``row``: a parent keeps them together. ``weight`` is what the
    unit adds to a child: its tokens, or more where its indexed form is much longer. ``pages`` are
    the first and last it stands on, ``None`` where they are not known.
    """

    asset: int
    start: int
    end: int
    kind: AssetKind
    role: Role = Role.TEXT
    row: int | None = None
    written: str | None = None
    tokens: int = 0
    weight: int = 0
    pages: tuple[int, int] | None = None


def make_units(
    assets: Sequence[Asset], limits: ChunkLimits, count: TokenCounter, places: Places
) -> list[tuple[Unit, ...]]:
    """The units of each asset, in order; none for furniture and for assets without text.

    Every unit but a table row holds at most ``child_tokens``; a row at most ``long_row_tokens``.
    """
    units = [unit for index, asset in enumerate(assets) for unit in _split(index, asset)]
    written = [unit for unit in units if unit.written]
    counts = count([_text(assets, u) for u in units] + [u.written or "" for u in written])
    indexed = dict(zip(map(id, written), counts[len(units) :], strict=True))
    weighed = [
        _weigh(unit, tokens, indexed.get(id(unit), 0), limits)
        for unit, tokens in zip(units, counts, strict=False)
    ]
    by_asset: list[list[Unit]] = [[] for _ in assets]
    for unit in _cut_all(weighed, assets, limits, count):
        pages = places.pages(unit.asset, unit.start, unit.end)
        by_asset[unit.asset].append(replace(unit, pages=pages))
    return [tuple(group) for group in by_asset]


def _text(assets: Sequence[Asset], unit: Unit) -> str:
    return assets[unit.asset].text[unit.start : unit.end]


def _split(index: int, asset: Asset) -> list[Unit]:
    text, kind = asset.text, asset.kind
    if kind in FURNITURE:
        return []
    if kind is AssetKind.TABLE:
        return [
            Unit(index, line.start, line.end, kind, line.role, line.row, line.written)
            for line in table_lines(asset)
        ]
    if kind is AssetKind.FIGURE:
        caption = len(asset.caption or "") if text.startswith(asset.caption or "") else 0
        units = [
            Unit(index, start, end, kind, Role.CAPTION)
            for start, end in split_sentences(text[:caption])
        ]
        return units + [Unit(index, *span, kind) for span in line_spans(text, caption, len(text))]
    if kind is AssetKind.CODE:
        return [Unit(index, *span, kind) for span in line_spans(text, 0, len(text))]
    if kind is AssetKind.HEADING:
        span = trim(text, 0, len(text))
        return [Unit(index, *span, kind)] if span else []
    return [Unit(index, *span, kind) for span in split_sentences(text)]


def _weigh(unit: Unit, tokens: int, indexed: int, limits: ChunkLimits) -> Unit:
    if indexed > 4 * limits.child_tokens:
        # Long column names would push the values out of what a model can see.
        return replace(unit, tokens=tokens, weight=tokens, written=None)
    return replace(unit, tokens=tokens, weight=max(tokens, (indexed + 1) // 2))


def _cut_all(
    units: list[Unit], assets: Sequence[Asset], limits: ChunkLimits, count: TokenCounter
) -> list[Unit]:
    """Cut the units that are too long, all of them in each round, until none is."""
    while True:
        pieces: list[Unit] = []
        cut: list[int] = []
        for unit in units:
            spans = _cut(unit, assets[unit.asset].text, limits)
            if len(spans) > 1:
                cut.extend(range(len(pieces), len(pieces) + len(spans)))
                role = Role.TEXT if unit.role in _WHOLE else unit.role
                pieces.extend(
                    replace(unit, start=start, end=end, role=role, written=None)
                    for start, end in spans
                )
            else:
                pieces.append(unit)
        if not cut:
            return units
        for place, tokens in zip(cut, count([_text(assets, pieces[i]) for i in cut]), strict=True):
            pieces[place] = replace(pieces[place], tokens=tokens, weight=tokens)
        units = pieces


def _cut(unit: Unit, text: str, limits: ChunkLimits) -> list[tuple[int, int]]:
    most = limits.child_tokens
    if unit.tokens <= (limits.long_row_tokens if unit.role in _WHOLE else most):
        return [(unit.start, unit.end)]
    parts = min(unit.tokens // most + 1, unit.end - unit.start)
    return cut_long(text, unit.start, unit.end, parts)


_WHOLE = frozenset({Role.ROW, Role.HEADER})
