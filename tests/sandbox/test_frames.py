"""The frame reader accepts any bytes, and returns frames or a fault."""

from __future__ import annotations

import json
import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.sandbox.channel.frames import (
    BULK,
    DEEPEST,
    LONGEST,
    LONGEST_PLAIN,
    MOST,
    Bulk,
    FrameFault,
    FrameReader,
    decode,
    encode,
    pack_bulk,
    read_json,
)

values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)
frames = st.dictionaries(st.text().filter(lambda key: key != "bulk"), values, max_size=3)


@given(st.lists(frames, max_size=4), st.integers(1, 50))
def test_frames_survive_any_way_the_stream_is_cut(sent: list[dict[str, Any]], step: int) -> None:
    stream = b"".join(encode(frame) for frame in sent)
    reader = FrameReader()
    heard = [frame for at in range(0, len(stream), step) for frame in reader.feed(stream[at : at + step])]
    assert heard == json.loads(json.dumps(sent).encode("utf-8", "replace"))


@given(st.lists(st.binary(max_size=80), max_size=20))
def test_any_bytes_are_frames_or_refused(chunks: list[bytes]) -> None:
    reader = FrameReader()
    for chunk in chunks:
        assert all(isinstance(frame, dict) for frame in reader.feed(chunk))


@given(st.binary(max_size=200))
def test_any_body_is_an_object_or_refused(body: bytes) -> None:
    try:
        assert isinstance(decode(body), dict)
    except FrameFault:
        return


@given(frames, st.text(), st.booleans(), st.integers(1, 50))
def test_bulk_frames_survive_any_way_the_stream_is_cut(
    head: dict[str, Any], text: str, is_json: bool, step: int
) -> None:
    stream = pack_bulk(head, text, is_json=is_json) + encode({"kind": "next"})
    reader = FrameReader()
    heard = [frame for at in range(0, len(stream), step) for frame in reader.feed(stream[at : at + step])]
    assert heard[0].pop("bulk") == Bulk(text.encode("utf-8", "replace").decode(), is_json)
    assert heard == [json.loads(json.dumps(head).encode("utf-8", "replace")), {"kind": "next"}]


@given(st.integers(LONGEST_PLAIN + 1, BULK - 1) | st.integers(BULK + LONGEST + 1, 2**32 - 1))
def test_a_length_past_the_cap_is_refused_before_its_bytes_arrive(length: int) -> None:
    reader = FrameReader()
    assert reader.feed(struct.pack(">I", length)) == []
    assert reader.fault is not None


def bulk(head: bytes, rest: bytes = b"", said: int = -1) -> bytes:
    """A bulk frame whose head may state a wrong length."""
    body = struct.pack(">I", len(head) if said < 0 else said) + head + rest
    return struct.pack(">I", BULK | len(body)) + body


@pytest.mark.parametrize(
    "stream",
    [
        struct.pack(">I", BULK),
        struct.pack(">I", BULK | 3) + b"abc",
        bulk(b'{"bulk":"json"}', said=16),
        bulk(b'{"bulk":"json"}', said=2**32 - 1),
        bulk(b'{"bulk":"json"}', said=3),
        bulk(b'{"bulk":"pickle"}'),
        bulk(b'{"bulk":{}}'),
        bulk(b"{}"),
        bulk(b"[]"),
        bulk(b'{"bulk":"text"}', b"\xff"),
        bulk(b'{"bulk":"text","a":"\\ud800"}'),
        bulk(b'{"bulk":"text","a":"' + b"x" * (1 << 16) + b'"}'),
        encode({"bulk": "json"}),
    ],
)
def test_a_forged_bulk_frame_is_refused(stream: bytes) -> None:
    reader = FrameReader()
    assert reader.feed(encode({"kind": "before"}) + stream + encode({"kind": "after"})) == [{"kind": "before"}]
    assert reader.fault is not None
    assert reader.feed(encode({"kind": "after"})) == []


def test_signs_in_texts_are_neither_depth_nor_number() -> None:
    frame = {'[{"\\': '[{"\\\n' * 2 * DEEPEST, "é": [["]"]]}
    assert FrameReader().feed(encode(frame)) == [frame]
    assert read_json(json.dumps("[" * (MOST + 1)), deepest=0) == "[" * (MOST + 1)


@pytest.mark.parametrize("deepest", [0, DEEPEST])
def test_more_objects_than_memory_should_hold_are_refused_before_they_are_made(deepest: int) -> None:
    with pytest.raises(FrameFault, match="lists and objects"):
        read_json("[" + "[]," * MOST + "{}]", deepest)


@pytest.mark.parametrize("text", ['["' + '\\"' * 100_000, '"[' * 100_001, '["' + "[" * 200_000 + "\\"])
def test_texts_without_an_end_take_no_longer(text: str) -> None:
    with pytest.raises(FrameFault, match=r"not JSON|nested"):
        read_json(text)


def test_a_long_text_may_be_as_deep_as_it_likes_where_nobody_walks_it() -> None:
    text = "[" * (DEEPEST + 1) + "]" * (DEEPEST + 1)
    assert json.dumps(read_json(text, deepest=0)) == text
    with pytest.raises(FrameFault):
        read_json(text)


@pytest.mark.parametrize(
    "body",
    [
        b'{"a":' + b"[" * (DEEPEST + 1) + b"]" * (DEEPEST + 1) + b"}",
        b'{"a":' + b"[" * 1_000_000,
        b'{"id":' + b"9" * 5000 + b"}",
        b'{"a":NaN}',
        b'{"a":-1e999}',
        b'{"a":"\\ud800"}',
        b'{"a":"\\uDFFF"}',
        b"[]",
        b"",
        b"\xff\xfe{}",
        '{"a":1}'.encode("utf-16"),
        b'{"a":"\xed\xa0\x80"}',
    ],
)
def test_what_could_hurt_later_is_refused_here(body: bytes) -> None:
    with pytest.raises(FrameFault):
        decode(body)


def test_brackets_in_text_are_not_depth() -> None:
    assert decode(json.dumps({"a": "[" * 10_000}).encode()) == {"a": "[" * 10_000}
