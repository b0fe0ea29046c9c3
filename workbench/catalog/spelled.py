"""Which tool is meant by one word, in any of the ways people and papers write a tool's whole name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from workbench.catalog.faults import nearest
from workbench.errors import WorkbenchError
from workbench.identifiers import package_name
from workbench.records import Tool

_MARK = re.compile(r"__|\.|/")


def spelled(name: str, tools: Sequence[Tool]) -> tuple[str, str]:
    """Server and tool of `mcp__server__tool`, `server__tool`, `server.tool`, `server/tool`, `servers.server.tool` (as
    programs import it), or of a name that only one server has."""
    wanted = name.strip().removeprefix("mcp__")
    servers = {tool.server: tool.server for tool in tools} | {package_name(tool.server): tool.server for tool in tools}
    if "servers" not in servers:
        wanted = wanted.removeprefix("servers.")
    parts = [(wanted[: mark.start()], wanted[mark.end() :]) for mark in _MARK.finditer(wanted)]
    meant = [(servers[server], name) for server, name in parts if server in servers]
    there = {(tool.server, tool.name) for tool in tools} if len(meant) > 1 else set()  # `a__b` beside `a`
    if meant:
        return next((one for one in meant if one in there), meant[0])
    alone = [tool for tool in tools if tool.name == wanted]
    if len(alone) == 1:
        return alone[0].server, wanted
    if alone:
        some = ", ".join(sorted(f"{tool.server}.{wanted}" for tool in alone)[:5])
        raise WorkbenchError(f"Several servers have a tool {wanted!r:.100}.", f"Say which: {some}.")
    hint = nearest(wanted, [*(tool.name for tool in tools), *(f"{tool.server}.{tool.name}" for tool in tools)])
    raise WorkbenchError(f"There is no tool {wanted!r:.100}.", hint or "search_tools finds what there is.")


def parted(server: str, name: str, servers: Iterable[str], find: Callable[[str, str], object]) -> tuple[str, str]:
    """The same two, or what `server__name` else may mean where a server has that mark in its own name. An identifier is
    cut by programs that do not know the servers."""
    whole = f"{server}__{name}"
    meant = [(one, whole[len(one) + 2 :]) for one in servers if whole.startswith(f"{one}__")]
    there = [one for one in meant if find(*one)]
    return (server, name) if (server, name) in there else next(iter([*there, *meant]), (server, name))
