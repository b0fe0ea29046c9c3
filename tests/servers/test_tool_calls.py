"""Calls at a live server: its requests reach the user, in both protocol eras, and delay only their own call."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import pytest

from workbench.errors import WorkbenchError
from workbench.events import AskArrived, AskSettled
from workbench.records import Ask, ServerConfig
from workbench.servers.sdk_adapter.protocol_negotiation import LEGACY
from workbench.settings import Settings

SERVERS = Path(__file__).resolve().parent.parent / "mcp_servers"
INN = ServerConfig("inn", sys.executable, ("-S", str(SERVERS / "asking.py")))
SDK = ServerConfig("sdk", sys.executable, (str(SERVERS / "resolving.py"),))
HELLO = json.dumps({"role": "assistant", "content": {"type": "text", "text": "Hello"}, "model": "a person"})


@pytest.fixture
async def inn(house):
    """The server that sends requests, connected, with a user present."""
    home = await house(INN, settings=Settings(server_call_seconds=60))
    await home.catalog.connect("inn")
    with home.catalog.asks.attending():
        yield home


async def once(number: int, home) -> Ask:
    """The request with this number, once it arrives."""
    async with asyncio.timeout(60):
        while len(found := [event.ask for event in home.events if isinstance(event, AskArrived)]) < number:
            await asyncio.sleep(0.01)
    return found[number - 1]


async def refusals(number: int, home) -> None:
    """Wait until this many requests were refused."""
    traffic = home.catalog.server("inn").traffic
    async with asyncio.timeout(60):
        while len([frame for frame in traffic.frames(0.0) if (frame.direction, frame.kind) == (">", "error")]) < number:
            await asyncio.sleep(0.01)


def text(outcome) -> object:
    assert outcome.ok, outcome.fault
    return json.loads(outcome.content[0].text)


async def test_the_server_is_told_what_a_person_here_can_do(inn):
    told = json.loads(inn.catalog.server("inn").state.instructions)
    assert told == {
        "elicitation": {"form": {}, "url": {}}, "sampling": {"tools": {}}, "roots": {"listChanged": True},
    }  # fmt: skip


async def test_a_form_is_filled_in_while_the_call_waits(inn):
    calling = asyncio.create_task(inn.call("inn", "ask_form"))
    ask = await once(1, inn)
    assert (ask.kind, ask.message, ask.tool, ask.call_id) == ("form", "Who comes?", "ask_form", "call-1")
    inn.catalog.asks.answer(ask.id, "accept", '{"name": "Ada", "seats": 3}')
    assert text(await calling) == {"action": "accept", "content": {"name": "Ada", "seats": 3}}


async def test_several_questions_are_open_at_once(inn):
    calling = asyncio.create_task(inn.call("inn", "ask_many"))
    await once(3, inn)
    for ask, action in zip(inn.catalog.asks.all(), ("decline", "cancel", "decline"), strict=True):
        inn.catalog.asks.answer(ask.id, action, "")
    assert sorted(one["action"] for one in text(await calling)) == ["cancel", "decline", "decline"]


async def test_too_many_questions_are_refused_and_the_rest_is_asked(inn):
    calling = asyncio.create_task(inn.call("inn", "ask_many", times=25))
    await once(20, inn)
    await refusals(5, inn)  # a later request would be shown and never answered
    for ask in inn.catalog.asks.all():
        inn.catalog.asks.answer(ask.id, "cancel", "")
    answers = text(await calling)
    assert len([one for one in answers if "error" in one]) == 5


async def test_a_model_is_played_by_a_person_or_refused(inn):
    calling = asyncio.create_task(inn.call("inn", "sample"))
    ask = await once(1, inn)
    assert json.loads(ask.request)["systemPrompt"] == "You are an innkeeper."
    inn.catalog.asks.answer(ask.id, "accept", HELLO)
    assert text(await calling)["content"]["text"] == "Hello"
    calling = asyncio.create_task(inn.call("inn", "sample"))
    inn.catalog.asks.answer((await once(2, inn)).id, "decline", '{"reason": "Not today."}')
    assert text(await calling)["error"] == {"code": -1, "message": "Not today."}


async def test_a_server_is_told_of_its_folders_and_of_every_change(inn, paths):
    (paths.project / "docs").mkdir()
    assert text(await inn.call("inn", "list_roots")) == {"roots": [], "told": 0}
    state = await inn.catalog.set_roots("inn", ("docs",))
    assert state.config.roots == ("docs",)
    found = text(await inn.call("inn", "list_roots"))
    assert found["told"] == 1
    assert found["roots"][0]["name"] == "docs"
    pid = inn.catalog.server("inn").state.pid
    await inn.catalog.reload()
    assert inn.catalog.server("inn").state.pid == pid  # the process keeps running
    for wrong in (("..",), ("gone",), tuple(map(str, range(51)))):
        with pytest.raises(WorkbenchError):
            await inn.catalog.set_roots("inn", wrong)
    with pytest.raises(WorkbenchError):
        await inn.catalog.set_roots("demo", ())


async def test_a_page_is_opened_and_the_server_says_when_it_is_done(inn):
    calling = asyncio.create_task(inn.call("inn", "ask_page", complete=True))
    inn.catalog.asks.answer((await once(1, inn)).id, "accept", "")
    assert text(await calling) == {"action": "accept"}
    async with asyncio.timeout(60):
        while inn.catalog.asks.all():
            await asyncio.sleep(0.01)


async def test_a_call_that_needs_a_visit_is_made_again_afterwards(inn):
    calling = asyncio.create_task(inn.call("inn", "visit_first"))
    ask = await once(1, inn)
    assert (ask.host, ask.repeats, ask.tool) == ("inn.example", True, "visit_first")
    inn.catalog.asks.answer(ask.id, "accept", "")
    assert (await once(2, inn)).opened
    inn.catalog.asks.answer(ask.id, "accept", "")
    assert text(await calling) == {"calls": 2}


async def test_a_visit_that_is_declined_fails_the_call_with_the_reason(inn):
    calling = asyncio.create_task(inn.call("inn", "visit_first"))
    inn.catalog.asks.answer((await once(1, inn)).id, "decline", "")
    outcome = await calling
    assert not outcome.ok
    assert outcome.fault.message == "inn.visit_first was not carried out: The user did not visit inn.example."


async def test_the_call_has_all_its_time_left_after_a_person_was_asked(house):
    home = await house(INN, settings=Settings(server_call_seconds=60))
    await home.catalog.connect("inn")
    with home.catalog.asks.attending():
        calling = asyncio.create_task(home.call("inn", "ask_form"))
        ask = await once(1, home)
        (clock,) = home.catalog.server("inn").clocks._clocks
        assert clock.paused  # the timeout is paused while the user decides
        home.catalog.asks.answer(ask.id, "decline", "")
        assert text(await calling) == {"action": "decline"}


async def test_a_cancelled_call_takes_its_question_with_it(inn):
    calling = asyncio.create_task(inn.call("inn", "ask_form"))
    await once(1, inn)
    calling.cancel()
    await asyncio.wait([calling])
    assert inn.catalog.asks.all() == ()
    assert [event.ending for event in inn.events if isinstance(event, AskSettled)] == ["withdrawn"]


async def test_a_server_that_dies_takes_its_questions_with_it(inn):
    outcome = await inn.call("inn", "leave")
    assert not outcome.ok
    assert inn.catalog.asks.all() == ()


async def test_without_a_window_the_server_hears_at_once_that_nobody_is_there(house):
    home = await house(INN)
    await home.catalog.connect("inn")
    answer = text(await home.call("inn", "ask_form"))
    assert answer == {"error": {"code": -32600, "message": "No user can answer: no window of the workbench is open."}}


@pytest.mark.parametrize("era", ["", LEGACY])
async def test_the_sdks_own_server_is_answered_in_both_eras(house, era):
    home = await house(SDK)
    home.catalog.server("sdk")._era = era  # as remembered from an earlier run
    state = await home.catalog.connect("sdk")
    assert state.protocol == ("2025-11-25" if era else "2026-07-28")
    with home.catalog.asks.attending():
        calling = asyncio.create_task(home.call("sdk", "dine"))
        for number in (1, 2):
            ask = await once(number, home)
            assert ask.tool == "dine"
            value = {"name": "Ada"} if ask.message == "Who comes?" else {"dish": "soup"}
            home.catalog.asks.answer(ask.id, "accept", json.dumps(value))
        assert (await calling).content[0].text == "soup for Ada"
        calling = asyncio.create_task(home.call("sdk", "greet"))
        home.catalog.asks.answer((await once(3, home)).id, "accept", HELLO)
        assert (await calling).content[0].text == "Hello"
