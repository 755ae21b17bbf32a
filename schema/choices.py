"""What was chosen by settings, as plain values: defaults, and those that were given.

Loading pydantic takes longer than a search does, so it is left to those who set something.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal

from chapterverse.schema.chunk_limits import ChunkLimits
from chapterverse.schema.parse_limits import ParseLimits

__all__ = [
    "CHUNK_SETTINGS",
    "CONFIG_FILE",
    "DESCRIBER_KEY",
    "NOT_SETTINGS",
    "PREFIX",
    "Choices",
    "choose",
]

CONFIG_FILE = "chapterverse.toml"
PREFIX = "CHAPTERVERSE_"
DESCRIBER_KEY = "CHAPTERVERSE_DESCRIBER_KEY"
NOT_SETTINGS = frozenset(
    {"CHAPTERVERSE_KB", "CHAPTERVERSE_CACHE", "CHAPTERVERSE_SOFFICE", DESCRIBER_KEY}
)
"""Read elsewhere, not settings of a knowledge base: its folder, the model cache, the program of
LibreOffice, a secret."""

_CHUNK = ChunkLimits()
_PARSE = ParseLimits()

CHUNK_SETTINGS = frozenset(field.name for field in fields(ChunkLimits))
"""The settings that shape chunks: a base keeps those it was built with."""


@dataclass(frozen=True, slots=True)
class Choices:
    """A value for each setting (see :class:`~chapterverse.schema.settings.Settings`).

    ``given`` names those that were set; the others have their defaults.
    """

    name: str = "default"
    embedder: str = "multilingual-e5-small"
    keyword: Literal["tantivy", "rank_bm25"] = "tantivy"
    child_tokens: int = _CHUNK.child_tokens
    parent_tokens: int = _CHUNK.parent_tokens
    merge_tokens: int = _CHUNK.merge_tokens
    row_tokens: int | None = _CHUNK.row_tokens
    context_tokens: int = _CHUNK.context_tokens
    fusion: Literal["zscore", "minmax", "rrf"] = "zscore"
    dense_weight: float = 0.5
    keyword_weight: float = 0.5
    parent_share: float = 0.5
    rrf_k: int = 60
    pool: int = 200
    exact_limit: int = 20_000
    processes: int = _PARSE.processes
    max_bytes: int = _PARSE.max_bytes
    max_pages: int = _PARSE.max_pages
    memory_bytes: int = _PARSE.memory_bytes
    answer_bytes: int = _PARSE.answer_bytes
    max_pixels: int = _PARSE.max_pixels
    ocr_pages: int = _PARSE.ocr_pages
    ocr_figures: bool = _PARSE.ocr_figures
    ocr_memory_bytes: int = _PARSE.ocr_memory_bytes
    ocr_seconds_per_page: float = _PARSE.ocr_seconds_per_page
    base_seconds: float = _PARSE.base_seconds
    seconds_per_page: float = _PARSE.seconds_per_page
    keep_sources: bool = True
    describer_url: str | None = None
    describer_model: str | None = None
    given: frozenset[str] = frozenset()

    @property
    def chunk_limits(self) -> ChunkLimits:
        """The chunking settings as the chunker takes them."""
        return ChunkLimits(**{f.name: getattr(self, f.name) for f in fields(ChunkLimits)})

    @property
    def parse_limits(self) -> ParseLimits:
        """The parsing limits as the worker pool takes them."""
        return ParseLimits(**{f.name: getattr(self, f.name) for f in fields(ParseLimits)})


def choose(**arguments: Any) -> Choices:
    """What arguments, environment and file choose.

    :raises SettingsError: an unknown key, a value out of bounds, or a broken file.
    """
    variables = {name.upper() for name in os.environ if name.upper().startswith(PREFIX)}
    if not arguments and variables <= NOT_SETTINGS and not Path(CONFIG_FILE).exists():
        return Choices()
    from chapterverse.schema.settings import load_settings

    return load_settings(**arguments).choices
