"""A sentence-transformers model of random weights, saved into a folder."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from chapterverse.engine.sentence_embedder import SentenceEmbedder, _digest_folder
from chapterverse.schema.errors import EmbedderError

pytestmark = pytest.mark.integration

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "cat", "sat", "query", "passage", ":"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer import modules
    from tokenizers import Tokenizer, pre_tokenizers, processors
    from tokenizers.models import WordLevel
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    torch.manual_seed(5)
    raw, saved = tmp_path_factory.mktemp("raw"), tmp_path_factory.mktemp("saved")
    tokenizer = Tokenizer(WordLevel({w: i for i, w in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    wrapped = PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
    )
    wrapped.save_pretrained(raw)
    config = BertConfig(
        vocab_size=len(WORDS),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=40,
    )
    BertModel(config).save_pretrained(raw)
    transformer = modules.Transformer(str(raw), max_seq_length=32)
    pooling = modules.Pooling(16, pooling_mode="mean")
    prompts = {"query": "query: ", "document": "passage: "}
    model = SentenceTransformer(modules=[transformer, pooling], device="cpu", prompts=prompts)
    model.save_pretrained(str(saved))
    return saved


def test_a_model_in_a_folder(folder: Path) -> None:
    embedder = SentenceEmbedder(str(folder), scripts=frozenset({"Latin"}))
    assert embedder.count_tokens(["the cat sat", "", "the"]) == [3, 0, 1]
    texts = ["the cat", "the " * 100, "", "\ud800", "\x00"]
    vectors = embedder.embed_documents(texts)
    assert vectors.shape == (5, 16)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    for text, vector in zip(texts, vectors, strict=True):
        assert np.allclose(embedder.embed_documents([text])[0], vector, atol=1e-5)
    assert embedder.embed_documents([]).shape == (0, 16)
    assert (embedder.dimension, embedder.max_tokens) == (16, 32)
    assert embedder.scripts == frozenset({"Latin"})


def test_prompts_of_the_model_are_used(folder: Path) -> None:
    from sentence_transformers import SentenceTransformer

    embedder = SentenceEmbedder(str(folder))
    plain = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    query = plain.encode(["query: the cat"], normalize_embeddings=True, prompt="")[0]
    passage = plain.encode(["passage: the cat"], normalize_embeddings=True, prompt="")[0]
    assert np.allclose(embedder.embed_query("the cat"), query, atol=1e-5)
    assert np.allclose(embedder.embed_documents(["the cat"])[0], passage, atol=1e-5)
    assert not np.allclose(query, passage, atol=1e-3)


def test_the_fingerprint_is_that_of_the_files(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    fingerprint = SentenceEmbedder(str(folder)).fingerprint
    assert SentenceEmbedder(str(copy)).fingerprint == fingerprint
    path = copy / "config_sentence_transformers.json"
    settings = json.loads(path.read_text())
    settings["prompts"]["query"] = "ask: "
    path.write_text(json.dumps(settings))
    assert SentenceEmbedder(str(copy)).fingerprint != fingerprint


@pytest.mark.parametrize("name", ["no/such-model", "no-such-model", "./nowhere"])
def test_a_missing_model_says_what_to_do(name: str) -> None:
    embedder = SentenceEmbedder(name)
    with pytest.raises(EmbedderError, match="give the path"):
        embedder.embed_query("the cat")


def test_a_folder_that_holds_no_model(tmp_path: Path) -> None:
    with pytest.raises(EmbedderError, match="cannot be loaded"):
        SentenceEmbedder(str(tmp_path)).embed_query("the cat")


def test_file_names_that_are_no_text_are_part_of_the_model(tmp_path: Path) -> None:
    empty = _digest_folder(tmp_path)
    (tmp_path / os.fsdecode(b"\xff")).write_bytes(b"weights")
    assert _digest_folder(tmp_path) != empty
