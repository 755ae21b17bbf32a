"""Media type to reader: the one entry from bytes to assets."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass, replace

from chapterverse.ingest import media_types as media
from chapterverse.ingest.context import ReadContext
from chapterverse.ingest.office_crypto import opened
from chapterverse.ingest.sniff import sniff
from chapterverse.schema.errors import Empty, Unsupported
from chapterverse.schema.records import Parsed

__all__ = ["READERS", "Reader", "can_recognise", "is_current", "read"]


@dataclass(frozen=True, slots=True)
class Reader:
    """A reader: the name and version it writes to ``Parsed.parser``, and where it is found.

    ``entry`` is ``module:function`` below ``chapterverse.ingest``, imported when it is needed: a
    text file must not pay seconds for ``unstructured`` or PDFium. The function takes the bytes
    and a :class:`ReadContext`.
    """

    parser: str
    entry: str


_WORD, _SLIDES = "docx/3", "pptx/2"
_OFFICE = "libreoffice/1"

READERS = {
    media.PDF: Reader("pdf/3", "pdf:read_pdf"),
    media.DOCX: Reader(_WORD, "docx:read_docx"),
    media.HTML: Reader("html/3", "html:read_html"),
    media.MARKDOWN: Reader("markdown/3", "markdown:read_markdown"),
    media.PNG: Reader("image/1", "images:read_image"),
    media.JPEG: Reader("image/1", "images:read_image"),
    media.TIFF: Reader("image/1", "images:read_image"),
    media.WEBP: Reader("image/1", "images:read_image"),
    media.TEXT: Reader("plain/2", "plain:read_plain"),
    media.CODE: Reader("code/1", "code:read_code"),
    media.EPUB: Reader("epub/2", "epub:read_epub"),
    media.EML: Reader("eml/2", "mail_eml:read_eml"),
    media.MSG: Reader("msg/2", "mail_msg:read_msg"),
    media.MBOX: Reader("mbox/1", "mail_mbox:read_mbox"),
    media.MHTML: Reader("mhtml/2", "mhtml:read_mhtml"),
    media.ZIP: Reader("zip/1", "archive:read_archive"),
    media.PPTX: Reader(_SLIDES, "pptx:read_pptx"),
    media.XLSX: Reader("xlsx/2", "xlsx:read_xlsx"),
    media.XLS: Reader("xls/2", "sheets:read_xls"),
    media.ODS: Reader("ods/2", "ods:read_ods"),
    media.CSV: Reader("csv/1", "csv_table:read_csv"),
    media.TSV: Reader("csv/1", "csv_table:read_tsv"),
    media.JSON: Reader("json/1", "json_records:read_json"),
    media.JSON_LINES: Reader("jsonl/1", "json_records:read_json_lines"),
    media.DOC: Reader(f"{_OFFICE}+{_WORD}", "libreoffice:read_doc"),
    media.RTF: Reader(f"{_OFFICE}+{_WORD}", "libreoffice:read_rtf"),
    media.ODT: Reader(f"{_OFFICE}+{_WORD}", "libreoffice:read_odt"),
    media.PPT: Reader(f"{_OFFICE}+{_SLIDES}", "libreoffice:read_ppt"),
    media.ODP: Reader(f"{_OFFICE}+{_SLIDES}", "libreoffice:read_odp"),
}
"""All readers by media type."""


def can_recognise(ocr_pages: int) -> bool:
    """Whether text in pictures can be recognised: it is wanted, and rapidocr is installed."""
    return ocr_pages > 0 and importlib.util.find_spec("rapidocr") is not None


def is_current(media_type: str, parser: str, *, ocr: bool) -> bool:
    """Whether a document that *parser* read would be read the same way today.

    A parser name ends in ``+ocr`` where pages or pictures were recognised, and in ``-ocr`` where
    they would have been but recognition was off or not installed. *ocr* says whether it is there
    now.
    """
    reader = READERS.get(media_type)
    if reader is None:
        return False
    wanted = (reader.parser, f"{reader.parser}+ocr")
    return parser in wanted or (not ocr and parser == f"{reader.parser}-ocr")


def read(data: bytes, context: ReadContext) -> Parsed:
    """Parse *data*; the content decides the reader, the name only breaks ties among text types.

    :raises Unsupported: no reader for this kind of content.
    :raises Empty: no bytes, or nothing with text in it.
    :raises Encrypted: a password is needed (or the one given is wrong).
    :raises Corrupt: the bytes are not a whole document of their kind.
    :raises TooLarge: more pages, pixels or unpacked bytes than allowed.
    """
    data = opened(data, context)
    media_type = sniff(data, context.name)
    reader = READERS.get(media_type)
    if reader is None:
        known = ", ".join(sorted(READERS))
        raise Unsupported(f"{context.name}: content is {media_type}; there are readers for {known}")
    parsed = _parsed(reader, data, context)
    if not any(asset.text.strip() or asset.picture for asset in parsed.assets):
        raise Empty(f"{context.name}: {_why_empty(parsed)}")
    return parsed


def _parsed(reader: Reader, data: bytes, context: ReadContext) -> Parsed:
    if not context.ocr_figures:
        return _function(reader.entry)(data, context)
    from chapterverse.ingest.ocr_figures import KeptPictures, recognise_figures

    pictures = KeptPictures(context.keep)
    parsed = _function(reader.entry)(data, replace(context, keep=pictures.keep))
    return recognise_figures(parsed, pictures, context)


def _function(entry: str) -> Callable[[bytes, ReadContext], Parsed]:
    module, _, name = entry.partition(":")
    found: Callable[[bytes, ReadContext], Parsed] = getattr(
        importlib.import_module(f"chapterverse.ingest.{module}"), name
    )
    return found


def _why_empty(parsed: Parsed) -> str:
    if not parsed.assets:
        reason = f"the {parsed.media_type} reader found no content at all"
    else:
        reason = f"{len(parsed.assets)} elements were found, but none of them has text"
    if parsed.media_type == media.PDF:
        reason += "; if the pages are scans, run text recognition over the file first"
    return reason
