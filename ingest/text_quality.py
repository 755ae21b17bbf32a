"""Whether the text of a page can be what is printed there, without any dictionary.

A font without a character map gives other letters than those seen: shifted Latin letters, random
signs, or Han characters drawn by lot. Each of them breaks a habit that all languages keep.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import cache, lru_cache

__all__ = ["looks_garbled"]

_ENOUGH = 60
"""Letters from which on habits can be told."""

_WORD = re.compile(r"\S+")
_VOWELS = frozenset("aeiouyàáâãäåæèéêëìíîïòóôõöøùúûüýœąęıőűůėīūāēō")
_BREAKS = frozenset("\n\r\t\f\v")
_FILL = frozenset("._-–—…·•=*|~")
"""Signs that stand in rows: leaders of contents, rules, blanks of forms."""


def looks_garbled(text: str) -> bool:
    """Whether *text* is no text of any language: control signs, no vowels, mixed case, rare Han.

    A suspicion, to be checked against the picture of the page before the text is given up.
    """
    # A page has thousands of characters but some hundred different ones: each is judged once.
    counts = Counter(text)
    shown = {c: n for c, n in counts.items() if not c.isspace() and c not in _FILL}
    total = sum(shown.values())
    if total < _ENOUGH:
        return False
    controls = sum(n for c, n in counts.items() if c not in _BREAKS and _is_control(c))
    if controls > 0.1 * total:
        return True
    letters = {c: n for c, n in shown.items() if c.isalpha()}
    count = sum(letters.values())
    digits = sum(n for c, n in shown.items() if c.isdigit())
    if count + digits < 0.45 * total:
        return True
    latin = sum(n for c, n in letters.items() if c < "\u0250")
    han = {c: n for c, n in letters.items() if "\u4e00" <= c <= "\u9fff"}
    hans = sum(han.values())
    if hans >= _ENOUGH and 2 * hans > count:
        return sum(n for c, n in han.items() if c in _common_han()) < 0.75 * hans
    if latin >= _ENOUGH and 2 * latin > count:
        vowels = sum(n for c, n in letters.items() if c < "\u0250" and c.casefold() in _VOWELS)
        return _strange_latin(text, vowels / latin)
    return count - latin - hans > 0.5 * count and count >= _ENOUGH and _mixed_scripts(letters)


def _is_control(c: str) -> bool:
    return unicodedata.category(c) in ("Cc", "Co", "Cn") or c == "\ufffd"


def _strange_latin(text: str, vowels: float) -> bool:
    found = Counter(_WORD.findall(text))
    judged = [(_oddness(word), n) for word, n in found.items()]
    count = sum(n for odd, n in judged if odd is not None)
    odd = sum(n for odd, n in judged if odd)
    return vowels < 0.2 or (vowels < 0.27 and odd > 0.4 * count) or odd > 0.7 * count


@lru_cache(maxsize=1 << 15)
def _oddness(word: str) -> bool | None:
    """Whether a word has no vowel, or capitals and other signs amid its letters.

    ``None`` for one of fewer than three letters. Words come again on the next page.
    """
    if sum(map(str.isalpha, word)) < 3:
        return None
    inner = word.strip("()[]{}«»“”‘’\"'.,;:!?")
    if not any(c.casefold() in _VOWELS for c in inner):
        return True
    signs = sum(not c.isalnum() and c not in "-–'’./@&" for c in inner)
    return signs >= 1 or bool(re.search(r"[a-z][A-Z]{2,}[a-z]|[a-z]\d[a-z]", inner))


def _mixed_scripts(letters: Iterable[str]) -> bool:
    """Whether letters of five or more scripts stand together."""
    scripts = {unicodedata.name(c, "?").partition(" ")[0] for c in letters}
    return len(scripts) >= 5


@cache
def _common_han() -> frozenset[str]:
    """Characters in common use: the first level of the Chinese and Japanese standards."""
    found: set[str] = set()
    for codec, first, last, low, high in (
        ("gb2312", 0xB0, 0xD7, 0xA1, 0xFE),
        ("big5", 0xA4, 0xC6, 0x40, 0xFE),
        ("euc_jp", 0xB0, 0xCF, 0xA1, 0xFE),
    ):
        for lead in range(first, last + 1):
            for trail in range(low, high + 1):
                found.update(bytes((lead, trail)).decode(codec, "ignore"))
    return frozenset(c for c in found if "\u4e00" <= c <= "\u9fff")
