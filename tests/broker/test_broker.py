"""Every call passes the one broker, with its policy, privacy and audit."""

from __future__ import annotations

import asyncio
import json

import pytest
from msgspec.structs import replace

from workbench.broker.broker import Broker
from workbench.events import SignInChanged
from workbench.records import CallDecision, EntryQuery, Gate, Origin, Permission, ToolCall


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
    assert asked.fault.message.startswith("send_email may send data outside, which cannot be undone")
    kept = await demo.api.set_permission(Permission("", "own", CallDecision.ALLOW, "demo", "send_email"))
    assert kept.label == "You can call demo.send_email without being asked; this does not apply to programs and agents."
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
    assert "internal error" in outcome.fault.message
    assert kinds(demo) == ["call.failed"]


async def test_an_answer_that_cannot_be_read_for_personal_data_reaches_no_agent(demo, broker, monkeypatch):
    def broken(text, source):
        raise RecursionError

    run_of = 'from servers.demo import list_orders\nresult = (await list_orders(limit=1))["total"]'
    agent = demo.services.sessions.open("test agent")
    monkeypatch.setattr(agent.vault, "keep", broken)
    done = await demo.run_manager.wait_until_finished(demo.run_manager.submit(run_of, agent).id)
    assert "it is withheld" in done.model_view
    assert kinds(demo) == ["call.failed"]
    monkeypatch.setattr(demo.services.sessions.person.vault, "keep", broken)
    assert (await broker.call(call("list_orders", limit=1))).structured, "a person is looking"


async def test_the_names_of_a_tool_that_is_none_are_masked_in_the_audit_and_short(demo, broker):
    session = demo.services.sessions.open("agent")
    await broker.call(call(f"ada.lovelace@example.org {'x' * 100_000}", Origin.AGENT, session.id))
    (entry,) = demo.journal.entries(EntryQuery(kind="call."))
    assert "ada.lovelace" not in f"{entry.note}"
    assert len(entry.note.tool) <= 400
    assert len(f"{entry.note}") < 5_000


# A program gets a cached answer only of a tool that reads only, if the user allowed caching, and the answer is marked.


READS = "from servers.demo import count_orders\nresult = await count_orders()"


@pytest.fixture
async def agent(demo):
    demo.settings = replace(demo.settings, cache_tools="demo", approval_auto_medium=True, isolation_medium="process")
    return demo.services.sessions.open("test agent")


@pytest.fixture
def asked(demo, monkeypatch):
    """The tools that the server received calls for."""
    seen, true = [], demo.services.catalog.call

    async def call(one, progress=None):
        seen.append(one.tool)
        return await true(one, progress)

    monkeypatch.setattr(demo.services.catalog, "call", call)
    return seen


async def ran(demo, agent, code):
    run = await demo.run_manager.wait_until_finished(demo.run_manager.submit(code, agent, "to test").id)
    assert run.fault is None, run.fault
    return run


async def test_row_140_the_second_time_the_server_is_not_asked_and_everybody_can_see_it(demo, agent, asked):
    first, second = await ran(demo, agent, READS), await ran(demo, agent, READS)
    assert asked == ["count_orders"]
    assert first.result == second.result
    assert [run.calls[0].note.split(",")[0] for run in (first, second)] == ["", "cached"]
    entries = demo.journal.entries(EntryQuery(kind="call.done"))
    assert entries[0].note.summary == "demo.count_orders was answered from the cache"
    assert "cached" in entries[0].note.detail
    assert "cached" not in entries[1].note.detail
    assert (await demo.api.storage_usage()).cached == 1
    assert await demo.api.clear_cache() == 1
    await ran(demo, agent, READS)
    assert len(asked) == 2


async def test_what_may_change_something_is_never_kept_and_makes_the_rest_void(demo, agent, asked):

    await ran(demo, agent, READS)

    broker = demo.run_manager._broker
    words = {"to": "a@example.org", "subject": "s", "body": "b"}
    mail = ToolCall("c2", "demo", "send_email", words, Origin.PERSON, "person", confirmed=True)

    assert (await broker.call(mail)).ok
    await ran(demo, agent, READS)
    assert asked == ["count_orders", "send_email", "count_orders"]


async def test_off_unless_named_and_never_for_a_persons_own_press(demo, agent, asked):
    await ran(demo, agent, READS)
    press = ToolCall("c1", "demo", "count_orders", {}, Origin.PERSON, "person")
    assert not (await demo.run_manager._broker.call(press)).cached
    demo.settings = replace(demo.settings, cache_tools="")
    await ran(demo, agent, READS)
    assert len(asked) == 3
    demo.settings = replace(demo.settings, cache_tools="demo.list_* docs")
    await ran(demo, agent, READS)
    assert len(asked) == 4


async def test_who_signs_in_anew_gets_nothing_of_who_was_there(demo, agent, asked):
    await ran(demo, agent, READS)
    demo.bus.tell(SignInChanged("demo", "done"))
    await ran(demo, agent, READS)
    assert len(asked) == 2
