"""Made-up documents and vectors for the speed benchmarks: the same ones in every run.

Words follow Zipf's law over 30,000 made-up words with English stop words on top, so that term
frequencies, posting lists and queries look like those of real text. Vectors lie in clusters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np

from chapterverse import TextSource
from chapterverse.schema.embedder import Vectors

__all__ = ["ClusteredEmbedder", "Corpus"]

DIMENSION = 384
_VOCABULARY = 30_000
_STOP = """
the of and to in a is that for it as was with be by on not he his but at are this have from or had
an they which one you were her all she there would their we him been has when who will
"""
_ONSETS = ("b", "c", "d", "f", "g", "h", "k", "l", "m", "n", "p", "r", "s", "t", "st", "tr", "pl")
_VOWELS = ("a", "e", "i", "o", "u", "ea", "ai", "ou")
_CODAS = ("", "n", "r", "s", "t", "l", "nd", "rm", "x")


@dataclass(frozen=True, slots=True)
class Corpus:
    """Markdown documents of about 5 to 40 children each, drawn from *seed*."""

    seed: int = 7

    def documents(self, children: int) -> Iterator[TextSource]:
        """Documents until they should make about *children* children."""
        rng = np.random.default_rng(self.seed)
        words, made, number = self._vocabulary(), 0, 0
        while made < children:
            # One paragraph makes 1.3 children on average; see the printed counts.
            paragraphs = int(rng.integers(4, 31))
            text = _document(rng, words, paragraphs)
            uri = f"doc-{number:06d}"
            yield TextSource(text, uri, f"Document {number}", "text/markdown")
            made, number = made + int(1.3 * paragraphs), number + 1

    def queries(self, count: int) -> list[str]:
        """Three to ten words that stand together somewhere in the documents."""
        rng = np.random.default_rng(self.seed + 1)
        words = self._vocabulary()
        return [" ".join(_words(rng, words, int(rng.integers(3, 11)))) for _ in range(count)]

    def _vocabulary(self) -> list[str]:
        rng = np.random.default_rng(self.seed + 2)
        known: dict[str, None] = dict.fromkeys(_STOP.split())
        while len(known) < _VOCABULARY:
            size = int(rng.integers(1, 5))
            known[
                "".join(
                    str(rng.choice(_ONSETS)) + str(rng.choice(_VOWELS)) + str(rng.choice(_CODAS))
                    for _ in range(size)
                )
            ] = None
        return list(known)


class ClusteredEmbedder:
    """Unit vectors around 256 centres, by the text's hash; tokens are guessed from its length."""

    fingerprint = "clustered-384"
    dimension = DIMENSION
    max_tokens = 512
    scripts = None

    def __init__(self) -> None:
        rng = np.random.default_rng(3)
        self._centres = rng.standard_normal((256, DIMENSION), np.float32)
        self._noise = rng.standard_normal((4096, DIMENSION), np.float32)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """About one token for four characters."""
        return [len(text) // 4 + 1 for text in texts]

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """float32 ``[len(texts), 384]``."""
        digests = b"".join(blake2b(text.encode(), digest_size=6).digest() for text in texts)
        parts = np.frombuffer(digests, np.uint16).reshape(len(texts), 3)
        rows = self._centres[parts[:, 0] % 256]
        rows = rows + 0.5 * (self._noise[parts[:, 1] % 4096] + self._noise[parts[:, 2] % 4096])
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return rows

    def embed_query(self, text: str) -> Vectors:
        """float32 ``[384]``."""
        vector: Vectors = self.embed_documents([text])[0]
        return vector


def _words(rng: np.random.Generator, words: Sequence[str], count: int) -> list[str]:
    # Zipf with exponent 1: the rank is log-uniform.
    ranks = np.exp(rng.random(count) * np.log(len(words))).astype(np.int64) - 1
    return [words[rank] for rank in ranks.tolist()]


def _document(rng: np.random.Generator, words: Sequence[str], paragraphs: int) -> str:
    parts = [f"# {' '.join(_words(rng, words, 4)).title()}"]
    for number in range(paragraphs):
        if number % 4 == 0:
            parts.append(f"## {' '.join(_words(rng, words, 3)).title()}")
        sentences = []
        for _ in range(int(rng.integers(1, 6))):
            length = int(np.clip(rng.lognormal(2.6, 0.5), 4, 60))
            sentences.append(" ".join(_words(rng, words, length)).capitalize() + ".")
        parts.append(" ".join(sentences))
    return "\n\n".join(parts) + "\n"
