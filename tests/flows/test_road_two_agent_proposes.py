"""Road two: an agent proposes a program, a person looks at it, decides, and the sandbox runs exactly that text."""

from __future__ import annotations

import asyncio
import hashlib

import pytest

from workbench.errors import WorkbenchError
from workbench.records import Decision, EntryQuery, Gate, Risk, RunState

RISKY = """\
from servers.demo import list_customers, send_email

page = await list_customers(limit=1)
person = page["customers"][0]
await send_email(to=person["email"], subject="Hello", body="A test.")
result = {"wrote to": person["email"]}
"""

HARMLESS = """\
from servers.demo import list_orders

page = await list_orders(limit=5)
result = {"total": page["total"], "seen": len(page["orders"])}
"""


async def test_a_harmless_program_runs_without_asking(person, agent):
    await person.api.connect("demo")
    async with agent() as client:
        answer = await client.call_tool("execute_code", {"code": HARMLESS, "description": "count"})
    assert not answer.is_error, answer.content[0].text
    assert '"seen": 5' in answer.content[0].text
    assert "10000" in answer.content[0].text


async def test_a_risky_program_waits_is_approved_and_runs_the_text_that_was_shown(person, agent, run_that):
    await person.api.connect("demo")
    async with agent() as client:
        asked = asyncio.get_running_loop().create_task(
            client.call_tool("execute_code", {"code": RISKY, "description": "say hello"})
        )
        run = await run_that(RunState.WAITING)
        assert run.verdict is not None
        assert run.verdict.gate is Gate.ASK
        assert run.verdict.risk in (Risk.HIGH, Risk.CRITICAL)
        assert run.proposal.sha == hashlib.sha256(run.proposal.code.encode()).hexdigest()
        await person.api.decide(Decision(run.id, run.proposal.sha, allow=True, by="you", fingerprint=run.fingerprint))
        answer = await asked
    text = answer.content[0].text
    assert not answer.is_error, text
    assert "[EMAIL_1." in text, "the model sees a token"
    assert "@example" not in text, "the model never sees the address"
    outbox = await person.api.runs()
    assert "@example" in outbox[0].result, "the person sees the address"
    kinds = [entry.note.kind for entry in await person.api.entries(EntryQuery(run_id=run.id))]
    assert kinds[::-1][:3] == ["run.proposed", "run.checked", "run.waiting"]
    assert {"run.decided", "run.running", "call.sent", "call.done", "run.done"} <= set(kinds)
    assert (await person.api.verify_audit()).whole


async def test_a_denied_program_never_starts_and_the_agent_reads_why(person, agent, run_that):
    await person.api.connect("demo")
    async with agent() as client:
        asked = asyncio.get_running_loop().create_task(
            client.call_tool("execute_code", {"code": RISKY, "description": "say hello"})
        )
        run = await run_that(RunState.WAITING)
        await person.api.decide(Decision(run.id, run.proposal.sha, allow=False, by="you", reason="Ask first."))
        answer = await asked
    assert answer.is_error
    assert "Ask first." in answer.content[0].text
    entries = await person.api.entries(EntryQuery(run_id=run.id))
    assert not [entry for entry in entries if entry.note.kind.startswith(("call.", "run.running"))]


async def test_a_decision_about_another_text_is_refused(person, agent, run_that):
    await person.api.connect("demo")
    async with agent() as client:
        asked = asyncio.get_running_loop().create_task(
            client.call_tool("execute_code", {"code": RISKY, "description": "say hello"})
        )
        run = await run_that(RunState.WAITING)
        edited = await person.api.edit(run.id, RISKY.replace("A test.", "Edited."))
        assert edited.proposal.sha != run.proposal.sha
        with pytest.raises(WorkbenchError, match="different version"):
            await person.api.decide(
                Decision(run.id, run.proposal.sha, allow=True, by="you", fingerprint=run.fingerprint)
            )
        await person.api.decide(
            Decision(run.id, edited.proposal.sha, allow=True, by="you", fingerprint=edited.fingerprint)
        )
        answer = await asked
    assert not answer.is_error, answer.content[0].text
    outbox = await person.api.runs()
    assert "Edited." in outbox[0].proposal.code


async def test_the_agent_searches_at_three_depths(person, agent):
    await person.api.connect("demo")
    async with agent() as client:
        names, lines, full = [
            (await client.call_tool("search_tools", {"query": "orders", "detail_level": depth})).content[0].text
            for depth in ("name", "description", "full")
        ]
    assert "list_orders" in names
    assert "from servers.demo import list_orders" in lines
    assert "async def list_orders" in full
    assert len(names) < len(lines) < len(full)
