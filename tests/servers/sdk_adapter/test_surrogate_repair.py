"""Half a character in a message: it is replaced, and nothing else changes."""

from __future__ import annotations

import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.servers.sdk_adapter.untrusted_json import SurrogateRepair, replace_lone_surrogates

parts = st.sampled_from(["\ud83d", "\ude00", "😀", "\\", "u", "d83d", "\\ud83d", '"', "a", "é", "\n"])
texts = st.lists(parts).map("".join)


def clean(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


@given(texts)
def test_each_half_is_replaced_and_all_else_stays(text: str) -> None:
    mended = json.loads(replace_lone_surrogates(json.dumps([text]).encode()))
    assert mended == [clean(text)]


@given(texts, st.lists(st.integers(0, 60)))
def test_it_is_the_same_in_pieces(text: str, cuts: list[int]) -> None:
    data = json.dumps([text]).encode()
    places = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    pieces = SurrogateRepair()
    parts = [pieces.feed(data[start:end]) for start, end in itertools.pairwise(places)]
    assert b"".join([*parts, pieces.rest()]) == replace_lone_surrogates(data)


@pytest.mark.parametrize("data", [b"", b"{}", '{"a": "😀 \\u00e9 \\\\ud83d \\ud83d\\ude00"}'.encode()])
def test_what_is_whole_comes_back_unchanged(data: bytes) -> None:
    assert replace_lone_surrogates(data) == data
    assert SurrogateRepair().feed(data) == data
