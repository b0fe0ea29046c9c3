"""An agent's doors on a real core in this process, with the SDK's client at the other end: over a real socket pair, and
over HTTP, there also by hand."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

import httpx2
import mcp.types as T
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from workbench.agent.message_stream import messages
from workbench.core import Core
from workbench.events import spawn
from workbench.records import HttpEndpoint, JsonObject


async def as_it_is(message: JsonObject) -> bytes:
    """What a client sends."""
    return json.dumps(message).encode() + b"\n"


@pytest.fixture
def agent(core: Core) -> Callable[..., AbstractAsyncContextManager[Client]]:
    @asynccontextmanager
    async def connect(name: str = "test agent", mode: str = "legacy", **more: object) -> AsyncIterator[Client]:
        near, far = socket.socketpair()
        serving = spawn("door", core.serve_agent(*await asyncio.open_connection(sock=far)))
        streams = messages(*await asyncio.open_connection(sock=near), as_it_is)
        info = T.Implementation(name=name, version="1")
        async with Client(streams, mode=mode, client_info=info, **more) as client:
            yield client
        near.close()
        await asyncio.wait_for(serving, 60)

    return connect


@pytest.fixture
def by_hand(core: Core) -> Callable[..., AbstractAsyncContextManager[Callable[..., object]]]:
    """A connection on which each line is written by hand; `ask` answers the line that comes back, unless none does."""

    @asynccontextmanager
    async def connect() -> AsyncIterator[Callable[..., object]]:
        near, far = socket.socketpair()
        serving = spawn("door", core.serve_agent(*await asyncio.open_connection(sock=far)))
        reader, writer = await asyncio.open_connection(sock=near, limit=1 << 24)

        async def ask(message: JsonObject, answers: bool = True) -> object:
            writer.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")
            async with asyncio.timeout(60):
                return json.loads(await reader.readline()) if answers else None

        yield ask
        writer.close()
        await asyncio.wait_for(serving, 60)

    return connect


@dataclass
class Answer:
    """What came back, as it stood on the wire."""

    status: int
    head: str
    body: bytes

    @property
    def json(self):
        return json.loads(self.body)


@pytest.fixture
async def door(core: Core) -> HttpEndpoint:
    return await core.api.open_http_endpoint(0, False)


@pytest.fixture
def raw(door: HttpEndpoint) -> Callable[..., object]:
    """One request, written by hand; every header can be another one or none. `until`: of an answer without an end."""
    port = int(door.url.rpartition(":")[2].partition("/")[0])

    async def ask(body=b"", method="POST", path="/mcp", until=b"", **headers) -> Answer:
        body = body if isinstance(body, bytes) else json.dumps(body).encode()
        wished = {
            "Host": f"127.0.0.1:{port}",
            "Authorization": f"Bearer {door.token}",
            "Accept": "application/json, text/event-stream",
            "Content-Type": "application/json",
            "Content-Length": str(len(body)),
            "Connection": "close",
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        lines = [f"{name}: {value}" for name, value in wished.items() if value is not None]
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 24)
        try:
            writer.write("\r\n".join([f"{method} {path} HTTP/1.1", *lines, "", ""]).encode() + body)
            await writer.drain()
            async with asyncio.timeout(60):
                answer = await (reader.readuntil(until) if until else reader.read())
        finally:
            writer.close()
        head, _, rest = answer.partition(b"\r\n\r\n")
        return Answer(int(head.split()[1]), head.decode("latin-1"), rest)

    return ask


@pytest.fixture
def visitor(door: HttpEndpoint) -> Callable[..., AbstractAsyncContextManager[Client]]:
    @asynccontextmanager
    async def connect(
        name: str = "web agent", mode: str = "legacy", token: str = "", **more: object
    ) -> AsyncIterator[Client]:
        headers = {"Authorization": f"Bearer {token or door.token}"}
        async with httpx2.AsyncClient(headers=headers, trust_env=False, timeout=60) as http:
            info = T.Implementation(name=name, version="1")
            async with Client(
                streamable_http_client(door.url, http_client=http), mode=mode, client_info=info, **more
            ) as one:
                yield one

    return connect
