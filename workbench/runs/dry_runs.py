"""Rehearses programs for a person, and lets a program run by what they ticked of its rehearsal."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from workbench.broker.services import Services
from workbench.dry_run.held_side_effects import MOST, HeldSideEffects
from workbench.dry_run.plan import Plan
from workbench.errors import WorkbenchError
from workbench.records import Decision, Gate, PlanChoice, Proposal, Run, RunState
from workbench.runs.approvals import told
from workbench.runs.run import ProgramRun

AGAIN: Final = "Rehearse it again: the plan counts for what was rehearsed only."
CUT_OFF: Final = f"It would do more than a plan holds ({MOST} calls, 1 MB of arguments); the rest is not in the list."
NO_NETWORK: Final = "There was no network in the rehearsal, so what it does with it is not in the plan: {}."


class DryRuns:
    """Only a person's door reaches it."""

    def __init__(
        self, services: Services, find: Callable[[str], ProgramRun], begin: Callable[[ProgramRun], Run]
    ) -> None:
        """`find`: a run of this core. `begin`: start one."""
        self._services = services
        self._find = find
        self._begin = begin

    def of_waiting(self, run_id: str) -> Run:
        """Rehearse a program that waits for a person, as it stands now; it goes on waiting."""
        run = self._find(run_id)
        if not run.asks:
            raise WorkbenchError("This program no longer waits for a decision.", "Rehearse it from the editor.")
        before = run.record.proposal
        proposal = replace(before, id=uuid.uuid4().hex[:12], at=time.time(), rehearse=True, rehearses=run_id)
        check_rehearsable(proposal)
        return self._begin(ProgramRun(self._services, run.session, proposal))

    def run(self, choice: PlanChoice, by: str) -> Run:
        """Let the rehearsed program run, and do of its plan what was ticked; the plan is spent by that."""
        run = self._find(choice.rehearsal)
        rehearsal = _plan_of(run)
        if choice.sha != run.record.proposal.sha:
            raise WorkbenchError("The answer names another text than the one that was rehearsed.", AGAIN)
        if not set(choice.ticked) <= {held.call_id for held in rehearsal.plan}:
            raise WorkbenchError("The answer names calls that are not in the plan.", AGAIN)
        plan = Plan(rehearsal.steps, rehearsal.stand_ins, choice.ticked)
        waits = self._find(run.record.proposal.rehearses) if run.record.proposal.rehearses else None
        record = self._decide(waits, run, plan, choice, by) if waits else self._start(run, plan, choice, by)
        rehearsal.used = True
        return record

    def _decide(self, waits: ProgramRun, run: ProgramRun, plan: Plan, choice: PlanChoice, by: str) -> Run:
        """The waiting program goes on; not if it is another one by now."""
        if (waits.record.proposal.sha, waits.record.seal) != (choice.sha, run.record.seal):
            raise WorkbenchError("The program that waits was changed since it was rehearsed.", AGAIN)
        waits.decide(_decision(waits.record.id, choice, by))
        waits.plan = plan
        waits.may_write = plan.files
        self._tell(waits, run, choice)
        return waits.record

    def _start(self, run: ProgramRun, plan: Plan, choice: PlanChoice, by: str) -> Run:
        before = run.record.proposal
        proposal = replace(before, id=uuid.uuid4().hex[:12], at=time.time(), rehearse=False)
        real = ProgramRun(self._services, run.session, proposal)
        decision = replace(_decision(proposal.id, choice, by), at=time.time())
        real.record = replace(real.record, decision=decision, seal=run.record.seal)
        real.plan = plan
        real.may_write = plan.files
        self._tell(real, run, choice)
        summary, detail = told(decision, real.record, run.session.mask)
        real.note("run.decided", summary, detail)
        return self._begin(real)

    def _tell(self, real: ProgramRun, run: ProgramRun, choice: PlanChoice) -> None:
        held = run.record.plan
        ticked = frozenset(choice.ticked)
        lines = [{"call": f"{one.server}.{one.tool}".strip("."), "ticked": one.call_id in ticked} for one in held]
        count = sum(one.call_id in ticked for one in held)
        detail: dict[str, object] = {"rehearsal": run.record.id, "sha": choice.sha, "plan": lines}
        real.note("dry_run.plan_allowed", f"may do {count} of the {len(held)} things that its rehearsal held", detail)


def check_rehearsable(proposal: Proposal) -> None:
    if proposal.state:
        words = "A program that goes on in a kept state cannot be rehearsed: it would change the state's variables."
        raise WorkbenchError(words, "Rehearse it without the state, or allow it as it is.")


def planned(run: ProgramRun) -> Run:
    """The run of a rehearsal that is over, with its plan."""
    rehearsal, verdict = run.rehearsal, run.record.verdict
    if rehearsal is None:
        return run.record
    notes = [*rehearsal.notes]
    if rehearsal.full:
        notes.append(CUT_OFF)
    if verdict is not None and verdict.hosts:
        notes.append(NO_NETWORK.format(", ".join(verdict.hosts[:5])))
    return replace(run.record, plan=rehearsal.plan, plan_notes=tuple(notes))


def _plan_of(run: ProgramRun) -> HeldSideEffects:
    if run.rehearsal is None:
        raise WorkbenchError("This run is no rehearsal.", "Rehearse the program first.")
    if not run.over or run.record.state in (RunState.STOPPED, RunState.REFUSED):
        raise WorkbenchError("This rehearsal did not come to its end.", "Rehearse it once more.")
    if run.record.verdict is None or run.record.verdict.gate in (Gate.BLOCKED, Gate.REFUSED):
        raise WorkbenchError("This program cannot run as it stands.", "Change it first.")
    if run.rehearsal.used:
        raise WorkbenchError("A plan is for one run, and this one is spent.", AGAIN)
    return run.rehearsal


def _decision(run_id: str, choice: PlanChoice, by: str) -> Decision:
    return Decision(run_id, choice.sha, allow=True, by=by, seconds=choice.seconds, plan=choice.rehearsal)
