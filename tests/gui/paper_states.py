"""The paper project's answers about kept states."""

from __future__ import annotations

import time
from typing import Any

from msgspec.structs import replace

from workbench.events import StatesChanged
from workbench.records import KeptState


class PaperStates:
    """A test may change the list."""

    bus: Any
    note: Any
    state_list: tuple[KeptState, ...] = ()

    async def states(self) -> tuple[KeptState, ...]:
        return self.state_list

    async def end_state(self, session: str, name: str) -> tuple[KeptState, ...]:
        self.note("end_state", session, name)
        self.put_states(*(one for one in self.state_list if (one.session, one.name) != (session, name)))
        return self.state_list

    def put_states(self, *states: KeptState) -> None:
        self.state_list = states
        self.bus.tell(StatesChanged(states))


def make_state(name: str, author: str = "Claude Code", **more: Any) -> KeptState:
    """One that began an hour ago and was used two minutes ago."""
    now = time.time()
    made = KeptState(
        f"agent-{author[:3]}", name, author, now - 3600, now - 120, now + 480, 4, False, 61.4, "process", "native"
    )
    return replace(made, **more)
