"""Frames: what is cut, overlong or no JSON is told apart."""

from __future__ import annotations

import asyncio
import json
import struct
import types

import pytest

from workbench.api.frames import FRAME_CAP, OversizedFrame, error_from_json, error_to_json, pack_frame, read_frame
from workbench.errors import WorkbenchError


async def taken(data: bytes, cap: int = FRAME_CAP):
    reader = asyncio.StreamReader()
    reader.feed_data(data)
    reader.feed_eof()
    return await read_frame(reader, cap)


def frame(body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + body


async def test_a_message_comes_back_with_every_kind_of_text():
    message = {"id": [1, None, True, 2.5], "hello": {"ü": "€ 😀 \x00 \ud800"}}
    assert await taken(pack_frame(message)) == message


async def test_a_mapping_that_is_no_dict_is_an_object_all_the_same():
    assert await taken(pack_frame(types.MappingProxyType({"id": types.MappingProxyType({})}))) == {"id": {}}


@pytest.mark.parametrize("data", [b"", b"\x00", b"\x00\x00\x00\x05", b"\x00\x00\x00\x05{}"])
async def test_a_cut_stream_is_the_end(data):
    assert await taken(data) is None


@pytest.mark.parametrize("body", [b"", b"{", b"\xff\xfe", b"[]", b"3", b"null", b"[" * 200_000, b"1" * 5_000])
async def test_a_body_that_is_no_object_is_refused(body):
    with pytest.raises(WorkbenchError, match=r"^A message (is not JSON|does not have the expected shape)"):
        await taken(frame(body))


async def test_an_overlong_frame_is_refused_before_it_is_read():
    with pytest.raises(OversizedFrame):
        await taken(struct.pack(">I", FRAME_CAP + 1))
    with pytest.raises(OversizedFrame):
        await taken(frame(b"{}" * 10), cap=10)


@pytest.mark.parametrize("message", [{"a": object()}, {"a": {object()}}, {"a": {object(): 1}}])
def test_what_has_no_place_in_json_is_not_sent(message):
    with pytest.raises(WorkbenchError, match="cannot be sent"):
        pack_frame(message)


def test_a_message_past_the_cap_is_not_sent():
    with pytest.raises(OversizedFrame):
        pack_frame({"a": "x" * 100}, cap=100)


def test_a_fault_keeps_its_words():
    error = error_from_json(json.loads(json.dumps(error_to_json(WorkbenchError("No.", "Try.")))))
    assert (error.message, error.hint) == ("No.", "Try.")


@pytest.mark.parametrize("fault", [None, [], "x", 3])
def test_a_fault_of_no_known_shape_is_a_fault_still(fault):
    assert error_from_json(fault).message
