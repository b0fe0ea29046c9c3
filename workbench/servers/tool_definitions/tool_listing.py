"""Reads a server's complete tool list."""

from __future__ import annotations

import asyncio

from msgspec.structs import replace

from workbench.servers.connection import ServerConnection
from workbench.servers.paged_lists import read_pages
from workbench.servers.server_faults import ServerFault
from workbench.servers.tool_definitions import definition_parsing

_METHOD_NOT_FOUND = -32601


async def list_tools(server: str, connection: ServerConnection, seconds: float) -> definition_parsing.ParsedDefinitions:
    """All usable tools, page by page; raises ServerFault when there is no list to be had."""
    from mcp.shared.exceptions import MCPError

    try:
        async with asyncio.timeout(seconds):
            listed = await read_pages(connection, "tools/list", "tools", "tool list")
    except TimeoutError as fault:
        raise ServerFault(f"The server did not list its tools within {seconds} seconds.") from fault
    except MCPError as fault:
        if fault.code == _METHOD_NOT_FOUND:
            return definition_parsing.ParsedDefinitions()
        raise ServerFault(f"The server refused to list its tools: {fault.message:.300}") from fault
    found = await asyncio.to_thread(definition_parsing.read, server, listed.entries)
    return replace(found, warnings=(*listed.warnings, *found.warnings))
