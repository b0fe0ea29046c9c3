"""One question while it is open: who waits for it, which clocks stand still, and when it is given up."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

from workbench.records import Ask, JsonObject
from workbench.servers.elicitation.refusal import Refusal


class Clock(Protocol):
    """The time of a call; each pause needs its own resume."""

    def pause(self) -> None: ...

    def resume(self) -> None: ...


class OpenAsk:
    """Clocks stand from here to `release`."""

    def __init__(self, ask: Ask, call_key: str, elicitation: str, clocks: tuple[Clock, ...]) -> None:
        self.ask = ask
        self.call_key = call_key  # the call it ends with; empty when nobody knows which one
        self.elicitation = elicitation  # the server's own name for a page to visit
        self.answer: asyncio.Future[JsonObject | Refusal] = asyncio.get_running_loop().create_future()
        self._clocks = clocks
        self._timer: asyncio.Handle | None = None
        for clock in clocks:
            clock.pause()

    @property
    def server(self) -> str:
        return self.ask.server

    def expire_in(self, seconds: float, act: Callable[[str], None]) -> None:
        self._timer = asyncio.get_running_loop().call_later(seconds, act, self.ask.id)

    def settle(self, result: JsonObject | Refusal) -> None:
        """Whoever waits gets the first result; a later one changes nothing."""
        if not self.answer.done():
            self.answer.set_result(result)

    def release(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        clocks, self._clocks = self._clocks, ()
        for clock in clocks:
            clock.resume()
