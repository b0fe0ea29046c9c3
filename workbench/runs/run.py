"""One run: its newest record, its calls and output, its approval, and what its steps acquired."""

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
from workbench.broker.services import Services
from workbench.dry_run.held_side_effects import HeldSideEffects
from workbench.dry_run.plan import Plan
from workbench.errors import WorkbenchError
from workbench.events import RunCall, RunChanged, RunOutput
from workbench.privacy.pii_tokens import cut_before
from workbench.recordings.call_recorder import RunRecording
from workbench.records import (
    CallTrace,
    Content,
    Decision,
    Fault,
    Gate,
    Ledger,
    Note,
    Origin,
    Proposal,
    Run,
    RunState,
    Verdict,
)
from workbench.records.runs import ENDS
from workbench.runs.repl_sessions import ReplSession
from workbench.runs.sandbox_choice import SandboxChoice
from workbench.sandbox.sandbox import Ending
from workbench.tokens import count, counter
from workbench.workspace.file_names import displayed_name
from workbench.workspace.snapshots import Writer
from workbench.workspace.workspace_copies import Stage

if TYPE_CHECKING:
    from workbench.broker.run_guard import RunGuard

KEPT_CALLS = 500  # nested calls a run record carries; the audit has them all
UNDER_WAY = frozenset({"running", "waiting"})  # states of a nested call that has not ended
KEPT_CODE = 400_000  # characters of code the audit keeps: the cap of the analyzer
KEPT_TEXT = 20_000  # characters of answers and faults the audit keeps


NETWORK: Final = "network"  # in the place of a server's name in the tree of calls
_ENDS: Final = frozenset({"done", "failed", "refused"})
MOST_DETAILS = 100  # flows, definitions and observations of one run that are kept
Mask = Callable[[str], str]


class RunEnd(Struct, frozen=True):
    """How a run ended, before anybody is told."""

    state: RunState
    summary: str
    fault: Fault | None = None
    result: str = ""
    memory_mb: float = 0.0


class ProgramRun:
    """The whole state of one run, from submission to result."""

    def __init__(
        self,
        services: Services,
        session: Session,
        proposal: Proposal,
        repl_session: ReplSession | None = None,
        text: CanonicalText | None = None,
    ) -> None:
        """`text`: the proposal's code with what is wrong with it, where it was made canonical just now."""
        self.services = services
        self.session = session
        self.repl_session = repl_session  # whose variables it goes on with, if any
        self.record = Run(proposal.id, proposal, RunState.PROPOSED)
        self.text = text
        self.reading: Reading | None = None  # of its text, once it was assessed
        self.steps: asyncio.Task[RunEnd | None] | None = None  # of the pipeline; a stop cancels this task
        self.resources = AsyncExitStack()  # what the steps acquired: closed in reverse order when they are over
        self.slot = AsyncExitStack()  # of them, the slot, which it gives back while the user is asked a second time
        self.gate = Gate.ASK  # what is asked before it starts
        self.ending: Ending | None = None  # how its program ended
        self.hint = ""  # what its author should know beside that
        self.recording = RunRecording()  # of its calls, from which a test of a skill can be made
        self.guard: RunGuard | None = None  # of its calls, while it runs
        self.answer_unwanted: asyncio.Future[None] | None = (
            None  # done when the answer that is prepared is not wanted any more
        )
        self.ended = asyncio.Event()
        self.dry_run = HeldSideEffects(services.history) if proposal.dry_run else None
        self.plan: Plan | None = None  # all that the user allowed it to do
        self.workspace = services.paths.workspace  # what the program sees as its own
        self.stage: Stage | None = None  # the copy of it in which it works, where nobody approved it
        self.may_write = True  # there, as far as its profile lets it
        self.held: tuple[tuple[str, str], ...] = ()  # files about which the user decides, and why they were not written
        self.trouble: Fault | None = None  # why nothing that it changed could be written
        self.stop_reason = ""  # why it was stopped, for whoever proposed it
        self._answer: asyncio.Future[Decision] | None = None
        self._calls: dict[str, CallTrace] = {}  # the newest, as the record carries them
        self._open_calls: dict[str, CallTrace] = {}  # those that have not ended
        self._unshown_calls: dict[str, Callable[[], CallTrace]] = {}  # those whose beginning is still to be shown
        self.observed_actions = ObservedActions()
        self.call_tokens = 0  # what the nested calls would have cost a model: their arguments and their answers
        self.call_bytes = 0  # of nested answers
        self.pictures: tuple[Content, ...] = ()  # that go to the agent beside the text of the answer
        self._output: list[str] = []
        deed = (
            f"dry run of a program of {proposal.author}"
            if proposal.dry_run
            else f"{proposal.author} proposed a program"
        )
        self.note("run.proposed", deed, self._proposal_detail())
        services.tell(RunChanged(self.record))

    @property
    def over(self) -> bool:
        return self.record.state in ENDS

    def step(self, state: RunState, summary: str, **changes: Any) -> None:
        """Enter a state; the audit and every client are notified. Any: fields of Run."""
        self.record = replace(self.record, state=state, calls=tuple(self._calls.values()), **changes)
        try:
            self.note(f"run.{state}", summary, self._detail(state), soon=state is RunState.CHECKED)
        finally:
            self.services.tell(RunChanged(self.record))

    # ── waiting ──────────────────────────────────────────────────────────────────────────────────
    async def wait(self, seconds: float) -> Decision | None:
        """Wait for the user; None when there was no answer in time. A stop counts, also right after an answer.

        `asyncio.wait_for` would not do: before Python 3.12 it drops the stop when the answer is there already.
        """
        answer: asyncio.Future[Decision] = asyncio.get_running_loop().create_future()
        self._answer = answer
        self.step(RunState.WAITING, "waits for approval", deadline=time.time() + seconds)
        try:
            async with asyncio.timeout(seconds):
                return await answer
        except TimeoutError:
            return None if answer.cancelled() else answer.result()  # an answer in the last moment is an answer

    @property
    def asks(self) -> bool:
        """Whether an answer would be taken right now."""
        return self._answer is not None and not self._answer.done() and self.record.state is RunState.WAITING

    def check(self, decision: Decision) -> None:
        """Refuse an answer that does not name the text that is waiting right now."""
        if not self.asks:
            given = self._answer.result() if self._answer is not None and _is_given(self._answer) else None
            words = (
                f"it was {'allowed' if given.allow else 'denied'} already" if given else f"it is {self.record.state}"
            )
            raise WorkbenchError(f"This program no longer waits for a decision: {words}.", "Nothing was changed.")
        if decision.sha != self.record.proposal.sha:
            raise WorkbenchError(
                "The decision names another text than the one that waits.", "The code was edited; look at it again."
            )

    def decide(self, decision: Decision) -> None:
        """Accept the user's decision."""
        self.check(decision)
        if self._answer is not None:
            self._answer.set_result(replace(decision, at=time.time()))

    def place(self, placement: SandboxChoice) -> None:
        """Set the sandbox in which it will run."""
        self.record = replace(
            self.record, level=placement.level, backend=placement.backend, isolation=placement.isolation
        )

    def edit(self, run: Run, placement: SandboxChoice, reading: Reading) -> None:
        """Replace the text of a waiting program; a decision about the old text is refused from now on."""
        if not self.asks or run.id != self.record.id:
            raise WorkbenchError("Only a waiting program can be edited.", "Open its code as a new tab instead.")
        self.record, self.reading = run, reading
        self.place(placement)
        detail = self._proposal_detail() | self._verdict_detail()
        self.note("run.edited", "the code was edited while it waited", detail)
        self.services.tell(RunChanged(self.record))

    # ── running ──────────────────────────────────────────────────────────────────────────────────
    def output(self, stream: str, text: str) -> None:
        self._output.append(text)
        self.services.tell(RunOutput(self.record.id, stream, text))

    @property
    def printed(self) -> str:
        return "".join(self._output)

    def begin_call(self, call_id: str, describe: Callable[[], CallTrace]) -> None:
        """A call begins. Describing it costs time, so it is shown when the loop is idle, or when it waits or ends."""
        self._unshown_calls[call_id] = describe

    def show_call(self, call_id: str) -> None:
        """Show that a call has begun, unless it was shown before."""
        if (describe := self._unshown_calls.pop(call_id, None)) is not None:
            self.trace(describe())

    def hold_call(self, call_id: str, waits: bool) -> None:
        """A call began or ceased to wait for the user."""
        self.show_call(call_id)
        if (trace := self._open_calls.get(call_id)) is not None:
            self.trace(replace(trace, state="waiting" if waits else "running"))

    def end_call(self, call_id: str, state: str, **facts: Any) -> None:
        """A call has ended. Any: fields of CallTrace."""
        self.show_call(call_id)
        if (trace := self._open_calls.get(call_id)) is not None:
            self.trace(replace(trace, state=state, **facts))

    def trace(self, trace: CallTrace) -> None:
        """Show a step of a call or a connection: it begins, waits, goes on or ends."""
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
        self.observed_actions.take(trace)
        self.services.tell(RunCall(self.record.id, trace))

    def show_preparing(self) -> None:
        """Its program has ended, and its answer takes a while to prepare."""
        self.answer_unwanted = asyncio.get_running_loop().create_future()
        self.record = replace(self.record, preparing=True)
        self.services.tell(RunChanged(self.record))

    def stop(self, reason: str) -> None:
        """The user, its agent or the core wants it to end: shown at once, however long its end takes."""
        self.stop_reason = reason
        self.record = replace(self.record, stopping=True)
        self.services.tell(RunChanged(self.record))
        if self.steps is not None:
            self.steps.cancel()
        if self.answer_unwanted is not None and not self.answer_unwanted.done():
            self.answer_unwanted.set_result(None)

    def observe(self, writer: Writer | None) -> None:
        """The program has ended: put what it did beside what its text foretold, and write down what it did not.
        `writer`: what it changed in the workspace, where that is known."""
        seen, verdict, provenance = self.observed_actions.end(writer), self.record.verdict, self.session.provenance
        if verdict is None or self.dry_run is not None:  # a dry run did nothing
            return
        found = compare_effects(verdict, seen, read=self.record.proposal.language == "python")
        kinds = (*sorted(provenance.kinds), *(("sends",) if provenance.way_out else ()))
        self.record = replace(self.record, observed=found, read=kinds)
        if words := unpredicted_effects(found):
            summary = f"did what its text does not say: {', '.join(words[:5])}"
            self.note(
                "run.unpredicted_effect", summary, {"unforeseen": words, "sha": self.record.proposal.sha}, ok=False
            )

    # ── the end ──────────────────────────────────────────────────────────────────────────────────
    async def close(self) -> None:
        """Give back everything that its steps acquired, in reverse order; one that fails skips no other."""
        try:
            await self.resources.aclose()
        finally:
            self.guard = None

    def finish(self, state: RunState, summary: str, **changes: Any) -> None:
        """Any: fields of Run. Reach an end, once; calls that are still under way end with the run."""
        if not self.over:
            for call_id in (*self._unshown_calls, *self._open_calls):
                self.end_call(call_id, "stopped", note="The run ended before the call did.")
            self.step(state, summary, ended=time.time(), preparing=False, stopping=False, **changes)

    def note(self, kind: str, summary: str, detail: dict[str, object], *, ok: bool = True, soon: bool = False) -> None:
        """`soon`: together with the next step, which cannot come without it."""
        run = self.record
        note = Note(
            kind=kind,
            summary=self.session.mask_apart(summary),
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
            "code": self.session.mask_apart(proposal.code, KEPT_CODE),
            "sha": proposal.sha,
            "purpose": self.session.mask_apart(proposal.purpose),
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
            "seconds": proposal.seconds,
            "at": proposal.at,
            "user": login_name(),
            **self.session.declared,
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
        sentence = self.session.mask_apart(verdict.sentence)  # it may name an address that the program holds
        detail: dict[str, object] = {"risk": str(verdict.risk), "gate": str(verdict.gate), "sentence": sentence}
        detail["mild"] = verdict.mild
        detail |= {"findings": [finding.rule for finding in verdict.findings], "rules": verdict.rules}
        return detail | verdict_grounds(verdict, self.session.mask_apart)

    def _end_detail(self) -> dict[str, object]:
        run = self.record
        fault = f"{run.fault.message} {run.fault.hint}".strip() if run.fault else ""
        return {
            "answer": self.session.mask_known(
                run.model_view[: cut_before(run.model_view, KEPT_TEXT)]
            ),  # as the model got it
            "fault": self.session.mask_apart(fault, KEPT_TEXT),
            "calls": len(self._calls),
            "memory_mb": run.memory_mb,
            "direct": run.ledger.direct,
            "counter": run.ledger.counter,
            "actual": run.ledger.actual,
            "kept_bytes": run.ledger.kept_bytes,
            "definitions": run.ledger.definitions,
            "reason": self.session.mask_apart(run.decision.reason) if run.decision else "",
            **outcome_detail(run, self.session.mask_apart, self.session.made_since()),
        }


def _is_given(answer: asyncio.Future[Decision]) -> bool:
    return answer.done() and not answer.cancelled() and answer.exception() is None


def is_person(run: ProgramRun) -> bool:
    return run.record.proposal.origin is Origin.PERSON


def ledger_of(run: ProgramRun, definitions: int, spent: int) -> Ledger:
    """Direct use would have loaded the definitions once, and every nested call's arguments and answer."""
    return Ledger(definitions + run.call_tokens, spent, run.call_bytes, counter(), definitions)


class ObservedActions:
    """What one program was seen to do: its calls and connections, answered and refused."""

    def __init__(self) -> None:
        self._made: Counter[tuple[str, str]] = Counter()
        self._refused: Counter[tuple[str, str]] = Counter()

    def take(self, trace: CallTrace) -> None:
        """A call or connection took a step."""
        if trace.state in _ENDS:
            counter = self._refused if trace.state == "refused" else self._made
            counter[trace.server, trace.tool] += 1

    @property
    def called(self) -> tuple[tuple[str, str], ...]:
        """Servers and tools that answered."""
        return tuple(self._made)

    def end(self, writer: Writer | None) -> ObservedEffects:
        """What was seen. Files count only where no other program may have changed them."""
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
        return ObservedEffects(self._times(hosts=False), self._times(hosts=True), *files)

    def _times(self, *, hosts: bool) -> dict[str, tuple[int, int]]:
        keys = [key for key in self._made | self._refused if (key[0] == NETWORK) is hosts]
        name = "{1}" if hosts else "{0}.{1}"
        return {name.format(*key): (self._made[key], self._refused[key]) for key in keys}


@cache
def login_name() -> str:
    """The user of this machine whose core this is."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # no name in the environment, and none in the list of users
        return ""


def verdict_grounds(verdict: Verdict, mask: Mask) -> dict[str, object]:
    """What was judged beside the text: the tools' definitions, the profile, and where data would go."""
    profile, flows = verdict.profile, verdict.flows[:MOST_DETAILS]
    return {
        "definitions": dict(list(verdict.definitions.items())[:MOST_DETAILS]),
        "profile": profile.name if profile else "",
        "profile_sha": profile.sha if profile else "",
        "flows": [f"{flow.kind}: {mask(flow.source)} → {mask(flow.sink)}" for flow in flows],
    }


def outcome_detail(run: Run, mask: Mask, made: Mapping[str, int]) -> dict[str, object]:
    """What it did beside what was foretold, what its session had read, and for how many values tokens were made."""
    seen = [
        {"kind": one.kind, "subject": mask(one.subject), "predicted": one.predicted, "times": one.times,
         "refused": one.refused}
        for one in run.observed[:MOST_DETAILS]
    ]  # fmt: skip
    return {"observed": seen, "read": list(run.read), "tokens_made": dict(made)}
