"""The API's server: events in few frames, greetings, and clients that do not behave: an error for them alone."""

from __future__ import annotations

import asyncio
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench import __version__
from workbench.api import server as server_module
from workbench.api.frames import PROTOCOL, pack_frame
from workbench.events import Noticed
from workbench.records import Fault

HELLO = {"hello": {"protocol": PROTOCOL, "app": __version__, "project": "/bench", "role": "window"}}


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
        (hello(project="/elsewhere"), "serves a different project"),
    ],
)
async def test_a_door_that_does_not_greet_properly_is_turned_away(serving, answers, first, words):
    async with serving(answers) as (_, call):
        caller = await call(None)
        caller.say(first)
        assert words in (await caller.hear())["fault"]["message"]
        assert await caller.hear() is None


async def test_a_door_that_never_greets_is_let_go(serving, answers, monkeypatch):
    monkeypatch.setattr(server_module, "HELLO_SECONDS", 0.05)
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
@given(
    st.lists(
        st.binary(max_size=60) | st.sampled_from([pack_frame(HELLO), pack_frame({"id": 1, "ask": "status"})]),
        max_size=5,
    )
)
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
    monkeypatch.setattr(server_module, "pack_frame", lambda message: pack_frame(message, 2_000))
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
async def test_a_wrong_question_is_a_fault_and_the_door_stays_open(serving, answers, message):
    async with serving(answers) as (_, call):
        caller = await call()
        caller.say(message)
        assert (await caller.hear())["fault"]["message"]
        caller.say({"id": 2, "ask": "status"})
        assert (await caller.hear())["value"]["pid"] == 7


async def test_a_body_that_is_no_json_is_a_fault_and_the_door_stays_open(serving, answers):
    async with serving(answers) as (_, call):
        caller = await call()
        caller.writer.write(struct.pack(">I", 3) + b"{{{")
        assert await caller.hear() == {"id": None, "fault": {"message": "A message is not JSON.", "hint": ""}}
        caller.say({"id": 2, "ask": "status"})
        assert (await caller.hear())["id"] == 2


async def test_an_overlong_frame_closes_the_door_but_not_the_others(serving, answers):
    async with serving(answers) as (_, call):
        caller, friend = await call(), await call()
        caller.writer.write(b"\xff\xff\xff\xff" + b"x" * 1000)
        assert "longer than" in (await caller.hear())["fault"]["message"]
        assert await caller.hear() is None
        friend.say({"id": 1, "ask": "status"})
        assert (await friend.hear())["value"]["pid"] == 7


@pytest.mark.parametrize("cancel", [None, [], "1", 77, {"a": 1}, True])
async def test_cancelling_nothing_does_nothing(serving, answers, cancel):
    async with serving(answers) as (_, call):
        caller = await call()
        caller.say({"cancel": cancel})
        caller.say({"id": 1, "ask": "status"})
        assert (await caller.hear())["id"] == 1


async def test_letting_go_of_a_question_that_decides_something_does_not_stop_it(serving, answers):
    async with serving(answers) as (_, call):
        caller = await call()
        caller.say({"id": 1, "ask": "change_setting", "arguments": {"name": "run.seconds", "value": 1}})
        await answers.started.wait()
        caller.say({"cancel": 1})
        caller.say({"id": 2, "ask": "status"})
        assert (await caller.hear())["id"] == 2
        answers.release.set()
        assert (await caller.hear())["id"] == 1
    assert (answers.finished, answers.cancelled) == (["change_setting"], [])


async def test_a_question_is_cancelled_once_also_when_its_door_closes_meanwhile(serving, answers):
    async def settings():
        answers.started.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            answers.gave_up.set()
            await answers.release.wait()  # telling a server to stop takes a while
            answers.finished.append("told")
            raise

    answers.settings = settings
    async with serving(answers) as (server, call):
        caller = await call()
        caller.say({"id": 1, "ask": "settings"})
        await answers.started.wait()
        caller.say({"cancel": 1})
        await answers.gave_up.wait()
        await caller.close()
        await asyncio.sleep(0.05)  # the door closes now
        answers.release.set()
        async with asyncio.timeout(60):
            while server.connections:
                await asyncio.sleep(0.01)
    assert answers.finished == ["told"]


async def test_a_number_in_use_is_refused(serving, answers):
    async with serving(answers) as (_, call):
        caller = await call()
        for _ in range(2):
            caller.say({"id": 1, "ask": "change_setting", "arguments": {"name": "run.seconds", "value": 1}})
        assert "unique number" in (await caller.hear())["fault"]["message"]


async def test_one_door_cannot_ask_without_end(serving, answers, monkeypatch):
    monkeypatch.setattr(server_module, "OPEN_REQUESTS", 3)
    async with serving(answers) as (_, call):
        caller = await call()
        for number in range(5):
            caller.say({"id": number, "ask": "change_setting", "arguments": {"name": "run.seconds", "value": 1}})
        heard = [await caller.hear(), await caller.hear()]
        assert [message["id"] for message in heard] == [3, 4]
        assert "Too many" in heard[0]["fault"]["message"]


async def test_a_door_that_does_not_read_is_closed_and_the_others_hear_on(serving, answers, monkeypatch, caplog):
    monkeypatch.setattr(server_module, "UNREAD_CAP", 100_000)
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
        assert running.connections == 1


async def test_an_answer_past_the_cap_is_a_fault(serving, answers, monkeypatch):
    def small(message, pack=pack_frame):
        return pack_frame(message, cap=50_000)

    monkeypatch.setattr(server_module, "pack_frame", small)
    async with serving(answers) as (_, call):
        caller = await call()
        caller.say({"id": 1, "ask": "tools"})
        assert "longer than" in (await caller.hear())["fault"]["message"]
