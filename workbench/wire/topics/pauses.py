"""Nested calls that wait for a person in the middle of a run."""

from __future__ import annotations

from typing import Protocol

from workbench.records import Pause, PauseAnswer


class PauseQuestions(Protocol):
    """Calls that wait."""

    async def pauses(self) -> tuple[Pause, ...]:
        """What waits right now, oldest first."""

    async def answer_pause(self, answer: PauseAnswer) -> Pause:
        """Let it pass or deny it; the answer counts for exactly the calls that the pause of this id showed."""
