"""Rehearses programs for a person, and lets a program run by what they ticked of its rehearsal."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from workbench.errors import WorkbenchError
from workbench.records import Decision, Gate, PlanChoice, Proposal, Run, RunState
from workbench.runs.approvals import told
from workbench.runs.plan import Plan
from workbench.runs.rehearsal import MOST, Rehearsal
from workbench.runs.rooms import Rooms
from workbench.runs.run import ProgramRun

AGAIN: Final = "Rehearse it again: the plan counts for what was rehearsed only."
CUT_OFF: Final = f"It would do more than a plan holds ({MOST} calls, 1 MB of arguments); the rest is not in the list."
NO_NETWORK: Final = "There was no network in the rehearsal, so what it does with it is not in the plan: {}."


class Rehearsals:
    """Only a person's door reaches it."""

    def __init__(self, rooms: Rooms, find: Callable[[str], ProgramRun], set_out: Callable[[ProgramRun], Run]) -> None:
        """`find`: the road of a run of this core. `set_out`: begin to travel it."""
        self._rooms = rooms
        self._find = find
        self._set_out = set_out

    def of_waiting(self, run_id: str) -> Run:
        """Rehearse a program that waits for a person, as it stands now; it goes on waiting."""
        road = self._find(run_id)
        if not road.asks:
            raise WorkbenchError("This program no longer waits for a decision.", "Rehearse it from the editor.")
        before = road.run.proposal
        proposal = replace(before, id=uuid.uuid4().hex[:12], at=time.time(), rehearse=True, rehearses=run_id)
        check_rehearsable(proposal)
        return self._set_out(ProgramRun(self._rooms, road.session, proposal))

    def run(self, choice: PlanChoice, by: str) -> Run:
        """Let the rehearsed program run, and do of its plan what was ticked; the plan is spent by that."""
        road = self._find(choice.rehearsal)
        rehearsal = _plan_of(road)
        if choice.sha != road.run.proposal.sha:
            raise WorkbenchError("The answer names another text than the one that was rehearsed.", AGAIN)
        if not set(choice.ticked) <= {held.call_id for held in rehearsal.plan}:
            raise WorkbenchError("The answer names calls that are not in the plan.", AGAIN)
        plan = Plan(rehearsal.steps, rehearsal.stand_ins, choice.ticked)
        waits = self._find(road.run.proposal.rehearses) if road.run.proposal.rehearses else None
        run = self._decide(waits, road, plan, choice, by) if waits else self._start(road, plan, choice, by)
        rehearsal.used = True
        return run

    def _decide(self, waits: ProgramRun, road: ProgramRun, plan: Plan, choice: PlanChoice, by: str) -> Run:
        """The waiting program goes on; not if it is another one by now."""
        if (waits.run.proposal.sha, waits.run.seal) != (choice.sha, road.run.seal):
            raise WorkbenchError("The program that waits was changed since it was rehearsed.", AGAIN)
        waits.decide(_decision(waits.run.id, choice, by))
        waits.plan = plan
        waits.may_write = plan.files
        self._tell(waits, road, choice)
        return waits.run

    def _start(self, road: ProgramRun, plan: Plan, choice: PlanChoice, by: str) -> Run:
        before = road.run.proposal
        proposal = replace(before, id=uuid.uuid4().hex[:12], at=time.time(), rehearse=False)
        real = ProgramRun(self._rooms, road.session, proposal)
        decision = replace(_decision(proposal.id, choice, by), at=time.time())
        real.run = replace(real.run, decision=decision, seal=road.run.seal)
        real.plan = plan
        real.may_write = plan.files
        self._tell(real, road, choice)
        summary, detail = told(decision, real.run, road.session.mask)
        real.note("run.decided", summary, detail)
        return self._set_out(real)

    def _tell(self, real: ProgramRun, road: ProgramRun, choice: PlanChoice) -> None:
        held = road.run.plan
        ticked = frozenset(choice.ticked)
        lines = [{"call": f"{one.server}.{one.tool}".strip("."), "ticked": one.call_id in ticked} for one in held]
        count = sum(one.call_id in ticked for one in held)
        detail: dict[str, object] = {"rehearsal": road.run.id, "sha": choice.sha, "plan": lines}
        real.note("run.planned", f"may do {count} of the {len(held)} things that its rehearsal held", detail)


def check_rehearsable(proposal: Proposal) -> None:
    if proposal.state:
        words = "A program that goes on in a kept state cannot be rehearsed: it would change the state's variables."
        raise WorkbenchError(words, "Rehearse it without the state, or allow it as it is.")


def planned(road: ProgramRun) -> Run:
    """The run of a rehearsal that is over, with its plan."""
    rehearsal, verdict = road.rehearsal, road.run.verdict
    if rehearsal is None:
        return road.run
    notes = [*rehearsal.notes]
    if rehearsal.full:
        notes.append(CUT_OFF)
    if verdict is not None and verdict.hosts:
        notes.append(NO_NETWORK.format(", ".join(verdict.hosts[:5])))
    return replace(road.run, plan=rehearsal.plan, plan_notes=tuple(notes))


def _plan_of(road: ProgramRun) -> Rehearsal:
    if road.rehearsal is None:
        raise WorkbenchError("This run is no rehearsal.", "Rehearse the program first.")
    if not road.over or road.run.state in (RunState.STOPPED, RunState.REFUSED):
        raise WorkbenchError("This rehearsal did not come to its end.", "Rehearse it once more.")
    if road.run.verdict is None or road.run.verdict.gate in (Gate.BLOCKED, Gate.REFUSED):
        raise WorkbenchError("This program cannot run as it stands.", "Change it first.")
    if road.rehearsal.used:
        raise WorkbenchError("A plan is for one run, and this one is spent.", AGAIN)
    return road.rehearsal


def _decision(run_id: str, choice: PlanChoice, by: str) -> Decision:
    return Decision(run_id, choice.sha, allow=True, by=by, seconds=choice.seconds, plan=choice.rehearsal)
