"""Parts, relationships and properties of an Office package (ECMA-376, part 2)."""

from __future__ import annotations

import io
import posixpath
import zipfile
import zlib
from dataclasses import dataclass
from types import TracebackType
from typing import IO, Any
from urllib.parse import unquote

from chapterverse.ingest.lines import one_line
from chapterverse.schema.errors import Corrupt

__all__ = ["DAMAGE", "Package", "Relationship", "local_name", "parse_xml"]

DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, KeyError, ValueError)
"""What readers of packages, ours and others, raise on damaged ones beside their own errors."""

_LARGEST_PART = 200 << 20
"""Bytes of a part that is read as a whole; larger ones are streamed or refused."""
_PROPERTIES = ("title", "creator", "subject", "keywords", "description", "category", "created",
               "modified", "lastModifiedBy", "language")  # fmt: skip
_NAMES = {"creator": "author", "lastModifiedBy": "last_modified_by"}


@dataclass(frozen=True, slots=True)
class Relationship:
    """A link from a part: the last word of its type, and the part (or address) it leads to."""

    id: str
    kind: str
    target: str
    external: bool = False


def parse_xml(data: bytes) -> Any:
    """The root element of *data*; entities are not resolved, nothing is fetched.

    :raises lxml.etree.XMLSyntaxError: not well-formed.
    """
    from lxml import etree

    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True,
        remove_pis=True, huge_tree=True,
    )  # fmt: skip
    return etree.fromstring(data, parser)


def local_name(element: Any) -> str:
    """The tag of *element* without its namespace (strict and transitional files differ in it)."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


class Package:
    """An open package; part names have no leading slash. Close it, or use it in ``with``."""

    def __init__(self, data: bytes, name: str) -> None:
        self._name = name
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as exc:
            raise Corrupt(f"{name}: a broken ZIP package ({exc}); save the file again") from exc
        # Some producers write backslashes, a leading slash, or other capitals than they refer to.
        self._names = {_fold(entry): entry for entry in reversed(self._zip.namelist())}

    def __enter__(self) -> Package:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._zip.close()

    def has(self, part: str) -> bool:
        """Whether there is such a part."""
        return _fold(part) in self._names

    def open(self, part: str) -> IO[bytes]:
        """A stream of the bytes of *part*.

        :raises Corrupt: there is no such part.
        """
        try:
            return self._zip.open(self._names[_fold(part)])
        except KeyError:
            raise Corrupt(
                f"{self._name}: the package lacks its part {part}; save the file again"
            ) from None

    def read(self, part: str) -> bytes:
        """The bytes of *part*.

        :raises Corrupt: there is no such part, it is damaged, or larger than 200 MiB.
        """
        try:
            with self.open(part) as stream:
                data = stream.read(_LARGEST_PART + 1)
        except (*DAMAGE, OSError, RuntimeError) as exc:
            raise Corrupt(f"{self._name}: the part {part} is damaged ({exc})") from exc
        if len(data) > _LARGEST_PART:
            raise Corrupt(f"{self._name}: the part {part} holds more than 200 MiB")
        return data

    def xml(self, part: str) -> Any:
        """The root element of *part*.

        :raises Corrupt: missing, damaged or not well-formed.
        """
        from lxml import etree

        try:
            return parse_xml(self.read(part))
        except etree.XMLSyntaxError as exc:
            raise Corrupt(
                f"{self._name}: the part {part} is no valid XML ({exc}); save the file again"
            ) from exc

    def relationships(self, part: str) -> dict[str, Relationship]:
        """The relationships of *part* (``""``: of the package) by id; none without a rels part."""
        folder, name = posixpath.split(part)
        rels = posixpath.join(folder, "_rels", f"{name}.rels")
        if not self.has(rels):
            return {}
        found = {}
        for item in self.xml(rels):
            target, external = item.get("Target", ""), item.get("TargetMode") == "External"
            if not external:
                target = posixpath.normpath(posixpath.join("/", folder, unquote(target)))[1:]
            kind = item.get("Type", "").rpartition("/")[2]
            found[item.get("Id", "")] = Relationship(item.get("Id", ""), kind, target, external)
        return found

    def related(self, part: str, kind: str) -> list[str]:
        """The parts to which relationships of this *kind* lead from *part*, those that exist."""
        return [
            r.target
            for r in self.relationships(part).values()
            if r.kind == kind and not r.external and self.has(r.target)
        ]

    def properties(self) -> dict[str, str]:
        """What the file says about itself: title, author, subject, keywords, created, ..."""
        found: dict[str, str] = {}
        for part in self.related("", "core-properties"):
            for element in self.xml(part):
                name = local_name(element)
                text = one_line("".join(element.itertext()))
                if name in _PROPERTIES and text:
                    found[_NAMES.get(name, name)] = text
        return found


def _fold(part: str) -> str:
    return part.replace("\\", "/").lstrip("/").casefold()
