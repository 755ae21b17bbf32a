"""The embedder without a model, and the names of embedders."""

from __future__ import annotations

import numpy as np
import pytest

from chapterverse.engine.embed import make_embedder
from chapterverse.engine.hash_embedder import HashEmbedder

TEXTS = [
    "The cat sat on the mat",
    "A cat sat on a mat",
    "报销需要在几天内提交",
    "报销应在三十天内提交",
]

LATIN = frozenset({"Latin"})


def test_texts_with_common_words_are_near() -> None:
    embedder = HashEmbedder()
    vectors = embedder.embed_documents(TEXTS)
    likeness = vectors @ vectors.T
    assert likeness[0, 1] > 0.4 > abs(likeness[0, 2])
    assert likeness[2, 3] > 0.4 > abs(likeness[1, 3])


def test_vectors_are_stable_unit_and_of_the_text_alone() -> None:
    embedder = HashEmbedder()
    vectors = embedder.embed_documents(TEXTS)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1)
    for text, vector in zip(TEXTS, vectors, strict=True):
        assert np.array_equal(embedder.embed_query(text), vector)
    # A word in one known place pins the hash between versions of Python.
    assert int(np.abs(embedder.embed_query("cat")).argmax()) == 25


@pytest.mark.parametrize("text", ["", " ", "\x00", "\ud800", "-" * 33, "😀", "a" * 10_000])
def test_any_text_gets_a_unit_vector(text: str) -> None:
    assert np.linalg.norm(HashEmbedder().embed_query(text)) == pytest.approx(1)


def test_tokens_are_words_and_characters() -> None:
    assert HashEmbedder().count_tokens(["two words", "中文字", "", "GB/T 7714"]) == [2, 3, 0, 3]


def test_no_texts() -> None:
    assert HashEmbedder(8).embed_documents([]).shape == (0, 8)


def test_names() -> None:
    default = make_embedder("default")
    assert default.fingerprint == make_embedder("multilingual-e5-small").fingerprint
    assert (default.dimension, default.max_tokens, default.scripts) == (384, 512, None)
    assert make_embedder("hash").fingerprint == HashEmbedder().fingerprint
    assert make_embedder("some/model", scripts=LATIN).scripts == LATIN
