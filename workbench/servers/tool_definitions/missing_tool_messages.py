"""Messages about a tool that does not exist, or whose server waits to be allowed."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from typing import TYPE_CHECKING

from workbench.errors import WorkbenchError
from workbench.identifiers import package_name
from workbench.records import ServerState, ToolSummary
from workbench.similar_names import did_you_mean

if TYPE_CHECKING:
    from workbench.servers.server import McpServer

_SHOWN = 10  # servers that are named
_UNDEFINED = re.compile(r"name '(\w+)' is not defined")
_NAME = re.compile(r"[\w.@/+-]{1,64}")  # what a project that nobody has agreed to yet may tell an agent: no sentences


def waits(name: str) -> WorkbenchError:
    """For a server that is configured and was never allowed to start."""
    return WorkbenchError(
        f"{name[:100]} waits for the user's Connect: it has not been allowed to start yet.",
        f"The user can press Connect in the workbench's window or run {allowing(name)} in a terminal.",
    )


def waits_for(words: str, states: Iterable[ServerState]) -> str:
    """What to say to an author whose program failed in these words because a server waits; else nothing."""
    for name in not_allowed(states):
        if f"'servers.{package_name(name)}'" in words or f"The server {name!r} has no tool" in words:
            return str(waits(name))
    return ""


def not_imported(words: str, tools: Iterable[ToolSummary]) -> str:
    """What to say to an author whose program used the name of a tool or a server without importing it; else nothing."""
    undefined = _UNDEFINED.match(words)
    if undefined is None:
        return ""
    name = undefined[1]
    lines = [tool.import_line for tool in tools]
    if found := [line for line in lines if line.endswith(f" import {name}")]:
        return f"{name} is a tool; import it first: {' or: '.join(found[:3])}"
    if found := [line for line in lines if line.startswith(f"from servers.{name} import ")]:
        return f"{name} is a server; import its tools by name, such as: {found[0]}"
    return ""


def allowing(name: str) -> str:
    """The command that allows a server."""
    return f"`mcp-workbench servers allow {shlex.quote(name[:100])}`"


def not_allowed(states: Iterable[ServerState]) -> tuple[str, ...]:
    """Servers that wait for the user to allow their first start."""
    return tuple(
        state.config.name for state in states if not (state.allowed or state.config.builtin or state.config.disabled)
    )


def waiting_line(names: Iterable[str]) -> str:
    """One line about servers whose tools are not known yet; empty where there are none."""
    there = list(names)
    if not there:
        return ""
    shown = [name for name in there if _NAME.fullmatch(name)][:_SHOWN]
    more = f"{len(there) - len(shown)} more" if len(there) > len(shown) else ""
    listed = ", ".join([*shown, more] if more else shown)
    wait = "wait" if len(there) > 1 else "waits"
    return f"{listed} {wait} for the user's Connect, or {allowing(shown[0] if shown else 'NAME')} in their terminal."


def no_tool(server: McpServer, name: str) -> WorkbenchError:
    """With the nearest name, or how to learn its tools."""
    if not_allowed((server.state,)):
        return waits(server.name)
    if not server.tools:
        hint = "" if server.running else "Its tools are known once it has been connected."
    else:
        hint = (
            did_you_mean(name, (*server.tools, *server.functions.values()))
            or f"It has {len(server.tools)} tools; search them."
        )
    return WorkbenchError(f"{server.name} has no tool {name!r:.100}.", hint)
