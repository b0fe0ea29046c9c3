"""The one resolver of tool names: which of the known tools a name means, in every spelling that is accepted.

Programs, agents, papers and users write one tool as `list-orders`, `list_orders` (its Python name), `demo.list_orders`,
`demo__list_orders`, `mcp__demo__list_orders`, `demo/list_orders` or `servers.demo.list_orders`. Analysis, the checks
before a run, calls out of the sandbox, the agent endpoint and the command line ask here, so that they never disagree
about which tool is meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from workbench.identifiers import fold, package_name, python_names
from workbench.records import Tool
from workbench.similar_names import similar_names

_SEPARATOR = re.compile(r"__|\.|/")


@dataclass(frozen=True)
class _ServerTools:
    """The tools of one server; the indexes are built when a name of this server is first looked up."""

    name: str
    tools: Mapping[str, Tool]

    @cached_property
    def functions(self) -> Mapping[str, str]:
        """Raw name → Python name."""
        return python_names(tuple(self.tools))

    @cached_property
    def by_function(self) -> Mapping[str, Tool]:
        return {function: self.tools[name] for name, function in self.functions.items()}

    @cached_property
    def by_fold(self) -> Mapping[str, tuple[Tool, ...]]:
        found: dict[str, tuple[Tool, ...]] = {}
        for tool in self.tools.values():
            found[fold(tool.name)] = (*found.get(fold(tool.name), ()), tool)
        return found

    def candidates(self, name: str) -> tuple[Tool, ...]:
        exact = self.tools.get(name) or self.by_function.get(name)
        return (exact,) if exact is not None else self.by_fold.get(fold(name), ())


class ToolNames:
    """Resolves names over a list of tools that does not change. Pure: it may be used from any thread."""

    def __init__(self, tools: Iterable[Tool], servers: Iterable[str] = ()) -> None:
        """`servers`: names of servers that are known though their tools are not."""
        listed: dict[str, dict[str, Tool]] = {name: {} for name in servers}
        for tool in tools:
            listed.setdefault(tool.server, {}).setdefault(tool.name, tool)  # of tools with one name the first counts
        self._servers = {name: _ServerTools(name, found) for name, found in listed.items()}
        self._packages: dict[str, list[str]] = {}
        self._folded: dict[str, list[str]] = {}
        for name in listed:
            self._packages.setdefault(package_name(name), []).append(name)
            self._folded.setdefault(fold(name), []).append(name)

    # servers

    def servers(self, name: str) -> Sequence[str]:
        """The servers that a name means: its own name, that of its Python package, or a spelling of either."""
        if name in self._servers:
            return (name,)
        return self._packages.get(name) or self._folded.get(fold(name)) or ()

    def server(self, name: str) -> str | None:
        """The only server that a name means."""
        found = self.servers(name)
        return found[0] if len(found) == 1 else None

    def server_of_package(self, package: str) -> str | None:
        """The only server whose functions are imported from `servers.<package>`, spelled exactly so."""
        found = self._packages.get(package, ())
        return found[0] if len(found) == 1 else None

    def tools_of(self, server: str) -> tuple[Tool, ...]:
        """All tools of the servers that a name means."""
        return tuple(tool for one in self.servers(server) for tool in self._servers[one].tools.values())

    # tools

    def find(self, server: str, name: str) -> Tool | None:
        """The only tool that a server's name and a tool's name mean, raw or as Python spells them."""
        found = self.candidates(server, name)
        return found[0] if len(found) == 1 else None

    def find_exact(self, server: str, name: str) -> Tool | None:
        """The tool of a server by its raw name or its Python name, as an import spells them."""
        there = self._servers.get(server)
        return (there.tools.get(name) or there.by_function.get(name)) if there is not None else None

    def candidates(self, server: str, name: str) -> tuple[Tool, ...]:
        """All tools that the two names may mean; an exact spelling leaves one of each server. An identifier may
        have been cut within a name, without knowing the servers: where that leads to no tool, both are one again."""
        found = tuple(tool for one in self.servers(server) for tool in self._servers[one].candidates(name))
        return found or self.candidates_of_id(f"{server}__{name}")

    def find_id(self, identifier: str) -> Tool | None:
        """The only tool that one text means: a whole name with its server, or a name that one server alone has."""
        found = self.candidates_of_id(identifier)
        return found[0] if len(found) == 1 else None

    def candidates_of_id(self, identifier: str) -> tuple[Tool, ...]:
        """All tools that one text may mean. Server and tool may hold the separator themselves: the first place counts
        where cutting leads to a tool."""
        for server, name in self.splits(identifier):
            if found := tuple(tool for one in self.servers(server) for tool in self._servers[one].candidates(name)):
                return found
        if not (bare := self._bare(identifier)):
            return ()
        alone = [tool for one in self._servers.values() for tool in one.candidates(bare)]
        exact = [tool for tool in alone if bare in (tool.name, self.function(tool))]
        return tuple(exact or alone)

    def splits(self, identifier: str) -> list[tuple[str, str]]:
        """Every way to cut one text into the name of a known server and the rest, the shortest server first."""
        bare = self._bare(identifier)
        cuts = ((bare[: mark.start()], bare[mark.end() :]) for mark in _SEPARATOR.finditer(bare))
        return [(server, name) for server, name in cuts if self.servers(server)]

    def function(self, tool: Tool) -> str:
        """The name of a tool in Python."""
        return self._servers[tool.server].functions[tool.name]

    def functions(self, server: str) -> Mapping[str, str]:
        """Raw name → Python name of every tool of a server."""
        return self._servers[server].functions

    # suggestions

    def similar_servers(self, name: str, most: int = 3) -> list[str]:
        return similar_names(name, self._servers, most)

    def similar(self, name: str, server: str = "", most: int = 3) -> list[Tool]:
        """The tools whose names are most like one that no tool has: of this server, or of all when it has none."""
        known: dict[str, list[Tool]] = {}
        own = self.tools_of(server)
        for tool in own or (tool for one in self._servers.values() for tool in one.tools.values()):
            for spelling in (self.function(tool), tool.name) if own else (tool.name, f"{tool.server}.{tool.name}"):
                known.setdefault(spelling, []).append(tool)
        close = similar_names(name if own or not server else f"{server}.{name}", known, 2 * most)
        found = [tool for spelling in close for tool in known[spelling]]
        return list({(tool.server, tool.name): tool for tool in found}.values())[:most]

    def _bare(self, identifier: str) -> str:
        bare = identifier.strip().removeprefix("mcp__")
        return bare if self.servers("servers") else bare.removeprefix("servers.")


def tool_names(tools: Sequence[Tool]) -> ToolNames:
    """The resolver over these tools. That of the last tuple is kept, because one list serves many programs."""
    global _last
    if isinstance(tools, tuple) and tools is _last[0]:
        return _last[1]
    made = ToolNames(tools)
    if isinstance(tools, tuple):  # nobody can change it meanwhile
        _last = tools, made
    return made


_last: tuple[tuple[Tool, ...], ToolNames] = ((), ToolNames(()))
