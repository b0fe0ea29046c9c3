"""Which calls may be answered from the cache: those of programs, to tools that only read, where a person said so.

A tool only reads if its hints say so and are believed. Whatever else is called at a server, or who is signed in there,
makes what is kept of it void; and a person who presses Call wants to know what the server says now.
"""

from __future__ import annotations

import asyncio
from fnmatch import fnmatchcase

from msgspec.structs import replace

from workbench.broker.services import BrokerServices
from workbench.errors import WorkbenchError
from workbench.events import Event, ServerRemoved, SignInChanged
from workbench.permissions.tool_annotations import tool_risk
from workbench.records import Outcome, Risk, Tool, ToolCall
from workbench.servers.configuration.launch_command import fingerprint
from workbench.workspace.answer_cache import key_of


class AnswerCache:
    """One broker's."""

    hears = (SignInChanged, ServerRemoved)

    def __init__(self, services: BrokerServices) -> None:
        self._services = services

    async def find(self, call: ToolCall, tool: Tool) -> Outcome | None:
        """An answer that is kept, as if the server had given it just now."""
        if not call.run_id or not self._is_cached(tool):
            return None
        found = await asyncio.to_thread(self._services.cache.find, tool.server, self._key(call, tool))
        return None if found is None else replace(found, call_id=call.id)

    async def learn(self, call: ToolCall, tool: Tool, outcome: Outcome) -> None:
        """The server was asked: its answer is kept, or what was kept before is void."""
        if tool_risk(tool) is not Risk.LOW:
            if self._services.settings().cache_tools:
                await asyncio.to_thread(self._services.cache.forget, tool.server)
        elif self._is_cached(tool) and outcome.ok:
            await asyncio.to_thread(self._services.cache.keep, tool.server, self._key(call, tool), outcome)

    def hear(self, event: Event) -> None:
        """Somebody else may be signed in now."""
        if isinstance(event, SignInChanged) and self._services.settings().cache_tools:
            self._services.cache.forget(event.server)
        elif isinstance(event, ServerRemoved) and self._services.settings().cache_tools:
            self._services.cache.forget(event.name)

    def _is_cached(self, tool: Tool) -> bool:
        if not (wished := self._services.settings().cache_tools):
            return False
        names = wished.split()
        if not tool.hints.read_only or tool_risk(tool) is not Risk.LOW:
            return False
        return any(name == tool.server or fnmatchcase(f"{tool.server}.{tool.name}", name) for name in names)

    def _key(self, call: ToolCall, tool: Tool) -> str:
        try:
            entry = fingerprint(self._services.catalog.server(tool.server).state.config)
        except WorkbenchError:
            entry = ""
        return key_of(tool.hash, entry, tool.name, call.arguments)
