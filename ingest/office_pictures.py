"""Pictures of Office files as figures, and which of their descriptions are worth keeping."""

from __future__ import annotations

import re

from chapterverse.ingest.context import ReadContext
from chapterverse.ingest.lines import one_line
from chapterverse.ingest.outline import Draft
from chapterverse.ingest.picture_files import measure
from chapterverse.schema.records import AssetKind, Origin, Picture

__all__ = ["clean_alt", "figure_draft", "kept"]

_GENERATED = re.compile(
    r"\s*(?:Description automatically generated(?: with \w+ confidence)?"
    r"|(?:AI|KI)-generated content may be incorrect\.?|已自动生成说明|描述已自动生成"
    r"|Automatisch generierte Beschreibung|Description générée automatiquement)\s*$",
    re.I,
)
_FILE_NAME = re.compile(
    r"(?:[a-z]:\\|https?://|/)?\S*\.(?:png|jpe?g|gif|bmp|tiff?|emf|wmf|svg|webp)", re.I
)
_DEFAULT_NAME = re.compile(
    r"(?:picture|image|graphic|grafik|bild|photo|图片|圖片|图像|chart|diagram|shape|object)"
    r"\s*\d*",
    re.I,
)


def clean_alt(text: str) -> str:
    """A description as its author wrote it; file names and the program's own words are none."""
    text = _GENERATED.sub("", one_line(text))
    if _FILE_NAME.fullmatch(text) or _DEFAULT_NAME.fullmatch(text):
        return ""
    return text


def kept(data: bytes, context: ReadContext) -> Picture | None:
    """Keep *data* beside the document; ``None`` when it is no picture or one that is too large."""
    known = measure(data)
    if known is None or known[1] * known[2] > context.max_pixels:
        return None
    return Picture(context.keep(data), *known)


def figure_draft(alt: str, picture: Picture | None) -> Draft:
    """A figure without regions whose text is its description, marked as such."""
    alt = clean_alt(alt)
    origins = (Origin(0, len(alt), "alt"),) if alt else ()
    return Draft(AssetKind.FIGURE, alt, picture=picture, origins=origins)
