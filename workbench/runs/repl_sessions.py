"""REPL sessions of a core: which connection may continue one, how many may exist, and when one ends.

A name belongs to the connection that chose it: agents never share a REPL session, and the user's programs have their
own. A session that ended is replaced only after its author was notified, because a program that relies on its
variables must not run without them.
"""

from __future__ import annotations

import asyncio
import time
import weakref
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from workbench.api.marker import api
from workbench.broker.agent_sessions import Session
from workbench.broker.services import Services
from workbench.errors import WorkbenchError
from workbench.events import StatesChanged, spawn
from workbench.records import KeptState, Note
from workbench.sandbox.sandbox import Answer, Ending, Output, Program
from workbench.sandbox.supervision.repl_sandbox import ReplSandbox
from workbench.workspace.workspace_copies import Stage

LONGEST_NAME = 60  # characters
REMEMBERED = 50  # ended sessions of one author whose end was not yet reported
_LOOK_EVERY = 1.0  # seconds between checks for expired sessions


class ReplSessionGone(WorkbenchError):
    """The REPL session that a program names has ended; the program did not run."""


class ReplSession:
    """Programs that share variables. They run one at a time; each is judged together with the earlier ones.

    A session that has ended never restarts: a program that names it, without knowing, gets an error with the reason.
    """

    def __init__(self, session: Session, name: str) -> None:
        self.session = session
        self.name = name
        self.began = self.used = time.time()
        self.texts: tuple[str, ...] = ()  # texts of its programs, oldest first
        self.run_ids: set[str] = set()  # its runs so far
        self.servers: set[str] = set()  # servers whose tools its programs called
        self.sandbox: ReplSandbox | None = None
        self.stage: Stage | None = None  # the copy of the workspace that its sandbox is bound to
        self.unapproved = False  # an unapproved program ran in it, and may have left threads running
        self.working = False  # the file changes of its current program are not settled yet
        self.end_reason = ""  # why it ended, as half a sentence
        self.end_reported = False  # its author was notified that it ended
        self.program_count = 0  # programs that wait for it or run in it
        self.lock = asyncio.Lock()

    @property
    def is_live(self) -> bool:
        """Whether it holds a sandbox."""
        return self.sandbox is not None and not self.end_reason

    @property
    def process_ended(self) -> bool:
        """Whether its sandbox process has ended, even if clients were not notified yet."""
        return bool(self.end_reason) or (self.sandbox is not None and self.sandbox.gone.done())

    def check_not_ended(self) -> None:
        """Refuse a program that names a session that has ended."""
        if self.end_reason:
            self.end_reported = True
            words = f"The REPL session {self.name!r} has ended: {self.end_reason}."
            lost = "Its variables are lost; files in the workspace remain."
            hint = "Send a program that creates them again. The same name starts a new session."
            raise ReplSessionGone(f"{words} {lost}", hint)

    def end(self, why: str) -> None:
        """Mark the session as ended, so that it accepts no more programs."""
        self.end_reason = self.end_reason or why
        self.texts = ()

    def record(self, idle_seconds: float) -> KeptState:
        """Return the REPL session as a record for clients."""
        kept, busy = self.sandbox, self.program_count > 0
        used = time.time() if busy else self.used
        return KeptState(
            session=self.session.id,
            name=self.name,
            author=self.session.author,
            began=self.began,
            used=used,
            expires=0.0 if busy else used + idle_seconds,
            programs=len(self.texts),
            busy=busy,
            memory_mb=kept.last.memory_mb if kept else 0.0,
            level=kept.place.level if kept else "",
            backend=kept.profile.backend if kept else "",
        )


class ReplSessions:
    """Starts, lists and ends the REPL sessions of a core."""

    def __init__(
        self,
        services: Services,
        clock: Callable[[], float] = time.time,
        release: Callable[[ReplSession], None] = lambda state: None,
    ) -> None:
        self._services = services
        self._release = release  # called for each session that ended
        self._clock = clock
        self._all: dict[tuple[str, str], ReplSession] = {}
        self._looking: asyncio.Task[None] | None = None
        self._leaving: set[asyncio.Task[None]] = set()
        self._left: weakref.WeakSet[Session] = weakref.WeakSet()  # sessions whose agents have disconnected

    def find(self, session: Session, name: str) -> ReplSession:
        """Return the REPL session of this name; a new one if there is none or the previous one has ended."""
        check_name(name)
        state = self._all.get((session.id, name))
        if state is None or state.end_reported:
            state = self._all[session.id, name] = ReplSession(session, name)
            self._forget_old(session)
        return state

    @asynccontextmanager
    async def hold_turn(self, state: ReplSession) -> AsyncIterator[None]:
        """Hold the session from a program's assessment to its end, so that its programs never overlap."""
        state.program_count += 1
        if state.session not in self._left:  # the end of the previous program may have removed it
            self._all.setdefault((state.session.id, state.name), state)
        try:
            async with state.lock:
                state.check_not_ended()
                yield
        finally:
            state.program_count -= 1
            state.used = self._clock()
            if state.sandbox is None and not state.program_count and not state.end_reason:
                self._all.pop((state.session.id, state.name), None)  # no program ever ran in it
            self._tell()

    async def run(self, state: ReplSession, program: Program, answer: Answer, output: Output) -> Ending:
        """Run the next program in its REPL session, which the first program starts."""
        state.check_not_ended()
        if state.sandbox is None:
            await self._begin(state, program)
        elif why := self._services.sandbox.unsuitability(state.sandbox, program):
            await self._end(state, why)
            state.check_not_ended()
        assert state.sandbox is not None
        state.texts = (*state.texts, program.code)
        self._tell()
        return await state.sandbox.run(program, answer, output)

    def records(self) -> tuple[KeptState, ...]:
        """REPL sessions that hold a sandbox, the one used last first."""
        idle = self._services.settings().repl_idle_minutes * 60
        living = [state.record(idle) for state in self._all.values() if state.is_live]
        return tuple(sorted(living, key=lambda one: -one.used))

    @api(name="states")
    async def measured_records(self) -> tuple[KeptState, ...]:
        """Return REPL sessions that hold a sandbox now, the one used last first, with their current memory use."""
        for state in self._live_sessions():
            if state.sandbox is not None:
                await state.sandbox.used()
        return self.records()

    async def end(self, session: str, name: str, why: str) -> None:
        """End a REPL session now, including the program that runs in it."""
        state = self._all.get((session, name))
        if state is None or not state.is_live:
            raise WorkbenchError("This REPL session has already ended.", "Look at the list again.")
        await self._end(state, why)

    async def end_all(self, session: Session | None, why: str) -> None:
        """End the REPL sessions of one agent session, or all of them."""
        for state in self._live_sessions():
            if session is None or state.session is session:
                await self._end(state, why)
        if session is not None:
            self._all = {key: state for key, state in self._all.items() if state.session is not session}

    def end_of_agent(self, session: Session) -> None:
        """End the REPL sessions of an agent that disconnected, because no program can name them any more."""
        self._left.add(session)
        task = spawn(f"end states of {session.id}", self.end_all(session, "its agent disconnected"))
        self._leaving.add(task)
        task.add_done_callback(self._leaving.discard)

    async def end_unused(self) -> None:
        """End REPL sessions that were idle for too long."""
        minutes = self._services.settings().repl_idle_minutes
        for state in self._live_sessions():
            if not state.program_count and self._clock() - state.used >= minutes * 60:
                await self._end(state, f"it was not used for {minutes} minute{'s' * (minutes != 1)}")

    async def close(self) -> None:
        await self.end_all(None, "the workbench closed")
        if self._leaving:
            await asyncio.wait(tuple(self._leaving))
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.wait([self._looking])

    def _live_sessions(self) -> list[ReplSession]:
        return [state for state in self._all.values() if state.is_live]

    async def _begin(self, state: ReplSession, program: Program) -> None:
        await self._end_idle(state.session)
        kept = await self._services.sandbox.keep(program)
        if self._all.get((state.session.id, state.name)) is not state:  # else it would stay open, but not listed
            why = (
                "its agent disconnected"
                if state.session in self._left
                else "a new session of the same name was started"
            )
            await kept.end(why)
            state.end(why)
            state.check_not_ended()
        state.sandbox = kept
        kept.gone.add_done_callback(lambda gone: self._ended(state, gone))
        state.began = self._clock()
        self._note("repl_session.started", f"{state.session.author} started the REPL session {state.name}", state)
        if self._looking is None or self._looking.done():
            self._looking = spawn("REPL sessions", self._end_unused_regularly())

    async def _end_idle(self, session: Session) -> None:
        """Make room by ending idle sessions. The author's own sessions are ended first, so that one author who
        starts many does not end those of others."""
        most = self._services.settings().repl_max_sessions
        while len(living := self._live_sessions()) >= most:
            idle = [state for state in living if not state.program_count]
            if not idle:
                words = f"All REPL sessions are busy (limit: {most})."
                raise WorkbenchError(
                    words, "Wait until one of their programs has ended, or send the program without a session."
                )
            own = [state for state in idle if state.session is session]
            oldest = min(own or idle, key=lambda state: state.used)
            await self._end(oldest, "other sessions were started and it was unused for the longest time")

    async def _end(self, state: ReplSession, why: str) -> None:
        if state.sandbox is not None:
            await state.sandbox.end(why)
            await asyncio.sleep(0)  # lets callbacks of its end run

    def _ended(self, state: ReplSession, gone: asyncio.Future[str]) -> None:
        if gone.cancelled():
            return
        state.end(gone.result())
        self._release(state)
        self._note("repl_session.ended", f"The REPL session {state.name} ended: {state.end_reason}", state)
        self._tell()

    async def _end_unused_regularly(self) -> None:
        while self._live_sessions():
            await asyncio.sleep(_LOOK_EVERY)
            await self.end_unused()

    def _forget_old(self, session: Session) -> None:
        over = [
            key
            for key, state in self._all.items()
            if state.session is session and state.end_reason and not state.program_count
        ]
        for key in over[: max(0, len(over) - REMEMBERED)]:
            del self._all[key]

    def _tell(self) -> None:
        self._services.tell(StatesChanged(self.records()))

    def _note(self, kind: str, summary: str, state: ReplSession) -> None:
        session = state.session
        detail: dict[str, object] = {"state": state.name}
        summary = session.mask(summary)
        self._services.journal.append(
            Note(kind=kind, summary=summary, actor=session.author, session=session.id, detail=detail)
        )


def check_name(name: str) -> None:
    """Refuse a name that is too long or has invisible characters, because messages and lists show it."""
    if not name or len(name) > LONGEST_NAME or not name.isprintable() or name != name.strip():
        words = f"The name of a REPL session must have 1 to {LONGEST_NAME} visible characters on one line."
        raise WorkbenchError(words, "Choose a short name, for example analysis.")
