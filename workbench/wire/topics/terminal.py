"""Answers from a terminal, and the PIN that a user may ask for before one is taken."""

from __future__ import annotations

from typing import Protocol


class TerminalQuestions(Protocol):
    """The PIN."""

    async def has_pin(self) -> bool:
        """Whether answers from a terminal need a PIN."""
        ...

    async def may_answer(self) -> None:
        """Raises where no answer would be taken from, so that nobody is shown a question in vain."""

    async def unlock(self, pin: str) -> None:
        """Take answers over this connection from now on; raises for a wrong PIN."""

    async def set_pin(self, pin: str, old: str) -> None:
        """Ask for this PIN from now on; one that is set is needed to replace it."""

    async def clear_pin(self, old: str) -> None:
        """Ask for none any more."""
