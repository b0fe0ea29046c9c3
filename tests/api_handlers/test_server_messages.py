"""Messages by hand on the real road: a tool call meets the gate and the audit, others are audited and sent."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

import pytest

from workbench.core import Core
from workbench.errors import WorkbenchError
from workbench.records import EntryQuery


@pytest.fixture
async def core(paths) -> AsyncIterator[Core]:
    house = Core(paths)
    await house.open()
    await house.catalog.connect("demo")
    async with asyncio.timeout(60):  # until the core itself has nothing more to ask
        while not house.catalog.offered.offers("demo").known:
            await asyncio.sleep(0.01)
    yield house
    await house.close()


def message(method: str, **params: object) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})


async def test_a_request_by_hand_gets_its_answer_and_an_entry(core):
    answer = await core.api.send_raw("demo", message("tools/list"), False)
    assert (answer.ok, answer.method) == (True, "tools/list")
    sent, got = [one for one in core.catalog.server("demo").traffic.frames(answer.at) if one.direction in "<>"][:2]
    assert (sent.method, got.kind, got.id) == ("tools/list", "answer", sent.id)
    assert "list_orders" in await core.api.frame("demo", got.at)
    assert "tools/list" in core.journal.entries(EntryQuery(kind="server.message_sent"))[0].note.summary


async def test_a_dangerous_tool_call_by_hand_is_asked_about_like_any_other(core):
    text = message("tools/call", name="delete_customer", arguments={"customer_id": "C-1"})
    crossed = [one.at for one in core.catalog.server("demo").traffic.frames()]
    asked = await core.api.send_raw("demo", text, False)
    assert (asked.ok, asked.needs_confirmation) == (False, True)
    assert [one.at for one in core.catalog.server("demo").traffic.frames()] == crossed  # nothing reached the server
    await core.api.send_raw("demo", text, True)
    assert core.journal.entries(EntryQuery(kind="call.", tool="delete_customer"))


async def test_a_tool_call_as_a_notification_is_a_tool_call_too(core):
    text = json.dumps({"method": "tools/call", "params": {"name": "delete_customer", "arguments": {}}})
    assert (await core.api.send_raw("demo", text, False)).needs_confirmation


async def test_an_error_of_the_server_is_told(core):
    answer = await core.api.send_raw("demo", message("no/such"), False)
    assert not answer.ok
    assert "error" in answer.fault.message


async def test_a_server_that_does_not_run_gets_no_message(core):
    await core.catalog.disconnect("demo")
    with pytest.raises(WorkbenchError, match="is not running"):
        await core.api.send_raw("demo", message("ping"), False)


async def test_a_servers_condition_is_told(core):
    await core.api.send_raw("demo", message("tools/call", name="list_orders", arguments={"limit": 1}), False)
    await core.api.send_raw("demo", message("tools/call", name="list_orders", arguments={"limit": "x"}), False)
    found = await core.api.vitals("demo")
    assert (found.calls, found.errors) == (2, 1)
    assert found.last_error
    assert found.memory_mb > 1
    assert (found.processes >= 1, found.since > 0, found.frames > 4) == (True, True, True)


async def test_all_conditions_are_told_at_once(core):
    found = {one.server: one for one in await core.api.all_vitals()}
    assert set(found) == {state.config.name for state in core.catalog.states()}
    assert found["demo"].memory_mb > 1


async def test_words_are_found_in_the_whole_of_a_message(core):
    listed = await core.api.search_frames("demo", "DELETE_customer inputschema", 0.0)
    found = [frame for frame in core.catalog.server("demo").traffic.frames() if frame.at in listed]
    assert [frame.kind for frame in found] == ["answer"]
    assert "delete_customer" not in found[0].text  # it stands further down
