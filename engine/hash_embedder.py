"""An embedder without a model: words are hashed to signed coordinates. For tests and trials.

Feature hashing after Weinberger et al. 2009, "Feature Hashing for Large Scale Multitask
Learning": each word (and each bigram of a run of Han, Kana or Hangul) adds +1 or -1 to one
coordinate, so that texts which share words have a high cosine.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import blake2b

import numpy as np

from chapterverse.schema.embedder import Vectors

__all__ = ["HashEmbedder"]

_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
_TERM = re.compile(rf"[{_CJK}]+|(?:(?![{_CJK}])\w)+")


class HashEmbedder:
    """Deterministic vectors from words alone.

    :param dimension: length of a vector, at least 2.
    """

    def __init__(self, dimension: int = 64) -> None:
        if dimension < 2:
            raise ValueError(f"dimension is {dimension}, but must be at least 2")
        self._dimension = dimension

    @property
    def fingerprint(self) -> str:
        return f"hash:{self._dimension}:1"

    @property
    def dimension(self) -> int:
        return self._dimension

    @property
    def max_tokens(self) -> int:
        return 512

    @property
    def scripts(self) -> frozenset[str] | None:
        return None

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Words, and single characters of Chinese, Japanese and Korean."""
        return [
            sum(len(run) if _is_cjk(run) else 1 for run in _TERM.findall(text)) for text in texts
        ]

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        vectors = np.zeros((len(texts), self._dimension), np.float32)
        for vector, text in zip(vectors, texts, strict=True):
            for feature, count in Counter(_features(text)).items():
                digest = blake2b(feature.encode("utf-8", "surrogatepass"), digest_size=8).digest()
                number = int.from_bytes(digest, "little")
                sign = 1 if number & 1 else -1
                vector[(number >> 1) % self._dimension] += sign * (1 + np.log(count))
            length = np.linalg.norm(vector)
            if length > 0:
                vector /= length
            else:
                vector[0] = 1
        return vectors

    def embed_query(self, text: str) -> Vectors:
        vector: Vectors = self.embed_documents([text])[0]
        return vector


def _features(text: str) -> Iterable[str]:
    for run in _TERM.findall(text.casefold()):
        if _is_cjk(run):
            yield from run
            yield from (run[i : i + 2] for i in range(len(run) - 1))
        else:
            yield run


def _is_cjk(run: str) -> bool:
    return re.match(f"[{_CJK}]", run) is not None
