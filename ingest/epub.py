"""EPUB books: the files of the reading order, each through the HTML reader's machinery.

The place of an element is the file of the book that it stands in, with the address of the
nearest heading before it where it has one (``text/ch2.xhtml#pumps``); books have no pages.
"""

from __future__ import annotations

import base64
import binascii
import io
import re
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import unquote_to_bytes

from chapterverse.ingest.archive import BROKEN
from chapterverse.ingest.context import DEFAULT_CONTEXT, ReadContext
from chapterverse.ingest.epub_contents import Chapter, read_contents, with_contents, with_title
from chapterverse.ingest.epub_package import BookFiles, BookItem, Package, open_package, resolve
from chapterverse.ingest.html import decode_page, read_page
from chapterverse.ingest.media_types import EPUB
from chapterverse.ingest.outline import Draft, to_assets
from chapterverse.ingest.pictures import keep_picture
from chapterverse.ingest.unshown import LOST, unshown_warning
from chapterverse.schema.errors import Corrupt
from chapterverse.schema.records import AssetKind, Parsed, ParseWarning, Picture, Region

__all__ = ["PARSER", "read_epub"]

PARSER = "epub/2"
# Marks of typesetting within words; they would part words that are searched for.
_TYPESETTING = re.compile("[\u00ad\u2060\ufeff]")
_DATA_URI = re.compile(r"data:[\w.+-]+/[\w.+-]+(;[\w=.+-]+)*?(;base64)?,(.*)", re.S | re.I)
_PAGES = ("html", "oeb1-document", "dtbook")
_PAGE_NAMES = (".xhtml", ".html", ".htm")


def read_epub(data: bytes, context: ReadContext = DEFAULT_CONTEXT) -> Parsed:
    """Parse a book (EPUB 2 or 3) in its reading order.

    :raises Encrypted: its chapters are encrypted.
    :raises Corrupt: no package document, or no chapter that can be read.
    """
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except BROKEN as exc:
        raise Corrupt(f"{context.name}: the book's archive is broken ({exc}); copy it") from exc
    with archive:
        files = BookFiles(archive)
        package = open_package(files, context.name)
        shelf = _Shelf(files, context)
        reading = _Reading(files, shelf, list(package.warnings))
        chapters = [reading.chapter(item) for item in package.spine]
        if not any(chapter.drafts for chapter in chapters) and reading.lost:
            raise Corrupt(f"{context.name}: none of {reading.lost} chapters can be read")
        cover = _cover(package, shelf)
        contents = package.contents
        toc = files.read(contents.path) if contents is not None else None
    entries = read_contents(toc, contents) if toc is not None and contents is not None else ()
    drafts = with_title(with_contents(chapters, entries), package.title)
    # The shelf says which pictures are missing or outside of the book.
    unshown = {**reading.unshown, LOST: shelf.unusable}
    return Parsed(
        EPUB,
        PARSER,
        to_assets(_once([*cover, *drafts], reading.warnings)),
        title=package.title,
        warnings=(*reading.warnings, *shelf.warnings(), *unshown_warning(unshown)),
        properties=package.metadata,
    )


@dataclass(slots=True)
class _Shelf:
    """The pictures of a book, each kept once."""

    files: BookFiles
    context: ReadContext
    known: dict[str, Picture | None] = field(default_factory=dict)
    outside: int = 0
    missing: set[str] = field(default_factory=set)
    unusable: int = 0

    def find(self, base: str, link: str) -> Picture | None:
        """The picture that *link* in the file *base* shows."""
        inline = _DATA_URI.fullmatch(link)
        if inline:
            picture = keep_picture(_inline(inline), self.context)
            self.unusable += picture is None
            return picture
        path = resolve(base, link)
        if path is None:
            self.outside += bool(link)
            return None
        if path not in self.known:
            data = self.files.read(path)
            if data is None:
                self.missing.add(path)
            self.known[path] = None if data is None else keep_picture(data, self.context)
            self.unusable += data is not None and self.known[path] is None
        return self.known[path]

    def warnings(self) -> Iterator[ParseWarning]:
        """What could not be shown."""
        if self.missing:
            names = ", ".join(sorted(self.missing)[:5])
            text = f"{len(self.missing)} pictures are missing or damaged: {names}"
            yield ParseWarning("pictures_missing", text)
        if self.outside:
            text = f"{self.outside} pictures lie outside of the book and were not fetched"
            yield ParseWarning("pictures_outside", text)


def _inline(found: re.Match[str]) -> bytes:
    data = unquote_to_bytes(found[3])
    if not found[2]:
        return data
    try:
        return base64.b64decode(data)
    except (binascii.Error, ValueError):
        return b""


@dataclass(slots=True)
class _Reading:
    """Reads files of the book one by one and gathers what to warn of."""

    files: BookFiles
    shelf: _Shelf
    warnings: list[ParseWarning]
    lost: int = 0
    unshown: Counter[str] = field(default_factory=Counter)

    def chapter(self, item: BookItem) -> Chapter:
        """The drafts of one file of the reading order; none, with a warning, if it fails."""
        data = self.files.read(item.path)
        if data is None:
            return self._lost(item, "chapter_missing", "is missing or damaged")
        if item.media_type.startswith("image/"):
            picture = self.shelf.find("", item.path.replace("%", "%25"))
            return Chapter(item.path, () if picture is None else (_figure(item.path, picture),))
        named = any(word in item.media_type for word in _PAGES)
        if not named and not item.path.lower().endswith(_PAGE_NAMES):
            return self._lost(item, "chapter_unread", f"is of the kind {item.media_type}")
        decoded = decode_page(data)
        text = _TYPESETTING.sub("", decoded.text)
        try:
            page = read_page(text, lambda link: self.shelf.find(item.path, link))
        except Corrupt as exc:
            return self._lost(item, "chapter_unread", f"cannot be read: {exc}")
        self.unshown.update(page.unshown)
        for warning in page.warnings:
            self.warnings.append(replace(warning, message=f"{item.path}: {warning.message}"))
        if decoded.replaced:
            text = f"{item.path}: {decoded.replaced} places are not valid {decoded.encoding}"
            self.warnings.append(ParseWarning("undecodable", text))
        return Chapter(item.path, tuple(_placed(draft, item.path) for draft in page.drafts))

    def _lost(self, item: BookItem, code: str, why: str) -> Chapter:
        self.lost += 1
        self.warnings.append(ParseWarning(code, f"{item.path} {why}; it was left out"))
        return Chapter(item.path, ())


def _placed(draft: Draft, path: str) -> Draft:
    # Within its file an element has the place "#id", or none.
    inside = draft.regions[0].place if draft.regions else None
    return replace(draft, regions=(Region(0, len(draft.text), place=f"{path}{inside or ''}"),))


def _figure(path: str, picture: Picture) -> Draft:
    return Draft(AssetKind.FIGURE, "", (Region(0, 0, place=path),), picture=picture)


def _cover(package: Package, shelf: _Shelf) -> list[Draft]:
    """The cover, unless a chapter shows it."""
    path = package.cover
    if path is None or path in shelf.known:
        return []
    picture = shelf.find("", path.replace("%", "%25"))
    return [] if picture is None else [_figure(path, picture)]


def _once(drafts: Sequence[Draft], warnings: list[ParseWarning]) -> list[Draft]:
    """*drafts* without ornaments shown again: pictures that stood before and say nothing."""
    seen: set[str] = set()
    kept: list[Draft] = []
    for draft in drafts:
        picture = draft.picture
        if picture is not None:
            if picture.sha256 in seen and not draft.text:
                continue
            seen.add(picture.sha256)
        kept.append(draft)
    if len(kept) < len(drafts):
        text = f"{len(drafts) - len(kept)} repeated pictures without text are kept once"
        warnings.append(ParseWarning("pictures_repeated", text))
    return kept
