"""The model that reads prose: sums of whole numbers, the same for a stretch alone and among others."""

from __future__ import annotations

from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest

from workbench.privacy.reader import DISTANCES, LABELS, SCALE, Reader, reader
from workbench.privacy.traits import EDGE, at_distance, sort_of, traits

SMALL = """rosa
lund
the
32 8 0 8 0
0 0 64 0 0
16 0 32 0 0
0 0 0 0 64
16 0 0 0 32
-1wask	0 64 0 0 0
<xC Xx-	0 16 0 0 0
bias	48 0 0 0 0
gF	-16 32 0 0 0
gL	0 0 48 0 0
sd2	0 0 0 32 32
"""


@pytest.fixture
def small(tmp_path: Path) -> Reader:
    (tmp_path / "names.txt").write_text(SMALL, encoding="utf-8")
    return Reader(tmp_path / "names.txt")


def by_hand(model: Reader, words: list[str]) -> list[list[float]]:
    """Every way to label the words, weighed one by one."""
    weights = {line.split("\t")[0]: [int(n) for n in line.split("\t")[1].split()] for line in SMALL.splitlines()[8:]}
    steps = [[int(n) for n in line.split()] for line in SMALL.splitlines()[3:8]]
    padded = [EDGE, EDGE, *words, EDGE, EDGE]
    local = []
    for at in range(2, len(words) + 2):
        shown = [trait for d in DISTANCES for trait in at_distance(traits(padded[at + d], model.lists), d)]
        before, own, after = (sort_of(padded[at + d], model.lists) for d in (-1, 0, 1))
        shown += [f"<{before} {own}", f">{own} {after}"]
        local.append([sum(weights.get(trait, [0] * 5)[label] for trait in shown) for label in range(5)])
    total, found = 0.0, np.zeros((len(words), 2))
    for path in product(range(len(LABELS)), repeat=len(words)):
        score = sum(local[at][label] for at, label in enumerate(path))
        score += sum(steps[first][second] for first, second in pairwise(path))
        weight = np.exp(score / SCALE)
        total += weight
        for at, label in enumerate(path):
            if label:
                found[at, (label - 1) // 2] += weight
    return (found / total).tolist()


@pytest.mark.parametrize("words", [["ask", "Rosa", "Lund", "12"], ["12"], ["the", "the", "Rosa"]])
def test_it_says_what_all_ways_to_label_the_words_say_together(small: Reader, words: list[str]) -> None:
    assert np.allclose(small.read([words])[0], by_hand(small, words))


def test_a_stretch_says_the_same_alone_and_among_longer_ones(small: Reader) -> None:
    stretches = [["ask", "Rosa"], ["the"] * 9, ["Rosa", "Lund", "12"]]
    together = small.read(stretches)
    assert all(np.allclose(said, small.read([one])[0]) for one, said in zip(stretches, together, strict=True))
    assert small.read([]) == []


def test_the_model_that_comes_with_the_program_knows_a_name_from_a_town() -> None:
    words = ["Please", "ask", "Rosa", "Lindqvist", "in", "Rotterdam", "about", "it"]
    (said,) = reader().read([words])
    assert min(said[2:4, 0]) > 0.5 > max(said[6, 0], said[1, 0])
