"""Whatever an agent sends, the stream ends or answers; the core is not harmed."""

from __future__ import annotations

import asyncio
import json
import socket

import anyio
import mcp.types as T
import pytest
from mcp.shared.message import SessionMessage

from workbench.agent import message_stream
from workbench.agent.message_stream import messages


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
    monkeypatch.setattr(message_stream, "MAX_FRAME", 1_000)
    near, (reader, writer) = await pair()
    async with messages(reader, writer, as_it_is) as (incoming, _):
        near.sendall(b"x" * 5_000)
        with pytest.raises(message_stream.anyio.EndOfStream):
            await incoming.receive()
    near.close()
    writer.close()


async def test_whoever_is_asked_says_what_it_cannot_read(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(message_stream, "MAX_FRAME", 1_000)
    near, (reader, writer) = await pair()
    heard, speaking = await asyncio.open_connection(sock=near)
    async with messages(reader, writer, as_it_is, answers=True) as (incoming, _):
        speaking.write(b"rubbish\n")
        assert isinstance(await incoming.receive(), Exception)
        speaking.write(b"x" * 5_000)
        errors = [json.loads(await heard.readline())["error"]["code"] for _ in range(2)]
    assert errors == [-32700, -32600]
    speaking.close()
    writer.close()


async def test_whoever_asks_without_waiting_is_read_no_faster_than_answered(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(message_stream, "MOST_OPEN", 2)
    near, (reader, writer) = await pair()
    async with messages(reader, writer, as_it_is, answers=True) as (incoming, outgoing):
        near.sendall(
            b"".join(json.dumps({"jsonrpc": "2.0", "id": n, "method": "ping"}).encode() + b"\n" for n in range(9))
        )
        assert [(await incoming.receive()).message.id for _ in range(2)] == [0, 1]
        with anyio.move_on_after(0.05) as waited:
            await incoming.receive()
        assert waited.cancelled_caught
        await outgoing.send(SessionMessage(T.JSONRPCResponse(jsonrpc="2.0", id=1, result={})))
        assert (await incoming.receive()).message.id == 2
    near.close()
    writer.close()
