"""Numbers and dates as a spreadsheet shows them.

Format codes are those of ECMA-376, part 1, 18.8.30/31. Two things differ from the screen:
thousands are not set apart (``1234567``, so that a search finds the number), and dates are written
as ISO 8601 dates as far as their format shows them.
"""

from __future__ import annotations

import datetime as dt
import re
from functools import lru_cache

__all__ = ["BUILTIN", "is_date_code", "plain_number", "show_date", "show_number"]

BUILTIN = {
    0: "General", 1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%",
    11: "0.00E+00", 12: "# ?/?", 13: "# ??/??", 14: "yyyy-mm-dd", 15: "d-mmm-yy", 16: "d-mmm",
    17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm", 21: "h:mm:ss",
    22: "yyyy-mm-dd h:mm", 37: "#,##0;(#,##0)", 38: "#,##0;(#,##0)", 39: "#,##0.00;(#,##0.00)",
    40: "#,##0.00;(#,##0.00)", 41: "#,##0;-#,##0;-", 42: "$#,##0;-$#,##0;-",
    43: "#,##0.00;-#,##0.00;-", 44: "$#,##0.00;-$#,##0.00;-", 45: "mm:ss", 46: "[h]:mm:ss",
    47: "mm:ss.0", 48: "##0.0E+0", 49: "@",
    # East Asian editions of Excel write these without defining them.
    27: "yyyy-mm", 28: "yyyy-mm-dd", 29: "yyyy-mm-dd", 30: "yyyy-mm-dd", 31: "yyyy-mm-dd",
    32: "h:mm", 33: "h:mm:ss", 34: "h:mm", 35: "h:mm:ss", 36: "yyyy-mm", 50: "yyyy-mm",
    51: "yyyy-mm-dd", 52: "yyyy-mm", 53: "yyyy-mm-dd", 54: "yyyy-mm-dd", 55: "h:mm",
    56: "h:mm:ss", 57: "yyyy-mm", 58: "yyyy-mm-dd",
}  # fmt: skip
"""Codes of the number formats that files refer to without defining them, by id."""

_TOKEN = re.compile(r'"([^"]*)"|\\(.)|_.|\*.|\[([^\]]*)\]|(AM/PM|A/P)|(General)|(.)', re.S | re.I)
_LITERAL = frozenset("$€£¥￥₹₩+-/(): !^&'~{}<>=%")
_MOST_PLACES = 30
"""No program shows more decimal places."""
_LAST_DAY = 2_958_466
"""First serial day that no calendar has (10000-01-01)."""
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def plain_number(value: float) -> str:
    """*value* without a format: at most eleven significant digits, as in a cell of its width."""
    if abs(value) < 1e15 and value == int(value):
        return str(int(value))
    text = f"{value:.11g}"
    return text if "e" not in text or abs(value) < 1e-6 or abs(value) >= 1e15 else f"{value:.0f}"


@lru_cache(maxsize=512)
def is_date_code(code: str) -> bool:
    """Whether *code* shows a date or a time."""
    return bool(_date_letters(_first_section(code)))


def _first_section(code: str) -> str:
    return _sections(code)[0]


@lru_cache(maxsize=512)
def _sections(code: str) -> tuple[str, ...]:
    parts = re.findall(r'((?:"[^"]*"|\\.|[^;"\\]|["\\])*?)(?:;|$)', code)
    # The pattern also matches the nothing behind the last section.
    return tuple(parts[:-1] if len(parts) > 1 and not code.endswith(";") else parts) or ("",)


def _date_letters(section: str) -> str:
    letters = ""
    for match in _TOKEN.finditer(section):
        bracket, half, general, char = match.group(3, 4, 5, 6)
        if general:
            return ""
        if bracket is not None and re.fullmatch(r"h+|m+|s+", bracket, re.I):
            letters += bracket.lower()
        elif half:
            letters += "h"
        elif char and char.lower() in "ymdhs":
            letters += char.lower()
        elif char in ("0", "#", "?") and not letters:
            return ""
    return letters


@lru_cache(maxsize=65_536)
def show_number(value: float, code: str = "General", epoch_1904: bool = False) -> str:
    """*value* as a cell with format *code* shows it; a day number for date formats."""
    if value != value or value in (float("inf"), float("-inf")):
        return str(value)
    if is_date_code(code):
        shown = _show_serial(value, _date_letters(_first_section(code)), code, epoch_1904)
        return plain_number(value) if shown is None else shown
    section, value = _pick(value, code)
    # A format may hide zeros on screen; the cell still holds one.
    return _fill(section, value).strip() or plain_number(value)


def _pick(value: float, code: str) -> tuple[str, float]:
    """The section of *code* for *value*; a section for negative numbers shows no sign itself."""
    sections = _sections(code)
    if value < 0 and len(sections) > 1 and sections[1]:
        return sections[1], -value
    if value == 0 and len(sections) > 2 and sections[2]:
        return sections[2], value
    return sections[0], value


def _fill(section: str, value: float) -> str:
    before, digits, after, percent = _parse(section)
    if digits is None:
        # Only words: "n/a" for zero, say. The format "@" shows the number itself.
        return before if before.strip() else plain_number(value)
    if digits == "General":
        return f"{before}{plain_number(value)}{after}"
    value = value * 100 if percent else value
    core, scale = digits.rstrip(","), len(digits) - len(digits.rstrip(","))
    sign = "-" if value < 0 else ""
    shown = _digits(abs(value) / 1000.0 ** min(scale, 100), core)
    sign = "" if not shown.strip("0.") else sign
    return f"{sign}{before}{shown}{after}"


@lru_cache(maxsize=512)
def _parse(section: str) -> tuple[str, str | None, str, bool]:
    """Text before the digits, the digits' pattern, text behind, and whether it is a per cent."""
    before = after = digits = ""
    percent = False
    for match in _TOKEN.finditer(section):
        quoted, escaped, bracket, _half, general, char = match.groups()
        literal = quoted if quoted is not None else escaped
        if bracket is not None and bracket.startswith("$"):
            literal = bracket[1:].partition("-")[0]
        elif char == "%":
            percent, literal = True, "%"
        elif general:
            digits = "General"
        elif char and _belongs(char, digits):
            digits += char
        elif char and char != "@" and (char in _LITERAL or ord(char) > 127):
            literal = char
        if literal:
            before, after = (before, after + literal) if digits else (before + literal, after)
    return before, digits or None, after, percent


def _belongs(char: str, digits: str) -> bool:
    """Whether *char* goes on with the pattern *digits* (or begins it)."""
    if char in "+-":
        return digits[-1:] in ("E", "e")
    return char in "0#?.,Ee" or (char == "/" and digits != "")


def _digits(value: float, pattern: str) -> str:
    if "/" in pattern:
        return plain_number(value)
    mantissa, e, _ = pattern.upper().partition("E")
    places = mantissa.partition(".")[2].replace(",", "")
    if e:
        return f"{value:.{len(places)}E}"
    # Excel rounds halves up in decimal; the shortest form of a float is what people typed.
    from decimal import ROUND_HALF_UP, Context, Decimal

    exact = Decimal(repr(value))
    if exact.is_infinite() or exact.adjusted() > 40 or len(places) > _MOST_PLACES:
        return plain_number(value)
    wide = Context(prec=50 + _MOST_PLACES, rounding=ROUND_HALF_UP)
    text = f"{exact.quantize(Decimal(1).scaleb(-len(places)), context=wide):f}"
    fixed = len(places) - len(places.rstrip("#?"))
    for _ in range(fixed):
        if not text.endswith("0"):
            break
        text = text[:-1]
    text = text.rstrip(".")
    wanted = mantissa.partition(".")[0].count("0")
    whole, dot, rest = text.partition(".")
    if not wanted and whole == "0" and not rest:
        return ""
    return f"{whole.rjust(wanted, '0')}{dot}{rest}"


def _show_serial(value: float, letters: str, code: str, epoch_1904: bool) -> str | None:
    """A day number as date, time or duration; ``None`` when no calendar has that day."""
    if re.search(r"\[(?:h+|m+|s+)\]", code, re.I):
        if abs(value) > _LAST_DAY:
            return None
        seconds = round(abs(value) * 86_400)
        sign = "-" if value < 0 else ""
        return f"{sign}{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    if not 0 <= value < _LAST_DAY:
        return None
    if epoch_1904:
        start = dt.datetime(1904, 1, 1)
    else:
        # Day 60 is 29 February 1900, which never was; the days before it count one more.
        start = dt.datetime(1899, 12, 30 if value >= 60 else 31)
    try:
        moment = start + dt.timedelta(seconds=round(value * 86_400))
    except OverflowError:
        return None
    return _show_moment(moment, letters)


def _show_moment(moment: dt.datetime, letters: str) -> str:
    has_day, timed = "d" in letters, "h" in letters or "s" in letters
    time = f"{moment:%H:%M:%S}" if "s" in letters else f"{moment:%H:%M}"
    if timed and not has_day and "y" not in letters:
        return time
    months = letters.count("m") if not timed else 1
    if not has_day and not timed and "m" in letters:
        return f"{moment:%Y-%m}" if "y" in letters else _MONTHS[moment.month - 1]
    if not has_day and not timed and not months:
        return f"{moment.year}"
    return f"{moment:%Y-%m-%d} {time}" if timed else f"{moment:%Y-%m-%d}"


def show_date(value: dt.date | dt.datetime | dt.time | dt.timedelta) -> str:
    """A date or time without a format: ISO 8601, a time of midnight left out."""
    if isinstance(value, dt.timedelta):
        seconds = round(value.total_seconds())
        return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    if isinstance(value, dt.datetime):
        midnight = value.time() == dt.time()
        return f"{value:%Y-%m-%d}" if midnight else f"{value:%Y-%m-%d %H:%M:%S}"
    return value.isoformat()
