"""Libraries that report to their makers are told not to."""

from __future__ import annotations

import os

__all__ = ["SILENCE", "silence"]

SILENCE = {
    # From 1.29 on, onnxruntime sends the names and hashes of models it opens to Microsoft.
    "ORT_DISABLE_TELEMETRY": "1",
    "ANONYMIZED_TELEMETRY": "False",
}
"""Variables of the environment; onnxruntime and chromadb look at them when they are loaded."""


def silence() -> None:
    """Set what :data:`SILENCE` names, unless the user has; call before such a library is loaded."""
    for name, value in SILENCE.items():
        os.environ.setdefault(name, value)
