"""Settings: arguments, then ``CHAPTERVERSE_*`` variables, ``chapterverse.toml``, defaults.

Unknown keys are errors everywhere.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError, model_validator
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from chapterverse.schema.chunk_limits import ChunkLimits
from chapterverse.schema.errors import SettingsError
from chapterverse.schema.parse_limits import ParseLimits

__all__ = ["CHUNK_SETTINGS", "CONFIG_FILE", "Settings", "load_settings"]

CONFIG_FILE = "chapterverse.toml"
_PREFIX = "CHAPTERVERSE_"
_CHUNK = ChunkLimits()
_PARSE = ParseLimits()
# Read elsewhere, not settings of a knowledge base: its folder, and where models are cached.
_NOT_SETTINGS = {"CHAPTERVERSE_KB", "CHAPTERVERSE_CACHE"}


CHUNK_SETTINGS = frozenset(
    {"child_tokens", "parent_tokens", "merge_tokens", "row_tokens", "context_tokens"}
)
"""The settings that shape chunks: a base keeps those it was built with."""


class Settings(BaseSettings):
    """Everything that can be set, with its default and bounds."""

    model_config = SettingsConfigDict(env_prefix=_PREFIX, extra="forbid", frozen=True)

    name: str = Field("default", min_length=1, max_length=100)
    embedder: str = "multilingual-e5-small"
    keyword: Literal["tantivy", "rank_bm25"] = "tantivy"
    child_tokens: int = Field(_CHUNK.child_tokens, ge=16, le=500)
    parent_tokens: int = Field(_CHUNK.parent_tokens, ge=32, le=20_000)
    merge_tokens: int = Field(_CHUNK.merge_tokens, ge=0)
    row_tokens: int | None = Field(_CHUNK.row_tokens, ge=0)
    context_tokens: int = Field(_CHUNK.context_tokens, ge=0, le=200)
    fusion: Literal["zscore", "minmax", "rrf"] = "zscore"
    dense_weight: float = Field(0.5, ge=0, le=1)
    keyword_weight: float = Field(0.5, ge=0, le=1)
    parent_share: float = Field(0.5, ge=0, le=1)
    rrf_k: int = Field(60, ge=1)
    pool: int = Field(200, ge=10, le=5000)
    exact_limit: int = Field(20_000, ge=0)
    processes: int = Field(_PARSE.processes, ge=1, le=64)
    max_bytes: int = Field(_PARSE.max_bytes, ge=1)
    max_pages: int = Field(_PARSE.max_pages, ge=1)
    memory_bytes: int = Field(_PARSE.memory_bytes, ge=2**28)
    answer_bytes: int = Field(_PARSE.answer_bytes, ge=2**16)
    base_seconds: float = Field(_PARSE.base_seconds, gt=0)
    seconds_per_page: float = Field(_PARSE.seconds_per_page, ge=0)
    keep_sources: bool = True

    @model_validator(mode="after")
    def _consistent(self) -> Settings:
        if self.dense_weight + self.keyword_weight == 0:
            raise ValueError("dense_weight and keyword_weight are both 0; one must be above 0")
        return self

    @property
    def chunk_limits(self) -> ChunkLimits:
        """The chunking settings as the chunker takes them."""
        return ChunkLimits(
            child_tokens=self.child_tokens,
            parent_tokens=self.parent_tokens,
            merge_tokens=self.merge_tokens,
            row_tokens=self.row_tokens,
            context_tokens=self.context_tokens,
        )

    @property
    def parse_limits(self) -> ParseLimits:
        """The parsing limits as the worker pool takes them."""
        return ParseLimits(
            max_bytes=self.max_bytes,
            max_pages=self.max_pages,
            memory_bytes=self.memory_bytes,
            processes=self.processes,
            answer_bytes=self.answer_bytes,
            base_seconds=self.base_seconds,
            seconds_per_page=self.seconds_per_page,
        )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Arguments first, then the environment, then the file."""
        file = TomlConfigSettingsSource(settings_cls, toml_file=CONFIG_FILE)
        return init_settings, env_settings, file


def load_settings(**arguments: Any) -> Settings:
    """Settings from all sources; *arguments* win.

    :raises SettingsError: an unknown key, a value out of bounds, or a broken file.
    """
    _refuse_unknown_variables()
    try:
        settings = Settings(**arguments)
        _ = settings.chunk_limits, settings.parse_limits
    except ValidationError as error:
        raise SettingsError(_explain(error)) from error
    except (OSError, ValueError) as error:
        raise SettingsError(f"{Path(CONFIG_FILE).resolve()} cannot be read: {error}") from error
    return settings


def _refuse_unknown_variables() -> None:
    known = {_PREFIX + name.upper() for name in Settings.model_fields} | _NOT_SETTINGS
    # Case does not count, as for the variables that are known.
    ours = (name for name in os.environ if name.upper().startswith(_PREFIX))
    unknown = sorted(name for name in ours if name.upper() not in known)
    if unknown:
        raise SettingsError(
            f"Unknown environment variable {unknown[0]}. Known are: {', '.join(sorted(known))}."
        )


def _explain(error: ValidationError) -> str:
    lines = []
    for item in error.errors():
        name = ".".join(str(part) for part in item["loc"]) or "settings"
        if item["type"] == "extra_forbidden":
            known = ", ".join(sorted(Settings.model_fields))
            lines.append(f"Unknown setting {name!r}. Known are: {known}.")
        else:
            lines.append(f"Setting {name!r} is {item['input']!r}: {item['msg']}.")
    return "\n".join(lines)
