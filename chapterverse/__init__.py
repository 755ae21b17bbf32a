"""Embeddable document search whose every answer links back to its page and rectangle."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from chapterverse.engine.app import Content, KnowledgeBase, Watch
    from chapterverse.engine.shown import Passages
    from chapterverse.ingest.sources import Labels, TextSource
    from chapterverse.schema.embedder import Embedder
    from chapterverse.schema.errors import ChapterverseError
    from chapterverse.schema.results import Citation, Filter, IngestReport, Passage
    from chapterverse.schema.settings import Settings

__all__ = [
    "ChapterverseError",
    "Citation",
    "Content",
    "Embedder",
    "Filter",
    "IngestReport",
    "KnowledgeBase",
    "Labels",
    "Passage",
    "Passages",
    "Settings",
    "TextSource",
    "Watch",
    "__version__",
]

_HOMES = {
    "ChapterverseError": "schema.errors",
    "Citation": "schema.results",
    "Content": "engine.app",
    "Embedder": "schema.embedder",
    "Filter": "schema.results",
    "IngestReport": "schema.results",
    "KnowledgeBase": "engine.app",
    "Labels": "ingest.sources",
    "Passage": "schema.results",
    "Passages": "engine.shown",
    "Settings": "schema.settings",
    "TextSource": "ingest.sources",
    "Watch": "engine.app",
}


def __getattr__(name: str) -> Any:
    # Public names load on first use, so that the command line starts with what it needs.
    if name not in _HOMES:
        raise AttributeError(f"module 'chapterverse' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"chapterverse.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
