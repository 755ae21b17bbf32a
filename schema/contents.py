"""What was stored of one revision, read back in reading order."""

from __future__ import annotations

from sqlalchemy import Connection, select

from chapterverse.schema import codec
from chapterverse.schema import tables as t
from chapterverse.schema.records import (
    Asset,
    AssetKind,
    Child,
    Parent,
    ParentKind,
    Parsed,
    Revision,
)

__all__ = ["assets_of", "children_of", "parents_of", "parsed_of"]


def assets_of(connection: Connection, revision_id: int) -> tuple[Asset, ...]:
    """The assets of a revision in reading order."""
    rows = connection.execute(
        select(t.asset).where(t.asset.c.revision_id == revision_id).order_by(t.asset.c.ordinal)
    )
    return tuple(
        Asset(
            ordinal=row.ordinal,
            kind=AssetKind(row.kind),
            text=row.text,
            regions=codec.decode_regions(row.regions),
            level=row.level,
            heading_path=codec.decode_strings(row.heading_path),
            caption=row.caption,
            table=None if row.cells is None else codec.decode_table(row.cells),
            picture=None if row.picture is None else codec.decode_picture(row.picture),
            origins=codec.decode_origins(row.origins),
        )
        for row in rows
    )


def parsed_of(connection: Connection, revision: Revision) -> Parsed:
    """What the reader made of *revision*, as it gave it."""
    return Parsed(
        media_type=revision.media_type,
        parser=revision.parser,
        assets=assets_of(connection, revision.id),
        title=revision.title,
        page_count=revision.page_count,
        page_labels=revision.page_labels,
        page_accuracy=revision.page_accuracy,
        warnings=revision.warnings,
        page_unit=revision.page_unit,
        page_reads=revision.page_reads,
        properties=revision.properties,
        attachments=revision.attachments or (),
    )


def parents_of(connection: Connection, revision_id: int) -> tuple[Parent, ...]:
    """The parents of a revision in reading order."""
    query = select(t.parent).where(t.parent.c.revision_id == revision_id)
    return tuple(
        Parent(
            id=row.id,
            ordinal=row.ordinal,
            kind=ParentKind(row.kind),
            text=row.text,
            heading_path=codec.decode_strings(row.heading_path),
            segments=codec.decode_segments(row.segments),
            pages=codec.decode_pages(row.pages),
            page_labels=codec.decode_labels(row.page_labels),
            tokens=row.tokens,
        )
        for row in connection.execute(query.order_by(t.parent.c.ordinal))
    )


def children_of(connection: Connection, revision_id: int) -> tuple[Child, ...]:
    """The children of a revision in reading order."""
    query = select(t.child).where(t.child.c.revision_id == revision_id)
    return tuple(
        Child(
            id=row.id,
            parent_id=row.parent_id,
            ordinal=row.ordinal,
            start=row.start,
            end=row.end,
            text=row.text,
            index_text=row.index_text,
            kind=AssetKind(row.kind),
            heading_path=codec.decode_strings(row.heading_path),
            regions=codec.decode_regions(row.regions),
            pages=codec.decode_pages(row.pages),
            tokens=row.tokens,
        )
        for row in connection.execute(query.order_by(t.child.c.ordinal))
    )
