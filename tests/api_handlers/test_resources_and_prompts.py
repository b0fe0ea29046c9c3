"""A person's questions about resources, prompts and the log, answered by the real demo server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import cast

import pytest

from workbench.api.in_memory import connect_in_memory
from workbench.core import Core
from workbench.errors import WorkbenchError
from workbench.events import Event, ResourcesUpdated
from workbench.records import EntryQuery, Origin, ToolCall


@pytest.fixture
async def core(paths) -> AsyncIterator[Core]:
    house = Core(paths)
    await house.open()
    await house.catalog.connect("demo")
    async with asyncio.timeout(60):
        while not house.catalog.offered.offers("demo").known:
            await asyncio.sleep(0.01)
    yield house
    await house.close()


async def test_everything_the_demo_server_offers_can_be_asked_for(core: Core) -> None:
    api = core.api
    offers = await api.offers("demo")
    assert (offers.resource_count, len(offers.templates), len(offers.prompts)) == (5, 3, 2)
    for resource in await api.resources("demo", 0):
        assert (await api.read_resource("demo", resource.uri)).ok
    filled = await api.get_prompt("demo", "review_sales", {"product": "Beacon Lamp"})
    assert len(filled.messages) == 4
    proposed = await api.complete("demo", "prompt", "review_sales", "product", "bea", {})
    assert proposed.values == ("Beacon Lamp",)


async def test_what_a_person_did_is_noted(core: Core) -> None:
    await core.api.subscribe_resource("demo", "demo://channels/general", True)
    await core.api.subscribe_resource("demo", "demo://channels/general", False)
    await core.api.set_log_level("demo", "debug")
    summaries = [entry.note.summary for entry in core.journal.entries(EntryQuery(server="demo"))][:3]
    assert summaries == [
        "You set the log level of demo to debug",
        "You unsubscribed from demo://channels/general",
        "You subscribed to demo://channels/general",
    ]


async def test_a_change_and_its_log_reach_the_doors(core: Core) -> None:
    told: list[Event] = []
    core.bus.listen(told.append)
    await core.api.subscribe_resource("demo", "demo://channels/general", True)
    given = {"channel": "general", "text": "hello"}
    await core.api.call(ToolCall("", "demo", "post_message", given, Origin.PERSON, "", confirmed=True))
    async with asyncio.timeout(60):
        while ResourcesUpdated("demo", ("demo://channels/general",)) not in told:
            await asyncio.sleep(0.01)
        while not (await core.api.server_log("demo", 0)).lines:
            await asyncio.sleep(0.01)


async def test_arguments_of_another_type_are_refused_before_the_server_is_asked(core: Core) -> None:
    connection = await connect_in_memory(core.methods, core.bus)
    with pytest.raises(WorkbenchError, match=r"wrong arguments.*Expected `str`"):
        await connection.api.get_prompt("demo", "review_sales", cast("dict[str, str]", {"product": 5}))
    await connection.close()
