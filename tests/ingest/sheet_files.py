"""Small spreadsheets of old and open formats, written as simply as the formats allow."""

from __future__ import annotations

import struct
from collections.abc import Mapping

from tests.ingest.ole_files import ole_file
from tests.ingest.zip_files import packed

__all__ = ["biff", "biff_record", "cell", "ods", "ods_table"]

_NAMES = " ".join(
    f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for short, name in (("office", "office"), ("table", "table"), ("text", "text"),
                        ("meta", "meta"), ("style", "style"), ("draw", "drawing"),
                        ("fo", "xsl-fo-compatible"), ("svg", "svg-compatible"))
)  # fmt: skip
_MANIFEST = (
    '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
    "{}</manifest:manifest>"
)


def cell(value: str, attributes: str = "") -> str:
    if value.replace(".", "").isdecimal():
        kind = f'office:value-type="float" office:value="{value}"'
        return f"<table:table-cell {kind} {attributes}/>"
    body = f"<text:p>{value}</text:p>" if value else ""
    kind = 'office:value-type="string"' if value else ""
    return f"<table:table-cell {kind} {attributes}>{body}</table:table-cell>"


def ods_table(name: str, *rows: tuple[str, ...]) -> str:
    body = "".join(f"<table:table-row>{''.join(map(cell, row))}</table:table-row>" for row in rows)
    return f'<table:table table:name="{name}">{body}</table:table>'


def ods(
    *tables: str,
    title: str = "The sheets",
    styles: str = "",
    parts: Mapping[str, bytes] | None = None,
    manifest: str = "",
) -> bytes:
    """An OpenDocument spreadsheet; *parts* are pictures and the like."""
    content = (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document-content {_NAMES} '
        'xmlns:xlink="http://www.w3.org/1999/xlink"><office:automatic-styles>'
        f"{styles}</office:automatic-styles><office:body><office:spreadsheet>{''.join(tables)}"
        "</office:spreadsheet></office:body></office:document-content>"
    )
    meta = (
        f'<office:document-meta {_NAMES} xmlns:dc="http://purl.org/dc/elements/1.1/"><office:meta>'
        f"<dc:title>{title}</dc:title><dc:creator>Ann</dc:creator></office:meta>"
        "</office:document-meta>"
    )
    return packed(
        {
            "mimetype": "application/vnd.oasis.opendocument.spreadsheet",
            "META-INF/manifest.xml": _MANIFEST.format(manifest),
            "content.xml": content,
            "meta.xml": meta,
            **(parts or {}),
        }
    )


def biff_record(kind: int, body: bytes) -> bytes:
    return struct.pack("<HH", kind, len(body)) + body


def biff(
    *rows: tuple[str | float, ...],
    sheet: str = "Old",
    more: bytes = b"",
    streams: Mapping[str, bytes] | None = None,
) -> bytes:
    """A workbook of Excel 97: one sheet of BIFF8 records, *more* of them behind its cells.

    *streams* stand beside that of the workbook.
    """

    def start(kind: int) -> bytes:
        return biff_record(0x0809, struct.pack("<HHHHII", 0x0600, kind, 0x0DBB, 0x07CC, 0, 6))

    cells = b""
    for y, row in enumerate(rows):
        for x, value in enumerate(row):
            if isinstance(value, str):
                body = struct.pack("<HHHHB", y, x, 0, len(value), 1) + value.encode("utf-16-le")
                cells += biff_record(0x0204, body)
            else:
                cells += biff_record(0x0203, struct.pack("<HHHd", y, x, 0, value))
    name = struct.pack("<BB", len(sheet), 0) + sheet.encode()
    head, end = start(0x0005), biff_record(0x000A, b"")
    offset = len(head) + 4 + 6 + len(name) + len(end)
    bound = biff_record(0x0085, struct.pack("<IBB", offset, 0, 0) + name)
    stream = head + bound + end + start(0x0010) + cells + more + end
    return ole_file({"Workbook": stream.ljust(4096, b"\0"), **(streams or {})})
