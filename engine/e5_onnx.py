"""Writes multilingual-e5-small as an int8 ONNX graph, straight from the carrier's weights.

The network is BERT: embeddings, 12 layers of self-attention and feed-forward, mean over the
tokens, unit length. The graph takes the token ids of one text, ``int64 [1, tokens]``, and gives
``float32 [1, 384]``. It has no attention mask: a text runs alone (see
:mod:`chapterverse.engine.onnx_embedder`), so nothing is ever padded.

Matrices become int8 with one scale for each output. Only 7 of the 8 bits are used (-63 to 63):
without VNNI, x86 adds two products u8 * s8 in 16 bits, and 2 * 255 * 63 is the most that fits.
So the integer products are exact on every processor; the cost in cosine to float32 is 0.0005.
Activations get one scale a text, at run time.

The weights lie beside the graph in a file of their own, which the runtime maps into memory:
loading takes a sixth of the time and a third of the memory of one file.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from chapterverse.engine.e5_weights import E5Weights, Floats

if TYPE_CHECKING:
    import onnx

__all__ = ["GRAPH_FILE", "WEIGHTS_FILE", "build_graph", "write_graph"]

GRAPH_FILE = "model.onnx"
WEIGHTS_FILE = "model.weights"

_FUSED = "com.microsoft"
_LEVELS = 63


def write_graph(weights: E5Weights, folder: Path) -> None:
    """Write ``model.onnx`` and ``model.weights`` into *folder*."""
    import onnx

    onnx.save(
        build_graph(weights),
        str(folder / GRAPH_FILE),
        save_as_external_data=True,
        all_tensors_to_one_file=True,
        location=WEIGHTS_FILE,
        size_threshold=1024,
    )
    # onnx makes the file of weights readable by its owner alone; the cache may be shared.
    shutil.copymode(folder / GRAPH_FILE, folder / WEIGHTS_FILE)


def build_graph(weights: E5Weights, *, quantised: bool = True) -> onnx.ModelProto:
    """The whole network; with *quantised* off every product is float32 (for comparison)."""
    from onnx import TensorProto, helper

    graph = _Graph(quantised)
    hidden = _embeddings(graph, weights)
    for layer in range(weights.shape.layers):
        hidden = _layer(graph, weights, layer, hidden)
    # The mean and the sum over tokens have the same direction.
    graph.constant("token_axis", np.array([1], np.int64))
    graph.node("ReduceSum", [hidden, "token_axis"], "pooled", keepdims=0)
    graph.node("LpNormalization", ["pooled"], "vector", axis=1, p=2)
    ids = helper.make_tensor_value_info("input_ids", TensorProto.INT64, [1, "tokens"])
    out = helper.make_tensor_value_info("vector", TensorProto.FLOAT, [1, weights.shape.hidden])
    return helper.make_model(
        helper.make_graph(graph.nodes, "multilingual-e5-small", [ids], [out], graph.constants),
        opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid(_FUSED, 1)],
        ir_version=9,
        producer_name="chapterverse",
    )


class _Graph:
    """Nodes and constants in the order in which they are added."""

    def __init__(self, quantised: bool) -> None:
        self.quantised = quantised
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, name: str, values: npt.NDArray[Any]) -> str:
        from onnx import numpy_helper

        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def node(self, kind: str, inputs: list[str], output: str, **attributes: Any) -> str:
        self._add(kind, inputs, [output], "", attributes)
        return output

    def fused(self, kind: str, inputs: list[str], output: str, **attributes: Any) -> str:
        self._add(kind, inputs, [output], _FUSED, attributes)
        return output

    def quantise_rows(self, name: str) -> tuple[str, str, str]:
        """Activations to uint8 with one scale for the tensor: values, scale, zero point."""
        made = (f"{name}.u8", f"{name}.scale", f"{name}.zero")
        self._add("DynamicQuantizeLinear", [name], list(made), "", {})
        return made

    def _add(
        self,
        kind: str,
        inputs: list[str],
        outputs: list[str],
        domain: str,
        attributes: Mapping[str, Any],
    ) -> None:
        from onnx import helper

        self.nodes.append(
            helper.make_node(
                kind, inputs, outputs, name=f"{outputs[0]}/{kind}", domain=domain, **attributes
            )
        )


def _to_int8(matrix: Floats, levels: int) -> tuple[npt.NDArray[np.int8], Floats]:
    """Rows scaled to ``-levels..levels``; ``matrix ≈ values * scales[:, None]``."""
    scales = np.abs(matrix).max(axis=1) / np.float32(levels)
    scales[scales == 0] = 1
    return np.rint(matrix / scales[:, None]).astype(np.int8), scales


def _embeddings(graph: _Graph, weights: E5Weights) -> str:
    """Piece, position and type embeddings of each token, normalised."""
    from onnx import TensorProto

    shape = weights.shape
    matrix = weights.matrix("emb.word", shape.vocabulary, shape.hidden)
    if graph.quantised:
        words, scales = _to_int8(matrix, 127)
        graph.constant("words", words)
        graph.constant("word_scales", scales[:, None])
        graph.node("Gather", ["words", "input_ids"], "word.i8")
        graph.node("Gather", ["word_scales", "input_ids"], "word.scale")
        graph.node("Cast", ["word.i8"], "word.unscaled", to=TensorProto.FLOAT)
        graph.node("Mul", ["word.unscaled", "word.scale"], "word")
    else:
        graph.constant("words", matrix)
        graph.node("Gather", ["words", "input_ids"], "word")

    places = weights.vector("emb.pos").reshape(-1, shape.hidden)
    graph.constant("places", places + weights.vector("emb.type")[: shape.hidden])
    graph.constant("first", np.array([0], np.int64))
    graph.node("Shape", ["input_ids"], "tokens", start=1, end=2)
    graph.node("Slice", ["places", "first", "tokens", "first"], "place")
    graph.node("Add", ["word", "place"], "placed")
    scale = graph.constant("emb.ln.w", weights.vector("emb.ln.w"))
    shift = graph.constant("emb.ln.b", weights.vector("emb.ln.b"))
    return graph.node(
        "LayerNormalization", ["placed", scale, shift], "embedded", axis=-1, epsilon=shape.epsilon
    )


def _layer(graph: _Graph, weights: E5Weights, layer: int, hidden: str) -> str:
    """Self-attention and feed-forward, each added to its input and normalised."""
    name, shape = f"l{layer}", weights.shape
    context = _attention(graph, weights, name, hidden)
    mixed = _product(graph, weights.matrix(f"{name}.ao.w", shape.hidden, shape.hidden), context)
    hidden = _add_and_norm(graph, weights, hidden, mixed, f"{name}.ao.b", f"{name}.aln")
    wide = weights.matrix(f"{name}.fi.w", shape.feed_forward, shape.hidden)
    bias = graph.constant(f"{name}.fi.b", weights.vector(f"{name}.fi.b"))
    active = graph.fused("BiasGelu", [_product(graph, wide, hidden), bias], f"{name}.gelu")
    narrow = weights.matrix(f"{name}.fo.w", shape.hidden, shape.feed_forward)
    return _add_and_norm(
        graph, weights, hidden, _product(graph, narrow, active), f"{name}.fo.b", f"{name}.oln"
    )


def _attention(graph: _Graph, weights: E5Weights, name: str, hidden: str) -> str:
    size, heads = weights.shape.hidden, weights.shape.heads
    stacked = np.concatenate([weights.matrix(f"{name}.{part}.w", size, size) for part in "qkv"])
    bias = graph.constant(
        f"{name}.qkv.b", np.concatenate([weights.vector(f"{name}.{part}.b") for part in "qkv"])
    )
    if not graph.quantised:
        matrix = graph.constant(f"{name}.qkv.w", stacked.T)
        return graph.fused("Attention", [hidden, matrix, bias], f"{name}.context", num_heads=heads)
    values, scales = _to_int8(stacked, _LEVELS)
    matrix = graph.constant(f"{name}.qkv.w", values.T)
    scale = graph.constant(f"{name}.qkv.scale", scales)
    zero = graph.constant(f"{name}.qkv.zero", np.zeros(len(scales), np.int8))
    rows, row_scale, row_zero = graph.quantise_rows(hidden)
    inputs = [rows, matrix, bias, row_scale, scale, "", row_zero, zero]
    return graph.fused("QAttention", inputs, f"{name}.context", num_heads=heads)


def _product(graph: _Graph, matrix: Floats, hidden: str) -> str:
    """``hidden @ matrix.T``."""
    name = f"{hidden}.product"
    if not graph.quantised:
        return graph.node("MatMul", [hidden, graph.constant(f"{name}.w", matrix.T)], name)
    values, scales = _to_int8(matrix, _LEVELS)
    inputs = [
        hidden,
        graph.constant(f"{name}.w", values.T),
        graph.constant(f"{name}.wscale", scales),
        graph.constant(f"{name}.wzero", np.zeros(len(scales), np.int8)),
    ]
    return graph.fused("DynamicQuantizeMatMul", inputs, name)


def _add_and_norm(
    graph: _Graph, weights: E5Weights, hidden: str, change: str, bias: str, norm: str
) -> str:
    inputs = [
        hidden,
        change,
        graph.constant(f"{norm}.w", weights.vector(f"{norm}.w")),
        graph.constant(f"{norm}.b", weights.vector(f"{norm}.b")),
        graph.constant(bias, weights.vector(bias)),
    ]
    return graph.fused("SkipLayerNormalization", inputs, norm, epsilon=weights.shape.epsilon)
