"""Finds the tool that a name in a program refers to. If several match, the riskiest is used."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from workbench.permissions import tool_verbs
from workbench.permissions.tool_annotations import facts_of
from workbench.records import Hints, Tool
from workbench.records.common_types import rank
from workbench.tool_names import ToolNames, tool_names

MOST_FOUND = 4096  # maximum number of cached lookups; the names come from programs


class UnknownTool(Struct, frozen=True):
    """A name that no known tool has."""

    server: str
    tool: str
    server_known: bool
    nearest: tuple[str, ...]


class ToolLookup:
    """Index of all known tools. If `tools` is None, the catalogue is unknown and tools are judged by their names."""

    def __init__(self, tools: Sequence[Tool] | None) -> None:
        self.open = tools is None
        self._names: ToolNames = tool_names(tools or ())
        self._found: dict[tuple[str, str], Tool | UnknownTool] = {}

    def find(self, server: str, name: str) -> Tool | UnknownTool:
        """Return the tool by its original or generated name."""
        found = self._found.get((server, name))
        if found is None:
            if len(self._found) >= MOST_FOUND:
                self._found.clear()
            found = self._found[server, name] = self._find(server, name)
        return found

    def find_id(self, identifier: str) -> Tool | UnknownTool:
        """Return the tool of `mcp__server__tool`, or of another spelling of its full name."""
        if found := self._names.candidates_of_id(identifier):
            return _riskiest(found)
        bare = identifier.removeprefix("mcp__")
        server, mark, name = bare.partition("__")
        if not mark:
            server, mark, name = bare.partition(".")
        return self.find(server, name) if server and name else UnknownTool("", bare, False, self._nearest("", bare))

    def offered(self, server: str) -> tuple[Tool, ...]:
        """Return all tools of this server."""
        return self._names.tools_of(server)

    def _find(self, server: str, name: str) -> Tool | UnknownTool:
        if found := self._names.candidates(server, name):
            return _riskiest(found)
        if self.open:
            return by_name(server, name)
        return UnknownTool(server, name, bool(self._names.tools_of(server)), self._nearest(server, name))

    def _nearest(self, server: str, name: str) -> tuple[str, ...]:
        return tuple(f"{tool.server}.{tool.name}" for tool in self._names.similar(name, server))


def _riskiest(tools: Sequence[Tool]) -> Tool:
    return max(tools, key=lambda tool: rank(facts_of(tool).risk))


def tool_lookup(tools: Sequence[Tool] | None) -> ToolLookup:
    """Return the index of these tools. The last one is cached, because many programs use the same list."""
    global _last
    if isinstance(tools, tuple) and tools is _last[0]:
        return _last[1]
    made = ToolLookup(tools)
    if isinstance(tools, tuple):  # tuples are immutable
        _last = tools, made
    return made


_last: tuple[tuple[Tool, ...], ToolLookup] = ((), ToolLookup(()))


def servers_in(identifier: str) -> list[str]:
    """Return the server names that a full name may begin with. Both parts may contain the separator."""
    bare = identifier.removeprefix("mcp__")
    return [bare[: mark.start()] for mark in re.finditer(r"__|\.|/", bare) if mark.start()]


def by_name(server: str, name: str) -> Tool:
    """Return a tool judged by its name alone: reading verbs read, any other tool may delete data."""
    reading = tool_verbs.reads(name) and not tool_verbs.destroys(name)
    return Tool(server, name, hints=Hints(read_only=reading or None))
