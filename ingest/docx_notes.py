"""Footnotes, endnotes and reviewers' comments of Word files, by the place that refers to them."""

from __future__ import annotations

from typing import Any

from chapterverse.ingest.docx_xml import PAGE_BREAK, flatten, paragraph_text, qn
from chapterverse.ingest.lines import one_line

__all__ = ["Notes", "note_texts", "read_notes"]

Notes = dict[tuple[str, str], str]
"""Texts by part (``"footnotes"``, ``"endnotes"``, ``"comments"``) and id."""

_REFERENCES = {
    "w:footnoteReference": "footnotes",
    "w:endnoteReference": "endnotes",
    "w:commentReference": "comments",
}


def read_notes(document: Any) -> Notes:
    """Texts of all notes of *document*; a comment begins with who wrote it."""
    from docx.oxml import parse_xml

    notes: Notes = {}
    for relation in document.part.rels.values():
        kind = relation.reltype.rsplit("/", 1)[-1]
        if kind in _REFERENCES.values() and not relation.is_external:
            root = parse_xml(relation.target_part.blob)
            flatten(root)
            notes.update({(kind, key): text for key, text in _texts(root).items()})
    return notes


def note_texts(element: Any, notes: Notes) -> list[str]:
    """Texts of the notes that *element* refers to, in order."""
    kinds = {qn(tag): kind for tag, kind in _REFERENCES.items()}
    places = [(kinds[e.tag], e.get(qn("w:id")) or "") for e in element.iter(*kinds)]
    return [notes[place] for place in dict.fromkeys(places) if place in notes]


def _texts(root: Any) -> dict[str, str]:
    texts: dict[str, str] = {}
    for note in root:
        # The other types are the lines that part notes from the page.
        if note.get(qn("w:type")) not in (None, "normal"):
            continue
        lines = (paragraph_text(p).replace(PAGE_BREAK, "") for p in note.iter(qn("w:p")))
        text = " ".join(filter(None, map(one_line, lines)))
        if note.tag == qn("w:comment") and text:
            author = one_line(note.get(qn("w:author")) or "")
            text = f"Comment ({author}): {text}" if author else f"Comment: {text}"
        if text:
            texts[note.get(qn("w:id")) or ""] = text
    return texts
