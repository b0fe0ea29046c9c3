"""An agent's programs: proposed, watched while they wait and run, stopped when nobody waits for them any more."""

from __future__ import annotations

import asyncio
import time
import warnings
from typing import Any, Final, TypeAlias

import mcp.types as T
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPDeprecationWarning

from workbench.agent import arguments as given
from workbench.agent.answer import Answer
from workbench.agent.names import shortened
from workbench.errors import WorkbenchError
from workbench.events import spawn
from workbench.policy.canonical import MAX_BYTES
from workbench.privacy.text_kinds import TextKind
from workbench.records import JsonObject, Run, RunState
from workbench.runs.conveyor import Conveyor
from workbench.runs.rooms import Rooms
from workbench.runs.sessions import Session

# Any: the SDK leaves both type parameters of its context open.
Context: TypeAlias = ServerRequestContext[Any, Any]

LONGEST_PURPOSE: Final = 2_000  # characters
LONGEST_TIMEOUT: Final = 1e9  # seconds; the person's limit is far below
HEARTBEAT: Final = 5.0  # seconds between progress notes while a run waits or works


class Programs:
    """Those of one agent."""

    def __init__(self, rooms: Rooms, conveyor: Conveyor, session: Session) -> None:
        self._rooms = rooms
        self._conveyor = conveyor
        self._session = session
        self._open: set[str] = set()
        self.log_level: T.LoggingLevel = "info"  # the least that the agent wants to hear
        self.proposed = 0
        self.succeeded = 0

    async def execute(self, context: Context, arguments: JsonObject) -> Answer:
        """`execute_code`."""
        code, purpose = given.text(arguments, "code"), shortened(given.text(arguments, "description"), LONGEST_PURPOSE)
        if len(code) > MAX_BYTES:
            raise WorkbenchError(
                f"The program is longer than {MAX_BYTES // 1000} kB.", "Keep data in workspace/ files."
            )
        seconds = arguments.get("timeout", 0)
        wished = float(min(seconds, LONGEST_TIMEOUT)) if isinstance(seconds, int | float) else 0.0
        await self._rooms.catalog.learn()
        state = given.text(arguments, "session_id", "")
        language = given.text(arguments, "language", "python")
        run = self._conveyor.submit(
            code,
            self._session,
            purpose,
            wished,
            state=state,
            language=language,
            profile=given.text(arguments, "profile", ""),
            required=given.names(arguments, "required_tools"),
            force_approval=arguments.get("force_approval") not in (None, False),
        )
        return await self._ended(context, run)

    async def run(
        self, context: Context, code: str, purpose: str, skill: str = "", required: tuple[str, ...] = ()
    ) -> Answer:
        """Run a program that the workbench wrote for its agent: a skill's call, a single tool call, or one file."""
        await self._rooms.catalog.learn()
        words = shortened(purpose, LONGEST_PURPOSE)
        submit = self._conveyor.submit
        run = submit(code, self._session, words, skill=skill, required=required, built_in=not skill)
        return await self._ended(context, run)

    def stop_all(self, reason: str) -> None:
        """Nobody waits for them any more."""
        for run_id in tuple(self._open):
            spawn(f"stop {run_id}", self._conveyor.stop(run_id, reason))

    @property
    def open(self) -> int:
        """How many are not over."""
        return len(self._open)

    async def _ended(self, context: Context, run: Run) -> Answer:
        self.proposed += 1
        self._open.add(run.id)
        heart = spawn(f"progress of {run.id}", self._beat(context, run.id))
        try:
            run = await self._conveyor.finished(run.id)
        except asyncio.CancelledError:  # the agent cancelled or left: nobody waits for this run any more
            spawn(f"stop {run.id}", self._conveyor.stop(run.id, "The agent that proposed it is gone."))
            raise
        finally:
            self._open.discard(run.id)
            heart.cancel()
        done = run.state is RunState.DONE
        self.succeeded += done
        facts: JsonObject = {"run": run.id, "state": str(run.state)}
        pictures = self._conveyor.pictures(run.id)
        return Answer(run.model_view, facts, pictures, failed=not done, kind=TextKind.PUBLIC)  # masked when it arrived

    async def _beat(self, context: Context, run_id: str) -> None:
        """Tell a patient client what is happening, as far as it asked to know."""
        beat, before = 0, ""
        while True:
            words = self._words(self._conveyor.run(run_id))
            told = self._session.text_kinds.mark(words, TextKind.FIXED)
            await context.session.report_progress(beat, None, told)
            if (kind := words.split(":")[0]) != before and self.log_level in ("debug", "info"):
                await _log(context, told)
                before = kind
            beat += 1
            await asyncio.sleep(HEARTBEAT)

    def _words(self, run: Run) -> str:
        if run.state is RunState.WAITING:
            left = max(0, round(run.deadline - time.time()))
            return f"waiting for a person: {left // 60} min {left % 60} s left"
        if (ahead := self._conveyor.slots.ahead(run.id)) is not None:
            most = self._conveyor.slots.most
            return f"waiting for a place: {ahead} before it, {most} may run at once"
        if any(call.state == "waiting" for call in run.calls) or run.pauses:
            return "the program is running: a call of it waits for a person"
        return f"the program is {run.state}"


async def _log(context: Context, words: str) -> None:
    """Logging is deprecated in the newest protocol, and what clients of today show."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MCPDeprecationWarning)
        sent = context.session.send_log_message("info", words, "workbench", context.request_id)
    await sent
