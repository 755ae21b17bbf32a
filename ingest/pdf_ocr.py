"""Which pages of a PDF have to be recognised from their picture, and what becomes of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from chapterverse.ingest.context import ReadContext
from chapterverse.ingest.ocr_assets import mark_recognised
from chapterverse.ingest.ocr_budget import Recogniser, parser_suffix, why_off
from chapterverse.ingest.ocr_layout import lay_out
from chapterverse.ingest.ocr_lines import ReadPicture
from chapterverse.ingest.pdf_layout import PageLayout
from chapterverse.ingest.pdf_page import PageText
from chapterverse.ingest.pdf_text import Rect
from chapterverse.ingest.text_quality import looks_garbled
from chapterverse.schema.records import Asset, PageRead, ParseWarning

__all__ = ["DPI", "Recognised", "recognise_pages", "why_unread"]

DPI = 200
"""Dots an inch at which pages are rendered: more costs time and reads no better, 150 reads worse
where type is small."""

_MOST_SIDE = 3400
_FEW = 25
"""Visible characters below which a page may be a scan."""

_STAMP = 250
_STAMP_SHARE = 0.02
_HALF, _MOST = 0.5, 0.75
_OUTLINES = 150
"""Drawn paths from which on a page without text may hold letters as outlines."""

_ALIKE = 0.5
_STALE = frozenset({"no_text", "unreadable_text"})


@dataclass(frozen=True, slots=True)
class Recognised:
    """The pages of a document after recognition.

    ``texts`` are all pages in order; ``layouts`` those of recognised pages; ``warnings`` replace
    the ones given; ``suffix`` belongs to the parser's name; ``problem`` says why pages that need
    recognition stay unread.
    """

    texts: list[PageText]
    warnings: list[ParseWarning]
    layouts: dict[int, PageLayout] = field(default_factory=dict)
    pictures: dict[int, ReadPicture] = field(default_factory=dict)
    reads: tuple[PageRead, ...] = ()
    suffix: str = ""
    problem: str | None = None

    def marked(self, assets: Sequence[Asset]) -> tuple[Asset, ...]:
        """The assets with boxes as the pages are displayed, and recognised text marked as such."""
        return mark_recognised(assets, self.pictures)


def why_unread(text: PageText, unmapped: bool) -> str | None:
    """Why the text layer of a page does not tell what is seen there, or ``None`` if it does.

    *unmapped* says that many of its characters have no known meaning.
    """
    shown = sum(len(word.text) for word in text.words)
    if unmapped:
        return "characters without a known meaning"
    if shown >= _FEW and looks_garbled(" ".join(word.text for word in text.words)):
        return "garbled text layer"
    if shown >= _STAMP:
        return None
    page = Rect(0.0, 0.0, text.width, text.height)
    covered = _covered(text.graphics.pictures, page)
    if shown < _FEW:
        if covered > _HALF:
            return "scan"
        return "text drawn as outlines" if len(text.graphics.drawings) > _OUTLINES else None
    inked = sum(word.rect.area for word in text.words) / max(page.area, 1.0)
    stamped = inked < _STAMP_SHARE and covered > _MOST
    return "scan with a stamp" if stamped and len(text.graphics.pictures) < 4 else None


def _covered(pictures: Iterable[Rect], page: Rect) -> float:
    """Share of the page under pictures (strips of a scan add up)."""
    areas = (
        max(0.0, page.x_overlap(picture)) * max(0.0, page.y_overlap(picture))
        for picture in pictures
    )
    return min(1.0, sum(areas) / max(page.area, 1.0))


def recognise_pages(
    document: Any,
    texts: Sequence[PageText],
    warnings: Sequence[ParseWarning],
    context: ReadContext,
) -> Recognised:
    """Recognise the pages of an open pypdfium2 document whose own text does not do.

    At most ``context.ocr_pages`` of them; the others, and all where recognition is off, are named
    in warnings and lose a text layer that is no text.
    """
    unmapped = {w.page for w in warnings if w.code == "unreadable_text"}
    wanted = {
        text.number: why
        for text in texts
        if (why := why_unread(text, text.number in unmapped)) is not None
    }
    if not wanted:
        return Recognised(list(texts), list(warnings))
    problem = why_off(context)
    recogniser = Recogniser(context)
    chosen = [] if problem else list(wanted)[: recogniser.left]
    pictures = {number: recogniser.read(_rendered(document, number)) for number in chosen}
    kept = {n for n in chosen if _confirmed(texts[n - 1], pictures[n], wanted[n])}
    found = {n: picture for n, picture in pictures.items() if picture.lines and n not in kept}
    laid = lay_out(found, {n: _dpi(texts[n - 1]) for n in found})
    read = {n: _with_graphics(page.text, texts[n - 1], found[n]) for n, page in laid.items()}
    unread = [n for n in wanted if n not in pictures]
    reads = _reads(wanted, pictures, kept)
    return Recognised(
        [read.get(t.number) or _left(t, wanted, pictures) for t in texts],
        [*_current(warnings, found, unread), *_limits(unread, wanted, problem, len(chosen))],
        {number: page.layout for number, page in laid.items()},
        found,
        reads,
        parser_suffix(used=bool(chosen), missed=bool(problem)),
        problem,
    )


def _dpi(text: PageText) -> float:
    return min(DPI, _MOST_SIDE * 72 / max(text.width, text.height, 1.0))


def _rendered(document: Any, number: int) -> Any:
    page = document[number - 1]
    width, height = page.get_size()
    scale = min(DPI / 72, _MOST_SIDE / max(width, height, 1.0))
    try:
        pixels = page.render(scale=scale).to_numpy()
        return pixels[:, :, :3].copy()
    finally:
        page.close()


def _confirmed(text: PageText, picture: ReadPicture, why: str) -> bool:
    """Whether the picture shows what the suspected text layer says."""
    layer = "".join(word.text for word in text.words)
    seen = "".join(line.text.replace(" ", "") for line in picture.lines)
    if why == "scan with a stamp" or len(layer) < _FEW:
        return False
    return not seen or _likeness(layer, seen) > _ALIKE


def _likeness(a: str, b: str) -> float:
    """Shared pairs of neighbouring characters, 0 to 1."""
    first, second = (Counter(x + y for x, y in pairwise(text.casefold())) for text in (a, b))
    return sum((first & second).values()) / max(1, min(first.total(), second.total()))


def _with_graphics(text: PageText, before: PageText, picture: ReadPicture) -> PageText:
    """The recognised page with the rules and figures of the page, the scan itself left out."""
    if picture.quarters or picture.skew or before.turn:
        return text  # their places are told for the page as it was before
    whole = text.width * text.height
    figures = tuple(rect for rect in before.graphics.pictures if rect.area < _HALF * whole)
    return replace(text, graphics=replace(before.graphics, pictures=figures))


def _left(
    text: PageText, wanted: Mapping[int, str], pictures: Mapping[int, ReadPicture]
) -> PageText:
    """A page that was not recognised: without its text layer if that is no text."""
    why = wanted.get(text.number)
    if why == "garbled text layer" and text.number not in pictures:
        return replace(text, words=(), rows=())
    return text


def _reads(
    wanted: Mapping[int, str], pictures: Mapping[int, ReadPicture], kept: set[int]
) -> tuple[PageRead, ...]:
    out = []
    for number, why in wanted.items():
        if number in kept:
            continue
        picture = pictures.get(number)
        if picture is None:
            out.append(PageRead(number, "none", why))
            continue
        score = picture.score
        reason = why if picture.lines else f"{why}; no text found in the picture"
        out.append(PageRead(number, "ocr", reason, None if score is None else round(score, 4)))
    return tuple(out)


def _current(
    warnings: Iterable[ParseWarning], found: Mapping[int, ReadPicture], unread: Sequence[int]
) -> list[ParseWarning]:
    """The warnings that still hold: those of pages left unread are said anew."""
    gone = {*found, *unread}
    return [w for w in warnings if not (w.code in _STALE and w.page in gone)]


def _limits(
    unread: Sequence[int], wanted: Mapping[int, str], problem: str | None, done: int
) -> list[ParseWarning]:
    out = []
    for number in unread:
        why = problem or (
            f"only {done} pages of a document are recognised; raise ocr_pages in the parsing limits"
        )
        code = "no_text" if "scan" in wanted[number] else "unreadable_text"
        code = code if problem else "ocr_limit"
        message = f"Page {number} was not read ({wanted[number]}): {why}."
        out.append(ParseWarning(code, message, number))
    return out
