"""Text that does not run from left to right: turned lines and vertical East Asian columns."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from chapterverse.ingest.pdf_pieces import Piece, ends_sentence
from chapterverse.ingest.pdf_stacked import vertical_columns
from chapterverse.ingest.pdf_text import Line, Word, around, make_line
from chapterverse.schema.records import AssetKind

__all__ = ["turned_lines", "vertical_pieces"]

_MARGIN = 0.09
_RUBY = 0.65
"""Size, as a share of the usual one, up to which a column is a reading aid beside another."""


def turned_lines(
    words: Sequence[Word], page: int, width: float
) -> tuple[list[Line], list[list[Line]]]:
    """Lines of turned text: those in the outer margins (stamps), and paragraphs of the others."""
    runs: list[list[Word]] = []
    last: Word | None = None
    for word in words:
        if not word.upright and not word.vertical:
            if last is not None and _in_run(last, word):
                runs[-1].append(word)
            else:
                runs.append([word])
            last = word
        else:
            last = None
    stamps: list[Line] = []
    others: list[list[Line]] = []
    for run in runs:
        line = make_line(run, page)
        if line.rect.x1 < _MARGIN * width or line.rect.x0 > (1 - _MARGIN) * width:
            stamps.append(line)
        elif others and _follows(others[-1][-1], line):
            others[-1].append(line)
        else:
            others.append([line])
    return stamps, others


def _follows(a: Line, b: Line) -> bool:
    """Whether a turned line is the next of the same paragraph."""
    apart = max(a.rect.x0 - b.rect.x1, b.rect.x0 - a.rect.x1)
    beside = a.rect.y_overlap(b.rect) > 0.5 * min(a.rect.height, b.rect.height)
    same = abs(a.size - b.size) < 0.06 * a.size and a.bold == b.bold
    return beside and same and apart < 0.8 * a.size


def _in_run(a: Word, b: Word) -> bool:
    return a.rect.x_overlap(b.rect) > 0.5 * min(a.rect.width, b.rect.width)


def vertical_pieces(words: Sequence[Word], page: int) -> list[Piece]:
    """Paragraphs of vertical text: columns from right to left, tier by tier from the top."""
    upright = [word for word in words if word.vertical]
    if not upright:
        return []
    sizes = sorted(word.size for word in upright)
    usual = sizes[len(sizes) // 2]
    main = [word for word in upright if word.size > _RUBY * usual]
    small = [word for word in upright if word.size <= _RUBY * usual]
    pieces: list[Piece] = []
    for tier in _tiers(main):
        pieces.extend(_paragraphs(_columns(tier, page)))
    if small:
        lines = tuple(_columns(small, page))
        pieces.append(Piece(AssetKind.PARAGRAPH, lines, page, around(lines)))
    return pieces


def _tiers(words: Sequence[Word]) -> list[list[Word]]:
    """Words in bands of the page that no column crosses."""
    tiers: list[list[Word]] = []
    foot = 0.0
    for word in sorted(words, key=lambda w: w.rect.y0):
        if not tiers or word.rect.y0 >= foot:
            tiers.append([])
        tiers[-1].append(word)
        foot = max(foot, word.rect.y1)
    return tiers


def _columns(words: Sequence[Word], page: int) -> list[Line]:
    return [make_line(column, page) for column in vertical_columns(words)]


def _paragraphs(columns: Sequence[Line]) -> list[Piece]:
    top = min(line.rect.y0 for line in columns)
    foot = max(line.rect.y1 for line in columns)
    groups = [[columns[0]]]
    for before, line in pairwise(columns):
        size = max(before.size, line.size)
        short = before.rect.y1 < foot - 1.5 * size
        indented = line.rect.y0 > top + 0.7 * size and line.rect.y0 > before.rect.y0 + 0.5 * size
        other = abs(before.size - line.size) > 0.08 * size or before.bold != line.bold
        apart = before.rect.x0 - line.rect.x1 > 2.5 * size
        if other or apart or indented or (short and ends_sentence(before.text)):
            groups.append([line])
        else:
            groups[-1].append(line)
    return [
        Piece(AssetKind.PARAGRAPH, tuple(group), group[0].page, around(group)) for group in groups
    ]
