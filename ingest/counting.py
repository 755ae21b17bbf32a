"""Numbers in the counting systems of lists in office documents (ECMA-376, ST_NumberFormat)."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["format_number"]

_MOST = 32_767
_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"),
    (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_STEMS = "甲乙丙丁戊己庚辛壬癸"
_BRANCHES = "子丑寅卯辰巳午未申酉戌亥"
_AIUEO = (
    "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン"
)
_IROHA = (
    "イロハニホヘトチリヌルヲワカヨタレソツネナラムウ"
    "ヰノオクヤマケフコエテアサキユメミシヱヒモセスン"
)
_RUSSIAN = "абвгдежзиклмнопрстуфхцчшщыэюя"
_GANADA = "가나다라마바사아자차카타파하"
_CHOSUNG = "ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ"
_HEBREW = "אבגדהוזחטיכלמנסעפצקרשת"
_ARABIC = "أبتثجحخدذرزسشصضطظعغفقكلمنهوي"
_CARDINALS = (
    "Zero", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten",
    "Eleven", "Twelve", "Thirteen", "Fourteen", "Fifteen", "Sixteen", "Seventeen", "Eighteen",
    "Nineteen",
)  # fmt: skip
_TENS = ("Twenty", "Thirty", "Forty", "Fifty", "Sixty", "Seventy", "Eighty", "Ninety")
_ORDINALS = {
    "One": "First", "Two": "Second", "Three": "Third", "Five": "Fifth", "Eight": "Eighth",
    "Nine": "Ninth", "Twelve": "Twelfth",
}  # fmt: skip


def format_number(value: int, form: str) -> str:
    """*value* as the number format *form* shows it; in digits where the form is not known."""
    maker = _FORMS.get(form)
    if maker is None or not 0 <= value <= _MOST:
        return str(value)
    return maker(value) or str(value)


def _roman(value: int) -> str:
    if value >= 4000:
        return ""
    text = ""
    for size, numeral in _ROMAN:
        count, value = divmod(value, size)
        text += numeral * count
    return text


def _letters(value: int) -> str:
    # Word goes on with aa, bb, cc, not with aa, ab, ac.
    return chr(ord("a") + (value - 1) % 26) * ((value - 1) // 26 + 1) if 0 < value <= 780 else ""


def _cycle(signs: str) -> Callable[[int], str]:
    return lambda value: signs[(value - 1) % len(signs)] if value else ""


def _from(first: int, last: int) -> Callable[[int], str]:
    """Signs of Unicode that stand in a row for the numbers from 1 to *last*."""
    return lambda value: chr(first + value - 1) if 1 <= value <= last else ""


def _digits(signs: str) -> Callable[[int], str]:
    return lambda value: "".join(signs[int(digit)] for digit in str(value))


def _han(
    digits: str, units: str, *, zero: str = "", one_ten: bool = False, ones: bool = True
) -> Callable[[int], str]:
    """Counting with signs for ten, hundred, thousand and ten thousand.

    *zero* fills a gap (``一百零一``). With *one_ten*, ten to nineteen begin with a one
    (``壹拾``). Without *ones*, no one stands before any unit (``百``).
    """

    def below(value: int) -> str:
        text, gap = "", False
        for power in (3, 2, 1, 0):
            digit = value // 10**power % 10
            if digit == 0:
                gap = bool(text)
                continue
            text += zero if gap else ""
            gap = False
            bare = power > 0 and digit == 1 and (not ones or (power == 1 and not text))
            text += ("" if bare and not one_ten else digits[digit]) + (
                units[power - 1] if power else ""
            )
        return text

    def count(value: int) -> str:
        if value == 0:
            return digits[0]
        high, low = divmod(value, 10_000)
        filler = zero if high and 0 < low < 1000 else ""
        return (below(high) + units[3] if high else "") + filler + below(low)

    return count


def _to_ninety_nine(
    count: Callable[[int], str], digits: Callable[[int], str]
) -> Callable[[int], str]:
    return lambda value: count(value) if value < 100 else digits(value)


def _cardinal(value: int) -> str:
    if value < 20:
        return _CARDINALS[value]
    if value < 100:
        tens, rest = divmod(value, 10)
        return _TENS[tens - 2] + (f"-{_CARDINALS[rest].lower()}" if rest else "")
    return ""


def _ordinal_word(value: int) -> str:
    words = _cardinal(value)
    head, dash, last = words.rpartition("-")
    found = _ORDINALS.get(last.capitalize())
    if found is None:
        found = f"{last[:-1]}ieth" if last.endswith("y") else f"{last}th" if last else ""
    return f"{head}-{found.lower()}" if dash else found


def _ordinal(value: int) -> str:
    teen = 10 <= value % 100 <= 20
    return f"{value}{'th' if teen else {1: 'st', 2: 'nd', 3: 'rd'}.get(value % 10, 'th')}"


def _sexagenary(value: int) -> str:
    return _STEMS[(value - 1) % 10] + _BRANCHES[(value - 1) % 12] if value else ""


_SIMPLE = "〇一二三四五六七八九"
_CHINESE = _han("零一二三四五六七八九", "十百千万", zero="零")
_TAIWANESE = _han("零一二三四五六七八九", "十百千萬", zero="零")
_IDEOGRAPHS = _digits(_SIMPLE)

_FORMS: dict[str, Callable[[int], str]] = {
    "decimal": str,
    "decimalZero": lambda value: f"{value:02d}",
    "lowerRoman": _roman,
    "upperRoman": lambda value: _roman(value).upper(),
    "lowerLetter": _letters,
    "upperLetter": lambda value: _letters(value).upper(),
    "ordinal": _ordinal,
    "cardinalText": _cardinal,
    "ordinalText": _ordinal_word,
    "hex": lambda value: f"{value:X}",
    "numberInDash": lambda value: f"- {value} -",
    "decimalEnclosedCircle": _from(0x2460, 20),
    "decimalEnclosedCircleChinese": _from(0x2460, 20),
    "decimalEnclosedParen": _from(0x2474, 20),
    "decimalEnclosedFullstop": _from(0x2488, 20),
    "ideographEnclosedCircle": _from(0x3280, 10),
    "decimalFullWidth": _digits("０１２３４５６７８９"),
    "decimalFullWidth2": _digits("０１２３４５６７８９"),
    "chineseCounting": _to_ninety_nine(_CHINESE, _IDEOGRAPHS),
    "chineseCountingThousand": _CHINESE,
    "chineseLegalSimplified": _han("零壹贰叁肆伍陆柒捌玖", "拾佰仟万", zero="零", one_ten=True),
    "ideographLegalTraditional": _han("零壹貳參肆伍陸柒捌玖", "拾佰仟萬", zero="零", one_ten=True),
    "ideographDigital": _IDEOGRAPHS,
    "taiwaneseCounting": _to_ninety_nine(_TAIWANESE, _IDEOGRAPHS),
    "taiwaneseCountingThousand": _TAIWANESE,
    "taiwaneseDigital": _IDEOGRAPHS,
    "japaneseCounting": _han(_SIMPLE, "十百千万", ones=False),
    "japaneseLegal": _han("〇壱弐参四伍六七八九", "拾百阡萬", one_ten=True),
    "japaneseDigitalTenThousand": _IDEOGRAPHS,
    "koreanDigital": _digits("영일이삼사오육칠팔구"),
    "koreanDigital2": _digits("零一二三四五六七八九"),
    "koreanCounting": _han("영일이삼사오육칠팔구", "십백천만", ones=False),
    "ideographTraditional": _cycle(_STEMS),
    "ideographZodiac": _cycle(_BRANCHES),
    "ideographZodiacTraditional": _sexagenary,
    "aiueo": _cycle(_AIUEO),
    "aiueoFullWidth": _cycle(_AIUEO),
    "iroha": _cycle(_IROHA),
    "irohaFullWidth": _cycle(_IROHA),
    "ganada": _cycle(_GANADA),
    "chosung": _cycle(_CHOSUNG),
    "russianLower": _cycle(_RUSSIAN),
    "russianUpper": _cycle(_RUSSIAN.upper()),
    "hebrew2": _cycle(_HEBREW),
    "arabicAlpha": _cycle(_ARABIC),
}
