"""The small model says what the whole one says, computed here step by step in numpy."""

from __future__ import annotations

import math
from pathlib import Path

import numpy
import pytest

from workbench.errors import WorkbenchError
from workbench.search.semantic.model_builder import read_weights
from workbench.search.semantic.model_quantization import TAKES, small_model
from workbench.search.semantic.sentence_model import GRAPH


def norm(state: numpy.ndarray) -> numpy.ndarray:
    state = state - state.mean(-1, keepdims=True)
    return state / numpy.sqrt((state**2).mean(-1, keepdims=True) + 1e-5)


def whole(weights: dict[str, numpy.ndarray], pieces: list[int]) -> numpy.ndarray:
    """The model as it was published."""

    def line(name: str, state: numpy.ndarray) -> numpy.ndarray:
        return state @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]

    def heads(name: str, state: numpy.ndarray) -> numpy.ndarray:
        return line(name, state).reshape(len(pieces), 12, 32).transpose(1, 0, 2)

    state = weights["embeddings.word_embeddings.weight"][pieces]
    state = state + weights["embeddings.position_embeddings.weight"][: len(pieces)]
    state = norm(state + weights["embeddings.token_type_embeddings.weight"][0])
    for layer in (f"encoder.layer.{at}" for at in range(6)):
        query, key, value = (heads(f"{layer}.attention.self.{part}", state) for part in ("query", "key", "value"))
        near = numpy.exp(query @ key.transpose(0, 2, 1) / math.sqrt(32))
        seen = (near / near.sum(-1, keepdims=True) @ value).transpose(1, 0, 2).reshape(len(pieces), 384)
        state = norm(state + line(f"{layer}.attention.output.dense", seen))
        wide = line(f"{layer}.intermediate.dense", state)
        wide = wide * 0.5 * (1 + numpy.vectorize(math.erf)(wide / math.sqrt(2)))
        state = norm(state + line(f"{layer}.output.dense", wide))
    mean = state.mean(0)
    return mean / numpy.linalg.norm(mean)


@pytest.mark.parametrize("pieces", [[2, 3], [2, 30, 31, 3], [2, *range(4, 33), 3]])
def test_what_it_says_is_what_the_whole_model_says(
    weights: dict[str, numpy.ndarray], built: Path, pieces: list[int]
) -> None:
    runtime = pytest.importorskip("onnxruntime", reason="the extra [semantic] is not installed")
    session = runtime.InferenceSession(str(built / GRAPH), providers=["CPUExecutionProvider"])
    (row,) = session.run(None, {TAKES: numpy.array(pieces, numpy.int64)})
    assert row.shape == (384,)
    assert float(row @ whole(weights, pieces)) > 0.99


def test_a_weight_of_eight_bits_is_a_quarter_of_what_it_was(published: Path, built: Path) -> None:
    assert (built / GRAPH).stat().st_size < 0.3 * (published / "model.safetensors").stat().st_size


def test_another_model_is_told_apart(weights: dict[str, numpy.ndarray]) -> None:
    with pytest.raises(WorkbenchError, match="not the sentence model"):
        small_model({name: table for name, table in weights.items() if "layer.5" not in name})


@pytest.mark.parametrize("data", [b"", b"\xff" * 40, b"\x02" + b"\0" * 7 + b"[]", b"\x09" + b"\0" * 7 + b'{"a": {}}'])
def test_what_is_no_model_file_is_a_sentence(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "file").write_bytes(data)
    with pytest.raises(WorkbenchError, match="is not a model file"):
        read_weights(tmp_path / "file")
