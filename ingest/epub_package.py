"""The package of an EPUB book: what it says of itself, its files and their reading order."""

from __future__ import annotations

import posixpath
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from chapterverse.ingest.archive import BROKEN
from chapterverse.ingest.lines import one_line
from chapterverse.schema.errors import Corrupt, Encrypted
from chapterverse.schema.records import ParseWarning

__all__ = ["BookFiles", "BookItem", "Package", "local_name", "open_package", "parse_xml", "resolve"]

MAX_PART = 64 << 20
"""Largest file of a book that is read, in bytes unpacked."""

_FONT_MASKS = {
    "http://www.idpf.org/2008/embedding",
    "http://ns.adobe.com/pdf/enc#rc",
}
_METADATA = {
    "creator": "creator", "contributor": "contributor", "language": "language",
    "publisher": "publisher", "date": "date", "identifier": "identifier", "subject": "subject",
    "description": "description", "rights": "rights",
}  # fmt: skip
_SEVERAL = {"creator", "contributor", "subject"}
_LONGEST = 2000


@dataclass(frozen=True, slots=True)
class BookItem:
    """A file that the package lists; ``path`` is its name in the archive."""

    path: str
    media_type: str
    properties: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Package:
    """What the package document says. ``spine`` is in reading order, without the navigation."""

    title: str | None
    metadata: dict[str, str]
    spine: tuple[BookItem, ...]
    contents: BookItem | None
    cover: str | None
    warnings: tuple[ParseWarning, ...]


class BookFiles:
    """The files of a book, by name within the archive."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._members = {info.filename: info for info in archive.infolist()}
        self._folded = {name.casefold(): name for name in reversed(self._members)}

    def names(self) -> tuple[str, ...]:
        """All names, as the archive lists them."""
        return tuple(self._members)

    def read(self, path: str) -> bytes | None:
        """The bytes of a file; ``None`` when it is missing, damaged or over :data:`MAX_PART`."""
        name = path if path in self._members else self._folded.get(path.casefold())
        if name is None or self._members[name].file_size > MAX_PART:
            return None
        try:
            return self._archive.read(self._members[name])
        except (*BROKEN, RuntimeError):
            return None


def resolve(base: str, link: str) -> str | None:
    """The file that *link* in the file *base* points to; ``None`` when it is not in the book."""
    target = unquote(link.partition("#")[0].partition("?")[0]).replace("\\", "/").strip()
    if not target or ":" in target.partition("/")[0]:
        return None
    path = posixpath.normpath(posixpath.join(posixpath.dirname(base), target))
    return None if path.startswith(("../", "/")) or path in ("..", ".") else path


def parse_xml(data: bytes) -> Any:
    """The root of an XML file, repaired where it is broken; ``None`` when there is none.

    Entities are not expanded and nothing outside of *data* is read.
    """
    from lxml import etree

    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, recover=True, remove_comments=True
    )
    try:
        return etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError):
        return None


def local_name(element: Any) -> str:
    """The tag of *element* in lower case, without its namespace; empty for no element."""
    return element.tag.rpartition("}")[2].lower() if isinstance(element.tag, str) else ""


def open_package(files: BookFiles, name: str) -> Package:
    """Read the package document of a book named *name* (for messages).

    :raises Corrupt: no package document, or nothing in it to read.
    :raises Encrypted: the chapters are encrypted (rights management).
    """
    path, warnings = _package_path(files, name)
    root = parse_xml(files.read(path) or b"")
    if root is None:
        raise Corrupt(f"{name}: the package document {path} of the book cannot be read")
    manifest = _manifest(root, path)
    spine, missing = _spine(root, manifest)
    if missing:
        text = f"{missing} entries of the reading order name no file of the book"
        warnings.append(ParseWarning("spine_broken", text))
    if not spine:
        spine = [item for item in manifest.values() if "html" in item.media_type]
        warnings.append(ParseWarning("spine_missing", "no reading order; the list of files is"))
    _check_encryption(files, {item.path for item in spine}, name, warnings)
    nav = next((item for item in manifest.values() if "nav" in item.properties), None)
    ncx = next((i for i in manifest.values() if i.media_type == "application/x-dtbncx+xml"), None)
    body = [item for item in spine if nav is None or item.path != nav.path]
    return Package(
        title=_title(root),
        metadata=_metadata(root),
        spine=tuple(body or spine),
        contents=nav or ncx,
        cover=_cover(root, manifest),
        warnings=tuple(warnings),
    )


def _package_path(files: BookFiles, name: str) -> tuple[str, list[ParseWarning]]:
    root = parse_xml(files.read("META-INF/container.xml") or b"")
    for element in [] if root is None else root.iter():
        path = element.get("full-path") if local_name(element) == "rootfile" else None
        if path and files.read(path) is not None:
            return path, []
    for path in files.names():
        if path.lower().endswith(".opf"):
            text = f"META-INF/container.xml names no package document; {path} was taken"
            return path, [ParseWarning("container_broken", text)]
    raise Corrupt(f"{name}: the book has no package document (.opf); get the file anew")


def _manifest(root: Any, path: str) -> dict[str, BookItem]:
    items: dict[str, BookItem] = {}
    for element in root.iter():
        target = resolve(path, element.get("href") or "") if local_name(element) == "item" else None
        if target is not None:
            properties = frozenset((element.get("properties") or "").split())
            media_type = (element.get("media-type") or "").lower()
            items.setdefault(element.get("id") or "", BookItem(target, media_type, properties))
    return items


def _spine(root: Any, manifest: dict[str, BookItem]) -> tuple[list[BookItem], int]:
    spine: dict[str, BookItem] = {}
    missing = 0
    for element in root.iter():
        if local_name(element) != "itemref":
            continue
        item = manifest.get(element.get("idref") or "")
        if item is None:
            missing += 1
        else:
            spine.setdefault(item.path, item)
    return list(spine.values()), missing


def _check_encryption(
    files: BookFiles, chapters: set[str], name: str, warnings: list[ParseWarning]
) -> None:
    root = parse_xml(files.read("META-INF/encryption.xml") or b"")
    locked = set() if root is None else set(_locked(root))
    if locked & chapters:
        raise Encrypted(
            f"{name}: {len(locked & chapters)} of {len(chapters)} chapters are encrypted (rights "
            "management); ingest an edition without it"
        )
    if locked:
        text = f"{len(locked)} files of the book are encrypted and were not read"
        warnings.append(ParseWarning("encrypted_part", text))


def _locked(root: Any) -> Iterator[str]:
    for entry in root.iter():
        if local_name(entry) != "encrypteddata":
            continue
        inner = {local_name(element): element for element in entry.iter()}
        method = inner.get("encryptionmethod")
        reference = inner.get("cipherreference")
        algorithm = "" if method is None else (method.get("Algorithm") or "")
        if reference is not None and algorithm.lower() not in _FONT_MASKS:
            # Addresses in this file count from the root of the book.
            path = resolve("", reference.get("URI") or "")
            if path:
                yield path


def _title(root: Any) -> str | None:
    titles = [element for element in root.iter() if _is_dublin(element, "title")]
    main = next((t for t in titles if _is_main(root, t.get("id"))), None)
    for element in [main] if main is not None else titles:
        text = one_line("".join(element.itertext()))
        if text:
            return text
    return None


def _is_main(root: Any, number: str | None) -> bool:
    return number is not None and any(
        element.get("refines") == f"#{number}"
        and element.get("property") == "title-type"
        and (element.text or "").strip() == "main"
        for element in root.iter()
    )


def _is_dublin(element: Any, name: str) -> bool:
    return local_name(element) == name and "purl.org/dc" in str(element.tag).lower()


def _metadata(root: Any) -> dict[str, str]:
    found: dict[str, list[str]] = {}
    unique = root.get("unique-identifier")
    for element in root.iter():
        key = _METADATA.get(local_name(element))
        if key is None or not _is_dublin(element, key):
            continue
        text = one_line("".join(element.itertext()))
        values = found.setdefault(key, [])
        if key == "identifier" and unique and element.get("id") == unique:
            values.insert(0, text)
        elif text and text not in values:
            values.append(text)
    return {
        key: ("; ".join(values) if key in _SEVERAL else values[0])[:_LONGEST]
        for key, values in found.items()
        if values and values[0]
    }


def _cover(root: Any, manifest: dict[str, BookItem]) -> str | None:
    for item in manifest.values():
        if "cover-image" in item.properties:
            return item.path
    for element in root.iter():
        if local_name(element) == "meta" and element.get("name") == "cover":
            named = manifest.get(element.get("content") or "")
            if named is not None and named.media_type.startswith("image/"):
                return named.path
    return None
