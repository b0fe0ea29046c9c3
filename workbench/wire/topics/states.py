"""What a person asks of sandboxes that are kept between programs."""

from __future__ import annotations

from typing import Protocol

from workbench.records import KeptState


class StateQuestions(Protocol):
    """Kept states: variables that the next program goes on with."""

    async def states(self) -> tuple[KeptState, ...]:
        """Those that hold a sandbox now, the one used last first, with the memory each holds at this moment."""

    async def end_state(self, session: str, name: str) -> tuple[KeptState, ...]:
        """End one; its variables are lost, and a program that runs in it is ended. Answers with what is left."""
