"""From the lines of a block to paragraphs, list items, captions and headings in waiting."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from chapterverse.ingest.captions import starts_caption
from chapterverse.ingest.pdf_grid import Grid
from chapterverse.ingest.pdf_tags import heading_depth
from chapterverse.ingest.pdf_text import Line, Rect, is_cjk
from chapterverse.schema.records import AssetKind

__all__ = ["Piece", "ends_sentence", "is_code", "is_list_start", "split_block"]

_BULLET = re.compile(r"^(?:[•◦▪■□●○◆◇➢➤▶‣⁃✓✔❖►\uf0b7\uf0a7\uf06e\uf0d8]|[-–—*·∙]\s)\s*\S?")
_ORDERED = re.compile(
    r"^(?:\(?(?:\d{1,2}|[a-z]|[ivx]{1,5})[.)]\s+\S|[（(][一二三四五六七八九十\d]{1,3}[)）]|"
    r"[①-⑳]|[一二三四五六七八九十]{1,3}、|[1-9]\d?[、．](?!\d))"
)
_ARTICLE = re.compile(r"^第[一二三四五六七八九十百零〇\d]{1,6}[编篇章节條条款部分]")
_SECTION = re.compile(
    r"^(?:[A-Z]\.)?\d{1,2}(?:\.\d{1,2}){0,3}\.?\s+[^\W\d_]|^第[一二三四五六七八九十百\d]+[章节節条條]"
)
_CLAUSE = re.compile(
    r"^(?:SELECT|WITH|INSERT INTO|UPDATE|DELETE FROM|MERGE INTO|CREATE|ALTER|GRANT|REVOKE|FROM"
    r"|WHERE|AND|OR|(?:LEFT |RIGHT |INNER |OUTER |FULL )*JOIN|ON|USING|(?:GROUP|ORDER) BY|HAVING"
    r"|LIMIT|UNION|VALUES|SET|WHEN|ADD|TO|AS|FOR|BEGIN|END)\b"
)
"""How a line of an SQL statement begins."""

_STOP = re.compile(r"[.!?。！？；;:：…]['\"”’」』）)\]]*$")


_COUNT = re.compile(r"^(\d{1,3})[.)、．]?\s+\D")
_COUNTED = 4
"""Lines in a row whose numbers count up, from which on they are entries of a list."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A structural unit of one page before the document is looked at as a whole.

    ``column`` is the rectangle of the block it came from; ``grid`` belongs to tables, ``area`` to
    figures; ``caption`` holds the lines of a bound caption.
    """

    kind: AssetKind
    lines: tuple[Line, ...]
    page: int
    column: Rect
    level: int | None = None
    grid: Grid | None = None
    area: Rect | None = None
    caption: tuple[Line, ...] = ()

    @property
    def rect(self) -> Rect:
        rect = self.area or self.lines[0].rect
        for line in self.lines:
            rect = rect.union(line.rect)
        return rect

    @property
    def text(self) -> str:
        return " ".join(line.text for line in self.lines)

    @property
    def size(self) -> float:
        return max(self.lines, key=lambda line: len(line.text)).size

    @property
    def bold(self) -> bool:
        return all(line.bold for line in self.lines)


def ends_sentence(text: str) -> bool:
    """Whether *text* ends in a mark that closes a sentence or introduces what follows."""
    return bool(_STOP.search(text.rstrip()))


def is_list_start(text: str) -> bool:
    """Whether *text* begins with a bullet or a list number."""
    return bool(_BULLET.match(text) or _ORDERED.match(text))


def split_block(kind: str, lines: Sequence[Line], column: Rect, level: int | None) -> list[Piece]:
    """The pieces of one text block, in order; every line lands in exactly one."""
    if kind == "code":
        return [Piece(AssetKind.CODE, tuple(lines), lines[0].page, column)]
    groups: list[list[Line]] = []
    gap = _usual_gap(lines)
    left = _left_edge(lines)
    right = max(line.rect.x1 for line in lines)
    counted = _counted(lines)
    for line in lines:
        if groups and id(line) not in counted and not _starts(groups[-1], line, gap, left, right):
            groups[-1].append(line)
        else:
            groups.append([line])
    pieces = []
    for group in groups:
        if is_code(group):
            pieces.append(Piece(AssetKind.CODE, tuple(group), group[0].page, column))
            continue
        listed = is_list_start(group[0].text) or (kind == "list_item" and group is groups[0])
        listed = listed or id(group[0]) in counted
        what = AssetKind.LIST_ITEM if listed else AssetKind.PARAGRAPH
        depth = (level if level and kind == "list_item" else 0) if listed else None
        pieces.append(Piece(what, tuple(group), group[0].page, column, depth))
    return pieces


def _counted(lines: Sequence[Line]) -> frozenset[int]:
    """Identities of lines that begin with numbers which count up from line to line."""
    runs: list[list[Line]] = []
    last: int | None = None
    for line in lines:
        number = _COUNT.match(line.text)
        if number is None:
            continue
        if last is None or int(number[1]) != last + 1:
            runs.append([])
        runs[-1].append(line)
        last = int(number[1])
    longest = max(runs, key=len, default=[])
    whole = len(longest) >= _COUNTED and 2 * len(longest) > len(lines)
    return frozenset(id(line) for line in longest) if whole else frozenset()


def is_code(lines: Sequence[Line]) -> bool:
    """Whether all lines are set in a typewriter font and are more than a word or two, or whether
    they are clauses of SQL in any font.
    """
    if all(line.mono for line in lines) and sum(len(line.text) for line in lines) > 15:
        return True
    if len(lines) < 2 or not lines[-1].text.rstrip().endswith(";"):
        return False
    return 3 * sum(bool(_CLAUSE.match(line.text)) for line in lines) >= 2 * len(lines)


def _usual_gap(lines: Sequence[Line]) -> float:
    """Usual distance from base line to base line, in points (a third are smaller)."""
    steps = sorted(b.rect.y1 - a.rect.y1 for a, b in pairwise(lines) if b.rect.y1 > a.rect.y1)
    return steps[(len(steps) - 1) // 3] if steps else 0.0


def _left_edge(lines: Sequence[Line]) -> float:
    edges = sorted(line.rect.x0 for line in lines)
    return edges[len(edges) // 4]


def _starts(group: list[Line], line: Line, gap: float, left: float, right: float) -> bool:
    """Whether *line* begins a new piece after the lines of *group*."""
    before = group[-1]
    tags = before.tag, line.tag
    if heading_depth(tags[0]) is not None or heading_depth(tags[1]) is not None:
        return tags[0] != tags[1]
    if before.mono != line.mono and not _same_row(before, line):
        return True
    if starts_caption(line.text) and not _same_row(before, line):
        return True
    step = line.rect.y1 - before.rect.y1
    size = max(before.size, line.size)
    if step > max(1.45 * gap, 1.2 * size) and step > 1.6 * size:
        return True
    if abs(before.size - line.size) > 0.09 * size or before.bold != line.bold:
        last, first = before.words[-1], line.words[0]
        same = last.bold == first.bold and abs(last.size - first.size) < 0.03 * size
        return not (same or _same_row(before, line) or _stub(before, line))
    short = before.rect.x1 < right - 0.12 * (right - left) - size
    closed = ends_sentence(before.text)
    if before.bold and line.bold and _numbered_apart(before.text, line.text):
        return True
    if before.bold and line.bold and closed and len(group) == 1 and len(before.text) < 100:
        return True
    if _ARTICLE.match(line.text) or _BULLET.match(line.text):
        return short or closed or bool(_BULLET.match(line.text))
    if _ORDERED.match(line.text):
        return short or closed or is_list_start(group[0].text)
    indent = line.rect.x0 - left
    if closed and len(group) > 1 and is_list_start(group[0].text):
        # After a note whose lines hang, text that begins elsewhere is no part of it.
        hang = group[1].rect.x0
        if hang > group[0].rect.x0 + 0.8 * size and abs(line.rect.x0 - hang) > 0.12 * size:
            return line.rect.x0 < hang or short
    hanging = is_list_start(group[0].text) or group[0].rect.x0 < left - 0.8 * size
    if (
        not hanging
        and 0.8 * size < indent < 6 * size
        and line.rect.x0 > before.rect.x0 + 0.8 * size
    ):
        return closed or short
    return short and closed and not hanging


def _numbered_apart(above: str, below: str) -> bool:
    """Whether two bold lines are headings of their own: both begin with a section number."""
    return bool(_SECTION.match(above) and _SECTION.match(below))


def _same_row(a: Line, b: Line) -> bool:
    return a.rect.y_overlap(b.rect) > 0.5 * min(a.rect.height, b.rect.height)


def _stub(a: Line, b: Line) -> bool:
    """A few characters of another style (a run-in word, the last word of a bold sentence)."""
    text = a.text if a.bold or a.size > b.size else b.text
    other = b.text if text is a.text else a.text
    flows = bool(other) and (other[0].islower() or (is_cjk(other[0]) and not ends_sentence(text)))
    return len(text) > 60 and flows and abs(a.size - b.size) < 0.02 * a.size
