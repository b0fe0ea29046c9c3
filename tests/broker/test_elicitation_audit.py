"""Elicitation requests are audited without the user's input, and the personal data in them is registered."""

from __future__ import annotations

import asyncio
import json

import pytest

from workbench.errors import WorkbenchError
from workbench.records import EntryQuery, Origin, RunState, ToolCall
from workbench.servers.call_timeout import CallTimeout
from workbench.servers.elicitation.request_parsing import ElicitationRefusal

FORM = {"type": "object", "properties": {"mail": {"type": "string", "format": "email"}}, "required": ["mail"]}
CREATE = "elicitation/create"


async def ask(core, method: str = CREATE, session: str = "person", **params: object) -> asyncio.Task:
    """Send a server's request during a call. Returns once the request is open."""

    async def call() -> object:
        wish = ToolCall("c1", "demo", "book", {}, Origin.PERSON, session, run_id="r1")
        async with CallTimeout(30) as clock:
            with core.catalog.asks.calling(wish, clock):
                return await core.catalog.asks.answer_request("demo", method, params)

    task = asyncio.create_task(call())
    while not core.catalog.asks.all() and not task.done():
        await asyncio.sleep(0)
    return task


def entries(core) -> list:
    return [entry.note for entry in reversed(core.journal.entries(EntryQuery(kind="elicitation.")))]


@pytest.fixture
async def attended(core):
    with core.catalog.asks.attending():
        yield core


async def test_question_and_answer_are_in_the_audit_and_the_values_are_not(attended):
    task = await ask(attended, message="Write to bo@example.org?", requestedSchema=FORM)
    open_ask = (await attended.api.asks())[0]
    await attended.api.answer_ask(open_ask.id, "accept", '{"mail": "ada@example.org"}')
    assert await task == {"action": "accept", "content": {"mail": "ada@example.org"}}
    notes = entries(attended)
    assert [note.kind for note in notes] == ["elicitation.requested", "elicitation.accepted", "elicitation.values_sent"]
    assert notes[2].summary == "You sent demo these fields: mail"
    text = json.dumps([[note.summary, dict(note.detail)] for note in notes])
    assert "example.org" not in text
    assert "Write to" in text


async def test_an_answer_is_masked_where_the_server_sends_it_on_to_the_agent(attended):
    session = attended.services.sessions.open("claude")
    task = await ask(attended, session=session.id, message="Where to?", requestedSchema=FORM)
    found = (await attended.api.asks())[0]
    assert (found.by, found.run_id) == ("claude", "r1")
    await attended.api.answer_ask(found.id, "accept", '{"mail": "ada@example.org"}')
    await task
    assert "ada" not in session.mask("sent to ada@example.org")


async def test_a_token_in_an_answer_becomes_its_value(attended):
    session = attended.services.sessions.open("claude")
    session.vault.register("ada@example.org", "demo")
    token = session.mask("ada@example.org")
    task = await ask(attended, session=session.id, message="Where to?", requestedSchema=FORM)
    await attended.api.answer_ask((await attended.api.asks())[0].id, "accept", json.dumps({"mail": token}))
    assert (await task)["content"] == {"mail": "ada@example.org"}


async def test_a_refusal_is_written_with_who_refused(attended):
    hello = [{"role": "user", "content": [{"type": "text", "text": "Say hello to bo@example.org"}]}]
    task = await ask(attended, "sampling/createMessage", messages=hello, maxTokens=9)
    await attended.api.answer_ask((await attended.api.asks())[0].id, "decline", '{"reason": "No."}')
    with pytest.raises(ElicitationRefusal):
        await task
    arrived, declined = entries(attended)
    assert "Say hello to" in arrived.summary
    assert "bo@example" not in arrived.summary
    assert (declined.kind, declined.ok) == ("elicitation.declined", False)


async def test_an_opened_page_is_written_with_its_host(attended):
    task = await ask(attended, mode="url", message="Sign in", url="https://inn.example/x", elicitationId="e")
    await attended.api.answer_ask((await attended.api.asks())[0].id, "accept", "")
    assert await task == {"action": "accept"}
    assert [note.kind for note in entries(attended)] == [
        "elicitation.requested",
        "elicitation.page_opened",
        "elicitation.withdrawn",
    ]


async def test_what_is_no_answer_is_said(attended):
    with pytest.raises(WorkbenchError):
        await attended.api.answer_ask("nothing", "accept", "")
    task = await ask(attended, message="Where to?", requestedSchema=FORM)
    number = (await attended.api.asks())[0].id
    with pytest.raises(WorkbenchError, match="not valid JSON"):
        await attended.api.answer_ask(number, "accept", "{")
    await attended.api.answer_ask(number, "cancel", "")
    assert await task == {"action": "cancel"}


async def test_a_window_is_there_as_long_as_it_attends(core):
    attending = asyncio.create_task(core.api.attend())
    await asyncio.sleep(0)
    task = await ask(core, message="Where to?", requestedSchema=FORM)
    core.catalog.asks.close()
    with pytest.raises(ElicitationRefusal, match="closing"):
        await task
    attending.cancel()
    await asyncio.wait([attending])
    with pytest.raises(ElicitationRefusal, match="No user can answer"):
        await core.catalog.asks.answer_request("demo", CREATE, {"message": "Where to?", "requestedSchema": FORM})


async def test_a_programs_call_asks_a_person_with_the_program_named(attended):
    await attended.catalog.connect("demo")
    code = "from servers.demo import plan_visit\n\nprint(await plan_visit(place='the office'))\n"
    run = await attended.api.submit(code, "Plan", "")
    async with asyncio.timeout(60):
        while not (asked := await attended.api.asks()):
            await asyncio.sleep(0.02)
        assert (asked[0].run_id, asked[0].tool, asked[0].by) == (run.id, "plan_visit", "you")
        content = {"name": "Ada", "day": "2026-05-01"}
        await attended.api.answer_ask(asked[0].id, "accept", json.dumps(content))
        while (await attended.api.run(run.id)).state in (RunState.CHECKED, RunState.PROPOSED, RunState.RUNNING):
            await asyncio.sleep(0.02)
    done = await attended.api.run(run.id)
    assert done.state is RunState.DONE, done.fault
