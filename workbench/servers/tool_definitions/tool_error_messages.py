"""Error messages and hints for a caller that named an unknown tool or passed wrong arguments."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from workbench.errors import WorkbenchError
from workbench.identifiers import package_name
from workbench.records import JsonObject, ServerState, ServerStatus, Tool, ToolSummary
from workbench.similar_names import did_you_mean, similar_names

if TYPE_CHECKING:
    from workbench.servers.server import McpServer

_SHOWN = 30  # parameters listed in a hint
_ABOUT_ARGUMENTS = re.compile(
    r"argument|parameter|validation|invalid|required|missing|unexpected|unknown (field|key|property)|schema"
    r"|additional propert|not allowed",
    re.IGNORECASE,
)


def hint(tool: Tool, arguments: JsonObject, complaint: str) -> str:
    """Return a hint with the valid parameters when the message or the arguments show that arguments
    are wrong; else ""."""
    if not _are_the_trouble(tool, arguments, complaint):
        return ""
    return " ".join(part for part in (_unknown_parameters(tool, arguments), list_parameters(tool)) if part)


def names(tool: Tool, arguments: JsonObject, complaint: str) -> tuple[list[str], list[str]]:
    """Return the same for programs: the valid parameters, required ones first, and those similar to
    the unknown ones."""
    if not _are_the_trouble(tool, arguments, complaint):
        return [], []
    known, required = _parameters(tool), _required(tool)
    valid = sorted(known, key=lambda name: name not in required)
    close = [found for name in list(arguments)[:_SHOWN] if name not in known for found in similar_names(name, valid, 1)]
    return valid, list(dict.fromkeys(close))


def _are_the_trouble(tool: Tool, arguments: JsonObject, complaint: str) -> bool:
    told = _ABOUT_ARGUMENTS.search(complaint[:5_000])
    return bool(told) or _lacking(tool, arguments) or bool(_unknown_parameters(tool, arguments))


def list_parameters(tool: Tool) -> str:
    """Format the parameters: `Parameters: title (string, required), body (string).`"""
    known, required = _parameters(tool), _required(tool)
    if not known:
        return "It takes no parameters."
    shown = [
        _describe_parameter(name, known[name], name in required)
        for name in sorted(known, key=lambda name: name not in required)
    ]
    more = f" … and {len(shown) - _SHOWN} more" if len(shown) > _SHOWN else ""
    return f"Parameters: {', '.join(shown[:_SHOWN])}{more}."


def _unknown_parameters(tool: Tool, arguments: JsonObject) -> str:
    known = _parameters(tool)
    if "patternProperties" in tool.input_schema or not known:
        return ""
    sentences = [
        f"There is no parameter {name}. {did_you_mean(name, known, 1)}".strip()
        for name in arguments
        if name not in known
    ]
    return " ".join(sentences[:3])


def _lacking(tool: Tool, arguments: JsonObject) -> bool:
    return any(name not in arguments for name in _required(tool))


def _parameters(tool: Tool) -> Mapping[str, object]:
    found = tool.input_schema.get("properties")
    return found if isinstance(found, Mapping) else {}


def _required(tool: Tool) -> tuple[str, ...]:
    found = tool.input_schema.get("required")
    return tuple(name for name in found if isinstance(name, str)) if isinstance(found, list) else ()


def _describe_parameter(name: str, schema: object, required: bool) -> str:
    kind = _kind(schema) if isinstance(schema, Mapping) else ""
    words = [word for word in (kind, "required" if required else "") if word]
    return f"{name:.80} ({', '.join(words)})" if words else f"{name:.80}"


def _kind(schema: Mapping[str, object]) -> str:
    values = schema.get("enum")
    if isinstance(values, list) and 0 < len(values) <= 8:
        return " | ".join(repr(value)[:40] for value in values)
    kind = schema.get("type")
    if isinstance(kind, list):
        return " or ".join(str(one) for one in kind)
    return kind if isinstance(kind, str) else ""


_NAMES_LISTED = 10  # servers listed by name
_UNDEFINED = re.compile(r"name '(\w+)' is not defined")
# Names that may be shown to an agent without the user's consent; sentences are not shown.
_NAME = re.compile(r"[\w.@/+-]{1,64}")


def server_not_allowed(name: str) -> WorkbenchError:
    """Error for a configured server that the user has not allowed to start."""
    return WorkbenchError(
        f"The user has not allowed this server to start yet: {name[:100]}.",
        f"The user can press Connect in the workbench's window or run {allowing(name)} in a terminal.",
    )


def cannot_use(words: str, states: Sequence[ServerState]) -> str:
    """Return a hint for an agent whose program failed with this message because a server has not been
    allowed or does not start; else ""."""
    waiting = not_allowed(states)
    for state in states:
        name = state.config.name
        if f"'servers.{package_name(name)}'" not in words and f"The server {name!r} has no tool" not in words:
            continue
        if name in waiting:
            return str(server_not_allowed(name))
        if state.status is ServerStatus.FAILED:
            return server_failed(name)
    return ""


def server_failed(name: str) -> str:
    """Return what an agent must know of a server that does not run, with the remedy."""
    return (
        f"{name} could not be started or has ended, so calls of its tools fail. The user can start it again in the "
        f"workbench's window or with {allowing(name)}."
    )


def not_imported(words: str, tools: Iterable[ToolSummary]) -> str:
    """Return a hint for an agent whose program used a tool or server name without importing it; else ""."""
    undefined = _UNDEFINED.match(words)
    if undefined is None:
        return ""
    name = undefined[1]
    lines = [tool.import_line for tool in tools]
    if found := [line for line in lines if line.endswith(f" import {name}")]:
        return f"{name} is a tool; import it first: {' or: '.join(found[:3])}"
    if found := [line for line in lines if line.startswith(f"from servers.{name} import ")]:
        return f"{name} is a server; import its tools by name, for example: {found[0]}"
    return ""


def allowing(name: str) -> str:
    """Return the command that allows a server."""
    return f"`mcp-workbench servers allow {shlex.quote(name[:100])}`"


def not_allowed(states: Iterable[ServerState]) -> tuple[str, ...]:
    """Return the servers that wait for the user to allow their first start."""
    return tuple(
        state.config.name for state in states if not (state.allowed or state.config.builtin or state.config.disabled)
    )


def waiting_line(names: Iterable[str]) -> str:
    """Return one line about servers whose tools are not known yet; "" when there are none."""
    there = list(names)
    if not there:
        return ""
    shown = [name for name in there if _NAME.fullmatch(name)][:_NAMES_LISTED]
    more = f"{len(there) - len(shown)} more" if len(there) > len(shown) else ""
    listed = ", ".join([*shown, more] if more else shown)
    these = "these servers" if len(there) > 1 else "this server"
    return (
        f"The user has not allowed {these} to start yet: {listed}. The user can press Connect in the workbench's "
        f"window or run {allowing(shown[0] if shown else 'NAME')} in a terminal."
    )


def server_line(wanted: str, states: Iterable[ServerState], undecided: Iterable[str]) -> str:
    """Return what an agent that searches one server must know of it: that there is none of this name, or why its tools
    cannot be used, with the remedy; else "". `undecided`: servers with tools that the user has not decided about."""
    servers = {state.config.name: state for state in states}
    name = next((name for name in servers if wanted in (name, package_name(name))), "")
    if not name:
        allowed = [name for name, state in servers.items() if state.allowed or state.config.builtin]
        shown = [name for name in allowed if _NAME.fullmatch(name)]
        more = f" and {len(shown) - _NAMES_LISTED} more" if len(shown) > _NAMES_LISTED else ""
        known = f"The servers are {', '.join(shown[:_NAMES_LISTED])}{more}." if shown else "There are no servers yet."
        parts = (f"There is no server {wanted!r:.100}.", did_you_mean(wanted, shown, 1), known)
        return " ".join(part for part in parts if part)
    state = servers[name]
    if state.config.disabled:
        return f'{name} is disabled. The user can remove "disabled" from its entry in .mcp.json.'
    if not_allowed((state,)):
        return str(server_not_allowed(name)).replace("\n", " ")
    if state.status is ServerStatus.FAILED:
        return server_failed(name)
    if name in undecided:
        sentence = f"The user has not decided about {name}, so programs that use its tools may wait for approval."
        return f"{sentence} The user can decide once with `mcp-workbench servers trust {shlex.quote(name[:100])}`."
    return ""


def no_tool(server: McpServer, name: str) -> WorkbenchError:
    """Error for an unknown tool, with the nearest name or how to learn the server's tools."""
    if not_allowed((server.state,)):
        return server_not_allowed(server.name)
    if not server.tools:
        hint = "" if server.running else "Its tools are known once it has been connected."
    else:
        hint = (
            did_you_mean(name, (*server.tools, *server.functions.values()))
            or f"It has {len(server.tools)} tools; search them."
        )
    return WorkbenchError(f"{server.name} has no tool {name!r:.100}.", hint)
