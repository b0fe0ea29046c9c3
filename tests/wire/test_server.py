"""The core's end of the wire against doors that do not behave."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import struct

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from workbench import __version__
from workbench.events import Noticed, living
from workbench.records import Fault
from workbench.wire import door, server
from workbench.wire.protocol import FRAME_CAP, PROTOCOL, pack, take
from workbench.wire.server import Server

HELLO = {"hello": {"protocol": PROTOCOL, "app": __version__, "bench": "/bench", "role": "window"}}


class Caller:
    """A raw socket that can say anything."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    def say(self, message: dict[str, object]) -> None:
        self.writer.write(pack(message))

    async def hear(self) -> dict[str, object] | None:
        async with asyncio.timeout(10):
            return await take(self.reader)

    async def close(self) -> None:
        self.writer.close()
        with contextlib.suppress(OSError):
            await self.writer.wait_closed()


@contextlib.asynccontextmanager
async def serving(answers):
    """A server, and a way to call it; both are gone afterwards."""
    serving, callers = Server(answers, answers.bus, "/bench"), []

    async def call(hello: dict[str, object] | None = HELLO) -> Caller:
        near, far = socket.socketpair()
        serving.admit(*await asyncio.open_connection(sock=far))
        caller = Caller(*await asyncio.open_connection(sock=near, limit=2 * FRAME_CAP))
        callers.append(caller)
        if hello:
            caller.say(hello)
            assert (await caller.hear())["hello"]["bench"] == "/bench"
        return caller

    try:
        yield serving, call
    finally:
        answers.release.set()
        await serving.close()
        for caller in callers:
            await caller.close()
        assert not [name for name in living() if name.startswith("wire")]


def hello(**changed: object) -> dict[str, object]:
    return {"hello": {**HELLO["hello"], **changed}}


@pytest.mark.parametrize(
    ("first", "words"),
    [
        ({"id": 1, "ask": "status"}, "must be a hello"),
        ({"hello": []}, "must be a hello"),
        (hello(role=None), "must be a hello"),
        (hello(protocol=99), "is version"),
        (hello(app="0.0.1"), "is version"),
        (hello(bench="/elsewhere"), "serves the bench"),
    ],
)
async def test_a_door_that_does_not_greet_properly_is_turned_away(answers, first, words):
    async with serving(answers) as (_, call):
        caller = await call(None)
        caller.say(first)
        assert words in (await caller.hear())["fault"]["message"]
        assert await caller.hear() is None


async def test_a_door_that_never_greets_is_let_go(answers, monkeypatch):
    monkeypatch.setattr(server, "HELLO_SECONDS", 0.05)
    async with serving(answers) as (_, call):
        assert await (await call(None)).hear() is None


async def test_an_overlong_first_frame_is_turned_away(answers):
    async with serving(answers) as (_, call):
        caller = await call(None)
        caller.writer.write(struct.pack(">I", 100_000))
        assert "longer than" in (await caller.hear())["fault"]["message"]
        assert await caller.hear() is None


async def test_events_do_not_reach_a_door_that_has_not_greeted(answers):
    async with serving(answers) as (running, call):
        caller, friend = await call(None), await call()
        answers.bus.tell(Noticed(Fault("private")))
        running.flush()
        assert "events" in await friend.hear()
        caller.say({"x": 1})
        assert "hello" in (await caller.hear())["fault"]["message"]


@pytest.mark.parametrize(
    "message",
    [
        {"id": 1, "ask": "no_such_question"},
        {"id": 1, "ask": "__init__"},
        {"id": 1, "ask": "bus", "arguments": {}},
        {"id": 1, "ask": ["status"]},
        {"id": 1},
        {"id": 1, "ask": "status", "arguments": []},
        {"id": 1, "ask": "status", "arguments": {"x": 1}},
        {"id": 1, "ask": "read_file", "arguments": {"path": 3}},
        {"id": 1, "ask": "read_file", "arguments": {"path": {"handle": "nothing"}}},
        {"id": 1, "fetch": 3, "offset": 0, "length": 1},
        {"id": 1, "fetch": "nothing", "offset": 0, "length": 1},
        {"id": "1", "ask": "status"},
        {"id": True, "ask": "status"},
        {"ask": "status"},
        {},
    ],
)
async def test_a_wrong_question_is_a_fault_and_the_door_stays_open(answers, message):
    async with serving(answers) as (_, call):
        caller = await call()
        caller.say(message)
        assert (await caller.hear())["fault"]["message"]
        caller.say({"id": 2, "ask": "status"})
        assert (await caller.hear())["value"]["pid"] == 7


async def test_a_body_that_is_no_json_is_a_fault_and_the_door_stays_open(answers):
    async with serving(answers) as (_, call):
        caller = await call()
        caller.writer.write(struct.pack(">I", 3) + b"{{{")
        assert await caller.hear() == {"id": None, "fault": {"message": "A message is not JSON.", "hint": ""}}
        caller.say({"id": 2, "ask": "status"})
        assert (await caller.hear())["id"] == 2


async def test_an_overlong_frame_closes_the_door_but_not_the_others(answers):
    async with serving(answers) as (_, call):
        caller, friend = await call(), await call()
        caller.writer.write(b"\xff\xff\xff\xff" + b"x" * 1000)
        assert "longer than" in (await caller.hear())["fault"]["message"]
        assert await caller.hear() is None
        friend.say({"id": 1, "ask": "status"})
        assert (await friend.hear())["value"]["pid"] == 7


@pytest.mark.parametrize("cancel", [None, [], "1", 77, {"a": 1}, True])
async def test_cancelling_nothing_does_nothing(answers, cancel):
    async with serving(answers) as (_, call):
        caller = await call()
        caller.say({"cancel": cancel})
        caller.say({"id": 1, "ask": "status"})
        assert (await caller.hear())["id"] == 1


async def test_a_number_in_use_is_refused(answers):
    async with serving(answers) as (_, call):
        caller = await call()
        for _ in range(2):
            caller.say({"id": 1, "ask": "change_setting", "arguments": {"name": "run.seconds", "value": 1}})
        assert "number of its own" in (await caller.hear())["fault"]["message"]


async def test_one_door_cannot_ask_without_end(answers, monkeypatch):
    monkeypatch.setattr(door, "ASKED_CAP", 3)
    async with serving(answers) as (_, call):
        caller = await call()
        for number in range(5):
            caller.say({"id": number, "ask": "change_setting", "arguments": {"name": "run.seconds", "value": 1}})
        heard = [await caller.hear(), await caller.hear()]
        assert [message["id"] for message in heard] == [3, 4]
        assert "Too many" in heard[0]["fault"]["message"]


async def test_a_door_that_does_not_read_is_closed_and_the_others_hear_on(answers, monkeypatch, caplog):
    monkeypatch.setattr(door, "UNREAD_CAP", 100_000)
    async with serving(answers) as (running, call):
        deaf, friend = await call(), await call()
        deaf.reader._transport.pause_reading()
        heard = 0
        for _ in range(200):
            answers.bus.tell(Noticed(Fault("x" * 20_000)))
            running.flush()
            heard += len((await friend.hear())["events"])
        assert heard == 200
        assert "does not read" in caplog.text
        assert running.doors == 1


async def test_events_are_gathered_into_few_frames(answers):
    async with serving(answers) as (_, call):
        caller = await call()
        for number in range(1000):
            answers.bus.tell(Noticed(Fault(str(number))))
        await asyncio.sleep(0)
        answers.bus.tell(Noticed(Fault("last")))
        frames = [await caller.hear(), await caller.hear()]
        assert [len(frame["events"]) for frame in frames] == [1000, 1]


async def test_an_answer_past_the_cap_is_a_fault(answers, monkeypatch):
    def small(message, pack=pack):
        return pack(message, cap=50_000)

    monkeypatch.setattr(door, "pack", small)
    async with serving(answers) as (_, call):
        caller = await call()
        caller.say({"id": 1, "ask": "tools"})
        assert "longer than" in (await caller.hear())["fault"]["message"]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.binary(max_size=60) | st.sampled_from([pack(HELLO), pack({"id": 1, "ask": "status"})]), max_size=5))
def test_any_bytes_leave_the_server_standing(answers_of, chunks):
    async def attack() -> None:
        answers = answers_of()
        async with serving(answers) as (_, call):
            attacker, friend = await call(None), await call()
            for chunk in chunks:
                attacker.writer.write(chunk)
            await attacker.close()
            friend.say({"id": 1, "ask": "status"})
            assert (await friend.hear())["value"]["pid"] == 7

    asyncio.run(attack())


def test_frames_are_what_the_protocol_says():
    assert json.loads(pack({"a": 1})[4:]) == {"a": 1}
    assert pack({"a": 1})[:4] == struct.pack(">I", 7)
