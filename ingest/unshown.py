"""Pictures of a document that no figure shows: counted by reason, said in one warning."""

from __future__ import annotations

from collections.abc import Mapping

from chapterverse.schema.records import ParseWarning

__all__ = [
    "DECORATION",
    "FILLING",
    "ICON",
    "INSIDE",
    "LOST",
    "MEDIA",
    "REPEATED",
    "RUNNING",
    "unshown_warning",
]

DECORATION = "marked as decoration"
FILLING = "filling shapes or backgrounds"
ICON = "icons without a description"
INSIDE = "in tables, page furniture or beside the first one of a figure"
LOST = "missing, outside of the file, damaged, tiny, too large or of an unknown kind"
MEDIA = "drawings, films, sounds or framed pages"
REPEATED = "shown before, kept once"
RUNNING = "in running heads, feet or notes"


def unshown_warning(
    counts: Mapping[str, int], page: int | None = None, where: str = ""
) -> tuple[ParseWarning, ...]:
    """One warning of all pictures in *counts* (by reason), if there are any.

    *where* stands in front of the message: the name of a sheet, a file of a book.
    """
    total = sum(counts.values())
    if not total:
        return ()
    reasons = "; ".join(f"{reason} ({number})" for reason, number in counts.items() if number)
    pictures = "1 picture is" if total == 1 else f"{total:,} pictures are"
    return (ParseWarning("pictures_left_out", f"{where}{pictures} not shown: {reasons}", page),)
