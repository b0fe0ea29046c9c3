"""The core's end of a channel, with a socket in place of the program that may send anything."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from workbench.records import JsonObject, JsonValue, Limits
from workbench.sandbox.channel.channel import Channel
from workbench.sandbox.channel.frames import BULKY, encode, pack_bulk
from workbench.sandbox.channel.requests import LARGEST_ARGUMENTS
from workbench.sandbox.program import Answer, JsonText, ToolFailure

PATIENCE = 60.0


class Wire:
    """A channel, and the socket at its other end."""

    def __init__(self, channel: Channel, theirs: socket.socket) -> None:
        self.channel, self.theirs = channel, theirs

    async def say(self, *frames: bytes) -> None:
        await asyncio.get_running_loop().sock_sendall(self.theirs, b"".join(frames))

    async def hear(self) -> dict[str, Any]:
        """The next frame, with a bulk value inserted."""
        (word,) = struct.unpack(">I", await self._exactly(4))
        body = await self._exactly(word & 0x7FFFFFFF)
        if not word >> 31:
            return dict(json.loads(body))
        (length,) = struct.unpack_from(">I", body)
        frame, text = json.loads(body[4 : 4 + length]), body[4 + length :].decode()
        return {**frame, "value": json.loads(text) if frame["bulk"] == "json" else text}

    async def _exactly(self, size: int) -> bytes:
        data = bytearray()
        async with asyncio.timeout(PATIENCE):
            while len(data) < size:
                data += await asyncio.get_running_loop().sock_recv(self.theirs, min(1 << 20, size - len(data)))
        return bytes(data)

    async def over(self) -> None:
        async with asyncio.timeout(PATIENCE):
            await asyncio.wait([self.channel.ended])


def ask(number: int, **wish: JsonValue) -> bytes:
    return encode({"kind": "ask", "id": number, "what": "call", "wish": wish})


@pytest.fixture
async def connect() -> AsyncIterator[Callable[..., Any]]:
    wires: list[Wire] = []

    async def connected(answer: Answer, limits: Limits | None = None) -> Wire:
        ours, theirs = socket.socketpair()
        theirs.setblocking(False)
        _, channel = await asyncio.get_running_loop().create_connection(Channel, sock=ours)
        wire = Wire(channel, theirs)
        wires.append(wire)
        await wire.say(encode({"kind": "ready"}))
        async with asyncio.timeout(PATIENCE):
            await channel.ready
        channel.begin("", limits or Limits(), answer, lambda stream, text: None)
        assert (await wire.hear())["kind"] == "start"
        return wire

    yield connected
    for wire in wires:
        wire.channel.close()
        await wire.channel.closed()
        wire.theirs.close()


def echo(what: str, wish: JsonObject) -> JsonValue:
    return dict(wish)


async def test_an_answer_that_is_known_at_once_needs_no_task(connect):
    wire = await connect(echo)
    before = asyncio.all_tasks()
    await wire.say(ask(1, tool="t"))
    assert await wire.hear() == {"kind": "answer", "id": 1, "value": {"tool": "t"}}
    assert asyncio.all_tasks() == before


@pytest.mark.parametrize("value", ["é" * BULKY, ["é" * BULKY], JsonText(json.dumps(["é"] * BULKY)), JsonText("[1]")])
async def test_an_answer_arrives_as_it_was_given_however_long(connect, value):
    wire = await connect(lambda what, wish: value)
    await wire.say(ask(1))
    assert (await wire.hear())["value"] == (json.loads(value.text) if isinstance(value, JsonText) else value)


async def test_long_arguments_come_behind_their_frame(connect):
    wire = await connect(lambda what, wish: len(wish["arguments"]["a"]) + len(wish["tool"]))
    head = {"kind": "ask", "id": 1, "what": "call", "wish": {"tool": "t"}}
    await wire.say(pack_bulk(head, json.dumps({"a": "x" * 1_000_000}), is_json=True))
    assert (await wire.hear())["value"] == 1_000_001


async def test_arguments_beyond_the_limit_are_refused_and_the_program_goes_on(connect):
    heard = []
    wire = await connect(lambda what, wish: heard.append(wish))
    head = {"kind": "ask", "id": 1, "what": "call", "wish": {"tool": "t"}}
    await wire.say(pack_bulk(head, json.dumps("x" * LARGEST_ARGUMENTS), is_json=True))
    error = (await wire.hear())["error"]
    assert error["code"] == "too_large"
    assert "file" in error["message"]
    await wire.say(ask(2, tool="t"))
    assert (await wire.hear())["id"] == 2
    assert heard == [{"tool": "t"}]


@pytest.mark.parametrize(
    "frame",
    [
        pack_bulk({"kind": "output", "stream": "stdout", "text": ""}, '"x"', is_json=True),
        pack_bulk({"kind": "ask", "id": 1, "what": "search", "wish": {}}, "{}", is_json=True),
        pack_bulk({"kind": "ask", "id": 1, "what": "call", "wish": {}}, "{}", is_json=False),
        pack_bulk({"kind": "ask", "id": 1, "what": "call", "wish": {}}, "[" * 101 + "]" * 101, is_json=True),
        pack_bulk({"kind": "ask", "id": 1, "what": "call", "wish": {}}, "{nonsense", is_json=True),
        pack_bulk({"kind": "end", "ok": True}, "no JSON", is_json=True),
        pack_bulk({"kind": "end", "ok": True}, "1", is_json=False),
        pack_bulk({"kind": "decide", "allow": True}, "{}", is_json=True),
        encode({"kind": "end", "ok": True, "result": '"\\ud800"'}),
    ],
)
async def test_a_frame_that_does_not_belong_ends_the_run(connect, frame):
    wire = await connect(echo)
    await wire.say(frame)
    await wire.over()
    assert wire.channel.reason == "protocol"


async def test_questions_that_come_together_are_answered_so_many_at_once_and_all_in_the_end(connect):
    gate, now, most = asyncio.Event(), 0, 0

    async def slow(what: str, wish: JsonObject) -> JsonValue:
        nonlocal now, most
        now += 1
        most = max(most, now)
        await gate.wait()
        now -= 1
        return True

    wire = await connect(slow)
    await wire.say(
        *(ask(number) for number in range(1, 501)), encode({"kind": "ask", "id": 501, "what": "skill", "wish": {}})
    )
    while now < 64:
        await asyncio.sleep(0)
    gate.set()
    assert sorted([(await wire.hear())["id"] for _ in range(501)]) == list(range(1, 502))
    assert most == 64


async def test_a_program_that_takes_no_answers_does_not_fill_the_core(connect):
    answered = 0

    def big(what: str, wish: JsonObject) -> JsonValue:
        nonlocal answered
        answered += 1
        return "x" * 1_000_000

    wire = await connect(big)
    await wire.say(*(ask(number) for number in range(1, 1001)))
    while not wire.channel._blocked:
        await asyncio.sleep(0)
    assert answered < 20, "as many as fit into the buffers"
    for _ in range(1000):
        assert len((await wire.hear())["value"]) == 1_000_000
    assert answered == 1000


async def test_an_end_behind_questions_without_answers_is_heard(connect):
    never = asyncio.Event()

    async def silent(what: str, wish: JsonObject) -> JsonValue:
        await never.wait()
        return None

    wire = await connect(silent)
    await wire.say(*(ask(number) for number in range(1, 100)), encode({"kind": "end", "ok": True, "result": "7"}))
    while len(wire.channel._tasks) < 64:
        await asyncio.sleep(0)
    wire.channel.connection_lost(None)
    await wire.over()
    assert wire.channel.ended.result()["result"] == "7"


async def test_what_fails_becomes_an_error_whether_it_fails_at_once_or_later(connect):
    def refuse(what: str, wish: JsonObject) -> Any:
        if wish:
            raise ToolFailure("No.", "refused", ["a"], ["b"])
        return later()

    async def later() -> JsonValue:
        raise ToolFailure("Later no.", "tool")

    wire = await connect(refuse)
    await wire.say(ask(1, tool="t"), ask(2))
    first, second = await wire.hear(), await wire.hear()
    named = {"valid_parameters": ["a"], "suggestions": ["b"], "hint": ""}
    assert first["error"] == {"message": "No.", "code": "refused", **named}
    assert second["error"]["message"] == "Later no."


async def test_a_question_that_ends_otherwise_than_cancelled_holds_nothing_up_when_all_are_let_go(connect):
    begun = asyncio.Event()

    async def full(what: str, wish: JsonObject) -> JsonValue:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            raise OSError("what was cancelled cannot be noted: the disk is full")

    wire = await connect(full)
    await wire.say(ask(1), ask(2))
    async with asyncio.timeout(PATIENCE):
        await begun.wait()
    wire.channel.end("stopped", "")
    async with asyncio.timeout(PATIENCE):
        await wire.channel.closed()
    assert wire.channel._busy == 0


async def test_an_answer_that_cannot_be_written_is_an_error_for_the_program(connect):
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    answers = iter([object(), deep, True])
    wire = await connect(lambda what, wish: next(answers))
    await wire.say(ask(1), ask(2), ask(3))
    assert [(await wire.hear()).get("error", {}).get("code") for _ in range(3)] == ["too_large", "too_large", None]
    while deep:  # recursive deallocation would overflow the stack
        deep = deep.pop()


async def test_a_program_may_not_send_without_end(connect, monkeypatch):
    monkeypatch.setattr("workbench.sandbox.channel.channel._MOST", 10_000)
    wire = await connect(echo)
    await wire.say(*(ask(number, text="x" * 100) for number in range(1, 200)))
    await wire.over()
    assert wire.channel.reason == "protocol"
