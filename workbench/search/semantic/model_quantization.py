"""Quantizes the sentence model to 8 bits and writes its six layers as an ONNX graph.

Each column of a weight has its own scale; activations are quantized dynamically. The graph takes one text at a time, so
it needs no padding and no mask, and returns one row of length one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

from workbench.errors import WorkbenchError
from workbench.search.semantic.onnx_writer import OnnxFile

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from workbench.search.semantic.onnx_writer import Array

    Floats: TypeAlias = NDArray[numpy.float32]

PIECES = 256  # maximum number of word pieces of a text, including start and end marks, as in the model's training
TAKES = "pieces"  # name of the graph's input
_LAYERS, _HEADS, _WIDTH = 6, 12, 384
_STEPS = 63  # steps of a weight in each direction; twice as many overflow 16-bit sums on older processors


def small_model(weights: Mapping[str, Floats]) -> bytes:
    """Return the model as an ONNX file."""
    try:
        return _GraphBuilder(weights).build()
    except (KeyError, ValueError) as fault:
        raise WorkbenchError("This is not the sentence model all-MiniLM-L6-v2.", f"It lacks {fault}.") from fault


class _GraphBuilder:
    """Builds the layers in order. Names of weights are those of the weights file."""

    def __init__(self, weights: Mapping[str, Floats]) -> None:
        self._weights = weights
        self._file = OnnxFile("all-MiniLM-L6-v2, 8 bits")

    def build(self) -> bytes:
        run, state = self._file.run, self._embeddings()
        for layer in range(_LAYERS):
            state = self._layer(state, f"encoder.layer.{layer}")
        mean = run("ReduceMean", state, self._integers(0), keepdims=0)
        return self._file.encode(TAKES, run("Div", mean, run("ReduceL2", mean, keepdims=1)))

    def _embeddings(self) -> str:
        """Return the sum of word, position and token-type embeddings, normalized."""
        run = self._file.run
        rows, scale = _eighths(self._weights["embeddings.word_embeddings.weight"], axis=1)
        found = run("Cast", run("Gather", self._file.constant(rows), TAKES), to=1)
        words = run("Mul", found, run("Gather", self._file.constant(scale), TAKES))
        places = self._weights["embeddings.position_embeddings.weight"][:PIECES]
        places = places + self._weights["embeddings.token_type_embeddings.weight"][0]
        stand = run("Slice", self._file.constant(places), self._integers(0), run("Shape", TAKES))
        return self._norm(run("Add", words, stand), "embeddings.LayerNorm")

    def _layer(self, state: str, name: str) -> str:
        run = self._file.run
        seen = self._line(self._attention(state, name), f"{name}.attention.output.dense")
        state = self._norm(run("Add", seen, state), f"{name}.attention.output.LayerNorm")
        wide = run("Gelu", self._line(state, f"{name}.intermediate.dense"))
        return self._norm(run("Add", self._line(wide, f"{name}.output.dense"), state), f"{name}.output.LayerNorm")

    def _attention(self, state: str, name: str) -> str:
        run, part = self._file.run, f"{name}.attention.self."
        query, key, value = (self._heads(state, part + one, turned=one == "key") for one in ("query", "key", "value"))
        near = run("Mul", run("MatMul", query, key), self._number((_WIDTH / _HEADS) ** -0.5))
        seen = run("MatMul", run("Softmax", near, axis=-1), value)
        return run("Reshape", run("Transpose", seen, perm=(1, 0, 2)), self._integers(-1, _WIDTH))

    def _heads(self, state: str, name: str, *, turned: bool) -> str:
        cut = self._file.run("Reshape", self._line(state, name), self._integers(-1, _HEADS, _WIDTH // _HEADS))
        return self._file.run("Transpose", cut, perm=(1, 2, 0) if turned else (1, 0, 2))

    def _line(self, state: str, name: str) -> str:
        """Multiply 8-bit weights by 8-bit activations. The 32-bit sum is scaled back by both scales."""
        run = self._file.run
        rows, scale = _eighths(self._weights[f"{name}.weight"].T, axis=0)
        small = run("DynamicQuantizeLinear", state, outputs=3)
        found = run("MatMulInteger", small, self._file.constant(rows), f"{small}.2")
        both = run("Mul", f"{small}.1", self._file.constant(scale))
        return run("Add", run("Mul", run("Cast", found, to=1), both), self._plain(f"{name}.bias"))

    def _norm(self, state: str, name: str) -> str:
        return self._file.run("LayerNormalization", state, self._plain(f"{name}.weight"), self._plain(f"{name}.bias"))

    def _plain(self, name: str) -> str:
        return self._file.constant(self._weights[name])

    def _number(self, value: float) -> str:
        import numpy

        return self._file.constant(numpy.array(value, numpy.float32))

    def _integers(self, *values: int) -> str:
        import numpy

        return self._file.constant(numpy.array(values, numpy.int64))


def _eighths(table: Floats, axis: int) -> tuple[Array, Floats]:
    """Quantize a table. Returns integers and the scale of each row or column."""
    import numpy

    scale = numpy.abs(table).max(axis=axis, keepdims=True) / _STEPS + 1e-12
    scale = scale.astype(numpy.float32)
    return numpy.round(table / scale).astype(numpy.int8), scale if axis else scale[0]
