"""A dry run sends nothing. The real run makes the selected calls of its plan, and requests approval for others."""

from __future__ import annotations

import asyncio
import json

import pytest
from msgspec.structs import replace

from tests.runs.steps import waiting
from workbench.agent.tool_definitions import TOOLS
from workbench.broker.broker import Broker
from workbench.errors import WorkbenchError
from workbench.events import CallHeld
from workbench.records import Decision, EntryQuery, HeldCallAnswer, Origin, PlanChoice, RunState, ToolCall
from workbench.runs.program_execution import ProgramExecution
from workbench.sandbox.sandbox import ToolFailure

CODE = """
from servers.demo import list_customers, send_email
found = (await list_customers(limit=2))["customers"]
first = await send_email(to="team@acme.example", subject="One", body=found[0]["name"])
await send_email(to="team@acme.example", subject="Two", body=f"after {first['id']}")
open("workspace/report.csv", "w").write("a,b")
"""


@pytest.fixture
async def office(demo):
    demo.settings = replace(demo.settings, isolation_medium="process", isolation_high="process")
    return demo


async def ended(core, run):
    async with asyncio.timeout(60):
        return await core.run_manager.wait_until_finished(run.id)


async def outbox(core):
    session = core.services.sessions.person
    answer = await Broker(core.services).call(ToolCall("o", "demo", "list_outbox", {}, Origin.PERSON, session.id))
    return json.loads(answer.structured)["result"]


async def dry_run_of(core, code=CODE):
    run = core.run_manager.submit(code, core.services.sessions.person, dry_run=True)
    return await ended(core, run)


def chosen(run, *numbers):
    ticked = tuple(run.plan[number].call_id for number in numbers)
    return PlanChoice(run.id, run.proposal.sha, ticked, 3.0)


class Person:
    """Denies and records each held call."""

    def __init__(self, core, *, allow=False):
        self.held_calls = []
        self._core = core
        self._allow = allow
        self._stop = core.bus.listen(self.hear)

    def hear(self, event):
        if isinstance(event, CallHeld):
            self.held_calls.append(event.held_call)
            asyncio.get_running_loop().call_soon(self._answer, event.held_call)

    def _answer(self, held_call):
        self._core.run_manager.held_calls.answer(HeldCallAnswer(held_call.id, allow=self._allow))

    def leave(self):
        self._stop()


async def test_a_dry_run_reads_and_holds_whatever_does_more_and_leaves_nothing_behind(office):
    run = await dry_run_of(office)
    assert run.state is RunState.DONE, run.fault
    first, second, files = run.plan
    assert json.loads(first.arguments)["to"] == "team@acme.example"
    assert (first.tool, first.reversible, first.origins[0].tool) == ("send_email", False, "list_customers")
    assert second.waits_for == ("body: id of call 1",)
    assert json.loads(files.arguments) == {"workspace/report.csv": "written, 3 bytes"}
    assert [call.state for call in run.calls] == ["done", "held", "held"]
    assert await outbox(office) == []
    assert not (office.services.paths.workspace / "report.csv").exists()
    assert not list(office.services.paths.workspace_copies.glob("*/workspace/report.csv"))
    assert (run.ledger.direct, run.ledger.actual, run.observed) == (0, 0, ())
    entries = office.journal.entries(EntryQuery(run_id=run.id))
    kinds = [entry.note.kind for entry in entries]
    assert kinds.count("call.held_by_dry_run") == 2
    assert "call.sent" not in kinds
    assert next(one for one in entries if one.note.kind == "run.proposed").note.detail["dry_run"] is True


async def test_what_was_ticked_runs_unasked_and_what_only_an_answer_tells_is_matched_by_its_place(office):
    person, record = Person(office), await dry_run_of(office)
    real = office.run_manager.dry_runs.run(chosen(record, 0, 1, 2), "you")
    assert (await ended(office, real)).state is RunState.DONE, real.fault
    sent = await outbox(office)
    assert sorted(one["subject"] for one in sent) == ["One", "Two"]
    assert any(one["body"].startswith("after ") and "held" not in one["body"] for one in sent)
    assert (office.services.paths.workspace / "report.csv").read_text() == "a,b"
    assert person.held_calls == []
    planned = office.journal.entries(EntryQuery(kind="run.plan_allowed"))[0].note
    assert "3 of the 3" in planned.summary
    decided = office.journal.entries(EntryQuery(kind="run.decided", run_id=real.id))[0].note
    assert decided.detail["allow"], "it counts among the decisions of the person"
    with pytest.raises(WorkbenchError, match="has been used"):
        office.run_manager.dry_runs.run(chosen(record, 0), "you")
    person.leave()


async def test_what_was_not_ticked_is_refused_and_a_workspace_that_was_not_can_only_be_read(office):
    run = await dry_run_of(office)
    left_out = await ended(office, office.run_manager.dry_runs.run(chosen(run, 1), "you"))
    assert left_out.state is RunState.FAILED
    assert "did not include this call" in left_out.fault.message
    assert await outbox(office) == []
    run = await dry_run_of(office)
    unwritten = await ended(office, office.run_manager.dry_runs.run(chosen(run, 0, 1), "you"))
    assert "Read-only file system" in unwritten.fault.message
    assert len(await outbox(office)) == 2


async def test_whatever_leaves_the_plan_waits_for_a_person_who_may_let_it_pass_once(office):
    code = """
import random
from servers.demo import send_email
await send_email(to="a@acme.example", subject="Same", body="x")
await send_email(to="a@acme.example", subject="Other", body=str(random.random()))
"""
    person, record = Person(office), await dry_run_of(office, code)
    real = await ended(office, office.run_manager.dry_runs.run(chosen(record, 0, 1), "you"))
    assert real.state is RunState.FAILED
    assert [one["subject"] for one in await outbox(office)] == ["Same"]
    (held_call,) = person.held_calls
    assert held_call.why[0].startswith("The allowed plan does not contain this call")
    person.leave()
    person, record = Person(office, allow=True), await dry_run_of(office, code)
    real = await ended(office, office.run_manager.dry_runs.run(chosen(record, 0, 1), "you"))
    assert (real.state, len(person.held_calls)) == (RunState.DONE, 1)
    assert not office.services.sessions.person.allowed_values, "a plan is for one run"
    person.leave()


async def test_a_plan_counts_each_call_as_often_as_it_was_held(office):
    code = """
from servers.demo import send_email
import os
for _ in range(3 if os.path.exists("workspace/more.txt") else 2):
    await send_email(to="a@acme.example", subject="Same", body="x")
"""
    person, record = Person(office), await dry_run_of(office, code)
    office.services.workspace_files.write("more.txt", "one more now")
    real = await ended(office, office.run_manager.dry_runs.run(chosen(record, 0, 1), "you"))
    assert real.state is RunState.FAILED
    assert (len(await outbox(office)), len(person.held_calls)) == (2, 1)
    person.leave()


async def test_a_waiting_program_goes_on_by_its_plan_and_an_edit_voids_it(office):
    agent = office.services.sessions.open("test agent")
    waits = await waiting(office, office.run_manager.submit(CODE, agent))
    record = await ended(office, office.run_manager.dry_runs.of_waiting(waits.id))
    assert record.proposal.dry_run_of == waits.id
    assert office.run_manager.run(waits.id).state is RunState.WAITING
    await office.run_manager.edit(waits.id, CODE + "\n# another text")
    with pytest.raises(WorkbenchError, match="changed after"):
        office.run_manager.dry_runs.run(chosen(record, 0, 1, 2), "you")
    again = await ended(office, office.run_manager.dry_runs.of_waiting(waits.id))
    with pytest.raises(WorkbenchError, match="different program"):
        office.run_manager.dry_runs.run(replace(chosen(again, 0), sha=record.proposal.sha), "you")
    office.run_manager.dry_runs.run(chosen(again, 0, 1, 2), "you")
    real = await ended(office, waits)
    assert (real.state, real.decision.plan) == (RunState.DONE, again.id)
    assert len(await outbox(office)) == 2
    assert agent.ledger.actual == real.ledger.actual, "the dry runs cost the agent nothing"


async def test_a_definition_that_changed_since_voids_the_plan(office, monkeypatch):
    record = await dry_run_of(office)
    monkeypatch.setattr("workbench.runs.approvals.approval_fingerprint", lambda *_: "another")
    real = await ended(office, office.run_manager.dry_runs.run(chosen(record, 0, 1, 2), "you"))
    assert real.state is RunState.REFUSED
    assert await outbox(office) == []


async def test_no_agent_and_no_program_allows_a_plan(office):
    agent = office.services.sessions.open("test agent")
    waits = await waiting(office, office.run_manager.submit(CODE, agent))
    record = await ended(office, office.run_manager.dry_runs.of_waiting(waits.id))
    with pytest.raises(WorkbenchError, match="only in its dry run"):
        office.run_manager.decide(
            Decision(waits.id, waits.proposal.sha, allow=True, by="you", plan=record.id, fingerprint=waits.fingerprint)
        )
    inside = ProgramExecution(
        office.run_manager._find(waits.id), Broker(office.services), None, None, office.run_manager.held_calls
    )
    for kind in ("dry_run", "run_plan", "decide"):
        with pytest.raises(ToolFailure, match="cannot ask"):
            await inside._answer(kind, {"dry_run": record.id, "sha": record.proposal.sha})
    assert not {"dry_run", "run_plan"} & {tool.name for tool in TOOLS}
    assert office.run_manager.run(waits.id).state is RunState.WAITING
    assert await outbox(office) == []


async def test_a_dry_run_that_stops_or_goes_on_in_a_state_gives_no_plan(office):
    with pytest.raises(WorkbenchError, match="REPL session"):
        office.run_manager.submit(CODE, office.services.sessions.person, state="editor", dry_run=True)
    run = office.run_manager.submit("while True: pass", office.services.sessions.person, dry_run=True)
    stopped = await office.run_manager.stop(run.id)
    with pytest.raises(WorkbenchError, match="did not finish"):
        office.run_manager.dry_runs.run(PlanChoice(stopped.id, stopped.proposal.sha), "you")


async def test_what_reads_outside_is_held_unless_the_program_would_run_unasked(office):
    page = """
from servers.demo import fetch_page
await fetch_page(url="https://status.example/")
"""
    both = (
        page
        + """
from servers.demo import send_email
await send_email(to="team@acme.example", subject="One", body="x")
"""
    )
    office.settings = replace(office.settings, approval_auto_low=True)
    states = {}
    for code in (page, both):
        run = await dry_run_of(office, code)
        states[code] = [(call.tool, call.state) for call in run.calls]
    assert [name for name, state in states[page] if state == "held"] == []
    assert states[both] == [("fetch_page", "held"), ("send_email", "held")]
