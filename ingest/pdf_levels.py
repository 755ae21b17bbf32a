"""How deep headings are: what tags, outline and numbers say, and the styles that learn from it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from chapterverse.ingest.pdf_pieces import Piece, ends_sentence
from chapterverse.schema.records import FURNITURE, AssetKind

__all__ = ["Evidence", "numbering", "with_levels", "without_number"]

_NUMBERED: tuple[tuple[re.Pattern[str], int], ...] = (
    (re.compile(r"^第\s*[一二三四五六七八九十百零〇\d]{1,6}\s*[编編篇部]"), 0),
    (re.compile(r"^第\s*[一二三四五六七八九十百零〇\d]{1,6}\s*章"), 1),
    (re.compile(r"^第\s*[一二三四五六七八九十百零〇\d]{1,6}\s*[节節]"), 2),
    (re.compile(r"^(?:PART|Part)\s+(?:[IVX]+|\d+)\b"), 1),
    (
        re.compile(
            r"^(?:CHAPTER|Chapter|APPENDIX|Appendix|ANNEX|Annex|ARTICLE|Article|SCHEDULE|Schedule)"
            r"\s+(?:[A-Z]\b|[IVX]+\b|\d+\b)"
        ),
        1,
    ),
    (re.compile(r"^(?:ITEM|Item)\s+\d+[A-Z]?(?:\.|\s*[:—–-]|\s+[A-Z])"), 2),
    (re.compile(r"^(?:NOTE|Note)\s+\d{1,2}\b(?!\s*[,;)])"), 3),
    (re.compile(r"^[一二三四五六七八九十]{1,3}、"), 3),
    (re.compile(r"^[（(][一二三四五六七八九十]{1,3}[)）]"), 4),
)
_DECIMAL = re.compile(
    r"^((?:[A-Z]\.)?\d{1,2}(?:\s?\.\s?\d{1,3}){0,4})[.、．]?(?:\s+|(?=[\u4e00-\u9fff]))(?=\S)"
)
_ROMAN = re.compile(r"^[IVX]{1,5}\.\s+(?=[A-Z])")
_FILING = re.compile(r"(?:part|item|note)\s+(?:[ivx]+\b|\d)", re.I)
_DEEPEST = 6
_FIRST = re.compile(
    r"^(?:第[一1][编編篇部章]|[一1][、.．]?\s|(?:chapter|part) (?:1|one|i)\b|I\.\s)", re.I
)
_SHORT = 40
"""Most characters of a title that no larger type marks."""

_SLIDE = 32.0
"""Font size in points of a title that only slides have, which hold but a few pieces."""

_FEW = 25
_ENOUGH = 0.25
_FRAME = 4
"""Headings of a style that name parts of a filing, from which on they are its frame."""

_HUGE = 40.0
"""Font size in points from which on sizes tell no levels apart (titles that fill their slide)."""
_RUN_IN = 99
"""Raw level of a head that runs into its paragraph: below every other."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of a heading: its ``depth`` by tag or outline (0 a title), or its number's."""

    depth: int | None = None
    number: int | None = None


def numbering(text: str) -> tuple[int, bool] | None:
    """Depth that the number in front of *text* names (1 = top), and whether it is decimal."""
    for pattern, depth in _NUMBERED:
        if pattern.match(text):
            return depth, False
    match = _DECIMAL.match(text)
    if match:
        return len(match[1].replace(" ", "").split(".")), True
    return (1, False) if _ROMAN.match(text) else None


def without_number(text: str) -> str:
    """*text* without the decimal number in front of it."""
    return _DECIMAL.sub("", text)


def with_levels(pieces: Sequence[Piece], found: Mapping[int, Evidence], body: float) -> list[Piece]:
    """The pieces with the *found* ones as headings: at most one title, no jump over a level.

    Pieces that are headings already run into their paragraphs and stand below the others.
    """
    title = _title_index(pieces, found, body)
    rest = {i: evidence for i, evidence in found.items() if i != title}
    levels = _raw_levels(pieces, rest)
    out, opened = [], list[int]()
    for index, piece in enumerate(pieces):
        run_in = piece.kind is AssetKind.HEADING
        if index == title:
            opened = []
            piece = replace(piece, kind=AssetKind.HEADING, level=0)
        elif index in found or run_in:
            raw = _RUN_IN if run_in else max(1, levels[index])
            while opened and opened[-1] >= raw:
                opened.pop()
            opened.append(raw)
            piece = replace(piece, kind=AssetKind.HEADING, level=len(opened))
        out.append(piece)
    return out


def _title_index(pieces: Sequence[Piece], found: Mapping[int, Evidence], body: float) -> int | None:
    """The heading tagged as title, or the largest of the first page if none later is as large.

    A lone heading is a section's, and so is that of a first slide which has a text.
    """
    if len(found) < 2:
        return None
    tagged = [i for i, evidence in found.items() if evidence.depth == 0]
    if tagged:
        return min(tagged)
    first = min(piece.page for piece in pieces)
    early = [i for i in found if pieces[i].page == first]
    if not early:
        return None
    over = _over_first_chapter(pieces, found)
    if over is not None:
        return over
    best = max(early, key=lambda i: (round(pieces[i].size, 1), -i))
    if _is_chapter(found) or _is_slide(pieces, best):
        return None
    known = found[best].depth is not None or found[best].number is not None
    rivals = [i for i in found if i != best and pieces[i].size > 0.97 * pieces[best].size]
    if pieces[best].size < 1.15 * body or (known and len(found) > 1):
        return None
    return best if len(rivals) <= 0.02 * len(found) else None


def _over_first_chapter(pieces: Sequence[Piece], found: Mapping[int, Evidence]) -> int | None:
    """The short line that a document begins with right over its first numbered chapter.

    It is its title even in the type of the chapters, as in scans and plain print-outs.
    """
    body = [i for i, piece in enumerate(pieces) if piece.kind not in FURNITURE][:2]
    if len(body) < 2 or body[1] not in found:
        return None
    known = found.get(body[0], Evidence())
    if known.depth is not None or known.number is not None:
        return None
    line, chapter = (pieces[i] for i in body)
    if line.kind is not AssetKind.PARAGRAPH or not _FIRST.match(chapter.text):
        return None
    short = len(line.lines) == 1 and 4 <= len(line.text) <= _SHORT and not ends_sentence(line.text)
    level = line.page == chapter.page and line.size > 0.97 * chapter.size
    return body[0] if short and level else None


def _is_slide(pieces: Sequence[Piece], title: int) -> bool:
    """Whether *title* is that of a slide with a list or a table, not of a cover."""
    page = pieces[title].page
    others = [piece for i, piece in enumerate(pieces) if piece.page == page and i != title]
    if pieces[title].size < _SLIDE or len(others) > _FEW:
        return False
    return any(piece.kind in (AssetKind.TABLE, AssetKind.LIST_ITEM) for piece in others)


def _is_chapter(found: Mapping[int, Evidence]) -> bool:
    """Whether all numbers begin at ``1.1``: the largest heading is that of the chapter around."""
    numbers = [e.number for e in found.values() if e.number is not None]
    return len(numbers) > 1 and min(numbers) == 2 and all(e.depth is None for e in found.values())


def _raw_levels(pieces: Sequence[Piece], found: Mapping[int, Evidence]) -> dict[int, int]:
    """Levels of all headings: those known by outline or number teach those of the same style."""
    found = _nested_numbers(pieces, found)
    numbers = [e.number for e in found.values() if e.depth is None and e.number is not None]
    base = 1 if _is_chapter(found) and _has_larger(pieces, found) else min(numbers, default=1)
    known = {i: e.depth for i, e in found.items() if e.depth is not None}
    known |= {
        i: e.number - base + 1 for i, e in found.items() if e.depth is None and e.number is not None
    }
    styles: dict[tuple[float, bool], list[int]] = defaultdict(list)
    for index in found:
        styles[_style(pieces[index])].append(index)
    level_of: dict[tuple[float, bool], int] = {}
    last = 0
    for style in sorted(styles, reverse=True):
        votes = _votes(styles[style], found, known)
        frame = [known[i] for i in styles[style] if i in known and _FILING.match(pieces[i].text)]
        if frame and (votes or len(frame) >= _FRAME):
            # "Part", "Item" and "Note" name the frame of a filing; its heads stand below them.
            level_of[style] = max(known[i] for i in styles[style] if i in known) + 1
            votes = Counter(frame)
        elif votes:
            level_of[style] = votes.most_common(1)[0][0]
        else:
            level_of[style] = min(last + 1, _DEEPEST)
        last = level_of[style] if votes else max(last, level_of[style])
    return {i: known.get(i, level_of[_style(pieces[i])]) for i in found}


def _votes(
    members: Sequence[int], found: Mapping[int, Evidence], known: Mapping[int, int]
) -> Counter[int]:
    """Known levels among headings of one style; a few numbers among many without name none."""
    votes = [i for i in members if i in known]
    outlined = any(found[i].depth is not None for i in votes)
    if not outlined and len(votes) < _ENOUGH * len(members):
        return Counter()
    return Counter(known[i] for i in votes)


def _has_larger(pieces: Sequence[Piece], found: Mapping[int, Evidence]) -> bool:
    """Whether a heading without number is larger than all with one."""
    numbered = max(pieces[i].size for i, e in found.items() if e.number is not None)
    return any(pieces[i].size > 1.05 * numbered for i, e in found.items() if e.number is None)


def _nested_numbers(pieces: Sequence[Piece], found: Mapping[int, Evidence]) -> dict[int, Evidence]:
    """Found headings with ``1.`` put below ``I.`` or ``第一章`` if it comes after it."""
    shift, above = 0, 0
    for index in sorted(found):
        number = numbering(pieces[index].text)
        if number is None or found[index].number is None:
            continue
        if not number[1]:
            above = max(above, number[0])
        elif number[0] == 1 and above:
            shift = max(shift, above)
    out = dict(found)
    for index, value in found.items():
        number = numbering(pieces[index].text)
        if value.number is not None and number is not None and number[1]:
            out[index] = replace(value, number=value.number + shift)
    return out


def _style(piece: Piece) -> tuple[float, bool]:
    return round(min(piece.size, _HUGE) * 2) / 2, piece.bold
