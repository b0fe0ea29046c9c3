"""What a person asks of the calls that were made."""

from __future__ import annotations

from typing import Protocol

from workbench.records import PastCall, PastQuery


class PastQuestions(Protocol):
    """The history of calls: find, look at, forget."""

    async def past(self, query: PastQuery) -> tuple[PastCall, ...]:
        """The newest calls that fit, without their outcomes."""

    async def past_call(self, number: int) -> PastCall:
        """One call with its outcome."""

    async def forget(self, numbers: tuple[int, ...]) -> None:
        """Take single calls out of the history."""

    async def clear_history(self) -> None:
        """Forget every call."""
