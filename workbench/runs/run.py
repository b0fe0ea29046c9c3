"""One run: its current record, its calls and output, its approval, and the resources that its steps acquired."""

from __future__ import annotations

import asyncio
import getpass
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from msgspec.structs import replace

from workbench.analysis.canonical_text import CanonicalText
from workbench.analysis.observed_effects import ObservedEffects, compare_effects, unpredicted_effects
from workbench.analysis.reading import Reading
from workbench.broker.agent_sessions import Session
from workbench.broker.approval_clocks import LEAST, ApprovalClock, ApprovalClocks
from workbench.broker.services import Services
from workbench.dry_run.held_side_effects import HeldSideEffects
from workbench.dry_run.plan import Plan
from workbench.errors import WorkbenchError
from workbench.events import RunCall, RunChanged, RunOutput
from workbench.privacy.pii_tokens import cut_before
from workbench.recordings.call_recorder import RunRecording
from workbench.records import (
    CallTrace,
    ChangedCall,
    Content,
    Decision,
    Fault,
    Gate,
    JsonObject,
    Ledger,
    Note,
    Origin,
    Proposal,
    RequestClock,
    RuleOffer,
    Run,
    RunState,
    Tool,
    Verdict,
)
from workbench.records.runs import ENDS
from workbench.runs.repl_sessions import ReplSession
from workbench.runs.sandbox_choice import SandboxChoice
from workbench.runs.stored_requests import StoredRequest
from workbench.sandbox.sandbox import Ending
from workbench.tokens import count, counter
from workbench.workspace.file_names import displayed_name
from workbench.workspace.snapshots import Writer
from workbench.workspace.workspace_copies import Stage

if TYPE_CHECKING:
    from workbench.broker.run_guard import RunGuard
    from workbench.runs.token_literals import TokenLiterals

KEPT_CALLS = 500  # nested calls in a run record; the audit has all
UNDER_WAY = frozenset({"running", "waiting"})  # states of a nested call that has not ended
KEPT_CODE = 400_000  # characters of code in the audit; also the limit of the analyzer
KEPT_TEXT = 20_000  # characters of answers and faults in the audit


NETWORK: Final = "network"  # used as the server's name for connections in the list of calls
_ENDS: Final = frozenset({"done", "failed", "refused"})
MOST_DETAILS = 100  # flows, definitions and observations of one run in the audit
Mask = Callable[[str], str]


class RunEnd(Struct, frozen=True):
    """How a run ended, before clients are notified."""

    state: RunState
    summary: str
    fault: Fault | None = None
    result: str = ""
    memory_mb: float = 0.0


class _HeldDenial(Struct, frozen=True):
    """A denial that its author is not told of yet, because the user can undo it."""

    decision: Decision
    left: float  # seconds that the request had left
    timer: asyncio.TimerHandle


class ProgramRun:
    """The complete state of one run, from submission to result."""

    def __init__(
        self,
        services: Services,
        session: Session,
        proposal: Proposal,
        repl_session: ReplSession | None = None,
        text: CanonicalText | None = None,
        restored: StoredRequest | None = None,
    ) -> None:
        """`text`: the proposal's code with its text faults, if it was canonicalized already. `restored`: what an
        earlier core stored about it, if it waits again."""
        self.services = services
        self.session = session
        self.repl_session = repl_session  # the REPL session whose variables it shares, if any
        self.record = Run(proposal.id, proposal, RunState.PROPOSED)
        self.text = text
        self.reading: Reading | None = None  # the reading of its text; None before assessment
        # asyncio task that executes the pipeline's steps; a stop cancels it
        self.steps: asyncio.Task[RunEnd | None] | None = None
        self.resources = AsyncExitStack()  # resources of the steps, closed in reverse order after the last step
        self.slot = AsyncExitStack()  # the slot, released while the user is asked a second time
        self.gate = Gate.ASK  # the approval needed before it starts
        self.ending: Ending | None = None  # how its program ended
        self.hint = ""  # additional hint for its author
        self.recording = RunRecording()  # recorded calls, from which a skill test can be made
        self.token_literals: TokenLiterals | None = None  # the PII tokens in its text, while and after it runs
        self.guard: RunGuard | None = None  # judges its calls while it runs
        self.answer_unwanted: asyncio.Future[None] | None = (
            None  # done when the answer in preparation is no longer needed
        )
        self.ended = asyncio.Event()
        self.dry_run = HeldSideEffects(services.history) if proposal.dry_run else None
        self.plan: Plan | None = None  # the plan of a dry run that limits it, if any
        self.workspace = services.paths.workspace  # the folder that the program sees as workspace
        self.stage: Stage | None = None  # the copy of the workspace that an unapproved program works on
        self.may_write = True  # whether it may write, if its profile allows that
        # held files with the reason why they were not written; the user decides about them
        self.held: tuple[tuple[str, str], ...] = ()
        self.trouble: Fault | None = None  # why none of its changes could be written
        self.stop_reason = ""  # why it was stopped, for its author
        self.restored = restored
        self._least_wait = 0.0  # seconds that its approval requests wait for the user, if more than the setting
        self.suspended = False  # whether the core ends while it waits; the next core lets it wait again
        self._answer: asyncio.Future[Decision | None] | None = None
        self._clocks: ApprovalClocks | None = None  # set while it waits
        self._clock: ApprovalClock | None = None  # of its approval request
        self._denial: _HeldDenial | None = None  # a denial that the user can still undo
        self._calls: dict[str, CallTrace] = {}  # the newest calls, as in the record
        self._open_calls: dict[str, CallTrace] = {}  # calls that have not ended
        self._unshown_calls: dict[str, Callable[[], CallTrace]] = {}  # calls whose start is not shown yet
        self.observed_actions = ObservedActions()
        self.call_tokens = 0  # model tokens of the arguments and answers of nested calls
        self.call_bytes = 0  # bytes of the answers of nested calls
        self.pictures: tuple[Content, ...] = ()  # pictures sent to the agent with the text of the answer
        self._output: list[str] = []
        if restored is not None:
            self.write_audit(
                "run.restored", "waits for approval again after a restart of the core", {"sha": proposal.sha}
            )
        else:
            deed = "started a dry run of a program" if proposal.dry_run else "proposed a program"
            self.write_audit("run.proposed", f"{proposal.author} {deed}", self._proposal_detail())
        services.tell(RunChanged(self.record))

    @property
    def is_over(self) -> bool:
        return self.record.state in ENDS

    def enter_state(self, state: RunState, summary: str, **changes: Any) -> None:
        """Enter a state and notify the audit and every client. Any: fields of Run."""
        self.record = replace(self.record, state=state, calls=tuple(self._calls.values()), **changes)
        try:
            self.write_audit(f"run.{state}", summary, self._detail(state), soon=state is RunState.CHECKED)
        finally:
            self.services.tell(RunChanged(self.record))

    # ── waiting ──────────────────────────────────────────────────────────────────────────────────
    async def wait_for_decision(self, clocks: ApprovalClocks, seconds: float) -> Decision | None:
        """Wait for the user's decision; None if nobody decides in time. A stop takes effect even right after a
        decision."""
        self._answer, self._clocks = asyncio.get_running_loop().create_future(), clocks
        clock = self._clock = clocks.start(seconds, self._lapse, self._update_clock)
        self.enter_state(RunState.WAITING, "waits for approval", deadline=clock.deadline, clock_left=clock.left)
        try:
            return await self._answer
        finally:
            clocks.cancel(self._clock)
            self._drop_denial()
            self.record = replace(self.record, clock_left=0.0)

    @property
    def wait_seconds(self) -> float:
        """How long its approval requests wait for the user."""
        return max(self._least_wait, self.services.settings().approval_wait_seconds)

    def extend_wait(self, seconds: float) -> None:
        """Let its approval requests wait at least this long from now on, also one that waits already."""
        self._least_wait = max(self._least_wait, seconds)
        if self._clock is not None and self.awaits_decision:
            self._clock.extend(seconds)
            self._update_clock()
            self.services.tell(RunChanged(self.record))

    def _lapse(self) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(None)

    def _update_clock(self) -> RequestClock | None:
        """Bring the time that its approval request has left up to date."""
        if self._clock is None or not self.awaits_decision:
            return None
        self.record = replace(self.record, deadline=self._clock.deadline, clock_left=self._clock.left)
        return RequestClock(self.record.id, self._clock.deadline, self._clock.left)

    @property
    def awaits_decision(self) -> bool:
        """Whether a decision would be accepted right now."""
        return self._awaits_end_of_request and self._denial is None

    @property
    def asks_user(self) -> bool:
        """Whether its author has to wait for the user: for a decision, or until a denial can no longer be undone."""
        return self._awaits_end_of_request

    @property
    def _awaits_end_of_request(self) -> bool:
        return self._answer is not None and not self._answer.done() and self.record.state is RunState.WAITING

    def check_decision(self, decision: Decision) -> None:
        """Refuse a decision that does not name the text that is waiting right now."""
        if not self.awaits_decision:
            given = self._given_decision
            words = f"it was already {describe_answer(given)}" if given else f"it is {self.record.state}"
            raise WorkbenchError(f"This program no longer waits for a decision: {words}.", "Nothing was changed.")
        if decision.sha != self.record.proposal.sha:
            raise WorkbenchError(
                "The decision is for a different version of this program.", "Review the edited code and decide again."
            )

    @property
    def _given_decision(self) -> Decision | None:
        """The decision that was accepted, also while it can be undone."""
        if self._denial is not None:
            return self._denial.decision
        return self._answer.result() if self._answer is not None and _has_result(self._answer) else None

    def decide(self, decision: Decision, undo_seconds: float = 0.0) -> None:
        """Accept the user's decision. `undo_seconds`: for how long a denial is held back so that it can be undone."""
        self.check_decision(decision)
        decision = replace(decision, at=time.time())
        if decision.allow or undo_seconds <= 0 or self._clocks is None or self._clock is None:
            self._finish_request(decision)
            return
        left = self._clocks.cancel(self._clock)
        timer = asyncio.get_running_loop().call_later(undo_seconds, self.commit_denial)
        self._denial = _HeldDenial(decision, left, timer)
        self.record = replace(self.record, decision=decision, denied_until=time.time() + undo_seconds)
        self.services.tell(RunChanged(self.record))

    @property
    def can_undo_denial(self) -> bool:
        """Whether it was denied a moment ago and its author was not told yet."""
        return self._denial is not None

    def undo_denial(self) -> Decision:
        """Let the program wait again; returns the denial."""
        denial, clocks = self._denial, self._clocks
        if denial is None or clocks is None or not self._awaits_end_of_request:
            raise WorkbenchError("This denial can no longer be undone.", "The program's author was already told.")
        self._drop_denial()
        self._clock = clocks.start(max(denial.left, LEAST), self._lapse, self._update_clock)
        self.record = replace(self.record, decision=None, deadline=self._clock.deadline, clock_left=self._clock.left)
        self.services.tell(RunChanged(self.record))
        self.write_audit("run.denial_undone", "waits again: the user undid the denial", {})
        return denial.decision

    def commit_denial(self) -> bool:
        """Make a denial final that could be undone; returns whether there was one."""
        if self._denial is None:
            return False
        decision = self._denial.decision
        self._drop_denial()
        self._finish_request(decision)
        return True

    def _drop_denial(self) -> None:
        if self._denial is not None:
            self._denial.timer.cancel()
            self._denial = None
            self.record = replace(self.record, denied_until=0.0)

    def _finish_request(self, decision: Decision) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(decision)

    def release(self, verdict: Verdict, placement: SandboxChoice, by: str) -> None:
        """Let a waiting program run because it needs no approval any more. Nobody approved its text, so its calls are
        judged as those of a program that never waited. `by`: what made the difference."""
        if not self.awaits_decision or self.reading is None:
            return
        self.reading, self.record = self.reading.with_verdict(verdict), replace(self.record, verdict=verdict)
        self.set_sandbox(placement)
        fingerprint = self.record.fingerprint
        self._finish_request(Decision(self.record.id, "", True, by, at=time.time(), fingerprint=fingerprint))

    def set_sandbox(self, placement: SandboxChoice) -> None:
        """Set the sandbox in which it will run."""
        self.record = replace(
            self.record, level=placement.level, backend=placement.backend, isolation=placement.isolation
        )

    def edit(self, assessed: Run, placement: SandboxChoice, reading: Reading, base: str = "") -> None:
        """Replace the text of a waiting program; decisions about the old text are refused from now on."""
        if not self.awaits_decision or assessed.id != self.record.id:
            raise WorkbenchError("Only a waiting program can be edited.", "Open its code in a new tab instead.")
        if base and base != self.record.proposal.sha:
            raise WorkbenchError(
                "The program was changed in another window while you edited it.",
                "Nothing was replaced. Compare both texts.",
            )
        self._take_assessment(assessed, placement, reading)
        detail = self._proposal_detail() | self._verdict_detail()
        self.write_audit("run.edited", "was edited while it waited", detail)
        self.services.tell(RunChanged(self.record))

    def reassess(self, assessed: Run, placement: SandboxChoice, reading: Reading) -> None:
        """Take over a new assessment of the text that waits."""
        self._take_assessment(assessed, placement, reading)
        verdict = reading.verdict
        summary = f"was assessed again as {verdict.risk}: {verdict.sentence}"
        self.write_audit("run.checked", summary, self._verdict_detail())
        self.services.tell(RunChanged(self.record))

    def _take_assessment(self, assessed: Run, placement: SandboxChoice, reading: Reading) -> None:
        """Take over the text and its assessment. Its clock stays as it is, because it may have been stopped or
        extended during the assessment."""
        self.record, self.reading = (
            replace(
                self.record,
                proposal=assessed.proposal,
                verdict=assessed.verdict,
                fingerprint=assessed.fingerprint,
                like=assessed.like,
                offers=assessed.offers,
                offers_limit=assessed.offers_limit,
            ),
            reading,
        )
        self.set_sandbox(placement)

    # ── running ──────────────────────────────────────────────────────────────────────────────────
    def output(self, stream: str, text: str) -> None:
        self._output.append(text)
        self.services.tell(RunOutput(self.record.id, stream, text))

    @property
    def printed(self) -> str:
        return "".join(self._output)

    def begin_call(self, call_id: str, describe: Callable[[], CallTrace]) -> None:
        """Record the start of a call. Describing a call is slow, so it is shown when the loop is idle, or when the
        call waits or ends."""
        self._unshown_calls[call_id] = describe

    def show_call(self, call_id: str) -> None:
        """Show that a call has started, unless that was shown already."""
        if (describe := self._unshown_calls.pop(call_id, None)) is not None:
            self.show_trace(describe())

    def hold_call(self, call_id: str, waits: bool) -> None:
        """Show that a call started or stopped waiting for the user."""
        self.show_call(call_id)
        if (trace := self._open_calls.get(call_id)) is not None:
            self.show_trace(replace(trace, state="waiting" if waits else "running"))

    def note_changed_call(self, changed: ChangedCall) -> None:
        """Remember that the user changed the arguments of a call, for its author."""
        self.record = replace(self.record, changed_calls=(*self.record.changed_calls, changed)[-KEPT_CALLS:])
        if (trace := self._open_calls.get(changed.call_id)) is not None:
            shown = self.session.mask_for_audit(changed.after, KEPT_TEXT)
            self.show_trace(replace(trace, arguments=shown, note="You changed its arguments."))

    def offer_call_rules(self, tool: Tool, arguments: JsonObject) -> tuple[RuleOffer, ...]:
        """Return the rules that would have allowed a call, as lasting answers to its request."""
        rules = self.services.rules.proposals(tool, arguments)
        return tuple(
            RuleOffer(f"rule-{number}", "call", one.scope or "always", one.label, (one,))
            for number, one in enumerate(rules)
        )

    def end_call(self, call_id: str, state: str, **facts: Any) -> None:
        """Show that a call has ended. Any: fields of CallTrace."""
        self.show_call(call_id)
        if (trace := self._open_calls.get(call_id)) is not None:
            self.show_trace(replace(trace, state=state, **facts))

    def show_trace(self, trace: CallTrace) -> None:
        """Show a change of a call or a connection: it starts, waits, continues or ends."""
        under_way, is_open = trace.state in UNDER_WAY, trace.call_id in self._open_calls
        if not is_open:
            self.call_tokens += count(trace.arguments)
        elif not under_way:
            self.call_tokens += trace.tokens
        self.call_bytes += trace.bytes
        if under_way:
            self._open_calls[trace.call_id] = trace
        else:
            self._open_calls.pop(trace.call_id, None)
        if trace.call_id not in self._calls and len(self._calls) >= KEPT_CALLS:
            self._calls.pop(next(iter(self._calls)))
        self._calls[trace.call_id] = trace
        self.observed_actions.count_trace(trace)
        self.services.tell(RunCall(self.record.id, trace))

    def show_preparing(self) -> None:
        """Show that the program has ended and that preparing its answer takes a while."""
        self.answer_unwanted = asyncio.get_running_loop().create_future()
        self.record = replace(self.record, preparing=True)
        self.services.tell(RunChanged(self.record))

    def stop(self, reason: str) -> None:
        """Stop the run for the user, its agent or the core; clients are notified at once, even if ending takes long."""
        self.stop_reason = reason
        self.record = replace(self.record, stopping=True)
        self.services.tell(RunChanged(self.record))
        if self.steps is not None:
            self.steps.cancel()
        if self.answer_unwanted is not None and not self.answer_unwanted.done():
            self.answer_unwanted.set_result(None)

    def suspend(self) -> None:
        """End its steps without an end of the run, because the core ends while it waits."""
        self.suspended = True
        if self.steps is not None:
            self.steps.cancel()

    def record_effects(self, writer: Writer | None) -> None:
        """Compare the observed effects of an ended program with the predicted ones, and record unpredicted effects.
        `writer`: its changes in the workspace, if they are known."""
        seen, verdict, provenance = (
            self.observed_actions.observed_effects(writer),
            self.record.verdict,
            self.session.provenance,
        )
        if verdict is None or self.dry_run is not None:  # a dry run has no effects
            return
        found = compare_effects(verdict, seen, read=self.record.proposal.language == "python")
        kinds = (*sorted(provenance.kinds), *(("sends",) if provenance.called_outside else ()))
        self.record = replace(self.record, observed=found, read=kinds)
        if words := unpredicted_effects(found):
            summary = f"had effects that were not predicted: {', '.join(words[:5])}"
            self.write_audit(
                "run.unpredicted_effect", summary, {"unforeseen": words, "sha": self.record.proposal.sha}, ok=False
            )

    # ── the end ──────────────────────────────────────────────────────────────────────────────────
    async def close(self) -> None:
        """Release everything that its steps acquired, in reverse order; the failure of one resource does not skip
        others."""
        try:
            await self.resources.aclose()
        finally:
            self.guard = None

    def finish(self, state: RunState, summary: str, **changes: Any) -> None:
        """Reach an end, once; calls that are still open end with the run. Any: fields of Run."""
        if not self.is_over:
            for call_id in (*self._unshown_calls, *self._open_calls):
                self.end_call(call_id, "stopped", note="The run ended before the call was answered.")
            self.enter_state(state, summary, ended=time.time(), preparing=False, stopping=False, **changes)

    def write_audit(
        self, kind: str, summary: str, detail: dict[str, object], *, ok: bool = True, soon: bool = False
    ) -> None:
        """Write an audit entry. `soon`: write it together with the entry of the next step, which always follows."""
        run = self.record
        note = Note(
            kind=kind,
            summary=self.session.mask_for_audit(summary),
            actor=self.session.author,
            session=self.session.id,
            run_id=run.id,
            risk=str(run.verdict.risk) if run.verdict else "",
            ok=ok and (run.state not in ENDS or run.state is RunState.DONE),
            ms=(run.ended - run.started) * 1000 if run.ended and run.started else 0.0,
            tokens=run.ledger.actual if run.ended else 0,
            detail=detail,
        )
        if soon:
            self.services.journal.append_soon(lambda: note)
        else:
            self.services.journal.append(note)

    def _proposal_detail(self) -> dict[str, object]:
        proposal = self.record.proposal
        return {
            "code": self.session.mask_for_audit(proposal.code, KEPT_CODE),
            "sha": proposal.sha,
            "purpose": self.session.mask_for_audit(proposal.purpose),
            "origin": str(proposal.origin),
            "author": proposal.author,
            "skill": proposal.skill,
            "language": proposal.language,
            "state": proposal.state,
            "profile": proposal.profile,
            "required": list(proposal.required),
            "force_approval": proposal.force_approval,
            "dry_run": proposal.dry_run,
            "dry_run_of": proposal.dry_run_of,
            "wish": proposal.wish,
            "revives": proposal.revives,
            "seconds": proposal.seconds,
            "at": proposal.at,
            "user": login_name(),
            **self.session.client_claims,
        }

    def _detail(self, state: RunState) -> dict[str, object]:
        run, detail = self.record, dict[str, object](sha=self.record.proposal.sha)
        if state in (RunState.CHECKED, RunState.REFUSED):
            detail |= self._verdict_detail()
        if state in (RunState.WAITING, RunState.RUNNING):
            detail |= {"level": run.level, "backend": run.backend, "isolation": run.isolation}
        if state is RunState.RUNNING and run.decision:
            decision = run.decision
            detail |= {"decided_by": decision.by, "allow": decision.allow, "seconds_looked": decision.seconds}
        if state in ENDS:
            detail |= self._end_detail()
        return detail

    def _verdict_detail(self) -> dict[str, object]:
        verdict = self.record.verdict
        if verdict is None:
            return {}
        sentence = self.session.mask_for_audit(verdict.sentence)  # it may contain an address from the program
        detail: dict[str, object] = {"risk": str(verdict.risk), "gate": str(verdict.gate), "sentence": sentence}
        detail["mild"] = verdict.mild
        detail |= {"findings": [finding.rule for finding in verdict.findings], "rules": verdict.rules}
        return detail | verdict_grounds(verdict, self.session.mask_for_audit)

    def _end_detail(self) -> dict[str, object]:
        run = self.record
        fault = f"{run.fault.message} {run.fault.hint}".strip() if run.fault else ""
        return {
            "answer": self.session.mask_known(
                run.model_view[: cut_before(run.model_view, KEPT_TEXT)]
            ),  # as sent to the model
            "fault": self.session.mask_for_audit(fault, KEPT_TEXT),
            "calls": len(self._calls),
            "memory_mb": run.memory_mb,
            "direct": run.ledger.direct,
            "counter": run.ledger.counter,
            "actual": run.ledger.actual,
            "kept_bytes": run.ledger.kept_bytes,
            "definitions": run.ledger.definitions,
            "reason": self.session.mask_for_audit(run.decision.reason) if run.decision else "",
            **outcome_detail(run, self.session.mask_for_audit, self.session.count_new_values()),
        }


def describe_answer(decision: Decision) -> str:
    """Describe who answered an approval request, for a second client that answers at the same time."""
    return f"{'allowed' if decision.allow else 'denied'} by {decision.by}"


def _has_result(answer: asyncio.Future[Decision | None]) -> bool:
    return answer.done() and not answer.cancelled() and answer.exception() is None


def is_users_run(run: ProgramRun) -> bool:
    return run.record.proposal.origin is Origin.PERSON


def ledger_of(run: ProgramRun, definitions: int, spent: int) -> Ledger:
    """Compare the tokens of a run with direct use, which would have loaded the definitions once and every nested
    call's arguments and answer."""
    return Ledger(definitions + run.call_tokens, spent, run.call_bytes, counter(), definitions)


class ObservedActions:
    """The observed calls and connections of one program, answered and refused."""

    def __init__(self) -> None:
        self._made: Counter[tuple[str, str]] = Counter()
        self._refused: Counter[tuple[str, str]] = Counter()

    def count_trace(self, trace: CallTrace) -> None:
        """Count a call or connection that reached an end."""
        if trace.state in _ENDS:
            counter = self._refused if trace.state == "refused" else self._made
            counter[trace.server, trace.tool] += 1

    @property
    def called_tools(self) -> tuple[tuple[str, str], ...]:
        """Return the servers and tools that answered."""
        return tuple(self._made)

    def observed_effects(self, writer: Writer | None) -> ObservedEffects:
        """Return the observed effects. Files count only if no other program may have changed them."""
        written: set[str] = set()
        deleted: set[str] = set()
        for path, change in writer.files.items() if writer is not None else ():
            left = change.after or change.before
            if not change.shared and left is not None and not left.is_folder:
                (written if change.after else deleted).add(f"workspace/{displayed_name(path)}")
        again = (
            {f"workspace/{displayed_name(path)}" for path in writer.rewritten - writer.files.keys()}
            if writer
            else set()
        )
        files = tuple(sorted(written | again)), tuple(sorted(deleted))
        return ObservedEffects(self._count_by_name(hosts=False), self._count_by_name(hosts=True), *files)

    def _count_by_name(self, *, hosts: bool) -> dict[str, tuple[int, int]]:
        keys = [key for key in self._made | self._refused if (key[0] == NETWORK) is hosts]
        name = "{1}" if hosts else "{0}.{1}"
        return {name.format(*key): (self._made[key], self._refused[key]) for key in keys}


@cache
def login_name() -> str:
    """Return the name of the operating system user who runs this core."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # neither the environment nor the user database has a name
        return ""


def verdict_grounds(verdict: Verdict, mask: Mask) -> dict[str, object]:
    """Return what the verdict is based on besides the text: tool definitions, the profile, and data flows."""
    profile, flows = verdict.profile, verdict.flows[:MOST_DETAILS]
    return {
        "definitions": dict(list(verdict.definitions.items())[:MOST_DETAILS]),
        "profile": profile.name if profile else "",
        "profile_sha": profile.sha if profile else "",
        "flows": [f"{flow.kind}: {mask(flow.source)} → {mask(flow.sink)}" for flow in flows],
    }


def outcome_detail(run: Run, mask: Mask, made: Mapping[str, int]) -> dict[str, object]:
    """Return the observed effects compared with the predicted ones, the kinds of text that the session has read, and
    the number of tokens made."""
    seen = [
        {"kind": one.kind, "subject": mask(one.subject), "predicted": one.predicted, "times": one.times,
         "refused": one.refused}
        for one in run.observed[:MOST_DETAILS]
    ]  # fmt: skip
    return {"observed": seen, "read": list(run.read), "tokens_made": dict(made)}
