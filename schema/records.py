"""The vocabulary as frozen records; every stage hands these to the next.

Character spans are half-open offsets ``[start, end)`` in Unicode code points. Pages are physical
and 1-based. Boxes are fractions of the displayed page (after rotation, visible part), origin top
left. Unknown is ``None``, never 0 and never a guess.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

__all__ = [
    "FURNITURE",
    "Asset",
    "AssetKind",
    "Attachment",
    "Box",
    "Child",
    "Chunks",
    "Document",
    "LineRange",
    "Merge",
    "Origin",
    "OriginKind",
    "PageAccuracy",
    "PageRead",
    "PageUnit",
    "Parent",
    "ParentKind",
    "ParseWarning",
    "Parsed",
    "Picture",
    "Region",
    "Revision",
    "Segment",
    "Table",
]

PageAccuracy = Literal["exact", "approximate"]
PageUnit = Literal["page", "slide", "sheet"]
OriginKind = Literal["ocr", "alt", "generated"]


class AssetKind(StrEnum):
    """What a structural element is."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST_ITEM = "list_item"
    TABLE = "table"
    FIGURE = "figure"
    CODE = "code"
    FORMULA = "formula"
    FOOTNOTE = "footnote"
    PAGE_HEADER = "page_header"
    PAGE_FOOTER = "page_footer"


FURNITURE = frozenset({AssetKind.PAGE_HEADER, AssetKind.PAGE_FOOTER})
"""Kinds that repeat on pages: kept with the document, in no parent."""


class ParentKind(StrEnum):
    """What a parent chunk was made from."""

    SECTION = "section"
    TABLE = "table"
    FIGURE = "figure"


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle on a page: ``0 <= x0 <= x1 <= 1``, ``0 <= y0 <= y1 <= 1``."""

    x0: float
    y0: float
    x1: float
    y1: float


@dataclass(frozen=True, slots=True)
class LineRange:
    """Lines of a text file, 1-based, both ends included."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Region:
    """Where the characters ``[start, end)`` of the owner's text stand.

    The owner is the asset, parent or child that lists the region. PDF readers give one region a
    printed line, so that a sentence can be boxed without its whole paragraph. ``label`` is the
    page number as printed (``"iv"``) or the name of a sheet, ``lines`` the place in text files,
    ``place`` any other: a cell range (``"Sales!A1:F20"``), a chapter file of a book.
    """

    start: int
    end: int
    page: int | None = None
    label: str | None = None
    box: Box | None = None
    lines: LineRange | None = None
    place: str | None = None


@dataclass(frozen=True, slots=True)
class Merge:
    """A merged cell: its text stands at ``(row, column)``, it covers ``rows`` x ``columns``."""

    row: int
    column: int
    rows: int
    columns: int


@dataclass(frozen=True, slots=True)
class Table:
    """Cells of a table; the text form stands in the asset's ``text``.

    ``rows`` holds all rows, the first ``header_rows`` of them naming the columns. ``row_spans[i]``
    is the span of row *i* in the asset's text, where cells are joined by ``" | "``; line breaks
    and ``|`` inside a cell are written as a space and ``/``. The first ``row_headers`` columns
    name the rows. A place that a merged cell covers repeats its text or is empty.
    """

    rows: tuple[tuple[str, ...], ...]
    header_rows: int
    row_spans: tuple[tuple[int, int], ...]
    row_headers: int = 0
    merges: tuple[Merge, ...] = ()


@dataclass(frozen=True, slots=True)
class Picture:
    """An image file kept beside the source files, by the sha256 of its bytes; size in pixels."""

    sha256: str
    media_type: str
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Origin:
    """Characters ``[start, end)`` of an asset that its author did not write there as text.

    ``ocr``: recognised in a picture, with a ``score`` in 0..1; ``alt``: the author's description
    of a picture; ``generated``: written by a model.
    """

    start: int
    end: int
    kind: OriginKind
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Asset:
    """A structural element, in reading order.

    ``ordinal`` counts from 0 within the document. ``level`` is the depth of a heading (0 the
    document title, 1 a top section) or the nesting of a list item (0 outermost), else ``None``.
    ``heading_path`` lists the enclosing headings without the document title and, for a heading,
    without itself. ``text`` of a table or figure begins with its caption on a line of its own
    when it has one; a figure without any text has ``text == ""``. ``picture`` is what a figure
    shows, ``origins`` says which characters were recognised, described or generated.
    """

    ordinal: int
    kind: AssetKind
    text: str
    regions: tuple[Region, ...] = ()
    level: int | None = None
    heading_path: tuple[str, ...] = ()
    caption: str | None = None
    table: Table | None = None
    picture: Picture | None = None
    origins: tuple[Origin, ...] = ()


@dataclass(frozen=True, slots=True)
class ParseWarning:
    """Something a reader left out or was unsure of; shown to the user, never silent."""

    code: str
    message: str
    page: int | None = None


@dataclass(frozen=True, slots=True)
class PageRead:
    """How a page was read where its own text did not do: by recognition, or not at all.

    ``score`` is the mean confidence of the recognised lines, 0..1.
    """

    page: int
    source: Literal["ocr", "none"]
    reason: str
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file inside a file (mail attachment, archive member), kept by the sha256 of its bytes.

    ``name`` is its path within the file, unique there, with ``/`` between folders.
    """

    name: str
    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a reader made of one file.

    ``parser`` names reader and version (``"pdf/1"``). ``page_count`` and ``page_labels`` (one a
    page) are ``None`` in formats without pages; ``page_accuracy`` says whether page numbers are
    the real ones or, as in Word files, those of the last rendering. ``page_unit`` is what is
    counted as a page. ``properties`` is what the file says about itself (author, subject, sender,
    front matter, encoding). ``attachments`` become documents of their own.
    """

    media_type: str
    parser: str
    assets: tuple[Asset, ...]
    title: str | None = None
    page_count: int | None = None
    page_labels: tuple[str, ...] | None = None
    page_accuracy: PageAccuracy | None = None
    warnings: tuple[ParseWarning, ...] = ()
    page_unit: PageUnit = "page"
    page_reads: tuple[PageRead, ...] = ()
    properties: dict[str, str] = field(default_factory=dict)
    attachments: tuple[Attachment, ...] = ()


@dataclass(frozen=True, slots=True)
class Segment:
    """The piece ``[asset_start, asset_end)`` of an asset that stands at ``start`` in a parent."""

    asset: int
    asset_start: int
    asset_end: int
    start: int

    @property
    def end(self) -> int:
        """End of the piece in the parent's text."""
        return self.start + self.asset_end - self.asset_start


@dataclass(frozen=True, slots=True)
class Parent:
    """A chunk large enough to answer from.

    ``segments`` say which asset pieces make up ``text``; what lies between them is white space
    that the chunker put there. ``pages`` are ascending and distinct; ``page_labels`` belong to
    them one by one (``None`` where nothing is printed). ``tokens`` counts with the embedder's
    tokenizer.
    """

    id: int
    ordinal: int
    kind: ParentKind
    text: str
    heading_path: tuple[str, ...]
    segments: tuple[Segment, ...]
    pages: tuple[int, ...]
    page_labels: tuple[str | None, ...]
    tokens: int


@dataclass(frozen=True, slots=True)
class Child:
    """A chunk small enough to find precisely; ``parent.text[start:end] == text``.

    ``index_text`` is what both channels index: title, heading path and table header in front,
    table rows written with their column names. ``heading_path`` may be longer than the parent's,
    where small sections share a parent. ``regions`` count from the child's own start.
    """

    id: int
    parent_id: int
    ordinal: int
    start: int
    end: int
    text: str
    index_text: str
    kind: AssetKind
    heading_path: tuple[str, ...]
    regions: tuple[Region, ...]
    pages: tuple[int, ...]
    tokens: int


@dataclass(frozen=True, slots=True)
class Chunks:
    """All parents and children of one revision, each in reading order."""

    parents: tuple[Parent, ...]
    children: tuple[Child, ...]


@dataclass(frozen=True, slots=True)
class Revision:
    """One content of a document: sha256 of its bytes, parsed by one parser version.

    The fields from ``page_count`` on are those of :class:`Parsed`; ``title`` is what the file
    itself gives. ``attachments`` is ``None`` when an older version did not record them.
    """

    id: int
    document_id: int
    sha256: str
    media_type: str
    parser: str
    size: int
    page_count: int | None
    page_accuracy: PageAccuracy | None
    warnings: tuple[ParseWarning, ...]
    title: str | None = None
    page_unit: PageUnit = "page"
    page_labels: tuple[str, ...] | None = None
    page_reads: tuple[PageRead, ...] = ()
    properties: dict[str, str] = field(default_factory=dict)
    attachments: tuple[Attachment, ...] | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """A file (or a text) that the user gave, at a URI, within one knowledge base.

    ``container_id`` is the document whose attachment or archive member this one is.
    """

    id: int
    uri: str
    title: str
    tags: tuple[str, ...]
    metadata: dict[str, str]
    revision: Revision
    parents: int
    children: int
    ingested_at: str
    container_id: int | None = None
