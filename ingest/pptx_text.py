"""Paragraphs of text frames: what they say, and which are list items at what depth."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from chapterverse.ingest.ooxml import local_name
from chapterverse.ingest.outline import Draft
from chapterverse.schema.records import AssetKind

__all__ = ["ListStyles", "frame_text", "paragraph_text", "text_drafts"]


class ListStyles:
    """Where a paragraph without a mark of its own takes it from, nearest first.

    The chain of ECMA-376: the text frame, its placeholder on the layout, that on the master, the
    master's style for bodies. Frames that are no placeholder only have their own.
    """

    def __init__(self, styles: list[Any]) -> None:
        self._styles = styles

    @classmethod
    def of(cls, shape: Any) -> ListStyles:
        """The chain for a python-pptx *shape*."""
        styles = [_list_style(shape._element)]
        if not shape.is_placeholder:
            return cls(styles)
        layout = getattr(shape, "_base_placeholder", None)
        master = getattr(layout, "_base_placeholder", None) if layout is not None else None
        styles += [_list_style(base._element) for base in (layout, master) if base is not None]
        kind = shape._element.ph_type if hasattr(shape._element, "ph_type") else None
        if str(kind).split(" ")[0] in ("BODY", "OBJECT", "VERTICAL_BODY", "VERTICAL_OBJECT"):
            slide_master = shape.part.slide_layout.slide_master
            styles += list(slide_master._element.iter("{*}bodyStyle"))[:1]
        return cls(styles)

    def bulleted(self, properties: Any | None, level: int) -> bool:
        """Whether a paragraph with these ``a:pPr`` on this *level* (0 outermost) has a mark."""
        own = [] if properties is None else [properties]
        for style in self._styles:
            if style is not None:
                own += [e for e in style if local_name(e) == f"lvl{level + 1}pPr"]
        for element in own:
            for child in element:
                name = local_name(child)
                if name == "buNone":
                    return False
                if name in ("buChar", "buAutoNum", "buBlip"):
                    return True
        return False


def _list_style(element: Any) -> Any | None:
    return next(element.iter("{*}lstStyle"), None)


def paragraph_text(paragraph: Any) -> str:
    """Text of an ``a:p``: runs, fields, line breaks, and the letters of formulas."""
    return "".join(_pieces(paragraph)).strip()


def _pieces(element: Any) -> Iterator[str]:
    for child in element:
        name = local_name(child)
        if name == "t":
            yield child.text or ""
        elif name == "br":
            yield "\n"
        elif name == "AlternateContent":
            # A formula and its picture: one of the two.
            yield from _pieces(next(iter(child), child))
        elif name not in ("pPr", "rPr", "endParaRPr"):
            yield from _pieces(child)


def frame_text(body: Any) -> str:
    """All text of a text body, paragraphs joined by a space."""
    return " ".join(filter(None, (paragraph_text(p).replace("\n", " ") for p in _paragraphs(body))))


def _paragraphs(body: Any) -> Iterator[Any]:
    return (child for child in body if local_name(child) == "p")


def text_drafts(body: Any, styles: ListStyles) -> Iterator[Draft]:
    """The paragraphs of a text body: list items where they carry a mark, else paragraphs.

    The nesting counts from the outermost item of the frame.
    """
    found: list[tuple[str, int | None]] = []
    for paragraph in _paragraphs(body):
        text = paragraph_text(paragraph)
        if not text:
            continue
        properties = next((e for e in paragraph if local_name(e) == "pPr"), None)
        level = "0" if properties is None else properties.get("lvl", "0")
        depth = int(level) if level.isdecimal() else 0
        found.append((text, depth if styles.bulleted(properties, depth) else None))
    least = min((depth for _, depth in found if depth is not None), default=0)
    for text, item in found:
        if item is None:
            yield Draft(AssetKind.PARAGRAPH, text)
        else:
            yield Draft(AssetKind.LIST_ITEM, text, level=item - least)
