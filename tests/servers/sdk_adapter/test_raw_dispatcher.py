"""Requests and notifications of a server reach the host unchanged, in both protocol eras."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import anyio
import pytest
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from mcp.types import jsonrpc_message_adapter

from workbench.servers.connection import ServerConnection
from workbench.servers.monitoring.message_log import MessageLog
from workbench.servers.sdk_adapter.transport_selection import Transport
from workbench.servers.server_faults import ServerFault
from workbench.servers.server_requests import RefusingHost

Reply = Callable[[dict[str, Any]], list[dict[str, Any]]]


class Scripted:
    """A transport whose server is a function from each message to the list of messages it sends."""

    kind, pid, fault, returncode, status, challenge, expired = "stdio", 0, "", None, 0, "", False
    direct = None

    def __init__(self, reply: Reply) -> None:
        self.reply = reply
        self.ended = asyncio.Event()
        self.sent: list[dict[str, Any]] = []

    async def __aenter__(self) -> Any:
        self.to_us, incoming = anyio.create_memory_object_stream[Any](100_000)
        outgoing, self.to_it = anyio.create_memory_object_stream[Any](100)
        self.task = asyncio.ensure_future(self._serve())
        self.streams = (self.to_us, incoming, outgoing, self.to_it)
        return incoming, outgoing

    async def __aexit__(self, *_: object) -> None:
        self.task.cancel()
        await asyncio.wait([self.task])
        for stream in self.streams:
            stream.close()

    async def _serve(self) -> None:
        async for message in self.to_it:
            plain = message.message.model_dump(by_alias=True, exclude_unset=True)
            self.sent.append(plain)
            for answer in self.reply(plain):
                parsed = jsonrpc_message_adapter.validate_python({"jsonrpc": "2.0", **answer}, by_name=False)
                await self.to_us.send(SessionMessage(parsed))

    def unstarted(self, leaves: object) -> ServerFault | None:
        return None

    def gone(self) -> ServerFault:
        return ServerFault("gone")


class Listening(RefusingHost):
    capabilities = {"roots": {"listChanged": True}, "elicitation": {"form": {}, "url": {}}}  # noqa: RUF012

    def __init__(self) -> None:
        self.heard: list[tuple[str, Any]] = []
        self.questions: list[tuple[str, Any]] = []

    async def answer_request(self, method: str, params: Any) -> dict[str, Any]:
        self.questions.append((method, params))
        return {"action": "accept", "content": {"kept": True}, "unheard of": 1}

    def handle_notification(self, method: str, params: Any) -> None:
        self.heard.append((method, params))


def handshake(message: dict[str, Any]) -> list[dict[str, Any]]:
    if message.get("method") == "initialize":
        result = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}}
        return [{"id": message["id"], "result": result}]
    if message.get("method") == "server/discover":
        return [{"id": message["id"], "error": {"code": -32601, "message": "no"}}]
    return []


def discover(message: dict[str, Any]) -> list[dict[str, Any]]:
    if message.get("method") != "server/discover":
        return []
    found = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, "resultType": "complete"}
    return [{"id": message["id"], "result": {**found, "ttlMs": 0, "cacheScope": "private"}}]


@pytest.fixture
async def connect() -> AsyncIterator[Callable[..., Any]]:
    opened: list[ServerConnection] = []

    async def build(reply: Reply, host: RefusingHost) -> tuple[ServerConnection, Scripted]:
        scripted = Scripted(reply)
        transport: Transport = scripted
        opened.append(
            ServerConnection("one", transport, MessageLog("one"), host, lambda: None, lambda connection: None)
        )
        await opened[-1].open(20, "")
        return opened[-1], scripted

    yield build
    for connection in opened:
        await connection.close()


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0.005)


async def test_the_capabilities_of_the_host_are_announced(connect: Any) -> None:
    _, old = await connect(handshake, Listening())
    initialize = next(one for one in old.sent if one["method"] == "initialize")
    assert initialize["params"]["capabilities"] == Listening.capabilities
    new, wire = await connect(discover, Listening())
    asking = asyncio.ensure_future(new.request("tools/list", {"_meta": {"mine": 1}}))
    await until(lambda: wire.sent[-1]["method"] == "tools/list")
    meta = wire.sent[-1]["params"]["_meta"]
    assert meta["io.modelcontextprotocol/clientCapabilities"] == Listening.capabilities
    assert meta["mine"] == 1
    asking.cancel()


async def test_questions_and_notifications_are_raw_and_in_order(connect: Any) -> None:
    def reply(message: dict[str, Any]) -> list[dict[str, Any]]:
        if message.get("method") == "go":
            notes = [{"method": "notifications/message", "params": {"data": n, "odd": n}} for n in range(3)]
            question = {"id": 7, "method": "elicitation/create", "params": {"message": "?", "extra": {"a": 1}}}
            ping = {"id": 8, "method": "ping"}
            return [*notes, {"method": "notifications/unheard_of"}, question, ping]
        return handshake(message)

    host = Listening()
    connection, wire = await connect(reply, host)
    asking = asyncio.ensure_future(connection.request("go", {}))
    await until(lambda: [one for one in wire.sent if one.get("id") == 8])
    assert [params.get("data") for _, params in host.heard] == [0, 1, 2, None]
    assert host.questions == [("elicitation/create", {"message": "?", "extra": {"a": 1}})]
    answer = next(one for one in wire.sent if one.get("id") == 7)
    assert answer["result"]["unheard of"] == 1
    asking.cancel()


async def test_a_question_in_place_of_an_answer_reaches_the_same_host(connect: Any) -> None:
    def reply(message: dict[str, Any]) -> list[dict[str, Any]]:
        if message.get("method") != "tools/call":
            return discover(message)
        if "inputResponses" in message["params"]:
            return [{"id": message["id"], "result": {"resultType": "complete", "content": [], "seen": message}}]
        asked = {"who": {"method": "elicitation/create", "params": {"message": "Who?"}}}
        result = {"resultType": "input_required", "inputRequests": asked, "requestState": "x"}
        return [{"id": message["id"], "result": result}]

    host = Listening()
    connection, _ = await connect(reply, host)
    answer = await connection.request("tools/call", {"name": "greet", "arguments": {"a": 1}})
    again = answer["seen"]["params"]
    assert again["inputResponses"]["who"]["content"] == {"kept": True}
    assert (again["requestState"], again["name"], again["arguments"]) == ("x", "greet", {"a": 1})
    assert host.questions == [("elicitation/create", {"message": "Who?"})]


async def test_without_a_host_a_question_is_refused_and_the_connection_lives_on(connect: Any) -> None:
    def reply(message: dict[str, Any]) -> list[dict[str, Any]]:
        if message.get("method") == "go":
            return [{"id": 7, "method": "sampling/createMessage", "params": {}}]
        if message.get("id") == 7:
            return [{"id": 99, "result": {}}]
        if message.get("method") == "fail":
            return [{"id": message["id"], "error": {"code": 5, "message": "no"}}]
        return handshake(message)

    connection, wire = await connect(reply, RefusingHost())
    asking = asyncio.ensure_future(connection.request("go", {}))
    await until(lambda: [one for one in wire.sent if one.get("id") == 7])
    refusal = next(one for one in wire.sent if one.get("id") == 7)
    assert refusal["error"]["code"] == -32601
    asking.cancel()
    with pytest.raises(MCPError, match="no"):
        await connection.request("fail", {})


async def test_a_flood_of_notifications_costs_no_task_each(connect: Any) -> None:
    tasks: list[int] = []

    class Counting(Listening):
        def handle_notification(self, method: str, params: Any) -> None:
            if params["data"] % 1_000 == 0:
                tasks.append(len(asyncio.all_tasks()))

    def reply(message: dict[str, Any]) -> list[dict[str, Any]]:
        if message.get("method") == "go":
            notes = [{"method": "notifications/message", "params": {"data": n}} for n in range(20_000)]
            return [*notes, {"id": message["id"], "result": {"done": True}}]
        return handshake(message)

    connection, _ = await connect(reply, Counting())
    assert await connection.request("go", {}) == {"done": True}
    assert len(tasks) == 20
    assert max(tasks) < 20
