"""Tells one agent that its list of tools is another one: one line in older versions of the protocol, an event on the
stream that it asked for since 2026-07-28. Who never asked for the list is told nothing.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

import anyio
import mcp.types as T
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged

from workbench.agent.program_tools import Context
from workbench.events import spawn

log = logging.getLogger(__name__)

CALM: Final = 0.1  # seconds in which changes gather
MOST_STREAMS: Final = 4  # on which one agent may listen at once


class ToolListChanges:
    """One agent's."""

    def __init__(self, tools: Callable[[], Awaitable[Sequence[T.Tool]]]) -> None:
        """`tools`: the list as it is now, without starting a server for it."""
        self._tools = tools
        self._listed: Sequence[T.Tool] | None = None  # as the agent got it
        self._asker: Context | None = None
        self._bus = InMemorySubscriptionBus()
        self.listen = ListenHandler(self._bus, max_subscriptions=MOST_STREAMS)
        self._looking: asyncio.Task[None] | None = None

    def note(self, context: Context, tools: Sequence[T.Tool]) -> None:
        """The agent got this list."""
        self._listed, self._asker = tools, context

    def look_again(self) -> None:
        """Something changed that the list may depend on."""
        if self._listed is not None and (self._looking is None or self._looking.done()):
            self._looking = spawn("agent's list of tools", self._look())

    async def close(self) -> None:
        if self._looking is not None and not self._looking.done():
            self._looking.cancel()
            await asyncio.wait([self._looking])

    async def _look(self) -> None:
        await asyncio.sleep(CALM)
        now = await self._tools()
        if self._asker is None or self._listed == now:
            return
        self._listed = now
        await self._bus.publish(ToolsListChanged())
        try:
            await self._asker.session.send_tool_list_changed()
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            log.debug("an agent left before it was told of its tools")
