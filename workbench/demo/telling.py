"""Notifications of the demo server: updates of subscribed resources, and log messages at or above a level."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any, TypeAlias

from workbench.demo.company import Company
from workbench.demo.resources import VISITORS

LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
Write: TypeAlias = Callable[[dict[str, Any]], None]  # Any: a JSON-RPC message


class Telling:
    """Subscriptions and log level of one client. The log level is `info` until the client sets one."""

    def __init__(self, company: Company, write: Write, beat: float) -> None:
        self._company = company
        self._write = write
        self._beat = beat  # seconds between two changes of the live resource
        self._subscribed: set[str] = set()
        self._level = LEVELS.index("info")
        self._live: asyncio.Task[None] | None = None

    def set_level(self, level: object) -> bool:
        """Set the log level. Returns false for an unknown level."""
        if level not in LEVELS:
            return False
        self._level = LEVELS.index(str(level))
        return True

    def subscribe(self, uri: str) -> None:
        self._subscribed.add(uri)
        if uri == VISITORS and self._live is None:
            self._live = asyncio.get_running_loop().create_task(self._pulse(), name="visitors")

    def unsubscribe(self, uri: str) -> None:
        self._subscribed.discard(uri)
        if uri == VISITORS and self._live is not None:
            self._live.cancel()
            self._live = None

    def changed(self, uri: str) -> None:
        if uri in self._subscribed:
            self._write({"method": "notifications/resources/updated", "params": {"uri": uri}})

    def log(self, level: str, data: object, logger: str = "demo") -> None:
        if LEVELS.index(level) >= self._level:
            params = {"level": level, "logger": logger, "data": data}
            self._write({"method": "notifications/message", "params": params})

    async def close(self) -> None:
        if self._live is not None:
            self._live.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._live

    async def _pulse(self) -> None:
        """Change the visitors resource periodically while a client subscribes to it."""
        while True:
            await asyncio.sleep(self._beat)
            self._company.pulse += 1
            self.changed(VISITORS)
