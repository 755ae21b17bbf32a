"""Encodings of one byte a character, told apart by which letters follow which.

Read in a wrong encoding, a text shows capitals inside words, signs between letters, letters that
no language has together, or accents without a letter below. Each pair of neighbouring bytes is
judged so; no word lists and no language models are used.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from dataclasses import dataclass
from functools import cache

__all__ = ["Guess", "guess_single_byte"]

_MARKS = frozenset("–—‘’‚“”„•…«»‹›€£¥§©®°±²³´µ·º¼½¾¿¡ª×÷™\u00a0\u00ad№")
# Letters beyond ASCII, by language for Latin script, else by how common they are.
_LATIN = {
    "western": (
        "àâæçèéêëîïôœùûü", "äöüß", "áéíñóúü¿¡ºª", "áâãàçéêíóôõúüºª", "àèéìòù", "åäöéæø",
        "áðéíóúýþæö", "ëïéèöü",
    ),
    "central": (
        "ąćęłńóśźż", "áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "áéíóöőúüű", "ăâîșțşţ", "čćđšž",
        "äöüß",
    ),
    "turkish": ("çğıöşüâîû",),
    "baltic": ("āčēģīķļņšūž", "ąčęėįšųūž", "äöüõšž"),
}  # fmt: skip
_SCRIPTS = {
    "cyrillic": "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъёіїєґўђјљњћџ",
    "greek": "αοιεστνρηπκμυλςγδωχθφβξζψίάόέήύώϊϋΐΰ",
    "hebrew": "יוהלאתרבשמנדעחקפכםגסטזןצךףץ",
    "arabic": "اليمنوترعبدهفسقكحةجأصطخشضذزثغىظئإءآؤً،؟؛",
    "thai": "านรกอเงมยวลดท่ัีิ้สตะปบคหแจพชขใไุูโื็ำึ์ณธผถศภษฝญซฉฐฎฏฆฟฌฒฑฬฮๆฯ",
}
_ENCODINGS = (
    ("cp1252", "western"), ("cp1250", "central"), ("cp1251", "cyrillic"), ("koi8_r", "cyrillic"),
    ("cp1253", "greek"), ("iso8859_7", "greek"), ("cp1254", "turkish"), ("cp1255", "hebrew"),
    ("cp1256", "arabic"), ("cp874", "thai"), ("iso8859_2", "central"), ("cp1257", "baltic"),
    ("cp866", "cyrillic"), ("iso8859_5", "cyrillic"), ("koi8_u", "cyrillic"),
    ("mac_cyrillic", "cyrillic"), ("iso8859_15", "western"), ("mac_roman", "western"),
    ("cp850", "western"), ("mac_latin2", "central"), ("cp852", "central"),
)  # fmt: skip
_LEADING_THAI = frozenset("เแโใไ")


@dataclass(frozen=True, slots=True)
class Guess:
    """An encoding, how natural the text looks in it (at most 1), and the same of the next best."""

    encoding: str
    score: float
    second: float


def guess_single_byte(sample: bytes) -> Guess | None:
    """The best encoding for *sample*; ``None`` when all its bytes are ASCII."""
    pairs = Counter(zip(b" " + sample, sample, strict=False))
    pairs = Counter({pair: n for pair, n in pairs.items() if pair[0] >= 0x80 or pair[1] >= 0x80})
    if not pairs:
        return None
    scores: dict[str, float] = {}
    for encoding, kind in _ENCODINGS:
        scores[encoding] = max(_score(pairs, encoding, letters) for letters in _alphabets(kind))
    # Ties go to the encoding that is met more often: they stand in that order.
    best = max(scores, key=lambda encoding: round(scores[encoding], 3))
    shown = _text(sample[:4096], best)
    others = [s for e, s in scores.items() if _text(sample[:4096], e) != shown]
    return Guess(best, scores[best], max(others, default=0.0))


@cache
def _alphabets(kind: str) -> tuple[tuple[tuple[str, float], ...], ...]:
    if kind in _LATIN:
        return tuple(tuple((c, 1.0) for c in letters) for letters in _LATIN[kind])
    letters = _SCRIPTS[kind]
    return (tuple((c, 1 - 0.5 * n / len(letters)) for n, c in enumerate(letters)),)


@cache
def _table(encoding: str) -> tuple[str, ...]:
    return tuple(bytes([byte]).decode(encoding, "replace") for byte in range(256))


def _text(data: bytes, encoding: str) -> str:
    return data.decode(encoding, "replace")


def _score(
    pairs: Counter[tuple[int, int]], encoding: str, alphabet: tuple[tuple[str, float], ...]
) -> float:
    table, letters = _table(encoding), dict(alphabet)
    latin = max(letters) < "\u0250"
    total = count = 0.0
    for (before, byte), times in pairs.items():
        previous, char = table[before], table[byte]
        if byte >= 0x80:
            count += times
            total += times * (_worth(char, letters) - _clash(previous, char, latin))
        elif not latin and char.isalpha() and previous.isalpha():
            total -= times  # a word in two scripts
        elif _is_odd_after(previous, char):
            total -= 0.5 * times
    return total / count if count else 0.0


def _is_odd_after(previous: str, char: str) -> bool:
    """Whether the ASCII character *char* would hardly stand behind the foreign *previous*."""
    if not char.isalpha():
        return False
    sign = previous in _MARKS and previous not in "’\u00ad¿¡“„«‘\u00a0"
    return sign or (char.isupper() and previous.islower())


def _worth(char: str, letters: dict[str, float]) -> float:
    worth = letters.get(char.lower())
    if worth is not None:
        return worth
    if char in _MARKS:
        return 0.8
    if char.isalpha():
        return 0.0
    return 0.3 if unicodedata.category(char) in ("Sc", "Po", "Ps", "Pe", "Mn") else -1.0


def _clash(previous: str, char: str, latin: bool) -> float:
    """What speaks against *char* behind *previous*, 0 when nothing does."""
    letter = char.isalpha()
    if letter and previous.isalpha():
        if not latin and previous.isascii():
            return 1.0
        if char.isupper() and previous.islower():
            return 1.0
        if char.isupper():
            return 0.2  # whole words in capitals are rare
    if unicodedata.category(char) == "Mn" and not (
        previous.isalpha() or unicodedata.category(previous) == "Mn"
    ):
        return 1.0
    if previous in _LEADING_THAI and not letter:
        return 1.0
    if not letter and char in "¹²³¿¡º" and previous.isalpha() and latin:
        return 1.0
    return 0.0
