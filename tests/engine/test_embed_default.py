"""The real default model."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import numpy as np
import pytest

from chapterverse.engine.e5_tokenizer import E5Tokenizer
from chapterverse.engine.e5_weights import E5Weights, Floats, find_carrier, read_weights
from chapterverse.engine.model_cache import cache_folder
from chapterverse.engine.onnx_embedder import OnnxEmbedder

if TYPE_CHECKING:
    import torch

pytestmark = pytest.mark.integration

HEAVY = ["torch", "transformers", "sentence_transformers", "unstructured", "onnx", "sentencepiece"]
PROGRAM = """
import json, sys
from chapterverse.engine.embed import make_embedder
embedder = make_embedder("default")
seen = {"made": sorted(sys.modules)}
embedder.count_tokens(["ten words"])
seen["counted"] = sorted(sys.modules)
embedder.embed_query("What?")
seen["embedded"] = sorted(sys.modules)
print(json.dumps(seen))
"""
HARD = ["", " ", "\x00", "\ud800", "a\udc00b", "\ufdfa" * 50, "😀", "-" * 33, "a " * 5000]
HARD += ["中" * 10_000]


@pytest.fixture(scope="module")
def embedder() -> OnnxEmbedder:
    return OnnxEmbedder(threads=2)


def model_folder(embedder: OnnxEmbedder) -> Path:
    embedder.count_tokens(["make it"])
    return cache_folder() / embedder.fingerprint.replace(":", "-")


def test_a_vector_depends_on_its_text_alone(embedder: OnnxEmbedder) -> None:
    texts = ["Short.", "报销应在三十天内提交。" * 9, *HARD, "The pump must be primed. " * 20]
    together = embedder.embed_documents(texts)
    for text, vector in zip(texts, together, strict=True):
        assert np.array_equal(embedder.embed_documents([text])[0], vector)
    assert np.array_equal(OnnxEmbedder(threads=1).embed_documents(texts[::-1])[::-1], together)


def test_any_text_gets_a_unit_vector(embedder: OnnxEmbedder) -> None:
    vectors = embedder.embed_documents(HARD)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    for text in HARD:
        assert np.linalg.norm(embedder.embed_query(text)) == pytest.approx(1, abs=1e-5)
    assert embedder.embed_documents([]).shape == (0, 384)


def test_it_finds_across_languages(embedder: OnnxEmbedder) -> None:
    documents = [
        "Expenses must be handed in within 30 days.",
        "员工应在三十天内提交报销单。",
        "The pump must be primed before it is started.",
    ]
    vectors = embedder.embed_documents(documents)
    english = vectors @ embedder.embed_query("By when do I hand in my expenses?")
    chinese = vectors @ embedder.embed_query("报销需要在几天内提交？")
    assert english.argmax() == 0
    assert chinese.argmax() == 1
    assert english.argmin() == chinese.argmin() == 2


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("Hello world!", [35378, 8999, 38]),
        ("你好，世界", [6, 124084, 4, 3221]),
        ("नमस्ते दुनिया", [68700, 97883, 29405]),
        ("مرحبا بالعالم", [665, 193478, 258, 1705, 77796]),
        ("Bonjour le monde", [84602, 95, 11146]),
    ],
)
def test_tokens_are_those_of_xlm_roberta(embedder: OnnxEmbedder, text: str, ids: list[int]) -> None:
    """The examples that fairseq publishes for xlmr.base."""
    folder = model_folder(embedder)
    assert E5Tokenizer(folder).encode([text]) == [ids]
    assert E5Tokenizer(folder, table_limit=0).encode([text]) == [ids]


def test_few_pieces_and_all_pieces_give_the_same_tokens(embedder: OnnxEmbedder) -> None:
    random = Random(11)
    planes = [(32, 127), (32, 0x3000), (0x3000, 0xD800), (0xE000, 0x20000)]
    texts = list(HARD)
    for _ in range(300):
        sizes = range(random.randrange(1, 25))
        texts.append("".join(chr(random.randrange(*random.choice(planes))) for _ in sizes))
    folder = model_folder(embedder)
    full = E5Tokenizer(folder, table_limit=0).encode(texts)
    few = E5Tokenizer(folder, table_limit=10_000)
    assert [few.encode([text])[0] for text in texts if len(text) < 1000] == [
        ids for text, ids in zip(texts, full, strict=True) if len(text) < 1000
    ]


def test_tokens_are_counted_without_special_ones(embedder: OnnxEmbedder) -> None:
    assert embedder.count_tokens(["Hello world!", "", "word " * 6000]) == [3, 0, 6001]
    assert embedder.count_tokens(["Hello world!"]) == [3]


def test_loading_is_as_light_as_can_be() -> None:
    out = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    seen = json.loads(out.stdout)
    assert "tokenizers" not in seen["made"]
    assert "onnxruntime" not in seen["counted"]
    assert "onnxruntime" in seen["embedded"]
    assert not set(HEAVY) & set(seen["embedded"])


MATRICES = {
    "attention.self.query": "q",
    "attention.self.key": "k",
    "attention.self.value": "v",
    "attention.output.dense": "ao",
    "intermediate.dense": "fi",
    "output.dense": "fo",
}
NORMS = {"attention.output.LayerNorm": "aln", "output.LayerNorm": "oln"}


def bert_state(weights: E5Weights) -> dict[str, Floats]:
    """The weights of the carrier under the names that transformers has for them."""
    size, wide = weights.shape.hidden, weights.shape.feed_forward
    types = weights.vector("emb.type")[:size]
    state = {
        "embeddings.word_embeddings.weight": weights.matrix(
            "emb.word", weights.shape.vocabulary, size
        ),
        "embeddings.position_embeddings.weight": weights.vector("emb.pos").reshape(-1, size),
        "embeddings.token_type_embeddings.weight": np.stack([types, np.zeros_like(types)]),
        "embeddings.LayerNorm.weight": weights.vector("emb.ln.w"),
        "embeddings.LayerNorm.bias": weights.vector("emb.ln.b"),
    }
    for layer in range(weights.shape.layers):
        place = f"encoder.layer.{layer}"
        for name, part in MATRICES.items():
            rows, columns = {"fi": (wide, size), "fo": (size, wide)}.get(part, (size, size))
            matrix = weights.matrix(f"l{layer}.{part}.w", rows, columns)
            state[f"{place}.{name}.weight"] = matrix
            state[f"{place}.{name}.bias"] = weights.vector(f"l{layer}.{part}.b")
        for name, part in NORMS.items():
            state[f"{place}.{name}.weight"] = weights.vector(f"l{layer}.{part}.w")
            state[f"{place}.{name}.bias"] = weights.vector(f"l{layer}.{part}.b")
    return state


def bert() -> torch.nn.Module:
    import torch
    from transformers import BertConfig, BertModel

    weights = read_weights(find_carrier())
    config = BertConfig(
        vocab_size=weights.shape.vocabulary,
        hidden_size=weights.shape.hidden,
        num_hidden_layers=weights.shape.layers,
        num_attention_heads=weights.shape.heads,
        intermediate_size=weights.shape.feed_forward,
        layer_norm_eps=weights.shape.epsilon,
    )
    model: torch.nn.Module = BertModel(config, add_pooling_layer=False)
    state = {name: torch.from_numpy(values.copy()) for name, values in bert_state(weights).items()}
    model.load_state_dict(state, strict=True)
    return model.eval()


def test_vectors_are_those_of_transformers(embedder: OnnxEmbedder) -> None:
    """The same weights put into the BERT of another library, in float32."""
    import torch

    model = bert()
    texts = ["The pump must be primed before it is started.", "报销应在三十天内提交。", "ﬁ ½ ﷺ"]
    tokenizer = E5Tokenizer(model_folder(embedder))
    ids = [[0, *tokens, 2] for tokens in tokenizer.encode([f"passage: {text}" for text in texts])]
    vectors = embedder.embed_documents(texts)
    for row, vector in zip(ids, vectors, strict=True):
        with torch.no_grad():
            mean = model(torch.tensor([row])).last_hidden_state[0].mean(dim=0).numpy()
        mean /= np.linalg.norm(mean)
        assert float(mean @ vector) > 0.985
