"""Sentence borders by rule, English and Chinese in one text, no language detection.

A border is a stop with its closing quotes, or a blank line. Western stops count only before white
space (or a CJK letter), and a single full stop is weighed against abbreviations, initials and list
numbers. The rules lean towards not cutting: neighbours are packed together anyway, and a sentence
that is too long is cut by its size.
"""

from __future__ import annotations

import itertools
import re
import unicodedata

__all__ = ["cut_long", "split_sentences", "trim"]

Span = tuple[int, int]

_CJK = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af"
# The lookbehind starts a match at the first stop of a run only: rows of leader dots stay linear.
_BORDER = re.compile(
    r"(?P<cjk>[。！？；｡।॥]++)[”’」』）】》〉〕］｝)\]]*+"
    r"|(?<![.!?…؟۔])(?P<stop>[.!?…؟۔]++)(?P<close>[\"'”’」』）»)\]]*+(?:\[[\d,–-]{1,12}\])*+)"
    rf"(?=\s|$|[{_CJK}])"
    r"|(?P<blank>\n[^\S\n]*+\n)"
)
_IS_CJK = re.compile(f"[{_CJK}]")
_NEXT = re.compile(r"\s*+(?P<open>[\"'“‘«(\[]*+)(?P<word>\w{0,24})")
_INITIALS = re.compile(r"(?:[A-Za-z]\.)*[A-Za-z]")
_LIST_NUMBER = re.compile(r"\(?(?:\d+(?:\.\d+)*|[a-zA-Z]|[ivxIVX]{1,5})")
_ROMAN = re.compile(r"[IVXLC]{2,}|[A-HJ-Z]")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Never the end of a sentence.
_TITLES = _words(
    "dr mr mrs ms mx prof st gen rep sen gov capt lt col maj sgt hon rev messrs mme mlle "
    "e.g i.e cf vs viz resp approx"
)
# Not the end when a number, a letter or a bracket follows.
_NUMBERED = _words(
    "no nos nr fig figs eq eqs eqn sec sect ch chap vol vols pp p pg art tab ref refs app par para "
    "pt ex ed eds al ca jan feb mar apr jun jul aug sep sept oct nov dec"
)
# The end only when the next word is one that opens sentences.
_MAYBE = _words(
    "inc ltd co corp llc plc gmbh bros jr sr etc dept univ assn ave blvd rd mt ft est min max "
    "ph.d m.d b.a m.a a.m p.m"
)
_OPENERS = _words(
    "the a an this that these those it its he she they we i you his her their our there here in on "
    "at for from with by as if when while after before since however but and so although though "
    "because both each all no not to what who where why how moreover furthermore"
)


def split_sentences(text: str) -> list[Span]:
    """Spans of the sentences of *text*, in order, without white space at either end.

    The spans do not overlap, none is empty, and what lies outside them is white space.
    """
    spans: list[Span] = []
    start = 0
    for match in _BORDER.finditer(text):
        if match["stop"] and not _ends_sentence(text, start, match):
            continue
        end = match.start() if match["blank"] else match.end()
        # A straight quote closes when an odd number of them came before it.
        if match["cjk"] and text.startswith('"', end) and text.count('"', start, end) % 2:
            end += 1
        span = trim(text, start, end)
        if span:
            spans.append(span)
        start = end
    last = trim(text, start, len(text))
    return [*spans, last] if last else spans


def trim(text: str, start: int, end: int) -> Span | None:
    """``[start, end)`` without white space at either end; ``None`` when nothing is left."""
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip())
    if left == len(piece):
        return None
    return start + left, end - (len(piece) - len(piece.rstrip()))


def _ends_sentence(text: str, start: int, match: re.Match[str]) -> bool:
    following = _NEXT.match(text, match.end())
    word, opening = (following["word"], following["open"]) if following else ("", "")
    if word[:1].islower():
        return False
    stop = match["stop"]
    # A long row of dots leads to a page number in a table of contents.
    if stop != ".":
        return stop.count(".") <= 3
    before = _word_before(text, start, match.start())
    if match.end() < len(text) and not text[match.end()].isspace():
        # "完成.下一步" is a border, "Python.是" is not.
        return bool(_IS_CJK.match(before[-1:]))
    if match["close"]:
        return True
    # A number that opens the sentence counts a list item.
    if match.start() - start < 12 and _LIST_NUMBER.fullmatch(text[start : match.start()].strip()):
        return False
    return _full_stop_ends(before, word, opening)


def _word_before(text: str, start: int, end: int) -> str:
    piece = text[max(start, end - 24) : end]
    if not piece or piece[-1].isspace():
        return ""
    return piece.split()[-1].lstrip("\"'“‘«([")


def _full_stop_ends(before: str, word: str, opening: str) -> bool:
    """Whether a full stop ends a sentence, from the words on its two sides."""
    key = before.lower()
    if key in _TITLES:
        return False
    if key in _NUMBERED:
        return not (word[:1].isdigit() or _ROMAN.fullmatch(word) or opening[:1] in ("(", "["))
    if key in _MAYBE or _INITIALS.fullmatch(before):
        return word.lower() in _OPENERS
    return True


_CLAUSE = re.compile(r"[,;:!?.)](?=\s)|[，、；：。！？—…」』”）]")


def cut_long(text: str, start: int, end: int, parts: int) -> list[Span]:
    """Cut ``[start, end)`` into about *parts* pieces of like length, none of them empty.

    Cuts fall at a clause mark near the wanted place, else at white space, else between two
    characters as a reader sees them: a combining mark, a joined emoji or a flag is parted only
    when it alone fills the piece. A span of one character comes back as it is.
    """
    width = (end - start) / parts
    cuts = [start]
    for number in range(1, parts):
        target = start + round(number * width)
        low = max(cuts[-1] + 1, target - int(width / 2))
        high = min(end - 1, target + int(width / 4))
        if low <= high:
            cuts.append(_best_cut(text, low, high, min(max(target, low), high)))
    cuts.append(end)
    pieces = [trim(text, a, b) for a, b in itertools.pairwise(cuts)]
    return [piece for piece in pieces if piece]


def _best_cut(text: str, low: int, high: int, target: int) -> int:
    """The best place in ``[low, high]`` to cut before."""
    marks = (m.end() for m in _CLAUSE.finditer(text, low - 1, high + 1))
    clauses = [place for place in marks if low <= place <= high]
    spaces = [i for i in range(low, high + 1) if text[i].isspace()]
    for places in (clauses, spaces, range(low, high + 1)):
        for place in sorted(places, key=lambda i: (abs(i - target), i)):
            if not _joined(text, place):
                return place
    return target


def _joined(text: str, place: int) -> bool:
    """Whether the characters before and after *place* are one to a reader (after UAX 29)."""
    after, before = text[place], text[place - 1]
    if unicodedata.category(after)[0] == "M" or "\u200d" in (after, before):
        return True
    # Skin tones, tag characters, the later parts of a decomposed Korean syllable.
    if "\U0001f3fb" <= after <= "\U0001f3ff" or "\U000e0020" <= after <= "\U000e007f":
        return True
    if "\u1160" <= after <= "\u11ff" or (before == "\r" and after == "\n"):
        return True
    if not (_flag_letter(after) and _flag_letter(before)):
        return False
    run = place - 1
    # Bounded, since a row of flags without end must not cost its square.
    while run > max(0, place - 200) and _flag_letter(text[run - 1]):
        run -= 1
    return (place - run) % 2 == 1


def _flag_letter(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"
