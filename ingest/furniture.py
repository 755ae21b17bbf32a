"""Running heads, running feet and page numbers: lines that repeat over the pages."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median_low

from chapterverse.ingest.pdf_tags import ARTIFACT, heading_depth
from chapterverse.ingest.pdf_text import Line

__all__ = ["Furniture", "find_furniture"]

_BESIDE = re.compile(r"^(\d{1,4})\s+(?=[^\d\s]|\d+\.\d)|[^\d\s.,$]\s+(\d{1,4})$")
_RIGHTS = re.compile(r"^(?:©|\(c\)\s|copyright\s+(?:©|\(c\)|\d{4}))", re.I)
_BAND = 0.12
_MARKED = 0.16
_LARGER = 1.4
_FLOATING = 0.3
"""Share of pages on which an outermost row returns that is furniture at any height."""

_RUN = 5
_DIGITS = re.compile(r"\d+")
_ROMAN = re.compile(r"^[ivxlc]{1,7}$", re.I)
_NUMBER = re.compile(
    r"^(?:[-–—~·\s]*|(?:page|p\.|seite|第|f-|s-)\s*)(\d{1,4})\s*"
    r"(?:[-–—~·\s]*|页|頁|(?:/|of|von|de)\s*\d{1,4})$",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Furniture:
    """Indexes into the rows of a page: which are head, which are foot."""

    heads: frozenset[int]
    feet: frozenset[int]


def find_furniture(
    pages: Mapping[int, Sequence[Line]], heights: Mapping[int, float]
) -> dict[int, Furniture]:
    """Furniture by page. *pages* holds all printed rows of each page from top to bottom.

    A row is furniture when it stands in the top or bottom 12 % of the page (or is its first or
    last row), and its text with numbers made equal returns on half of the pages, on 5 % and at
    least three, or on five neighbouring pages at the same height; or when it is a number that
    keeps its distance from the page number; or the outermost row, and on 30 % of the pages at any
    height or a notice of copyright; or
    marked as no content in a tagged file. A row with many numbers is data, never furniture, and
    one that is 1.4 times as large as its text usually is a title that running heads repeat.
    """
    spots = _candidates(pages, heights)
    repeated = _repeated(pages, spots)
    numbers = {
        (page, index): _page_number(pages[page][index].text, _is_edge(pages[page], index, y))
        for page, index, _ in spots
        for y in (pages[page][index].rect.y0 / max(heights[page], 1.0),)
    }
    offsets = Counter(v - page for (page, _), v in numbers.items() if v is not None)
    steady = {o for o, count in offsets.items() if count >= max(2, min(4, 0.4 * len(pages)))}
    outer = [spot for spot in spots if spot[1] in (0, len(pages[spot[0]]) - 1)]
    rising = {
        side: _rises([numbers[p, i] for p, i, top in outer if top is side], len(pages))
        for side in (True, False)
    }
    found: dict[int, tuple[set[int], set[int]]] = {page: (set(), set()) for page in pages}
    for page, index, top in spots:
        line = pages[page][index]
        value = numbers[page, index]
        y = line.rect.y0 / max(heights[page], 1.0)
        edge = _is_edge(pages[page], index, y)
        alone = len(pages) < 3 and edge and bool(_NUMBER.match(line.text))
        counted = value is not None and (value - page in steady or alone or (edge and rising[top]))
        counted = counted or bool(edge and _ROMAN.match(line.text))
        counted = counted or (not top and edge and bool(_RIGHTS.match(line.text)))
        counted = counted or (len(pages) < 3 and edge and _is_apart(pages[page], index))
        counted = counted or _is_marked(pages[page], index, y)
        usual = repeated.get((_key(line.text), top))
        if counted or (usual is not None and line.size <= _LARGER * usual):
            found[page][0 if top else 1].add(index)
    runs = {
        page: Furniture(_run(heads, 0, 1), _run(feet, len(pages[page]) - 1, -1))
        for page, (heads, feet) in found.items()
    }
    return {page: _unless_whole(pages[page], found) for page, found in runs.items()}


def _unless_whole(rows: Sequence[Line], found: Furniture) -> Furniture:
    """*found*, unless nothing would be left of a page that says something (copies of one page)."""
    if len(rows) < 3 or len(found.heads | found.feet) < len(rows):
        return found
    letters = sum(c.isalpha() for row in rows for c in row.text)
    return Furniture(frozenset(), frozenset()) if letters > 50 else found


def _repeated(
    pages: Mapping[int, Sequence[Line]], spots: Sequence[tuple[int, int, bool]]
) -> dict[tuple[str, bool], float]:
    """Texts (and whether they stand at the top) that return often enough, with their usual size."""
    keys: dict[tuple[str, bool], dict[int, float]] = defaultdict(dict)
    sizes: dict[tuple[str, bool], list[float]] = defaultdict(list)
    outmost: Counter[tuple[str, bool]] = Counter()
    for page, index, top in spots:
        line = pages[page][index]
        keys[_key(line.text), top][page] = line.rect.y0
        sizes[_key(line.text), top].append(line.size)
        outmost[_key(line.text), top] += index in (0, len(pages[page]) - 1)
    found = {key for key, seen in keys.items() if _repeats(key[0], seen, len(pages))}
    # Pages made from a web page end where their text ends, and their feet with them.
    floating = max(4, _FLOATING * len(pages))
    found |= {key for key, n in outmost.items() if n >= floating and _is_named(key[0])}
    return {key: median_low(sizes[key]) for key in found}


def _is_named(key: str) -> bool:
    return sum(c.isalpha() for c in key) > max(4, 2 * key.count("#"))


def _is_marked(rows: Sequence[Line], index: int, y: float) -> bool:
    """Whether a tagged file marks the row as no content, but not most of the page."""
    if rows[index].tag != ARTIFACT or _MARKED < y < 1 - _MARKED:
        return False
    return 2 * sum(row.tag == ARTIFACT for row in rows) < len(rows)


def _is_apart(rows: Sequence[Line], index: int) -> bool:
    """Whether an outermost row is a text and, a column gap away, a page number, off the text."""
    line = rows[index]
    if len(rows) < 2 or len(line.words) < 2 or not _BESIDE.search(line.text.strip()):
        return False
    other = rows[1] if index == 0 else rows[-2]
    first, last = line.words[0], line.words[-1]
    number, beside = (last, line.words[-2]) if last.text.isdigit() else (first, line.words[1])
    gap = max(number.rect.x0 - beside.rect.x1, beside.rect.x0 - number.rect.x1)
    off = max(other.rect.y0 - line.rect.y1, line.rect.y0 - other.rect.y1)
    return gap > 1.5 * line.size and off > 0.9 * line.size


def _run(found: set[int], index: int, step: int) -> frozenset[int]:
    """The rows reached from the edge of the page with at most one other row on the way."""
    kept: set[int] = set()
    missed = 0
    while missed < 2 and len(kept) < len(found):
        if index in found:
            kept.add(index)
        else:
            missed += 1
        index += step
    return frozenset(kept)


def _candidates(
    pages: Mapping[int, Sequence[Line]], heights: Mapping[int, float]
) -> list[tuple[int, int, bool]]:
    """(page, row, at the top) of rows that may be furniture: no heads of columns or by tags."""
    spots = []
    for page, rows in pages.items():
        height = max(heights[page], 1.0)
        for index, line in enumerate(rows):
            middle = (line.rect.y0 + line.rect.y1) / 2 / height
            first, last = index == 0, index == len(rows) - 1
            if _chunks(line) > 3 or heading_depth(line.tag) is not None:
                continue
            if middle < _BAND or (first and middle < 0.5) or (index == 1 and middle < 0.2):
                spots.append((page, index, True))
            elif middle > 1 - _BAND or last or (index == len(rows) - 2 and middle > 0.5):
                spots.append((page, index, False))
    return _outermost(spots, pages)


def _outermost(
    spots: Sequence[tuple[int, int, bool]], pages: Mapping[int, Sequence[Line]]
) -> list[tuple[int, int, bool]]:
    """The rows but those whose text stands farther out, too: a title below its running head."""
    outermost: dict[tuple[int, bool, str], int] = {}
    for page, index, top in spots:
        key = page, top, pages[page][index].text
        outermost[key] = outermost.get(key, index) if top else index
    return [
        (page, index, top)
        for page, index, top in spots
        if outermost[page, top, pages[page][index].text] == index
    ]


def _chunks(line: Line) -> int:
    """Groups of words that wide gaps set apart."""
    return 1 + sum(b.rect.x0 - a.rect.x1 > 1.5 * a.size for a, b in pairwise(line.words))


def _key(text: str) -> str:
    bare = text.strip()
    return "#" if _ROMAN.match(bare) else _DIGITS.sub("#", bare).casefold()


def _repeats(key: str, seen: Mapping[int, float], pages: int) -> bool:
    letters = sum(c.isalpha() for c in key)
    if (key.count("#") > 4 and letters < 2 * key.count("#")) or (letters < 2 and key != "#"):
        return False
    if key == "#":
        return False
    count = len(seen)
    if count >= max(3, 0.05 * pages) or (count == 2 and pages < 4 and "#" not in key):
        return _same_height(list(seen.values()), count)
    order = sorted(seen)
    return any(
        run[-1] - run[0] <= 2 * _RUN and max(spots) - min(spots) < 3
        for run in (order[i : i + _RUN] for i in range(len(order) - _RUN + 1))
        for spots in ([seen[page] for page in run],)
    )


def _same_height(heights: list[float], count: int) -> bool:
    """Whether most of the rows stand at one height (a heading that returns does not)."""
    heights.sort()
    near = max(sum(abs(h - mid) < 6 for h in heights) for mid in heights[:: max(1, count // 20)])
    return near >= 2 and 2 * near >= count


def _page_number(text: str, edge: bool) -> int | None:
    """The number that the row is, or on the *edge* of a page ends or begins with."""
    match = _NUMBER.match(text.strip()) or (_BESIDE.search(text.strip()) if edge else None)
    return int(next(g for g in match.groups() if g)) if match else None


def _rises(values: Sequence[int | None], pages: int) -> bool:
    """Whether numbers on most of the pages grow from page to page (some pages may be cut out)."""
    known = [v for v in values if v is not None]
    return len(known) >= max(3, 0.6 * pages) and all(a < b for a, b in pairwise(known))


def _is_edge(rows: Sequence[Line], index: int, y: float) -> bool:
    """Whether the row is the outermost, in the band, and no larger than the text (a heading)."""
    sizes = sorted(row.size for row in rows)
    small = rows[index].size <= 1.05 * sizes[len(sizes) // 2]
    return small and index in (0, len(rows) - 1) and not _BAND < y < 1 - _BAND
