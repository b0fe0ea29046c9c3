"""A call at a live server: what the server asks meanwhile, and when it is made again."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from workbench.events import AskArrived
from workbench.records import Ask, ServerConfig
from workbench.settings import Settings

ASKING = str(Path(__file__).resolve().parent.parent / "servers" / "asking.py")


@pytest.fixture
async def inn(house):
    """The asking server, connected, and somebody there."""
    home = await house(ServerConfig("inn", sys.executable, ("-S", ASKING)), settings=Settings(server_call_seconds=20))
    await home.catalog.connect("inn")
    with home.catalog.asks.attending():
        yield home


async def once(number: int, home) -> Ask:
    """The question that arrives as this number."""
    async with asyncio.timeout(20):
        while len(found := [event.ask for event in home.events if isinstance(event, AskArrived)]) < number:
            await asyncio.sleep(0.01)
    return found[number - 1]


async def test_a_call_that_needs_a_visit_is_made_again_afterwards(inn):
    calling = asyncio.create_task(inn.call("inn", "visit_first"))
    ask = await once(1, inn)
    assert (ask.host, ask.repeats, ask.tool) == ("inn.example", True, "visit_first")
    inn.catalog.asks.answer(ask.id, "accept", "")
    opened = await once(2, inn)
    assert opened.opened
    inn.catalog.asks.answer(ask.id, "accept", "")
    outcome = await calling
    assert outcome.content[0].text == '{"calls": 2}'


async def test_a_visit_that_is_declined_fails_the_call_with_the_reason(inn):
    calling = asyncio.create_task(inn.call("inn", "visit_first"))
    inn.catalog.asks.answer((await once(1, inn)).id, "decline", "")
    outcome = await calling
    assert not outcome.ok
    assert outcome.fault.message == "inn.visit_first was not done: inn.example was not visited."
