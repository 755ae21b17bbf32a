"""What the readers of spreadsheets share: a page for each sheet, and how many there may be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from chapterverse.ingest.context import ReadContext
from chapterverse.ingest.outline import Draft, to_assets
from chapterverse.schema.errors import TooLarge
from chapterverse.schema.records import Parsed, ParseWarning

__all__ = ["allow_sheets", "workbook"]


def allow_sheets(count: int, context: ReadContext) -> None:
    """Refuse more sheets than a document may have pages.

    :raises TooLarge: more than ``context.max_pages``.
    """
    if count > context.max_pages:
        raise TooLarge(f"{context.name}: {count:,} sheets; {context.max_pages:,} are allowed")


def workbook(
    media_type: str,
    parser: str,
    drafts: Sequence[Draft],
    names: Sequence[str],
    warnings: Iterable[ParseWarning],
    properties: Mapping[str, str],
) -> Parsed:
    """The document of a workbook with sheets of these *names*; its title is among *properties*."""
    others = dict(properties)
    return Parsed(
        media_type,
        parser,
        to_assets(drafts),
        title=others.pop("title", None),
        page_count=len(names),
        page_labels=tuple(names),
        page_accuracy="exact",
        warnings=tuple(warnings),
        page_unit="sheet",
        properties=others,
    )
