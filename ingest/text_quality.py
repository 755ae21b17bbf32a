"""Whether the text of a page can be what is printed there, without any dictionary.

A font without a character map gives other letters than those seen: shifted Latin letters, random
signs, or Han characters drawn by lot. Each of them breaks a habit that all languages keep.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

__all__ = ["looks_garbled"]

_ENOUGH = 60
"""Letters from which on habits can be told."""

_WORD = re.compile(r"\S+")
_VOWELS = frozenset("aeiouyàáâãäåæèéêëìíîïòóôõöøùúûüýœąęıőűůėīūāēō")
_FILL = frozenset("._-–—…·•=*|~")
"""Signs that stand in rows: leaders of contents, rules, blanks of forms."""


def looks_garbled(text: str) -> bool:
    """Whether *text* is no text of any language: control signs, no vowels, mixed case, rare Han.

    A suspicion, to be checked against the picture of the page before the text is given up.
    """
    shown = [c for c in text if not c.isspace() and c not in _FILL]
    letters = [c for c in shown if c.isalpha()]
    if len(shown) < _ENOUGH:
        return False
    controls = sum(unicodedata.category(c) in ("Cc", "Co", "Cn") or c == "\ufffd" for c in text)
    controls -= sum(text.count(c) for c in "\n\r\t\f\v")
    if controls > 0.1 * len(shown):
        return True
    digits = sum(c.isdigit() for c in shown)
    if len(letters) + digits < 0.45 * len(shown):
        return True
    latin = [c for c in letters if c < "\u0250"]
    han = [c for c in letters if "\u4e00" <= c <= "\u9fff"]
    other = len(letters) - len(latin) - len(han)
    if len(han) >= _ENOUGH and 2 * len(han) > len(letters):
        return sum(c in _common_han() for c in han) < 0.75 * len(han)
    if len(latin) >= _ENOUGH and 2 * len(latin) > len(letters):
        return _strange_latin(text, latin)
    return other > 0.5 * len(letters) and len(letters) >= _ENOUGH and _mixed_scripts(letters)


def _strange_latin(text: str, latin: list[str]) -> bool:
    vowels = sum(c.casefold() in _VOWELS for c in latin) / len(latin)
    words = [w for w in _WORD.findall(text) if sum(c.isalpha() for c in w) >= 3]
    odd = sum(_odd(word) for word in words)
    return vowels < 0.2 or (vowels < 0.27 and odd > 0.4 * len(words)) or odd > 0.7 * len(words)


def _odd(word: str) -> bool:
    """Whether a word has no vowel, or capitals and other signs amid its letters."""
    inner = word.strip("()[]{}«»“”‘’\"'.,;:!?")
    if not any(c.casefold() in _VOWELS for c in inner):
        return True
    signs = sum(not c.isalnum() and c not in "-–'’./@&" for c in inner)
    return signs >= 1 or bool(re.search(r"[a-z][A-Z]{2,}[a-z]|[a-z]\d[a-z]", inner))


def _mixed_scripts(letters: list[str]) -> bool:
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
