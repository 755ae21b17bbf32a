"""A picture to its lines of text, turned upright: whichever way the page lies, however skew."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from chapterverse.ingest.ocr import Engine, Quad, Reading
from chapterverse.ingest.pdf_text import is_cjk

if TYPE_CHECKING:
    from chapterverse.ingest.ocr import Pixels

__all__ = ["ReadLine", "ReadPicture", "ReadWord", "displayed", "read_picture"]

LEAST_SCORE = 0.5
"""Lines recognised with less are noise: lines of drawings, specks, textures."""

LONG = 2.5
"""A line this many times as long as high tells which way it runs."""

SAMPLE = 4
"""Lines that are read both ways up where the classifier is unsure of the page."""

_RISE, _DROP = 0.72, 0.21
"""What capitals and descenders of usual Latin fonts reach, in font sizes."""

_TOP, _BOTTOM = 0.92, 0.23
"""Upper and lower end of a line's box, in font sizes from the base line: as PDF fonts state it."""

_SKEW = math.radians(0.25)
_MOST_SKEW = math.radians(20)


class ReadWord(msgspec.Struct, frozen=True, array_like=True):
    """A run of characters without white space and its left and right end in pixels."""

    text: str
    x0: float
    x1: float


class ReadLine(msgspec.Struct, frozen=True, array_like=True):
    """A recognised line in pixels of the upright picture; ``score`` in 0..1.

    ``y0`` and ``y1`` are its top and bottom as if it had capitals and descenders, ``size`` is the
    font size, ``stroke`` the usual width of its strokes as a share of that size.
    """

    words: tuple[ReadWord, ...]
    y0: float
    y1: float
    size: float
    stroke: float
    score: float

    @property
    def text(self) -> str:
        """Its words with a space between them."""
        return " ".join(word.text for word in self.words)


class ReadPicture(msgspec.Struct, frozen=True):
    """The lines of a picture as if it stood upright.

    ``width`` and ``height`` are those of the upright picture in pixels. The picture as given
    comes back by turning by ``skew`` radians about the middle (clockwise), then by ``quarters``
    quarter turns clockwise.
    """

    width: float
    height: float
    quarters: int = 0
    skew: float = 0.0
    lines: tuple[ReadLine, ...] = ()

    @property
    def score(self) -> float | None:
        """Mean score of the lines, weighed by their characters."""
        chars = sum(len(line.text) for line in self.lines)
        if not chars:
            return None
        return sum(line.score * len(line.text) for line in self.lines) / chars


def read_picture(engine: Engine, image: Pixels) -> ReadPicture:
    """All lines of text in the picture (height x width x 3), read the right way up."""
    import numpy as np

    quads = engine.detect(image)
    height, width = image.shape[:2]
    if not quads:
        return ReadPicture(float(width), float(height))
    quarters = 0
    if _runs_down(quads):
        # Now the lines run across, the right way up or upside down.
        quads = [_turned_left(quad, width) for quad in quads]
        image = np.ascontiguousarray(np.rot90(image))
        height, width, quarters = width, height, 1
    if _is_flipped(engine, image, quads):
        quads = [_turned_round(quad, width, height) for quad in quads]
        image = np.ascontiguousarray(np.rot90(image, 2))
        quarters = (quarters + 2) % 4
    quads = [quad for quad in quads if _across(quad) * LONG > _down(quad)]
    skew = _skew(quads)
    lines = [
        line
        for quad, reading in zip(quads, engine.read(image, quads), strict=True)
        if (line := _line(quad, reading, skew, width, height)) is not None
    ]
    return ReadPicture(float(width), float(height), quarters, round(skew, 5), tuple(lines))


def displayed(
    page: ReadPicture, x0: float, y0: float, x1: float, y1: float
) -> tuple[float, float, float, float]:
    """A box (shares of the upright picture) as shares of the picture as it was given."""
    if page.skew:
        x, y = (x0 + x1) / 2 * page.width, (y0 + y1) / 2 * page.height
        to_x, to_y = _rotated(x, y, page.skew, page.width, page.height)
        dx, dy = (to_x - x) / page.width, (to_y - y) / page.height
        lean = abs(math.sin(page.skew)) * (x1 - x0) * page.width / page.height / 2
        x0, x1, y0, y1 = x0 + dx, x1 + dx, y0 + dy - lean, y1 + dy + lean
    for _ in range(page.quarters):
        x0, y0, x1, y1 = 1 - y1, x0, 1 - y0, x1
    return max(0.0, x0), max(0.0, y0), min(1.0, x1), min(1.0, y1)


def _across(quad: Quad) -> float:
    return math.dist(quad[0], quad[1])


def _down(quad: Quad) -> float:
    return math.dist(quad[0], quad[3])


def _runs_down(quads: Sequence[Quad]) -> bool:
    """Whether most of the text runs from top to bottom or from bottom to top."""
    down = sum(_down(quad) for quad in quads if _down(quad) > LONG * _across(quad))
    across = sum(_across(quad) for quad in quads if _across(quad) > LONG * _down(quad))
    return down > across


def _turned_left(quad: Quad, width: float) -> Quad:
    """The corners after a quarter turn to the left of a picture *width* pixels wide."""
    a, b, c, d = ((y, width - x) for x, y in quad)
    return b, c, d, a


def _turned_round(quad: Quad, width: float, height: float) -> Quad:
    a, b, c, d = ((width - x, height - y) for x, y in quad)
    return c, d, a, b


def _is_flipped(engine: Engine, image: Pixels, quads: Sequence[Quad]) -> bool:
    """Whether the page stands upside down, by vote; where that is not clear, by reading."""
    import numpy as np

    long = sorted((q for q in quads if _across(q) > LONG * _down(q)), key=_across)[-16:]
    if not long:
        return False
    votes = [vote for vote in engine.flipped(image, long) if vote is not None]
    down = sum(votes)
    if len(votes) >= 5 and min(down, len(votes) - down) <= 0.1 * len(votes):
        return 2 * down > len(votes)
    height, width = image.shape[:2]
    sample = long[-SAMPLE:]
    around = np.ascontiguousarray(np.rot90(image, 2))
    other = engine.read(around, [_turned_round(quad, width, height) for quad in sample])
    return _certainty(other) > 1.05 * _certainty(engine.read(image, sample))


def _certainty(readings: Sequence[Reading]) -> float:
    return sum(reading.score for reading in readings)


def _skew(quads: Sequence[Quad]) -> float:
    """The usual slope of long lines in radians, clockwise; 0 where it is too small to matter."""
    angles = sorted(
        (math.atan2(q[1][1] - q[0][1], q[1][0] - q[0][0]), _across(q))
        for q in quads
        if _across(q) > 2 * LONG * _down(q)
    )
    half, seen = sum(weight for _, weight in angles) / 2, 0.0
    for angle, weight in angles:
        seen += weight
        if seen >= half:
            return angle if _SKEW < abs(angle) < _MOST_SKEW else 0.0
    return 0.0


def _rotated(x: float, y: float, angle: float, width: float, height: float) -> tuple[float, float]:
    """The point turned clockwise about the middle of the picture."""
    sine, cosine = math.sin(angle), math.cos(angle)
    dx, dy = x - width / 2, y - height / 2
    return width / 2 + dx * cosine - dy * sine, height / 2 + dx * sine + dy * cosine


def _line(
    quad: Quad, reading: Reading, skew: float, width: float, height: float
) -> ReadLine | None:
    if reading.score < LEAST_SCORE or not reading.text.strip():
        return None
    corners = [_rotated(x, y, -skew, width, height) for x, y in quad] if skew else list(quad)
    left, right = (corners[0][0] + corners[3][0]) / 2, (corners[1][0] + corners[2][0]) / 2
    top, bottom = (corners[0][1] + corners[1][1]) / 2, (corners[2][1] + corners[3][1]) / 2
    ink_top, ink_bottom, size = _measured(reading, bottom - top)
    stroke = reading.stroke * (bottom - top) / size
    return ReadLine(
        tuple(_words(reading, left, right)),
        round(max(0.0, top + ink_top), 1),
        round(min(height, top + ink_bottom), 1),
        round(size, 2),
        round(stroke, 4),
        round(reading.score, 4),
    )


def _measured(reading: Reading, height: float) -> tuple[float, float, float]:
    """Top, bottom (below the upper edge of the line's box) and font size in pixels."""
    rise, drop = _reach(reading.text)
    top, bottom = reading.top * height, reading.bottom * height
    size = (bottom - top) / (rise + drop)
    if not 0.4 * height < size < 1.15 * height:
        # Something else than the letters was measured.
        return 0.1 * height, 0.9 * height, 0.84 * height
    return top - (_TOP - rise) * size, bottom + (_BOTTOM - drop) * size, size


def _has_cjk(text: str) -> bool:
    return any(c > "\u2e7f" and is_cjk(c) for c in text)


def _reach(text: str) -> tuple[float, float]:
    """How far the letters of *text* reach above and below the base line, in font sizes."""
    if _has_cjk(text):
        return 0.82, 0.12
    high = any(c.isupper() or c.isdigit() or c in "bdfhklt|()[]{}/!?%&#@" for c in text)
    rise = _RISE if high else 0.68 if any(c in "ij" for c in text) else 0.48
    deep = any(c in "gjpqy()[]{}|" for c in text)
    drop = _DROP if deep else 0.13 if any(c in ",;Q" for c in text) else 0.01
    return rise, drop


def _words(reading: Reading, left: float, right: float) -> list[ReadWord]:
    """The words of a line; borders lie halfway between the characters on both sides."""
    parts = reading.text.split()
    chars = sum(len(part) for part in parts)
    centres = reading.centres
    if len(centres) != chars:
        centres = tuple((index + 0.5) / chars for index in range(chars))
    half = 0.5 * (centres[-1] - centres[0]) / max(1, chars - 1) if chars > 1 else 0.5
    words, start = [], 0
    for part in parts:
        stop = start + len(part)
        first = 0.0 if start == 0 else max(centres[start] - half, centres[start - 1])
        last = 1.0 if stop == chars else min(centres[stop - 1] + half, centres[stop])
        span = right - left
        words.append(ReadWord(part, round(left + first * span, 1), round(left + last * span, 1)))
        start = stop
    return words
