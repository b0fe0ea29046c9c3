"""Resolves tool names: finds the tool that a name refers to, in every accepted spelling.

Programs, agents, settings and users write one tool as `list-orders`, `list_orders` (its Python name),
`demo.list_orders`, `demo__list_orders`, `mcp__demo__list_orders`, `demo/list_orders` or `servers.demo.list_orders`.
Analysis, the checks before a run, calls from the sandbox, the agent endpoint and the command line all use this module,
so that they always resolve a name to the same tool.
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
    """The tools of one server. Its indexes are built when a name of this server is first looked up."""

    name: str
    tools: Mapping[str, Tool]

    @cached_property
    def functions(self) -> Mapping[str, str]:
        """Original name → Python name."""
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
    """Resolves names over an immutable list of tools. May be used from any thread."""

    def __init__(self, tools: Iterable[Tool], servers: Iterable[str] = ()) -> None:
        """`servers`: names of known servers whose tools are unknown."""
        listed: dict[str, dict[str, Tool]] = {name: {} for name in servers}
        for tool in tools:
            # of several tools with the same name, the first is used
            listed.setdefault(tool.server, {}).setdefault(tool.name, tool)
        self._servers = {name: _ServerTools(name, found) for name, found in listed.items()}
        self._packages: dict[str, list[str]] = {}
        self._folded: dict[str, list[str]] = {}
        for name in listed:
            self._packages.setdefault(package_name(name), []).append(name)
            self._folded.setdefault(fold(name), []).append(name)

    # servers

    def servers(self, name: str) -> Sequence[str]:
        """Return the servers that a name may mean: a server name, its Python package, or a spelling of either."""
        if name in self._servers:
            return (name,)
        return self._packages.get(name) or self._folded.get(fold(name)) or ()

    def server(self, name: str) -> str | None:
        """Return the server that a name means, or None if there is not exactly one."""
        found = self.servers(name)
        return found[0] if len(found) == 1 else None

    def server_of_package(self, package: str) -> str | None:
        """Return the only server whose functions are imported from `servers.<package>`, spelled exactly like this."""
        found = self._packages.get(package, ())
        return found[0] if len(found) == 1 else None

    def tools_of(self, server: str) -> tuple[Tool, ...]:
        """Return all tools of the servers that a name may mean."""
        return tuple(tool for one in self.servers(server) for tool in self._servers[one].tools.values())

    # tools

    def find(self, server: str, name: str) -> Tool | None:
        """Return the tool that a server name and a tool name mean, or None if there is not exactly one."""
        found = self.candidates(server, name)
        return found[0] if len(found) == 1 else None

    def find_exact(self, server: str, name: str) -> Tool | None:
        """Return the tool of a server by its original name or its Python name, as an import spells them."""
        there = self._servers.get(server)
        return (there.tools.get(name) or there.by_function.get(name)) if there is not None else None

    def candidates(self, server: str, name: str) -> tuple[Tool, ...]:
        """Return all tools that the two names may mean; an exact spelling leaves one per server.

        A caller without the list of servers may have split an identifier inside a name. If the two names match no tool,
        they are joined again and resolved as one identifier."""
        found = tuple(tool for one in self.servers(server) for tool in self._servers[one].candidates(name))
        return found or self.candidates_of_id(f"{server}__{name}")

    def find_id(self, identifier: str) -> Tool | None:
        """Return the tool that an identifier means, or None if there is not exactly one.

        An identifier is a full name with its server, or a name that only one server has."""
        found = self.candidates_of_id(identifier)
        return found[0] if len(found) == 1 else None

    def candidates_of_id(self, identifier: str) -> tuple[Tool, ...]:
        """Return all tools that an identifier may mean.

        Server and tool may both contain the separator, so the first split that gives a tool is used."""
        for server, name in self.splits(identifier):
            if found := tuple(tool for one in self.servers(server) for tool in self._servers[one].candidates(name)):
                return found
        if not (bare := self._bare(identifier)):
            return ()
        alone = [tool for one in self._servers.values() for tool in one.candidates(bare)]
        exact = [tool for tool in alone if bare in (tool.name, self.function(tool))]
        return tuple(exact or alone)

    def splits(self, identifier: str) -> list[tuple[str, str]]:
        """Return every split of an identifier into a known server and the rest, the shortest server first."""
        bare = self._bare(identifier)
        cuts = ((bare[: mark.start()], bare[mark.end() :]) for mark in _SEPARATOR.finditer(bare))
        return [(server, name) for server, name in cuts if self.servers(server)]

    def function(self, tool: Tool) -> str:
        """Return the Python name of a tool."""
        return self._servers[tool.server].functions[tool.name]

    def functions(self, server: str) -> Mapping[str, str]:
        """Return original name → Python name of every tool of a server."""
        return self._servers[server].functions

    # suggestions

    def similar_servers(self, name: str, most: int = 3) -> list[str]:
        return similar_names(name, self._servers, most)

    def similar(self, name: str, server: str = "", most: int = 3) -> list[Tool]:
        """Return the tools with the most similar names, of this server, or of all servers if it has no tools."""
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
    """Return the resolver over these tools. The last one is cached, because many programs use the same list."""
    global _last
    if isinstance(tools, tuple) and tools is _last[0]:
        return _last[1]
    made = ToolNames(tools)
    if isinstance(tools, tuple):  # tuples are immutable
        _last = tools, made
    return made


_last: tuple[tuple[Tool, ...], ToolNames] = ((), ToolNames(()))
