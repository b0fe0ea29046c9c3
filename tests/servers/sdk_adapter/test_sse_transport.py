"""The old transport: one stream of events, a POST for each message, and nothing sent anywhere else."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.errors import WorkbenchError
from workbench.records import ServerConfig


async def test_messages_are_never_sent_to_another_origin(house: Any, far: Any) -> None:
    server = await far("old")
    server.mode = "elsewhere"
    home = await house(ServerConfig("far", url=server.url, transport="sse"))
    with pytest.raises(WorkbenchError, match="another origin"):
        await home.catalog.connect("far")


async def test_a_post_that_fails_answers_its_call(house: Any, far: Any) -> None:
    server = await far("old")
    home = await house(ServerConfig("far", url=server.url, transport="sse"))
    await home.catalog.connect("far")
    server.mode = "status"
    assert "failed (500)" in (await home.call("far", "echo", text="x")).fault.message
    server.mode = "old"
    assert (await home.call("far", "echo", text="y")).content[0].text == "y"


async def test_the_end_of_the_stream_is_the_end_of_the_server(house: Any, far: Any) -> None:
    server = await far("old")
    home = await house(ServerConfig("far", url=server.url))
    await home.catalog.connect("far")
    await server.stop()
    outcome = await home.call("far", "echo", text="x")
    assert not outcome.ok


async def test_an_address_without_a_stream_of_events(house: Any, far: Any) -> None:
    server = await far("json")
    home = await house(ServerConfig("far", url=server.url, transport="sse"))
    with pytest.raises(WorkbenchError, match="no MCP server at this address"):
        await home.catalog.connect("far")
