"""Connects to a server and checks its behaviour on the connection."""

from __future__ import annotations

import time

from workbench.errors import WorkbenchError
from workbench.records import Check, ServerConfig
from workbench.records.common_types import count_of
from workbench.servers.doctor.check_results import bad, doubt, good, skipped
from workbench.servers.doctor.error_output_rules import explain
from workbench.servers.server import McpServer
from workbench.servers.server_faults import ServerFault

_SHOWN = 3  # warnings in one sentence


async def check_protocol(server: McpServer) -> tuple[Check, ...]:
    """Connect as for a call and check the result."""
    if server.running is None and (held := _held_back(server.state.config, allowed=server.state.allowed)):
        return (held,)
    started = time.perf_counter()
    try:
        await server.start(at_once=True)
    except WorkbenchError as fault:
        return (_failed(fault), *_check_output(server))
    return (*_check_greeting(server, (time.perf_counter() - started) * 1000), *_check_output(server))


def _held_back(config: ServerConfig, *, allowed: bool) -> Check | None:
    if config.disabled:
        return skipped("Connection", "The server is disabled in .mcp.json.", "Enable it, then check again.")
    if not allowed:
        return skipped("Connection", "You have not allowed this server.", "Press Connect to review and allow it.")
    return None


def _failed(fault: WorkbenchError) -> Check:
    detail = fault.detail if isinstance(fault, ServerFault) else ""
    meaning, fix = explain(f"{detail}\n{fault.message}")
    return bad("Connection", f"{fault.message} {meaning}".strip(), fix or fault.hint, detail)


def _check_greeting(server: McpServer, ms: float) -> tuple[Check, ...]:
    state = server.state
    who = " ".join(part for part in (state.title, state.version) if part) or "The server"
    greeting = good("Connection", f"{who} answered in {ms:.0f} ms, protocol {state.protocol}.")
    if not state.tool_count:
        return (greeting, doubt("Tools", "The server lists no tools.", "It may offer only resources or prompts."))
    left_out = [warning for warning in state.warnings if "protocol message" not in warning]
    if left_out:
        words = " ".join(left_out[:_SHOWN])
        fix = "Report this to the developer of the server; the other tools work."
        return (greeting, doubt("Tools", f"{count_of(state.tool_count, 'tool')}. {words}", fix, "\n".join(left_out)))
    return (greeting, good("Tools", f"{count_of(state.tool_count, 'tool')}, all with valid definitions."))


def _check_output(server: McpServer) -> tuple[Check, ...]:
    """Check stdout and stderr. Stricter clients fail on stdout lines that are not messages, and stderr often says more
    than we can."""
    checks = []
    if server.traffic.invalid_line_count:
        words = f"Lines on stdout that are not protocol messages: {server.traffic.invalid_line_count:,}."
        fix = "Make it log to stderr: stricter clients fail on such lines."
        checks.append(doubt("Output", words, fix, "\n".join(server.traffic.warnings())))
    elif not server.state.config.url:
        checks.append(good("Output", "The server's output contains only protocol messages."))
    return tuple(checks)
