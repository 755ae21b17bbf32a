"""From the name of an embedder, as settings have it, to the embedder."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from chapterverse.schema.embedder import Embedder

if TYPE_CHECKING:
    from chapterverse.engine.onnx_embedder import OnnxEmbedder

__all__ = ["DEFAULT_MODEL", "make_embedder", "warm_default"]

DEFAULT_MODEL = "multilingual-e5-small"


def make_embedder(
    name: str = "default",
    *,
    scripts: frozenset[str] | None = None,
    threads: int | None = None,
    cache: Path | None = None,
    allow_network: bool = False,
    notify: Callable[[str], None] | None = None,
) -> Embedder:
    """The embedder called *name*; nothing is loaded before its first use.

    :param name: ``"default"`` or ``"multilingual-e5-small"``; ``"hash"`` (no model, for tests);
        else a folder or hub name of a sentence-transformers model.
    :param scripts: scripts that a sentence-transformers model reads; ``None`` means all.
    :param threads: processors that the default embedder may use; ``None`` means all at hand.
    :param cache: folder for the default model, in place of the user's cache folder.
    :param allow_network: let a sentence-transformers model be fetched from the hub.
    :param notify: gets a line for the user before the default model is made (once a machine).
    """
    if name in ("default", DEFAULT_MODEL):
        return _shared(threads, cache, notify)
    if name == "hash":
        from chapterverse.engine.hash_embedder import HashEmbedder

        return HashEmbedder()
    from chapterverse.engine.sentence_embedder import SentenceEmbedder

    return SentenceEmbedder(name, scripts=scripts, allow_network=allow_network)


@lru_cache(maxsize=4)
def _shared(
    threads: int | None, cache: Path | None, notify: Callable[[str], None] | None
) -> OnnxEmbedder:
    """One default embedder for all knowledge bases of a process: it takes 150 MB."""
    from chapterverse.engine.onnx_embedder import OnnxEmbedder

    return OnnxEmbedder(threads=threads, cache=cache, notify=notify)


def warm_default() -> None:
    """Begin to load the default embedder in the background, if it was made on this machine."""
    _shared(None, None, None).warm()
