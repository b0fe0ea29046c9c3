"""The sets and the measure of `benchmarks/privacy.py`: a figure is only worth what its counting is."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> object:
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[2] / "benchmarks"))
    return importlib.import_module


@pytest.fixture
def marked(load) -> ModuleType:  # type: ignore[no-untyped-def]
    return load("privacy_marked")


@pytest.fixture
def privacy(load) -> ModuleType:  # type: ignore[no-untyped-def]
    return load("privacy")


def test_marks_become_places_in_the_text_without_them(marked: ModuleType) -> None:
    one = marked.sample("note", f"Ask {marked.mark('NAME', 'Ada Lin')} or {marked.mark('EMAIL', 'a@b.org')}.")
    assert one.value == "Ask Ada Lin or a@b.org."
    assert one.printed.values == ((4, 11, "NAME"), (15, 22, "EMAIL"))


def test_leaves_of_json_have_pointers_and_numbers_stay_numbers(marked: ModuleType) -> None:
    one = marked.sample("row", {"a/b": [{"phone": marked.mark_number("PHONE", "12065550143")}], "n": 4})
    assert one.value == {"a/b": [{"phone": 12065550143}], "n": 4}
    assert [(leaf.pointer, leaf.text, leaf.values) for leaf in one.leaves] == [
        ("/a~1b/0/phone", "12065550143", ((0, 11, "PHONE"),)),
        ("/n", "4", ()),
    ]
    (value,) = one.printed.values
    assert one.printed.text[value[0] : value[1]] == "12065550143"


def test_a_value_counts_only_when_all_of_it_is_covered_and_the_rest_is_innocent(privacy: ModuleType) -> None:
    leaf = privacy.Leaf("", "to Ada Lin now", ((3, 10, "NAME"),))
    tally = privacy.Tally(innocent=7)
    tally.judge(leaf, [(0, 6), (6, 9)])
    assert (tally.share("NAME"), tally.masked) == (0, 3)
    tally.judge(leaf, [(3, 6), (6, 10)])
    assert (tally.share("NAME"), tally.masked) == (50, 3)


def test_a_peer_that_finds_everything_masks_everything_innocent(privacy: ModuleType, marked: ModuleType) -> None:
    samples = [marked.sample("note", f"Ask {marked.mark('NAME', 'Ada Lin')}!"), marked.sample("row", {"a": "b"})]
    tally = privacy.measure(samples, lambda text: [(0, len(text))])
    assert (tally.share(), tally.beside()) == (100, 100)


def test_the_commands_answers_are_judged_leaf_by_leaf(privacy: ModuleType, marked: ModuleType) -> None:
    value = {"email": marked.mark("EMAIL", "rosa@example.com"), "rosa@example.com": marked.mark("NAME", "x")}
    tally = privacy.measure([marked.sample("row", value)])
    assert tally.share("EMAIL") == 100
    assert tally.masked >= len("rosa@example.com")  # the key


def test_the_same_seed_makes_the_same_sets(load) -> None:  # type: ignore[no-untyped-def]
    shapes, singles = load("privacy_shapes"), load("privacy_singles")
    first, again = ([one.printed.text for one in shapes.Shapes(7).all(1)] for _ in range(2))
    assert first == again
    assert len(first) >= 18
    group = singles.GROUPS[0]
    assert list(group.samples(5, 7)) == list(group.samples(5, 7)) != list(group.samples(5, 8))


def test_the_innocent_text_has_the_size_asked_for_and_every_sort(load) -> None:  # type: ignore[no-untyped-def]
    pieces = list(load("privacy_negatives").negatives(60_000, 7))
    assert 60_000 <= sum(len(piece) for _, piece in pieces) < 70_000
    assert len({sort for sort, _ in pieces}) == 7
