"""Manages all runs of a core: submits programs, answers queries, takes the user's decisions, stops runs."""

from __future__ import annotations

import asyncio
import logging
import math
import shutil
import time
import uuid
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Any

from msgspec.structs import replace

from workbench.analysis.approval_gate import decide_gate
from workbench.analysis.canonical_text import canonicalize, strip_code_fence
from workbench.analysis.reading import PYTHON
from workbench.api.marker import api
from workbench.broker.agent_pause import check_answer, check_not_paused, is_paused
from workbench.broker.agent_sessions import Session
from workbench.broker.broker import Broker
from workbench.broker.services import Services
from workbench.errors import WorkbenchError
from workbench.events import CoreStopping, Event, RunChanged, SettingsChanged, spawn
from workbench.recordings.call_recorder import RunRecording
from workbench.records import (
    Content,
    Decision,
    DecisionOutcome,
    Gate,
    HeldCall,
    HeldCallAnswer,
    Origin,
    Proposal,
    RequestGroup,
    Risk,
    Run,
    RunState,
    Verdict,
)
from workbench.records.common_types import at_least
from workbench.records.waiting_requests import (
    WaitingRequest,
    call_request,
    form_request,
    program_request,
    trust_requests,
)
from workbench.runs.answer_preview import MASK_AGAIN
from workbench.runs.answer_view import WITHOUT_PROGRAM
from workbench.runs.approvals import Approvals, decision_for, denial_undone, held_call_decided, is_same_request
from workbench.runs.dry_runs import DryRuns, check_dry_run_possible
from workbench.runs.generated_packages import GeneratedPackages
from workbench.runs.pipeline import SWITCHED_OFF, RunPipeline
from workbench.runs.program_assessment import ProgramAssessor, required_tools
from workbench.runs.restored_runs import past_runs
from workbench.runs.revived_runs import RevivedRuns
from workbench.runs.run import ProgramRun, is_users_run
from workbench.runs.sandbox_choice import check_language, choose_sandbox
from workbench.runs.stored_requests import StoredRequest
from workbench.runs.workspace_changes import prepare_snapshots
from workbench.workspace.file_names import displayed_name

log = logging.getLogger(__name__)

KEPT_RUNS = 200  # ended runs in memory; older ones are in the audit
RELEASE_SECONDS = 60.0  # between checks for sessions that can be released
OPEN_RUNS = 20  # programs of one agent that may wait or run at the same time


class RunManager:
    """The runs of this core and the latest runs of earlier cores."""

    hears = (CoreStopping, SettingsChanged)

    def __init__(self, services: Services, broker: Broker, packages_of_runs: GeneratedPackages) -> None:
        self._services = services
        self._broker = broker
        self.approvals = Approvals(services)
        self._assessor = ProgramAssessor(services)
        self.read_within_bounds = self._assessor.read_within_bounds
        self._pipeline = RunPipeline(services, broker, packages_of_runs, self.approvals, self._assessor)
        self.staging, self.states = self._pipeline.staging, self._pipeline.states
        self.held_calls, self.slots = self._pipeline.held_calls, self._pipeline.slots
        self.clocks = self._pipeline.clocks
        self._runs: dict[str, ProgramRun] = {}
        self._open: dict[str, ProgramRun] = {}  # runs that were not over at the last check
        self._earlier: tuple[Run, ...] = ()
        self.dry_runs = DryRuns(services, self._find, self._start)
        self._revived = RevivedRuns(services, self._start, self.states.find)
        self._waiting: tuple[StoredRequest, ...] = ()  # programs that waited when the previous core ended
        self._closing = False
        self._after_pause: dict[str, Callable[[], Coroutine[Any, Any, None]]] = {}  # Any: as in Coroutine
        self.interrupted = 0  # number of runs that the previous core left unfinished

    def open(self) -> None:
        """Restore the runs of earlier cores; those without an end are recorded as interrupted."""
        began = time.time()
        self._waiting = self._pipeline.stored.load()
        ids = {request.proposal.id for request in self._waiting}
        self._earlier, self.interrupted = past_runs(self._services.journal, self._services.audit_search, ids)
        cut_off = [
            run for run in self._earlier if run.state is RunState.INTERRUPTED and run.started and run.ended >= began
        ]
        shutil.rmtree(self._services.paths.replays, ignore_errors=True)  # left by a core that was killed
        self._settling = spawn("settle the workspace", self._settle(cut_off))

    def restore_waiting(self) -> None:
        """Let programs that waited for approval when an earlier core ended wait again."""
        for request in self._waiting:
            proposal, sessions = request.proposal, self._services.sessions
            session = sessions.get(proposal.session) or sessions.reopen(
                proposal.session,
                request.author,
                request.agent,
                request.client_claims,
                request.kinds,
                request.private_servers,
            )
            self._start(ProgramRun(self._services, session, proposal, restored=request))

    def hear(self, event: Event) -> None:
        """Handle an event: when the core is about to end, stored programs no longer end with their agents; when the
        user resumes agents, programs start that were released meanwhile."""
        if isinstance(event, CoreStopping):
            self._closing = True
        elif self._after_pause and not self._services.settings().agent_paused:
            released, self._after_pause = self._after_pause, {}
            for name, release in released.items():
                spawn(f"after a pause of agents: {name}", release())

    def outlives_agent(self, run_id: str) -> bool:
        """Whether a run waits on although its agent was disconnected, because the core ends and the next core lets it
        wait again."""
        run = self._runs.get(run_id)
        return self._closing and run is not None and run.awaits_decision and self._pipeline.stored.holds(run_id)

    async def _settle(self, cut_off: list[Run]) -> None:
        await asyncio.gather(prepare_snapshots(self._services.snapshots, cut_off), self.staging.open())
        for one in await asyncio.to_thread(self._services.held_files.all):  # held changes of runs of earlier cores
            self.update_held_files(one.id, tuple(sorted(map(displayed_name, one.files))))

    # ── queries ──────────────────────────────────────────────────────────────────────────────────
    @api
    def runs(self) -> tuple[Run, ...]:
        """Runs of this core and the latest ones of earlier cores, newest first."""
        now = sorted((run.record for run in self._runs.values()), key=lambda run: -run.proposal.at)
        return (*now, *self._earlier)

    @api
    def run(self, run_id: str) -> Run:
        if run_id in self._runs:
            return replace(self._runs[run_id].record, held_calls=self.held_calls.for_run(run_id))
        for run in self._earlier:
            if run.id == run_id:
                return run
        raise WorkbenchError(f"There is no run {run_id}.", "Search for it in the audit.")

    def open_requests(self) -> list[WaitingRequest]:
        """Return what waits for the user, except held file changes, which are read from the disk. What is denied first
        is first; of those that are denied at the same second, the oldest."""
        programs = [run for run in reversed(self.runs()) if run.awaits_answer]
        requests = [
            *map(program_request, programs),
            *map(call_request, self.held_calls.all()),
            *map(form_request, self._services.catalog.asks.all()),
            *trust_requests(programs),
        ]
        return sorted(requests, key=lambda one: int(one.deadline) or math.inf)

    def asks_user(self, run_id: str) -> bool:
        """Whether a run needs an answer of the user right now: about its program, a held call, or a server's
        request."""
        run = self._runs.get(run_id)
        return run is not None and (
            run.asks_user or self.held_calls.has_waiting(run_id) or self._services.catalog.asks.holds(run_id)
        )

    def awaits_user(self, run_id: str) -> bool:
        """Whether a run waits for the user, or was allowed and has not started yet."""
        run = self._runs.get(run_id)
        if run is None or run.is_over:
            return False
        allowed = run.record.decision is not None and run.record.decision.allow
        waiting = run.record.state is RunState.WAITING or (allowed and run.record.state is RunState.CHECKED)
        return waiting or self.asks_user(run_id)

    def count_runs(self, state: RunState) -> int:
        """Return the number of runs in this state that are not over."""
        return sum(run.record.state is state for run in self._runs_under_way())

    @property
    def busy(self) -> bool:
        return bool(self._runs_under_way())

    @api
    async def group_requests(self, run_ids: tuple[str, ...]) -> tuple[RequestGroup, ...]:
        """Group these waiting programs by form and meaning, each group with a table of the literal values in which its
        programs differ. Programs that no longer wait are left out."""
        found = [self._runs[run_id] for run_id in dict.fromkeys(run_ids) if run_id in self._runs]
        waiting = [(run.record, run.reading) for run in found if run.awaits_decision and run.reading is not None]
        return await self.approvals.group_requests(waiting)

    # ── submitting and deciding ─────────────────────────────────────────────────────────────────────────────────
    @api
    async def assess(self, code: str, language: str = PYTHON, profile: str = "") -> Verdict:
        """The verdict on a program within the limits of this profile; nothing is run."""
        return (await self._assessor.read_within_bounds(code, language=language, profile=profile)).verdict

    def submit(
        self,
        code: str,
        session: Session,
        purpose: str = "",
        seconds: float = 0.0,
        skill: str = "",
        state: str = "",
        language: str = PYTHON,
        profile: str = "",
        required: Sequence[str] = (),
        force_approval: bool = False,
        dry_run: bool = False,
        wish: str = "program",
        join: bool = False,
    ) -> Run:
        """Take a program and start its run; returns the run's current record. `dry_run`: only for the user. `wish`:
        what its author requested; for a call or a file the workbench wrote the program itself. `join`: if the session
        submitted the same before and that still waits for the user, return that run instead."""
        check_not_paused(self._services.settings(), session.origin)
        if wish not in WITHOUT_PROGRAM:
            self._check_enabled()
        check_language(language, state)
        wanted = self._services.run_profiles.find(profile).name  # raises for an unknown or blocked profile
        found = self.states.find(session, state) if state else None
        text = canonicalize(strip_code_fence(code) if language == PYTHON else code)
        proposal = Proposal(
            # starts with a letter, because digits alone could be masked as a personal number
            id=f"r{uuid.uuid4().hex[:11]}",
            code=text.text,
            sha=text.sha,
            origin=session.origin,
            session=session.id,
            author=session.author,
            purpose=purpose,
            at=time.time(),
            seconds=seconds,
            skill=skill,
            state=state,
            language=language,
            profile=wanted,
            required=required_tools(self._services, required),
            force_approval=force_approval,
            dry_run=dry_run,
            wish=wish,
        )
        if dry_run:
            check_dry_run_possible(proposal)
        if join and (same := self._find_same(proposal)) is not None:
            return same
        self._check_open(session)
        run = ProgramRun(self._services, session, proposal, found, text)
        return self._start(run)

    def _find_same(self, proposal: Proposal) -> Run | None:
        """Return the run of the same session, program and arguments that waits for the user. What the author says it is
        for does not matter."""
        wanted = _what_is_submitted(proposal)
        waiting = (run.record for run in self._runs_under_way() if self.awaits_user(run.record.id))
        return next((one for one in waiting if _what_is_submitted(one.proposal) == wanted), None)

    def _start(self, run: ProgramRun) -> Run:
        self._runs[run.record.id] = self._open[run.record.id] = run
        self._forget_old()
        self._pipeline.start(run)
        return run.record

    def _check_enabled(self) -> None:
        if not self._services.settings().run_enabled:
            raise WorkbenchError(SWITCHED_OFF.message, SWITCHED_OFF.hint)

    def _check_open(self, session: Session) -> None:
        """Limit the open programs of one agent, which would flood the user with requests and use up memory."""
        open_now = sum(run.session is session for run in self._runs_under_way())
        if session.origin is Origin.AGENT and open_now >= OPEN_RUNS:
            words = f"You already have {open_now} programs that wait or run."
            raise WorkbenchError(words, "Wait until one of them has ended.")

    async def wait_until_finished(self, run_id: str) -> Run:
        """Wait for the end of a run."""
        run = self._find(run_id)
        await run.ended.wait()
        return run.record

    def pictures(self, run_id: str) -> tuple[Content, ...]:
        """Return the pictures sent to the agent with the text of a finished run's answer."""
        return self._find(run_id).pictures

    def extend_wait(self, run_id: str, seconds: float) -> None:
        """Let a run wait at least this long for the user's decisions."""
        run = self._find(run_id)
        run.extend_wait(seconds)
        if run.awaits_decision:
            self._pipeline.stored.store(run.record, run.session)

    def recording(self, run_id: str) -> RunRecording | None:
        """Return the recorded requests and answers of a run of this core."""
        return self._runs[run_id].recording if run_id in self._runs else None

    def decide(self, decision: Decision) -> Run:
        """Apply a decision of the user to a run, and to the other runs with the same request that the decision
        names."""
        run = self._find(decision.run_id)
        self._check_decision(run, decision)
        undo_seconds = float(self._services.settings().approval_undo_seconds) if decision.undoable else 0.0
        made = self.approvals.rules.make_rules(run.record, decision, run.session)
        run.decide(decision, undo_seconds)
        for rule in made:
            run.write_audit("rule.set", f"A rule was made from your decision: {rule.label}", {"rule": rule.id})
        if made:
            spawn("apply new rules", self._apply_new_rules())
        for run_id in dict.fromkeys(decision.also):
            other = self._runs.get(run_id)
            if other is not None and other.awaits_decision and is_same_request(other.record, run.record):
                other.decide(decision_for(decision, other.record), undo_seconds)
        return run.record

    def decide_many(self, decisions: Sequence[Decision], answers: Sequence[HeldCallAnswer]) -> list[DecisionOutcome]:
        """Apply several answers; each names what the user saw. Programs and calls of high risk cannot be allowed
        together with others."""
        several = sum(one.allow for one in decisions) + sum(one.allow for one in answers) > 1
        return [
            *(self._outcome(one.run_id, partial(self._decide_one_of, one, several)) for one in decisions),
            *(self._outcome(one.held_call_id, partial(self._answer_one_of, one, several)) for one in answers),
        ]

    def _decide_one_of(self, decision: Decision, several: bool) -> None:
        verdict = self._find(decision.run_id).record.verdict
        if decision.allow and several:
            _check_allowed_together(verdict.risk if verdict is not None else Risk.CRITICAL)
        self.decide(decision)

    def _answer_one_of(self, answer: HeldCallAnswer, several: bool) -> None:
        if answer.allow and several:
            _check_allowed_together(self.held_calls.find(answer.held_call_id).risk)
        self.answer_held_call(answer)

    def _outcome(self, request_id: str, answer: Callable[[], object]) -> DecisionOutcome:
        try:
            answer()
        except WorkbenchError as fault:
            return DecisionOutcome(request_id, str(fault))
        return DecisionOutcome(request_id)

    def answer_held_call(self, answer: HeldCallAnswer) -> HeldCall:
        """Apply the user's answer to a held call, make the rule that it names, and write it to the audit."""
        shown = next((one for one in self.held_calls.all() if one.id == answer.held_call_id), None)
        if answer.allow:
            session = self._services.sessions.get(self.held_calls.find(answer.held_call_id).session)
            origin = session.origin if session is not None else Origin.AGENT  # else of a different client
            check_answer(self._services.settings(), origin, allow=True)
        if shown is not None:
            self.approvals.rules.make_call_rule(shown, answer)  # a rule that is refused leaves the call waiting
        held_call = self.held_calls.answer(answer)
        if not (held_call.is_answer and answer.scope == MASK_AGAIN):
            self._services.journal.append(held_call_decided(held_call, answer))
        return held_call

    def deny_agent(self, session: str, by: str, reason: str, *, undoable: bool) -> list[DecisionOutcome]:
        """Deny every program and call of one agent session that waits."""
        decisions = [
            Decision(run.record.id, run.record.proposal.sha, False, by, reason, undoable=undoable)
            for run in self._runs_under_way()
            if run.awaits_decision and run.session.id == session
        ]
        answers = [
            HeldCallAnswer(one.id, False, reason=reason, undoable=undoable, by=by)
            for one in self.held_calls.all()
            if one.session == session
        ]
        return self.decide_many(decisions, answers)

    def undo_denial(self, request_id: str) -> None:
        """Let a program or call wait again that the user denied a moment ago, with the same requests that the denial
        applied to."""
        if self.held_calls.has_denied(request_id):
            held_call = self.held_calls.undo_denial(request_id)
            self._services.journal.append(denial_undone(held_call))
            return
        denial = self._find(request_id).undo_denial()
        for other in (self._runs.get(run_id) for run_id in denial.also):
            if other is not None and other.can_undo_denial:
                other.undo_denial()

    def revive(self, run_id: str) -> Run:
        """Put a program back that nobody answered in time or that a restart interrupted; returns the new run."""
        made = self._revived.revive(self.run(run_id))
        self._update(run_id, revived_as=made.id)
        return made

    def update_held_files(self, run_id: str, left: tuple[str, ...]) -> None:
        """Update a run after the user decided about its file changes; `left`: changes that still wait."""
        self._update(run_id, held=left)

    def _update(self, run_id: str, **fields: Any) -> None:  # Any: fields of Run
        """Change the record of a run of this core or of an earlier one, and notify clients."""
        if (run := self._runs.get(run_id)) is not None:
            run.record = replace(run.record, **fields)
            self._services.tell(RunChanged(run.record))
            return
        for record in self._earlier:
            if record.id == run_id:
                changed = replace(record, **fields)
                self._earlier = tuple(changed if one is record else one for one in self._earlier)
                self._services.tell(RunChanged(changed))

    async def _apply_new_rules(self) -> None:
        """Let waiting programs run that new rules allow: as exactly this program, or because of their calls."""
        rules = self.approvals.rules
        for run in tuple(self._runs.values()):
            if is_paused(self._services.settings(), run.record.proposal.origin):
                self._after_pause["new rules"] = self._apply_new_rules  # it would be refused now
            elif run.awaits_decision and (rule := rules.find_rule(run.record, run.session)) is not None:
                run.decide(rules.decide_by_rule(rule, run.record))
            elif run.awaits_decision:
                reading = run.reading
                found = await rules.find_release(run.record, reading)
                if found is not None and run.reading is reading:
                    run.release(*found, "your rules")

    async def apply_trust(self, server: str) -> None:
        """Assess the waiting programs that use this server again, after the user decided about its annotations.
        Programs that no longer need approval start."""
        for run in tuple(self._runs.values()):
            verdict = run.record.verdict
            if run.awaits_decision and verdict is not None and any(use.server == server for use in verdict.tools):
                try:
                    await self._assess_again(run, server)
                except WorkbenchError:
                    log.info("the program %s could not be assessed again", run.record.id)

    async def _assess_again(self, run: ProgramRun, server: str) -> None:
        settings = self._services.settings()
        while run.awaits_decision:
            before = run.reading
            reading = await self._assessor.read_program(run, run.record.proposal.code)
            placement = await choose_sandbox(reading, settings, self._services.sandbox)
            found = await self.approvals.with_request_facts(replace(run.record, verdict=reading.verdict), reading)
            if run.reading is before:
                break  # it was neither edited nor assessed by others meanwhile
        if not run.awaits_decision:
            return
        run.reassess(found, placement, reading)
        gate = decide_gate(reading.verdict, settings, force=run.record.proposal.force_approval)
        if gate is not Gate.AUTO or (run.record.isolation and not is_users_run(run)):
            return
        if is_paused(self._services.settings(), run.record.proposal.origin):
            self._after_pause[f"trust in {server}"] = partial(self.apply_trust, server)  # it would be refused now
        else:
            run.release(reading.verdict, placement, f"your decision about {server}")

    def _check_decision(self, run: ProgramRun, decision: Decision) -> None:
        run.check_decision(decision)
        check_answer(self._services.settings(), run.record.proposal.origin, allow=decision.allow)
        verdict = run.record.verdict
        if decision.allow and verdict is not None and verdict.gate is Gate.BLOCKED:
            raise WorkbenchError("This program cannot be allowed.", verdict.sentence)
        if decision.plan:
            raise WorkbenchError("A plan can be allowed only in its dry run.", "Open the dry run and run its plan.")
        if decision.allow and decision.fingerprint != run.record.fingerprint:
            words = "The program's tools, servers or limits changed while you looked at it."
            raise WorkbenchError(words, "Open the request again and review it.")
        if not set(decision.hosts) <= set(verdict.hosts if verdict is not None else ()):
            raise WorkbenchError(
                "The decision names hosts that the program does not name.", "Review the program again."
            )

    async def edit(self, run_id: str, code: str, base: str = "") -> Run:
        run = self._find(run_id)
        text = canonicalize(code)
        reading = await self._assessor.read_program(run, text)
        verdict = reading.verdict
        before = run.record.proposal
        proposal = replace(before, code=text.text, sha=text.sha, original=before.original or before.code)
        placement = await choose_sandbox(reading, self._services.settings(), self._services.sandbox)
        found = await self.approvals.with_request_facts(
            replace(run.record, proposal=proposal, verdict=verdict), reading
        )
        run.edit(found, placement, reading, base)
        self._pipeline.stored.store(run.record, run.session)
        return run.record

    @api
    async def assess_edit(self, run_id: str, code: str) -> Verdict:
        """The verdict on this text in place of the waiting one; nothing is changed."""
        return (await self._assessor.read_program(self._find(run_id), code)).verdict

    @api(decides=True)
    async def stop_run(self, run_id: str) -> Run:
        """End a run as the user."""
        return await self.stop(run_id)

    async def stop(self, run_id: str, reason: str = "The user stopped it.") -> Run:
        """End a run at any step: the sandbox is killed, open calls are cancelled at their servers, and an answer in
        preparation is discarded."""
        run = self._find(run_id)
        denied = run.commit_denial()  # it ends as denied, not as stopped
        if not (denied or run.is_over or run.record.stopping):
            run.stop(reason)
        await run.ended.wait()
        return run.record

    async def close(self) -> None:
        self.held_calls.close()
        self._settling.cancel()
        await asyncio.wait([self._settling])
        self._closing = True
        for run in tuple(self._runs.values()):
            if self.outlives_agent(run.record.id):
                run.suspend()
                await run.ended.wait()
            else:
                await self.stop(run.record.id, "The core closed.")
        await self._pipeline.close()

    def _find(self, run_id: str) -> ProgramRun:
        if run_id not in self._runs:
            self.run(run_id)  # returns a run of an earlier core, or raises if there is none
            raise WorkbenchError("This run belongs to an earlier core and has ended.", "Start a new run.")
        return self._runs[run_id]

    def _forget_old(self) -> None:
        if len(self._runs) <= KEPT_RUNS:
            return
        over = [run_id for run_id, run in self._runs.items() if run.is_over]
        for run_id in over[: max(0, len(over) - KEPT_RUNS)]:
            del self._runs[run_id]

    async def release_sessions(self) -> None:
        """Release the sessions of disconnected agents that no run needs."""
        at_work = {run.session.id for run in self._runs_under_way()}
        kept = {run.session.id for run in self._runs.values()}
        for session in self._services.sessions.release(at_work, kept):
            try:
                await asyncio.to_thread(self._services.vault_persistence.release, session)
            except Exception:  # the values of this session are lost; the other sessions are released anyway
                log.exception("the values of session %s cannot be kept", session.id)
            finally:
                self.held_calls.unmute(session.id)
                session.release()

    async def release_sessions_regularly(self) -> None:
        """Release agent sessions once a minute, until it is cancelled."""
        while True:
            await asyncio.sleep(RELEASE_SECONDS)
            await self.release_sessions()

    def _runs_under_way(self) -> list[ProgramRun]:
        """Return the runs that are not over. Ended runs are removed, because the list is read several times in each
        run."""
        for run_id in [run_id for run_id, run in self._open.items() if run.is_over]:
            del self._open[run_id]
        return list(self._open.values())


def _what_is_submitted(proposal: Proposal) -> Proposal:
    """Return a proposal without what differs when its author submits the same again."""
    code = proposal.original or proposal.code  # the user may have edited it
    return replace(proposal, id="", sha="", at=0.0, author="", purpose="", original="", revives="", code=code)


def _check_allowed_together(risk: Risk) -> None:
    if at_least(risk, Risk.HIGH):
        raise WorkbenchError(f"A request of {risk} risk cannot be allowed together with others.", "Review it alone.")
