"""Every kept state of this core: who may go on with which, how many there are, and when one ends.

A name means a state of the connection that gave it: two agents never meet in one, and a person's programs have their
own. A state that ended is never replaced behind its author's back, because a program that counts on its variables must
not run without them.
"""

from __future__ import annotations

import asyncio
import time
import weakref
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from workbench.api.marker import api
from workbench.errors import WorkbenchError
from workbench.events import StatesChanged, spawn
from workbench.records import KeptState, Note
from workbench.runs.rooms import Rooms
from workbench.runs.sessions import Session
from workbench.runs.state import State
from workbench.sandbox.sandbox import Answer, Ending, Output, Program

LONGEST_NAME = 60  # characters
REMEMBERED = 50  # states of one author that are over and that nobody asked for since
_LOOK_EVERY = 1.0  # seconds between looks at who has expired


class States:
    """Begins, shows and ends kept states."""

    def __init__(
        self,
        rooms: Rooms,
        clock: Callable[[], float] = time.time,
        release: Callable[[State], None] = lambda state: None,
    ) -> None:
        self._rooms = rooms
        self._release = release  # told of each that is over
        self._clock = clock
        self._all: dict[tuple[str, str], State] = {}
        self._looking: asyncio.Task[None] | None = None
        self._leaving: set[asyncio.Task[None]] = set()
        self._left: weakref.WeakSet[Session] = weakref.WeakSet()  # whose agents are gone

    def find(self, session: Session, name: str) -> State:
        """The state that this name means from now on."""
        check_name(name)
        state = self._all.get((session.id, name))
        if state is None or state.told:
            state = self._all[session.id, name] = State(session, name)
            self._forget_old(session)
        return state

    @asynccontextmanager
    async def turn(self, state: State) -> AsyncIterator[None]:
        """From before a program is judged until it has ended, no other one of its state comes between."""
        state.wanted += 1
        if state.session not in self._left:  # the program before it may have taken it away with its own end
            self._all.setdefault((state.session.id, state.name), state)
        try:
            async with state.turn:
                state.check()
                yield
        finally:
            state.wanted -= 1
            state.used = self._clock()
            if state.kept is None and not state.wanted and not state.over:
                self._all.pop((state.session.id, state.name), None)  # nothing ever ran in it
            self._tell()

    async def run(self, state: State, program: Program, answer: Answer, output: Output) -> Ending:
        """Run the next program in its state, which the first one begins."""
        state.check()
        if state.kept is None:
            await self._begin(state, program)
        elif why := self._rooms.sandbox.misfit(state.kept, program):
            await self._end(state, why)
            state.check()
        assert state.kept is not None
        state.texts = (*state.texts, program.code)
        self._tell()
        return await state.kept.run(program, answer, output)

    def now(self) -> tuple[KeptState, ...]:
        """Those that hold a sandbox, the longest unused last."""
        idle = self._rooms.settings().state_idle_minutes * 60
        living = [state.record(idle) for state in self._all.values() if state.lives]
        return tuple(sorted(living, key=lambda one: -one.used))

    @api(name="states")
    async def measured(self) -> tuple[KeptState, ...]:
        """REPL sessions that hold a sandbox now, the one used last first, with the memory each holds at this moment."""
        for state in self._living():
            if state.kept is not None:
                await state.kept.used()
        return self.now()

    async def end(self, session: str, name: str, why: str) -> None:
        """End one now; the program that runs in it ends with it."""
        state = self._all.get((session, name))
        if state is None or not state.lives:
            raise WorkbenchError("That state has ended already.", "Look at the list again.")
        await self._end(state, why)

    async def end_all(self, session: Session | None, why: str) -> None:
        """End those of one session, or of everybody."""
        for state in self._living():
            if session is None or state.session is session:
                await self._end(state, why)
        if session is not None:
            self._all = {key: state for key, state in self._all.items() if state.session is not session}

    def leave(self, session: Session) -> None:
        """Its agent is gone: nobody can name its states any more."""
        self._left.add(session)
        task = spawn(f"end states of {session.id}", self.end_all(session, "its agent left"))
        self._leaving.add(task)
        task.add_done_callback(self._leaving.discard)

    async def look(self) -> None:
        """End what nobody used for too long."""
        minutes = self._rooms.settings().state_idle_minutes
        for state in self._living():
            if not state.wanted and self._clock() - state.used >= minutes * 60:
                await self._end(state, f"it was not used for {minutes} minute{'s' * (minutes != 1)}")

    async def close(self) -> None:
        await self.end_all(None, "the workbench closed")
        if self._leaving:
            await asyncio.wait(tuple(self._leaving))
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.wait([self._looking])

    def _living(self) -> list[State]:
        return [state for state in self._all.values() if state.lives]

    async def _begin(self, state: State, program: Program) -> None:
        await self._make_room(state.session)
        kept = await self._rooms.sandbox.keep(program)
        if self._all.get((state.session.id, state.name)) is not state:  # nobody could find it, and nothing would end it
            why = "its agent left" if state.session in self._left else "another one of its name was begun"
            await kept.end(why)
            state.end(why)
            state.check()
        state.kept = kept
        kept.gone.add_done_callback(lambda gone: self._ended(state, gone))
        state.began = self._clock()
        self._note("state.began", f"{state.session.author} began the state {state.name}", state)
        if self._looking is None or self._looking.done():
            self._looking = spawn("kept states", self._look_on())

    async def _make_room(self, session: Session) -> None:
        """An author's own states go first: who begins many must not end those of others one after the other."""
        most = self._rooms.settings().state_most
        while len(living := self._living()) >= most:
            idle = [state for state in living if not state.wanted]
            if not idle:
                words = f"All {most} states that may be kept are at work."
                raise WorkbenchError(words, "Wait until one of their programs has ended, or send it without a state.")
            own = [state for state in idle if state.session is session]
            oldest = min(own or idle, key=lambda state: state.used)
            await self._end(oldest, "others were begun and it was the longest unused")

    async def _end(self, state: State, why: str) -> None:
        if state.kept is not None:
            await state.kept.end(why)
            await asyncio.sleep(0)  # those who hear of it have heard

    def _ended(self, state: State, gone: asyncio.Future[str]) -> None:
        if gone.cancelled():
            return
        state.end(gone.result())
        self._release(state)
        self._note("state.ended", f"The state {state.name} ended: {state.over}", state)
        self._tell()

    async def _look_on(self) -> None:
        while self._living():
            await asyncio.sleep(_LOOK_EVERY)
            await self.look()

    def _forget_old(self, session: Session) -> None:
        over = [key for key, state in self._all.items() if state.session is session and state.over and not state.wanted]
        for key in over[: max(0, len(over) - REMEMBERED)]:
            del self._all[key]

    def _tell(self) -> None:
        self._rooms.tell(StatesChanged(self.now()))

    def _note(self, kind: str, summary: str, state: State) -> None:
        session = state.session
        detail: dict[str, object] = {"state": state.name}
        summary = session.mask(summary)
        self._rooms.journal.append(
            Note(kind=kind, summary=summary, actor=session.author, session=session.id, detail=detail)
        )


def check_name(name: str) -> None:
    """A name is short and can be seen: it stands in messages and lists."""
    if not name or len(name) > LONGEST_NAME or not name.isprintable() or name != name.strip():
        words = f"The name of a state is 1 to {LONGEST_NAME} visible characters on one line."
        raise WorkbenchError(words, "Choose a short one, such as analysis.")
