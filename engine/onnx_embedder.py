"""The default embedder: multilingual-e5-small, int8, on onnxruntime.

Each text runs alone, on one thread, and as many texts run side by side as there are processors.
int8 activations share one scale over everything in a call, so in a batch a vector would depend on
its neighbours; alone it does not, and nothing is padded. It is no slower: per second of processor
time, 1.2 times the texts that batches of 8 sorted by length give on one thread, both for texts of
100 tokens and for mixed lengths (a batch on two threads: 1.0 to 1.9 times, on a busy machine).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from threading import Lock, Thread
from typing import TYPE_CHECKING

import numpy as np

from chapterverse.engine.e5_tokenizer import E5Tokenizer
from chapterverse.engine.e5_weights import CARRIER_DIGEST
from chapterverse.engine.model_cache import cache_folder, cached_model, damaged_files, is_whole
from chapterverse.schema.embedder import Vectors
from chapterverse.schema.errors import EmbedderError
from chapterverse.schema.telemetry import silence

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

__all__ = ["OnnxEmbedder"]

_RECIPE = "int8 7-bit per output, word int8 per row, mean, unit length, nmt_nfkc; 1"
"""Changes whenever the same text could get another vector; part of the fingerprint."""

_QUERY, _PASSAGE = "query: ", "passage: "
_DIMENSION = 384
_MAX_TOKENS = 512
_BOS, _EOS = 0, 2
# No piece is longer than 16 characters: twice what the model can see, so that normalisation,
# which can shorten a text, does not bring the cut into view.
_MAX_CHARACTERS = 32 * _MAX_TOKENS


def _build_model(folder: Path) -> None:
    from chapterverse.engine.e5_onnx import write_graph
    from chapterverse.engine.e5_tokenizer import write_tokenizer
    from chapterverse.engine.e5_weights import find_carrier, read_weights

    weights = read_weights(find_carrier())
    write_graph(weights, folder)
    write_tokenizer(weights, folder)


class OnnxEmbedder:
    """multilingual-e5-small; free to construct, loads what a call needs.

    The model is made on first use from the installed carrier package (about 10 seconds) and kept
    in the cache folder. Safe to use from several threads.

    :param threads: texts that run at the same time; by default the processors at hand.
    :param cache: folder to keep the model in (see :func:`cache_folder`).
    :param notify: gets a line for the user before the model is made.
    """

    def __init__(
        self,
        *,
        threads: int | None = None,
        cache: Path | None = None,
        notify: Callable[[str], None] | None = None,
    ) -> None:
        self._threads = threads or _processors()
        self._cache = cache
        self._notify = notify
        self._folder_lock = Lock()
        self._session_lock = Lock()
        self._folder: Path | None = None
        self._tokenizer: E5Tokenizer | None = None
        self._session: InferenceSession | None = None

    @property
    def fingerprint(self) -> str:
        recipe = "\n".join([CARRIER_DIGEST, _RECIPE, _QUERY, _PASSAGE, str(_MAX_TOKENS)])
        return f"multilingual-e5-small-int8:{sha256(recipe.encode()).hexdigest()[:16]}"

    @property
    def dimension(self) -> int:
        return _DIMENSION

    @property
    def max_tokens(self) -> int:
        return _MAX_TOKENS

    @property
    def scripts(self) -> frozenset[str] | None:
        return None

    def warm(self) -> None:
        """Begin to load tokenizer and model in the background; errors show at the first use.

        Does nothing while the model was not made on this machine.
        """
        if is_whole(self._place()):
            Thread(target=self._warm, name="embedder-warm", daemon=True).start()

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(ids) for ids in self._load_tokenizer().encode(texts)]

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """See :class:`~chapterverse.schema.embedder.Embedder`; text over the limit is cut.

        :raises EmbedderError: the model cannot be made, loaded or run.
        """
        return self._embed([_PASSAGE + text[:_MAX_CHARACTERS] for text in texts])

    def embed_query(self, text: str) -> Vectors:
        """See :class:`~chapterverse.schema.embedder.Embedder`; text over the limit is cut.

        :raises EmbedderError: the model cannot be made, loaded or run.
        """
        vector: Vectors = self._embed([_QUERY + text[:_MAX_CHARACTERS]])[0]
        return vector

    def _embed(self, texts: Sequence[str]) -> Vectors:
        vectors = np.empty((len(texts), _DIMENSION), np.float32)
        if not texts:
            return vectors
        session = self._load_session()
        inputs = [_model_input(ids) for ids in self._load_tokenizer().encode(texts)]

        def run(row: int) -> None:
            vectors[row] = session.run(None, {"input_ids": inputs[row]})[0][0]

        # Longest first, so that no thread is left with a long text at the end.
        order = sorted(range(len(inputs)), key=lambda row: -inputs[row].shape[1])
        try:
            if len(order) == 1 or self._threads == 1:
                for row in order:
                    run(row)
            else:
                with ThreadPoolExecutor(self._threads) as pool:
                    list(pool.map(run, order))
        except Exception as error:
            raise EmbedderError(f"onnxruntime failed on the embedding model: {error}") from error
        return vectors

    def _warm(self) -> None:
        try:
            self._load_session()
            self._load_tokenizer().encode([_QUERY])
        except EmbedderError:
            return

    def _load_tokenizer(self) -> E5Tokenizer:
        folder = self._model_folder()
        with self._folder_lock:
            if self._tokenizer is None:
                self._tokenizer = E5Tokenizer(folder)
            return self._tokenizer

    def _load_session(self) -> InferenceSession:
        folder = self._model_folder()
        with self._session_lock:
            if self._session is None:
                self._session = _open_session(folder)
            return self._session

    def _model_folder(self) -> Path:
        with self._folder_lock:
            if self._folder is None:
                place = self._place()
                self._folder = cached_model(
                    place.name, _build_model, root=place.parent, notify=self._notify
                )
            return self._folder

    def _place(self) -> Path:
        return cache_folder(self._cache) / self.fingerprint.replace(":", "-")


def _model_input(ids: Sequence[int]) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    return np.array([[_BOS, *ids[: _MAX_TOKENS - 2], _EOS]], np.int64)


def _open_session(folder: Path) -> InferenceSession:
    silence()
    import onnxruntime

    from chapterverse.engine.e5_onnx import GRAPH_FILE

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(
            str(folder / GRAPH_FILE), options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:
        raise EmbedderError(
            f"The embedding model in {folder} cannot be loaded ({error}; damaged files: "
            f"{', '.join(damaged_files(folder)) or 'none'}); delete that folder, and the model is "
            f"made again"
        ) from error


def _processors() -> int:
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1
