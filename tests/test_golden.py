"""Golden files are not rewritten by accident."""

from __future__ import annotations

import os


def test_golden_files_are_compared_not_written() -> None:
    assert "UPDATE_GOLDEN" not in os.environ, "golden files were written: read the difference"
