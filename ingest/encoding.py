"""Bytes of a text file to characters.

Order: byte order mark, UTF-32 and UTF-16 by where their NUL bytes stand, ISO-2022-JP by escapes,
UTF-8, other UTF-16 without mark, then the legacy encodings: those of East Asia by how many of
their characters fall into the charset's own block of common ones, those of one byte a character by
:mod:`chapterverse.ingest.single_bytes`. What neither knows goes to charset-normalizer.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from chapterverse.ingest.single_bytes import guess_single_byte

__all__ = ["Decoded", "control_share", "decode"]

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE = 65_536
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f\ufffe\uffff]")
# A byte sequence of UTF-8 with two or more bytes; other encodings rarely form many by accident.
_UTF8_MULTIBYTE = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}")


_EAST_ASIAN = ("gb18030", "big5", "cp932", "euc_jp", "euc_kr")
_HIGH_RUN = re.compile(rb"[\x80-\xff]+")
_ISO_2022_JP = re.compile(rb"\x1b\$[@B][!-~]{2}")
_GOOD, _PLAUSIBLE = 0.75, 0.6


@dataclass(frozen=True, slots=True)
class Decoded:
    """The characters, the encoding they came in, and how many bytes made no sense in it.

    ``confidence`` in 0..1 says how sure the encoding is: 1 where a mark or UTF-8 leaves no doubt.
    """

    text: str
    encoding: str
    replaced: int = 0
    confidence: float = 1.0


def decode(data: bytes, declared: str | None = None) -> Decoded:
    """The text of *data*, without byte order mark and with ``\\n`` line ends.

    *declared* is what the file says of itself (an HTML ``charset``); it is believed when the
    bytes agree with it. Never raises: bytes without meaning become U+FFFD and are counted.
    """
    found = _decode(data, declared)
    text = found.text.replace("\r\n", "\n").replace("\r", "\n")
    return Decoded(text, found.encoding, found.replaced, found.confidence)


def control_share(text: str) -> float:
    """Share of characters that no text file has (NUL and other controls), 0..1."""
    return len(_CONTROL.findall(text)) / max(1, len(text))


def _decode(data: bytes, declared: str | None) -> Decoded:
    for bom, marked in _BOMS:
        if data.startswith(bom):
            return _lenient(data[len(bom) :], marked)
    wide = _wider(data) or _wide(data)
    # ASCII as UTF-16 is valid UTF-8 as well, with a NUL beside each letter.
    if wide is not None and data[:_SAMPLE].count(0) * 3 > len(data[:_SAMPLE]):
        return wide
    if _ISO_2022_JP.search(data[:_SAMPLE]):
        text = _strict(data, "iso2022_jp")
        if text is not None:
            return Decoded(text, "iso2022_jp", confidence=0.99)
    text = _strict(data, "utf-8")
    if text is not None:
        return Decoded(text, "utf-8")
    text = _strict(data, declared) if declared else None
    if text is not None:
        return Decoded(text, (declared or "").lower(), confidence=0.95)
    if wide is not None:
        return wide
    if _is_damaged_utf8(data):
        return _lenient(data, "utf-8", 0.9)
    return _legacy(data)


def _strict(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        return None


def _lenient(data: bytes, encoding: str, confidence: float = 1.0) -> Decoded:
    text = data.decode(encoding, "replace")
    return Decoded(text, encoding, text.count("\ufffd"), confidence)


def _wider(data: bytes) -> Decoded | None:
    """UTF-32 without a mark: the upper half of every character is nearly empty."""
    sample = data[: _SAMPLE // 4 * 4]
    if len(data) % 4 or not sample or sample.count(0) * 2 < len(sample):
        return None
    for encoding, top in (("utf-32-le", 3), ("utf-32-be", 0)):
        if not any(sample[top::4]):
            text = _strict(data, encoding)
            if text is not None:
                return Decoded(text, encoding, confidence=0.98)
    return None


def _wide(data: bytes) -> Decoded | None:
    """UTF-16 without a mark; needs a NUL byte, as every file with spaces or line ends has."""
    if b"\0" not in data[:_SAMPLE]:
        return None
    # Letters of ASCII have their NUL in front or behind; read the wrong way they look Chinese.
    front = data[:_SAMPLE:2].count(0) > data[1:_SAMPLE:2].count(0)
    for encoding in ("utf-16-be", "utf-16-le") if front else ("utf-16-le", "utf-16-be"):
        text = _strict(data[: len(data) // 2 * 2], encoding)
        if text and sum(_is_common(char) for char in text[:_SAMPLE]) >= 0.95 * len(text[:_SAMPLE]):
            return Decoded(text, encoding, confidence=0.95)
    return None


def _is_common(char: str) -> bool:
    code = ord(char)
    return (
        char in "\t\n\r"
        or 0x20 <= code < 0x250
        or 0x370 <= code < 0x530
        or 0x2010 <= code < 0x2030
        or 0x3000 <= code < 0x3100
        or 0x4E00 <= code < 0xA000
        or 0xAC00 <= code < 0xD7A4
        or 0xFF00 <= code < 0xFFF0
    )


def _is_damaged_utf8(data: bytes) -> bool:
    sample = data[:_SAMPLE]
    high = sum(byte >= 0x80 for byte in sample)
    in_sequences = sum(len(match) for match in _UTF8_MULTIBYTE.findall(sample))
    return high > 0 and in_sequences >= 0.9 * high and in_sequences >= 6


def _legacy(data: bytes) -> Decoded:
    sample = data[:_SAMPLE]
    high = sum(byte >= 0x80 for byte in sample)
    single = guess_single_byte(sample)
    scores = {encoding: _plausibility(sample, encoding) for encoding in _EAST_ASIAN}
    best = max(_EAST_ASIAN, key=lambda encoding: scores[encoding])
    east, alone = scores[best], 0.0 if single is None else single.score
    if _looks_korean(sample) and alone < 0.75:
        return _lenient(data, "cp949", _sure(0.97, 0.5, high // 2))
    if single is not None and alone >= _GOOD and (alone + 0.1 >= east or _is_western(sample)):
        return _lenient(data, single.encoding, _sure(alone, max(single.second, east - 0.3), high))
    if east > _PLAUSIBLE:
        # Microsoft's supersets also hold the characters that vendors added to the standards.
        second = max((s for e, s in scores.items() if e != best), default=0.0)
        encoding = {"big5": "cp950", "euc_kr": "cp949"}.get(best, best)
        return _lenient(data, encoding, _sure(east, max(second, alone), high // 2))
    if single is not None and (alone > _PLAUSIBLE or high < 8):
        return _lenient(data, single.encoding, round(_sure(alone, single.second, high) * 0.8, 2))
    from charset_normalizer import from_bytes

    guess = from_bytes(sample).best()
    encoding = guess.encoding if guess is not None else "cp1252"
    return _lenient(data, encoding, 0.3)


def _sure(score: float, second: float, characters: int) -> float:
    """How sure a guess is: natural text, nothing near it, and enough characters to tell."""
    natural = min(1.0, max(0.0, score) / 0.85)
    lead = min(1.0, 0.7 + 2 * max(0.0, score - second))
    return round(natural * lead * characters / (characters + 3), 2)


def _is_western(sample: bytes) -> bool:
    """Whether the high bytes stand alone among ASCII, as accents and typographic marks do."""
    runs = _HIGH_RUN.findall(sample)
    return sum(len(run) == 1 for run in runs) >= 0.8 * len(runs)


def _plausibility(sample: bytes, encoding: str) -> float:
    """Share of the non-ASCII characters that are everyday ones of *encoding*; 0 when invalid."""
    # Not final: the sample may end inside a character.
    text = codecs.getincrementaldecoder(encoding)("replace").decode(sample)
    foreign = [char for char in text if ord(char) >= 0x80]
    broken = foreign.count("\ufffd")
    if not foreign or broken > len(foreign) // 50:
        return 0.0
    return sum(_is_everyday(char, encoding) for char in foreign) / len(foreign)


def _looks_korean(sample: bytes) -> bool:
    """Whether all letters are hangul of EUC-KR, with spaces between words.

    Hangul takes half of the rows in which GB 2312 and JIS have their common characters, so a
    Korean text looks like good Chinese; the reverse hardly ever holds over eight letters.
    """
    text = sample.decode("cp949", "replace")
    letters = [char for char in text if ord(char) >= 0x80 and char.isalpha()]
    spaced = text.count(" ") * 12 >= len(letters) >= 8
    return spaced and all(0xAC00 <= ord(char) <= 0xD7A3 for char in letters)


def _is_everyday(char: str, encoding: str) -> bool:
    code = ord(char)
    if 0x3001 <= code <= 0x301F or char in "，．。：；？！（）％—…“”‘’·《》「」『』、\u3000":
        return True
    try:
        pair = char.encode(encoding)
    except UnicodeEncodeError:
        return False
    if len(pair) != 2:
        return False
    lead, trail = pair
    if encoding == "gb18030":
        return 0xB0 <= lead <= 0xD7 and trail >= 0xA1
    if encoding == "big5":
        return 0xA4 <= lead <= 0xC6
    if encoding == "euc_kr":
        return 0xAC00 <= code <= 0xD7A3
    return 0x3041 <= code <= 0x30FE or (0x4E00 <= code <= 0x9FFF and _is_jis_level_1(char))


def _is_jis_level_1(char: str) -> bool:
    try:
        return 0xB0 <= char.encode("euc_jp")[0] <= 0xCF
    except UnicodeEncodeError:
        return False
