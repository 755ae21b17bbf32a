"""Word files: ``unstructured`` for kinds and labels, the XML for what it loses.

The body is flattened (content controls, insertions, text boxes) and walked with python-docx and
lxml, which keeps order, tables with merged cells and header rows, pictures, captions, footnotes
and page ends. A copy in which every paragraph carries a private-use mark goes through
``unstructured``; it says what each paragraph is (heading and depth, list item and nesting),
writes the numbers that Word only computes on screen, and gives running headers and footers. The
marks join the two.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from chapterverse.ingest.context import ReadContext
from chapterverse.ingest.docx_items import MARK, Item, Paragraph, finish_items, make_item
from chapterverse.ingest.docx_parts import (
    figure_drafts,
    note_ids,
    note_texts,
    row_page_ends,
    starts_with_picture,
    table_draft,
)
from chapterverse.ingest.docx_xml import (
    PAGE_BREAK,
    Style,
    flatten,
    is_bold,
    paragraph_text,
    qn,
    read_styles,
)
from chapterverse.ingest.lines import display_width, one_line
from chapterverse.ingest.media_types import DOCX
from chapterverse.ingest.outline import TITLE, Draft, promote_title, title_text, to_assets
from chapterverse.ingest.unstructured_adapter import Element, partition_docx
from chapterverse.schema.errors import Corrupt
from chapterverse.schema.records import AssetKind, Parsed, ParseWarning, Region

__all__ = ["PARSER", "read_docx"]

PARSER = "docx/1"
_CONTEXT = ReadContext()
_PAGE_CHARS = 5_000
"""More text than this between two hard page breaks means that pages ended in between unseen."""


def read_docx(data: bytes, context: ReadContext = _CONTEXT) -> Parsed:
    """Parse a ``.docx`` file.

    Pages are those of Word's last rendering or, without one, counted from hard page breaks where
    these are dense enough; ``page_accuracy`` is then ``"approximate"``. Otherwise there are none.

    :raises Corrupt: a part is missing or is not valid XML.
    """
    from docx import Document
    from docx.opc.exceptions import OpcError
    from lxml import etree

    try:
        document = Document(io.BytesIO(data))
        return _read(document)
    except (OpcError, etree.XMLSyntaxError, zipfile.BadZipFile, KeyError, ValueError) as exc:
        raise Corrupt(
            f"the Word file is damaged ({type(exc).__name__}: {exc}); open it in Word or "
            "LibreOffice and save it again"
        ) from exc


_Block = Paragraph | Draft


def _read(document: Any) -> Parsed:
    body = document.element.body
    contents, formulas = _in_contents(body), _formulas(body)
    flatten(body)
    styles = read_styles(document.styles.element)
    hard = next(body.iter(qn("w:lastRenderedPageBreak")), None) is None
    paged = _has_page_ends(body, hard)
    notes = _notes(document)
    blocks: list[_Block] = []
    page = 1
    for child in body:
        if child.tag == qn("w:p"):
            text = paragraph_text(child, hard)
            style = styles.get(_style_id(child), Style())
            shown = page if paged else None
            block = Paragraph(
                child, text, shown, style, is_bold(child), child in contents, child in formulas
            )
            figures = [_on_page(draft, shown) for draft in figure_drafts(child)]
            # A picture before the text of its paragraph comes first, as on the page.
            blocks.extend([*figures, block] if starts_with_picture(child) else [block, *figures])
            page += text.count(PAGE_BREAK)
        elif child.tag == qn("w:tbl"):
            table = table_draft(child, page if paged else None, hard)
            blocks.extend([] if table is None else [table])
            page += sum(row_page_ends(child, hard))
        blocks.extend(_note_drafts(child, notes, page if paged else None))
    paragraphs = [block for block in blocks if isinstance(block, Paragraph)]
    elements = partition_docx(_marked_copy(document, paragraphs))
    return _assemble(document, blocks, elements, page if paged else None)


def _style_id(paragraph: Any) -> str:
    style = paragraph.find(f"{qn('w:pPr')}/{qn('w:pStyle')}")
    return "" if style is None else str(style.get(qn("w:val")))


def _in_contents(body: Any) -> set[Any]:
    """Paragraphs of a generated table of contents, found before its control is unwrapped."""
    found: set[Any] = set()
    for control in body.iter(qn("w:sdt")):
        gallery = control.find(f"{qn('w:sdtPr')}/{qn('w:docPartObj')}/{qn('w:docPartGallery')}")
        if gallery is not None and gallery.get(qn("w:val")) == "Table of Contents":
            found.update(control.iter(qn("w:p")))
    return found


def _formulas(body: Any) -> set[Any]:
    """Paragraphs that hold displayed mathematics and no other text."""
    return {
        formula.getparent()
        for formula in body.iter(qn("m:oMathPara"))
        if formula.getparent().tag == qn("w:p")
        and not "".join(t.text or "" for t in formula.getparent().iter(qn("w:t"))).strip()
    }


def _has_page_ends(body: Any, hard: bool) -> bool:
    """Whether page ends are known: noted by Word or, if *hard*, set densely enough to be all."""
    pages = "".join(paragraph_text(p, hard) for p in body.iter(qn("w:p"))).split(PAGE_BREAK)
    return len(pages) > 1 and not (hard and max(map(display_width, pages)) > _PAGE_CHARS)


def _on_page(draft: Draft, page: int | None) -> Draft:
    if page is None:
        return draft
    return replace(draft, regions=(Region(0, len(draft.text), page=page),))


def _notes(document: Any) -> dict[tuple[str, str], str]:
    """Texts of footnotes and endnotes by part and id."""
    from docx.oxml import parse_xml

    texts: dict[tuple[str, str], str] = {}
    for relation in document.part.rels.values():
        kind = relation.reltype.rsplit("/", 1)[-1]
        if kind in ("footnotes", "endnotes") and not relation.is_external:
            root = parse_xml(relation.target_part.blob)
            texts.update({((kind, key)): text for key, text in note_texts(root).items()})
    return texts


def _note_drafts(element: Any, notes: dict[tuple[str, str], str], page: int | None) -> list[Draft]:
    found = (notes.get(place) for place in note_ids(element))
    return [_on_page(Draft(AssetKind.FOOTNOTE, text), page) for text in found if text]


def _marked_copy(document: Any, paragraphs: Sequence[Paragraph]) -> bytes:
    """*document* with a mark behind every paragraph and no tables or pictures, as a file.

    Spends the document: it must have been read before. Numbered paragraphs of tables stay, for
    Word counts them with the others.
    """
    body = document.element.body
    for table in list(body.iterchildren(qn("w:tbl"))):
        for paragraph in list(table.iter(qn("w:p"))):
            if paragraph.find(f"{qn('w:pPr')}/{qn('w:numPr')}") is not None:
                table.addprevious(paragraph)
        body.remove(table)
    for tag in ("w:drawing", "w:pict", "w:lastRenderedPageBreak"):
        for element in list(body.iter(qn(tag))):
            element.getparent().remove(element)
    for number, paragraph in enumerate(paragraphs):
        if paragraph.bare.strip():
            run = paragraph.element.makeelement(qn("w:r"))
            text = run.makeelement(qn("w:t"))
            text.text = f"\ue000{number}\ue001"
            run.append(text)
            paragraph.element.append(run)
    rels = document.part.rels
    for key in [key for key, rel in rels.items() if rel.reltype.endswith("/image")]:
        del rels[key]
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def _assemble(
    document: Any, blocks: Sequence[_Block], elements: Sequence[Element], pages: int | None
) -> Parsed:
    seen = {int(m.group(1)): e for e in elements if (m := MARK.search(e.text.rstrip()))}
    items: list[Item] = []
    number = left_out = 0
    for block in blocks:
        if isinstance(block, Draft):
            items.append(Item(block))
            continue
        element, number = seen.get(number), number + 1
        if block.contents or block.style.toc:
            left_out += bool(block.bare.strip())
        elif block.bare.strip():
            items.append(make_item(block, element))
    declared = _declared_title(document)
    drafts = _with_title(finish_items(items), declared)
    return Parsed(
        DOCX,
        PARSER,
        to_assets([*_running(elements, "Header"), *drafts, *_running(elements, "Footer")]),
        title=title_text(drafts, declared),
        page_count=pages,
        page_accuracy=None if pages is None else "approximate",
        warnings=_warnings(document, left_out),
    )


def _declared_title(document: Any) -> str | None:
    # Asking python-docx for missing properties would make some up ("Word Document").
    present = any(
        r.reltype.endswith("/core-properties") for r in document.part.package.rels.values()
    )
    title = one_line(document.core_properties.title or "") if present else ""
    return None if title.startswith("Microsoft Word - ") else title or None


def _with_title(drafts: list[Draft], declared: str | None) -> list[Draft]:
    """Word has a style for titles; without it only the file's own title property makes one."""
    headings = [draft for draft in drafts if draft.kind is AssetKind.HEADING]
    if declared is None or not headings or any(draft.level == TITLE for draft in headings):
        return drafts
    same = one_line(headings[0].text).casefold() == one_line(declared).casefold()
    return list(promote_title(drafts, declared)) if same else drafts


def _running(elements: Sequence[Element], category: str) -> list[Draft]:
    kind = AssetKind.PAGE_HEADER if category == "Header" else AssetKind.PAGE_FOOTER
    texts = dict.fromkeys(one_line(e.text) for e in elements if e.category == category)
    return [Draft(kind, text) for text in texts if text]


def _warnings(document: Any, left_out: int) -> tuple[ParseWarning, ...]:
    warnings: list[ParseWarning] = []
    if left_out:
        message = f"{left_out} lines of the table of contents were left out; its headings are read"
        warnings.append(ParseWarning("contents_skipped", message))
    if any(rel.reltype.endswith("/comments") for rel in document.part.rels.values()):
        warnings.append(ParseWarning("comments_skipped", "reviewers' comments are not read"))
    return tuple(warnings)
