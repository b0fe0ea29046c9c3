"""Starts dry runs, and runs a program with the calls that the user selected from its plan."""

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
from workbench.runs.approvals import describe_decision
from workbench.runs.run import ProgramRun

AGAIN: Final = "Start a new dry run; a plan is valid only for the program that it was made for."
CUT_OFF: Final = (
    f"The program would do more than a plan can hold ({MOST} calls, 1 MB of arguments); the rest is not listed."
)
NO_NETWORK: Final = "A dry run has no network, so the plan does not show what the program does with: {}."


class DryRuns:
    """Dry runs of a core. Only clients of the user can start them."""

    def __init__(
        self, services: Services, find: Callable[[str], ProgramRun], begin: Callable[[ProgramRun], Run]
    ) -> None:
        """`find` returns a run of this core; `begin` starts one."""
        self._services = services
        self._find = find
        self._begin = begin

    def of_waiting(self, run_id: str) -> Run:
        """Start a dry run of a program that waits for approval. The program continues to wait."""
        run = self._find(run_id)
        if not run.awaits_decision:
            raise WorkbenchError("This program no longer waits for a decision.", "Start a dry run from the editor.")
        before = run.record.proposal
        proposal = replace(before, id=uuid.uuid4().hex[:12], at=time.time(), dry_run=True, dry_run_of=run_id)
        check_dry_run_possible(proposal)
        return self._begin(ProgramRun(self._services, run.session, proposal))

    def run(self, choice: PlanChoice, by: str) -> Run:
        """Run the program of a dry run once with the calls that the user selected from its plan."""
        run = self._find(choice.dry_run)
        dry_run = _plan_of(run)
        if choice.sha != run.record.proposal.sha:
            raise WorkbenchError("The decision is for a different program than the one in the dry run.", AGAIN)
        if not set(choice.ticked) <= {held.call_id for held in dry_run.plan}:
            raise WorkbenchError("The decision names calls that are not in the plan.", AGAIN)
        plan = Plan(dry_run.steps, dry_run.stand_ins, choice.ticked)
        waits = self._find(run.record.proposal.dry_run_of) if run.record.proposal.dry_run_of else None
        record = self._decide(waits, run, plan, choice, by) if waits else self._start(run, plan, choice, by)
        dry_run.plan_used = True
        return record

    def _decide(self, waits: ProgramRun, run: ProgramRun, plan: Plan, choice: PlanChoice, by: str) -> Run:
        """Approve the waiting program with the plan, unless the program was edited meanwhile."""
        if (waits.record.proposal.sha, waits.record.fingerprint) != (choice.sha, run.record.fingerprint):
            raise WorkbenchError("The waiting program was changed after its dry run.", AGAIN)
        waits.decide(_decision(waits.record.id, choice, by))
        waits.plan = plan
        waits.may_write = plan.includes_files
        self._tell(waits, run, choice)
        return waits.record

    def _start(self, run: ProgramRun, plan: Plan, choice: PlanChoice, by: str) -> Run:
        before = run.record.proposal
        proposal = replace(before, id=uuid.uuid4().hex[:12], at=time.time(), dry_run=False)
        real = ProgramRun(self._services, run.session, proposal)
        decision = replace(_decision(proposal.id, choice, by), at=time.time())
        real.record = replace(real.record, decision=decision, fingerprint=run.record.fingerprint)
        real.plan = plan
        real.may_write = plan.includes_files
        self._tell(real, run, choice)
        summary, detail = describe_decision(decision, real.record, run.session.mask)
        real.write_audit("run.decided", summary, detail)
        return self._begin(real)

    def _tell(self, real: ProgramRun, run: ProgramRun, choice: PlanChoice) -> None:
        held = run.record.plan
        ticked = frozenset(choice.ticked)
        lines = [{"call": f"{one.server}.{one.tool}".strip("."), "ticked": one.call_id in ticked} for one in held]
        count = sum(one.call_id in ticked for one in held)
        detail: dict[str, object] = {"dry_run": run.record.id, "sha": choice.sha, "plan": lines}
        real.write_audit("run.plan_allowed", f"may make {count} of the {len(held)} calls that its dry run held", detail)


def check_dry_run_possible(proposal: Proposal) -> None:
    if proposal.state:
        words = "No dry run is possible in a REPL session: it would change the session's variables."
        raise WorkbenchError(words, "Start a dry run without the session, or allow the program as it is.")


def planned(run: ProgramRun) -> Run:
    """Return the record of a run; for a finished dry run, with its plan."""
    dry_run, verdict = run.dry_run, run.record.verdict
    if dry_run is None:
        return run.record
    notes = [*dry_run.notes]
    if dry_run.full:
        notes.append(CUT_OFF)
    if verdict is not None and verdict.hosts:
        notes.append(NO_NETWORK.format(", ".join(verdict.hosts[:5])))
    return replace(run.record, plan=dry_run.plan, plan_notes=tuple(notes))


def _plan_of(run: ProgramRun) -> HeldSideEffects:
    if run.dry_run is None:
        raise WorkbenchError("This run is not a dry run.", "Start a dry run of the program first.")
    if not run.is_over or run.record.state in (RunState.STOPPED, RunState.REFUSED):
        raise WorkbenchError("This dry run did not finish.", "Start it again.")
    if run.record.verdict is None or run.record.verdict.gate in (Gate.BLOCKED, Gate.REFUSED):
        raise WorkbenchError("This program cannot run in this form.", "Edit it, then start a new dry run.")
    if run.dry_run.plan_used:
        raise WorkbenchError("A plan can be used for one run only, and this one has been used.", AGAIN)
    return run.dry_run


def _decision(run_id: str, choice: PlanChoice, by: str) -> Decision:
    return Decision(run_id, choice.sha, allow=True, by=by, seconds=choice.seconds, plan=choice.dry_run)
