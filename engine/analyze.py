"""The one analyzer: text to index terms, the same for documents and for queries.

Words of spaced scripts are folded (width, case, accents) and English ones reduced to their
Snowball stem. Runs of scripts written without spaces become single characters and bigrams.
Compounds are kept whole beside their parts: ``AB-1234`` gives ``ab1234``, ``ab`` and ``1234``.
Stop words are indexed and left out of queries only, so "to be or not to be" can be found.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from threading import local
from typing import Any

__all__ = ["ANALYZER_VERSION", "analyze", "analyze_query", "scripts_of"]

ANALYZER_VERSION = "1"
"""Changes whenever a text may give other tokens; indexes built with another one are rebuilt."""

_LONGEST_TOKEN = 100

_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Myanmar, Khmer
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u303b"  # radicals, iteration marks
    "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"  # kana
    "\u3105-\u312f\u31a0-\u31bf\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
)
_INDIC = "\u0900-\u0963\u0966-\u0dff"
_SIGNS = "$€£¥₹"
_W = rf"[^\W_{_UNSPACED}{_INDIC}]"

_TOKEN = re.compile(
    rf"[{_UNSPACED}]+|[{_INDIC}]+|[\U0001f000-\U0001faff]"
    rf"|[{_SIGNS}]?(?<!\d)\d{{1,3}}(?:,\d{{3}})+(?!\d)(?:\.\d+)?[%‰]?"
    r"|[A-Z]{2,6}(?:/[A-Z]{1,3})?[ ]\d+(?:[-.:]\d+)*(?![^\W_])"
    rf"|[{_SIGNS}]?{_W}+(?:(?:[-_./@&']|(?<=\d):(?=\d)){_W}+)*(?:[%‰#]|\+\+)?"
)
_ATOM = re.compile(r"\d+(?:\.\d+)*|[A-Z]+(?=[A-Z][a-z]{2})|[A-Z]?[^\W\d_A-Z]+|[A-Z]+")
_LETTER_JOINT = re.compile(r"(?<!\d)[-_/' ]|[-_/' ](?!\d)")
_MARKS = re.compile(
    "[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0640\u00ad\u200b-\u200f\u2060\ufeff]"
)
_FRACTION = re.compile("(?<=[0-9])(?=[\u00bc-\u00be\u2150-\u215e])")
_FOLDABLE = re.compile("[\u00c0-\u024f\u0370-\u03ff\u1e00-\u1fff]")
_NO_ACCENT = str.maketrans(
    dict(zip("øØłŁđĐıħĦŧŦ", "oOlLdDihHtT", strict=True))
    | {"æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE"}
)

_STOP_WORDS = """
a about am an and any are as at be been being but by can could did do does doing for from had
has have having he her here hers him his how i if in into is it its me my no nor not of on or
our ours shall she should so some such than that the their theirs them then there these they
this those to too was we were what when where which while who whom whose why will with would
you your yours
aren't can't couldn't didn't doesn't don't hadn't hasn't haven't isn't shouldn't wasn't
weren't what's who's won't wouldn't
"""
_STOP = frozenset(_STOP_WORDS.split())
_ASKING = re.compile(
    "请问|請問|为什么|為什麼|什么|什麼|哪[些个個]|多少|怎[么麼样樣]|如何|[的了吗嗎呢]"
)


def analyze(text: str) -> list[str]:
    """The terms of a document, in no promised order; none holds white space."""
    tokens: list[str] = []
    for raw in _TOKEN.findall(_normalize(text)):
        tokens += _expand(raw)
    return tokens


def analyze_query(text: str) -> list[str]:
    """The terms of a query: those of :func:`analyze` without words that only ask.

    When nothing else is in the query, all terms stay.
    """
    normal = _normalize(text)
    shouting = normal.isupper()
    tokens: list[str] = []
    for raw in _TOKEN.findall(_ASKING.sub(" ", normal)):
        if raw.casefold() in _STOP and (shouting or len(raw) == 1 or not raw.isupper()):
            continue
        tokens += _expand(raw)
    return tokens or analyze(text)


def scripts_of(text: str) -> frozenset[str]:
    """Unicode scripts of the letters in *text*: ``"Latin"``, ``"Han"``, ``"Hiragana"``, ..."""
    letters = filter(str.isalpha, set(unicodedata.normalize("NFKC", text)))
    return frozenset(_script(letter) for letter in letters) - {""}


@lru_cache(maxsize=1 << 14)
def _script(letter: str) -> str:
    first, _, second = unicodedata.name(letter, "").partition(" ")
    if first in ("CJK", "IDEOGRAPHIC", "KANGXI"):
        return "Han"
    if first == "KATAKANA-HIRAGANA" or (first == "MODIFIER"):
        return ""
    return (second.partition(" ")[0] if first == "OLD" else first).title()


def _normalize(text: str) -> str:
    if text.isascii():
        return text
    text = unicodedata.normalize("NFKC", _FRACTION.sub(" ", text))
    for dash in "\u2010\u2013\u2212":
        text = text.replace(dash, "-")
    return _MARKS.sub("", text.replace("\u2019", "'"))


def _expand(raw: str) -> tuple[str, ...]:
    if raw < "\u0e00" or not ("\u0e00" <= raw[0] <= "\u17ff" or "\u2e80" <= raw[0] < "\U00040000"):
        return _word(raw)
    if raw[0] >= "\U0001f000" and raw[0] <= "\U0001faff":
        return (raw,)
    return (*raw, *map(str.__add__, raw, raw[1:]))


@lru_cache(maxsize=1 << 16)
def _word(raw: str) -> tuple[str, ...]:
    """Terms of one word or compound; a frequent word costs one look-up."""
    lower = raw.casefold()
    if lower in _STOP:
        return (lower.replace("'", ""),)
    sign = raw[0] if raw[0] in _SIGNS else ""
    body = raw.removeprefix(sign).replace(",", "")
    mark = body[-1] if body[-1] in "%‰#" else "++" if body.endswith("++") else ""
    body = body.removesuffix(mark)
    if body[-2:] in ("'s", "'S"):
        body = body[:-2]
    body = _unaccent(body)
    atoms = _ATOM.findall(body)
    whole = _term(_LETTER_JOINT.sub("", body))
    terms = [whole] if not mark and not sign else [f"{sign}{whole}{mark}", whole]
    if len(atoms) > 1:
        terms += [_term(atom) for atom in atoms if len(atom) > 1]
    elif "." in body and body.count(".") == 1:
        terms += [atom for atom in body.split(".")[:1] if len(atom) > 1]
    return tuple(dict.fromkeys(terms))


def _term(word: str) -> str:
    word = word.casefold()
    if word.isascii() and word.isalpha():
        word = _stemmer().stemWord(word)
    return word[:_LONGEST_TOKEN]


def _unaccent(word: str) -> str:
    if word.isascii() or not _FOLDABLE.search(word):
        return word
    split = unicodedata.normalize("NFD", word.translate(_NO_ACCENT))
    return unicodedata.normalize("NFC", _MARKS.sub("", split))


_thread = local()


def _stemmer() -> Any:
    # A Snowball stemmer works in a buffer of its own, so that threads must not share one.
    if not hasattr(_thread, "stemmer"):
        from Stemmer import Stemmer

        _thread.stemmer = Stemmer("english", 0)
    return _thread.stemmer
