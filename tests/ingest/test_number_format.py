"""Numbers and dates as a spreadsheet shows them."""

from __future__ import annotations

import datetime as dt

import pytest

from chapterverse.ingest.number_format import is_date_code, plain_number, show_date, show_number

ACCOUNTING = '_(* #,##0.00_);_(* \\(#,##0.00\\);_(* "-"??_);_(@_)'


@pytest.mark.parametrize(
    ("value", "code", "shown"),
    [
        (0.256, "0%", "26%"),
        (0.256, "0.0%", "25.6%"),
        (1234567.5, "#,##0.00", "1234567.50"),
        (-1234.5, ACCOUNTING, "(1234.50)"),
        (0, ACCOUNTING, "-"),
        (12.5, "[$€-407] #,##0.00", "€ 12.50"),
        (-12.3, '"$"#,##0.00_);[Red]\\("$"#,##0.00\\)', "($12.30)"),
        (12.5, '0.00\\ "kg"', "12.50 kg"),
        (3_200_000, '0.0,,"M"', "3.2M"),
        (7, "000", "007"),
        (3, "0.##", "3"),
        (0.125, "0.00", "0.13"),
        (-0.001, "0.0", "0.0"),
        (1234, "0.00E+00", "1.23E+03"),
        (0.5, "# ?/?", "0.5"),
        (5, "@", "5"),
        (0, '0;-0;"n/a"', "n/a"),
        (0, "0;-0;;@", "0"),
        (-5, "[Red]0.0;[Blue]-0.0", "-5.0"),
        (0.1 + 0.2, "General", "0.3"),
        (12345678901234, "General", "12345678901234"),
        (1e300, "0.00", "1e+300"),
        (45000, "m/d/yyyy", "2023-03-15"),
        (45000.5, "m/d/yyyy h:mm", "2023-03-15 12:00"),
        (45000, "mmm-yy", "2023-03"),
        (45000, "yyyy", "2023"),
        (45000, 'yyyy"年"m"月"d"日"', "2023-03-15"),
        (0.75, "h:mm AM/PM", "18:00"),
        (1.5, "[h]:mm:ss", "36:00:00"),
        (59, "yyyy-mm-dd", "1900-02-28"),
        (61, "yyyy-mm-dd", "1900-03-01"),
        (-3, "yyyy-mm-dd", "-3"),
        (1e12, "yyyy-mm-dd", "1000000000000"),
    ],
)
def test_shown(value: float, code: str, shown: str) -> None:
    assert show_number(value, code) == shown


@pytest.mark.parametrize("value", [1e308, -1e308, 5e-324, 1.5e27, 1e40, -12.5])
@pytest.mark.parametrize(
    "code",
    ["0.00", "0.00%", "[h]:mm", "0." + "0" * 30, "0." + "0" * 300, "#" + "," * 200, "#,##0.00,,"],
)
def test_no_number_is_too_large_for_a_format(value: float, code: str) -> None:
    assert show_number(value, code)


def test_the_other_epoch() -> None:
    assert show_number(0, "yyyy-mm-dd", epoch_1904=True) == "1904-01-01"


def test_words_in_a_format_make_no_date() -> None:
    assert not is_date_code('0.0 "days"') and not is_date_code("[Red]0") and is_date_code("d mmm")
    assert not is_date_code("General")


def test_without_a_format() -> None:
    assert [plain_number(v) for v in (3.0, 2.5, -0.0, 1e-9)] == ["3", "2.5", "0", "1e-09"]
    assert show_date(dt.datetime(2024, 5, 1)) == "2024-05-01"
    assert show_date(dt.datetime(2024, 5, 1, 8, 30)) == "2024-05-01 08:30:00"
    assert show_date(dt.timedelta(hours=30)) == "30:00:00"


def test_digits_of_large_numbers_are_all_shown() -> None:
    assert show_number(1.5e27, "0.00") == "15" + "0" * 26 + ".00"
