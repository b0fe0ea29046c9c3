"""Sends a message that a person wrote by hand and says what came of it; the messages themselves are seen as frames."""

from __future__ import annotations

import asyncio
import time

from workbench.errors import WorkbenchError
from workbench.records import Fault, RawAnswer
from workbench.servers.raw_message_parsing import Raw
from workbench.servers.server import Server
from workbench.servers.server_faults import ServerFault


async def send(server: Server, raw: Raw, seconds: float) -> RawAnswer:
    """Anything but a tool call, whose way leads through the broker."""
    assert not raw.tool, "a tool call is the broker's"
    at, started = time.time(), time.perf_counter()
    fault = await _sent(server, raw, seconds)
    return RawAnswer(raw.method, fault is None, at, fault, ms=(time.perf_counter() - started) * 1000)


async def _sent(server: Server, raw: Raw, seconds: float) -> Fault | None:
    from mcp.shared.exceptions import MCPError

    if (connection := server.running) is None:
        raise WorkbenchError(f"{server.name} does not run.", "Connect it, then send the message again.")
    try:
        async with asyncio.timeout(seconds):
            if raw.wants_answer:
                await connection.request(raw.method, raw.params)
            else:
                await connection.notify(raw.method, raw.params)
    except TimeoutError:
        return Fault(f"{raw.method} was not answered within {seconds:g} seconds.", "See setting server.call_seconds.")
    except MCPError as refusal:
        return Fault(f"{server.name} answered with error {refusal.code}: {refusal.message:.2000}")
    except ServerFault as fault:
        return fault.fault
    return None
