"""Answers what a person is asked by servers."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext

from workbench.desk.seat import Seat
from workbench.errors import WorkbenchError
from workbench.records import Ask
from workbench.runs.askings import given_fields


class AsksDesk(Seat):
    """Questions of servers."""

    async def asks(self) -> tuple[Ask, ...]:
        return self._catalog.asks.all()

    async def answer_ask(self, ask_id: str, action: str, content: str) -> Ask:
        ask = next((one for one in self._catalog.asks.all() if one.id == ask_id), None)
        if ask is None:
            raise WorkbenchError("This question is not open any more.", "Its server or its call has ended.")
        answered = self._catalog.asks.answer(ask_id, action, self._house.askings.restored(ask, content))
        if action == "accept" and ask.kind == "form":
            fields = given_fields(content) or "nothing"
            self._note("ask.given", f"You gave {ask.server}: {fields}", server=ask.server, run_id=ask.run_id)
        return answered

    async def attend(self, approvals_only: bool = False) -> None:
        servers = nullcontext() if approvals_only else self._catalog.asks.attending()
        with self._house.conveyor.approvals.attending(), servers:
            await asyncio.Event().wait()
