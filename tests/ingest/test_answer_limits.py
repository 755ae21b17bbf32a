"""Tables near the limits: read, or refused with the name of the limit; never a crash."""

from __future__ import annotations

import io
from pathlib import Path

import openpyxl
import pytest

from chapterverse.ingest.pool import ParseJob, ParseOutcome, ParsePool
from chapterverse.schema.errors import TooLarge
from chapterverse.schema.parse_limits import ParseLimits
from tests.ingest.sheet_files import ods, ods_table

ROWS = 400


def files() -> dict[str, bytes]:
    rows = [("part", "hours", "words")]
    rows += [(f"part {n}", str(n), "seal ring pump " * 8) for n in range(ROWS)]
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("Data")
    for row in rows:
        sheet.append(row)
    buffer = io.BytesIO()
    book.save(buffer)
    return {
        "a.csv": "\n".join(",".join(row) for row in rows).encode(),
        "a.xlsx": buffer.getvalue(),
        "a.ods": ods(ods_table("Data", *rows)),
    }


def outcomes(folder: Path, answer_bytes: int) -> list[ParseOutcome]:
    jobs = []
    for name, data in files().items():
        path = folder / name
        path.write_bytes(data)
        jobs.append(ParseJob(path, name))
    limits = ParseLimits(base_seconds=120, answer_bytes=answer_bytes, processes=1)
    with ParsePool(limits) as pool:
        return list(pool.parse(jobs))


@pytest.mark.parametrize("answer_bytes", [64 << 10, 4 << 20])
def test_a_table_is_read_or_the_limit_is_named(tmp_path: Path, answer_bytes: int) -> None:
    found = outcomes(tmp_path, answer_bytes)
    assert len(found) == 3
    for outcome in found:
        if answer_bytes > 1 << 20:
            assert outcome.error is None and outcome.parsed is not None
            assert outcome.parsed.assets[-1].text.count("\n") == ROWS
        else:
            assert isinstance(outcome.error, TooLarge)
            assert "raise answer_bytes or split the document" in str(outcome.error)
