"""Characters of symbol fonts, which Word keeps as codes of the private use area, as Unicode."""

from __future__ import annotations

import re

__all__ = ["UNKNOWN", "has_symbols", "symbol"]

UNKNOWN = "\ufffd"
"""Stands for a sign of a font whose signs are not known."""

_PRIVATE = re.compile("[\uf020-\uf0ff]")

# The encoding of Adobe's Symbol font, from 0x20 to 0x7e and from 0xa1 to 0xfe.
_SYMBOL_LOW = (
    " !∀#∃%&∋()∗+,−./0123456789:;<=>?"
    "≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"
)
_SYMBOL_HIGH = (
    "ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪"
    "€〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭"
)
_SYMBOL = {0x20 + i: sign for i, sign in enumerate(_SYMBOL_LOW)}
_SYMBOL |= {0xA1 + i: sign for i, sign in enumerate(_SYMBOL_HIGH)}
_WINGDINGS = {
    0x20: " ", 0x21: "✏", 0x22: "✂", 0x28: "☎", 0x2A: "✉", 0x36: "⌛", 0x3E: "✇", 0x3F: "✍",
    0x41: "✌", 0x45: "☜", 0x46: "☞", 0x47: "☝", 0x48: "☟", 0x4A: "☺", 0x4B: "😐", 0x4C: "☹",
    0x51: "✈", 0x52: "☼", 0x6C: "●", 0x6D: "❍", 0x6E: "■", 0x6F: "□", 0x70: "□", 0x71: "❑",
    0x72: "❒", 0x73: "⬧", 0x74: "⧫", 0x75: "◆", 0x76: "❖", 0x77: "⬥", 0x78: "⌧", 0x9F: "•",
    0xA0: "▪", 0xA1: "○", 0xA4: "◉", 0xA7: "▪", 0xA8: "◻", 0xAB: "★", 0xAC: "✶", 0xB2: "⟡",
    0xD8: "➢", 0xDF: "←", 0xE0: "→", 0xE1: "↑", 0xE2: "↓", 0xE7: "⇦", 0xE8: "➔", 0xE9: "⇧",
    0xEA: "⇩", 0xEF: "⇦", 0xF0: "⇨", 0xF1: "⇧", 0xF2: "⇩", 0xFB: "✗", 0xFC: "✓", 0xFD: "☒",
    0xFE: "☑",
}  # fmt: skip
_WINGDINGS |= {0x80 + i: chr(0x24EA if not i else 0x2460 + i - 1) for i in range(11)}
_WINGDINGS |= {0x8B + i: chr(0x24FF if not i else 0x2776 + i - 1) for i in range(11)}
_WINGDINGS_2 = {
    0x4F: "✗", 0x50: "✓", 0x51: "☒", 0x52: "☑", 0x53: "☒", 0x54: "☒", 0x96: "•", 0x97: "•",
    0x98: "●", 0xA2: "◼", 0xA3: "◻",
}  # fmt: skip
_FONTS = {"symbol": _SYMBOL, "wingdings": _WINGDINGS, "wingdings 2": _WINGDINGS_2}


def symbol(text: str, font: str = "symbol") -> str:
    """*text* with private-use codes written as what *font* shows for them."""
    signs = _FONTS.get(font.strip().lower())
    if signs is None:
        # Any other font of this kind would show pictures that no text can hold.
        return _PRIVATE.sub(UNKNOWN, text)
    return _PRIVATE.sub(lambda found: signs.get(ord(found[0]) - 0xF000, UNKNOWN), text)


def has_symbols(text: str) -> bool:
    """Whether *text* holds codes of a symbol font."""
    return bool(_PRIVATE.search(text))
