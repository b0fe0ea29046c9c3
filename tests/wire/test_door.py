"""One open door against somebody who does not behave: a fault for him, nothing for the others."""

from __future__ import annotations

import asyncio
import struct

import pytest

from workbench.events import Noticed
from workbench.records import Fault
from workbench.wire import door
from workbench.wire.protocol import pack


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
            while server.doors:
                await asyncio.sleep(0.01)
    assert answers.finished == ["told"]


async def test_a_number_in_use_is_refused(serving, answers):
    async with serving(answers) as (_, call):
        caller = await call()
        for _ in range(2):
            caller.say({"id": 1, "ask": "change_setting", "arguments": {"name": "run.seconds", "value": 1}})
        assert "number of its own" in (await caller.hear())["fault"]["message"]


async def test_one_door_cannot_ask_without_end(serving, answers, monkeypatch):
    monkeypatch.setattr(door, "ASKED_CAP", 3)
    async with serving(answers) as (_, call):
        caller = await call()
        for number in range(5):
            caller.say({"id": number, "ask": "change_setting", "arguments": {"name": "run.seconds", "value": 1}})
        heard = [await caller.hear(), await caller.hear()]
        assert [message["id"] for message in heard] == [3, 4]
        assert "Too many" in heard[0]["fault"]["message"]


async def test_a_door_that_does_not_read_is_closed_and_the_others_hear_on(serving, answers, monkeypatch, caplog):
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


async def test_an_answer_past_the_cap_is_a_fault(serving, answers, monkeypatch):
    def small(message, pack=pack):
        return pack(message, cap=50_000)

    monkeypatch.setattr(door, "pack", small)
    async with serving(answers) as (_, call):
        caller = await call()
        caller.say({"id": 1, "ask": "tools"})
        assert "longer than" in (await caller.hear())["fault"]["message"]
