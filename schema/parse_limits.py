"""How much one document may cost before its parsing is stopped."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, field

from chapterverse.schema.errors import SettingsError

__all__ = ["ParseLimits"]

_MIB = 1 << 20
_GIB = 1 << 30


def _default_processes() -> int:
    # A container may lend fewer cores than the machine has.
    if hasattr(os, "sched_getaffinity"):
        return min(len(os.sched_getaffinity(0)), 4)
    return min(os.cpu_count() or 1, 4)


@dataclass(frozen=True, slots=True, kw_only=True)
class ParseLimits:
    """Bounds of parsing one document, and how many are parsed at once.

    ``max_bytes`` is the largest file, ``max_pages`` the longest document that is read,
    ``memory_bytes`` the address space a parsing process may add to what it started with,
    ``answer_bytes`` the encoded size of what a reader may return. The wall clock allows
    ``base_seconds`` and ``seconds_per_page`` for each page (see :meth:`seconds`).
    At most ``ocr_pages`` pages or pictures of a document go through text recognition (0 turns it
    off), which may add ``ocr_memory_bytes`` and ``ocr_seconds_per_page`` each; pictures of figures
    only with ``ocr_figures``, since that makes parsing several times slower. A picture of more
    than ``max_pixels`` is not decoded. ``processes`` documents are parsed side by side, so that
    memory is bounded by about ``processes * (memory_bytes + answer_bytes)``.

    :raises SettingsError: when a value is out of its bounds.
    """

    max_bytes: int = 100 * _MIB
    max_pages: int = 2000
    memory_bytes: int = 2 * _GIB
    answer_bytes: int = 128 * _MIB
    max_pixels: int = 100_000_000
    ocr_pages: int = 500
    ocr_figures: bool = False
    ocr_memory_bytes: int = 4 * _GIB
    ocr_seconds_per_page: float = 30.0
    base_seconds: float = 30.0
    seconds_per_page: float = 2.0
    processes: int = field(default_factory=_default_processes)

    def __post_init__(self) -> None:
        _check("max_bytes", self.max_bytes, 1, 4 * _GIB - 1)
        _check("max_pages", self.max_pages, 1, 1_000_000)
        # Below this the interpreter itself has no room to report what happened.
        _check("memory_bytes", self.memory_bytes, 64 * _MIB, 1 << 50)
        _check("answer_bytes", self.answer_bytes, 64 << 10, 2 * _GIB)
        _check("max_pixels", self.max_pixels, 1, 1_000_000_000)
        _check("ocr_pages", self.ocr_pages, 0, 1_000_000)
        _check("ocr_memory_bytes", self.ocr_memory_bytes, 64 * _MIB, 1 << 50)
        _check("ocr_seconds_per_page", self.ocr_seconds_per_page, 0, 3_600)
        _check("base_seconds", self.base_seconds, 0.1, 86_400)
        _check("seconds_per_page", self.seconds_per_page, 0, 3_600)
        _check("processes", self.processes, 1, 256)

    def seconds(self, pages: int) -> float:
        """Wall-clock seconds allowed for a document of *pages* pages (``max_pages`` at most)."""
        return self.base_seconds + self.seconds_per_page * min(pages, self.max_pages)

    def recognition_seconds(self, pages: int) -> float:
        """Seconds added for recognising *pages* pages (``ocr_pages`` at most)."""
        return self.ocr_seconds_per_page * min(pages, self.ocr_pages)

    @property
    def longest(self) -> float:
        """The most seconds that any document may take."""
        return self.seconds(self.max_pages) + self.recognition_seconds(self.ocr_pages)


def _check(name: str, value: float, least: float, most: float) -> None:
    if not math.isfinite(value) or not least <= value <= most:
        raise SettingsError(
            f"{name} is {value:,}, but must lie between {least:,} and {most:,}; "
            "change it in the parsing limits"
        )
