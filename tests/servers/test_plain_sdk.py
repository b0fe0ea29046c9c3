"""Faults of the plain mcp SDK client that `servers/sdk_adapter` works around, and the savings of the workarounds.

A test fails once a release has the fix. Then remove the module that the test's docstring names.
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
from mcp.client.session import DISCOVER_TIMEOUT_SECONDS
from mcp.client.sse import sse_client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import SubscriptionLost
from mcp.shared.exceptions import MCPError
from mcp.types import ElicitResult

from workbench.records import ServerConfig

_SERVER = """
import json, sys

def say(message):
    sys.stdout.write((message if isinstance(message, str) else json.dumps(message)) + "\\n")
    sys.stdout.flush()

for line in sys.stdin:
    asked = json.loads(line)
    number, method = asked.get("id"), asked.get("method")
    if method == "server/discover" and "modern" in sys.argv:
        about = {"io.modelcontextprotocol/serverInfo": {"name": "odd", "version": "1"}}
        say({"jsonrpc": "2.0", "id": number, "result": {
            "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {"listChanged": True}},
            "resultType": "complete", "ttlMs": 0, "cacheScope": "private", "_meta": about}})
    elif method == "server/discover" and "silent" in sys.argv:
        pass
    elif method == "subscriptions/listen":
        about = {"io.modelcontextprotocol/subscriptionId": number}
        honored = {"_meta": about, "notifications": {"toolsListChanged": True}}
        say({"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": honored})
        say({"jsonrpc": "2.0", "id": number, "error": {"code": -32000, "message": "lost"}})
    elif method == "initialize":
        info = {"name": "odd", "version": "1"}
        say({"jsonrpc": "2.0", "id": number, "result": {
            "protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": info}})
    elif method == "tools/list":
        text = {"type": "object", "properties": {"text": {"type": "string"}}}
        tools = [{"name": "good", "inputSchema": {"type": "object"}}]
        tools += [{"name": "departs", "inputSchema": {"type": "object"}, "outputSchema": text}]
        tools += [{"name": "without a schema"}] if "wrong" in sys.argv else []
        more = {"ttlMs": 0, "cacheScope": "private", "resultType": "complete"} if "modern" in sys.argv else {}
        say({"jsonrpc": "2.0", "id": number, "result": {"tools": tools, **more}})
    elif method == "tools/call":
        given = asked["params"].get("arguments") or {}
        if asked["params"]["name"] == "departs":
            say({"jsonrpc": "2.0", "id": number, "result": {"content": [], "structuredContent": {"text": 5}}})
            continue
        if given.get("how") == "questions" and "inputResponses" not in asked["params"]:
            ask = {"method": "elicitation/create", "params": {"message": "?", "requestedSchema": {
                "type": "object", "properties": {}}}}
            say({"jsonrpc": "2.0", "id": number, "result": {
                "resultType": "input_required", "inputRequests": {str(key): ask for key in range(given["size"])}}})
            continue
        if given.get("how") == "bytes":
            sys.stdout.buffer.write(b"\\xff\\xfe\\n")
        if given.get("how") == "lists":
            say({"jsonrpc": "2.0", "id": number, "result": {
                "content": [], "structuredContent": {"lists": [[]] * given["size"]}}})
            continue
        if given.get("how") == "half":
            say('{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"cut \\\\ud83d"}]}}' % number)
            continue
        if given.get("how") == "vendor":
            say({"jsonrpc": "2.0", "method": "notifications/vendor/news", "params": {"a": 1}})
        text = "x" * given.get("size", 0)
        more = {"resultType": "complete"} if "modern" in sys.argv else {}
        say({"jsonrpc": "2.0", "id": number, "result": {"content": [{"type": "text", "text": text}], **more}})
    elif number is not None:
        say({"jsonrpc": "2.0", "id": number, "error": {"code": -32601, "message": "no"}})
"""


@pytest.fixture
def odd(tmp_path: Path) -> StdioServerParameters:
    file = tmp_path / "odd.py"
    file.write_text(_SERVER, encoding="utf-8")
    return StdioServerParameters(command=sys.executable, args=["-S", str(file)])


async def test_it_reads_pipes_in_quadratic_time(odd: StdioServerParameters) -> None:
    """`stdio_transport`: 20 MB take 1.9 s of CPU in the SDK, 0.05 s in ours, and the SDK has no limit for a frame's
    size.
    """

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
    """`untrusted_json`: the SDK drops the message, so its request gets no answer."""
    async with Client(odd, mode="legacy") as client:
        calling = asyncio.create_task(client.call_tool("good", {"how": "half"}))
        assert not (await client.call_tool("good", {})).is_error  # the next call is answered
        assert not calling.done()
        calling.cancel()
        await asyncio.wait([calling])


async def test_one_wrong_tool_costs_the_whole_list(odd: StdioServerParameters) -> None:
    """`paged_lists`: the SDK validates a page of a list as a unit."""
    odd.args.append("wrong")
    async with Client(odd, mode="legacy") as client:
        with pytest.raises(ValueError, match="inputSchema"):
            await client.list_tools()


async def test_a_notification_that_it_does_not_know_is_lost(odd: StdioServerParameters) -> None:
    """`raw_dispatcher`: https://github.com/modelcontextprotocol/python-sdk/issues/1399"""
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
    assert "because" not in json.dumps(refused.value.error.model_dump(mode="json"))  # the server's own explanation


async def test_a_post_that_is_refused_leaves_its_caller_waiting(far: Any) -> None:
    """`http_transports`: https://github.com/modelcontextprotocol/python-sdk/issues/2110"""
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
    """`http_transports`"""
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


async def test_an_answer_of_any_length_is_read(far: Any) -> None:
    """`http_client`: https://github.com/modelcontextprotocol/python-sdk/issues/3330"""
    server = await far("json")
    async with (
        streamable_http_client(server.url, max_sse_event_size=1 << 20) as (read, write),
        ClientSession(read, write) as session,
    ):
        await session.initialize()
        server.mode, server.size = "big", 8 << 20
        answer: Any = await session.call_tool("echo", {"text": "x"})
    assert len(answer.content[0].text) == 8 << 20


async def test_a_cancelled_request_keeps_its_connection(far: Any) -> None:
    """`http_client`: up to 2025-11-25, a server that never answers a cancelled request holds its connection."""
    server = await far("json")
    async with streamable_http_client(server.url) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        server.mode = "hang"
        calling = [asyncio.create_task(session.call_tool("echo", {"text": "x"})) for _ in range(5)]
        while server.methods().count("tools/call") < 5:
            await asyncio.sleep(0.01)
        for call in calling:
            call.cancel()
        await asyncio.wait(calling)
        while server.methods().count("notifications/cancelled") < 5:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.2)
        assert server.connections >= 5


async def test_bytes_that_are_no_utf_8_leave_calls_without_an_answer(odd: StdioServerParameters) -> None:
    """`stdio_transport`: https://github.com/modelcontextprotocol/python-sdk/issues/2454"""
    failed: list[BaseException] = []
    try:
        async with Client(odd, mode="legacy") as client, asyncio.timeout(1):
            await client.call_tool("good", {"how": "bytes"})
    except* Exception as group:
        failed += group.exceptions
    assert failed


async def test_a_message_of_half_a_million_lists_is_parsed(odd: StdioServerParameters) -> None:
    """`untrusted_json`: https://github.com/modelcontextprotocol/python-sdk/issues/3330"""
    async with Client(odd, mode="legacy") as client:
        answer = await client.call_tool("good", {"how": "lists", "size": 500_000})
    assert len(answer.structured_content["lists"]) == 500_000


async def test_an_answer_that_departs_from_its_schema_is_lost(odd: StdioServerParameters) -> None:
    """`ServerConnection.request` and `protocol_negotiation` send requests raw and add metadata and headers themselves.

    With the SDK, the tool has run but https://github.com/modelcontextprotocol/python-sdk/issues/2626 withholds its
    answer.
    """
    async with Client(odd, mode="legacy") as client:
        with pytest.raises(RuntimeError, match="structured content"):
            await client.call_tool("departs", {})


async def test_a_server_asks_any_number_of_questions_at_once(odd: StdioServerParameters) -> None:
    """`input_rounds`: the SDK's driver is part of the typed client and does not limit the requests of one round."""
    odd.args.append("modern")
    asked: list[Any] = []

    async def ask(context: Any, params: Any) -> Any:
        asked.append(params)
        return ElicitResult(action="decline")

    async with Client(odd, elicitation_callback=ask) as client:
        await client.call_tool("good", {"how": "questions", "size": 500})
    assert len(asked) == 500


async def test_a_lost_subscription_is_not_renewed(odd: StdioServerParameters) -> None:
    """`change_subscription`: the SDK leaves renewing to its caller (python-sdk#3047)."""
    odd.args.append("modern")
    async with Client(odd) as client, client.listen(tools_list_changed=True) as subscription:
        with pytest.raises(SubscriptionLost):
            await anext(aiter(subscription))


async def test_a_server_that_ignores_unknown_requests_delays_each_start(odd: StdioServerParameters) -> None:
    """`protocol_negotiation`: the SDK probes each time and waits 10 s; ours waits 4 s once and remembers the era."""
    odd.args.append("silent")
    assert DISCOVER_TIMEOUT_SECONDS >= 10
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(1), Client(odd):
            pass
    async with asyncio.timeout(5), Client(odd, mode="legacy"):
        pass


def test_it_cannot_call_a_tool_as_a_task() -> None:
    """`mcp_tasks`: types only since https://github.com/modelcontextprotocol/python-sdk/pull/2849"""
    assert not [name for name in (*dir(Client), *dir(ClientSession)) if "task" in name and not name.startswith("_")]


async def test_its_dispatcher_takes_more_than_one_and_a_half_times_the_cpu_of_a_call(
    house: Any, odd: StdioServerParameters
) -> None:
    """`fast_tool_calls`: the SDK takes 305 µs of CPU per call on an idle machine, ours 115 µs. A program makes
    thousands of calls.
    """
    home = await house(ServerConfig("odd", odd.command, tuple(odd.args)))
    await home.catalog.connect("odd")
    connection = home.catalog.server("odd").running
    direct, dispatcher = connection.transport.direct, connection._dispatch
    parameters = {"name": "good", "arguments": {}}

    async def seconds(send: Any) -> float:
        began = time.process_time()
        for _ in range(200):
            await send()
        return time.process_time() - began

    plain, fast = [], []
    for _ in range(3):
        plain.append(await seconds(lambda: dispatcher.send_raw_request("tools/call", parameters, {})))
        fast.append(await seconds(lambda: direct.request("tools/call", parameters, None)))
    assert min(plain) > 1.5 * min(fast)
