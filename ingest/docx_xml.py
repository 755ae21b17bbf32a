"""WordprocessingML: bring the body to a plain form, and read paragraphs and styles from it.

Content controls, tracked insertions and alternative renderings wrap text in ways that most
readers skip. :func:`flatten` unwraps them all, so that what follows meets only paragraphs and
tables. Element and attribute names are those of ECMA-376 part 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from chapterverse.ingest.docx_math import linear_math
from chapterverse.ingest.docx_symbols import UNKNOWN, has_symbols, symbol

__all__ = [
    "PAGE_BREAK",
    "Style",
    "flatten",
    "has_math",
    "is_bold",
    "other_text",
    "paragraph_text",
    "qn",
    "read_styles",
]

_NS = {
    "w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    "m": "http://schemas.openxmlformats.org/officeDocument/2006/math",
    "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
    "v": "urn:schemas-microsoft-com:vml",
    "wp": "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing",
    "pic": "http://schemas.openxmlformats.org/drawingml/2006/picture",
    "c": "http://schemas.openxmlformats.org/drawingml/2006/chart",
    "dgm": "http://schemas.openxmlformats.org/drawingml/2006/diagram",
    "a": "http://schemas.openxmlformats.org/drawingml/2006/main",
    "o": "urn:schemas-microsoft-com:office:office",
    "r": "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
}
PAGE_BREAK = "\ue002"
"""Stands in a paragraph's text where a page ended (private use, so that no strip takes it)."""

_HEADING_STYLE = re.compile(r"^(?:heading|标题|標題|überschrift|titre|título|titolo)\s*(\d)$")
_TOC_STYLE = re.compile(r"^(?:(?:toc|目录|目錄)\s*\d*|table of figures|图表目录)$")
_MATH = "formula"
_OFF = ("0", "false", "off")


def qn(name: str) -> str:
    """The qualified tag of a prefixed *name* (``"w:p"``) as lxml writes it."""
    prefix, local = name.split(":")
    return f"{{{_NS[prefix]}}}{local}"


@dataclass(frozen=True, slots=True)
class Style:
    """What a paragraph style says about structure.

    ``outline`` is the heading level (0 the document title, 1 the top section), ``None`` for
    body text.
    """

    name: str = "normal"
    outline: int | None = None
    caption: bool = False
    code: bool = False
    toc: bool = False


def read_styles(root: Any) -> dict[str, Style]:
    """Paragraph styles by id; a style without an outline level takes that of its base."""
    elements = {s.get(qn("w:styleId")): s for s in root.iterfind(qn("w:style"))}
    return {str(key): _style(key, elements) for key in elements}


def _style(key: str, elements: dict[str, Any]) -> Style:
    own_name = _style_name(elements[key])
    names: list[str] = []
    outline: int | None = None
    current: str | None = key
    while current in elements and len(names) < 20:
        element = elements[current]
        name = _style_name(element)
        names.append(name)
        if outline is None:
            outline = _outline(element, name)
        base = element.find(qn("w:basedOn"))
        current = None if base is None else base.get(qn("w:val"))
    return Style(
        name=own_name,
        outline=outline if outline is not None and outline <= 9 else None,
        caption=any(name in ("caption", "题注", "題注", "legend") for name in names),
        code=any(re.search(r"\bcode\b|preformatted|listing|代码", name) for name in names),
        toc=bool(_TOC_STYLE.match(own_name)),
    )


def _style_name(element: Any) -> str:
    name = element.find(qn("w:name"))
    return str(name.get(qn("w:val")) if name is not None else "").strip().lower()


def _outline(element: Any, name: str) -> int | None:
    heading = _HEADING_STYLE.match(name)
    if heading:
        return int(heading.group(1))
    if name in ("title", "书名"):
        return 0
    level = element.find(f"{qn('w:pPr')}/{qn('w:outlineLvl')}")
    # Level 9 is Word's "body text": it ends the search without making a heading.
    return None if level is None else int(level.get(qn("w:val"), 9)) + 1


def flatten(body: Any) -> None:
    """Reduce *body* in place to paragraphs and tables of plain runs.

    Dropped: deleted and hidden text, placeholders of empty content controls, duplicate legacy
    renderings. Text boxes become paragraphs behind the one that anchors them; formulas and signs
    of symbol fonts become text.
    """
    for fallback in list(body.iter(qn("mc:Fallback"))):
        if fallback.getparent().find(qn("mc:Choice")) is not None:
            _drop(fallback)
    _drop_deleted(body)
    for control in list(body.iter(qn("w:sdt"))):
        _unwrap_control(control)
    for field in list(body.iter(qn("w:fldSimple"))):
        _keep_instruction(field)
    wrappers = (
        "w:ins", "w:moveTo", "w:smartTag", "w:customXml", "w:fldSimple", "w:dir", "w:bdo",
        "mc:AlternateContent", "mc:Choice", "mc:Fallback",
    )  # fmt: skip
    for tag in wrappers:
        for element in list(body.iter(qn(tag))):
            _unwrap(element)
    _rewrite_runs(body)
    for box in list(body.iter(qn("w:txbxContent"))):
        _move_out(box)


def _drop_deleted(body: Any) -> None:
    """Take away what tracked changes deleted: text, rows, cells, ends of paragraphs."""
    for mark in list(body.iter(qn("w:del"), qn("w:cellDel"), qn("w:moveFrom"))):
        holder = mark.getparent()
        owner = None if holder is None else holder.getparent()
        if holder is None or owner is None:
            continue
        if holder.tag in (qn("w:trPr"), qn("w:tcPr")):
            _drop(owner)
        elif holder.tag == qn("w:rPr") and owner.tag == qn("w:pPr"):
            _join_next(owner.getparent())
        _drop(mark)


def _join_next(paragraph: Any) -> None:
    """Go on with the text of the paragraph behind this one, whose own end was deleted."""
    following = None if paragraph is None else paragraph.getnext()
    if following is None or following.tag != qn("w:p"):
        return
    position = 1 if len(following) and following[0].tag == qn("w:pPr") else 0
    for child in reversed([c for c in paragraph if c.tag != qn("w:pPr")]):
        following.insert(position, child)
    _drop(paragraph)


def _drop(element: Any) -> None:
    parent = element.getparent()
    if parent is not None:
        parent.remove(element)


def _unwrap(element: Any) -> None:
    parent = element.getparent()
    if parent is None:
        return
    index = parent.index(element)
    for child in reversed(list(element)):
        parent.insert(index, child)
    parent.remove(element)


def _unwrap_control(control: Any) -> None:
    content = control.find(qn("w:sdtContent"))
    if content is None:
        _drop(control)
        return
    if control.find(f"{qn('w:sdtPr')}/{qn('w:showingPlcHdr')}") is not None:
        for text in list(content.iter(qn("w:t"))):
            text.text = ""
    for child in list(control):
        if child is not content:
            control.remove(child)
    _unwrap(content)
    _unwrap(control)


def _keep_instruction(field: Any) -> None:
    """Keep what kind of field it was (``SEQ Table``), in the long form that Word also uses."""
    run = field.makeelement(qn("w:r"))
    instruction = run.makeelement(qn("w:instrText"))
    instruction.text = field.get(qn("w:instr")) or ""
    run.append(instruction)
    field.insert(0, run)


def _rewrite_runs(body: Any) -> None:
    """Formulas, ruby and symbols as plain runs; hidden runs away."""
    for element in list(body.iter(qn("m:oMath"))):
        run = element.makeelement(qn("w:r"), {_MATH: "1"})
        run.append(_text_element(element, linear_math(element)))
        element.addprevious(run)
        _drop(element)
    for element in list(body.iter(qn("w:ruby"))):
        base = element.find(qn("w:rubyBase"))
        text = "" if base is None else "".join(t.text or "" for t in base.iter(qn("w:t")))
        element.addprevious(_text_element(element, text))
        _drop(element)
    for wrapper in list(body.iter(qn("m:oMathPara"))):
        _unwrap(wrapper)
    for element in list(body.iter(qn("w:sym"))):
        code = element.get(qn("w:char"), "")
        sign = chr(int(code, 16)) if re.fullmatch(r"[0-9A-Fa-f]{1,4}", code) else UNKNOWN
        if sign < "\u0100":
            sign = chr(ord(sign) + 0xF000)  # some producers leave the offset of the font out
        text = symbol(sign, element.get(qn("w:font"), "symbol"))
        element.addprevious(_text_element(element, text))
        _drop(element)
    for text in body.iter(qn("w:t")):
        if text.text and has_symbols(text.text):
            fonts = text.getparent().find(f"{qn('w:rPr')}/{qn('w:rFonts')}")
            text.text = symbol(text.text, "symbol" if fonts is None else _font(fonts))
    for vanish in list(body.iter(qn("w:vanish"))):
        run = vanish.getparent().getparent()
        if run is not None and run.tag == qn("w:r") and vanish.get(qn("w:val")) not in _OFF:
            _drop(run)


def has_math(element: Any) -> bool:
    """Whether flattened *element* holds a formula."""
    return any(run.get(_MATH) for run in element.iter(qn("w:r")))


def other_text(element: Any) -> str:
    """The text of flattened *element* outside of formulas."""
    texts = (t for t in element.iter(qn("w:t")) if not t.getparent().get(_MATH))
    return "".join(t.text or "" for t in texts).strip()


def _text_element(near: Any, text: str) -> Any:
    element = near.makeelement(qn("w:t"))
    element.text = text
    return element


def _font(fonts: Any) -> str:
    names = (fonts.get(qn(f"w:{kind}")) for kind in ("ascii", "hAnsi", "cs", "eastAsia"))
    return next(filter(None, names), "symbol")


def _move_out(box: Any) -> None:
    anchor = next(box.iterancestors(qn("w:p")), None)
    if anchor is None:
        return
    for child in reversed(list(box)):
        if child.tag in (qn("w:p"), qn("w:tbl")):
            anchor.addnext(child)
    _drop(box)


def paragraph_text(paragraph: Any, hard_breaks: bool = False) -> str:
    """The text of a flattened *paragraph*, with ``PAGE_BREAK`` where a page ended.

    Ends are those that Word noted when it last rendered the file or, with *hard_breaks*, the
    ones that the author set. Line breaks are ``\\n``, tabs are kept.
    """
    return "".join(_pieces(paragraph, hard_breaks))


def _pieces(paragraph: Any, hard_breaks: bool) -> Iterator[str]:
    if hard_breaks and paragraph.find(f"{qn('w:pPr')}/{qn('w:pageBreakBefore')}") is not None:
        yield PAGE_BREAK
    for element in paragraph.iter():
        if element.tag == qn("w:t"):
            yield element.text or ""
        elif element.tag in _TABS and element.getparent().tag == qn("w:r"):
            yield "\t"
        elif element.tag == qn("w:noBreakHyphen"):
            yield "-"
        elif element.tag == qn("w:cr"):
            yield "\n"
        elif element.tag == qn("w:br"):
            kind = element.get(qn("w:type"))
            if kind is None or kind == "textWrapping":
                yield "\n"
            elif kind == "page" and hard_breaks:
                yield PAGE_BREAK
        elif element.tag == qn("w:lastRenderedPageBreak") and not hard_breaks:
            yield PAGE_BREAK


_TABS = (qn("w:tab"), qn("w:ptab"))


def is_bold(paragraph: Any) -> bool:
    """Whether every run of *paragraph* that shows text is set bold directly."""
    found = False
    for run in paragraph.iter(qn("w:r")):
        if not "".join(t.text or "" for t in run.iter(qn("w:t"))).strip():
            continue
        bold = run.find(f"{qn('w:rPr')}/{qn('w:b')}")
        if bold is None or bold.get(qn("w:val")) in _OFF:
            return False
        found = True
    return found
