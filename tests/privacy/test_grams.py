"""A sieve lets every place pass where a known value begins, and almost no other."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workbench.privacy.grams import SIZE, Grams, Sieve


@given(st.text(max_size=60))
def test_each_place_of_each_anchor_passes(text: str) -> None:
    every = [text[at : at + SIZE] for at in range(len(text) - SIZE + 1)]
    sieve = Sieve()
    for anchor in every[::2]:
        sieve.add(anchor)
    places = sieve.places(Grams(text))
    assert {at for at, anchor in enumerate(every) if anchor in every[::2]} <= set(places)
    assert list(places) == sorted(set(places))


def test_few_others_pass_and_what_is_added_later_passes_too() -> None:
    sieve, text = Sieve(), " ".join(map(str, range(10_000)))
    sieve.add("abcdef")
    assert len(sieve.places(Grams(text))) < 20
    sieve.add(" 5000 ")
    assert text.index(" 5000 ") in sieve.places(Grams(text))


def test_letters_beyond_all_planes_and_halves_of_them_pass() -> None:
    sieve = Sieve()
    sieve.add("\U0001f600\ud800Öé\0a")
    assert sieve.places(Grams("b\U0001f600\ud800Öé\0ac")) == [1]
    assert sieve.places(Grams("short")) == []
