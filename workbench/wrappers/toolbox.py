"""The tools as a program names them: `servers.<package>.<function>`, `call_tool(server, tool)`, `mcp__server__tool`."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

from workbench.identifiers import package_name, python_names
from workbench.quick_records import dataclass
from workbench.records import Tool
from workbench.wrappers.shapes import Definition


@dataclass(frozen=True, slots=True)
class Named:
    """A tool and the name of its function."""

    tool: Tool
    function: str


class Toolbox:
    """Finds tools by name; the names of a server are worked out when one of its tools is first asked for."""

    def __init__(self, tools: Sequence[Tool]) -> None:
        self._servers: dict[str, list[Tool]] = {}
        for tool in tools:
            self._servers.setdefault(tool.server, []).append(tool)
        self._packages: dict[str, list[str]] = {}
        for server in self._servers:
            self._packages.setdefault(package_name(server), []).append(server)
        self._named: dict[str, dict[str, Named]] = {}
        self.definitions: dict[str, Definition | None] = {}  # what functions take, as far as somebody asked

    def server_of(self, package: str) -> str | None:
        """The server behind a package; None where no server or more than one would be."""
        servers = self._packages.get(package, [])
        return servers[0] if len(servers) == 1 else None

    def knows(self, server: str) -> bool:
        return server in self._servers

    def find(self, server: str, name: str) -> Named | None:
        """By function or by the server's own name; of tools with one name the first counts."""
        if python_names([name])[name] == name:  # an exact name is never another tool's function
            exact = next((tool for tool in self._servers.get(server, []) if tool.name == name), None)
            if exact is not None:
                return Named(exact, name)
        return self._functions(server).get(name)

    def is_file(self, server: str, name: str) -> bool:
        """Whether it may be the file of a function, which can be imported as well and may have another ending."""
        bare = name.rstrip("_").casefold()
        return any(known.rstrip("_").casefold() == bare for known in self._functions(server))

    def nearest(self, server: str, name: str) -> list[str]:
        """The functions whose names are most like this one, best first."""
        return nearest(
            name, [one.function for one in {id(one): one for one in self._functions(server).values()}.values()]
        )

    def _functions(self, server: str) -> dict[str, Named]:
        if server not in self._named:
            tools = {tool.name: tool for tool in reversed(self._servers.get(server, []))}
            names = python_names([tool.name for tool in self._servers.get(server, [])])
            by_raw = {raw: Named(tools[raw], function) for raw, function in names.items()}
            self._named[server] = {**by_raw, **{one.function: one for one in by_raw.values()}}
        return self._named[server]


def toolbox(tools: Sequence[Tool]) -> Toolbox:
    """The box of these tools; that of the last list is still there, because one list serves many programs."""
    global _last
    if isinstance(tools, tuple) and tools is _last[0]:
        return _last[1]
    made = Toolbox(tools)
    if isinstance(tools, tuple):  # nobody can change it meanwhile
        _last = tools, made
    return made


_last: tuple[tuple[Tool, ...], Toolbox] = ((), Toolbox(()))


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """Up to three names most like this one, in whatever case."""
    lowered = {candidate.casefold(): candidate for candidate in known}
    return [lowered[found] for found in difflib.get_close_matches(name.casefold()[:200], lowered, n=3, cutoff=0.61)]
