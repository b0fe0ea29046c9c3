"""Makes one tool call at a server: timeout, elicitation during the call, and the explanation of refusals."""

from __future__ import annotations

import time
from collections.abc import Callable

from workbench.records import JsonObject, Outcome, Tool, ToolCall
from workbench.servers import call_results, mcp_tasks
from workbench.servers.call_timeout import CallTimeout
from workbench.servers.connection import ProgressListener
from workbench.servers.elicitation.open_requests import OpenElicitations
from workbench.servers.elicitation.request_parsing import ElicitationRefusal
from workbench.servers.server import McpServer
from workbench.servers.server_faults import ServerFault
from workbench.servers.tool_definitions import tool_error_messages

Hear = Callable[[float, float, str], None]  # progress, total (0: unknown), message
_INVALID_PARAMS = -32602
_VISIT_FIRST = -32042  # error code: the user must visit pages before the call
_VISITS = 3  # repetitions of a call after such visits


async def make(
    server: McpServer, tool: Tool, call: ToolCall, asks: OpenElicitations, seconds: float, progress: Hear | None
) -> Outcome:
    """Return the outcome, or raise ServerFault. The timeout pauses while the user is asked and restarts with
    progress. The time of the outcome does not include the pauses."""
    from mcp.shared.exceptions import MCPError

    started = time.perf_counter()
    try:
        async with server.clocks.running(seconds) as clock:
            with asks.calling(call, clock):
                raw = await _request(server, tool, call, asks, _listener(clock, progress))
    except TimeoutError as fault:
        raise ServerFault(
            f"{tool.server}.{tool.name} did not answer within {seconds:g} seconds.",
            "The call was cancelled; changes that it had already made remain. To wait longer, raise the setting "
            "server.call_seconds.",
            code="timeout",
        ) from fault
    except MCPError as fault:
        raise _refused(tool, call, fault.code, fault.message) from fault
    except ElicitationRefusal as fault:
        raise ServerFault(
            f"{tool.server}.{tool.name} was not carried out: {fault.message:.300}",
            "The user must visit a web page before this call.",
        ) from fault
    seconds = time.perf_counter() - started - clock.paused_seconds
    return await call_results.outcome(call.id, tool, call.arguments, raw, max(0.0, seconds) * 1000)


async def _request(
    server: McpServer, tool: Tool, call: ToolCall, asks: OpenElicitations, heard: ProgressListener
) -> JsonObject:
    """Return the raw answer. A call that requires page visits is repeated after the user made them."""
    from mcp.shared.exceptions import MCPError

    params = {"name": tool.name, "arguments": dict(call.arguments)}
    for _ in range(_VISITS):
        try:
            return await _send(server, tool, params, heard)
        except MCPError as fault:
            if fault.code != _VISIT_FIRST:
                raise
            data = fault.error.data
            await asks.visit(tool.server, data.get("elicitations") if isinstance(data, dict) else None)
    return await _send(server, tool, params, heard)


async def _send(server: McpServer, tool: Tool, params: JsonObject, heard: ProgressListener) -> JsonObject:
    if mcp_tasks.runs_as_task(tool, server.state):
        return await mcp_tasks.call_as_task(server.request, params, heard, server.begun_tasks)
    return await server.request("tools/call", params, heard)


def _listener(clock: CallTimeout, tell: Hear | None) -> ProgressListener:
    """Return a listener that restarts the timeout: a tool that reports progress does not hang."""

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        clock.restart()
        if tell is not None:
            tell(progress, total or 0.0, message or "")

    return hear


def _refused(tool: Tool, call: ToolCall, code: int, message: str) -> ServerFault:
    """Fault for a protocol error in the server's answer."""
    hint = tool_error_messages.hint(tool, call.arguments, message)
    if code == _INVALID_PARAMS and not hint:
        hint = tool_error_messages.list_parameters(tool)
    return ServerFault(f"The server {tool.server} reported an error: {message:.2000}", hint, f"code {code}", str(code))
