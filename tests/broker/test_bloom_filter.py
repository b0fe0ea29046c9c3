"""A print says yes to all that was there, and to next to nothing else, in bounded memory."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.broker import bloom_filter as module
from workbench.broker.bloom_filter import PHRASE, NgramBloomFilter


@given(st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=40), st.data())
def test_whatever_stood_there_in_a_row_is_known(words, data):
    seen = NgramBloomFilter()
    seen.add(words)
    start = data.draw(st.integers(0, len(words) - 1))
    assert seen.has(words[start : start + 3])
    assert len(list(seen.shared(words))) == max(0, len(words) - PHRASE + 1)


@pytest.mark.parametrize("few", [100, 10_000_000])
def test_other_words_are_not_known_with_few_or_many_entries(few, monkeypatch):
    monkeypatch.setattr(module, "_FEW", few)
    seen = NgramBloomFilter()
    seen.add([f"word{n}" for n in range(30_000)])
    assert all(seen.has([f"word{n}", f"word{n + 1}"]) for n in range(0, 29_000, 97))
    wrong = sum(seen.has([f"word{n}", f"word{n + 2}"]) for n in range(20_000))
    assert wrong < 40
    assert not seen.full
