"""What the tags of a document are worth for telling headings, and what they then say."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chapterverse.ingest.pdf_layout import Block, Held
from chapterverse.ingest.pdf_levels import Evidence
from chapterverse.ingest.pdf_pieces import Piece
from chapterverse.ingest.pdf_tags import heading_depth
from chapterverse.ingest.pdf_text import Line, Word, around, group_rows, make_line
from chapterverse.schema.records import FURNITURE, AssetKind

__all__ = ["TagTrust", "gather_headings", "trusted_tags"]

_NEVER = frozenset({"TD", "TH", "Caption", "Note", "FENote", "TOCI", "Figure", "Formula", "LI"})
_MOST = 0.25
"""Share of the text that headings may hold; more are paragraphs tagged for their looks."""

_LARGE = 1.2
_LONG = 300


@dataclass(frozen=True, slots=True)
class TagTrust:
    """Whether heading tags count, whether their levels do, and how much deeper they begin."""

    headings: bool = False
    levels: bool = False
    shift: int = 0

    def evidence(self, piece: Piece) -> Evidence | None:
        """What the tag of *piece* says of a heading."""
        depth = heading_depth(piece.lines[0].tag) if self.headings else None
        if depth is None:
            return None
        return Evidence(depth=max(0, depth - self.shift)) if self.levels or not depth else None

    def flat(self, piece: Piece) -> bool:
        """Whether *piece* is tagged as a heading of a level that means nothing."""
        depth = heading_depth(piece.lines[0].tag) if self.headings else None
        return bool(depth) and not self.levels

    def deny(self, piece: Piece, body: float) -> bool:
        """Whether the tags say that *piece*, which looks like a heading, is none."""
        tag = piece.lines[0].tag
        if not self.headings or tag is None or heading_depth(tag) is not None:
            return False
        return tag.kind in _NEVER or (self.levels and piece.size < _LARGE * body)


def trusted_tags(pieces: Sequence[Piece]) -> TagTrust:
    """The worth of the tags: none if they make headings of too much text, or of long texts.

    If all headings have one level, it says nothing. One heading of the top level in front of all
    others, with nothing larger before it, is the title.
    """
    total = tagged = 0
    depths: list[int] = []
    sizes: list[float] = []
    before = 0.0
    for piece in pieces:
        if piece.kind in FURNITURE or piece.kind is AssetKind.TABLE or not piece.lines:
            continue
        size = len(piece.text)
        total += size
        depth = heading_depth(piece.lines[0].tag)
        if depth is not None:
            tagged += size
            depths.append(depth)
            sizes.append(piece.size)
        elif not depths:
            before = max(before, piece.size)
    if not depths or tagged > _MOST * total or tagged > 120 * len(depths):
        return TagTrust()
    counts = Counter(d for d in depths if d)
    top = min(counts, default=1)
    if len(counts) > 1 and counts[top] == 1 and depths[0] == top and before <= sizes[0]:
        return TagTrust(True, True, top)
    return TagTrust(True, len(counts) > 1 or len(depths) < 3, top - 1)


def gather_headings(held: Held) -> Held:
    """The blocks of a page with each tagged heading as a block of its own.

    A layout that knows no tags cuts wrapped headings apart, and joins them with text beside them.
    Every word stays in exactly one block.
    """
    heads: dict[int, list[Word]] = defaultdict(list)
    total = 0
    for _, lines in held:
        for line in lines:
            total += len(line.text)
            for word in line.words:
                if word.tag is not None and heading_depth(word.tag) is not None:
                    heads[word.tag.element].append(word)
    sizes = {element: sum(len(w.text) for w in words) for element, words in heads.items()}
    if not heads or 2 * sum(sizes.values()) > total:
        return held
    whole = {e: words for e, words in heads.items() if sizes[e] <= _LONG}
    seen: set[int] = set()
    return [part for block, lines in held for part in _without(block, lines, whole, seen)]


def _without(
    block: Block, lines: Sequence[Line], heads: dict[int, list[Word]], seen: set[int]
) -> Iterator[tuple[Block, list[Line]]]:
    """The lines of a block freed of headings, which stand where their first word stood.

    A table stays in one piece behind its headings.
    """
    left: list[Line] = []
    for line in lines:
        rest = [w for w in line.words if w.tag is None or w.tag.element not in heads]
        if len(rest) == len(line.words):
            left.append(line)
            continue
        for element in dict.fromkeys(w.tag.element for w in line.words if w.tag is not None):
            if element not in heads or element in seen:
                continue
            seen.add(element)
            if left and block.kind != "table":
                yield block, left
                left = []
            rows = [make_line(row, line.page) for row in group_rows(heads[element])]
            yield Block("heading", around(rows)), rows
        if rest:
            left.append(make_line(rest, line.page))
    if left:
        yield block, left
