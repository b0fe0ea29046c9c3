"""A run ends once, and the audit has every step of it with personal data masked."""

from __future__ import annotations

import json
import time

import pytest

from workbench.broker.approval_clocks import ApprovalClocks
from workbench.errors import WorkbenchError
from workbench.records import CallTrace, Decision, EntryQuery, Origin, Proposal, Risk, RunState
from workbench.runs.run import KEPT_CALLS, ProgramRun


@pytest.fixture
def run(core):
    session = core.services.sessions.open("agent")
    code = 'print("write to ada@lovelace.family")'
    return ProgramRun(
        core.services, session, Proposal("r1", code, "sha", Origin.AGENT, session.id, "agent", at=time.time())
    )


def entries(run):
    return run.services.journal.entries(EntryQuery(run_id="r1"))


async def test_an_end_is_reached_once(run):
    run.finish(RunState.DONE, "finished")
    run.finish(RunState.FAILED, "again")
    assert run.record.state is RunState.DONE
    assert [entry.note.kind for entry in entries(run)] == ["run.done", "run.proposed"]


async def test_the_audit_keeps_the_code_with_tokens_for_personal_data(run):
    kept = json.dumps(dict(entries(run)[0].note.detail))
    assert "ada@lovelace.family" not in kept
    assert "[EMAIL_1." in kept


async def test_nobody_can_decide_what_does_not_wait(run):
    with pytest.raises(WorkbenchError):
        run.decide(Decision("r1", "sha", allow=True, by="you"))


async def test_only_the_newest_calls_are_carried_along(run):
    for number in range(KEPT_CALLS + 20):
        run.show_trace(CallTrace(str(number), "demo", "t", "{}", Risk.LOW, "done"))
    run.finish(RunState.DONE, "finished")
    assert len(run.record.calls) == KEPT_CALLS
    assert run.record.calls[-1].call_id == str(KEPT_CALLS + 19)


async def test_the_audit_says_that_a_run_waits(run):
    assert await run.wait_for_decision(ApprovalClocks(lambda event: None), 0.0) is None
    assert [entry.note.summary for entry in entries(run) if entry.note.kind == "run.waiting"] == ["waits for approval"]
