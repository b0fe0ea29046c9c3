"""Tools of one server as it lists them and as the user approved them; known tools and warnings of all servers."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from workbench.analysis.tool_warnings import definition_warnings, similar_name_warnings, unannotated_warnings
from workbench.events import DefinitionsBlocked, Event, ToolsChanged
from workbench.identifiers import python_names
from workbench.records import ServerConfig, Tool, ToolWarning
from workbench.servers.tool_definitions.definition_pins import DefinitionPins
from workbench.tool_names import ToolNames


class ServerTools:
    """Tools of one server. Calls use the approved definitions; changed ones wait for approval."""

    def __init__(
        self,
        config: ServerConfig,
        folder: Path,
        tell: Callable[[Event], None],
        tool_annotator: Callable[[], Callable[[Tool], Tool]] = lambda: lambda tool: tool,
    ) -> None:
        """`tool_annotator` returns a function that applies the user's current trust to a tool."""
        self._server = config.name
        self._tool_annotator = tool_annotator
        self._tell = tell
        self._saving = asyncio.Lock()
        self.pins = DefinitionPins(config.name, folder, trusted=config.builtin)
        self.listed: tuple[Tool, ...] = ()  # as the server lists them
        self.approved: Mapping[str, Tool] = {}  # as the user approved them
        self.functions: Mapping[str, str] = {}  # raw name → Python name
        self.warnings: tuple[str, ...] = ()  # warnings about the list as last read

    def keep(self, tools: tuple[Tool, ...], warnings: tuple[str, ...]) -> None:
        """Take over the server's current list."""
        self.listed = tools
        weighed = self._tool_annotator()
        self.approved = {tool.name: weighed(tool) for tool in self.pins.take(tools)}
        self.functions = python_names(tuple(self.approved))
        self.warnings = warnings
        if blocked := self.pins.tell():
            self._tell(DefinitionsBlocked(self._server, blocked))

    def weigh_again(self) -> None:
        """Apply the user's changed trust to the approved tools."""
        weighed = self._tool_annotator()
        self.approved = {name: weighed(tool) for name, tool in self.approved.items()}
        self._tell(ToolsChanged(self._server))

    async def approve(self, wanted: Mapping[str, str]) -> None:
        """Approve these definitions for the user, by tool and hash."""
        self.pins.approve(wanted)
        self.keep(self.listed, self.warnings)
        self._tell(ToolsChanged(self._server))
        await self.save()

    async def look(self) -> None:
        """Mark new and removed tools as viewed by the user."""
        self.pins.look()
        self._tell(ToolsChanged(self._server))
        await self.save()

    async def save(self) -> None:
        async with self._saving:  # an older state never overwrites a newer one
            if (value := self.pins.dump()) is not None:
                await asyncio.to_thread(self.pins.save, value)


class KnownTools:
    """Immutable snapshot of all tool lists; values derived from it can be cached."""

    def __init__(self, lists: Mapping[str, Mapping[str, Tool]]) -> None:
        """`lists`: the tools of each server by name. A changed list is a new object; lists are never modified."""
        self._lists = lists
        self.tools = tuple(tool for one in lists.values() for tool in one.values())

    @cached_property
    def names(self) -> ToolNames:
        return ToolNames(self.tools, self._lists)

    def updated(self, lists: Mapping[str, Mapping[str, Tool]]) -> KnownTools:
        """Return a new snapshot, or this one if all lists are the same objects."""
        before = self._lists
        same = len(lists) == len(before) and all(before.get(name) is one for name, one in lists.items())
        return self if same else KnownTools(lists)


class DefinitionWarnings:
    """Warnings about tool definitions found last, by server."""

    def __init__(self) -> None:
        self._own: dict[tuple[str, str, str], tuple[ToolWarning, ...]] = {}  # cache by server, tool, hash
        self._found: Mapping[str, tuple[ToolWarning, ...]] = {}
        self._counts: Counter[tuple[str, str]] = Counter()

    def of(self, server: str) -> tuple[ToolWarning, ...]:
        return self._found.get(server, ())

    def number(self, server: str, tool: str) -> int:
        return self._counts[server, tool]

    def look(self, tools: Sequence[Tool]) -> Mapping[str, tuple[ToolWarning, ...]]:
        """Check all tools together. Slow: call it on a thread, then pass the result to `take`."""
        keys = [(tool.server, tool.name, tool.hash) for tool in tools]
        known = self._own
        own = {
            key: known[key] if key in known else definition_warnings(tool)
            for key, tool in zip(keys, tools, strict=True)
        }
        self._own = own  # replaced as a whole: another thread may read it at the same time
        found: dict[str, list[ToolWarning]] = defaultdict(list)
        grouped: dict[str, list[Tool]] = defaultdict(list)
        for key, tool in zip(keys, tools, strict=True):
            found[tool.server] += own[key]
            grouped[tool.server].append(tool)
        for server, its_tools in grouped.items():
            found[server] += unannotated_warnings(its_tools)
        for warning in similar_name_warnings(tools):
            found[warning.server].append(warning)
        return {server: tuple(warnings) for server, warnings in found.items() if warnings}

    def take(self, found: Mapping[str, tuple[ToolWarning, ...]]) -> tuple[str, ...]:
        """Store the result of `look`. Called on the event loop. Returns the servers whose warnings changed."""
        before, self._found = self._found, found
        self._counts = Counter((one.server, one.tool) for warnings in found.values() for one in warnings)
        return tuple(sorted(name for name in {*before, *found} if before.get(name) != found.get(name)))
