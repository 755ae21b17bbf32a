"""Search results as people see them, in a terminal and in a notebook."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

from chapterverse.schema.results import Citation, MatchedChild, Passage

__all__ = ["Passages", "snippet", "styled"]

_SNIPPET_CHARACTERS = 700
_LONGEST_WORD = 30
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
        return f"<{len(self)} passage{'' if len(self) == 1 else 's'}>\n{self}"

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
    end = min(len(passage.text), max(start + length, best.end))
    start = _word_border(passage.text, start, best.start, 1)
    return start, _word_border(passage.text, end, best.end, -1)


def _word_border(text: str, at: int, limit: int, step: int) -> int:
    """The word border next to *at* on the way to *limit*; *at* where there is none nearby."""
    if not 0 < at < len(text):
        return at
    outside = -1 if step > 0 else 0
    nearby = at + step * min(abs(limit - at), _LONGEST_WORD)
    for place in range(at, nearby, step):
        if text[place + outside].isspace():
            return place
    return at


def styled(passage: Passage) -> list[tuple[str, str]]:
    """A passage as pieces of text with terminal styles; the best child stands out."""
    cited = passage.citations[0]
    before, best, after = _around(passage)
    return [
        (f"{passage.rank}. ", "bold"),
        (cited.label, f"bold cyan link {cited.link}" if _can_be_followed(cited) else "bold cyan"),
        (f"   {passage.score:.3f}\n", "dim"),
        (before, ""),
        (best, "black on yellow"),
        (after, ""),
        ("\n", ""),
    ]


def _around(passage: Passage) -> tuple[str, str, str]:
    """The snippet before, in and after the best child; dots stand where it leaves text out."""
    start, end = snippet(passage)
    text, best = passage.text, passage.children[:1]
    # In a small base nearly every child is found, so marking them all would say nothing.
    first, last = (best[0].start, best[0].end) if best else (end, end)
    before = ("…" if start else "") + text[start:first]
    return before, text[first:last], text[last:end] + ("…" if end < len(text) else "")


def _text(passage: Passage) -> str:
    head = f"{passage.rank}. {passage.citations[0].label}   (score {passage.score:.3f})"
    body = "".join(_around(passage))
    return "\n".join([head, *(f"   {line}" for line in body.splitlines() if line.strip())])


def _html(passage: Passage) -> str:
    before, best, after = (escape(part) for part in _around(passage))
    marked = f"<mark>{best}</mark>" if best else ""
    body = f"{before}{marked}{after}".replace("\n", "<br>")
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
