"""Captions: what they look like and which table or figure they belong to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from chapterverse.ingest.pdf_text import Line, Rect

__all__ = ["Target", "bind_captions", "caption_kind", "starts_caption"]

_TABLE = r"table|tab\.|tabelle|tableau|tabla|tabella|表格?|附表|exhibit"
_FIGURE = (
    r"figures?|figs?\.?|chart|abbildung|abb\.|figura|diagram|plate|scheme|图表?|圖|附图|exhibit"
)
_NUMBER = (
    r"\s*(?:[0-9]+|(?-i:[A-Z])(?=[\s.:：\-–0-9])|(?-i:[IVX]+)\b|[一二三四五六七八九十]+)"
    r"(?:[.\-–‑][0-9]+)*"
)
_END = r"\s*(?:[:：.、．|—–\-]|\s|$|(?=[\u4e00-\u9fff]))"
_PATTERN = {
    "table": re.compile(rf"^(?:{_TABLE}){_NUMBER}{_END}", re.I),
    "figure": re.compile(rf"^(?:{_FIGURE}){_NUMBER}{_END}", re.I),
}
_PROSE = re.compile(
    r"^\S+\s*[\d.\-–]+\s*(?:shows?|lists?|gives?|presents?|summari[sz]es?|reports?|illustrates?|"
    r"compares?|depicts?|describes?|provides?|contains?|displays?|and|in|is|are|was|were|of|to|"
    r"列出|显示|所示|给出|中|可见|说明|的)\b"
)
_LIMIT = 1200
_NEAR = 60.0
_CLOSE, _ASIDE = 15.0, 150.0
"""Points up to which a caption at the margin stands over, and left of, a table in the middle."""


@dataclass(frozen=True, slots=True)
class Target:
    """A table or figure that may take a caption."""

    kind: str
    rect: Rect


def caption_kind(lines: Sequence[Line]) -> str | None:
    """``"table"`` or ``"figure"`` if the lines are a caption, else ``None``."""
    text = " ".join(line.text for line in lines)
    if len(text) > _LIMIT or len(lines) > 15:
        return None
    for kind, pattern in _PATTERN.items():
        match = pattern.match(text)
        if match and not _PROSE.match(text):
            marked = text[: match.end()].rstrip()[-1:] in ":：.、．|—–-"
            if marked or len(text) < 160 or lines[0].bold:
                return kind
    return None


def starts_caption(text: str) -> bool:
    """Whether a line that begins a caption looks like *text*."""
    match = next((m for p in _PATTERN.values() if (m := p.match(text))), None)
    return match is not None and text[: match.end()].rstrip()[-1:] in ":：.、．|—–-"


def bind_captions(
    captions: Sequence[tuple[str, Rect]], targets: Sequence[Target]
) -> dict[int, int]:
    """Caption index to target index, nearest pairs first, each used once.

    Distances are in points of one page. A table caption prefers to stand above its table, a
    figure caption below its figure; the other side counts as farther.
    """
    pairs = []
    for c, (kind, rect) in enumerate(captions):
        for t, target in enumerate(targets):
            distance = _distance(kind, rect, target)
            if distance is not None:
                pairs.append((distance, c, t))
    bound: dict[int, int] = {}
    for _, c, t in sorted(pairs):
        if c not in bound and t not in bound.values():
            bound[c] = t
    return bound


def _distance(kind: str, rect: Rect, target: Target) -> float | None:
    if kind != target.kind:
        return None
    side = 0.0
    if rect.x_overlap(target.rect) < 0.3 * min(rect.width, target.rect.width):
        beside = max(rect.x0 - target.rect.x1, target.rect.x0 - rect.x1)
        side = 30.0
        if rect.y_overlap(target.rect) <= 0:
            # At the margin, over a table that stands in the middle (or under such a figure).
            usual = target.rect.y0 - rect.y1 if kind == "table" else rect.y0 - target.rect.y1
            if not -1.0 < usual < _CLOSE or beside > _ASIDE:
                return None
        elif beside > _NEAR:
            return None
    above = target.rect.y0 - rect.y1
    below = rect.y0 - target.rect.y1
    gap = max(above, below, 0.0)
    if gap > _NEAR * (1 if kind == "table" else 2):
        return None
    wrong = below > above if kind == "table" else above > below
    return gap + side + 25.0 * wrong
