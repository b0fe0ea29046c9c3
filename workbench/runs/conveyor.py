"""Puts the steps of a run in order: proposed, checked, waiting, running, done, refused, failed or stopped."""

from __future__ import annotations

import asyncio
import json
import logging
import time
import uuid
from collections.abc import Sequence
from dataclasses import replace

from workbench.errors import WorkbenchError
from workbench.events import LedgerChanged, spawn
from workbench.policy.canonical import canonical
from workbench.policy.gate import gate
from workbench.records import Decision, Fault, Gate, Ledger, Origin, Proposal, Run, RunState, Tool, Verdict
from workbench.runs.borrowed import assess_all
from workbench.runs.broker import Broker
from workbench.runs.execution import Execution
from workbench.runs.foresight import explain, hopeless
from workbench.runs.history import past_runs
from workbench.runs.road import End, Road, is_person, ledger_of
from workbench.runs.rooms import Rooms
from workbench.runs.sessions import Session
from workbench.runs.slots import Slots
from workbench.runs.stock import Stock
from workbench.runs.view import compose, cut, shorten
from workbench.sandbox.sandbox import Ending
from workbench.tokens import count

log = logging.getLogger(__name__)

KEPT_RUNS = 200  # ended runs a core holds ready; older ones are in the audit
OPEN_RUNS = 20  # programs of one agent that may wait or run at once
SPILL = "results"  # folder of the workspace where answers too long for a model are kept whole


class Conveyor:
    """The one way from a text to a running program."""

    def __init__(self, rooms: Rooms, broker: Broker, stock: Stock) -> None:
        self._rooms = rooms
        self._broker = broker
        self._stock = stock
        self._roads: dict[str, Road] = {}
        self._past: tuple[Run, ...] = ()
        self.slots = Slots(lambda: rooms.settings().run_concurrent)
        self.interrupted = 0  # runs that the core before this one left unfinished

    def open(self) -> None:
        """Know the runs of earlier cores; those without an end are written down as interrupted."""
        self._past, self.interrupted = past_runs(self._rooms.journal)

    # ── questions ────────────────────────────────────────────────────────────────────────────────
    def runs(self) -> tuple[Run, ...]:
        """Newest first."""
        now = sorted((road.run for road in self._roads.values()), key=lambda run: -run.proposal.at)
        return (*now, *self._past)

    def run(self, run_id: str) -> Run:
        if run_id in self._roads:
            return self._roads[run_id].run
        for run in self._past:
            if run.id == run_id:
                return run
        raise WorkbenchError(f"There is no run {run_id}.", "Look it up in the audit.")

    def number(self, state: RunState) -> int:
        return sum(road.run.state is state for road in self._roads.values())

    @property
    def busy(self) -> bool:
        return any(not road.over for road in self._roads.values())

    async def assess(self, code: str) -> Verdict:
        """What policy says of a text; on a thread, because reading a long one takes half a second."""
        return await asyncio.to_thread(self._assess, code, self._rooms.catalog.tools())

    def _assess(self, code: str, tools: Sequence[Tool]) -> Verdict:
        return assess_all(code, tools, self._rooms.library.usable() if "skill" in code else ())

    # ── the road ─────────────────────────────────────────────────────────────────────────────────
    def submit(self, code: str, session: Session, purpose: str = "", seconds: float = 0.0, skill: str = "") -> Run:
        """Take a text and set it on its road; the answer is the run as it stands now."""
        self._check_open(session)
        proposal = Proposal(
            id=uuid.uuid4().hex[:12],
            code=(text := canonical(code)).text,
            sha=text.sha,
            origin=session.origin,
            session=session.id,
            author=session.author,
            purpose=purpose,
            at=time.time(),
            seconds=seconds,
            skill=skill,
        )
        road = Road(self._rooms, session, proposal)
        self._roads[road.run.id] = road
        self._forget_old()
        road.task = spawn(f"run {road.run.id}", self._travel(road))
        return road.run

    def _check_open(self, session: Session) -> None:
        """An agent that proposes without end would bury what a person is asked, and eat the memory."""
        open_now = sum(road.session is session and not road.over for road in self._roads.values())
        if session.origin is Origin.AGENT and open_now >= OPEN_RUNS:
            words = f"{open_now} programs of yours are waiting or running already."
            raise WorkbenchError(words, "Wait until one of them has ended.")

    async def finished(self, run_id: str) -> Run:
        """Wait for the end of a run."""
        road = self._road(run_id)
        await road.ended.wait()
        return road.run

    def decide(self, decision: Decision) -> Run:
        road = self._road(decision.run_id)
        verdict = road.run.verdict
        if decision.allow and verdict is not None and verdict.gate is Gate.BLOCKED:
            raise WorkbenchError("This text cannot be allowed.", verdict.sentence)
        road.decide(decision)
        return road.run

    async def edit(self, run_id: str, code: str) -> Run:
        road = self._road(run_id)
        text, verdict = canonical(code), await self.assess(code)
        road.edit(replace(road.run.proposal, code=text.text, sha=text.sha), verdict)
        return road.run

    async def stop(self, run_id: str, reason: str = "A person stopped it.") -> Run:
        """End a run wherever it is; the sandbox dies, calls in flight are cancelled at their servers."""
        road = self._road(run_id)
        if road.task is not None and not road.arriving:
            road.stop_reason = reason
            road.task.cancel()
            await asyncio.wait([road.task])
            if not road.arriving:  # it was stopped before its first step
                await self._arrive(road, _stopped(road))
        await road.ended.wait()
        return road.run

    async def close(self) -> None:
        for road in tuple(self._roads.values()):
            await self.stop(road.run.id, "The core closed.")
        await self._stock.close()

    async def _travel(self, road: Road) -> None:
        try:
            end = await self._way(road)
        except asyncio.CancelledError:
            end = _stopped(road)
        except WorkbenchError as fault:
            end = End(RunState.FAILED, "could not run", Fault(fault.message, fault.hint))
        except Exception as fault:  # whatever broke in the house must still end the run, and be known
            log.exception("run %s failed in the workbench", road.run.id)
            broken = Fault("The workbench itself failed.", "Its log says more.", f"{type(fault).__name__}: {fault}")
            end = End(RunState.FAILED, "failed in the workbench", broken)
        await self._arrive(road, end)

    async def _way(self, road: Road) -> End:
        """Checked, if need be approved, and run."""
        verdict = await self.assess(road.run.proposal.code)
        road.step(RunState.CHECKED, f"was assessed as {verdict.risk}: {verdict.sentence}", verdict=verdict)
        outcome = gate(verdict, self._rooms.settings())
        if outcome in (Gate.AUTO, Gate.ASK) and (found := await hopeless(road.run.proposal.code, self._rooms.catalog)):
            return End(RunState.REFUSED, "cannot work and was returned to its author", explain(found))
        match outcome:
            case Gate.AUTO:
                pass
            case Gate.ASK:
                if (refusal := await self._refusal(road)) is not None:
                    return refusal
            case _:
                return End(RunState.REFUSED, "was returned to its author", _returned(verdict, outcome))
        if self.slots.full and road.run.state is RunState.WAITING:  # a person has answered: it waits for nobody now
            road.step(RunState.CHECKED, "is allowed and runs when another program has ended")
        async with self.slots:
            return await self._execute(road)

    async def _refusal(self, road: Road) -> End | None:
        """Ask a person; None when they allow it."""
        decision = await road.wait(self._rooms.settings().approval_wait_seconds)
        if decision is None:
            words = Fault("Nobody answered in time, so it was refused.", "Propose it again when a person is there.")
            return End(RunState.REFUSED, "was refused: nobody answered in time", words)
        road.run = replace(road.run, decision=decision)
        verb = "allowed" if decision.allow else "denied"
        said = {"allow": decision.allow, "sha": decision.sha, "by": decision.by, "seconds": decision.seconds}
        said["reason"] = road.session.mask(decision.reason)
        road.note("run.decided", f"was {verb} by {decision.by}", said)
        if decision.allow:
            return None
        reason = f"A person denied it: {decision.reason}" if decision.reason else "A person denied it."
        return End(RunState.REFUSED, "was denied by a person", Fault(reason, "Change the program or ask why."))

    async def _execute(self, road: Road) -> End:
        road.step(RunState.RUNNING, "runs in the sandbox", started=time.time())
        ending = await Execution(road, self._broker, self._stock).run()
        if ending.ok:
            return End(RunState.DONE, "ran to its end", None, ending.result, ending.memory_mb)
        words = f"failed: {ending.reason}"
        return End(RunState.FAILED, words, _fault_of(ending), ending.result, ending.memory_mb)

    # ── the end ──────────────────────────────────────────────────────────────────────────────────
    async def _arrive(self, road: Road, end: End) -> None:
        """Every run comes through here once, from its last step to everybody knowing of it."""
        road.arriving = True
        road.run = replace(road.run, output=road.printed, result=end.result, memory_mb=end.memory_mb, fault=end.fault)
        try:
            view, tokens = await self._seen(road, end)
            ledger = self._ledger(road, tokens)
            road.finish(end.state, end.summary, model_view=view, ledger=ledger)
            road.session.spend(ledger)
            self._rooms.tell(LedgerChanged(self._rooms.sessions.total()))
        finally:
            road.ended.set()  # also when the audit could not be written: nobody may wait for ever

    async def _seen(self, road: Road, end: End) -> tuple[str, int]:
        """What the model gets, and its cost; on a thread, because much output takes seconds to be masked."""
        try:
            view = await asyncio.to_thread(self._view, road, replace(road.run, state=end.state))
            return view, await asyncio.to_thread(count, view)
        except Exception:  # nothing unmasked may go out instead
            log.exception("the answer of run %s could not be prepared", road.run.id)
            view = "The run ended, but its answer could not be prepared. The workbench's log says why."
            return view, count(view)

    def _view(self, road: Road, draft: Run) -> str:
        """What the model gets. Masked before it is cut: a cut must not split a value in two."""
        budget = self._rooms.settings().run_answer_tokens
        whole = road.session.mask(compose(draft))
        if is_person(road) or count(whole) <= budget:
            return whole
        pointer = self._spill(draft)
        if draft.result and count(draft.result) > budget // 2:
            masked = road.session.mask_json(json.loads(draft.result))
            smaller = json.dumps(shorten(masked, budget // 2), ensure_ascii=False)
            whole = road.session.mask(compose(replace(draft, result=f"{smaller}  [cut; {pointer}]")))
        return cut(whole, budget, pointer)

    def _spill(self, draft: Run) -> str:
        path = f"{SPILL}/{draft.id}.txt"
        try:
            self._rooms.store.write(path, compose(draft))
        except WorkbenchError as fault:
            return f"the whole could not be kept: {fault.message}"
        return f"the whole is in the workspace: read_file({path!r})[:2000] in a program shows its beginning"

    def _ledger(self, road: Road, view_tokens: int) -> Ledger:
        definitions = 0
        if not road.session.knows_definitions and not is_person(road):
            road.session.knows_definitions = True
            definitions = sum(tool.definition_tokens for tool in self._rooms.catalog.tools())
        return ledger_of(road, definitions, count(road.run.proposal.code) + view_tokens)

    def _road(self, run_id: str) -> Road:
        if run_id not in self._roads:
            self.run(run_id)  # known from before: say so, else that there is none
            raise WorkbenchError("That run is over.", "It belongs to an earlier core.")
        return self._roads[run_id]

    def _forget_old(self) -> None:
        over = [run_id for run_id, road in self._roads.items() if road.over]
        for run_id in over[: max(0, len(over) - KEPT_RUNS)]:
            del self._roads[run_id]


def _stopped(road: Road) -> End:
    return End(RunState.STOPPED, "was stopped", Fault(road.stop_reason or "It was cancelled."))


def _returned(verdict: Verdict, outcome: Gate) -> Fault:
    lines = "\n".join(f"line {finding.span.line}: {finding.message}" for finding in verdict.findings[:20])
    hint = (
        "The sandbox has no network, no other programs and no files outside the workspace; use the tools instead."
        if outcome is Gate.REFUSED
        else "Mend it and propose it again."
    )
    return Fault(verdict.sentence, hint, lines)


def _fault_of(ending: Ending) -> Fault:
    name = f"{ending.error_type}: " if ending.error_type else ""
    return Fault(f"{name}{ending.message}", _HINTS.get(ending.reason, ""), ending.traceback)


_HINTS = {
    "timeout": "Do less in one run, or keep intermediate results in workspace/ and go on in the next run.",
    "memory": "Work through the data in pieces instead of holding all of it.",
    "output": "Print a summary, and write the rest to a file in workspace/.",
    "calls": "Filter at the server, or split the work over several runs.",
    "cpu": "Do less in one run.",
    "disk": "Delete files in workspace/ that are no longer needed, or write less.",
    "lost": "Propose it again.",
}
