"""The faults of the plain mcp SDK client that our adapter works around. A test fails once a release has the fix: then
the module that it names can go.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, ClientSession
from mcp.client.sse import sse_client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

_SERVER = """
import json, sys

def say(message):
    sys.stdout.write((message if isinstance(message, str) else json.dumps(message)) + "\\n")
    sys.stdout.flush()

for line in sys.stdin:
    asked = json.loads(line)
    number, method = asked.get("id"), asked.get("method")
    if method == "initialize":
        info = {"name": "odd", "version": "1"}
        say({"jsonrpc": "2.0", "id": number, "result": {
            "protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": info}})
    elif method == "tools/list":
        tools = [{"name": "good", "inputSchema": {"type": "object"}}]
        tools += [{"name": "without a schema"}] if "wrong" in sys.argv else []
        say({"jsonrpc": "2.0", "id": number, "result": {"tools": tools}})
    elif method == "tools/call":
        given = asked["params"].get("arguments") or {}
        if given.get("how") == "half":
            say('{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"cut \\\\ud83d"}]}}' % number)
            continue
        if given.get("how") == "vendor":
            say({"jsonrpc": "2.0", "method": "notifications/vendor/news", "params": {"a": 1}})
        text = "x" * given.get("size", 0)
        say({"jsonrpc": "2.0", "id": number, "result": {"content": [{"type": "text", "text": text}]}})
    elif number is not None:
        say({"jsonrpc": "2.0", "id": number, "error": {"code": -32601, "message": "no"}})
"""


@pytest.fixture
def odd(tmp_path: Path) -> StdioServerParameters:
    file = tmp_path / "odd.py"
    file.write_text(_SERVER, encoding="utf-8")
    return StdioServerParameters(command=sys.executable, args=["-S", str(file)])


async def test_it_reads_pipes_in_quadratic_time(odd: StdioServerParameters) -> None:
    """`stdio_transport`: 20 MB take 1.9 s of CPU, ours 0.05 s; nor is there a limit of a frame's size."""

    async def seconds(megabytes: int) -> float:
        began = time.process_time()
        await client.session._dispatcher.send_raw_request(
            "tools/call", {"name": "good", "arguments": {"size": megabytes << 20}}
        )
        return time.process_time() - began

    async with Client(odd, mode="legacy") as client:
        await seconds(1)
        small, large = await seconds(3), await seconds(24)
    assert large > 2 * 8 * small


async def test_half_a_character_leaves_a_call_without_an_answer(odd: StdioServerParameters) -> None:
    """`surrogate_repair`"""
    async with Client(odd, mode="legacy") as client:
        calling = asyncio.create_task(client.call_tool("good", {"how": "half"}))
        assert not (await client.call_tool("good", {})).is_error  # the next one is answered
        assert not calling.done()
        calling.cancel()
        await asyncio.wait([calling])


async def test_one_wrong_tool_costs_the_whole_list(odd: StdioServerParameters) -> None:
    """`list_pages` and `raw_dispatcher`: lists are read raw."""
    odd.args.append("wrong")
    async with Client(odd, mode="legacy") as client:
        with pytest.raises(ValueError, match="inputSchema"):
            await client.list_tools()


async def test_a_notification_that_it_does_not_know_is_lost(odd: StdioServerParameters) -> None:
    """`raw_dispatcher`"""
    heard: list[Any] = []

    async def hear(message: Any) -> None:
        heard.append(message)

    async with Client(odd, mode="legacy", message_handler=hear) as client:
        await client.call_tool("good", {"how": "vendor"})
        await client.call_tool("good", {})
    assert heard == []


async def test_a_connection_that_breaks_ends_every_later_request(far: Any) -> None:
    """`http_client`: https://github.com/modelcontextprotocol/python-sdk/issues/3522"""
    server = await far("json")
    told: list[str] = []
    try:
        async with streamable_http_client(server.url) as (read, write), ClientSession(read, write) as session:
            await session.initialize()
            server.mode = "closes"
            with pytest.raises(MCPError):
                await session.call_tool("echo", {"text": "x"})
            server.mode = "json"
            try:
                await session.call_tool("echo", {"text": "x"})
            except MCPError as fault:
                told.append(fault.message)
    except* Exception:
        told.append("the transport ended")
    assert told


async def test_why_a_request_was_refused_is_lost(far: Any) -> None:
    """`http_client`: https://github.com/modelcontextprotocol/python-sdk/issues/2110"""
    server = await far("json")
    async with streamable_http_client(server.url) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        server.mode, server.status, server.challenge = "status", 401, 'Bearer scope="more"'
        with pytest.raises(MCPError) as refused:
            await session.call_tool("echo", {"text": "x"})
    assert "because" not in json.dumps(refused.value.error.model_dump(mode="json"))  # the server's own words


async def test_a_post_that_is_refused_leaves_its_caller_waiting(far: Any) -> None:
    """`sse_transport`: https://github.com/modelcontextprotocol/python-sdk/issues/2110"""
    server = await far("old")
    async with sse_client(server.url) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        server.mode, server.status = "status", 500
        calling = asyncio.create_task(session.call_tool("echo", {"text": "x"}))
        while "tools/call" not in server.methods():
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.3)
        assert not calling.done()
        calling.cancel()
        await asyncio.wait([calling])


async def test_an_event_of_more_than_a_megabyte_is_refused_and_no_argument_changes_that(far: Any) -> None:
    """`sse_transport`"""
    server = await far("old")
    failed: list[str] = []
    try:
        async with sse_client(server.url) as (read, write), ClientSession(read, write) as session:
            await session.initialize()
            async with asyncio.timeout(3):
                await session.call_tool("echo", {"text": "x" * (2 << 20)})
    except* Exception as group:
        failed += [str(one) for one in group.exceptions]
    assert failed
