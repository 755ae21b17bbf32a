"""Parsing limits refuse values that cannot work, by name."""

from __future__ import annotations

import re

import pytest

from chapterverse.schema.errors import SettingsError
from chapterverse.schema.parse_limits import ParseLimits


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("max_bytes", 0),
        ("max_pages", 0),
        ("memory_bytes", 1 << 20),
        ("answer_bytes", 1),
        ("base_seconds", 0),
        ("base_seconds", float("nan")),
        ("seconds_per_page", -1),
        ("processes", 0),
    ],
)
def test_limit_out_of_bounds_is_named_with_its_value(name: str, value: float) -> None:
    with pytest.raises(SettingsError, match=re.escape(f"{name} is {value:,}, ")):
        ParseLimits(**{name: value})  # type: ignore[arg-type]


def test_time_grows_with_pages_up_to_the_limit() -> None:
    limits = ParseLimits(max_pages=10, base_seconds=30, seconds_per_page=2)
    assert [limits.seconds(pages) for pages in (0, 3, 10, 99)] == [30, 36, 50, 50]
