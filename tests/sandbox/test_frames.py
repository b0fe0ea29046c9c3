"""The frame reader takes whatever bytes come, and answers frames or refuses."""

from __future__ import annotations

import json
import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.sandbox.frames import DEEPEST, LONGEST, FrameFault, FrameReader, decode, encode

values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)
frames = st.dictionaries(st.text(), values, max_size=5)


@given(st.lists(frames, max_size=5), st.integers(1, 50))
def test_frames_survive_any_way_the_stream_is_cut(sent: list[dict[str, Any]], step: int) -> None:
    stream = b"".join(encode(frame) for frame in sent)
    reader = FrameReader()
    heard = [frame for at in range(0, len(stream), step) for frame in reader.feed(stream[at : at + step])]
    assert heard == json.loads(json.dumps(sent).encode("utf-8", "replace"))


@given(st.lists(st.binary(max_size=80), max_size=20))
def test_any_bytes_are_frames_or_refused(chunks: list[bytes]) -> None:
    reader = FrameReader()
    try:
        for chunk in chunks:
            assert all(isinstance(frame, dict) for frame in reader.feed(chunk))
    except FrameFault:
        return


@given(st.binary(max_size=200))
def test_any_body_is_an_object_or_refused(body: bytes) -> None:
    try:
        assert isinstance(decode(body), dict)
    except FrameFault:
        return


@given(st.integers(LONGEST + 1, 2**32 - 1))
def test_a_length_past_the_cap_is_refused_before_its_bytes_arrive(length: int) -> None:
    with pytest.raises(FrameFault):
        FrameReader().feed(struct.pack(">I", length))


@pytest.mark.parametrize(
    "body",
    [
        b'{"a":' + b"[" * (DEEPEST + 1) + b"]" * (DEEPEST + 1) + b"}",
        b'{"a":' + b"[" * 1_000_000,
        b'{"id":' + b"9" * 5000 + b"}",
        b'{"a":NaN}',
        b'{"a":"\\ud800"}',
        b'{"a":"\\uDFFF"}',
        b"[]",
        b"",
        b"\xff\xfe{}",
    ],
)
def test_what_could_hurt_later_is_refused_here(body: bytes) -> None:
    with pytest.raises(FrameFault):
        decode(body)


def test_brackets_in_text_are_not_depth() -> None:
    assert decode(json.dumps({"a": "[" * 10_000}).encode()) == {"a": "[" * 10_000}
