"""Search results as people see them, in a terminal and in a notebook."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

from chapterverse.schema.results import Citation, MatchedChild, Passage

__all__ = ["Passages", "snippet", "styled"]

_SNIPPET_CHARACTERS = 700
_STYLE = (
    "font-family:sans-serif;border-left:3px solid #3b7dd8;padding:.2em .8em;margin:.6em 0;"
    "max-width:52em"
)


class Passages(tuple[Passage, ...]):
    """The passages of one search, best first: a tuple that prints and displays well."""

    __slots__ = ()

    def __new__(cls, passages: Iterable[Passage] = ()) -> Passages:
        """A tuple of *passages*."""
        return super().__new__(cls, tuple(passages))

    def __str__(self) -> str:
        if not self:
            return "No passage matches."
        return "\n\n".join(_text(passage) for passage in self)

    def __repr__(self) -> str:
        return f"<{len(self)} passages>\n{self}"

    def _repr_html_(self) -> str:
        if not self:
            return "<p>No passage matches.</p>"
        return "".join(_html(passage) for passage in self)


def snippet(passage: Passage, length: int = _SNIPPET_CHARACTERS) -> tuple[int, int]:
    """The span of the passage's text, about *length* characters, around its best child."""
    if len(passage.text) <= length or not passage.children:
        return 0, min(len(passage.text), length)
    best = passage.children[0]
    start = max(0, min(best.start - length // 4, len(passage.text) - length))
    while 0 < start < best.start and not passage.text[start - 1].isspace():
        start += 1
    return start, min(len(passage.text), max(start + length, best.end))


def styled(passage: Passage) -> list[tuple[str, str]]:
    """A passage as pieces of text with terminal styles; the best child stands out."""
    start, end = snippet(passage)
    cited = passage.citations[0]
    pieces = [
        (f"{passage.rank}. ", "bold"),
        (cited.label, f"bold cyan link {cited.link}" if _can_be_followed(cited) else "bold cyan"),
        (f"   {passage.score:.3f}\n", "dim"),
        ("…" if start else "", "dim"),
    ]
    at = start
    for child_start, child_end in _found(passage, start, end):
        pieces.append((passage.text[at:child_start], ""))
        best = child_start == passage.children[0].start
        pieces.append((passage.text[child_start:child_end], "black on yellow" if best else "bold"))
        at = child_end
    pieces.append((passage.text[at:end], ""))
    pieces.append(("…\n" if end < len(passage.text) else "\n", "dim"))
    return pieces


def _found(passage: Passage, start: int, end: int) -> list[tuple[int, int]]:
    """Spans of the found children within ``[start, end)``, ascending, not overlapping."""
    spans, at = [], start
    for child in sorted(passage.children, key=lambda child: child.start):
        if at <= child.start and child.end <= end:
            spans.append((child.start, child.end))
            at = child.end
    return spans


def _text(passage: Passage) -> str:
    start, end = snippet(passage)
    before, after = "…" if start else "", "…" if end < len(passage.text) else ""
    head = f"{passage.rank}. {passage.citations[0].label}   (score {passage.score:.3f})"
    body = before + passage.text[start:end] + after
    return "\n".join([head, *(f"   {line}" for line in body.splitlines() if line.strip())])


def _html(passage: Passage) -> str:
    start, end = snippet(passage)
    parts, at = [], start
    for child_start, child_end in _found(passage, start, end):
        parts.append(escape(passage.text[at:child_start]))
        tag = "mark" if child_start == passage.children[0].start else "b"
        parts.append(f"<{tag}>{escape(passage.text[child_start:child_end])}</{tag}>")
        at = child_end
    parts.append(escape(passage.text[at:end]))
    body = "".join(parts).replace("\n", "<br>")
    cited = passage.citations[0]
    label = escape(cited.label)
    if _can_be_followed(cited):
        label = f'<a href="{escape(cited.link, quote=True)}">{label}</a>'
    return (
        f'<div style="{_STYLE}"><div><b>{passage.rank}.</b> {label} '
        f'<span style="color:#777">score {passage.score:.3f}'
        f"{_channels(passage.children[0])}</span></div><div>{body}</div></div>"
    )


def _can_be_followed(cited: Citation) -> bool:
    # A caller may name a text as it likes: some names are no address, and some would run a script.
    return re.match(r"(file|https?)://\S+$", cited.link) is not None


def _channels(child: MatchedChild) -> str:
    known = [(name, s.raw) for name, s in child.scores.items() if s.raw is not None]
    return "".join(f" · {name} {raw:.3g}" for name, raw in known)
