"""What looks like a heading but is none, by its place: names, heads of columns, contents."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from chapterverse.ingest.pdf_levels import Evidence
from chapterverse.ingest.pdf_pieces import Piece
from chapterverse.ingest.pdf_text import Rect

__all__ = ["is_among_entries", "names_column", "without_authors"]

_BEGINS = re.compile(
    r"^(?:(?:\d|I)\.?\s+)?(?:abstract|summary|introduction|abstrakt|zusammenfassung|einleitung|"
    r"résumé|resumen|resumo|sommario|摘\s*要|内容提要|引\s*言|概\s*要|要\s*旨)\W*$",
    re.I,
)


def without_authors(pieces: Sequence[Piece], found: Mapping[int, Evidence]) -> dict[int, Evidence]:
    """The *found* headings without the names and addresses between a paper's title and abstract.

    These are often bold or large, but smaller than the title above them.
    """
    first = min((piece.page for piece in pieces), default=0)
    early = [i for i in found if pieces[i].page == first]
    start = next((i for i in early if _BEGINS.match(pieces[i].text)), None)
    above = [i for i in early if start is not None and i < start]
    if start is None or not above:
        return dict(found)
    title = max(above, key=lambda i: (round(pieces[i].size, 1), -i))
    names = {
        i
        for i in early
        if i > title
        and i != start
        and (i < start or pieces[i].rect.y1 <= pieces[start].rect.y0)
        and found[i] == Evidence()
        and pieces[i].size < 0.97 * pieces[title].size
    }
    return {i: evidence for i, evidence in found.items() if i not in names}


def names_column(piece: Piece, tables: Sequence[Rect]) -> bool:
    """Whether the piece stands over a later column of one of the *tables* of its page.

    A heading over a table begins at its left edge or stands in its middle.
    """
    rect = piece.rect
    for table in tables:
        middle = abs(rect.x0 + rect.x1 - table.x0 - table.x1) < 0.1 * table.width
        over = -3.0 < table.y0 - rect.y1 < 5 * piece.size and rect.x1 < table.x1 + 12
        if over and not middle and rect.x0 > table.x0 + 0.2 * table.width:
            return True
    return False


def is_among_entries(piece: Piece, entries: Sequence[Piece]) -> bool:
    """Whether the piece stands among three or more *entries* of its contents page.

    It is the beginning of an entry, the name of a group, or the head of their page numbers; a
    heading between two lists is larger than they are.
    """
    if len(entries) < 3 or piece.size > 1.08 * max(entry.size for entry in entries):
        return False
    top = min(entry.rect.y0 for entry in entries)
    foot = max(entry.rect.y1 for entry in entries)
    middle = sum(entry.rect.x0 + entry.rect.x1 for entry in entries) / (2 * len(entries))
    rect = piece.rect
    heads = rect.x0 > middle and -3.0 < top - rect.y1 < 3 * piece.size
    return heads or top < (rect.y0 + rect.y1) / 2 < foot
