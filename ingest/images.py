"""Pictures (PNG, JPEG, TIFF, WebP): each frame a page with its recognised text and the picture."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from chapterverse.ingest.context import DEFAULT_CONTEXT, ReadContext
from chapterverse.ingest.furniture import find_furniture
from chapterverse.ingest.image_frames import Frame, ImageFile
from chapterverse.ingest.media_types import JPEG, PNG, TIFF, WEBP
from chapterverse.ingest.ocr_assets import mark_recognised
from chapterverse.ingest.ocr_budget import Recogniser, parser_suffix, why_off
from chapterverse.ingest.ocr_layout import LaidPage, lay_out
from chapterverse.ingest.ocr_lines import ReadPicture
from chapterverse.ingest.pdf_assets import make_assets, merge_breaks, merge_tables
from chapterverse.ingest.pdf_headings import mark_headings
from chapterverse.ingest.pdf_page import page_pieces
from chapterverse.ingest.pdf_text import vocabulary
from chapterverse.schema.errors import Empty
from chapterverse.schema.records import (
    Asset,
    AssetKind,
    Box,
    Origin,
    PageRead,
    Parsed,
    ParseWarning,
    Picture,
    Region,
)

if TYPE_CHECKING:
    from PIL.Image import Image

    from chapterverse.ingest.ocr import Pixels

__all__ = ["PARSER", "read_image", "to_pixels"]

PARSER = "image/1"
_MOST_SIDE = 3400
"""Longer side in pixels to which pictures are reduced before recognition: A4 at 290 dpi."""

_PAGE_INCHES = 11.7
"""Longer side of a page where the file does not tell its dots an inch."""

_MEDIA_TYPES = {"PNG": PNG, "JPEG": JPEG, "MPO": JPEG, "TIFF": TIFF, "WEBP": WEBP}


def read_image(data: bytes, context: ReadContext = DEFAULT_CONTEXT) -> Parsed:
    """Read a picture: recognised text in reading order, then a figure, for each frame.

    The frames of a TIFF file are its pages; of an animated picture the first is read (warning
    ``frames_left_out``). The file's own description is the figure's alternative text.

    :raises Empty: recognition is off, and the file does not describe what it shows.
    :raises Corrupt: the bytes are no whole picture.
    :raises TooLarge: more than ``max_pixels`` in a frame, or more than ``max_pages`` frames.
    """
    file = ImageFile(data, context)
    media_type = _MEDIA_TYPES.get(file.format, PNG)
    told = file.description()
    problem = why_off(context)
    if problem and not told:
        raise Empty(f"{context.name}: is a picture, and {problem}")
    recogniser = Recogniser(context)
    pictures: dict[int, ReadPicture] = {}
    shown: list[Picture] = []
    dpi: dict[int, float] = {}
    for number, frame in enumerate(file.frames(), 1):
        shown.append(_kept(frame.image, data, media_type, context))
        if not problem and recogniser.left:
            pictures[number] = recogniser.read(to_pixels(_reduced(frame.image)))
            dpi[number] = _resolution(frame, pictures[number])
    laid = lay_out({n: p for n, p in pictures.items() if p.lines}, dpi)
    assets = mark_recognised(_text_assets(laid), pictures)
    return Parsed(
        media_type,
        PARSER + parser_suffix(used=bool(pictures), missed=bool(problem)),
        _with_figures(assets, shown, told),
        title=_title(assets),
        page_count=len(shown),
        page_accuracy="exact",
        warnings=(
            *_warnings(file.left_out, len(shown), len(pictures), problem),
            *(() if told else _wordless(pictures)),
        ),
        page_reads=tuple(_page_read(n, pictures.get(n)) for n in range(1, len(shown) + 1)),
        properties={"description": told} if told else {},
    )


def to_pixels(image: Image) -> Pixels:
    """Height x width x 3 bytes in the order blue, green, red."""
    import numpy as np

    return np.ascontiguousarray(np.asarray(image.convert("RGB"))[:, :, ::-1])


def _reduced(image: Image) -> Image:
    scale = _MOST_SIDE / max(image.size)
    if scale >= 1:
        return image
    width, height = image.size
    return image.resize((max(1, round(width * scale)), max(1, round(height * scale))))


def _resolution(frame: Frame, picture: ReadPicture) -> float:
    """Dots an inch of the reduced picture."""
    longer = max(picture.width, picture.height)
    if frame.dpi is None:
        return longer / _PAGE_INCHES
    return frame.dpi * longer / max(frame.image.size)


def _kept(image: Image, data: bytes, media_type: str, context: ReadContext) -> Picture:
    width, height = image.size
    if media_type == TIFF:
        # Browsers do not show TIFF files.
        buffer = io.BytesIO()
        image.save(buffer, "PNG")
        return Picture(context.keep(buffer.getvalue()), PNG, width, height)
    return Picture(context.keep(data), media_type, width, height)


def _text_assets(laid: Mapping[int, LaidPage]) -> tuple[Asset, ...]:
    """Recognised pages through the rules that PDF pages go through."""
    texts = [page.text for page in laid.values()]
    furniture = find_furniture(
        {t.number: t.rows for t in texts}, {t.number: t.height for t in texts}
    )
    pieces = [
        piece
        for number, page in laid.items()
        for piece in page_pieces(page.text, page.layout, furniture[number])
    ]
    marked = merge_tables(merge_breaks(mark_headings(pieces, ())))
    frames = {text.number: (text.width, text.height, None) for text in texts}
    return make_assets(marked, frames, vocabulary(w for text in texts for w in text.words))


def _with_figures(
    assets: Sequence[Asset], shown: Sequence[Picture], told: str
) -> tuple[Asset, ...]:
    """The assets with the picture of each page after the text of that page."""
    out: list[Asset] = []
    rest = list(assets)
    path: tuple[str, ...] = ()
    for number, picture in enumerate(shown, 1):
        while rest and (rest[0].regions[0].page or 0) <= number:
            asset = rest.pop(0)
            heading = asset.kind is AssetKind.HEADING and asset.level
            path = (*asset.heading_path, asset.text) if heading else asset.heading_path
            out.append(asset)
        text = told if number == 1 else ""
        origins = (Origin(0, len(text), "alt"),) if text else ()
        whole = (Region(0, len(text), number, None, Box(0.0, 0.0, 1.0, 1.0)),)
        figure = Asset(0, AssetKind.FIGURE, text, whole, heading_path=path)
        out.append(replace(figure, picture=picture, origins=origins))
    return tuple(replace(asset, ordinal=index) for index, asset in enumerate([*out, *rest]))


def _title(assets: Sequence[Asset]) -> str | None:
    return next((a.text for a in assets if a.kind is AssetKind.HEADING and a.level == 0), None)


def _page_read(number: int, picture: ReadPicture | None) -> PageRead:
    if picture is None:
        return PageRead(number, "none", "picture")
    score = None if picture.score is None else round(picture.score, 4)
    return PageRead(number, "ocr", "picture" if picture.lines else "picture without text", score)


def _wordless(pictures: Mapping[int, ReadPicture]) -> Iterator[ParseWarning]:
    for number, picture in pictures.items():
        if not picture.lines:
            message = (
                "No text was recognised in the picture: it is kept, but no search finds it."
                " Give it a description, or set a describer."
            )
            yield ParseWarning("no_text", message, number)


def _warnings(left_out: int, pages: int, read: int, problem: str | None) -> list[ParseWarning]:
    out = []
    if left_out:
        message = f"Of an animated picture the first frame was read, {left_out} were left out."
        out.append(ParseWarning("frames_left_out", message))
    if problem:
        out.append(ParseWarning("no_text", f"The picture was not read: {problem}."))
    elif read < pages:
        message = (
            f"The pages {read + 1} to {pages} were not read: only {read} of a document are"
            " recognised; raise ocr_pages in the parsing limits."
        )
        out.append(ParseWarning("ocr_limit", message, read + 1))
    return out
