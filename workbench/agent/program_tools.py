"""An agent's programs: submitted, watched while they wait and run, and stopped when no request waits for them any
more.

A run that waits for the user outlives the request that started it: the agent is told that it waits, and gets the
answer from `get_run` later. The run ends at its own deadline, or when the agent disconnects.
"""

from __future__ import annotations

import asyncio
import time
import warnings
from collections import Counter
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, Final, Protocol, TypeAlias

import mcp.types as T
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPDeprecationWarning

from workbench.agent import tool_calls as given
from workbench.agent.protocol_identity import shortened
from workbench.agent.signed_run_ids import LONGEST_ID, SignedRunIds
from workbench.agent.tool_calls import ToolAnswer
from workbench.analysis.canonical_text import MAX_BYTES
from workbench.broker.agent_sessions import Session
from workbench.broker.services import Services
from workbench.errors import WorkbenchError
from workbench.events import spawn
from workbench.privacy.text_kinds import TextKind
from workbench.records import HeldCall, JsonObject, Run, RunState
from workbench.records.common_types import duration_text
from workbench.records.runs import ENDS
from workbench.runs.answer_view import WISHES
from workbench.runs.run_manager import RunManager

# Any: the SDK leaves both type parameters of its context open.
Context: TypeAlias = ServerRequestContext[Any, Any]

LONGEST_PURPOSE: Final = 2_000  # characters
LONGEST_TIMEOUT: Final = 1e9  # seconds; the user's limit is far below
HEARTBEAT: Final = 5.0  # seconds between progress notes while a run waits or works
LOOK: Final = 0.2  # seconds between checks whether a run waits for a user who is not connected
_RESULT: Final = "result = "
_SUBMITTED_TWICE: Final = "\n[You submitted this again while it waited for the user. It ran at most once.]"
USUAL_WAIT: Final = 45.0  # seconds that one answer may take where the setting says 0; most clients give up after 60


class Deferral(Protocol):
    """Answers a request before its run has ended, if the client can get the result later."""

    def defer(self, context: Context, run: Run, seconds: float) -> dict[str, Any] | None:  # Any: JSON
        """Return the result to send now, after waiting this many seconds; None to wait on."""

    def ask_during_call(self, context: Context, run_id: str) -> Coroutine[None, None, None] | None:
        """Return a coroutine that asks the user in the agent's client while the request is open, if that is
        possible."""

    def shows_form(self, run: Run) -> bool:
        """Return whether what a run waits for is put before the user in the agent's client, and not answered there."""


class ProgramTools:
    """Tools with which one agent runs programs, and the runs of that agent."""

    def __init__(self, services: Services, run_manager: RunManager, session: Session) -> None:
        self._services = services
        self._run_manager = run_manager
        self._session = session
        self._open: dict[str, asyncio.Task[Run]] = {}  # asyncio task for each open run; it ends with the run
        self._tasks: set[str] = set()  # open runs whose request was answered with a task; they outlive the connection
        self._cancelled: set[str] = set()  # tasks that their client cancelled
        # open run → number of requests that wait for its answer; those of the other open runs were answered already,
        # and get_run has their answer
        self._requests: Counter[str] = Counter()
        self._joined: set[str] = set()  # runs that were submitted again while they waited
        self.ids = SignedRunIds(services.paths.task_key)
        self.deferral: Deferral | None = None
        self.log_level: T.LoggingLevel = "info"  # lowest log level that the agent wants
        self.proposed = 0
        self.succeeded = 0

    async def execute(self, context: Context, arguments: JsonObject) -> ToolAnswer:
        """Answers `execute_code`."""
        code = given.text(arguments, "code")
        purpose = shortened(given.text(arguments, "description", ""), LONGEST_PURPOSE)
        if len(code) > MAX_BYTES:
            raise WorkbenchError(
                f"The program is longer than {MAX_BYTES // 1000} kB.", "Store data in files below workspace/."
            )
        wished = float(min(given.seconds(arguments, "timeout"), LONGEST_TIMEOUT))
        await self._services.catalog.learn()
        state = given.text(arguments, "session_id", "")
        language = given.text(arguments, "language", "python")
        run = self._run_manager.submit(
            code,
            self._session,
            purpose,
            wished,
            state=state,
            language=language,
            profile=given.text(arguments, "profile", ""),
            required=given.names(arguments, "required_tools"),
            force_approval=arguments.get("force_approval") not in (None, False),
            join=True,
        )
        return await self._wait_for_answer(context, run)

    async def run(
        self, context: Context, code: str, purpose: str, wish: str, skill: str = "", required: tuple[str, ...] = ()
    ) -> ToolAnswer:
        """Run a program that the workbench wrote for an agent that requested a call, a file or a skill (`wish`)."""
        await self._services.catalog.learn()
        words = shortened(purpose, LONGEST_PURPOSE)
        submit = self._run_manager.submit
        run = submit(code, self._session, words, skill=skill, required=required, wish=wish, join=True)
        return await self._wait_for_answer(context, run)

    def stop_all(self, reason: str, *, late: bool = True) -> None:
        """Stop programs that no request waits for. `late`: also those whose answer the agent was told to get later."""
        for run_id in self._open.keys() - self._tasks:
            if (late or self._requests[run_id]) and not self._run_manager.outlives_agent(run_id):
                spawn(f"stop {run_id}", self._run_manager.stop(run_id, reason))

    @property
    def awaited(self) -> int:
        """Return the number of open runs whose request has no answer yet."""
        return sum(self._requests[run_id] > 0 for run_id in self._open)

    def find_run(self, run_id: str) -> Run:
        """Return the run of this id, if it belongs to this agent; or of a signed id, which an earlier connection was
        told. For a run that the user put back, the new run."""
        signed = self.ids.run_of(run_id[:LONGEST_ID])
        named = self._newest(signed or run_id)
        mine = [run for run in self._run_manager.runs() if run.proposal.session == self._session.id]
        found = named if named is not None and (signed or named in mine) else None
        if found is None:
            last = "; ".join(f"{run.id}: {run.state}" for run in mine[:5])
            hint = f"Your last runs are {last}." if last else "You have no runs yet; execute_code starts one."
            if self._newest(run_id) is not None:
                hint = f"A run of an earlier connection is found by the long id that its answer named. {hint}"
            raise WorkbenchError(f"There is no run {run_id[:80]!r} of yours.", hint)
        if found.proposal.revives and found.id not in self._open and found.state not in ENDS:
            self._open[found.id] = spawn(f"end of {found.id}", self._follow(found.id))
        return self._run_manager.run(found.id)

    def _newest(self, run_id: str) -> Run | None:
        """Return the run of this id; if the user put it back, the run that continues it."""
        runs = {run.id: run for run in self._run_manager.runs()}
        named = runs.get(run_id)
        while named is not None and named.revived_as in runs:
            named = runs[named.revived_as]
        return named

    async def wait_for_end(self, run_id: str, seconds: float) -> Run:
        """Return the run when it has ended, or its current record after this many seconds; waits at most as long as
        one answer may take."""
        longest = self._services.settings().agent_wait_seconds or USUAL_WAIT
        if (over := self._open.get(run_id)) is not None:
            await asyncio.wait([over], timeout=min(seconds, longest))
        elif self._run_manager.run(run_id).state not in ENDS:  # of an earlier connection
            with suppress(TimeoutError):
                async with asyncio.timeout(min(seconds, longest)):
                    await self._run_manager.wait_until_finished(run_id)
        return self._run_manager.run(run_id)

    def describe_open(self, run: Run) -> ToolAnswer:
        """Describe what an open run waits for, and what the agent and its user can do."""
        subject = "The file" if run.proposal.wish == "file" else WISHES[run.proposal.wish][0]
        facts: JsonObject = {"run": run.id, "state": str(run.state)}
        ask = f"get_run(run_id={run.id!r}, wait=40) waits for it and returns its answer."
        if not self._run_manager.asks_user(run.id):
            return ToolAnswer(f"{subject} has not ended: {self._progress_text(run)}. {ask}", facts, kind=TextKind.FIXED)
        # a server's elicitation, whose form only a window can show
        if run.state is not RunState.WAITING and not run.held_calls:
            words = f"{subject} waits: a server asks the user for input in the workbench's window. {ask}"
            return ToolAnswer(words, {**facts, "state": "waiting"}, kind=TextKind.FIXED)
        left = _time_left(run if run.state is RunState.WAITING else min(run.held_calls, key=lambda one: one.deadline))
        what = "the user's approval" if run.state is RunState.WAITING else "the user's approval of a call"
        if any(one.is_answer for one in run.held_calls):
            what = "the user, who wants to see its answer before it is sent"
        allow = (
            f"`mcp-workbench runs allow {run.id}`"
            if run.state is RunState.WAITING
            else " and ".join(f"`mcp-workbench calls allow {one.id}`" for one in run.held_calls[:3])
        )
        again = " You submitted it before, so it was not submitted a second time." * (run.id in self._joined)
        text = (
            f"{subject} waits for {what}; {left}.{again}\n"
            f"Tell the user to open the workbench's window or to run {allow} in their own terminal; only the user can"
            f" answer. Do not submit the same again meanwhile. {ask} After a reconnection its id is"
            f" {self.ids.id_of(run.id)!r}."
        )
        return ToolAnswer(text, {**facts, "state": "waiting"}, kind=TextKind.FIXED)

    def answer(self, run: Run) -> ToolAnswer:
        """Return the answer of a run that has ended."""
        facts: JsonObject = {"run": run.id, "state": str(run.state)}
        pictures = self._run_manager.pictures(run.id)
        failed = run.state is not RunState.DONE
        text = run.model_view or f"{self._progress_text(run)}."  # masked when the run ended
        if run.proposal.wish == "call" and not failed:
            text = text.removeprefix(_RESULT)
            return ToolAnswer(text, {}, pictures, failed, TextKind.PUBLIC)
        note = _SUBMITTED_TWICE if run.id in self._joined else ""
        return ToolAnswer(text, facts, pictures, failed=failed, kind=TextKind.PUBLIC, note=note)

    async def _wait_for_answer(self, context: Context, run: Run) -> ToolAnswer:
        """Return the answer of a run, or what it waits for when no user is connected and the client is about to give
        up."""
        if run.id in self._open:
            self._joined.add(run.id)
        else:
            self.proposed += 1
            self._open[run.id] = spawn(f"end of {run.id}", self._follow(run.id))
        return await self.wait_on(context, run)

    async def wait_on(self, context: Context, run: Run) -> ToolAnswer:
        """Return the answer of a run that may have ended, as the first request for it does."""
        over = self._open.get(run.id)
        if over is None:
            return self.answer(self._run_manager.run(run.id))
        self._requests[run.id] += 1
        helpers = [spawn(f"progress of {run.id}", self._report_progress(context, run.id))]
        asking = self.deferral.ask_during_call(context, run.id) if self.deferral is not None else None
        if asking is not None:
            helpers.append(spawn(f"elicitation of {run.id}", asking))
        began, alone = time.monotonic(), 0.0  # alone: seconds it has waited without a connected user
        try:
            while not over.done():
                now = self._run_manager.run(run.id)
                later = self.deferral.defer(context, now, time.monotonic() - began) if self.deferral else None
                if later is not None or alone > self._services.settings().agent_wait_seconds:
                    return ToolAnswer("", deferral=later) if later is not None else self.describe_open(now)
                before = time.monotonic()
                await asyncio.wait([over], timeout=LOOK)
                unseen = self._run_manager.asks_user(run.id) and not self._run_manager.approvals.attended
                shown = asking is not None and self._shows_form(run.id)
                alone = alone + time.monotonic() - before if unseen and not shown else 0.0
        except asyncio.CancelledError:  # the agent cancelled, timed out or disconnected
            if self._requests[run.id] == 1 and not self._run_manager.awaits_user(run.id):
                spawn(
                    f"stop {run.id}", self._run_manager.stop(run.id, "Its agent cancelled the request or disconnected.")
                )
            raise
        finally:
            self._requests -= Counter((run.id,))
            for helper in helpers:
                helper.cancel()
        return self.answer(over.result())

    def _shows_form(self, run_id: str) -> bool:
        return self.deferral is not None and self.deferral.shows_form(self._run_manager.run(run_id))

    # ── tasks ────────────────────────────────────────────────────────────────────────────────────
    def keep_as_task(self, run_id: str) -> None:
        """Let a run go on after its request and its connection have ended; it may wait longer for the user."""
        self._tasks.add(run_id)
        self._run_manager.extend_wait(run_id, self._services.settings().approval_task_wait_seconds)

    def run_of_task(self, run_id: str) -> Run:
        """Return the run of a task, whichever connection started it."""
        newest = self._newest(run_id)
        return self._run_manager.run(newest.id if newest is not None else run_id)

    def asks_user(self, run_id: str) -> bool:
        return self._run_manager.asks_user(run_id)

    def cancel(self, run_id: str, reason: str) -> None:
        """Stop a run whose client cancelled its task."""
        self._cancelled.add(run_id)
        spawn(f"stop {run_id}", self._run_manager.stop(run_id, reason))

    def was_cancelled(self, run_id: str) -> bool:
        return run_id in self._cancelled

    def status_text(self, run: Run) -> str:
        """Return one sentence about a run, for the status of its task."""
        text = self._progress_text(run)
        return f"{text[0].upper()}{text[1:]}."

    async def _follow(self, run_id: str) -> Run:
        try:
            run = await self._run_manager.wait_until_finished(run_id)
        finally:
            self._open.pop(run_id, None)
            self._tasks.discard(run_id)
        self.succeeded += run.state is RunState.DONE
        return run

    async def _report_progress(self, context: Context, run_id: str) -> None:
        """Report the run's progress to a client that requested it."""
        beat, before = 0, ""
        while True:
            text = self._progress_text(self._run_manager.run(run_id))
            masked = self._session.text_kinds.mark(text, TextKind.FIXED)
            await context.session.report_progress(beat, None, masked)
            if (kind := text.split(":")[0]) != before and self.log_level in ("debug", "info"):
                await _log(context, masked)
                before = kind
            beat += 1
            await asyncio.sleep(HEARTBEAT)

    def _progress_text(self, run: Run) -> str:
        if run.state is RunState.WAITING:
            if self._run_manager.approvals.attended:
                return f"waiting for the user's approval: {_time_left(run)}"
            return f"waiting for the user's approval: `mcp-workbench runs allow {run.id}`, {_time_left(run)}"
        if (ahead := self._run_manager.slots.queue_position(run.id)) is not None:
            most = self._run_manager.slots.limit
            return f"waiting for a free slot: {ahead} ahead of it, at most {most} run at once"
        if any(one.is_answer for one in run.held_calls):
            return "the program has ended: the user looks at its answer before it is sent"
        if any(call.state == "waiting" for call in run.calls) or run.held_calls:
            return "the program is running: one of its calls waits for the user's approval"
        return f"the program is {run.state}"


def _time_left(request: Run | HeldCall) -> str:
    """Describe how long a request still waits; its clock is stopped while the user is reviewing."""
    if request.clock_left:
        return "the user is looking at the waiting requests"
    return f"{duration_text(request.deadline - time.time())} left"


async def _log(context: Context, text: str) -> None:
    """Send a log message. Logging is deprecated in the newest MCP version, but is what current clients display."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MCPDeprecationWarning)
        sent = context.session.send_log_message("info", text, "workbench", context.request_id)
    await sent
