"""Any sentence-transformers model, by folder or by name on the hub, in float32.

Without leave to use the network the model must lie in a folder or in the local hub cache.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from chapterverse.schema.embedder import Vectors
from chapterverse.schema.errors import EmbedderError

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

__all__ = ["SentenceEmbedder"]

_BATCH = 32
_OFFLINE = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")
_NOT_WEIGHTS = ["onnx/*", "openvino/*", "*.h5", "*.ot", "*.msgpack"]


class SentenceEmbedder:
    """A sentence-transformers model; free to construct, loads what a call needs.

    Texts of a call run in batches of like length, so a vector can differ in the last digits of
    float32 (about 1e-6) with the texts beside it. Text over the limit is cut.

    :param name: a folder, or a name such as ``"sentence-transformers/all-MiniLM-L6-v2"``.
    :param scripts: scripts that the model reads (``{"Latin"}``); ``None`` means all.
    :param allow_network: fetch the model from the hub when it is not here.
    :param device: a torch device.
    """

    def __init__(
        self,
        name: str,
        *,
        scripts: frozenset[str] | None = None,
        allow_network: bool = False,
        device: str = "cpu",
    ) -> None:
        self._name = name
        self._scripts = scripts
        self._allow_network = allow_network
        self._device = device
        self._lock = Lock()
        self._folder: Path | None = None
        self._fingerprint: str | None = None
        self._model: SentenceTransformer | None = None
        self._tokenizer: Any = None

    @property
    def fingerprint(self) -> str:
        """Made from all bytes of the model's files, weights and prompts included."""
        folder = self._find()
        with self._lock:
            if self._fingerprint is None:
                self._fingerprint = f"sentence-transformers:{_digest_folder(folder)[:32]}"
            return self._fingerprint

    @property
    def dimension(self) -> int:
        return int(self._load().get_embedding_dimension())

    @property
    def max_tokens(self) -> int:
        limit = self._load().max_seq_length
        return 512 if limit is None else int(limit)

    @property
    def scripts(self) -> frozenset[str] | None:
        return self._scripts

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        tokenizer = self._load_tokenizer()
        if not texts:
            return []
        encoded = tokenizer([_encodable(text) for text in texts], add_special_tokens=False)
        return [len(ids) for ids in encoded["input_ids"]]

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """See :class:`~chapterverse.schema.embedder.Embedder`.

        :raises EmbedderError: the model is missing, cannot be loaded or fails.
        """
        if not texts:
            return np.empty((0, self.dimension), np.float32)
        return self._encode("encode_document", texts)

    def embed_query(self, text: str) -> Vectors:
        """See :class:`~chapterverse.schema.embedder.Embedder`.

        :raises EmbedderError: the model is missing, cannot be loaded or fails.
        """
        vector: Vectors = self._encode("encode_query", [text])[0]
        return vector

    def _encode(self, method: str, texts: Sequence[str]) -> Vectors:
        model = self._load()
        try:
            vectors = getattr(model, method)(
                [_encodable(text) for text in texts],
                batch_size=_BATCH,
                show_progress_bar=False,
                convert_to_numpy=True,
                normalize_embeddings=True,
            )
        except Exception as error:
            raise EmbedderError(f"The embedding model {self._name} failed: {error}") from error
        return np.ascontiguousarray(vectors, np.float32)

    def _load(self) -> SentenceTransformer:
        folder = self._find()
        with self._lock:
            if self._model is None:
                self._go_offline()
                try:
                    from sentence_transformers import SentenceTransformer

                    self._model = SentenceTransformer(
                        str(folder), device=self._device, local_files_only=True
                    )
                except Exception as error:
                    raise self._cannot_load(folder, error) from error
            return self._model

    def _load_tokenizer(self) -> Any:
        folder = self._find()
        with self._lock:
            if self._tokenizer is None:
                self._go_offline()
                # Older models keep their transformer in a folder of its own.
                inner = folder / "0_Transformer"
                try:
                    from transformers import AutoTokenizer

                    self._tokenizer = AutoTokenizer.from_pretrained(
                        str(inner if inner.is_dir() else folder), local_files_only=True
                    )
                except Exception as error:
                    raise self._cannot_load(folder, error) from error
            return self._tokenizer

    def _cannot_load(self, folder: Path, error: Exception) -> EmbedderError:
        return EmbedderError(
            f"The embedding model in {folder} cannot be loaded ({error}); it must be a folder "
            f"saved by sentence-transformers"
        )

    def _find(self) -> Path:
        with self._lock:
            if self._folder is None:
                path = Path(self._name).expanduser()
                self._folder = path if path.is_dir() else self._find_on_hub()
            return self._folder

    def _find_on_hub(self) -> Path:
        self._go_offline()
        from huggingface_hub import snapshot_download

        name = self._name if "/" in self._name else f"sentence-transformers/{self._name}"
        try:
            return Path(
                snapshot_download(
                    name, local_files_only=not self._allow_network, ignore_patterns=_NOT_WEIGHTS
                )
            )
        except Exception as error:
            raise EmbedderError(
                f"There is no embedding model {self._name!r}: it is no folder, and "
                + (
                    f"the hub gave none ({error})"
                    if self._allow_network
                    else "not in the local hub cache; give the path of a sentence-transformers "
                    "folder, or allow the network so that it is fetched"
                )
            ) from error

    def _go_offline(self) -> None:
        # Read by the libraries when they are imported; there is no other switch for all of them.
        if not self._allow_network:
            for variable in _OFFLINE:
                os.environ.setdefault(variable, "1")


def _digest_folder(folder: Path) -> str:
    """Over relative names and bytes of all files, hidden ones left out."""
    digest = sha256()
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder)
        if not path.is_file() or any(part.startswith(".") for part in relative.parts):
            continue
        name = relative.as_posix().encode("utf-8", "surrogateescape")
        digest.update(name + f"\0{path.stat().st_size}\0".encode())
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")
