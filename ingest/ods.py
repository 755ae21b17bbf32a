"""OpenDocument spreadsheets (``.ods``): the sheets of a workbook, with what lies beside cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from chapterverse.ingest.context import DEFAULT_CONTEXT, ReadContext
from chapterverse.ingest.grid import MAX_CELLS, Sheet
from chapterverse.ingest.grid_drafts import PlacedDraft, sheet_drafts, sheet_heading
from chapterverse.ingest.lines import one_line
from chapterverse.ingest.media_types import ODS
from chapterverse.ingest.ods_cells import Drawing, OdsSheet, read_sheets
from chapterverse.ingest.office_pictures import figure_draft, kept
from chapterverse.ingest.ooxml import DAMAGE, Package, local_name
from chapterverse.ingest.outline import Draft
from chapterverse.ingest.unshown import LOST, unshown_warning
from chapterverse.ingest.workbook import allow_sheets, workbook
from chapterverse.ingest.xlsx import merge_placed
from chapterverse.ingest.xlsx_parts import place_draft
from chapterverse.schema.errors import Corrupt, Encrypted
from chapterverse.schema.records import AssetKind, Parsed, ParseWarning

__all__ = ["PARSER", "read_ods"]

PARSER = "ods/2"
_META = {"creator": "author", "initial-creator": "author", "subject": "subject",
         "keyword": "keywords", "creation-date": "created", "title": "title"}  # fmt: skip
_CONTENT = "content.xml"


@dataclass(slots=True)
class _Book:
    """The workbook being read and what was said about it."""

    package: Package
    context: ReadContext
    warnings: list[ParseWarning] = field(default_factory=list)

    def warn(self, code: str, message: str, sheet: int | None) -> None:
        self.warnings.append(ParseWarning(code, message, sheet))


def read_ods(data: bytes, context: ReadContext = DEFAULT_CONTEXT) -> Parsed:
    """Parse an OpenDocument spreadsheet; pages are its sheets, hidden ones too.

    At most ``MAX_CELLS`` filled cells are read, a warning names the rows left out.

    :raises Encrypted: a password is needed.
    :raises Corrupt: the part with the sheets is missing or damaged.
    :raises TooLarge: more sheets than ``context.max_pages``.
    """
    from lxml import etree

    with Package(data, context.name) as package:
        book = _Book(package, context)
        try:
            return _read(book)
        except (etree.XMLSyntaxError, OSError, RuntimeError, *DAMAGE) as exc:
            if _is_encrypted(package):
                raise Encrypted(
                    f"{context.name}: the workbook is encrypted; save it without a password"
                ) from exc
            raise Corrupt(
                f"{context.name}: the workbook is damaged ({type(exc).__name__}: {exc}); open it "
                "in LibreOffice and save it again"
            ) from exc


def _is_encrypted(package: Package) -> bool:
    part = "META-INF/manifest.xml"
    try:
        return package.has(part) and b"encryption-data" in package.read(part)
    except Corrupt:
        return False


def _read(book: _Book) -> Parsed:
    drafts: list[Draft] = []
    names: list[str] = []
    with book.package.open(_CONTENT) as stream:
        for number, read in enumerate(read_sheets(stream, MAX_CELLS), start=1):
            names.append(read.name or f"Sheet{number}")
            if number <= book.context.max_pages:
                drafts += _sheet(book, read, names[-1], number)
    allow_sheets(len(names), book.context)
    properties = _properties(book)
    return workbook(ODS, PARSER, drafts, names, book.warnings, properties)


def _sheet(book: _Book, read: OdsSheet, name: str, number: int) -> list[Draft]:
    if read.hidden:
        book.warn("hidden_sheet", f"the sheet {name!r} is hidden; it is read", number)
    if read.cut is not None:
        message = (
            f"sheet {name!r}: rows from {read.cut:,} on are left out (a file may have "
            f"{MAX_CELLS:,} filled cells)"
        )
        book.warn("rows_left_out", message, number)
    sheet = Sheet(name, number, read.cells, tuple(read.merges))
    comments = [
        place_draft(Draft(AssetKind.FOOTNOTE, text), name, number, area)
        for area, text in read.comments
    ]
    drawn = list(_drawn(book, read.drawings, name, number))
    drafts = merge_placed(sheet_drafts(sheet), drawn, comments)
    return [sheet_heading(sheet), *drafts] if drafts else []


def _drawn(book: _Book, drawings: list[Drawing], name: str, number: int) -> Iterator[PlacedDraft]:
    unshown: Counter[str] = Counter()
    objects = 0
    for one in drawings:
        draft = None
        if one.kind == "text":
            draft = Draft(AssetKind.PARAGRAPH, one.text)
        elif one.kind == "object":
            objects += 1
        else:
            draft = figure_draft(one.text, kept(_data(book, one.link), book.context))
            unshown[LOST] += draft.picture is None
            draft = draft if draft.text or draft.picture else None
        if draft is not None:
            yield place_draft(draft, name, number, one.area)
    if objects:
        message = f"sheet {name!r}: {objects} charts and embedded objects are not read"
        book.warn("chart_unread", message, number)
    book.warnings += unshown_warning(unshown, number, f"{name}: ")


def _data(book: _Book, link: str) -> bytes:
    """The bytes of a picture; none where it is missing, damaged or outside of the file."""
    part = link.removeprefix("./")
    try:
        return book.package.read(part) if book.package.has(part) else b""
    except Corrupt:
        return b""


def _properties(book: _Book) -> dict[str, str]:
    found: dict[str, str] = {}
    if not book.package.has("meta.xml"):
        return found
    try:
        root = book.package.xml("meta.xml")
    except Corrupt as exc:
        book.warn("part_damaged", f"what the file says of itself cannot be read: {exc}", None)
        return found
    for element in root.iter():
        name, text = _META.get(local_name(element)), one_line(element.text or "")
        if name and text:
            found[name] = text
    return found
