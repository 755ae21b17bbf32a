"""Word files: ``unstructured`` for kinds, the XML for what it loses.

The body is flattened (content controls, insertions, text boxes) and walked with python-docx and
lxml, which keeps order, tables with merged cells and header rows, pictures, charts, captions,
notes, page ends and the labels that Word only computes on screen. A copy in which every paragraph
carries a private-use mark goes through ``unstructured``; it says what each paragraph is (heading
and depth, list item and nesting) and gives running headers and footers. The marks join the two.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from chapterverse.ingest.context import DEFAULT_CONTEXT, ReadContext
from chapterverse.ingest.docx_figures import Figures, starts_with_picture
from chapterverse.ingest.docx_items import (
    MARK,
    Item,
    Paragraph,
    finish_items,
    make_item,
    with_label,
)
from chapterverse.ingest.docx_layout import is_number_only, unwrap_layout_tables
from chapterverse.ingest.docx_notes import Notes, note_texts, read_notes
from chapterverse.ingest.docx_numbering import Numbering
from chapterverse.ingest.docx_package import (
    embedded_files,
    has_core_properties,
    open_document,
    properties,
)
from chapterverse.ingest.docx_parts import row_page_ends, table_draft
from chapterverse.ingest.docx_xml import (
    PAGE_BREAK,
    Style,
    flatten,
    has_math,
    is_bold,
    other_text,
    paragraph_text,
    qn,
    read_styles,
)
from chapterverse.ingest.lines import display_width, one_line
from chapterverse.ingest.media_types import DOCX
from chapterverse.ingest.ooxml import DAMAGE
from chapterverse.ingest.ooxml_repair import read_repaired
from chapterverse.ingest.outline import TITLE, Draft, promote_title, title_text, to_assets
from chapterverse.ingest.unstructured_adapter import Element, partition_docx
from chapterverse.schema.errors import Corrupt, TooLarge
from chapterverse.schema.records import AssetKind, Parsed, ParseWarning, Region

__all__ = ["PARSER", "read_docx"]

PARSER = "docx/3"
_PAGE_CHARS = 5_000
"""More text than this between two hard page breaks means that pages ended in between unseen."""


def read_docx(data: bytes, context: ReadContext = DEFAULT_CONTEXT) -> Parsed:
    """Parse a Word file: document, template, with or without macros (which are not looked at).

    Parts that are damaged are left out, with a warning, as long as the text itself is whole.
    Pages are those of Word's last rendering or, without one, counted from hard page breaks where
    these are dense enough; ``page_accuracy`` is then ``"approximate"``. Otherwise there are none.

    :raises Corrupt: the part with the text is missing or damaged.
    :raises TooLarge: more pages than ``context.max_pages``.
    """
    from docx.opc.exceptions import OpcError
    from lxml import etree

    damage = (OpcError, etree.XMLSyntaxError, AttributeError, *DAMAGE)
    try:
        return read_repaired(data, lambda whole: _read(open_document(whole), context), damage)
    except damage as exc:
        raise Corrupt(
            f"the Word file is damaged ({type(exc).__name__}: {exc}); open it in Word or "
            "LibreOffice and save it again"
        ) from exc


@dataclass(slots=True)
class _Body:
    """Walks through a flattened body and numbers, labels and resolves as it goes."""

    styles: dict[str, Style]
    numbering: Numbering
    notes: Notes
    figures: Figures
    contents: set[Any]
    hard: bool
    paged: bool
    page: int = 1

    def items(self, element: Any) -> list[Paragraph | Item]:
        """What *element* of the body holds, in reading order; pages that end in it are counted."""
        shown = self.page if self.paged else None
        found: list[Paragraph | Item] = []
        if element.tag == qn("w:p"):
            found = self._paragraph(element, shown)
        elif element.tag == qn("w:tbl"):
            table = table_draft(element, shown, self.hard, self._label)
            found = [] if table is None else [Item(table)]
            found += self._figures(element, shown)
            self.page += sum(row_page_ends(element, self.hard))
        last = self.page if self.paged else None
        notes = (Draft(AssetKind.FOOTNOTE, text) for text in note_texts(element, self.notes))
        return [*found, *(Item(_on_page(note, last)) for note in notes)]

    def _paragraph(self, element: Any, shown: int | None) -> list[Paragraph | Item]:
        text = paragraph_text(element, self.hard)
        block = Paragraph(
            element,
            text,
            shown,
            style=self.styles.get(_style_id(element), Style()),
            bold=is_bold(element),
            contents=element in self.contents,
            formula=has_math(element) and is_number_only(other_text(element)),
            label=self.numbering.label(element),
        )
        self.page += text.count(PAGE_BREAK)
        figures = self._figures(element, shown)
        # A picture before the text of its paragraph comes first, as on the page.
        return [*figures, block] if starts_with_picture(element) else [block, *figures]

    def _figures(self, element: Any, page: int | None) -> list[Paragraph | Item]:
        return [
            Item(_on_page(draft, page), chart=draft.kind is AssetKind.TABLE)
            for draft in self.figures.drafts(element)
        ]

    def _label(self, paragraph: Any) -> str:
        return with_label(self.numbering.label(paragraph), "")


def _read(document: Any, context: ReadContext) -> Parsed:
    body = document.element.body
    contents = _in_contents(body)
    flatten(body)
    styles = read_styles(document.styles.element)
    unwrap_layout_tables(body, partial(_is_heading, styles))
    hard = next(body.iter(qn("w:lastRenderedPageBreak")), None) is None
    figures = Figures(document.part, context)
    walk = _Body(
        styles,
        Numbering(_numbering_part(document), document.styles.element),
        read_notes(document),
        figures,
        contents,
        hard,
        _has_page_ends(body, hard),
    )
    blocks = [item for child in body for item in walk.items(child)]
    if walk.page > context.max_pages:
        raise TooLarge(
            f"The Word file has {walk.page} pages; at most {context.max_pages} are allowed. Split "
            "the file or raise the page limit."
        )
    attachments = embedded_files(document, context.keep)
    found = properties(document)
    paragraphs = [block for block in blocks if isinstance(block, Paragraph)]
    elements = partition_docx(_marked_copy(document, paragraphs))
    parsed = _assemble(document, blocks, elements, walk.page if walk.paged else None)
    return replace(
        parsed,
        warnings=parsed.warnings + figures.warnings(),
        properties=found,
        attachments=attachments,
    )


def _numbering_part(document: Any) -> Any | None:
    from docx.oxml import parse_xml

    for relation in document.part.rels.values():
        if relation.reltype.endswith("/numbering") and not relation.is_external:
            return parse_xml(relation.target_part.blob)
    return None


def _is_heading(styles: dict[str, Style], paragraph: Any) -> bool:
    return styles.get(_style_id(paragraph), Style()).outline is not None


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


def _has_page_ends(body: Any, hard: bool) -> bool:
    """Whether page ends are known: noted by Word or, if *hard*, set densely enough to be all."""
    pages = "".join(paragraph_text(p, hard) for p in body.iter(qn("w:p"))).split(PAGE_BREAK)
    return len(pages) > 1 and not (hard and max(map(display_width, pages)) > _PAGE_CHARS)


def _on_page(draft: Draft, page: int | None) -> Draft:
    if page is None:
        return draft
    if draft.regions:
        return draft
    return replace(draft, regions=(Region(0, len(draft.text), page=page),))


def _marked_copy(document: Any, paragraphs: Sequence[Paragraph]) -> bytes:
    """*document* with a mark behind every paragraph and no tables or pictures, as a file.

    Spends the document: it must have been read before.
    """
    body = document.element.body
    for table in list(body.iterchildren(qn("w:tbl"))):
        body.remove(table)
    for tag in ("w:drawing", "w:pict", "w:object", "w:lastRenderedPageBreak"):
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
    document: Any,
    blocks: Sequence[Paragraph | Item],
    elements: Sequence[Element],
    pages: int | None,
) -> Parsed:
    seen = {int(m.group(1)): e for e in elements if (m := MARK.search(e.text.rstrip()))}
    items: list[Item] = []
    number = left_out = 0
    for block in blocks:
        if isinstance(block, Item):
            items.append(block)
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
        warnings=_warnings(left_out),
    )


def _declared_title(document: Any) -> str | None:
    title = one_line(document.core_properties.title or "") if has_core_properties(document) else ""
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


def _warnings(left_out: int) -> tuple[ParseWarning, ...]:
    if not left_out:
        return ()
    message = f"{left_out} lines of the table of contents were left out; its headings are read"
    return (ParseWarning("contents_skipped", message),)
