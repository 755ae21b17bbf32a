"""The XLM-RoBERTa tokenizer of multilingual-e5-small: 250,002 unigram pieces.

Loading all pieces into the ``tokenizers`` library takes longer than anything else that a first
search does. But which segmentation wins depends only on the pieces that occur in the text, so a
little text is given a model of just those: they are found by hash in a table mapped from disk,
and the library then works as ever. The full model is loaded once there is much text. Both give
the same tokens.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from chapterverse.engine.e5_weights import E5Weights

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = ["TABLE_LIMIT", "E5Tokenizer", "write_tokenizer"]

TABLE_LIMIT = 20_000
"""Characters in one call up to which a model of the pieces at hand is made."""

_FULL = "tokenizer.json"
_CHARSMAP = "normalizer.bin"
_TEXTS, _SCORES, _HASHES, _IDS = "texts.npy", "scores.npy", "hashes.npy", "hash_ids.npy"

_WORD_START = "\u2581"
_UNKNOWN = 3
_BASE = np.uint64(0x9E3779B97F4A7C15)
Hashes = npt.NDArray[np.uint64]


class E5Tokenizer:
    """Texts to ids of pieces, without ``<s>`` and ``</s>``; opened from a folder, lazily.

    Safe to use from several threads.
    """

    def __init__(self, folder: Path, table_limit: int = TABLE_LIMIT) -> None:
        self._folder = folder
        self._table_limit = table_limit
        self._lock = Lock()
        self._full: Tokenizer | None = None
        self._table: _PieceTable | None = None

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """The ids of each text, none left out. Lone surrogates are read as U+FFFD."""
        clean = [_encodable(text) for text in texts]
        if self._full is None and sum(map(len, clean)) <= self._table_limit:
            return self._load_table().encode(clean)
        return [encoding.ids for encoding in self._load_full().encode_batch_fast(clean)]

    def _load_table(self) -> _PieceTable:
        with self._lock:
            if self._table is None:
                self._table = _PieceTable(self._folder)
            return self._table

    def _load_full(self) -> Tokenizer:
        from tokenizers import Tokenizer

        with self._lock:
            if self._full is None:
                self._full = Tokenizer.from_file(str(self._folder / _FULL))
            return self._full


class _PieceTable:
    """All pieces, mapped from disk, and the sorted hashes by which they are found."""

    def __init__(self, folder: Path) -> None:
        self._texts = np.load(folder / _TEXTS, mmap_mode="r")
        self._scores = np.load(folder / _SCORES, mmap_mode="r")
        self._hashes: Hashes = np.load(folder / _HASHES, mmap_mode="r")
        self._ids = np.load(folder / _IDS, mmap_mode="r")
        self._normalizer = _normalizer((folder / _CHARSMAP).read_bytes())
        # The library derives the score of an unknown character from the lowest score it is given.
        self._always = {_UNKNOWN, int(np.argmin(self._scores))}

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        found = set(self._always)
        for text in texts:
            found.update(self._occurring(text))
        ids = sorted(found)
        pieces = [(str(self._texts[i]), float(self._scores[i])) for i in ids]
        model = _tokenizer(pieces, ids.index(_UNKNOWN), self._normalizer)
        encodings = model.encode_batch_fast(texts)
        return [[ids[token] for token in encoding.ids] for encoding in encodings]

    def _occurring(self, text: str) -> Iterable[int]:
        """Ids of the pieces that are somewhere in *text*."""
        words = self._normalizer.normalize_str(text).replace(" ", _WORD_START)
        words = _WORD_START + words
        points = np.frombuffer(words.encode("utf-32-le"), "<u4").astype(np.uint64)
        for size, hashes in enumerate(_hash_windows(points, self._texts.dtype.itemsize // 4), 1):
            rows = np.searchsorted(self._hashes, hashes)
            rows[rows == len(self._hashes)] = 0
            for start in np.flatnonzero(self._hashes[rows] == hashes).tolist():
                piece = int(self._ids[rows[start]])
                if self._texts[piece] == words[start : start + size]:
                    yield piece


def write_tokenizer(weights: E5Weights, folder: Path) -> None:
    """Write the full model and the table of its pieces into *folder*."""
    charsmap = _charsmap()
    # Normalised text holds no plain space, so that text which spells <s> or <mask> stays text.
    special = {weights.bos, weights.eos, weights.pad, weights.unk}
    texts = [
        f" {piece}" if number in special or piece == "<mask>" else piece
        for number, piece in enumerate(weights.pieces)
    ]
    scores = [float(score) for score in weights.scores]
    pieces = list(zip(texts, scores, strict=True))
    _tokenizer(pieces, weights.unk, _normalizer(charsmap)).save(str(folder / _FULL), pretty=False)
    (folder / _CHARSMAP).write_bytes(charsmap)

    array = np.array(texts)
    hashes = _hash_whole(array)
    order = np.argsort(hashes, kind="stable")
    np.save(folder / _TEXTS, array)
    np.save(folder / _SCORES, weights.scores)
    np.save(folder / _HASHES, hashes[order])
    np.save(folder / _IDS, order.astype(np.int32))


def _tokenizer(pieces: list[tuple[str, float]], unknown: int, normalizer: Any) -> Tokenizer:
    from tokenizers import Tokenizer, models, pre_tokenizers

    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=unknown, byte_fallback=False))
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(
        replacement=_WORD_START, prepend_scheme="always", split=True
    )
    return tokenizer


def _normalizer(charsmap: bytes) -> Any:
    """NFKC as sentencepiece has it; white space becomes single plain spaces."""
    from tokenizers import Regex, normalizers

    return normalizers.Sequence(
        [normalizers.Precompiled(charsmap), normalizers.Replace(Regex(" {2,}"), " ")]
    )


def _charsmap() -> bytes:
    """The normalisation that the model was trained with; sentencepiece carries it by name."""
    from sentencepiece import SentencePieceNormalizer, sentencepiece_model_pb2

    proto = sentencepiece_model_pb2.ModelProto()
    proto.ParseFromString(SentencePieceNormalizer(rule_name="nmt_nfkc").serialized_model_proto())
    return bytes(proto.normalizer_spec.precompiled_charsmap)


def _encodable(text: str) -> str:
    """*text* with surrogate pairs joined and lone surrogates replaced, so that it is Unicode."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _hash_windows(points: Hashes, longest: int) -> Iterable[Hashes]:
    """Hashes of all windows of 1, 2, ... *longest* code points, a polynomial modulo 2**64."""
    hashes = np.zeros(len(points) + 1, np.uint64)
    for size in range(1, min(longest, len(points)) + 1):
        hashes = hashes[:-1] * _BASE + points[size - 1 :]
        yield hashes


def _hash_whole(texts: npt.NDArray[np.str_]) -> Hashes:
    """The hash of each text, as :func:`_hash_windows` has it."""
    width = texts.dtype.itemsize // 4
    points = np.ascontiguousarray(texts).view(np.uint32).reshape(len(texts), width)
    hashes = np.zeros(len(texts), np.uint64)
    for column in points.T.astype(np.uint64):
        hashes = np.where(column > 0, hashes * _BASE + column, hashes)
    return hashes
