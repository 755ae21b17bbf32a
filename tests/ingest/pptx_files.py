"""Presentations made on the spot, and short words for what was read of them."""

from __future__ import annotations

import io
from typing import Any

import pptx
from PIL import Image
from pptx.util import Inches

from chapterverse.ingest.pptx import read_pptx
from chapterverse.schema.records import Asset, AssetKind, Parsed

__all__ = [
    "BLANK",
    "CONTENT",
    "TITLE_ONLY",
    "TITLE_SLIDE",
    "A",
    "P",
    "R",
    "box",
    "codes",
    "deck",
    "kinds",
    "only",
    "parse",
    "png",
    "saved",
    "slide",
]

P = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
TITLE_SLIDE, CONTENT, TITLE_ONLY, BLANK = 0, 1, 5, 6


def deck() -> Any:
    presentation = pptx.Presentation()
    presentation.slide_width, presentation.slide_height = Inches(10), Inches(10)
    presentation.core_properties.title = "PowerPoint Presentation"
    return presentation


def slide(presentation: Any, title: str | None, layout: int = TITLE_ONLY) -> Any:
    added = presentation.slides.add_slide(presentation.slide_layouts[layout])
    if title is not None:
        added.shapes.title.text = title
    return added


def box(
    on: Any, text: str, left: float, top: float, width: float = 2.0, height: float = 0.5
) -> Any:
    shape = on.shapes.add_textbox(Inches(left), Inches(top), Inches(width), Inches(height))
    shape.text_frame.text = text
    return shape


def png(width: int = 40, height: int = 20) -> io.BytesIO:
    buffer = io.BytesIO()
    Image.new("RGB", (width, height), "blue").save(buffer, "PNG")
    buffer.seek(0)
    return buffer


def saved(presentation: Any) -> bytes:
    buffer = io.BytesIO()
    presentation.save(buffer)
    return buffer.getvalue()


def parse(presentation: Any) -> Parsed:
    return read_pptx(saved(presentation))


def kinds(parsed: Parsed) -> list[tuple[str, str]]:
    return [(str(asset.kind), asset.text) for asset in parsed.assets]


def only(parsed: Parsed, kind: AssetKind) -> Asset:
    (found,) = [asset for asset in parsed.assets if asset.kind is kind]
    return found


def codes(parsed: Parsed) -> list[str]:
    return [warning.code for warning in parsed.warnings]
