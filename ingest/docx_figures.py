"""Pictures, charts and diagrams of Word paragraphs, with what they show kept."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from chapterverse.ingest.chart_xml import chart_draft
from chapterverse.ingest.context import ReadContext
from chapterverse.ingest.docx_xml import qn
from chapterverse.ingest.lines import one_line
from chapterverse.ingest.office_pictures import clean_alt, kept
from chapterverse.ingest.outline import Draft
from chapterverse.ingest.unshown import ICON, LOST, RUNNING, unshown_warning
from chapterverse.schema.records import AssetKind, Origin, ParseWarning, Picture

__all__ = ["Figures", "starts_with_picture"]

_ICON_EMU = 228_600
"""Pictures without a description below a quarter inch each way are bullets and icons."""

_PICTURES = ("pic:pic", "c:chart", "dgm:relIds")
_RUNNING_PARTS = ("header", "footer", "footnotes", "endnotes", "comments")
# Old versions of Word describe a picture by where its file lay.
_PATH = re.compile(r"^(?:[a-z]:|\\)\\[^\n]*\.\w{3,4}$", re.I)
_FORMULA_EDITOR = "Equation."


@dataclass(slots=True)
class Figures:
    """Reads the figures of one document part and counts what could not be read.

    ``part`` resolves the relations, ``context`` keeps the pictures.
    """

    part: Any
    context: ReadContext
    _unshown: Counter[str] = field(default_factory=Counter)
    _formulas: int = 0
    _charts: int = 0
    _kept: dict[str, Picture | None] = field(default_factory=dict)

    def drafts(self, element: Any) -> Iterator[Draft]:
        """Figures in *element*, and charts as tables; the text is the author's description."""
        for drawing in element.iter(qn("w:drawing")):
            yield from self._drawing(drawing)
        for shape in element.iter(qn("v:shape"), qn("v:rect")):
            image = shape.find(qn("v:imagedata"))
            if image is not None and not self._is_formula(shape):
                picture = self._picture(image.get(qn("r:id")))
                yield _figure(_description(shape, "alt", "title"), picture)

    def warnings(self) -> tuple[ParseWarning, ...]:
        """What was not read."""
        self._unshown[RUNNING] = sum(map(self._pictures_of, self.part.rels.values()))
        found = list(unshown_warning(self._unshown))
        if self._charts:
            message = f"{self._charts} charts hold no values of their own; only their place is kept"
            found.append(ParseWarning("chart_unread", message))
        if self._formulas:
            message = (
                f"{self._formulas} formulas are objects of an equation editor, which hold no text; "
                "convert them to Office mathematics to have them read"
            )
            found.append(ParseWarning("formulas_unread", message))
        return tuple(found)

    def _pictures_of(self, relation: Any) -> int:
        """How many pictures a running head or foot, or a part with notes, shows."""
        from docx.oxml import parse_xml

        kind = relation.reltype.rsplit("/", 1)[-1]
        if kind not in _RUNNING_PARTS or relation.is_external:
            return 0
        root = parse_xml(relation.target_part.blob)
        # The form for old programs shows the same pictures again.
        return sum(
            next(shown.iterancestors(qn("mc:Fallback")), None) is None
            for shown in root.iter(qn("a:blip"), qn("v:imagedata"))
        )

    def _drawing(self, drawing: Any) -> Iterator[Draft]:
        if all(next(drawing.iter(qn(tag)), None) is None for tag in _PICTURES):
            return
        description = _description(next(drawing.iter(qn("wp:docPr")), None), "descr", "title")
        charts = [self._root(e.get(qn("r:id"))) for e in drawing.iter(qn("c:chart"))]
        tables = [table for root in charts if root is not None and (table := chart_draft(root))]
        if tables:
            yield from tables
            return
        self._charts += bool(charts)
        nodes = [line for e in drawing.iter(qn("dgm:relIds")) for line in self._nodes(e)]
        pictures = [self._picture(e.get(qn("r:embed"))) for e in drawing.iter(qn("a:blip"))]
        if len(pictures) > 1:
            named = [_description(e, "descr", "title") for e in drawing.iter(qn("pic:cNvPr"))]
            named += [""] * (len(pictures) - len(named))
            named[0] = description or named[0]
            yield from (_figure(*pair) for pair in zip(named, pictures, strict=False))
        elif description or nodes or not _is_icon(drawing):
            yield _figure(description, pictures[0] if pictures else None, nodes)
        else:
            self._unshown[ICON] += 1

    def _picture(self, key: str | None) -> Picture | None:
        if key is None:
            self._unshown[LOST] += 1
            return None
        if key not in self._kept:
            relation = self.part.rels.get(key)
            inside = relation is not None and not relation.is_external
            known = kept(relation.target_part.blob, self.context) if inside else None
            self._unshown[LOST] += known is None
            self._kept[key] = known
        return self._kept[key]

    def _root(self, key: str | None) -> Any | None:
        from docx.oxml import parse_xml

        relation = self.part.rels.get(key or "")
        if relation is None or relation.is_external:
            return None
        return parse_xml(relation.target_part.blob)

    def _nodes(self, relations: Any) -> list[str]:
        """Texts of a diagram, one a node."""
        root = self._root(relations.get(qn("r:dm")))
        if root is None:
            return []
        points = root.iter(qn("dgm:pt"))
        texts = (one_line("".join(t.text or "" for t in p.iter(qn("a:t")))) for p in points)
        return [text for text in texts if text]

    def _is_formula(self, shape: Any) -> bool:
        ole = next(shape.getparent().iter(qn("o:OLEObject")), None)
        formula = ole is not None and (ole.get("ProgID") or "").startswith(_FORMULA_EDITOR)
        self._formulas += formula
        return formula


def _figure(description: str, picture: Picture | None, nodes: list[str] | None = None) -> Draft:
    text = "\n".join(filter(None, [description, *(nodes or [])]))
    origins = (Origin(0, len(description), "alt"),) if description else ()
    return Draft(AssetKind.FIGURE, text, picture=picture, origins=origins)


def starts_with_picture(paragraph: Any) -> bool:
    """Whether a picture stands before the first text of *paragraph*."""
    for element in paragraph.iter(qn("w:t"), qn("w:drawing"), qn("w:pict"), qn("w:object")):
        if element.tag != qn("w:t"):
            return True
        if (element.text or "").strip():
            return False
    return False


def _description(element: Any, *attributes: str) -> str:
    if element is None:
        return ""
    texts = (clean_alt(_PATH.sub("", element.get(name) or "")) for name in attributes)
    return next(filter(None, texts), "")


def _is_icon(drawing: Any) -> bool:
    extent = next(drawing.iter(qn("wp:extent")), None)
    if extent is None:
        return False
    sides = [extent.get(name, "0") for name in ("cx", "cy")]
    return all(side.isdecimal() and int(side) < _ICON_EMU for side in sides)
