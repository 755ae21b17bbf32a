"""What a model must offer to be used for the dense channel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

__all__ = ["Embedder", "Vectors"]

Vectors = npt.NDArray[np.float32]


class Embedder(Protocol):
    """Texts to unit vectors. Prefixes such as ``query:`` belong to the implementation.

    A vector depends on its text alone, never on the texts embedded in the same call, so that an
    incremental ingest gives the same vectors as a full one.
    """

    @property
    def fingerprint(self) -> str:
        """Names weights digest, dimension, prefixes and pooling; equal means interchangeable."""

    @property
    def dimension(self) -> int:
        """Length of a vector."""

    @property
    def max_tokens(self) -> int:
        """Longest input in tokens; what lies beyond is not seen by the model."""

    @property
    def scripts(self) -> frozenset[str] | None:
        """Scripts the model reads (``"Latin"``, ``"Han"``, ...); ``None`` means all."""

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, special tokens left out; must not load the model weights."""

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """float32 ``[len(texts), dimension]``, rows of length 1."""

    def embed_query(self, text: str) -> Vectors:
        """float32 ``[dimension]``, length 1."""
