"""An agent's door on a real core in this process, over a real socket pair, with the SDK's client at the other end."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import mcp.types as T
import pytest
from mcp import Client

from workbench.agent.stream import messages
from workbench.core import Core
from workbench.events import spawn
from workbench.paths import Paths
from workbench.records import JsonObject


async def as_it_is(message: JsonObject) -> bytes:
    """What a client sends."""
    return json.dumps(message).encode() + b"\n"


@pytest.fixture
async def core(paths: Paths) -> AsyncIterator[Core]:
    house = Core(paths)
    await house.open()
    try:
        yield house
    finally:
        await house.close()


@pytest.fixture
def agent(core: Core) -> Callable[..., AbstractAsyncContextManager[Client]]:
    @asynccontextmanager
    async def connect(name: str = "test agent", mode: str = "legacy") -> AsyncIterator[Client]:
        near, far = socket.socketpair()
        serving = spawn("door", core.serve_agent(*await asyncio.open_connection(sock=far)))
        streams = messages(*await asyncio.open_connection(sock=near), as_it_is)
        async with Client(streams, mode=mode, client_info=T.Implementation(name=name, version="1")) as client:
            yield client
        near.close()
        await asyncio.wait_for(serving, 60)

    return connect
