"""There is one broker: whatever is called, policy, privacy and audit have seen it."""

from __future__ import annotations

import asyncio
import json

import pytest
from msgspec.structs import replace

from workbench.broker.broker import Broker
from workbench.records import EntryQuery, Gate, Origin, Permission, ToolCall, Word


@pytest.fixture
def broker(demo):
    return Broker(demo.services)


def call(tool, origin=Origin.PERSON, session="person", confirmed=True, **arguments):
    return ToolCall("c1", "demo", tool, arguments, origin, session, confirmed=confirmed)


def kinds(core):
    return [entry.note.kind for entry in core.journal.entries(EntryQuery(kind="call."))]


async def test_a_read_is_written_down_once_and_a_side_effect_also_before_it_happens(demo, broker):
    assert (await broker.call(call("list_orders", limit=1))).ok
    assert kinds(demo) == ["call.done"]
    assert (await broker.call(call("send_email", to="a@example.org", subject="s", body="b"))).ok
    assert kinds(demo) == ["call.done", "call.sent", "call.done"]


async def test_an_own_call_that_sends_asks_until_the_user_allows_it_and_programs_still_ask(demo, broker):
    mail = call("send_email", confirmed=False, to="a@example.org", subject="s", body="b")
    asked = await broker.call(mail)
    assert (asked.needs_confirmation, asked.asks) == (True, "sends")
    assert asked.fault.message.startswith("send_email may send something out, which cannot be taken back")
    kept = await demo.api.set_permission(Permission("", "own", Word.ALLOW, "demo", "send_email"))
    assert kept.label == "You call demo.send_email without being asked; programs and agents still ask."
    assert (await broker.call(mail)).ok
    assert (await demo.api.permissions()).rules[0].count == 1
    verdict = await demo.run_manager.assess(
        "from servers.demo import send_email\nawait send_email(to='a', subject='', body='')"
    )
    assert verdict.gate is Gate.ASK
    program = replace(mail, origin=Origin.AGENT, session=demo.services.sessions.open("agent").id, run_id="r")
    assert (await broker.call(program)).refused, "no program calls it for that"
    await demo.api.revoke_permission(kept.id)
    assert (await broker.call(mail)).needs_confirmation


async def test_an_unknown_tool_is_refused_with_the_nearest_names(demo, broker):
    outcome = await broker.call(call("list_order"))
    assert not outcome.ok
    assert outcome.refused
    assert "list_orders" in f"{outcome.fault.message} {outcome.fault.hint}"
    assert kinds(demo) == ["call.refused"]


async def test_an_agent_cannot_call_outside_of_an_assessed_program(demo, broker):
    session = demo.services.sessions.open("agent")
    outcome = await broker.call(call("list_orders", Origin.AGENT, session.id, limit=1))
    assert outcome.refused


async def test_a_session_nobody_opened_cannot_call(demo, broker):
    assert (await broker.call(call("list_orders", Origin.AGENT, "agent-000000"))).refused


async def test_what_a_tool_answered_is_known_to_the_session_afterwards(demo, broker):
    outcome = await broker.call(call("list_customers", limit=2))
    address = json.loads(outcome.structured)["customers"][0]["email"]
    masked = demo.services.sessions.person.mask(f"write to {address} or {address.upper()}")
    assert address not in masked
    assert address.upper() not in masked


async def test_a_token_becomes_the_value_again_on_its_way_to_the_tool_that_supplied_it(demo, broker):
    customer = json.loads((await broker.call(call("list_customers", limit=1))).structured)["customers"][0]
    token = demo.services.sessions.person.mask(customer["email"])
    assert token.startswith("[EMAIL_")
    await broker.call(call("send_email", to=token, subject="s", body="b"))
    outbox = json.loads((await broker.call(call("list_outbox"))).structured)
    assert customer["email"] in json.dumps(outbox)


async def test_a_made_up_token_never_reaches_a_server(demo, broker):
    outcome = await broker.call(call("send_email", to="[EMAIL_7.zzzz]", subject="s", body="b"))
    assert outcome.refused
    outbox = await broker.call(call("list_outbox"))
    assert "EMAIL_7" not in outbox.structured


async def test_a_cancelled_call_is_written_down_as_cancelled(demo, broker):
    task = asyncio.get_running_loop().create_task(broker.call(call("export_orders", seconds=100)))
    async with asyncio.timeout(60):
        traffic = demo.catalog.server("demo").traffic
        while (">", "export_orders") not in [(one.direction, one.about) for one in traffic.frames()]:
            await asyncio.sleep(0.01)
    assert not task.done()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert kinds(demo)[0] == "call.cancelled"


async def test_a_failing_tool_is_an_outcome_with_words(demo, broker):
    outcome = await broker.call(call("broken_report"))
    assert not outcome.ok
    assert not outcome.refused
    assert outcome.fault.message
    assert kinds(demo)[0] == "call.failed"


async def test_a_call_that_breaks_the_house_is_an_outcome_and_in_the_audit(demo, broker, monkeypatch):
    async def broken(call, progress):
        raise KeyError("lost")

    monkeypatch.setattr(demo.catalog, "call", broken)
    outcome = await broker.call(call("list_orders", limit=1))
    assert not outcome.ok
    assert "workbench itself" in outcome.fault.message
    assert kinds(demo) == ["call.failed"]


async def test_an_answer_that_cannot_be_read_for_personal_data_reaches_no_agent(demo, broker, monkeypatch):
    def broken(value, source):
        raise RecursionError

    run_of = 'from servers.demo import list_orders\nresult = (await list_orders(limit=1))["total"]'
    agent = demo.services.sessions.open("test agent")
    monkeypatch.setattr(agent.vault, "register", broken)
    done = await demo.run_manager.finished(demo.run_manager.submit(run_of, agent).id)
    assert "not handed on" in done.model_view
    assert kinds(demo) == ["call.failed"]
    monkeypatch.setattr(demo.services.sessions.person.vault, "register", broken)
    assert (await broker.call(call("list_orders", limit=1))).structured, "a person is looking"


async def test_the_names_of_a_tool_that_is_none_are_masked_in_the_audit_and_short(demo, broker):
    session = demo.services.sessions.open("agent")
    await broker.call(call(f"ada.lovelace@example.org {'x' * 100_000}", Origin.AGENT, session.id))
    (entry,) = demo.journal.entries(EntryQuery(kind="call."))
    assert "ada.lovelace" not in f"{entry.note}"
    assert len(entry.note.tool) <= 400
    assert len(f"{entry.note}") < 5_000
