"""Every format that is read is described, and no other."""

from __future__ import annotations

import re
from pathlib import Path

from chapterverse.ingest.readers import READERS

PAGE = Path(__file__).resolve().parents[1] / "docs" / "formats.md"


def described() -> list[str]:
    """Media types of the first table, in order."""
    table = PAGE.read_text(encoding="utf-8").split("## What is read")[0]
    rows = [line for line in table.splitlines() if line.startswith("| ")][2:]
    return [kind for row in rows for kind in re.findall(r"`(\w+/[\w.+-]+)`", row)]


def test_every_format_with_a_reader_is_described_once() -> None:
    found = described()
    assert set(READERS) - set(found) == set()
    assert set(found) - set(READERS) == set()
    assert len(found) == len(set(found))
