"""The media types that content is recognised as."""

from __future__ import annotations

__all__ = [
    "CODE",
    "CODE_NAMES",
    "CSV",
    "DOC",
    "DOCX",
    "EML",
    "EPUB",
    "HTML",
    "JPEG",
    "JSON",
    "JSON_LINES",
    "MARKDOWN",
    "MBOX",
    "MHTML",
    "MSG",
    "ODP",
    "ODS",
    "ODT",
    "PDF",
    "PNG",
    "PPT",
    "PPTX",
    "RTF",
    "TEXT",
    "TIFF",
    "TSV",
    "WEBP",
    "XLS",
    "XLSX",
    "ZIP",
]

_OFFICE = "application/vnd.openxmlformats-officedocument"
_OPEN = "application/vnd.oasis.opendocument"

PDF = "application/pdf"
DOCX = f"{_OFFICE}.wordprocessingml.document"
PPTX = f"{_OFFICE}.presentationml.presentation"
XLSX = f"{_OFFICE}.spreadsheetml.sheet"
DOC = "application/msword"
PPT = "application/vnd.ms-powerpoint"
XLS = "application/vnd.ms-excel"
MSG = "application/vnd.ms-outlook"
ODT = f"{_OPEN}.text"
ODP = f"{_OPEN}.presentation"
ODS = f"{_OPEN}.spreadsheet"
RTF = "application/rtf"
EPUB = "application/epub+zip"
ZIP = "application/zip"
EML = "message/rfc822"
MBOX = "application/mbox"
MHTML = "multipart/related"
HTML = "text/html"
MARKDOWN = "text/markdown"
TEXT = "text/plain"
CSV = "text/csv"
TSV = "text/tab-separated-values"
JSON = "application/json"
JSON_LINES = "application/jsonl"
CODE = "text/x-source"
PNG = "image/png"
JPEG = "image/jpeg"
TIFF = "image/tiff"
WEBP = "image/webp"

CODE_NAMES = frozenset(
    """
        .bash .bat .c .cc .cfg .clj .cmake .cpp .cs .css .cxx .dart .erl .ex .exs .fs .go
        .gradle .groovy .h .hpp .hs .ini .java .jl .js .jsx .kt .kts .less .lua .m .mjs .ml
        .php .pl .pm .proto .ps1 .py .pyi .r .rb .rs .scala .scss .sh .sql .swift .tcl .tf
        .toml .ts .tsx .v .vb .vue .xml .xsd .yaml .yml .zig .zsh dockerfile makefile
        cmakelists.txt
    """.split()  # noqa: SIM905 (a list of seventy strings would take as many lines)
)
"""Suffixes and whole names (lower case) of files that are read line by line as source code."""
