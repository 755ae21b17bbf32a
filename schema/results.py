"""What a search returns (passages, scores, citations) and what an ingest reports."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from chapterverse.schema.errors import QueryError
from chapterverse.schema.records import (
    Asset,
    AssetKind,
    Child,
    Document,
    Parent,
    ParentKind,
    Region,
)

__all__ = [
    "ChannelScore",
    "Citation",
    "Content",
    "DocumentRef",
    "Filter",
    "IngestItem",
    "IngestReport",
    "ItemStatus",
    "MatchedChild",
    "Mode",
    "Passage",
    "Status",
    "make_filter",
]

Mode = Literal["hybrid", "keyword", "dense"]
ItemStatus = Literal["ingested", "replaced", "unchanged", "skipped", "failed"]


@dataclass(frozen=True, slots=True)
class DocumentRef:
    """The document a passage comes from."""

    uri: str
    title: str
    id: str


@dataclass(frozen=True, slots=True)
class ChannelScore:
    """One channel's part in a fused score.

    ``raw`` is the channel's own score (BM25, cosine), ``rank`` its place in that channel's
    candidate list (1 the best), ``normalised`` what fusion made of it. A channel that did not
    find the child has ``None`` in all three and adds nothing.
    The fused score is the sum of ``weight * normalised`` over the channels that have it.
    """

    raw: float | None
    rank: int | None
    normalised: float | None
    weight: float


@dataclass(frozen=True, slots=True)
class MatchedChild:
    """A child that was found: ``passage.text[start:end] == text``; regions count in ``text``."""

    id: str
    text: str
    start: int
    end: int
    kind: AssetKind
    heading_path: tuple[str, ...]
    pages: tuple[int, ...]
    regions: tuple[Region, ...]
    score: float
    scores: Mapping[str, ChannelScore]


@dataclass(frozen=True, slots=True)
class Citation:
    """A place that can be looked up again: print it, link it, or resolve it later.

    ``label`` reads like ``handbook.pdf, p. 12, § 3.2 Expenses``; ``link`` is the document's URI
    with ``#page=12`` where there are pages, and with the ``id`` of a heading of a web page.
    ``start`` and ``end`` are offsets in the parent's text.
    """

    label: str
    link: str
    document_id: str
    revision_id: str
    parent_id: str
    uri: str
    pages: tuple[int, ...]
    page_labels: tuple[str | None, ...]
    heading_path: tuple[str, ...]
    start: int
    end: int
    regions: tuple[Region, ...]
    quote: str

    def __str__(self) -> str:
        return self.label


@dataclass(frozen=True, slots=True)
class Passage:
    """A parent chunk that answers, with the children that found it (8 at most), best first.

    ``score`` is the fused score of its best child, ``scores`` that child's channels. ``pages`` are
    physical and 1-based, empty in formats without pages. ``warnings`` is empty unless something
    had to be degraded.
    """

    rank: int
    score: float
    document: DocumentRef
    kind: ParentKind
    parent_id: str
    pages: tuple[int, ...]
    page_labels: tuple[str | None, ...]
    heading_path: tuple[str, ...]
    text: str
    children: tuple[MatchedChild, ...]
    scores: Mapping[str, ChannelScore]
    citations: tuple[Citation, ...]
    warnings: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.citations[0].label}\n{self.text}"


@dataclass(frozen=True, slots=True)
class Filter:
    """Which children may answer; every condition that is given must hold.

    ``documents`` holds ids or URIs, ``tags`` any of which a document must carry, ``media_types``
    and ``kinds`` any of which must fit, ``first_page``/``last_page`` an inclusive range of
    physical pages (children without pages never fit a page range).
    """

    documents: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    media_types: tuple[str, ...] = ()
    kinds: tuple[AssetKind, ...] = ()
    first_page: int | None = None
    last_page: int | None = None

    def __post_init__(self) -> None:
        """Take lists and plain words; refuse what would silently match nothing.

        :raises QueryError: a single text where several are expected, or an unknown kind.
        """
        for name in ("documents", "tags", "media_types", "kinds"):
            given = getattr(self, name)
            if isinstance(given, str):
                raise QueryError(
                    f"Filter {name} is the text {given!r}; give a list of texts: [{given!r}]."
                )
            object.__setattr__(self, name, tuple(given))
        known = {kind.value for kind in AssetKind}
        for kind in self.kinds:
            if kind not in known:
                raise QueryError(
                    f"Unknown kind {str(kind)!r}; it must be one of {', '.join(sorted(known))}."
                )
        object.__setattr__(self, "kinds", tuple(AssetKind(kind) for kind in self.kinds))

    @property
    def is_empty(self) -> bool:
        """No condition at all."""
        return self == Filter()


@dataclass(frozen=True, slots=True)
class IngestItem:
    """What became of one document. ``code`` and ``message`` say why it failed or was skipped.

    Skipped are files below a folder that no reader is made for.
    """

    uri: str
    status: ItemStatus
    document_id: str | None = None
    pages: int | None = None
    parents: int = 0
    children: int = 0
    seconds: float = 0.0
    code: str | None = None
    message: str | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class IngestReport:
    """All documents of one ingest run, in the order they were given."""

    items: tuple[IngestItem, ...] = field(default=())

    @property
    def failed(self) -> tuple[IngestItem, ...]:
        """The documents that could not be ingested."""
        return tuple(item for item in self.items if item.status == "failed")

    def count(self, status: ItemStatus) -> int:
        """How many documents ended with *status*."""
        return sum(item.status == status for item in self.items)

    def __str__(self) -> str:
        counts = [(self.count(status), status) for status in get_args(ItemStatus)]
        return ", ".join(f"{number} {status}" for number, status in counts if number) or "no files"

    def __repr__(self) -> str:
        return f"<IngestReport: {self}>"


@dataclass(frozen=True, slots=True)
class Status:
    """What a knowledge base holds and what it was built with."""

    path: str
    documents: int
    parents: int
    children: int
    embeddings: int
    keyword_entries: int
    vector_entries: int
    lag: int
    generation: int
    embedder: str
    dimension: int
    analyzer: str
    chunking: str
    keyword: str
    writer: str | None


@dataclass(frozen=True, slots=True)
class Content:
    """A document with everything that was made of it, in reading order."""

    document: Document
    assets: tuple[Asset, ...]
    parents: tuple[Parent, ...]
    children: tuple[Child, ...]


def make_filter(
    documents: Sequence[str] = (),
    tags: Sequence[str] = (),
    media_types: Sequence[str] = (),
    kinds: Sequence[str] = (),
    pages: str | None = None,
) -> Filter:
    """A filter from words; ``pages`` is ``"12"`` or ``"10-20"``.

    :raises QueryError: an unknown kind, or pages in another form.
    """
    first = last = None
    if pages is not None:
        match = re.fullmatch(r"\s*(\d{1,9})\s*(?:-\s*(\d{1,9})\s*)?", pages)
        if match is None:
            raise QueryError(f"Pages are {pages!r}; they must look like 12 or 10-20.")
        first = int(match[1])
        last = int(match[2] or match[1])
    return Filter(
        documents=tuple(documents),
        tags=tuple(tags),
        media_types=tuple(media_types),
        kinds=tuple(kinds),  # type: ignore[arg-type]  # words become kinds there
        first_page=first,
        last_page=last,
    )
