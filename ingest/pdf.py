"""The PDF reader: text by PDFium, blocks by liteparse, structure by rules."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from chapterverse.ingest.context import DEFAULT_CONTEXT, ReadContext
from chapterverse.ingest.furniture import find_furniture
from chapterverse.ingest.pdf_alt import add_descriptions
from chapterverse.ingest.pdf_assets import PageFrame, make_assets, merge_breaks, merge_tables
from chapterverse.ingest.pdf_crops import add_pictures
from chapterverse.ingest.pdf_graphics import read_graphics
from chapterverse.ingest.pdf_headings import OutlineEntry, mark_headings
from chapterverse.ingest.pdf_layout import PageLayout, read_layouts
from chapterverse.ingest.pdf_notes import place_notes
from chapterverse.ingest.pdf_ocr import recognise_pages
from chapterverse.ingest.pdf_outline import read_outline, without_endless_outline
from chapterverse.ingest.pdf_page import PageText, page_pieces, page_rows
from chapterverse.ingest.pdf_sideways import as_displayed, turn_of, turned
from chapterverse.ingest.pdf_spaces import mend_spaces
from chapterverse.ingest.pdf_tags import PageTags, tells_headings
from chapterverse.ingest.pdf_text import Word, vocabulary
from chapterverse.ingest.pdf_words import page_size, read_words
from chapterverse.schema.errors import Corrupt, Empty, Encrypted, TooLarge
from chapterverse.schema.records import Asset, AssetKind, Parsed, ParseWarning

__all__ = ["PARSER", "read_pdf"]

PARSER = "pdf/3"
_AUTHORITY = re.compile(r"united states\b.*commission|form \d|efiled\b", re.I)
"""Cover lines that stand largest on filings but name no document."""

_NO_TITLE = re.compile(
    r"^(?:untitled|microsoft \w+ - .*|.*\.(?:docx?|pdf|indd|pptx?|xlsx?|tex|dvi|qxd|ai|odt|odp|rtf)"
    r"|(?:slide|document|print|title|none|\d|_|-)*)$",
    re.I,
)


def read_pdf(data: bytes, context: ReadContext = DEFAULT_CONTEXT) -> Parsed:
    """Read a PDF into assets.

    Page numbers are physical and 1-based, labels are the printed ones of the file (``None``
    when it defines none). Every visible character lands in exactly one asset. A page without
    text gives the warning ``no_text``, one whose characters have no known meaning
    ``unreadable_text``, a page that the layout engine failed on ``no_layout``,
    text outside the visible part of a page ``off_page``. Figures are rendered and kept by
    ``context.keep``; too many of them give the warning ``figures_not_rendered``.

    Raises:
        Empty: no bytes, no pages, or no text on any page (a scan).
        Encrypted: a password is needed, or the one given is wrong.
        Corrupt: the bytes are not a whole PDF.
        TooLarge: more than ``max_pages`` pages.
    """
    password, max_pages = context.password, context.max_pages
    document = _open(data, password)
    try:
        count = len(document)
        if count == 0:
            raise Empty("The PDF has no pages. Give a PDF with at least one page of text.")
        if count > max_pages:
            raise TooLarge(
                f"The PDF has {count} pages; at most {max_pages} are allowed. Split the file or"
                " raise the page limit."
            )
        labels = _labels(document, count)
        texts, warnings = _texts(document, count)
        seen = recognise_pages(document, texts, warnings, context)
        outline = read_outline(document)
        laid_out = without_endless_outline(document, data)
        title = _metadata_title(document)
    finally:
        document.close()
    if not any(text.words for text in seen.texts):
        why = f"but {seen.problem}" if seen.problem else "and none was recognised in its pictures"
        raise Empty(
            f"None of the {count} pages holds any readable text: the PDF is a scan, a set of"
            f" pictures or lacks character maps, {why}."
        )
    texts = _without_mono(seen.texts)
    assets, more = _structure(laid_out, password, texts, seen.layouts, labels, outline)
    assets, lost = _pictured(data, password, seen.marked(assets), context)
    return Parsed(
        "application/pdf",
        PARSER + seen.suffix,
        assets,
        title=title or _first_title(assets),
        page_count=count,
        page_labels=labels,
        page_accuracy="exact",
        warnings=(*seen.warnings, *more, *lost),
        page_reads=seen.reads,
    )


def _pictured(
    data: bytes, password: str | None, assets: tuple[Asset, ...], context: ReadContext
) -> tuple[tuple[Asset, ...], list[ParseWarning]]:
    if not any(asset.kind is AssetKind.FIGURE for asset in assets):
        return assets, []
    document = _open(data, password)
    try:
        shown, warnings = add_pictures(document, assets, context)
        return add_descriptions(document, shown), warnings
    finally:
        document.close()


def _open(data: bytes, password: str | None) -> Any:
    import pypdfium2
    import pypdfium2.raw as raw

    if not data:
        raise Empty("The file holds 0 bytes. Give a PDF with at least one page of text.")
    try:
        return pypdfium2.PdfDocument(data, password=password)
    except pypdfium2.PdfiumError as error:
        code = getattr(error, "err_code", None)
        if code == raw.FPDF_ERR_PASSWORD:
            seen = "the given one is wrong" if password else "none was given"
            raise Encrypted(
                f"The PDF asks for a password and {seen}. Give the right password, or save the"
                " file without one."
            ) from error
        raise Corrupt(
            f"The {len(data)} bytes are no readable PDF ({error}). The file may be cut off or"
            " damaged: fetch or export it again."
        ) from error


def _labels(document: Any, count: int) -> tuple[str, ...] | None:
    labels = tuple(document.get_page_label(index) or "" for index in range(count))
    return labels if any(labels) else None


def _texts(document: Any, count: int) -> tuple[list[PageText], list[ParseWarning]]:
    import pypdfium2

    texts, warnings = [], []
    tagged = tells_headings(document)
    for index in range(count):
        number = index + 1
        try:
            page = document[index]
        except pypdfium2.PdfiumError as error:
            texts.append(PageText(number, 1.0, 1.0, (), ()))
            message = f"Page {number} cannot be loaded ({error}); its text is missing."
            warnings.append(ParseWarning("page_failed", message, number))
            continue
        textpage = page.get_textpage()
        tags = PageTags(page) if tagged else None
        found, unread = read_words(page, textpage, tags)
        turn = turn_of(found)
        with turned(page, turn):
            if turn:
                found, _ = read_words(page, textpage, tags)
            width, height = page_size(page)
            graphics = read_graphics(page)
        words, outside = _visible(found, width, height)
        if unread > 0.3:
            message = (
                f"On page {number} {unread:.0%} of the characters have no known meaning (the file"
                " lacks a character map); run text recognition (OCR) on it to read them."
            )
            warnings.append(ParseWarning("unreadable_text", message, number))
        rows = page_rows(words, number)
        textpage.close()
        page.close()
        if outside:
            message = f"{outside} words outside the visible part of page {number} were left out."
            warnings.append(ParseWarning("off_page", message, number))
        if not words:
            message = f"Page {number} holds no text (a scan or a picture); nothing was read."
            warnings.append(ParseWarning("no_text", message, number))
        texts.append(PageText(number, width, height, tuple(words), rows, graphics, turn))
    return texts, warnings


def _without_mono(texts: list[PageText]) -> list[PageText]:
    """The pages with typewriter marks taken off if most of the document is typewritten."""
    lines = [line for text in texts for line in text.rows]
    if 5 * sum(len(x.text) for x in lines if x.mono) < 2 * sum(len(x.text) for x in lines):
        return texts
    out = []
    for text in texts:
        words = tuple(word._replace(mono=False) for word in text.words)
        out.append(replace(text, words=words, rows=page_rows(words, text.number)))
    return out


def _visible(words: Sequence[Word], width: float, height: float) -> tuple[list[Word], int]:
    kept = [
        w
        for w in words
        if w.rect.x1 > 0 and w.rect.x0 < width and w.rect.y1 > 0 and w.rect.y0 < height
    ]
    return kept, len(words) - len(kept)


def _metadata_title(document: Any) -> str | None:
    title = " ".join(str(document.get_metadata_dict().get("Title", "")).split())
    letters = sum(c.isalpha() for c in title)
    cjk = sum("\u4e00" <= c <= "\u9fff" for c in title)
    sensible = (letters >= 4 or cjk >= 2) and not _NO_TITLE.match(title) and "\ufffd" not in title
    return title if sensible else None


def _first_title(assets: Sequence[Asset]) -> str | None:
    heads = [asset for asset in assets if asset.kind is AssetKind.HEADING]
    lone = heads if len(heads) == 1 and heads[0].regions[0].page == 1 else []
    for asset in (*lone, *heads):
        if asset.level == 0 or lone:
            return None if _AUTHORITY.match(asset.text) else asset.text
    return None


def _structure(
    data: bytes,
    password: str | None,
    texts: Sequence[PageText],
    recognised: Mapping[int, PageLayout],
    labels: tuple[str, ...] | None,
    outline: Sequence[OutlineEntry],
) -> tuple[tuple[Asset, ...], list[ParseWarning]]:
    turns = {text.number: text.turn for text in texts if text.turn}
    layouts = {**read_layouts(data, password, len(texts), turns), **recognised}
    furniture = find_furniture(
        {text.number: text.rows for text in texts}, {text.number: text.height for text in texts}
    )
    pieces, warnings = [], []
    for text in texts:
        if not text.words and text.number not in layouts:
            continue
        layout = layouts.get(text.number)
        if layout is None:
            message = f"The layout of page {text.number} was not understood; its lines were kept."
            warnings.append(ParseWarning("no_layout", message, text.number))
        pieces.extend(page_pieces(text, layout, furniture[text.number]))
    plain = vocabulary(w for text in texts for w in text.words if not w.bold)
    known = plain | vocabulary(w for text in texts for w in text.words if w.bold)
    headed = mend_spaces(mark_headings(pieces, outline), plain)
    marked = merge_tables(merge_breaks(place_notes(headed)))
    return as_displayed(make_assets(marked, _frames(texts, labels), known), turns), warnings


def _frames(texts: Sequence[PageText], labels: tuple[str, ...] | None) -> Mapping[int, PageFrame]:
    return {
        text.number: (
            text.width,
            text.height,
            (labels[text.number - 1] or None) if labels else None,
        )
        for text in texts
    }
