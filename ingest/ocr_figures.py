"""Text inside pictures of figures, recognised and put behind their caption and description."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace

from chapterverse.ingest.context import ReadContext
from chapterverse.ingest.image_frames import decoding, on_white
from chapterverse.ingest.images import to_pixels
from chapterverse.ingest.ocr_budget import Recogniser, why_off
from chapterverse.ingest.ocr_layout import lay_out
from chapterverse.schema.errors import DocumentError
from chapterverse.schema.records import Asset, AssetKind, Origin, Parsed, ParseWarning

__all__ = ["KeptPictures", "figure_text", "recognise_figures"]

_LEAST_SIDE = 60
_MOST_SIDE = 2400
_LEAST_SCORE = 0.7
_LEAST_LETTERS = 3
_REMEMBERED = 256 << 20
"""Bytes of pictures that are remembered; what comes after is kept, but not recognised."""

_READABLE = frozenset({"image/png", "image/jpeg", "image/gif", "image/bmp", "image/tiff",
                       "image/webp"})  # fmt: skip


class KeptPictures:
    """Stands in for a context's ``keep`` and remembers the bytes, up to 256 MiB in all."""

    def __init__(self, keep: Callable[[bytes], str]) -> None:
        self._keep = keep
        self._bytes: dict[str, bytes] = {}
        self._room = _REMEMBERED

    def keep(self, data: bytes) -> str:
        """Keep *data* and return its sha256."""
        name = self._keep(data)
        if name not in self._bytes and len(data) <= self._room:
            self._bytes[name] = data
            self._room -= len(data)
        return name

    def get(self, sha256: str) -> bytes | None:
        """The bytes kept under this name, if they are remembered."""
        return self._bytes.get(sha256)


def figure_text(
    data: bytes, context: ReadContext, recogniser: Recogniser | None = None
) -> tuple[str, float] | None:
    """Text in a picture, a line for each printed row, and its score in 0..1.

    ``None`` for pictures smaller than 60 x 60 pixels or larger than ``max_pixels``, damaged ones,
    those without text that can be read, and where recognition is off.
    """
    from PIL import Image

    if why_off(context):
        return None
    recogniser = recogniser or Recogniser(context)
    try:
        with decoding(context), Image.open(io.BytesIO(data)) as found:
            width, height = found.size
            if min(width, height) < _LEAST_SIDE or width * height > context.max_pixels:
                return None
            found.draft("RGB", (_MOST_SIDE, _MOST_SIDE))
            image = on_white(found)
    except DocumentError:
        return None
    image.thumbnail((_MOST_SIDE, _MOST_SIDE))
    picture = recogniser.read(to_pixels(image))
    score = picture.score
    if score is None or score < _LEAST_SCORE:
        return None
    rows = lay_out({1: picture}, {1: 72.0})[1].text.rows
    text = "\n".join(row.text for row in rows)
    if sum(c.isalnum() for c in text) < _LEAST_LETTERS:
        return None
    return text, round(score, 4)


def recognise_figures(parsed: Parsed, pictures: KeptPictures, context: ReadContext) -> Parsed:
    """*parsed* with the text of its figures' pictures, where nothing tells it already.

    Left alone are figures whose labels were read as text and those on recognised pages. Pages and
    figures together count against ``context.ocr_pages``; figures beyond that are named in the
    warning ``ocr_limit``. Equal pictures are recognised once.
    """
    pages = {read.page for read in parsed.page_reads if read.source == "ocr"}
    wanted = [a for a in parsed.assets if _is_mute(a, pages, pictures)]
    if not wanted:
        return parsed
    if why_off(context):
        return _missed(parsed)
    recogniser = Recogniser(context, used=len(pages))
    known: dict[str, tuple[str, float] | None] = {}
    told: dict[int, Asset] = {}
    left: list[Asset] = []
    for asset in wanted:
        name = asset.picture.sha256 if asset.picture else ""
        if name not in known:
            if not recogniser.left:
                left.append(asset)
                continue
            known[name] = figure_text(pictures.get(name) or b"", context, recogniser)
        found = known[name]
        if found is not None:
            told[asset.ordinal] = _with_text(asset, *found)
    suffix = "+ocr" if known and not parsed.parser.endswith(("+ocr", "-ocr")) else ""
    return replace(
        parsed,
        parser=parsed.parser + suffix,
        assets=tuple(told.get(asset.ordinal, asset) for asset in parsed.assets),
        warnings=(*parsed.warnings, *_beyond(left, len(known))),
    )


def _is_mute(asset: Asset, pages: set[int], pictures: KeptPictures) -> bool:
    picture = asset.picture
    if asset.kind is not AssetKind.FIGURE or picture is None:
        return False
    if picture.media_type not in _READABLE or min(picture.width, picture.height) < _LEAST_SIDE:
        return False
    if any(region.page in pages for region in asset.regions) or not pictures.get(picture.sha256):
        return False
    told = len(asset.caption or "") + sum(
        span.end - span.start for span in asset.origins if span.kind != "ocr"
    )
    return len(asset.text.strip()) <= told + 2


def _with_text(asset: Asset, text: str, score: float) -> Asset:
    """The figure with *text* on lines of its own at the end, where the figure stands."""
    start = len(asset.text) + 1 if asset.text else 0
    whole = f"{asset.text}\n{text}" if asset.text else text
    regions = asset.regions
    if regions:
        regions = (*regions, replace(regions[0], start=start, end=len(whole)))
    origin = Origin(start, len(whole), "ocr", score)
    return replace(asset, text=whole, regions=regions, origins=(*asset.origins, origin))


def _missed(parsed: Parsed) -> Parsed:
    suffix = "" if parsed.parser.endswith(("+ocr", "-ocr")) else "-ocr"
    return replace(parsed, parser=parsed.parser + suffix)


def _beyond(left: list[Asset], done: int) -> list[ParseWarning]:
    if not left:
        return []
    message = (
        f"Text in {len(left)} figures was not recognised: only {done} were within the number of"
        " pages and pictures allowed; raise ocr_pages in the parsing limits."
    )
    page = next((region.page for region in left[0].regions if region.page), None)
    return [ParseWarning("ocr_limit", message, page)]
