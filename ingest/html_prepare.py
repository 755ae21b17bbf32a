"""Habits of web pages brought to the plain elements that the HTML reader knows.

Formulas as text, links of headings to themselves away, footnotes behind the paragraph that refers
to them, terms in front of their definitions, double line breaks as ends of paragraphs.
"""

from __future__ import annotations

import re
from typing import Any

from chapterverse.ingest.counting import format_number

__all__ = ["BREAK", "number_items", "prepare"]

BREAK = "\ue000\ue001"
"""Where a paragraph ends although its element goes on."""

_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_SELF_LINK = re.compile(
    r"[¶#§🔗⚓\s]*|\[(?:edit|编辑|編輯)\]|Link to this (?:heading|section)", re.I
)
_BACK_LINK = re.compile(r"[↩⏎^↑⤴\ufe0e\ufe0f\s]*|(?:Jump|Back) (?:up|to content)", re.I)
_BLOCK_PARENTS = ("p", "li", "dd", "td", "th", "blockquote", "figcaption", *_HEADINGS)
_STYLES = {"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}
_START = re.compile(r"-?\d{1,9}")
_MARK = re.compile("\ue000\\d*\ue001")


def prepare(root: Any) -> None:
    """Change *root* in place; to be called before invisible parts are taken out."""
    _formulas(root)
    for heading in root.iter(*_HEADINGS):
        _drop_self_links(heading)
    _attach_notes(root)
    for terms in root.iter("dl"):
        _join_terms(terms)
    for br in list(root.iter("br")):
        _end_paragraph(br)


def _formulas(root: Any) -> None:
    """One text for each formula: TeX where the page keeps it, else what MathML spells out."""
    for script in root.iter("script"):
        if (script.get("type") or "").startswith("math/tex"):
            script.tag, script.text = "span", f"${(script.text or '').strip()}$"
    for shown in list(root.iter("span")):
        # KaTeX and MathJax draw each formula a second time, from pieces of letters.
        classes = set((shown.get("class") or "").split())
        if classes & {"katex-html", "MathJax_Preview", "MathJax"} and shown.getparent() is not None:
            shown.drop_tree()
    for math in root.iter("math"):
        tex = next(
            (a for a in math.iter("annotation") if "tex" in (a.get("encoding") or "").lower()), None
        )
        for note in list(math.iter("annotation", "annotation-xml")):
            if note is not tex:
                note.drop_tree()
        text = math.get("alttext") or (tex if tex is not None else math).text_content()
        for child in list(math):
            math.remove(child)
        math.text = " ".join(text.split())
        math.tag = "span"


def _drop_self_links(heading: Any) -> None:
    for element in list(heading.iter("a", "span")):
        if element.get("id") or element.get("name") or not (element.text_content() or "").strip():
            continue
        if _SELF_LINK.fullmatch(element.text_content().strip()):
            element.drop_tree()


def _attach_notes(root: Any) -> None:
    """Move each note that a link refers to behind the paragraph of the (first) link."""
    targets = {e.get("id"): e for e in root.iter("li", "aside", "p", "div", "dd") if e.get("id")}
    moved: dict[Any, Any] = {}
    for link in list(root.iter("a")):
        note = targets.pop((link.get("href") or "").removeprefix("#"), None)
        if note is None or not _is_reference(link) or not _is_note(note) or note in moved:
            continue
        if link in note.iterdescendants():
            continue
        anchor = next(
            (parent for parent in link.iterancestors() if parent.tag in _BLOCK_PARENTS), None
        )
        anchor = next((p for p in link.iterancestors("table", "ul", "ol", "dl")), anchor)
        if anchor is None or note in anchor.iterancestors() or anchor in note.iterancestors():
            continue
        moved[note] = anchor
    for note, anchor in reversed(moved.items()):
        _move_note(note, anchor)


def _is_reference(link: Any) -> bool:
    marked = link.get("role") == "doc-noteref" or "noteref" in (link.get("epub:type") or "")
    classes = (link.get("class") or "").lower()
    raised = (
        any(True for _ in link.iterancestors("sup")) or next(link.iter("sup"), None) is not None
    )
    return marked or "footnote" in classes or raised


def _is_note(note: Any) -> bool:
    """Whether an element is marked as a note or stands in a section of notes."""
    for element in (note, *note.iterancestors("section", "div", "ol", "aside")):
        role = f"{element.get('role') or ''} {element.get('epub:type') or ''}"
        if re.search(r"\b(?:doc-)?(?:footnotes?|endnotes?|rearnotes?)\b", role):
            return True
        if re.search(r"\b(?:footnotes?|endnotes?)\b", (element.get("class") or "").lower()):
            return True
    return False


def _move_note(note: Any, anchor: Any) -> None:
    for link in list(note.iter("a")):
        back = (link.get("href") or "").startswith("#")
        if back and _BACK_LINK.fullmatch((link.text_content() or "").strip()):
            link.drop_tree()
    note.tag = "aside"
    note.set("role", "doc-footnote")
    parent = note.getparent()
    tail, note.tail = note.tail, None
    before = note.getprevious()
    if tail and tail.strip() and before is not None:
        before.tail = (before.tail or "") + tail
    parent.remove(note)
    note.tail, anchor.tail = anchor.tail, None
    anchor.addnext(note)
    # A list of notes that are all gone would leave its line behind.
    for empty in (parent, *parent.iterancestors("section", "div", "aside")):
        if empty.getparent() is not None and not empty.text_content().strip() and not len(empty):
            empty.drop_tree()


def _join_terms(terms: Any) -> None:
    """Write each term in front of its first definition: ``Term: what it means``."""
    for element in reversed(list(terms.iter("dt", "dd"))):
        # Unclosed terms are parsed as lying in one another.
        while (parent := element.getparent()).tag in ("dt", "dd"):
            parent.addnext(element)
    pending: list[Any] = []
    for element in [e for e in terms.iter("dt", "dd") if next(e.iterancestors("dl")) is terms]:
        if element.tag == "dt":
            plain = not any(
                child.tag in ("img", "table", "pre", "figure") for child in element.iter()
            )
            pending = [*pending, element] if plain else []
            continue
        holder = element
        while not (holder.text or "").strip() and len(holder) and holder[0].tag in ("p", "div"):
            holder = holder[0]
        inline = (holder.text or "").strip() or (len(holder) and holder[0].tag not in _BLOCKISH)
        if pending and inline:
            names = ", ".join(" ".join(term.text_content().split()) for term in pending)
            colon = "" if names.endswith((":", "：")) else ":"
            holder.text = f"{names}{colon} {(holder.text or '').lstrip()}"
            for term in pending:
                term.getparent().remove(term)
        pending = []


_BLOCKISH = {"p", "div", "ul", "ol", "dl", "table", "pre", "figure", "img", "section", "blockquote"}


def _end_paragraph(br: Any) -> None:
    """A break after another one ends the paragraph."""
    before = br.getprevious()
    if before is None or before.tag != "br" or (before.tail or "").strip():
        return
    if any(True for _ in br.iterancestors("table", "pre", "figure", *_HEADINGS)):
        return
    if not (before.tail or "").startswith(BREAK):
        before.tail = BREAK


def number_items(ordered: Any) -> None:
    """Write the numbers of a list into its items, as a browser shows them."""
    form = _STYLES.get(ordered.get("type") or "", "decimal")
    items = list(ordered.iterchildren("li"))
    backwards = ordered.get("reversed") is not None
    start = ordered.get("start") or ""
    number = int(start) if _START.fullmatch(start) else (len(items) if backwards else 1)
    for item in items:
        own = item.get("value") or ""
        number = int(own) if _START.fullmatch(own) else number
        holder = item
        # A loose list wraps each text in a paragraph; the number belongs inside it.
        while not (holder.text or "").strip() and len(holder) and holder[0].tag in ("p", "div"):
            holder = holder[0]
        if not _MARK.search(holder.text or ""):
            holder.text = f"{format_number(number, form)}. {(holder.text or '').lstrip()}"
        number += -1 if backwards else 1
