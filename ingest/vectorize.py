"""Texts to vectors, each text once: what was ever embedded under a model is not embedded again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from chapterverse.ingest.sources import Progress
from chapterverse.schema.bulk import batches
from chapterverse.schema.database import Database
from chapterverse.schema.embedder import Embedder, Vectors
from chapterverse.schema.embeddings import add_embeddings, missing_embeddings
from chapterverse.schema.errors import ChapterverseError, EmbeddingFailed

__all__ = ["Vectorizer"]

_EMBED_BATCH = 128


@dataclass(frozen=True, slots=True)
class Vectorizer:
    """An embedder in front of the vectors that a database holds."""

    database: Database
    embedder: Embedder
    on_progress: Callable[[Progress], None] = lambda _: None

    def vectors(self, uri: str, texts: dict[bytes, str]) -> tuple[Sequence[bytes], Vectors]:
        """Vectors of the *texts* (by hash) that were never seen under this model.

        All but the last batch are stored at once, so that an interrupted long document does not
        lose them; the last one is returned, for the caller's own transaction.

        :raises EmbeddingFailed: the embedder raised, or returned the wrong number of vectors.
        """
        model = self.embedder.fingerprint
        with self.database.read() as connection:
            missing = missing_embeddings(connection, model, texts)
        done = len(texts) - len(missing)
        self.on_progress(Progress(uri, done, len(texts)))
        part: Sequence[bytes] = ()
        vectors = np.empty((0, self.embedder.dimension), np.float32)
        for following in batches(list(missing), _EMBED_BATCH):
            if part:
                with self.database.write() as connection:
                    add_embeddings(connection, model, part, vectors)
            part = following
            vectors = self._embed(uri, [missing[key] for key in part])
            done += len(part)
            self.on_progress(Progress(uri, done, len(texts)))
        return part, vectors

    def count_tokens(self, uri: str, texts: Sequence[str]) -> list[int]:
        """Tokens of each text.

        :raises EmbeddingFailed: the tokenizer raised.
        """
        with _embedding(uri):
            return self.embedder.count_tokens(texts)

    def _embed(self, uri: str, texts: Sequence[str]) -> Vectors:
        with _embedding(uri):
            vectors = np.asarray(self.embedder.embed_documents(texts), np.float32)
        expected = (len(texts), self.embedder.dimension)
        if vectors.shape != expected:
            raise EmbeddingFailed(
                f"The embedder gave an array of shape {vectors.shape} for texts of {uri}; "
                f"{expected} was expected."
            )
        if not np.isfinite(vectors).all():
            raise EmbeddingFailed(
                f"The embedder gave numbers that are infinite or undefined for texts of {uri}."
            )
        return vectors


@contextmanager
def _embedding(uri: str) -> Iterator[None]:
    """What an embedder raises is a failure of the document; our own errors go through."""
    try:
        yield
    except ChapterverseError:
        raise
    except Exception as error:
        raise EmbeddingFailed(
            f"The embedder failed on a text of {uri}: {type(error).__name__}: {error}"
        ) from error
