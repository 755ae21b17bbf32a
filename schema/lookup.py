"""The reads of a search: which candidates live, their parents and children, filters.

Indexes return ids; these queries decide what is alive at one ``applied`` sequence number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from sqlalchemy import BigInteger, Connection, Select, and_, bindparam, or_, select

from chapterverse.schema import codec
from chapterverse.schema import tables as t
from chapterverse.schema.errors import QueryError
from chapterverse.schema.ids import parse_id
from chapterverse.schema.records import AssetKind, Child, Parent, ParentKind, Region, Segment
from chapterverse.schema.results import Filter
from chapterverse.schema.wellformed import well_formed

__all__ = [
    "ChildRow",
    "ParentRow",
    "allowed_children",
    "child_rows",
    "children_of",
    "find_document_id",
    "live_children",
    "parent_rows",
    "parents_of",
    "stand_in",
]

Ids = npt.NDArray[np.int64]

# Literal numbers instead of bound parameters: SQL statements take only so many of those.
_ids = bindparam("ids", expanding=True, literal_execute=True, type_=BigInteger())
_seq = bindparam("seq", type_=BigInteger())


@dataclass(frozen=True, slots=True)
class ChildRow:
    """A matched child as it is shown."""

    id: int
    parent_id: int
    ordinal: int
    start: int
    end: int
    text: str
    kind: AssetKind
    heading_path: tuple[str, ...]
    regions: tuple[Region, ...]
    pages: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ParentRow:
    """A parent with the document and revision it belongs to."""

    id: int
    ordinal: int
    kind: ParentKind
    text: str
    heading_path: tuple[str, ...]
    segments: tuple[Segment, ...]
    pages: tuple[int, ...]
    page_labels: tuple[str | None, ...]
    revision_id: int
    document_id: int
    uri: str
    title: str


_live = and_(
    t.revision.c.put_seq <= _seq,
    or_(t.revision.c.superseded_seq.is_(None), t.revision.c.superseded_seq > _seq),
)

_live_query = (
    select(t.child.c.id, t.child.c.parent_id)
    .join_from(t.child, t.revision, t.child.c.revision_id == t.revision.c.id)
    .where(t.child.c.id.in_(_ids), _live)
)

_child_query = select(
    t.child.c.id,
    t.child.c.parent_id,
    t.child.c.ordinal,
    t.child.c.start,
    t.child.c.end,
    t.child.c.text,
    t.child.c.kind,
    t.child.c.heading_path,
    t.child.c.regions,
    t.child.c.pages,
).where(t.child.c.id.in_(_ids))

_parent_query = (
    select(
        t.parent.c.id,
        t.parent.c.ordinal,
        t.parent.c.kind,
        t.parent.c.text,
        t.parent.c.heading_path,
        t.parent.c.segments,
        t.parent.c.pages,
        t.parent.c.page_labels,
        t.parent.c.revision_id,
        t.document.c.id.label("document_id"),
        t.document.c.uri,
        t.document.c.title,
    )
    .join_from(t.parent, t.revision)
    .join(t.document)
    .where(t.parent.c.id.in_(_ids))
)


_origin_query = (
    select(t.child.c.revision_id, t.document.c.id, t.document.c.uri, t.document.c.title)
    .join_from(t.child, t.revision, t.child.c.revision_id == t.revision.c.id)
    .join(t.document)
    .where(t.child.c.id == bindparam("child", type_=BigInteger()))
)


def live_children(connection: Connection, ids: Sequence[int], seq: int) -> dict[int, int]:
    """Child id to parent id for those of *ids* that are visible at *seq*."""
    rows = connection.execute(_live_query, {"ids": ids, "seq": seq})
    return {row[0]: row[1] for row in rows}


def child_rows(connection: Connection, ids: Sequence[int]) -> dict[int, ChildRow]:
    """The children of these ids that exist."""
    return {
        row[0]: ChildRow(
            *row[:6],
            kind=AssetKind(row[6]),
            heading_path=codec.decode_strings(row[7]),
            regions=codec.decode_regions(row[8]),
            pages=codec.decode_pages(row[9]),
        )
        for row in connection.execute(_child_query, {"ids": ids})
    }


def parent_rows(connection: Connection, ids: Sequence[int]) -> dict[int, ParentRow]:
    """The parents of these ids that exist, each with its document."""
    return {
        row[0]: ParentRow(
            id=row[0],
            ordinal=row[1],
            kind=ParentKind(row[2]),
            text=row[3],
            heading_path=codec.decode_strings(row[4]),
            segments=codec.decode_segments(row[5]),
            pages=codec.decode_pages(row[6]),
            page_labels=codec.decode_labels(row[7]),
            revision_id=row[8],
            document_id=row[9],
            uri=row[10],
            title=row[11],
        )
        for row in connection.execute(_parent_query, {"ids": ids})
    }


def stand_in(connection: Connection, child: ChildRow) -> ParentRow | None:
    """*child* dressed as its own parent, for when the parent's row is lost."""
    row = connection.execute(_origin_query, {"child": child.id}).first()
    if row is None:
        return None
    return ParentRow(
        id=child.parent_id,
        ordinal=0,
        kind=ParentKind.SECTION,
        text=child.text,
        heading_path=(),
        segments=(),
        pages=child.pages,
        page_labels=(None,) * len(child.pages),
        revision_id=row[0],
        document_id=row[1],
        uri=row[2],
        title=row[3],
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


def allowed_children(connection: Connection, wanted: Filter, seq: int) -> Ids:
    """Ids of the children visible at *seq* that fit *wanted*, ascending.

    :raises QueryError: the page range is empty, or a named document does not exist.
    """
    query = (
        select(t.child.c.id)
        .join_from(t.child, t.revision, t.child.c.revision_id == t.revision.c.id)
        .where(_live)
        .order_by(t.child.c.id)
    )
    query = _restrict(connection, query, wanted)
    found = connection.scalars(query, {"seq": seq}).all()
    return np.array(found, dtype=np.int64)


def find_document_id(connection: Connection, name: str) -> int | None:
    """The id of the document with this id or URI."""
    number = parse_id(name)
    if number is not None:
        found = connection.scalar(select(t.document.c.id).where(t.document.c.id == number))
        if found is not None:
            return int(found)
    query = select(t.document.c.id).where(t.document.c.uri == well_formed(name))
    found = connection.scalar(query)
    return None if found is None else int(found)


def _restrict(
    connection: Connection, query: Select[tuple[int]], wanted: Filter
) -> Select[tuple[int]]:
    if wanted.documents:
        numbers = [_known_document(connection, name) for name in wanted.documents]
        query = query.where(t.revision.c.document_id.in_(numbers))
    if wanted.tags:
        tagged = select(t.document_tag.c.document_id).where(t.document_tag.c.tag.in_(wanted.tags))
        query = query.where(t.revision.c.document_id.in_(tagged))
    if wanted.media_types:
        query = query.where(t.revision.c.media_type.in_(wanted.media_types))
    if wanted.kinds:
        query = query.where(t.child.c.kind.in_([kind.value for kind in wanted.kinds]))
    first, last = wanted.first_page, wanted.last_page
    if first is not None and last is not None and first > last:
        raise QueryError(f"The page range {first} to {last} is empty; give the smaller page first.")
    if first is not None:
        query = query.where(t.child.c.last_page >= first)
    if last is not None:
        query = query.where(t.child.c.first_page <= last)
    return query


def _known_document(connection: Connection, name: str) -> int:
    number = find_document_id(connection, name)
    if number is None:
        raise QueryError(
            f"There is no document {name!r} in this knowledge base. Use an id or URI as "
            "'chapterverse list' prints them."
        )
    return number
