"""A lone surrogate in a message is replaced, and nothing else changes."""

from __future__ import annotations

import itertools
import json
from collections.abc import AsyncIterator
from itertools import pairwise

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.servers.sdk_adapter import untrusted_json
from workbench.servers.sdk_adapter.http_client import _Body, _Patience
from workbench.servers.sdk_adapter.untrusted_json import (
    MessageWeight,
    SurrogateRepair,
    may_be_heavy,
    replace_lone_surrogates,
    too_heavy,
)

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


TEXTS = st.text(alphabet='a"\\\\[]{},:\n', max_size=12)
VALUES = st.recursive(
    st.one_of(TEXTS, st.integers(), st.none()),
    lambda inner: st.one_of(st.lists(inner, max_size=5), st.dictionaries(TEXTS, inner, max_size=5)),
    max_leaves=30,
)


def lists_in(value: object) -> int:
    if isinstance(value, dict):
        return 1 + sum(map(lists_in, value.values()))
    return 1 + sum(map(lists_in, value)) if isinstance(value, list) else 0


@given(VALUES, st.lists(st.integers(0, 400), max_size=6))
def test_the_same_is_counted_however_the_bytes_are_cut(value: object, cuts: list[int]) -> None:
    data, number = json.dumps(value).encode(), lists_in(value)
    places = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    with pytest.MonkeyPatch.context() as patch:
        for most, heavy in ((number, False), (number - 1, True)):
            patch.setattr(untrusted_json, "MOST_LISTS", most)
            scale = MessageWeight()
            words = [scale.add(data[start:end]) for start, end in pairwise(places)]
            assert bool(words[-1]) is heavy


def test_signs_in_texts_weigh_nothing() -> None:
    data = json.dumps({"text": '[{,"' * 400_000, "more": ["\\"] * 10}).encode()
    assert may_be_heavy(data)
    assert too_heavy(data) == ""


@pytest.mark.parametrize(
    ("value", "words"),
    [("[]", "300,000 lists and objects"), ("{}", "300,000 lists and objects"), ("1", "1,000,000 values")],
)
def test_too_many_parts_are_told(value: str, words: str) -> None:
    data = b"[" + b",".join([value.encode()] * 1_000_002) + b"]"
    assert may_be_heavy(data)
    assert words in too_heavy(data)


@pytest.mark.parametrize("end", [b"\r\n\r\n", b"\n\n", b"\r\r"])
@pytest.mark.parametrize("size", [1, 7, 64, 1_000])
async def test_each_event_of_a_stream_is_weighed_alone(end: bytes, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(untrusted_json, "MOST_VALUES", 100)
    stream = (b"data: [" + b"1," * 60 + b"1]" + end) * 20
    assert await _read(stream, size) == stream
    with pytest.raises(httpx2.StreamError, match="too large to be read"):
        await _read(stream + b"data: [" + b"1," * 2_000 + b"1]" + end, size)


async def _read(stream: bytes, size: int) -> bytes:
    async def come() -> AsyncIterator[bytes]:
        for at in range(0, len(stream), size):
            yield stream[at : at + size]

    return b"".join([chunk async for chunk in _Body(come(), 0, _Patience())])
