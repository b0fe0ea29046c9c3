"""The steps of a run: assessed, approved if need be, given a slot and a copy of the workspace, executed, closed."""

from __future__ import annotations

import logging
import time
from asyncio import CancelledError
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import replace

from workbench.catalog.missing import not_imported, waits_for
from workbench.errors import WorkbenchError
from workbench.events import spawn
from workbench.policy.gate import gate
from workbench.policy.reading import Reading
from workbench.records import Fault, Finding, Gate, RunState
from workbench.runs import watching
from workbench.runs.approvals import Approvals, told
from workbench.runs.arrival import Arrival
from workbench.runs.broker import Broker
from workbench.runs.execution import Execution
from workbench.runs.foresight import explain
from workbench.runs.languages import PYTHON
from workbench.runs.pauses import Pauses
from workbench.runs.placement import place
from workbench.runs.reasons import no_network, of_ending, returned, stopped
from workbench.runs.rooms import Rooms
from workbench.runs.run import ProgramRun, RunEnd, is_person
from workbench.runs.slots import Slots
from workbench.runs.staging import Staging, needs_stage
from workbench.runs.state import StateGone
from workbench.runs.states import States
from workbench.runs.stock import Stock
from workbench.runs.view import WITHOUT_PROGRAM
from workbench.sandbox.levels import named
from workbench.sandbox.sandbox import Ending
from workbench.workspace.staging import Unstageable

log = logging.getLogger(__name__)

SWITCHED_OFF = Fault(
    "Programs are switched off: the setting run.enabled is false.",
    "The user switches them on in settings.toml, or in the project file that sets mcpCodeExecution.enabled.",
)
_NOBODY = Fault("Nobody answered in time, so it was refused.", "Ask again when your user is there.", ours=True)
_CHANGED = "A tool or server that this program uses changed between the approval and its start."


class RunPipeline:
    """Takes runs through their steps. Each run has two asyncio tasks: one takes the steps and is cancelled by a stop;
    the other waits for it, is never cancelled, and closes the run whatever became of the steps."""

    def __init__(
        self,
        rooms: Rooms,
        broker: Broker,
        stock: Stock,
        approvals: Approvals,
        read: Callable[[ProgramRun, str], Awaitable[Reading]],
        find_failures: Callable[[Reading], Awaitable[tuple[Finding, ...]]],
    ) -> None:
        """`read`: what a text would do. `find_failures`: what is certain to fail in it."""
        self._rooms = rooms
        self._broker = broker
        self._stock = stock
        self._approvals = approvals
        self._read = read
        self._find_failures = find_failures
        self._arrival = Arrival(rooms)
        self.staging = Staging(rooms)
        self.states = States(rooms, release=self.staging.release)
        self.pauses = Pauses(rooms.tell)
        self.slots = Slots(lambda: rooms.settings().run_concurrent)
        self._steps = (
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

    def start(self, road: ProgramRun) -> None:
        road.steps = spawn(f"steps of run {road.run.id}", self._take_steps(road))
        spawn(f"run {road.run.id}", self._carry(road))

    async def close(self) -> None:
        """Every run is over."""
        await self._arrival.close()
        await self.states.close()
        await self.staging.close()
        await self._stock.close()

    async def _take_steps(self, road: ProgramRun) -> RunEnd | None:
        """The end at which a step stopped the run; None when its program ran."""
        for step in self._steps:
            if (end := await step(road)) is not None:
                return end
        return None

    async def _carry(self, road: ProgramRun) -> None:
        """From the first step to the answer."""
        end = await self._outcome(road)
        try:
            await road.close()
        except Exception as fault:
            end = _broken(road, fault)
        if road.run.stopping:  # also when the stop came after the last step
            end = stopped(road.stop_reason)
        elif end is None:
            assert road.ending is not None
            end = self._of_program(road, road.ending)
        await self._arrival.take(road, end)

    async def _outcome(self, road: ProgramRun) -> RunEnd | None:
        assert road.steps is not None
        try:
            return await road.steps
        except CancelledError:
            return stopped(road.stop_reason)
        except StateGone as fault:
            return RunEnd(
                RunState.REFUSED, "was not run: its state is gone", Fault(fault.message, fault.hint, ours=True)
            )
        except WorkbenchError as fault:
            return RunEnd(RunState.FAILED, "could not run", Fault(fault.message, fault.hint, ours=True))
        except Exception as fault:
            return _broken(road, fault)

    # ── steps: each answers with an end, or None to go on; what it acquires goes to `road.resources` ──
    async def _take_turn_in_repl_session(self, road: ProgramRun) -> RunEnd | None:
        if road.state is not None:
            await road.resources.enter_async_context(self.states.turn(road.state))
        return None

    async def _assess(self, road: ProgramRun) -> RunEnd | None:
        proposal = road.run.proposal
        road.reading = await self._read(road, proposal.code)
        verdict = road.reading.verdict
        road.step(RunState.CHECKED, f"was assessed as {verdict.risk}: {verdict.sentence}", verdict=verdict)
        road.gate = gate(verdict, self._rooms.settings(), force=proposal.force_approval)
        if road.gate in (Gate.AUTO, Gate.ASK):
            return None
        return RunEnd(RunState.REFUSED, "was returned to its author", returned(verdict, road.gate))

    async def _return_if_certain_to_fail(self, road: ProgramRun) -> RunEnd | None:
        if road.reading is None or road.run.proposal.language != PYTHON:
            return None
        if found := await self._find_failures(road.reading):
            return RunEnd(RunState.REFUSED, "cannot work and was returned to its author", explain(found))
        return None

    async def _choose_sandbox(self, road: ProgramRun) -> RunEnd | None:
        """Before the user is asked, because a weaker sandbox than wanted is one more thing to agree to."""
        assert road.reading is not None
        road.place(await place(road.reading, self._rooms.settings(), self._rooms.sandbox))
        if road.run.isolation and not is_person(road):
            road.gate = Gate.ASK
        if road.rehearsal is not None:
            road.rehearsal.asks_outside = road.gate is Gate.AUTO
        if road.rehearsal is not None or road.plan is not None:
            road.gate = Gate.AUTO  # the user asked for it just now, or allowed a plan
        return None

    async def _get_approval(self, road: ProgramRun) -> RunEnd | None:
        return await self._ask(road) if road.gate is Gate.ASK else None

    async def _wait_for_slot(self, road: ProgramRun) -> RunEnd | None:
        if self.slots.full and road.run.state is RunState.WAITING:  # the user has answered: it waits for nobody now
            road.step(RunState.CHECKED, "is allowed and runs when another program has ended")
        road.slot = await road.resources.enter_async_context(AsyncExitStack())
        await road.slot.enter_async_context(self.slots.place(road.session.id, road.run.id))
        return None

    async def _check_unchanged_since_approval(self, road: ProgramRun) -> RunEnd | None:
        """What the user allowed must be what is there."""
        if road.run.proposal.wish not in WITHOUT_PROGRAM and not self._rooms.settings().run_enabled:
            return RunEnd(RunState.REFUSED, "was not run: programs are switched off", SWITCHED_OFF)
        if road.rehearsal is not None:
            road.run = replace(road.run, seal=self._approvals.seal(road.run))  # a plan is about what is there now
        if road.run.decision is None:
            return None
        if self._approvals.seal(road.run) == road.run.seal:
            if road.plan is None:
                self._approvals.remember(road.run, road.reading)
            return None
        road.note("run.voided", "was not run: what it uses changed after it was allowed", {"seal": road.run.seal})
        changed = Fault(_CHANGED, "Propose it again.", ours=True)
        return RunEnd(RunState.REFUSED, "was not run: what it uses changed", changed)

    async def _copy_workspace(self, road: ProgramRun) -> RunEnd | None:
        """For a program that needs a copy. Where the workspace cannot be copied, the user is asked whether it may work
        on the files themselves; other programs get its slot meanwhile."""
        if not needs_stage(road):
            return None
        try:
            await self.staging.begin(road)
        except Unstageable as fault:
            if road.state is not None:
                raise
            words = f"{fault.message} The program would work on your files directly, not on a copy."
            road.run = replace(road.run, isolation=words)
            await road.slot.aclose()
            if (end := await self._ask(road)) is not None:
                return end
            await self._wait_for_slot(road)
            return await self._check_unchanged_since_approval(road)
        road.resources.push_async_callback(self._settle_changes, road)
        return None

    async def _execute(self, road: ProgramRun) -> RunEnd | None:
        where = f"runs in {named(road.run.level)}" + (f" ({road.run.backend})" if road.run.backend else "")
        if road.stage is None:
            road.resources.push_async_callback(self._settle_changes, road)
        road.step(RunState.RUNNING, where, started=time.time())
        await watching.begin(road)
        road.resources.callback(self.pauses.withdraw, road.run.id)
        road.ending = await Execution(road, self._broker, self._stock, self.states, self.pauses).run()
        return None

    # ── parts of steps ───────────────────────────────────────────────────────────────────────────
    async def _ask(self, road: ProgramRun) -> RunEnd | None:
        """Ask the user; None when they allow it."""
        road.run = await self._approvals.about(road.run, road.reading)
        pins = self._approvals.pins
        rule = pins.standing(road.run, road.session)
        wait = self._rooms.settings().approval_wait_seconds
        decision = await road.wait(wait) if rule is None else pins.use(rule, road.run)
        if decision is None:
            return RunEnd(RunState.REFUSED, "was refused: nobody answered in time", _NOBODY)
        road.run = replace(road.run, decision=decision)
        summary, detail = told(decision, road.run, road.session.mask)
        road.note("run.decided", summary, detail)
        if decision.allow:
            return None
        reason = f"A person denied it: {decision.reason}" if decision.reason else "A person denied it."
        hint = "Change the program or ask why." if road.run.proposal.wish == "program" else "Ask your user why."
        return RunEnd(RunState.REFUSED, "was denied by a person", Fault(reason, hint, ours=not decision.reason))

    async def _settle_changes(self, road: ProgramRun) -> None:
        """What its program changed in the workspace, or in its copy, and what it did beyond its text."""
        writer = await (watching.end(road) if road.stage is None else self.staging.end(road))
        if road.run.started:
            road.observe(writer)

    def _of_program(self, road: ProgramRun, ending: Ending) -> RunEnd:
        """The end of a run whose program was executed."""
        if ending.ok:
            return RunEnd(RunState.DONE, "ran to its end", None, ending.result, ending.memory_mb)
        hint = road.hint or no_network(ending, road.run.verdict)
        hint = waits_for(ending.message, self._rooms.catalog.states()) or hint
        if ending.error_type == "NameError":
            hint = not_imported(ending.message, self._rooms.catalog.summaries()) or hint
        fault = of_ending(ending, road.run.proposal.state if road.state and road.state.dead else "", hint)
        return RunEnd(RunState.FAILED, f"failed: {ending.reason}", fault, ending.result, ending.memory_mb)


def _broken(road: ProgramRun, fault: Exception) -> RunEnd:
    """A fault of the workbench must still end the run, and be known."""
    log.error("run %s failed in the workbench", road.run.id, exc_info=fault)
    broken = Fault("The workbench itself failed.", "Its log says more.", f"{type(fault).__name__}: {fault}")
    return RunEnd(RunState.FAILED, "failed in the workbench", broken)
