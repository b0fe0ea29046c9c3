"""Requests of servers in the paper project."""

from __future__ import annotations

import asyncio
from typing import Any

from msgspec.structs import replace

from workbench.errors import WorkbenchError
from workbench.events import AskArrived, AskSettled, Bus
from workbench.records import Ask


class PaperAsks:
    """Keeps requests open until a test or an answer settles them."""

    bus: Bus

    def __init__(self) -> None:
        self.ask_list: dict[str, Ask] = {}
        self.ask_fault = ""
        self.answers: list[tuple[Any, ...]] = []

    async def asks(self) -> tuple[Ask, ...]:
        return tuple(self.ask_list.values())

    def put_ask(self, ask: Ask) -> Ask:
        self.ask_list[ask.id] = ask
        self.bus.tell(AskArrived(ask))
        return ask

    def settle_ask(self, ask_id: str, ending: str) -> None:
        self.bus.tell(AskSettled(self.ask_list.pop(ask_id), ending))

    async def answer_ask(self, ask_id: str, action: str, content: str) -> Ask:
        self.answers.append((ask_id, action, content))
        if self.ask_fault:
            raise WorkbenchError(self.ask_fault, "Nothing was sent.")
        ask = self.ask_list[ask_id]
        if ask.kind == "url" and action == "accept" and not ask.opened:
            return self.put_ask(replace(ask, opened=True))
        self.settle_ask(ask_id, action)
        return ask

    async def attend(self, approvals_only: bool = False) -> None:
        await asyncio.Event().wait()
