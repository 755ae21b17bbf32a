"""The package around a Word document: variants made readable, properties, embedded files."""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
from collections.abc import Callable
from datetime import datetime
from typing import Any

from chapterverse.ingest.lines import one_line
from chapterverse.schema.records import Attachment

__all__ = ["embedded_files", "has_core_properties", "open_document", "properties"]

_MAIN = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
_VARIANT = re.compile(
    rb"application/vnd\.(?:openxmlformats-officedocument\.wordprocessingml\.template\.main"
    rb"|ms-word\.(?:document|template)\.macroEnabled(?:Template)?(?:\.main)?)\+xml"
)
_STRICT = b"http://purl.oclc.org/ooxml/"
_STRICT_NAMES = (
    (rb"http://purl\.oclc\.org/ooxml/officeDocument/relationships/(customX)",
     rb"http://schemas.openxmlformats.org/officeDocument/2006/relationships/\1"),
    (rb"http://purl\.oclc\.org/ooxml/(officeDocument)/(\w+)",
     rb"http://schemas.openxmlformats.org/\1/2006/\2"),
    (rb"http://purl\.oclc\.org/ooxml/(wordprocessingml|spreadsheetml)/(\w+)",
     rb"http://schemas.openxmlformats.org/\1/2006/\2"),
    (rb"http://purl\.oclc\.org/ooxml/drawingml/(\w+)",
     rb"http://schemas.openxmlformats.org/drawingml/2006/\1"),
    (rb"http://purl\.oclc\.org/ooxml/schemaLibrary/(\w+)",
     rb"http://schemas.openxmlformats.org/schemaLibrary/2006/\1"),
)  # fmt: skip
_RELATION = re.compile(rb"<Relationship\b[^>]*?/?>")
_OWNER = re.compile(r"(.*?)(?:^|/)_rels/([^/]+)\.rels$")


def open_document(data: bytes) -> Any:
    """The python-docx document of *data*.

    Templates and files with macros are opened as documents (macros are never looked at), those in
    the strict form of ISO 29500 as transitional ones; relations to parts that do not exist, which
    some producers write, are ignored.

    :raises ValueError, KeyError: no package of a Word document.
    """
    from docx import Document

    try:
        return _without_lost_heads(Document(io.BytesIO(data)))
    except (KeyError, ValueError, AttributeError) as exc:
        plain = _as_plain_document(data)
        if plain is None:
            raise ValueError(f"a part is missing or misplaced: {exc}") from exc
    return _without_lost_heads(Document(io.BytesIO(plain)))


def _without_lost_heads(document: Any) -> Any:
    """*document* without references to running heads and feet that are not in the file."""
    from docx.oxml.ns import qn

    references = document.element.body.iter(qn("w:headerReference"), qn("w:footerReference"))
    for reference in list(references):
        if reference.get(qn("r:id")) not in document.part.rels:
            reference.getparent().remove(reference)
    return document


def _as_plain_document(data: bytes) -> bytes | None:
    """*data* with its oddities taken out; ``None`` when there was nothing to change."""
    buffer, changed = io.BytesIO(), False
    with (
        zipfile.ZipFile(io.BytesIO(data)) as source,
        zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as target,
    ):
        names = set(source.namelist())
        for name in names:
            before = content = source.read(name)
            if name == "[Content_Types].xml":
                content = _VARIANT.sub(_MAIN.encode(), content)
            if name.endswith((".xml", ".rels")) and _STRICT in content:
                for pattern, replacement in _STRICT_NAMES:
                    content = re.sub(pattern, replacement, content)
            if owner := _OWNER.match(name):
                content = _without_dangling(content, owner[1], names)
            changed = changed or content != before
            target.writestr(name, content)
    return buffer.getvalue() if changed else None


def _without_dangling(relations: bytes, folder: str, names: set[str]) -> bytes:
    def kept(match: re.Match[bytes]) -> bytes:
        target = re.search(rb'\bTarget="([^"]*)"', match[0])
        if target is None or b'TargetMode="External"' in match[0]:
            return match[0]
        path = posixpath.normpath(posixpath.join("/", folder, target[1].decode("utf-8", "replace")))
        return match[0] if path.lstrip("/") in names else b""

    return _RELATION.sub(kept, relations)


def properties(document: Any) -> dict[str, str]:
    """What the file says about itself, except its title: author, subject, keywords, dates."""
    # Asking python-docx for missing properties would make some up ("Word Document").
    if not has_core_properties(document):
        return {}
    core = document.core_properties
    found = {
        "author": core.author,
        "last_modified_by": core.last_modified_by,
        "subject": core.subject,
        "keywords": core.keywords,
        "category": core.category,
        "description": core.comments,
        "language": core.language,
        "created": core.created,
        "modified": core.modified,
    }
    texts = {
        name: value.isoformat() if isinstance(value, datetime) else one_line(value or "")
        for name, value in found.items()
    }
    return {name: text for name, text in texts.items() if text}


def has_core_properties(document: Any) -> bool:
    """Whether the package holds the part with title, author and dates."""
    relations = document.part.package.rels.values()
    return any(r.reltype.endswith("/core-properties") for r in relations)


def embedded_files(document: Any, keep: Callable[[bytes], str]) -> tuple[Attachment, ...]:
    """Office files that the author put into the document as objects, stored through *keep*."""
    found: dict[str, Attachment] = {}
    for relation in document.part.rels.values():
        if relation.is_external or relation.reltype.rsplit("/", 1)[-1] != "package":
            continue
        name = posixpath.basename(str(relation.target_part.partname))
        data = relation.target_part.blob
        found[name] = Attachment(name, keep(data), len(data))
    return tuple(found.values())
