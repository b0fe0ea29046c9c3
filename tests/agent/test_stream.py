"""Whatever an agent sends, the stream ends or answers; the core is not harmed."""

from __future__ import annotations

import asyncio
import json
import socket

import pytest

from workbench.agent import stream
from workbench.agent.stream import messages


async def as_it_is(message):
    return json.dumps(message).encode() + b"\n"


async def pair():
    near, far = socket.socketpair()
    return near, await asyncio.open_connection(sock=far)


async def test_a_line_that_is_no_message_arrives_as_a_fault_and_the_next_one_as_a_message():
    near, (reader, writer) = await pair()
    async with messages(reader, writer, as_it_is) as (incoming, _):
        near.sendall(b"rubbish\n" + json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode() + b"\n")
        assert isinstance(await incoming.receive(), Exception)
        assert (await incoming.receive()).message.method == "ping"
    near.close()
    writer.close()


async def test_a_message_without_end_is_cut_off(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(stream, "MAX_FRAME", 1_000)
    near, (reader, writer) = await pair()
    async with messages(reader, writer, as_it_is) as (incoming, _):
        near.sendall(b"x" * 5_000)
        with pytest.raises(stream.anyio.EndOfStream):
            await incoming.receive()
    near.close()
    writer.close()
