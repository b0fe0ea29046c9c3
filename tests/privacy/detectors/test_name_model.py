"""The name model reads words as it was trained to."""

from __future__ import annotations

from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest

from workbench.privacy.detectors.name_model import (
    DISTANCES,
    EDGE,
    LABELS,
    SCALE,
    WORD,
    NameModel,
    WordLists,
    evidence,
    features_at_distance,
    folded,
    name_model,
    shape,
    word_class,
    word_features,
)

SMALL = """rosa
lund
the
32 8 0 8 0 4
0 0 64 0 0 0
16 0 32 0 0 0
0 0 0 0 64 0
16 0 0 0 32 0
8 0 0 0 0 16
-1wask	0 64 0 0 0 0
<xC Xx-	0 16 0 0 0 8
bias	48 0 0 0 0 0
wrosa	-16 32 0 0 0 8
wlund	0 0 48 0 0 0
sd2	0 0 0 32 32 0
"""


@pytest.fixture
def small(tmp_path: Path) -> NameModel:
    (tmp_path / "names.txt").write_text(SMALL, encoding="utf-8")
    return NameModel(tmp_path / "names.txt")


def by_hand(model: NameModel, words: list[str]) -> list[list[float]]:
    """Every way to label the words, weighed one by one."""
    weights = {line.split("\t")[0]: [int(n) for n in line.split("\t")[1].split()] for line in SMALL.splitlines()[9:]}
    steps = [[int(n) for n in line.split()] for line in SMALL.splitlines()[3:9]]
    padded = [EDGE, EDGE, *words, EDGE, EDGE]
    local = []
    for at in range(2, len(words) + 2):
        shown = [
            trait for d in DISTANCES for trait in features_at_distance(word_features(padded[at + d], model.lists), d)
        ]
        before, own, after = (word_class(padded[at + d], model.lists) for d in (-1, 0, 1))
        shown += [f"<{before} {own}", f">{own} {after}"]
        local.append([sum(weights.get(trait, [0] * 6)[label] for trait in shown) for label in range(6)])
    total, found = 0.0, np.zeros((len(words), 3))
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
def test_it_says_what_all_ways_to_label_the_words_say_together(small: NameModel, words: list[str]) -> None:
    assert np.allclose(small.read([words])[0], by_hand(small, words))


def test_a_stretch_says_the_same_alone_and_among_longer_ones(small: NameModel) -> None:
    stretches = [["ask", "Rosa"], ["the"] * 9, ["Rosa", "Lund", "12"]]
    together = small.read(stretches)
    assert all(np.allclose(said, small.read([one])[0]) for one, said in zip(stretches, together, strict=True))
    assert small.read([]) == []


def test_the_model_that_comes_with_the_program_knows_a_name_from_a_town() -> None:
    words = ["Please", "ask", "Rosa", "Lindqvist", "in", "Rotterdam", "about", "it"]
    (said,) = name_model().read([words])
    assert min(said[2:4, 0]) > 0.5 > max(said[6, 0], said[1, 0])


LISTS = WordLists(frozenset({"zoe", "luc"}), frozenset({"novak", "hill"}), frozenset({"hill", "street"}))


def test_a_text_falls_into_words_with_their_hyphens_and_marks() -> None:
    said = [one.group() for one in WORD.finditer("Jean-Luc O'Neil's,\n\n12b (NW1)\0\0\0")]
    assert said == ["Jean-Luc", "O'Neil's", ",", "\n\n", "12b", "(", "NW1", ")", "\0\0\0"]


@pytest.mark.parametrize(
    ("word", "form"),
    [
        ("Rosa", "Xx"), ("ROSA", "XX"), ("R", "X"), ("rosa", "x"), ("McLean", "X-x"), ("Jean-Luc", "X-x"),
        ("iOS", "xX"), ("4711", "d4"), ("12b", "dx"),
        ("NW1", "xd"), (",", ","), ("\n\n", "newline"), (EDGE, "edge"), ("\0\0", "token"),
    ],
)  # fmt: skip
def test_the_shape_is_the_case_of_a_word_and_the_length_of_a_number(word: str, form: str) -> None:
    assert shape(word) == form


def test_lists_know_a_word_without_its_marks_and_by_its_parts() -> None:
    assert LISTS.of(folded("Zoë")) == "F"
    assert LISTS.of(folded("Anna-Luc")) == "F"
    assert LISTS.of(folded("Hill")) == "LC"
    assert LISTS.of(folded("Brakoun")) == ""


def test_streets_are_known_by_their_word_or_their_ending() -> None:
    assert word_class("Street", LISTS) == "XxCopS"
    assert word_class("Lindenstraße", LISTS) == "Xx-S"
    assert word_class("Frau", LISTS).endswith("T")


def test_words_of_other_languages_and_towns_are_evidence() -> None:
    assert evidence(folded("Bürgermeister")) == "o"
    assert "p" in evidence(folded("Göteborg"))
    assert evidence(folded("Brakoun")) == ""
    assert word_class("Novákem", LISTS) == "Xxk"  # a name of the lists, in another case


def test_the_nearer_a_word_the_more_it_says() -> None:
    own = word_features("Brakoun", LISTS)
    assert {"wbrakoun", "g", "sgXx", "eun", "bbra"} <= set(own)
    assert features_at_distance(own, 0) == own
    assert features_at_distance(own, -1) == ("-1wbrakoun", "-1sXx", "-1g", "-1sgXx")
    assert features_at_distance(own, 2) == ("2wbrakoun", "2sXx", "2g")


DERIVED = WordLists(
    frozenset({"stella"}), frozenset({"potter"}), frozenset({"try", "copy", "stop", "load", "pot", "-ubergabe"})
)


@pytest.mark.parametrize("word", ["copies", "stopped", "loading", "reloads", "schlusselubergabe", "try's"])
def test_words_derived_from_ordinary_ones_are_ordinary(word: str) -> None:
    assert DERIVED.of(word) == "C"


@pytest.mark.parametrize(("word", "lists"), [("potter", "L"), ("stella's", "F"), ("brakoun", ""), ("tryst", "")])
def test_names_and_unknown_words_are_not_derived(word: str, lists: str) -> None:
    assert DERIVED.of(word) == lists
