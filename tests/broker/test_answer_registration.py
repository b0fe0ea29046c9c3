"""The user sees a long answer as soon as it is there; whatever is masked with its values waits for them."""

from __future__ import annotations

import asyncio
import json
import re
import threading

import pytest

from workbench.broker import broker, call_audit, resource_reading
from workbench.broker.answer_registration import AnswerRegistrations, register_outcome
from workbench.records import EntryQuery, Origin, RunState, ToolCall

TOKEN = re.compile(r"\[NAME_\d+\.\w{4}\]")


def call(tool, **arguments):
    return ToolCall("", "demo", tool, arguments, Origin.PERSON, "person", confirmed=True)


def noted(core):
    return [entry.note for entry in reversed(core.journal.entries(EntryQuery(kind="call.")))]


@pytest.fixture
def held(monkeypatch):
    """Looking through an answer takes until this is set."""
    go = threading.Event()
    go.begun = threading.Event()

    def register(*given):
        go.begun.set()
        go.wait(60)
        register_outcome(*given)

    monkeypatch.setattr(broker, "register_outcome", register)
    monkeypatch.setattr(resource_reading, "register_outcome", register)
    yield go
    go.set()


async def test_a_long_answer_is_shown_before_it_is_looked_through_and_noted_after(demo, held):
    answer = await demo.api.call(call("list_customers", limit=500))
    assert answer.ok
    assert answer.bytes > broker.BIG_ANSWER
    assert demo.services.sessions.person.registrations.busy
    assert noted(demo) == []
    name = json.loads(answer.structured)["customers"][7]["name"]
    short = await demo.api.call(call("search_customers", query=name))
    assert short.ok, "the next answer does not wait either"
    held.set()
    await demo.services.sessions.person.registrations.settled()
    first, second = noted(demo)
    assert (first.tool, second.tool) == ("list_customers", "search_customers")
    assert TOKEN.search(str(second.detail["arguments"])), "masked with what the first answer told"
    assert name not in str(second.detail)
    assert first.ms == answer.ms


async def test_what_is_masked_with_the_values_waits_for_them(demo, held):
    answer = await demo.api.call(call("list_customers", limit=500))
    one = json.loads(answer.structured)["customers"][7]
    mail = call("send_email", to="a@example.org", subject=one["name"], body="b")
    assert (await demo.api.call(mail)).ok
    run = await demo.api.submit(f"print({one['name']!r})", "x", "")
    report = asyncio.ensure_future(demo.api.privacy_export("person"))
    while (state := demo.run_manager.run(run.id).state) is RunState.CHECKED or state is RunState.PROPOSED:
        await asyncio.sleep(0.01)
    await demo.api.tools()
    assert not report.done()
    (sent,) = noted(demo)
    assert (sent.kind, sent.detail["arguments"]) == ("call.sent", call_audit.LATER)
    held.set()
    assert "NAME" in await report
    done = await demo.run_manager.finished(run.id)
    assert TOKEN.search(done.model_view), done
    answered = next(note for note in noted(demo) if note.tool == "send_email" and note.kind == "call.done")
    assert TOKEN.search(str(answered.detail["arguments"]))


async def test_a_core_that_closes_writes_down_what_was_shown(demo, held):
    await demo.api.call(call("list_customers", limit=500))
    closing = asyncio.ensure_future(demo._end_work())
    for _ in range(20):
        await asyncio.sleep(0)
    assert not closing.done()
    held.set()
    await closing
    assert [note.kind for note in noted(demo)] == ["call.done"]


async def test_a_core_that_closes_does_not_wait_for_ever(demo, held, monkeypatch):
    monkeypatch.setattr("workbench.core.REGISTER_SECONDS", 0.01)
    for _ in range(2):
        assert (await demo.api.call(call("list_customers", limit=500))).ok
    assert demo.busy
    await demo._end_work()
    assert [note.kind for note in noted(demo)] == ["call.done", "call.done"]
    held.set()


async def test_an_agents_answer_reaches_nobody_before_it_is_looked_through(demo, held):
    session = demo.services.sessions.open("agent")
    run = demo.run_manager.submit(
        "from servers.demo import list_customers\nprint((await list_customers(limit=500))['customers'][7]['name'])",
        session,
        "x",
    )
    await asyncio.to_thread(held.begun.wait, 60)
    assert not demo.run_manager.run(run.id).output
    assert demo.run_manager.run(run.id).state is RunState.RUNNING
    held.set()
    assert TOKEN.search((await demo.run_manager.finished(run.id)).model_view)


async def test_an_answer_that_cannot_be_looked_through_is_shown_and_noted_all_the_same(demo, monkeypatch):
    def broken(*_):
        raise ValueError("odd")

    monkeypatch.setattr(broker, "register_outcome", broken)
    assert (await demo.api.call(call("list_customers", limit=500))).ok
    await demo.services.sessions.person.registrations.settled()
    assert [note.kind for note in noted(demo)] == ["call.done"]


async def test_an_answer_that_breaks_its_reader_is_noted_and_so_are_the_next_ones():
    registrations, noted = AnswerRegistrations(), []

    async def breaks():
        raise RuntimeError("odd data")

    async def works():
        pass

    registrations.put(breaks, lambda: noted.append("first"))
    registrations.put(works, lambda: noted.append("second"))
    await registrations.settled()
    assert noted == ["first", "second"]
    assert not registrations.busy
