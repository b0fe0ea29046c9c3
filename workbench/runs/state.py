"""One kept state: its sandbox, the texts that ran in it, and whose turn it is."""

from __future__ import annotations

import asyncio
import time

from workbench.errors import WorkbenchError
from workbench.records import KeptState
from workbench.runs.sessions import Session
from workbench.sandbox.kept import Kept
from workbench.workspace.staging import Stage


class StateGone(WorkbenchError):
    """The state a program wanted to go on with is not there any more; the program did not run."""


class State:
    """Programs of a state take turns: each is judged with, and runs after, the ones before it.

    Once it is over it never begins anew: whoever named it before they knew hears that it is gone, and why.
    """

    def __init__(self, session: Session, name: str) -> None:
        self.session = session
        self.name = name
        self.began = self.used = time.time()
        self.texts: tuple[str, ...] = ()  # what ran in it, oldest first
        self.kept: Kept | None = None
        self.stage: Stage | None = None  # the copy of the workspace that its sandbox is bound to
        self.unapproved = False  # a program that nobody approved ran in it, and may have left something running
        self.working = False  # a program is in it whose changes are not settled yet
        self.over = ""  # why there is no next program, in half a sentence
        self.told = False  # its author has heard that it is gone
        self.wanted = 0  # programs on their road to it or in it
        self.turn = asyncio.Lock()

    @property
    def lives(self) -> bool:
        """Whether it holds a sandbox."""
        return self.kept is not None and not self.over

    @property
    def dead(self) -> bool:
        """Whether its sandbox is gone, told or not."""
        return bool(self.over) or (self.kept is not None and self.kept.gone.done())

    def check(self) -> None:
        """Refuse a program that wants to go on with what is gone."""
        if self.over:
            self.told = True
            words = f"The state {self.name!r} is gone: {self.over}."
            lost = "Its variables are lost; the workspace's files are there."
            hint = "Send a program that makes them anew: the same name begins a new state."
            raise StateGone(f"{words} {lost}", hint)

    def end(self, why: str) -> None:
        """No further program; the texts are of no use any more."""
        self.over = self.over or why
        self.texts = ()

    def record(self, idle_seconds: float) -> KeptState:
        """As a person sees it."""
        kept, busy = self.kept, self.wanted > 0
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
