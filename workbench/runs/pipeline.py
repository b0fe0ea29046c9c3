"""The steps of a run: assess, get approval, take a slot, copy the workspace, execute, close."""

from __future__ import annotations

import asyncio
import time
from asyncio import CancelledError
from contextlib import AsyncExitStack

from msgspec.structs import replace

from workbench.analysis.approval_gate import decide_gate, written_data_file
from workbench.analysis.reading import PYTHON
from workbench.broker.agent_pause import PAUSED, is_paused
from workbench.broker.approval_clocks import ApprovalClocks
from workbench.broker.broker import Broker
from workbench.broker.held_calls import MUTED, HeldCalls
from workbench.broker.services import Services
from workbench.errors import WorkbenchError
from workbench.events import spawn
from workbench.privacy.pii_tokens import find_tokens
from workbench.recordings.call_recorder import CallRecorder
from workbench.records import CallDecision, Decision, Fault, Gate, RunState, Verdict
from workbench.runs.answer_view import WITHOUT_PROGRAM
from workbench.runs.approvals import Approvals, describe_decision
from workbench.runs.file_rules import find_file_rule
from workbench.runs.generated_packages import GeneratedPackages
from workbench.runs.program_assessment import ProgramAssessor, explain_failures
from workbench.runs.program_execution import ProgramExecution
from workbench.runs.repl_sessions import ReplSessionGone, ReplSessions
from workbench.runs.run import ProgramRun, RunEnd, is_users_run
from workbench.runs.run_faults import fault_of_ending, internal_failure, network_hint, returned_fault, stopped_end
from workbench.runs.run_finalizer import RunFinalizer
from workbench.runs.run_slots import RunSlots
from workbench.runs.sandbox_choice import choose_sandbox
from workbench.runs.stored_requests import StoredRequests
from workbench.runs.workspace_changes import StagedWorkspaces, begin_snapshot, end_snapshot, needs_stage
from workbench.sandbox.isolation_levels import level_name
from workbench.sandbox.sandbox import Ending
from workbench.servers.tool_definitions.tool_error_messages import cannot_use, not_imported
from workbench.workspace.workspace_copies import Unstageable

SWITCHED_OFF = Fault(
    "Programs are switched off: the setting run.enabled is false.",
    "The user can switch them on in settings.toml, or in the project file that sets mcpCodeExecution.enabled.",
)
_NOBODY = Fault("The approval request was not answered in time.", "Ask again when the user is available.", ours=True)
_MUTED = Fault(MUTED.reason, "Do not ask again now; tell the user what you need approval for.", ours=True)
_TOKENS_GONE = Fault(
    "The core was restarted, and the personal data that the tokens of this program stand for is no longer known.",
    "Read the data again and propose the program again.",
    ours=True,
)
LEAST_AFTER_RESTART = 60.0  # seconds that a restored program waits, at least
_CHANGED = "A tool or server that this program uses changed between the approval and its start."


class RunPipeline:
    """Takes runs through their steps. Each run has two asyncio tasks: one executes the steps and is cancelled by a
    stop; the other waits for it, is never cancelled, and closes the run whatever the steps ended with."""

    def __init__(
        self,
        services: Services,
        broker: Broker,
        packages_of_runs: GeneratedPackages,
        approvals: Approvals,
        assessor: ProgramAssessor,
    ) -> None:
        self._services = services
        self._broker = broker
        self._packages = packages_of_runs
        self._approvals = approvals
        self._assessor = assessor
        self._recorder = CallRecorder()
        self.staging = StagedWorkspaces(services)
        self.states = ReplSessions(services, release=self.staging.release)
        self.clocks = ApprovalClocks(services.tell, lambda: services.settings().approval_review_minutes * 60.0)
        self.held_calls = HeldCalls(services.tell, self.clocks, lambda: services.settings().approval_undo_seconds)
        self._finalizer = RunFinalizer(services, self.held_calls)
        self.slots = RunSlots(lambda: services.settings().run_concurrent)
        self.stored = StoredRequests(services.paths.waiting_requests)
        self._steps = (
            self._restore,
            self._take_turn_in_repl_session,
            self._assess,
            self._return_if_certain_to_fail,
            self._choose_sandbox,
            self._get_approval,
            self._wait_for_slot,
            self._check_unchanged_since_approval,
            self._copy_workspace,
            self._execute,
        )

    def start(self, run: ProgramRun) -> None:
        run.steps = spawn(f"steps of run {run.record.id}", self._take_steps(run))
        spawn(f"run {run.record.id}", self._carry(run))

    async def close(self) -> None:
        """Wait for work that continues after the last run has ended."""
        await self._finalizer.close()
        await self.states.close()
        await self.staging.close()
        await self._packages.close()

    async def _take_steps(self, run: ProgramRun) -> RunEnd | None:
        """Return the end at which a step stopped the run or failed; None when its program ran."""
        try:
            for step in self._steps:
                if (end := await step(run)) is not None:
                    return end
        except ReplSessionGone as fault:
            return RunEnd(
                RunState.REFUSED, "was not run: its REPL session has ended", Fault(fault.message, fault.hint, ours=True)
            )
        except WorkbenchError as fault:
            return RunEnd(RunState.FAILED, "could not run", Fault(fault.message, fault.hint, ours=True))
        except Exception as fault:
            return internal_failure(run, fault)
        return None

    async def _carry(self, run: ProgramRun) -> None:
        """Take a run from its first step to its answer."""
        end = await self._outcome(run)
        try:
            await run.close()
        except Exception as fault:
            end = internal_failure(run, fault)
        if run.suspended:
            run.ended.set()
            return
        if run.record.stopping:  # a stop can also arrive after the last step
            end = stopped_end(run.stop_reason)
        elif end is None:
            assert run.ending is not None
            end = self._of_program(run, run.ending)
        await self._finalizer.finish_run(run, end)

    async def _outcome(self, run: ProgramRun) -> RunEnd | None:
        assert run.steps is not None
        try:
            return await run.steps
        except CancelledError:
            return stopped_end(run.stop_reason)

    # ── steps: each returns an end, or None to continue; what it acquires goes to `run.resources` ──
    async def _restore(self, run: ProgramRun) -> RunEnd | None:
        """Bring back what a program of an earlier core needs: its servers' tools and the values of its tokens."""
        if run.restored is None:
            return None
        await self._services.catalog.learn()
        code = run.record.proposal.code
        tokens = [token.group() for token in find_tokens(code)]
        if tokens:
            await asyncio.to_thread(self._services.vault_persistence.bring_back_values, run.session)
        if any(run.session.vault.restore(token) == token for token in tokens):
            return RunEnd(RunState.INTERRUPTED, "was interrupted: the values of its tokens are gone", _TOKENS_GONE)
        return None

    async def _take_turn_in_repl_session(self, run: ProgramRun) -> RunEnd | None:
        if run.repl_session is not None:
            await run.resources.enter_async_context(self.states.hold_turn(run.repl_session))
        return None

    def _count_denials(self, verdict: Verdict, session: str) -> None:
        """Count the uses of rules that deny a tool of this program, which is returned before it makes a call."""
        rules, catalog = self._services.rules, self._services.catalog
        named = {(use.server, use.tool) for use in verdict.tools}
        answers = [
            rules.rules_for(tool).judge(None, session) for tool in catalog.tools() if (tool.server, tool.name) in named
        ]
        denials = [one.permission for one in answers if one.decision is CallDecision.DENY and one.permission]
        for rule in {one.id: one for one in denials}.values():
            rules.note_use(rule)

    async def _assess(self, run: ProgramRun) -> RunEnd | None:
        proposal = run.record.proposal
        run.reading = await self._assessor.read_program(run, run.text or proposal.code)
        verdict = run.reading.verdict
        run.enter_state(RunState.CHECKED, f"was assessed as {verdict.risk}: {verdict.sentence}", verdict=verdict)
        run.gate = decide_gate(verdict, self._services.settings(), force=proposal.force_approval)
        if run.gate is Gate.BLOCKED:
            self._count_denials(verdict, run.session.id)
        if run.gate is Gate.AUTO:
            written = {path for one in verdict.findings if (path := written_data_file(one))}
            for path in written:
                self._services.rules.note_use(find_file_rule(self._services, path, run.session.id))
        if run.gate in (Gate.AUTO, Gate.ASK):
            run.gate = Gate.ASK if run.restored is not None else run.gate  # it was shown to the user, who decides
            return None
        return RunEnd(RunState.REFUSED, "was returned to its author", returned_fault(verdict, run.gate))

    async def _return_if_certain_to_fail(self, run: ProgramRun) -> RunEnd | None:
        if run.reading is None or run.record.proposal.language != PYTHON:
            return None
        if found := await self._assessor.find_failures(run.reading):
            return RunEnd(RunState.REFUSED, "cannot work and was returned to its author", explain_failures(found))
        return None

    async def _choose_sandbox(self, run: ProgramRun) -> RunEnd | None:
        """Choose the sandbox before the user is asked, because weaker isolation than the settings ask for needs
        approval too."""
        assert run.reading is not None
        run.set_sandbox(await choose_sandbox(run.reading, self._services.settings(), self._services.sandbox))
        if run.record.isolation and not is_users_run(run):
            run.gate = Gate.ASK
        if run.dry_run is not None:
            run.dry_run.asks_outside = run.gate is Gate.AUTO
        if run.dry_run is not None or run.plan is not None:
            run.gate = Gate.AUTO  # the user started it just now, or allowed a plan
        return None

    async def _get_approval(self, run: ProgramRun) -> RunEnd | None:
        return await self._ask(run) if run.gate is Gate.ASK else None

    async def _wait_for_slot(self, run: ProgramRun) -> RunEnd | None:
        if self.slots.full and run.record.state is RunState.WAITING:  # the user has answered
            run.enter_state(RunState.CHECKED, "is allowed and starts when another program has ended")
        run.slot = await run.resources.enter_async_context(AsyncExitStack())
        await run.slot.enter_async_context(self.slots.hold_slot(run.session.id, run.record.id))
        return None

    async def _check_unchanged_since_approval(self, run: ProgramRun) -> RunEnd | None:
        """Check that everything the user approved is still unchanged."""
        if run.record.proposal.wish not in WITHOUT_PROGRAM and not self._services.settings().run_enabled:
            return RunEnd(RunState.REFUSED, "was not run: programs are switched off", SWITCHED_OFF)
        if is_paused(self._services.settings(), run.record.proposal.origin):
            return RunEnd(RunState.REFUSED, "was not run: agents are paused", PAUSED)
        if run.dry_run is not None:
            run.record = replace(
                run.record, fingerprint=self._approvals.fingerprint(run.record)
            )  # a plan applies to the current definitions
        if (decision := run.record.decision) is None:
            return None
        if self._services.rules.is_revoked(decision.offer):  # while the program waited for others to end
            run.record = replace(run.record, decision=None)
            await run.slot.aclose()
            if (end := await self._ask(run)) is not None:
                return end
            await self._wait_for_slot(run)
            return await self._check_unchanged_since_approval(run)
        if self._approvals.fingerprint(run.record) == run.record.fingerprint:
            if run.plan is None and decision.sha:
                self._approvals.remember_allowed(run.record, run.reading)
            return None
        run.write_audit(
            "run.approval_invalidated",
            "was not run: a tool or server that it uses changed after it was allowed",
            {"fingerprint": run.record.fingerprint},
        )
        changed = Fault(_CHANGED, "Propose it again.", ours=True)
        return RunEnd(RunState.REFUSED, "was not run: a tool or server that it uses changed", changed)

    async def _copy_workspace(self, run: ProgramRun) -> RunEnd | None:
        """Copy the workspace for a program that needs a copy. If it cannot be copied, the user is asked whether the
        program may work on the files themselves; its slot is free for other programs meanwhile."""
        if not needs_stage(run):
            return None
        try:
            await self.staging.begin(run)
        except Unstageable as fault:
            if run.repl_session is not None:
                raise
            words = f"{fault.message} The program would work on your files directly, not on a copy."
            run.record = replace(run.record, isolation=words)
            await run.slot.aclose()
            if (end := await self._ask(run)) is not None:
                return end
            await self._wait_for_slot(run)
            return await self._check_unchanged_since_approval(run)
        run.resources.push_async_callback(self._settle_changes, run)
        return None

    async def _execute(self, run: ProgramRun) -> RunEnd | None:
        where = f"runs in {level_name(run.record.level)}" + (f" ({run.record.backend})" if run.record.backend else "")
        if run.stage is None:
            run.resources.push_async_callback(self._settle_changes, run)
        run.enter_state(RunState.RUNNING, where, started=time.time())
        await begin_snapshot(run)
        run.resources.callback(self.held_calls.withdraw, run.record.id)
        run.recording = self._recorder.begin()
        run.ending = await ProgramExecution(run, self._broker, self._packages, self.states, self.held_calls).run()
        return None

    # ── parts of steps ───────────────────────────────────────────────────────────────────────────
    async def _ask(self, run: ProgramRun) -> RunEnd | None:
        """Ask the user for approval; returns None when they allow it."""
        run.record = await self._approvals.with_request_facts(run.record, run.reading)
        pins = self._approvals.rules
        rule = pins.find_rule(run.record, run.session)
        if rule is None and self.held_calls.is_muted(run.session.id):
            self.held_calls.count_muted(run.session.id)
            return RunEnd(RunState.REFUSED, "was denied: its agent is muted", _MUTED)
        if rule is not None:
            decision: Decision | None = pins.decide_by_rule(rule, run.record)
        else:
            decision = await self._wait_for_user(run)
        if decision is None:
            return RunEnd(RunState.REFUSED, "was denied: the approval request was not answered in time", _NOBODY)
        run.record = replace(run.record, decision=decision)
        summary, detail = describe_decision(decision, run.record, run.session.mask)
        run.write_audit("run.decided", summary, detail)
        if decision.allow:
            return None
        reason = f"The user denied it: {decision.reason}" if decision.reason else "The user denied it."
        program = run.record.proposal.wish == "program"
        if decision.reason:
            hint = "Do what the user says; ask only if it is unclear."
        else:
            hint = "Change the program, or ask the user why." if program else "Ask the user why."
        return RunEnd(RunState.REFUSED, "was denied by the user", Fault(reason, hint, ours=not decision.reason))

    async def _wait_for_user(self, run: ProgramRun) -> Decision | None:
        """Wait for the user's decision. Meanwhile the program is stored, so that the next core can ask again."""
        wait = run.wait_seconds
        if run.restored is not None:
            wait = max(LEAST_AFTER_RESTART, run.restored.deadline - time.time())
        self.stored.store(replace(run.record, deadline=time.time() + wait), run.session)
        try:
            return await run.wait_for_decision(self.clocks, wait)
        finally:
            if not run.suspended:
                self.stored.remove(run.record.id)

    async def _settle_changes(self, run: ProgramRun) -> None:
        """Settle what the program changed in the workspace or in its copy, and compare its effects with the
        predicted ones."""
        writer = await (end_snapshot(run) if run.stage is None else self.staging.end(run))
        if run.record.started:
            run.record_effects(writer)

    def _of_program(self, run: ProgramRun, ending: Ending) -> RunEnd:
        """Return the end of a run whose program was executed."""
        if ending.ok:
            return RunEnd(RunState.DONE, "finished", None, ending.result, ending.memory_mb)
        hint = run.hint or network_hint(ending, run.record.verdict)
        hint = cannot_use(ending.message, self._services.catalog.states()) or hint
        if ending.error_type == "NameError":
            hint = not_imported(ending.message, self._services.catalog.summaries()) or hint
        fault = fault_of_ending(
            ending, run.record.proposal.state if run.repl_session and run.repl_session.process_ended else "", hint
        )
        return RunEnd(RunState.FAILED, f"failed: {ending.reason}", fault, ending.result, ending.memory_mb)
