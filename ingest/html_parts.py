"""Tables, figures, code and visible text out of parsed HTML (lxml elements)."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import unquote_to_bytes

from chapterverse.ingest.context import ReadContext
from chapterverse.ingest.lines import one_line
from chapterverse.ingest.outline import Draft
from chapterverse.ingest.pictures import keep_picture
from chapterverse.ingest.tables import (
    Cell,
    build_table,
    guess_header_rows,
    guess_row_headers,
    has_text,
    merges_of,
    place_cells,
)
from chapterverse.schema.records import AssetKind, Origin, Picture

__all__ = [
    "FindPicture",
    "code_draft",
    "figure_draft",
    "fragment_drafts",
    "images_from_svg",
    "is_hidden",
    "is_layout_table",
    "is_note",
    "no_picture",
    "note_draft",
    "parse_html",
    "picture_inside",
    "prune",
    "table_draft",
    "visible_text",
]

FindPicture = Callable[[str], Picture | None]
"""From the ``src`` of an image to the stored picture; ``None`` when there is none to show."""

_INVISIBLE = (
    "script", "style", "template", "noscript", "head", "iframe", "object", "embed", "canvas",
    "audio", "video", "select", "textarea", "datalist", "svg", "link", "meta", "input", "button",
)  # fmt: skip
_BLOCKS = {
    "address", "article", "aside", "blockquote", "body", "br", "center", "dd", "details", "div",
    "dl", "dt", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6",
    "header", "hr", "li", "main", "nav", "ol", "p", "pre", "section", "summary", "table", "tbody",
    "td", "tfoot", "th", "thead", "tr", "ul",
}  # fmt: skip
_HIDDEN_STYLE = re.compile(r"(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.I)
_XML_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_DATA = re.compile(r"\s*data:image/[\w.+-]+(?:;[\w=.-]+)*?(;base64)?,", re.I)
_UNSAFE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ue000-\ue002\ufffe\uffff]")


def parse_html(text: str) -> Any:
    """The root element of an HTML page; broken markup is repaired, nothing is fetched.

    Control characters (form feeds above all), written as such or as ``&#12;``, become spaces or
    vanish: lxml reads them, but refuses to write them back. So do U+E000 to U+E002, which the
    reader marks places with.
    """
    from lxml import etree, html

    parser = html.HTMLParser(remove_comments=True, remove_pis=True, no_network=True, huge_tree=True)
    try:
        root = html.document_fromstring(_XML_DECLARATION.sub("", text), parser=parser)
    except etree.ParserError:  # no element at all
        return html.document_fromstring("<p>", parser=parser)
    for element in root.iter():
        for attribute in ("text", "tail"):
            value = getattr(element, attribute)
            if value and _UNSAFE.search(value):
                setattr(element, attribute, _UNSAFE.sub(_blank, value))
    return root


def _blank(control: re.Match[str]) -> str:
    return " " if control[0].isspace() else ""


def prune(root: Any) -> None:
    """Take out of *root* what a browser does not show; text behind the removed stays."""
    for element in list(root.iter()):
        if not isinstance(element.tag, str):
            continue
        dropped = element.tag in _INVISIBLE or is_hidden(element) or _has_role(element, "pagebreak")
        if dropped and element.getparent() is not None:
            element.drop_tree()


def is_hidden(element: Any) -> bool:
    """Whether *element* itself says that it is not shown."""
    style = element.get("style") or ""
    return element.get("hidden") is not None or bool(_HIDDEN_STYLE.search(style))


def picture_inside(source: str, context: ReadContext) -> Picture | None:
    """The picture that a ``data:`` address holds, kept; ``None`` for any other address."""
    match = _DATA.match(source)
    if match is None:
        return None
    payload = unquote_to_bytes(source[match.end() :])
    if match[1]:
        try:
            payload = base64.b64decode(payload)
        except ValueError:
            return None
    return keep_picture(payload, context)


def no_picture(source: str) -> Picture | None:
    """The :data:`FindPicture` of a page that lies alone: nothing is fetched."""
    return None


def images_from_svg(root: Any) -> None:
    """Exchange each ``svg`` that only frames an image file for an ``img`` (covers of books)."""
    for svg in list(root.iter("svg")):
        framed = next(svg.iter("image"), None)
        source = framed is not None and (framed.get("xlink:href") or framed.get("href"))
        if not source:
            continue
        title = next(svg.iter("title"), None)
        named = title.text_content() if title is not None else svg.get("aria-label") or ""
        image = svg.makeelement("img", {"src": source, "alt": one_line(named)})
        svg.addprevious(image)
        svg.drop_tree()


def note_draft(aside: Any) -> Draft | None:
    """A footnote of a book; ``None`` when it has no text."""
    text = visible_text(aside)
    return Draft(AssetKind.FOOTNOTE, text) if text else None


def is_note(aside: Any) -> bool:
    """Whether *aside* is a footnote or endnote."""
    return any(_has_role(aside, role) for role in ("footnote", "endnote", "rearnote"))


def _has_role(element: Any, role: str) -> bool:
    """Whether *element* is marked as *role* in the way of books (``epub:type`` or ``doc-``)."""
    return role in (element.get("epub:type") or "").split() or element.get("role") == f"doc-{role}"


def visible_text(element: Any) -> str:
    """Text of *element* on one line; blocks and cells are set apart by a space."""
    return one_line("".join(_pieces(element)))


def _pieces(element: Any) -> Iterator[str]:
    if element.tag == "img":
        yield f" {element.get('alt') or ''} "
    yield element.text or ""
    for child in element:
        if isinstance(child.tag, str):
            space = " " if child.tag in _BLOCKS else ""
            yield space
            yield from _pieces(child)
            yield space
        yield child.tail or ""


def table_draft(table: Any, caption: str | None = None) -> Draft | None:
    """A table with spans laid out and header rows found; ``None`` when all cells are empty.

    Header rows are those of ``thead``, else leading rows of ``th`` only, else a guess; leading
    columns of ``th`` below them name the rows. A table inside a cell becomes that cell's text.
    """
    rows = list(_rows(table))
    cells = [[_cell(td) for td in row if td.tag in ("td", "th")] for row in rows]
    marked = _marked_header(rows)
    grid = place_cells(cells, max(marked, 1))
    if not has_text(grid):
        return None
    own = table.find("caption")
    if own is not None:
        caption = visible_text(own) or caption
    header = marked or guess_header_rows(grid)
    if not marked and _row_names(rows):
        header = 0  # the first row has a name like all others
    names = _row_names(rows[header:]) or guess_row_headers(grid, header)
    text, record = build_table(grid, header, caption, row_headers=names, merges=merges_of(cells))
    return Draft(AssetKind.TABLE, text, caption=caption, table=record)


def _rows(table: Any) -> Iterator[Any]:
    """Rows of *table* itself; a footer stands last wherever it is written."""
    footers: list[Any] = []
    for child in table:
        if child.tag == "tr":
            yield child
        elif child.tag in ("thead", "tbody"):
            yield from child.iterchildren("tr")
        elif child.tag == "tfoot":
            footers.extend(child.iterchildren("tr"))
    yield from footers


def _cell(td: Any) -> Cell:
    return Cell(visible_text(td), _span(td.get("colspan"), 1000), _span(td.get("rowspan"), 65_534))


def _span(value: str | None, most: int) -> int:
    # The bounds are those of the HTML standard; 0 means "to the end" for rows.
    match = re.match(r"\s*(\d{1,9})", value or "")
    if match is None:
        return 1
    number = int(match[1])
    return most if number == 0 else min(number, most)


def _marked_header(rows: list[Any]) -> int:
    in_head: int = sum(row.getparent().tag == "thead" for row in rows)
    if in_head:
        return in_head
    count = 0
    for row in rows[:-1]:
        tags = [cell.tag for cell in row if cell.tag in ("td", "th")]
        if not tags or any(tag != "th" for tag in tags):
            break
        count += 1
    return count


def _row_names(rows: list[Any]) -> int:
    """How many leading cells of every row are ``th``, with ``td`` behind them."""
    counts = []
    for row in rows:
        tags = [cell.tag for cell in row if cell.tag in ("td", "th")]
        if tags and "td" in tags:
            counts.append(tags.index("td"))
    return min(counts, default=0)


def is_layout_table(table: Any) -> bool:
    """Whether *table* only arranges a page: it holds headings, or other tables and no header."""
    if table.get("role") in ("presentation", "none"):
        return True
    if table.find("caption") is not None:
        return False
    own_header = any(cell.tag == "th" for row in _rows(table) for cell in row)
    headings = any(True for _ in table.iter("h1", "h2", "h3", "h4"))
    nested = next(table.iterdescendants("table"), None) is not None
    single = sum(1 for row in _rows(table) for _ in row) == 1
    return not own_header and (headings or nested or single)


def figure_draft(figure: Any, find_picture: FindPicture = no_picture) -> Draft | None:
    """A ``figure`` or ``img`` with caption, alternative text and picture; ``None`` without any.

    A figure around a table or a code block is that table or code.
    """
    caption_element = next(figure.iter("figcaption"), None)
    caption = visible_text(caption_element) or None if caption_element is not None else None
    table = next(figure.iter("table"), None)
    if table is not None:
        return table_draft(table, caption)
    if caption_element is not None:
        caption_element.drop_tree()
    code = next(figure.iter("pre"), None)
    if code is not None:
        return code_draft(code, caption)
    inside = visible_text(figure)
    text = "\n".join(part for part in (caption, inside) if part)
    sources = [image.get("src") or "" for image in figure.iter("img")]
    picture = next(filter(None, map(find_picture, sources)), None)
    if not text and picture is None:
        return None
    origins = _alt_origins(figure, text, len(text) - len(inside))
    return Draft(AssetKind.FIGURE, text, caption=caption, picture=picture, origins=origins)


def _alt_origins(figure: Any, text: str, start: int) -> tuple[Origin, ...]:
    """Where the alternative texts of the images stand in *text*, searched from *start*."""
    origins = []
    for image in figure.iter("img"):
        alt = one_line(image.get("alt") or "")
        at = text.find(alt, start) if alt else -1
        if at >= 0:
            start = at + len(alt)
            origins.append(Origin(at, start, "alt"))
    return tuple(origins)


def code_draft(pre: Any, caption: str | None = None) -> Draft | None:
    """A ``pre`` block verbatim, without blank lines around it."""
    for br in pre.iter("br"):
        br.text = "\n"
    lines = pre.text_content().rstrip().split("\n")
    while lines and not lines[0].strip():
        lines.pop(0)
    code = "\n".join(lines)
    text = f"{caption}\n{code}" if caption else code
    return Draft(AssetKind.CODE, text, caption=caption) if code.strip() else None


def fragment_drafts(text: str) -> list[Draft]:
    """Drafts of an HTML fragment inside another format: tables, figures, code, items, text."""
    root = parse_html(text)
    prune(root)
    drafts: list[Draft] = []
    _collect(root, drafts, -1)
    return [draft for draft in drafts if draft.text.strip()]


def _collect(element: Any, drafts: list[Draft], depth: int) -> None:
    part = _part(element)
    if part is not None:
        drafts.extend(draft for draft in [part[0]] if draft is not None)
        return
    if element.tag in ("ul", "ol"):
        depth += 1
    pending = element.text or ""
    for child in element:
        if child.tag in _BLOCKS or child.tag == "img":
            _flush(pending, element.tag, drafts, depth)
            _collect(child, drafts, depth)
            pending = child.tail or ""
        else:
            pending += _inline(child) + (child.tail or "")
    _flush(pending, element.tag, drafts, depth)


def _inline(element: Any) -> str:
    """Text of an inline element with one space kept at each end where the source has any."""
    raw = element.text_content()
    before = " " if raw[:1].isspace() else ""
    after = " " if raw[-1:].isspace() else ""
    return before + visible_text(element) + after


def _part(element: Any) -> tuple[Draft | None] | None:
    if element.tag == "table" and not is_layout_table(element):
        return (table_draft(element),)
    if element.tag in ("figure", "img"):
        return (figure_draft(element),)
    if element.tag == "pre":
        return (code_draft(element),)
    return None


def _flush(text: str, tag: str, drafts: list[Draft], depth: int) -> None:
    text = one_line(text)
    if not text:
        return
    if tag in ("h1", "h2", "h3", "h4", "h5", "h6"):
        drafts.append(Draft(AssetKind.HEADING, text, level=int(tag[1])))
    elif tag == "li":
        drafts.append(Draft(AssetKind.LIST_ITEM, text, level=max(depth, 0)))
    else:
        drafts.append(Draft(AssetKind.PARAGRAPH, text))
