"""The HTTP door: the same agent's door, for whoever has the token, on this machine only, and open only when wished."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import stat

import pytest
from msgspec.structs import replace

from workbench.agent.http import http_server
from workbench.agent.tool_definitions import TOOLS
from workbench.records import Decision, EntryQuery, RunState

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}},
}
SLEEPS = {"code": "import time\ntime.sleep(30)", "description": "sleep"}


async def until(condition) -> None:
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0.01)


async def test_nothing_listens_unless_a_person_wishes_it_and_it_closes_again(core):
    assert (await core.api.http_endpoint()).url == ""
    door = await core.api.open_http_endpoint(0, False)
    assert (await core.api.status()).http_endpoint == door.url
    assert await core.api.open_http_endpoint(0, False) == door, "it is open already"
    assert stat.S_IMODE(core.paths.agent_token.stat().st_mode) == 0o600
    await core.api.close_http_endpoint()
    assert (await core.api.http_endpoint()).token == ""
    with pytest.raises(OSError):
        await asyncio.open_connection("127.0.0.1", int(door.url.rpartition(":")[2].partition("/")[0]))
    again = await core.api.open_http_endpoint(0, True)
    assert again.token != door.token
    kinds = [entry.note.kind for entry in core.journal.entries(EntryQuery(kind="door."))]
    assert kinds == ["http_endpoint.opened", "http_endpoint.closed", "http_endpoint.opened"]


async def test_the_setting_opens_it_with_the_core_and_a_taken_port_is_told(core):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        core.services.settings.set(replace(core.settings, agent_http=True, agent_http_port=port))
        fault = await core.connected_agents.open_as_set()
        assert fault is not None
        assert f"cannot use port {port}" in fault.message
    assert await core.connected_agents.open_as_set() is None
    assert (await core.api.http_endpoint()).url == f"http://127.0.0.1:{port}/mcp"


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_both_eras_do_the_same_work_as_over_a_pipe(core, visitor, mode):
    code = "from servers.demo import count_orders\nprint('ada@example.org')\nresult = await count_orders()"
    heard = []

    async def hear(progress, total, message):
        heard.append(message)

    async with visitor("Web agent", mode) as client:
        assert client.protocol_version == ("2025-11-25" if mode == "legacy" else "2026-07-28")
        listed = await client.list_tools()
        ran = await client.call_tool("execute_code", {"code": code, "description": "count"}, progress_callback=hear)
        assert [info.name for info in (await core.api.status()).agents] == ["Web agent"]
    assert [tool.name for tool in listed.tools] == [tool.name for tool in TOOLS]
    assert not ran.is_error, ran.content[0].text
    assert "ada@example.org" not in json.dumps(ran.model_dump(mode="json"))
    assert "[EMAIL_1." in ran.content[0].text
    assert heard
    if mode == "legacy":  # it said goodbye
        await until(lambda: not core.connected_agents.agents())


async def test_agents_are_told_apart_and_hold_no_tokens_of_each_other(core, visitor):
    async with visitor("One") as one, visitor("Two", "auto") as two:
        token = (await one.call_tool("sanitize_pii", {"text": "ada@example.org"})).content[0].text
        assert "refused" not in (await one.call_tool("restore_pii", {"text": token})).content[0].text
        assert (
            "do not belong to this session and will be refused: 1 of 1."
            in (await two.call_tool("restore_pii", {"text": token})).content[0].text
        )
        names = {info.name for info in (await core.api.status()).agents}
    assert names == {"One", "Two"}


REFUSED = (
    ({"Authorization": None}, 401, "token is missing or wrong"),
    ({"Authorization": "Bearer wrong"}, 401, "token is missing or wrong"),
    ({"Authorization": "Basic eDp5"}, 401, "token is missing or wrong"),
    ({"Host": "evil.example"}, 421, "127.0.0.1 or localhost"),
    ({"Host": "evil.example:80"}, 421, "127.0.0.1 or localhost"),
    ({"Origin": "http://evil.example"}, 403, "Web pages"),
    ({"Origin": "null"}, 403, "Web pages"),
    ({"path": "/"}, 404, "/mcp"),
    ({"method": "OPTIONS"}, 405, "GET, POST and DELETE"),
    ({"Content_Type": "text/plain"}, 400, "Content-Type"),
    ({"Mcp_Session_Id": "0" * 32}, 404, "Session not found"),
)


async def test_who_may_not_come_in_is_told_why_and_leaves_nothing_behind(core, raw):
    for headers, status, words in REFUSED:
        answer = await raw(HELLO, **headers)
        assert (answer.status, words in answer.body.decode()) == (status, True), answer
    await until(lambda: core.connected_agents.agents() == ())


async def test_what_is_no_request_is_answered_with_an_error_and_the_next_one_with_its_answer(core, raw):
    unread = (b"rubbish", b"", b"[" * 100_000, b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}', b"[]", b"null")
    for body, status in (*((body, 400) for body in unread), (b'"' + b"x" * (5 << 20) + b'"', 413)):
        answer = await raw(body)
        assert (answer.status, "error" in answer.json) == (status, True), body[:40]
    assert (await raw(HELLO)).status == 200
    await until(lambda: len(core.connected_agents.agents()) == 1)


async def test_a_session_speaks_the_version_it_agreed_on_and_its_streams_can_go_on(core, raw):
    session = _session(await raw(HELLO))
    call = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
    listed = await raw(call, Mcp_Session_Id=session, Mcp_Protocol_Version="2025-03-26")
    priming, answer = listed.body.decode().split("\r\n\r\n")[:2]
    assert ("id: " in priming, "retry: 1000" in priming, '"execute_code"' in answer) == (True, True, True)
    first = next(line[4:] for line in priming.split("\r\n") if line.startswith("id: "))
    lost = {"Mcp_Session_Id": session, "Last_Event_ID": first, "Mcp_Protocol_Version": "2025-11-25"}
    again = await raw(method="GET", until=b'"execute_code"', **lost)
    assert again.status == 200, "what a broken stream lost is sent again"


def _session(hello) -> str:
    return next(line.split(": ")[1] for line in hello.head.splitlines() if line.lower().startswith("mcp-session-id"))


async def test_a_session_ends_when_its_agent_says_so_and_its_programs_with_it(core, visitor):
    async with visitor() as client:
        running = asyncio.get_running_loop().create_task(client.call_tool("execute_code", SLEEPS))
        await until(lambda: core.run_manager.count_runs(RunState.RUNNING) == 1)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
    await until(lambda: not core.run_manager.busy and not core.connected_agents.agents())
    assert core.run_manager.runs()[0].state is RunState.STOPPED


async def test_closing_the_door_ends_its_agents_and_what_they_run(core, raw, door):
    session = _session(await raw(HELLO))
    call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "execute_code", "arguments": SLEEPS}}
    asking = asyncio.get_running_loop().create_task(raw(call, Mcp_Session_Id=session))
    await until(lambda: core.run_manager.count_runs(RunState.RUNNING) == 1)
    await core.api.close_http_endpoint()
    await until(lambda: not core.run_manager.busy)
    assert core.connected_agents.agents() == ()
    await asyncio.wait([asking])
    assert asking.exception() is None or isinstance(asking.exception(), OSError | IndexError)


async def test_an_agent_that_is_silent_counts_as_gone(core, raw, monkeypatch):
    from workbench.agent.http import http_agents as agents

    await raw(HELLO)
    assert len(core.connected_agents.agents()) == 1
    monkeypatch.setattr(agents, "IDLE_SECONDS", 0.0)
    http = core.connected_agents._http._agents
    async with asyncio.timeout(60):
        while core.connected_agents.agents():
            await http.check_agents()
            await asyncio.sleep(0.01)


async def test_a_silent_agents_program_that_waits_for_the_user_goes_on_waiting(core, visitor, monkeypatch):
    from workbench.agent.http import http_agents as agents

    core.services.settings.set(replace(core.settings, agent_wait_seconds=0, isolation_high="process"))
    core.services.workspace_files.write("old.txt", "x")
    deletes = {"code": "import os\nos.remove('workspace/old.txt')\nresult = 'gone'", "description": "tidy up"}
    async with visitor() as client:
        facts = (await client.call_tool("execute_code", deletes)).structured_content
        assert facts["state"] == "waiting"
        monkeypatch.setattr(agents, "GONE_SECONDS", -1.0)
        await core.connected_agents._http._agents.check_agents()
        run = core.run_manager.run(facts["run"])
        assert run.state is RunState.WAITING, "its agent was told to ask for it later"
        core.run_manager.decide(Decision(run.id, run.proposal.sha, True, "you", fingerprint=run.fingerprint))
        answer = await client.call_tool("get_run", {"run_id": run.id, "wait": 40})
    assert answer.content[0].text == 'result = "gone"'


async def test_connections_that_say_nothing_end_and_are_not_without_number(core, raw, monkeypatch):
    monkeypatch.setattr(http_server, "STRANGERS", 3)
    monkeypatch.setattr(http_server, "STRANGER_SECONDS", 0.2)
    door = await core.api.http_endpoint()
    port = int(door.url.rpartition(":")[2].partition("/")[0])
    silent = [await asyncio.open_connection("127.0.0.1", port) for _ in range(5)]
    silent[0][1].write(b"POST /mcp HTTP/1.1\r\nHost: ")
    async with asyncio.timeout(60):
        for reader, writer in reversed(silent):
            with contextlib.suppress(ConnectionError):
                assert await reader.read() == b""
            writer.close()
    assert (await raw(HELLO)).status == 200


async def test_three_hundred_strangers_keep_no_agent_out(core, raw, visitor):
    async with visitor("One") as client:
        door = await core.api.http_endpoint()
        port = int(door.url.rpartition(":")[2].partition("/")[0])
        silent = [await asyncio.open_connection("127.0.0.1", port) for _ in range(300)]
        assert (await raw(HELLO)).status == 200
        answer = await client.call_tool("sanitize_pii", {"text": "fine"})
        assert answer.content[0].text == "fine"
        async with visitor("Two") as other:
            assert (await other.call_tool("sanitize_pii", {"text": "fine"})).content[0].text == "fine"
        for _, writer in silent:
            writer.close()


async def test_agents_have_so_many_connections_and_the_next_one_is_told(core, raw, monkeypatch):
    monkeypatch.setattr(http_server, "CONNECTIONS", 0)
    answer = await raw(HELLO)
    assert (answer.status, "connections of agents are already open" in answer.body.decode()) == (503, True)
    monkeypatch.setattr(http_server, "CONNECTIONS", 4)
    assert (await raw(HELLO)).status == 200


@pytest.mark.parametrize("number", [1.5, True, [1], None])
async def test_a_request_with_an_odd_id_is_answered(core, raw, number):
    answer = await raw({**HELLO, "id": number})
    assert answer.status == 400
    assert answer.json["id"] == (1.5 if number == 1.5 else None)
    assert "a string or an integer" in answer.json["error"]["message"]


async def test_half_a_character_is_an_error_under_the_id_of_its_request(core, raw):
    answer = await raw(b'{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"a":"\\ud800"}}')
    assert (answer.status, answer.json["id"]) == (400, 7)
    assert "half a character" in answer.json["error"]["message"]
