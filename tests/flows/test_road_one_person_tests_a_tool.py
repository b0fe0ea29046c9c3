"""Road one: a person connects the demo server, calls a tool, and the audit has it with personal data masked."""

from __future__ import annotations

import asyncio
import json

from msgspec.structs import replace

from workbench.events import CallProgress, spawn
from workbench.records import EntryQuery, Origin, ServerStatus, ToolCall


def call(tool: str, *, confirmed: bool = False, **arguments: object) -> ToolCall:
    return ToolCall("", "demo", tool, arguments, Origin.PERSON, "person", confirmed=confirmed)


async def test_the_demo_server_connects_and_a_read_only_tool_answers(person):
    state = await person.api.connect("demo")
    assert state.status is ServerStatus.READY
    assert state.tool_count == len(await person.api.tools()) > 8
    outcome = await person.api.call(call("list_orders", limit=3))
    assert outcome.ok, outcome.fault
    assert len(json.loads(outcome.structured)["orders"]) == 3
    assert outcome.ms > 0
    assert outcome.tokens > 0
    assert outcome.schema_fault == ""


async def test_a_destructive_tool_asks_before_it_acts_and_acts_when_confirmed(person):
    await person.api.connect("demo")
    customer = json.loads((await person.api.call(call("list_customers", limit=1))).structured)["customers"][0]
    first = await person.api.call(call("delete_customer", customer_id=customer["id"]))
    assert first.needs_confirmation
    assert not first.ok
    still = await person.api.call(call("get_customer", customer_id=customer["id"]))
    assert still.ok
    second = await person.api.call(call("delete_customer", confirmed=True, customer_id=customer["id"]))
    assert second.ok, second.fault
    gone = await person.api.call(call("get_customer", customer_id=customer["id"]))
    assert not gone.ok


async def test_the_person_sees_addresses_and_the_audit_keeps_tokens(person):
    await person.api.connect("demo")
    address = "ada.lovelace@example.org"
    outcome = await person.api.call(call("send_email", confirmed=True, to=address, subject="Hello", body="Hi"))
    assert outcome.ok, outcome.fault
    entries = await person.api.entries(EntryQuery(tool="send_email"))
    assert entries
    assert all(address not in json.dumps(dict(entry.note.detail)) for entry in entries)
    assert any("[EMAIL_" in json.dumps(dict(entry.note.detail)) for entry in entries)


async def test_a_call_becomes_a_program_that_does_the_same(person):
    await person.api.connect("demo")
    code = await person.api.call_as_code("demo", "list_orders", {"limit": 2})
    assert "from servers.demo import list_orders" in code
    verdict = await person.api.assess(code)
    assert verdict.gate == "auto", verdict.sentence


async def test_a_call_that_is_cancelled_under_way_answers_that_it_was(person):
    await person.api.connect("demo")
    started = asyncio.Event()
    person.listen(lambda event: started.set() if isinstance(event, CallProgress) else None)
    slow = replace(call("export_orders"), id="slow")
    asked = spawn("a slow call", person.api.call(slow))
    await asyncio.wait_for(started.wait(), 60)
    await person.api.cancel_call(slow.id)
    outcome = await asyncio.wait_for(asked, 60)
    assert not outcome.ok
    assert outcome.fault is not None
    assert outcome.fault.message == "The call was cancelled."
    assert (await person.api.call(call("count_orders"))).ok
