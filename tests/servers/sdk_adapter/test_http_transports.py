"""HTTP servers: they connect, list and call like other servers, and each failure has an error message."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import psutil
import pytest

from workbench.errors import WorkbenchError
from workbench.records import ServerConfig, ServerState, ServerStatus
from workbench.settings import Settings

Serve = Callable[[str], Awaitable[Any]]
QUICK = Settings(server_call_seconds=1)  # only for calls that hang, because a machine may be busy


def config(far: Any, **more: Any) -> ServerConfig:
    return ServerConfig("far", url=far.url, **more)


def state(home: Any) -> ServerState:
    return next(one for one in home.catalog.states() if one.config.name == "far")


async def test_an_address_is_called_only_after_a_person_allowed_it(house: Any, far: Serve) -> None:
    server = await far("json")
    home = await house(config(server))
    outcome = await home.call("far", "echo", text="x")
    assert "has not allowed this server" in outcome.fault.message
    assert server.seen == []
    await home.catalog.connect("far")
    await home.catalog.disconnect("far")
    assert (await home.call("far", "echo", text="x")).ok
    again = await house()
    assert (await again.call("far", "echo", text="remembered")).ok


@pytest.mark.parametrize("kind", ["json", "events", "modern", "old"])
async def test_each_kind_of_server_connects_lists_and_calls(house: Any, far: Serve, kind: str) -> None:
    server = await far(kind)
    home = await house(config(server))
    ready = await home.catalog.connect("far")
    assert (ready.status, ready.title, ready.tool_count, ready.pid) == (ServerStatus.READY, f"far-{kind}", 2, 0)
    assert ready.era == ("modern" if kind == "modern" else "legacy")
    assert ready.capabilities == ("tools",)
    outcomes = await asyncio.gather(*(home.call("far", "echo", text=str(number)) for number in range(20)))
    assert [outcome.content[0].text for outcome in outcomes] == [str(number) for number in range(20)]
    directions = {frame.direction for frame in home.catalog.server("far").traffic.frames()}
    assert {">", "<"} <= directions


async def test_the_era_and_the_way_are_remembered(house: Any, far: Serve) -> None:
    old, new = await far("old"), await far("json")
    home = await house(ServerConfig("old", url=old.url), ServerConfig("new", url=new.url))
    for name, server in (("old", old), ("new", new)):
        await home.catalog.connect(name)
        await home.catalog.disconnect(name)
        server.seen.clear()
        await home.catalog.connect(name)
        assert "server/discover" not in server.methods()
    assert old.seen[0][0] == "GET"


async def test_headers_are_expanded_and_sent_and_no_secret_is_in_a_frame(
    house: Any, far: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    word = "open" + "-sesame"
    monkeypatch.setenv("DOOR", word)
    server = await far("json")
    home = await house(config(server, headers={"Authorization": "Bearer ${DOOR}"}))
    await home.catalog.connect("far")
    assert all(headers["authorization"] == f"Bearer {word}" for _, _, headers, _ in server.seen)
    assert not any(word in frame.text for frame in home.catalog.server("far").traffic.frames())
    assert server.headers("tools/list")["mcp-session-id"] == "session-0"
    assert server.headers("tools/list")["mcp-protocol-version"] == "2025-06-18"


async def test_what_a_modern_call_is_about_stands_in_its_headers(house: Any, far: Serve) -> None:
    server = await far("modern")
    where = {"type": "string", "x-mcp-header": "Region"}
    bad = {
        "name": "bad",
        "inputSchema": {"type": "object", "properties": {"a": {"type": "array", "x-mcp-header": "A"}}},
    }
    server.tools = [{"name": "go", "inputSchema": {"type": "object", "properties": {"region": where}}}, bad]
    home = await house(config(server))
    ready = await home.catalog.connect("far")
    assert any("bad was left out" in warning for warning in ready.warnings)
    await home.call("far", "go", region="north")
    headers = server.headers("tools/call")
    assert (headers["mcp-method"], headers["mcp-name"], headers["mcp-param-region"]) == ("tools/call", "go", "north")


async def test_a_session_ends_with_the_connection(house: Any, far: Serve) -> None:
    server = await far("json")
    home = await house(config(server))
    await home.catalog.connect("far")
    await home.catalog.disconnect("far")
    assert [headers["mcp-session-id"] for verb, _, headers, _ in server.seen if verb == "DELETE"] == ["session-0"]


async def test_a_forgotten_session_begins_anew_and_the_call_is_made_once(house: Any, far: Serve) -> None:
    server = await far("json")
    home = await house(config(server))
    await home.catalog.connect("far")
    server.mode = "forgets"
    outcomes = await asyncio.gather(*(home.call("far", "echo", text=str(number)) for number in range(5)))
    assert [outcome.content[0].text for outcome in outcomes] == list("01234")
    assert server.sessions == ["session-0", "session-1"]
    taken = [headers["mcp-session-id"] for *_, headers, one in server.seen if one and one.get("method") == "tools/call"]
    assert taken.count("session-1") == 5


@pytest.mark.parametrize(
    ("status", "words"),
    [(401, "requires authentication"), (403, "denied access"), (404, "no MCP server"), (503, "failed (503)")],
)
async def test_a_refused_connection_says_why(house: Any, far: Serve, status: int, words: str) -> None:
    server = await far("json")
    server.mode, server.status, server.challenge = "refuse", status, 'Bearer realm="x"'
    home = await house(config(server))
    with pytest.raises(WorkbenchError) as raised:
        await home.catalog.connect("far")
    assert words in raised.value.message
    assert state(home).sign_in == ("needed" if status == 401 else "")
    assert state(home).status is ServerStatus.FAILED


async def test_nobody_there(house: Any, far: Serve) -> None:
    server = await far("json")
    await server.stop()
    home = await house(config(server))
    with pytest.raises(WorkbenchError, match=r"127\.0\.0\.1:\d+ refused the connection"):
        await home.catalog.connect("far")


async def test_a_name_that_is_none_and_an_address_that_is_none(house: Any) -> None:
    home = await house(
        ServerConfig("far", url="http://no-such-host.invalid/mcp"), ServerConfig("odd", url="ftp://x/mcp")
    )
    with pytest.raises(WorkbenchError, match=r"no-such-host\.invalid"):
        await home.catalog.connect("far")
    with pytest.raises(WorkbenchError, match="address of odd is not valid"):
        await home.catalog.connect("odd")


@pytest.mark.parametrize(
    ("mode", "words"),
    [
        ("hang", "did not answer within 1 seconds"),
        ("rubbish", "arse"),
        ("page", "content type"),
        ("closes", "connection failed"),
        ("stops", "without a response"),
        ("zipped", "sent a compressed answer"),
        ("status", "failed (500)"),
        ("endless", "limit of 1,048,576"),
        ("big", "limit of 1,048,576"),
        ("big_event", "1048576"),
    ],
)
async def test_a_call_that_goes_wrong_fails_alone(house: Any, far: Serve, mode: str, words: str) -> None:
    server = await far("json")
    server.size = 3_000_000
    home = await house(config(server), settings=Settings(server_frame_mb=1))
    await home.catalog.connect("far")
    server.mode = mode
    if mode == "hang":
        home.settings = QUICK
    outcome = await home.call("far", "echo", text="x")
    assert not outcome.ok
    assert words in outcome.fault.message
    server.mode, home.settings = "json", Settings()
    assert (await home.call("far", "echo", text="fine")).content[0].text == "fine"
    assert state(home).status is ServerStatus.READY
    assert server.sessions == ["session-0"]


@pytest.mark.parametrize(
    ("mode", "words"),
    [("many", "more than 300,000 lists and objects"), ("many_event", "stream ended without a response")],
)
async def test_an_answer_of_too_many_lists_is_refused_before_it_is_read(
    house: Any, far: Serve, mode: str, words: str
) -> None:
    server = await far("json")
    home = await house(config(server))
    await home.catalog.connect("far")
    server.mode = mode
    outcome = await home.call("far", "echo")
    assert words in outcome.fault.message
    server.mode = "json"
    assert (await home.call("far", "echo", text="fine")).ok


@pytest.mark.parametrize("mode", ["big", "big_event"])
async def test_ten_megabytes_come_through(house: Any, far: Serve, mode: str) -> None:
    server = await far("json")
    home = await house(config(server))
    await home.catalog.connect("far")
    server.mode, server.size = mode, 10_000_000
    outcome = await home.call("far", "echo")
    assert outcome.bytes == 10_000_000


@pytest.mark.alone
async def test_a_flood_of_notifications_does_not_drown_the_answer(house: Any, far: Serve) -> None:
    server = await far("json")
    home = await house(config(server))
    await home.catalog.connect("far")
    await home.call("far", "echo", text="warm")
    before = psutil.Process().memory_info().rss
    server.mode, server.size = "flood", 20_000
    assert (await home.call("far", "echo", text="heard")).content[0].text == "heard"
    assert psutil.Process().memory_info().rss - before < 100 << 20


async def test_duplicates_wrong_types_and_progress(house: Any, far: Serve) -> None:
    server = await far("json")
    home = await house(config(server))
    await home.catalog.connect("far")
    server.mode = "duplicates"
    assert [(await home.call("far", "echo", text=str(n))).content[0].text for n in range(3)] == ["0", "1", "2"]
    server.mode = "wrong_types"
    assert json.loads((await home.call("far", "echo")).structured) == [1, None]
    server.mode = server.kind = "events"
    heard: list[float] = []
    await home.catalog.call(house.wish("far", "count", {}), lambda progress, total, message: heard.append(progress))
    assert sorted(heard) == [1, 2, 3]


async def test_a_late_answer_disturbs_no_later_call(house: Any, far: Serve) -> None:
    server = await far("json")
    home = await house(config(server))
    await home.catalog.connect("far")
    server.mode, server.seconds, home.settings = "late", 1.3, QUICK
    assert "did not answer" in (await home.call("far", "echo", text="late")).fault.message
    server.mode, home.settings = "json", Settings()
    assert (await home.call("far", "echo", text="now")).content[0].text == "now"


async def test_calls_that_were_given_up_keep_no_connection_open(house: Any, far: Serve) -> None:
    server = await far("json")
    home = await house(config(server))
    await home.catalog.connect("far")
    server.mode, home.settings = "hang", QUICK
    await asyncio.gather(*(home.call("far", "echo") for _ in range(5)))
    async with asyncio.timeout(60):
        while server.connections > 2:
            await asyncio.sleep(0.01)
    assert "notifications/cancelled" in server.methods()


async def test_one_wrong_tool_of_twenty_costs_no_other(house: Any, far: Serve) -> None:
    server = await far("json")
    server.tools = [{"name": f"good_{number}", "inputSchema": {"type": "object"}} for number in range(19)]
    server.tools.append({"name": "bad", "inputSchema": "x"})
    home = await house(config(server))
    assert (await home.catalog.connect("far")).tool_count == 19


async def test_a_server_that_goes_away_is_lost_and_found_again(house: Any, far: Serve) -> None:
    server = await far("json")
    home = await house(config(server))
    await home.catalog.connect("far")
    await server.stop()
    outcome = await home.call("far", "echo", text="x")
    assert "refused the connection" in outcome.fault.message
    assert state(home).status is ServerStatus.FAILED
    assert "restarts in" in state(home).fault.hint
    await server.again()
    async with asyncio.timeout(60):
        while state(home).status is not ServerStatus.READY:
            await asyncio.sleep(0.02)
    assert state(home).restarts == 1
    assert (await home.call("far", "echo", text="back")).content[0].text == "back"


async def test_messages_are_never_sent_to_another_origin(house: Any, far: Any) -> None:
    server = await far("old")
    server.mode = "elsewhere"
    home = await house(ServerConfig("far", url=server.url, transport="sse"))
    with pytest.raises(WorkbenchError, match="a different origin"):
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
