"""Warnings about suspicious tool definitions, computed on a thread whenever the tools change."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from workbench.analysis.tool_warnings import definition_warnings, neighbour_warnings, unmarked
from workbench.records import Tool, ToolWarning


class DefinitionWarnings:
    """What was found last, by server."""

    def __init__(self) -> None:
        self._own: dict[tuple[str, str, str], tuple[ToolWarning, ...]] = {}  # server, tool, hash: read once
        self._found: Mapping[str, tuple[ToolWarning, ...]] = {}
        self._counts: Counter[tuple[str, str]] = Counter()

    def of(self, server: str) -> tuple[ToolWarning, ...]:
        return self._found.get(server, ())

    def number(self, server: str, tool: str) -> int:
        return self._counts[server, tool]

    def look(self, tools: Sequence[Tool]) -> Mapping[str, tuple[ToolWarning, ...]]:
        """Over all tools at once; takes a while, so it belongs on a thread. `take` makes it count."""
        keys = [(tool.server, tool.name, tool.hash) for tool in tools]
        known = self._own
        own = {
            key: known[key] if key in known else definition_warnings(tool)
            for key, tool in zip(keys, tools, strict=True)
        }
        self._own = own  # swapped as a whole: another thread may look at the same time
        found: dict[str, list[ToolWarning]] = defaultdict(list)
        grouped: dict[str, list[Tool]] = defaultdict(list)
        for key, tool in zip(keys, tools, strict=True):
            found[tool.server] += own[key]
            grouped[tool.server].append(tool)
        for server, its_tools in grouped.items():
            found[server] += unmarked(its_tools)
        for warning in neighbour_warnings(tools):
            found[warning.server].append(warning)
        return {server: tuple(warnings) for server, warnings in found.items() if warnings}

    def take(self, found: Mapping[str, tuple[ToolWarning, ...]]) -> tuple[str, ...]:
        """On the loop; answers with the servers of which other things are known now."""
        before, self._found = self._found, found
        self._counts = Counter((one.server, one.tool) for warnings in found.values() for one in warnings)
        return tuple(sorted(name for name in {*before, *found} if before.get(name) != found.get(name)))
