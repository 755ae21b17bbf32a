"""Small Word files for tests: python-docx for the package, XML for what it cannot write."""

from __future__ import annotations

import io
import re
import zipfile
from typing import Any

from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls, nsmap
from PIL import Image

from chapterverse.ingest.context import ReadContext
from chapterverse.ingest.docx import read_docx
from chapterverse.schema.records import Parsed

NAMES = {
    **{key: nsmap[key] for key in ("w", "r", "a", "wp", "pic")},
    "m": "http://schemas.openxmlformats.org/officeDocument/2006/math",
    "c": "http://schemas.openxmlformats.org/drawingml/2006/chart",
    "v": "urn:schemas-microsoft-com:vml",
    "o": "urn:schemas-microsoft-com:office:office",
    "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
    "wps": "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
}
DECLARED = " ".join(f'xmlns:{key}="{value}"' for key, value in NAMES.items())


def saved(document: Any) -> bytes:
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def parse(document: Any, context: ReadContext | None = None) -> Parsed:
    return read_docx(saved(document), context or ReadContext())


def kinds(parsed: Parsed) -> list[tuple[str, str]]:
    return [(str(asset.kind), asset.text) for asset in parsed.assets]


def element(xml: str) -> Any:
    return parse_xml(re.sub(r"(/?>)", rf" {DECLARED}\1", xml, count=1))


def add(document: Any, xml: str) -> Any:
    """Insert block-level *xml* before the section properties."""
    made = element(xml)
    document.element.body.insert(len(document.element.body) - 1, made)
    return made


def number_list(
    document: Any, levels: list[tuple[str, str]], key: int = 90, extra: str = ""
) -> None:
    """Define list *key*: (format, text) of each level; *extra* goes into the ``w:num``."""
    made = "".join(
        f'<w:lvl w:ilvl="{n}"><w:start w:val="1"/><w:numFmt w:val="{form}"/>{more}'
        f'<w:lvlText w:val="{text}"/></w:lvl>'
        for n, (form, text) in enumerate(levels)
        for more in ["<w:isLgl/>" if text.startswith("!") else ""]
    ).replace('w:val="!', 'w:val="')
    numbering = document.part.numbering_part.element
    numbering.insert(
        0,
        parse_xml(f'<w:abstractNum {nsdecls("w")} w:abstractNumId="{key}">{made}</w:abstractNum>'),
    )
    add_num(document, key, key, extra)


def add_num(document: Any, key: int, abstract: int, extra: str = "") -> None:
    inside = f'<w:abstractNumId w:val="{abstract}"/>{extra}'
    made = parse_xml(f'<w:num {nsdecls("w")} w:numId="{key}">{inside}</w:num>')
    document.part.numbering_part.element.append(made)


def numbered(paragraph: Any, level: int, key: int = 90) -> None:
    place = f'<w:numPr {nsdecls("w")}><w:ilvl w:val="{level}"/><w:numId w:val="{key}"/></w:numPr>'
    paragraph._p.get_or_add_pPr().append(parse_xml(place))


def png(width: int = 80, height: int = 60) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (width, height), "navy").save(buffer, "PNG")
    return buffer.getvalue()


def repacked(data: bytes, changes: dict[str, tuple[bytes, bytes]], **parts: bytes) -> bytes:
    """*data* with ``(old, new)`` replaced in the named members and *parts* added."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(buffer, "w") as target:
        for name in source.namelist():
            old, new = changes.get(name, changes.get("*", (b"", b"")))
            content = source.read(name)
            target.writestr(name, content.replace(old, new) if old else content)
        for name, content in parts.items():
            target.writestr(name, content)
    return buffer.getvalue()
