"""A parent before its text is written, and what is known about it."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

from chapterverse.ingest.table_chunks import Role
from chapterverse.ingest.units import Unit
from chapterverse.schema.records import Asset, AssetKind, ParentKind

__all__ = ["Draft", "cut_draft", "path_of", "tokens_of"]


@dataclass(frozen=True, slots=True)
class Draft:
    """Units that will make up one parent.

    ``header`` is the caption and header row that each later piece of a long table repeats;
    ``repeats`` says that this draft is such a piece.
    """

    kind: ParentKind
    units: tuple[Unit, ...]
    header: tuple[Unit, ...] = ()
    repeats: bool = False

    @property
    def all_units(self) -> tuple[Unit, ...]:
        """The units with the repeated header in front."""
        return (*self.header, *self.units) if self.repeats else self.units


def tokens_of(units: Sequence[Unit]) -> int:
    """Tokens of *units* one by one; the text they make may hold one or two more or fewer."""
    return sum(unit.tokens for unit in units)


def path_of(units: Sequence[Unit], assets: Sequence[Asset]) -> tuple[str, ...]:
    """The headings that all of *units* stand under.

    Headings do not count beside other text: they stand under their own parents.
    """
    body = dict.fromkeys(u.asset for u in units if u.kind is not AssetKind.HEADING)
    if body:
        return _common([assets[index].heading_path for index in body])
    headings = [assets[index] for index in dict.fromkeys(u.asset for u in units)]
    if len(headings) > 1 or headings[0].level == 0:
        return _common([heading.heading_path for heading in headings])
    return (*headings[0].heading_path, " ".join(headings[0].text.split()))


def _common(paths: list[tuple[str, ...]]) -> tuple[str, ...]:
    same = itertools.takewhile(lambda names: len(set(names)) == 1, zip(*paths, strict=False))
    return tuple(names[0] for names in same)


@dataclass(frozen=True, slots=True)
class _Atom:
    """Units that are not parted between two parents.

    ``cost`` is that of cutting before them, ``turns`` counts the page borders in front of and
    inside them, ``turns_before`` those in front.
    """

    units: tuple[Unit, ...]
    tokens: float
    cost: float
    turns: int
    turns_before: int


def cut_draft(draft: Draft, limit: int, wanted: int, true_tokens: int | None = None) -> list[Draft]:
    """Cut a draft of more than *limit* tokens into the best pieces within it.

    Pieces of fewer than *wanted* tokens, over a page border, or of uneven size cost; so does each
    piece, and a cut anywhere but at a page border, most of all behind a heading. The cheapest
    sequence of cuts is found by dynamic programming. *true_tokens* is what the whole was found to
    hold when the sum over its units was wrong.
    """
    estimate = tokens_of(draft.all_units)
    if (true_tokens or estimate) <= limit:
        return [draft]
    scale = true_tokens / estimate if true_tokens and estimate else 1.0
    bundles = _bundles(draft, limit, scale)
    if draft.header and not draft.repeats:
        bundles, bound = _bind_head(bundles, draft.header[0].asset, limit / scale)
        draft = draft if bound else replace(draft, header=())
    header = tokens_of(draft.header) * scale
    if header > limit / 2:
        # Repeating it would leave no room for rows.
        draft, header = replace(draft, header=(), repeats=False), 0.0
    atoms = _coarse(_atoms(bundles, scale), limit)
    cuts = _best_cuts(atoms, limit, wanted, header, draft.repeats)
    pieces = []
    for start, end in itertools.pairwise(cuts):
        units = tuple(unit for atom in atoms[start:end] for unit in atom.units)
        again = bool(draft.header) and (draft.repeats or start > 0)
        # A row that fits alone does not go over the limit for the sake of the header.
        alone = again and end - start == 1 and header + atoms[start].tokens > limit
        rest = () if alone else draft.header
        pieces.append(replace(draft, units=units, header=rest, repeats=again and not alone))
    return pieces


def _best_cuts(
    atoms: list[_Atom], limit: int, wanted: int, header: float, repeats: bool
) -> list[int]:
    """Borders of the cheapest pieces: ``[0, ..., len(atoms)]``."""
    sums = [0.0, *itertools.accumulate(atom.tokens for atom in atoms)]
    turns = [0, *itertools.accumulate(atom.turns for atom in atoms)]
    best = [0.0]
    came = [0]
    for end in range(1, len(atoms) + 1):
        options = []
        for start in range(end - 1, -1, -1):
            extra = header if repeats or start else 0.0
            size = sums[end] - sums[start] + extra
            # A piece of one atom may be over the limit: there is nothing to cut.
            if size > limit and end - start > 1:
                break
            crossed = turns[end] - turns[start] - atoms[start].turns_before
            cost = best[start] + _piece_cost(size, limit, wanted) + 1.5 * crossed
            options.append((cost + (atoms[start].cost if start else 0.0), -start))
        cheapest = min(options)
        best.append(cheapest[0])
        came.append(-cheapest[1])
    cuts = [len(atoms)]
    while cuts[-1]:
        cuts.append(came[cuts[-1]])
    return cuts[::-1]


def _piece_cost(size: float, limit: int, wanted: int) -> float:
    short = 1 - size / wanted if size < wanted else 0.0
    return 1 + short + 0.5 * max(0.0, 1 - size / limit) ** 2


def _atoms(bundles: list[tuple[Unit, ...]], scale: float) -> list[_Atom]:
    atoms: list[_Atom] = []
    last_page: int | None = None
    for number, units in enumerate(bundles):
        spans = [unit.pages for unit in units if unit.pages]
        first = spans[0][0] if spans else last_page
        before = int(last_page is not None and first is not None and first != last_page)
        inside = len({page for span in spans for page in span}) - 1 if spans else 0
        cost = _cut_cost(bundles[number - 1][-1], units[0], before) if number else 0.0
        tokens = tokens_of(units) * scale
        atoms.append(_Atom(units, tokens, cost, before + inside, before))
        last_page = spans[-1][1] if spans else last_page
    return atoms


def _coarse(atoms: list[_Atom], limit: int) -> list[_Atom]:
    """Join the smallest neighbours of very many, so that the search below stays linear."""
    if len(atoms) <= 200:
        return atoms
    out = [atoms[0]]
    for atom in atoms[1:]:
        last = out[-1]
        if last.tokens < limit / 40 and last.tokens + atom.tokens <= limit and not atom.turns:
            units, tokens = last.units + atom.units, last.tokens + atom.tokens
            out[-1] = replace(last, units=units, tokens=tokens)
        else:
            out.append(atom)
    return out


def _cut_cost(before: Unit, after: Unit, turn: int) -> float:
    if before.kind is AssetKind.HEADING:
        return 1.0 if after.kind is AssetKind.HEADING else 4.0
    if turn:
        return 0.0
    if before.asset == after.asset and after.kind is not AssetKind.TABLE:
        return 0.5
    return 0.3 if after.kind is AssetKind.LIST_ITEM else 0.1


def _bundles(draft: Draft, limit: int, scale: float) -> list[tuple[Unit, ...]]:
    """Assets that fit whole, else their units (rows, of a table or a figure)."""
    bundles: list[tuple[Unit, ...]] = []
    lead = 0.0
    for _, group in itertools.groupby(draft.units, key=lambda unit: unit.asset):
        units = tuple(group)
        size = tokens_of(units) * scale
        if units[0].kind is AssetKind.HEADING:
            lead += size
        # Room is left for the headings in front, which may not stand alone; code is kept whole.
        room = limit if units[0].kind is AssetKind.CODE else limit - lead
        if units[0].kind not in (AssetKind.TABLE, AssetKind.FIGURE) and size <= room:
            bundles.append(units)
        else:
            bundles += [tuple(g) for _, g in itertools.groupby(units, key=_row_key)]
        if units[0].kind is not AssetKind.HEADING:
            lead = 0.0
    return bundles


def _row_key(unit: Unit) -> tuple[int, int]:
    return (unit.row, -1) if unit.row is not None else (-1, unit.start)


def _bind_head(
    bundles: list[tuple[Unit, ...]], table: int, room: float
) -> tuple[list[tuple[Unit, ...]], bool]:
    """Bind caption and header to the first row, so that what is repeated is never alone."""
    first = 0
    for number, units in enumerate(bundles):
        first = number
        if units[0].asset == table and units[0].role in (Role.ROW, Role.TEXT):
            break
    head = tuple(unit for units in bundles[: first + 1] for unit in units)
    if tokens_of(head) > room:
        return bundles, False
    return [head, *bundles[first + 1 :]], True
