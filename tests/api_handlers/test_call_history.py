"""What a person's doors call, and what programs call, is found again; what was only asked about is not."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from msgspec.structs import replace

from workbench.api.in_memory import connect_in_memory
from workbench.core import Core
from workbench.errors import WorkbenchError
from workbench.events import CallsForgotten, CallsKept
from workbench.records import Decision, Origin, PastQuery, RunState, ToolCall

CODE = "from servers.demo import count_orders\nprint(await count_orders(status='pending'))\n"


@pytest.fixture
async def core(paths) -> AsyncIterator[Core]:
    house = Core(paths)
    await house.open()
    await house.catalog.connect("demo")
    yield house
    await house.close()


def wish(tool: str, **arguments: object) -> ToolCall:
    return ToolCall("", "demo", tool, arguments, Origin.PERSON, "person")


async def test_a_persons_call_is_kept_with_what_came_of_it(core):
    outcome = await core.api.call(wish("list_orders", limit=1))
    (listed,) = await core.api.past_calls(PastQuery("list_orders"))
    whole = await core.api.past_call(listed.id)
    assert (whole.outcome, whole.arguments, whole.origin) == (outcome, '{"limit": 1}', Origin.PERSON)


async def test_a_failed_call_is_kept_and_one_that_was_only_asked_about_is_not(core):
    await core.api.call(wish("broken_report"))
    assert (await core.api.call(wish("delete_customer", customer_id="CUS-0001"))).needs_confirmation
    assert [call.tool for call in await core.api.past_calls(PastQuery())] == ["broken_report"]
    assert [call.tool for call in await core.api.past_calls(PastQuery(state="failed"))] == ["broken_report"]


async def test_a_cancelled_call_is_kept_as_one(core):
    call = replace(wish("export_orders", seconds=100), id="c1")
    task = asyncio.get_running_loop().create_task(core.api.call(call))
    traffic = core.catalog.server("demo").traffic
    while not [one for one in traffic.frames() if "export_orders" in one.text and one.direction == ">"]:
        await asyncio.sleep(0.01)
    await core.api.cancel_call("c1")
    await task
    (kept,) = await core.api.past_calls(PastQuery(tool="export_orders"))
    assert (kept.ok, kept.note) == (False, "The call was cancelled.")


async def test_a_programs_calls_are_kept_and_marked_with_their_run(core):
    run = await core.api.submit(CODE, "", "")
    while (now := await core.api.run(run.id)).state not in (RunState.DONE, RunState.FAILED, RunState.REFUSED):
        if now.state is RunState.WAITING:
            await core.api.decide(Decision(run.id, now.proposal.sha, allow=True, by="you", fingerprint=now.fingerprint))
        await asyncio.sleep(0.02)
    (call,) = await core.api.past_calls(PastQuery("count_orders"))
    assert call.run_id == run.id
    assert await core.api.past_calls(PastQuery("count_orders", nested=False)) == ()


async def test_two_doors_hear_of_the_same_call_and_of_its_end(core):
    doors = [await connect_in_memory(core.methods, core.bus) for _ in range(2)]
    told: list[list[object]] = [[], []]
    for door, heard in zip(doors, told, strict=True):
        door.listen(lambda event, heard=heard: heard.append(event))
    await doors[0].api.call(wish("list_orders", limit=1))
    (call,) = await doors[1].api.past_calls(PastQuery())
    await doors[1].api.delete_calls((call.id,))
    assert await doors[0].api.past_calls(PastQuery()) == ()
    with pytest.raises(WorkbenchError, match="no longer in the history"):
        await doors[0].api.past_call(call.id)
    for heard in told:
        kept = [event for event in heard if isinstance(event, CallsKept)]
        assert [event.calls[0].tool for event in kept] == ["list_orders"]
        assert CallsForgotten((call.id,)) in heard
    for door in doors:
        await door.close()


async def test_clearing_is_noted_in_the_audit(core):
    await core.api.call(wish("list_orders", limit=1))
    await core.api.clear_history()
    assert await core.api.past_calls(PastQuery()) == ()
    assert not core.paths.history.exists() or b"list_orders" not in core.paths.history.read_bytes()
