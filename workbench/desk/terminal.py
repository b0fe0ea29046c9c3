"""Answers from a terminal: who gave them, and the PIN that the user may ask for first."""

from __future__ import annotations

import asyncio

from workbench.api.marker import api
from workbench.api.peer_credentials import current_caller
from workbench.desk.seat import BY, House, Seat
from workbench.desk.terminal_pin import TerminalPin
from workbench.records import Note


class TerminalDesk(Seat):
    """The PIN."""

    def __init__(self, house: House) -> None:
        super().__init__(house)
        self._pin = TerminalPin(house.services.paths.terminal_pin)

    @api
    async def has_pin(self) -> bool:
        """Whether answers from a terminal need a PIN."""
        return self._pin.is_set

    @api(consent=True)
    async def may_answer(self) -> None:
        """Raises where no answer would be taken from, so that nobody is shown a question in vain."""
        self._check_here()

    @api(consent=True)
    async def unlock(self, pin: str) -> None:
        """Take answers over this connection from now on; raises for a wrong PIN."""
        await asyncio.to_thread(self._pin.check, pin)
        if (one := current_caller()) is not None:
            one.unlocked = True

    @api(decides=True, consent=True)
    async def set_pin(self, pin: str, old: str) -> None:
        """Ask for this PIN from now on; one that is set is needed to replace it."""
        self._check_here()
        await asyncio.to_thread(self._pin.set, pin, old)
        self._note_pin("pin.set", "You set a PIN for answers from a terminal")

    @api(decides=True, consent=True)
    async def clear_pin(self, old: str) -> None:
        """Ask for none any more."""
        self._check_here()
        await asyncio.to_thread(self._pin.clear, old)
        self._note_pin("pin.cleared", "You removed the PIN for answers from a terminal")

    def _check_here(self) -> None:
        if (one := current_caller()) is not None:
            self._check_interactive(one)

    def _note_pin(self, kind: str, summary: str) -> None:
        one = current_caller()
        self._services.journal.append(Note(kind, summary, actor=BY, detail={"terminal": one.words if one else ""}))
