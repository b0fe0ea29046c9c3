"""The core's end of the wire: who is let in, what everybody hears, and what no bytes can bring down."""

from __future__ import annotations

import asyncio
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench import __version__
from workbench.events import Noticed
from workbench.records import Fault
from workbench.wire import server
from workbench.wire.protocol import PROTOCOL, pack

HELLO = {"hello": {"protocol": PROTOCOL, "app": __version__, "bench": "/bench", "role": "window"}}


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
async def test_a_door_that_does_not_greet_properly_is_turned_away(serving, answers, first, words):
    async with serving(answers) as (_, call):
        caller = await call(None)
        caller.say(first)
        assert words in (await caller.hear())["fault"]["message"]
        assert await caller.hear() is None


async def test_a_door_that_never_greets_is_let_go(serving, answers, monkeypatch):
    monkeypatch.setattr(server, "HELLO_SECONDS", 0.05)
    async with serving(answers) as (_, call):
        assert await (await call(None)).hear() is None


async def test_an_overlong_first_frame_is_turned_away(serving, answers):
    async with serving(answers) as (_, call):
        caller = await call(None)
        caller.writer.write(struct.pack(">I", 100_000))
        assert "longer than" in (await caller.hear())["fault"]["message"]
        assert await caller.hear() is None


async def test_events_do_not_reach_a_door_that_has_not_greeted(serving, answers):
    async with serving(answers) as (running, call):
        caller, friend = await call(None), await call()
        answers.bus.tell(Noticed(Fault("private")))
        running.flush()
        assert "events" in await friend.hear()
        caller.say({"x": 1})
        assert "hello" in (await caller.hear())["fault"]["message"]


async def test_events_are_gathered_into_few_frames(serving, answers):
    async with serving(answers) as (_, call):
        caller = await call()
        for number in range(1000):
            answers.bus.tell(Noticed(Fault(str(number))))
        await asyncio.sleep(0)
        answers.bus.tell(Noticed(Fault("last")))
        frames = [await caller.hear(), await caller.hear()]
        assert [len(frame["events"]) for frame in frames] == [1000, 1]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.binary(max_size=60) | st.sampled_from([pack(HELLO), pack({"id": 1, "ask": "status"})]), max_size=5))
def test_any_bytes_leave_the_server_standing(serving, answers_of, chunks):
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


async def test_a_batch_that_is_too_long_for_one_frame_arrives_in_several(serving, answers, monkeypatch):
    monkeypatch.setattr(server, "pack", lambda message: pack(message, 2_000))
    async with serving(answers) as (running, call):
        caller = await call()
        for number in range(100):
            answers.bus.tell(Noticed(Fault(f"number {number}")))
        answers.bus.tell(Noticed(Fault("x", "y", "z" * 3_000)))
        answers.bus.tell(Noticed(Fault("last")))
        running.flush()
        events: list[object] = []
        while not events or "last" not in str(events[-1]):
            events += (await caller.hear())["events"]
        assert len(events) == 102
        assert [one["event"] for one in events if one["event"] != "Noticed"] == ["EventsLost"], "clients load it again"
