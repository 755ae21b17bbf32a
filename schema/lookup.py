"""The reads of a search: which candidates live, their parents and children, filters.

Indexes return ids; these queries decide what is alive at one ``applied`` sequence number.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from chapterverse.schema import codec
from chapterverse.schema.errors import NotFound, QueryError
from chapterverse.schema.ids import parse_id
from chapterverse.schema.naming import display_name
from chapterverse.schema.reader import Reader, Snapshot, select_in
from chapterverse.schema.records import AssetKind, PageUnit, ParentKind, Region, Segment
from chapterverse.schema.results import Filter
from chapterverse.schema.wellformed import well_formed

__all__ = [
    "ChildRow",
    "ParentRow",
    "allowed_children",
    "are_live",
    "child_rows",
    "find_document_id",
    "live_revisions",
    "parent_rows",
    "stand_in",
]

Ids = npt.NDArray[np.int64]

_LIVE = "r.put_seq <= ? AND (r.superseded_seq IS NULL OR r.superseded_seq > ?)"

_LIVE_REVISIONS = f"SELECT r.id FROM revision AS r WHERE r.id IN ({{ids}}) AND {_LIVE}"

_CHILDREN = """
SELECT id, parent_id, ordinal, start, "end", text, kind, heading_path, regions, pages
FROM child WHERE id IN ({ids})
"""

_PARENTS = """
SELECT p.id, p.ordinal, p.kind, p.text, p.heading_path, p.segments, p.pages, p.page_labels,
    p.revision_id, d.id, d.uri, d.title, r.page_unit
FROM parent AS p JOIN revision AS r ON r.id = p.revision_id JOIN document AS d
    ON d.id = r.document_id
WHERE p.id IN ({ids})
"""

_ORIGIN = """
SELECT c.revision_id, d.id, d.uri, d.title, r.page_unit
FROM child AS c JOIN revision AS r ON r.id = c.revision_id JOIN document AS d
    ON d.id = r.document_id
WHERE c.id = ?
"""


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
    page_unit: PageUnit = "page"


def live_revisions(reader: Reader, ids: Sequence[int], seq: int) -> list[int]:
    """Those of the revisions *ids* that are visible at *seq*."""
    return [row[0] for row in select_in(reader, _LIVE_REVISIONS, ids, (seq, seq))]


def are_live(snapshot: Snapshot, revisions: Ids, seq: int) -> npt.NDArray[np.bool_]:
    """Which of *revisions* are visible at *seq*.

    Asks for those alone when the database has changed since the last call, and reads all that
    live when it has not, to know them from then on.
    """
    at = (snapshot.version(), seq)
    known_at, living = snapshot.memory.get("revisions", (None, None))
    if known_at != at:
        snapshot.memory["revisions"] = (at, None)
        asked = live_revisions(snapshot, list(dict.fromkeys(revisions.tolist())), seq)
        living = np.array(sorted(asked), np.int64)
    elif living is None:
        sql = f"SELECT r.id FROM revision AS r WHERE {_LIVE} ORDER BY r.id"
        living = np.array([row[0] for row in snapshot.execute(sql, (seq, seq))], np.int64)
        snapshot.memory["revisions"] = (at, living)
    if not len(living):
        return np.zeros(len(revisions), np.bool_)
    place = np.searchsorted(living, revisions)
    place[place == len(living)] = 0
    found: npt.NDArray[np.bool_] = living[place] == revisions
    return found


def child_rows(reader: Reader, ids: Sequence[int]) -> dict[int, ChildRow]:
    """The children of these ids that exist."""
    return {
        row[0]: ChildRow(
            id=row[0],
            parent_id=row[1],
            ordinal=row[2],
            start=row[3],
            end=row[4],
            text=row[5],
            kind=AssetKind(row[6]),
            heading_path=codec.decode_strings(row[7]),
            regions=codec.decode_regions(row[8]),
            pages=codec.decode_pages(row[9]),
        )
        for row in select_in(reader, _CHILDREN, ids)
    }


def parent_rows(reader: Reader, ids: Sequence[int]) -> dict[int, ParentRow]:
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
            page_unit=row[12],
        )
        for row in select_in(reader, _PARENTS, ids)
    }


def stand_in(reader: Reader, child: ChildRow) -> ParentRow | None:
    """*child* dressed as its own parent, for when the parent's row is lost."""
    row = reader.execute(_ORIGIN, (child.id,)).fetchone()
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
        page_unit=row[4],
    )


def allowed_children(reader: Reader, wanted: Filter, seq: int) -> Ids:
    """Ids of the children visible at *seq* that fit *wanted*, ascending.

    :raises QueryError: the page range is empty, or a named document does not exist.
    """
    conditions, parameters = [_LIVE], [seq, seq]
    for condition, values in _conditions(reader, wanted):
        conditions.append(condition)
        parameters += values
    sql = (
        "SELECT c.id FROM child AS c JOIN revision AS r ON r.id = c.revision_id "
        f"WHERE {' AND '.join(conditions)} ORDER BY c.id"
    )
    return np.array([row[0] for row in reader.execute(sql, parameters)], dtype=np.int64)


def find_document_id(reader: Reader, name: str | int) -> int | None:
    """The id of the document that *name* stands for: an id, URI, path, or unique file name.

    :raises NotFound: several documents have this file name.
    """
    number = name if isinstance(name, int) else parse_id(name)
    if number is not None:
        row = reader.execute("SELECT id FROM document WHERE id = ?", (number,)).fetchone()
        if row is not None:
            return int(row[0])
    text = well_formed(str(name))
    try:
        place = Path(os.path.abspath(os.path.expanduser(str(name)))).as_uri()
    except ValueError:
        place = text  # the system can hold no such path
    for uri in (text, place):
        row = reader.execute("SELECT id FROM document WHERE uri = ?", (uri,)).fetchone()
        if row is not None:
            return int(row[0])
    everything = reader.execute("SELECT id, uri FROM document ORDER BY uri")
    known = [(number, uri) for number, uri in everything if display_name(uri) == text]
    if len(known) > 1:
        listed = ", ".join(uri for _, uri in known)
        raise NotFound(f"Several documents are named {name}: {listed}. Give the whole URI.")
    return int(known[0][0]) if known else None


def _conditions(reader: Reader, wanted: Filter) -> Iterator[tuple[str, list[Any]]]:
    """What *wanted* says of child c and revision r, as SQL with its parameters."""
    if wanted.documents:
        numbers = [_known_document(reader, name) for name in wanted.documents]
        yield f"r.document_id IN ({_marks(numbers)})", numbers
    if wanted.tags:
        tagged = f"SELECT document_id FROM document_tag WHERE tag IN ({_marks(wanted.tags)})"
        yield f"r.document_id IN ({tagged})", [*wanted.tags]
    if wanted.media_types:
        yield f"r.media_type IN ({_marks(wanted.media_types)})", [*wanted.media_types]
    if wanted.kinds:
        yield f"c.kind IN ({_marks(wanted.kinds)})", [kind.value for kind in wanted.kinds]
    first, last = wanted.first_page, wanted.last_page
    if first is not None and last is not None and first > last:
        raise QueryError(f"The page range {first} to {last} is empty; give the smaller page first.")
    if first is not None:
        yield "c.last_page >= ?", [first]
    if last is not None:
        yield "c.first_page <= ?", [last]


def _marks(values: Sequence[object]) -> str:
    return ",".join("?" * len(values))


def _known_document(reader: Reader, name: str) -> int:
    number = find_document_id(reader, name)
    if number is None:
        raise QueryError(
            f"There is no document {name!r} in this knowledge base. Use an id or URI as "
            "'chapterverse list' prints them."
        )
    return number
