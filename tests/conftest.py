"""Every test starts without the settings of the machine it runs on."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# The cache of converted models is kept: making it again would cost each run a minute.
KEPT = {"CHAPTERVERSE_CACHE"}

# A shell starts background jobs with Ctrl-C ignored, and so would all processes that tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Timing says something about the machine, not about the code: no example is too slow.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Unset ``CHAPTERVERSE_*`` and switch off what dependencies would send or fetch."""
    for name in list(os.environ):
        if name.startswith("CHAPTERVERSE_") and name not in KEPT:
            monkeypatch.delenv(name)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("ANONYMIZED_TELEMETRY", "False")
    monkeypatch.setenv("DO_NOT_TRACK", "true")
    # A stray chapterverse.toml or ./kb of the working folder must not be read or written.
    monkeypatch.chdir(tmp_path)
