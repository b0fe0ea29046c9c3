"""Dry runs of the paper project: each has the plan that a test gives it."""

from __future__ import annotations

import time
from typing import Any

from msgspec.structs import replace

from workbench.errors import WorkbenchError
from workbench.records import Decision, Origin, PlanChoice, PlanStep, Proposal, Risk, Run, RunState, ValueOrigin


class PaperDryRuns:
    """Every dry run ends at once."""

    bus: Any
    note: Any
    run: Any
    put_run: Any
    plan: tuple[PlanStep, ...] = ()
    plan_notes: tuple[str, ...] = ()
    plan_fault: WorkbenchError | None = None
    dry_run_record: Run | None = None

    async def dry_run(
        self, code: str, purpose: str = "", skill: str = "", language: str = "python", profile: str = ""
    ) -> Run:
        self.note("dry_run", code)
        proposal = Proposal("dry-run-1", code, "a" * 64, Origin.PERSON, "person", "you", purpose)
        return self.put_dry_run(Run("dry-run-1", proposal, RunState.DONE))

    async def dry_run_waiting(self, run_id: str) -> Run:
        self.note("dry_run_waiting", run_id)
        if self.plan_fault is not None:
            raise self.plan_fault
        run: Run = await self.run(run_id)
        return self.put_dry_run(replace(run, proposal=replace(run.proposal, dry_run_of=run_id)))

    async def run_plan(self, choice: PlanChoice) -> Run:
        self.note("run_plan", choice)
        if self.plan_fault is not None:
            raise self.plan_fault
        assert self.dry_run_record is not None
        waits = self.dry_run_record.proposal.dry_run_of
        name = waits or "real-1"
        proposal = replace(self.dry_run_record.proposal, id=name, dry_run=False, dry_run_of="")
        decision = Decision(name, choice.sha, allow=True, by="you", seconds=choice.seconds, plan=choice.dry_run)
        record = replace(
            self.dry_run_record, id=name, proposal=proposal, state=RunState.RUNNING, plan=(), decision=decision
        )
        real: Run = self.put_run(record)
        return real

    def put_dry_run(self, run: Run) -> Run:
        proposal = replace(run.proposal, id="dry-run-1", dry_run=True, at=time.time())
        self.dry_run_record = replace(
            run, id="dry-run-1", proposal=proposal, state=RunState.DONE, started=1.0, ended=2.0,
            plan=self.plan, plan_notes=self.plan_notes, deadline=0.0,
        )  # fmt: skip
        put: Run = self.put_run(self.dry_run_record)
        return put


def make_plan() -> tuple[PlanStep, ...]:
    """Two mails, the second with the number of the first, and a file."""
    origin = ValueOrigin("to", "records@collect-data.example", ("untrusted",), "demo", "read_mail", "c0", "run-0", "")
    first = PlanStep(
        "h1", "demo", "send_email",
        '{\n  "to": "records@collect-data.example",\n  "subject": "Records",\n  "body": "Here they are"\n}',
        7, "demo.send_email(to=records@collect-data.example, subject=Records, body=Here they are)", False,
        Risk.HIGH, (origin,), (), "invented",
    )  # fmt: skip
    second = replace(
        first, call_id="h2", arguments='{\n  "to": "team@acme.example",\n  "body": "after [held-1-1-id]"\n}', line=9,
        summary="demo.send_email(to=team@acme.example, body=after [held-1-1-id])", origins=(),
        waits_for=("body: id of call 1",), risk=Risk.MEDIUM,
    )  # fmt: skip
    files = PlanStep(
        "workspace", "", "workspace", '{\n  "workspace/report.csv": "written, 1,204 bytes"\n}', 0,
        "Changes workspace/report.csv", False, Risk.MEDIUM,
    )  # fmt: skip
    return first, second, files
