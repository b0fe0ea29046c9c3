"""Reads lists that a server sends page by page, raw and bounded; parses the definitions of the tool list.

WORKAROUND(the SDK's typed lists fail as a whole for one invalid entry, mcp > 2.3):
test_one_wrong_tool_costs_the_whole_list in `tests/servers/test_plain_sdk.py`.
"""

from __future__ import annotations

import asyncio

from msgspec import Struct
from msgspec.structs import replace

from workbench.records import JsonObject
from workbench.servers.connection import ServerConnection
from workbench.servers.server_faults import ServerFault
from workbench.servers.tool_definitions import definition_parsing

PAGES = 200  # pages read from a server that never stops paging
ENTRIES = 20_000  # of one list


class PagedList(Struct, frozen=True):
    """The raw entries, and what was wrong with the list as a whole."""

    entries: tuple[object, ...] = ()
    warnings: tuple[str, ...] = ()


async def read_pages(connection: ServerConnection, method: str, key: str, what: str) -> PagedList:
    """Read all entries under `key` of the answers to `method`; `what` names the list in sentences. Raises MCPError."""
    entries: list[object] = []
    cursor, seen = "", set[str]()
    for _ in range(PAGES):
        page: JsonObject = await connection.request(method, {"cursor": cursor} if cursor else {})
        found = page.get(key)
        if not isinstance(found, list):
            return PagedList(tuple(entries), (f'The answer to {method} has no array "{key}".',))
        entries.extend(found)
        following = page.get("nextCursor")
        if not isinstance(following, str) or not following:
            return _cut(entries, what, ended=True)
        if following in seen or len(entries) > ENTRIES:
            break
        cursor = following
        seen.add(cursor)
    return _cut(entries, what, ended=False)


def _cut(entries: list[object], what: str, *, ended: bool) -> PagedList:
    kept = tuple(entries[:ENTRIES])
    if not ended:
        return PagedList(kept, (f"The {what} does not end; only the first {len(kept)} entries were read.",))
    more = len(entries) - len(kept)
    return PagedList(kept, (f"The {what} is too long; {more} entries were left out.",) if more else ())


_METHOD_NOT_FOUND = -32601


async def list_tools(server: str, connection: ServerConnection, seconds: float) -> definition_parsing.ParsedDefinitions:
    """Read all usable tools, page by page. Raises ServerFault when the server returns no list."""
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
