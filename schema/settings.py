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

from chapterverse.schema.choices import CONFIG_FILE, NOT_SETTINGS, PREFIX, Choices
from chapterverse.schema.chunk_limits import ChunkLimits
from chapterverse.schema.errors import SettingsError
from chapterverse.schema.parse_limits import ParseLimits

__all__ = ["Settings", "load_settings"]

_DEFAULT = Choices()


class Settings(BaseSettings):
    """Everything that can be set, with its default and bounds."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, extra="forbid", frozen=True)

    name: str = Field(_DEFAULT.name, min_length=1, max_length=100)
    embedder: str = Field(_DEFAULT.embedder, min_length=1)
    keyword: Literal["tantivy", "rank_bm25"] = _DEFAULT.keyword
    child_tokens: int = Field(_DEFAULT.child_tokens, ge=16, le=500)
    parent_tokens: int = Field(_DEFAULT.parent_tokens, ge=32, le=20_000)
    merge_tokens: int = Field(_DEFAULT.merge_tokens, ge=0)
    row_tokens: int | None = Field(_DEFAULT.row_tokens, ge=0)
    context_tokens: int = Field(_DEFAULT.context_tokens, ge=0, le=200)
    fusion: Literal["zscore", "minmax", "rrf"] = _DEFAULT.fusion
    dense_weight: float = Field(_DEFAULT.dense_weight, ge=0, le=1)
    keyword_weight: float = Field(_DEFAULT.keyword_weight, ge=0, le=1)
    parent_share: float = Field(_DEFAULT.parent_share, ge=0, le=1)
    rrf_k: int = Field(_DEFAULT.rrf_k, ge=1)
    pool: int = Field(_DEFAULT.pool, ge=10, le=5000)
    exact_limit: int = Field(_DEFAULT.exact_limit, ge=0)
    processes: int = Field(_DEFAULT.processes, ge=1, le=64)
    max_bytes: int = Field(_DEFAULT.max_bytes, ge=1)
    max_pages: int = Field(_DEFAULT.max_pages, ge=1)
    memory_bytes: int = Field(_DEFAULT.memory_bytes, ge=2**28)
    answer_bytes: int = Field(_DEFAULT.answer_bytes, ge=2**16)
    max_pixels: int = Field(_DEFAULT.max_pixels, ge=1)
    ocr_pages: int = Field(_DEFAULT.ocr_pages, ge=0)
    ocr_figures: bool = _DEFAULT.ocr_figures
    ocr_memory_bytes: int = Field(_DEFAULT.ocr_memory_bytes, ge=2**28)
    ocr_seconds_per_page: float = Field(_DEFAULT.ocr_seconds_per_page, ge=0)
    base_seconds: float = Field(_DEFAULT.base_seconds, gt=0)
    seconds_per_page: float = Field(_DEFAULT.seconds_per_page, ge=0)
    keep_sources: bool = _DEFAULT.keep_sources
    describer_url: str | None = Field(_DEFAULT.describer_url, min_length=1)
    describer_model: str | None = Field(_DEFAULT.describer_model, min_length=1)

    @model_validator(mode="after")
    def _consistent(self) -> Settings:
        if self.dense_weight + self.keyword_weight == 0:
            raise ValueError("dense_weight and keyword_weight are both 0; one must be above 0")
        if (self.describer_url is None) != (self.describer_model is None):
            raise ValueError("describer_url and describer_model must be given together")
        return self

    @property
    def choices(self) -> Choices:
        """The values alone, as all other parts take them."""
        return Choices(**self.model_dump(), given=frozenset(self.model_fields_set))

    @property
    def chunk_limits(self) -> ChunkLimits:
        """The chunking settings as the chunker takes them."""
        return self.choices.chunk_limits

    @property
    def parse_limits(self) -> ParseLimits:
        """The parsing limits as the worker pool takes them."""
        return self.choices.parse_limits

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
    known = {PREFIX + name.upper() for name in Settings.model_fields} | NOT_SETTINGS
    # Case does not count, as for the variables that are known.
    ours = (name for name in os.environ if name.upper().startswith(PREFIX))
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
