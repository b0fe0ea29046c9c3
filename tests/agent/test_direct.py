"""Chosen servers' tools one by one: each call takes the road of programs, with gate, privacy and audit on it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from workbench.agent.direct_tools import LONGEST_NAME, DirectTools, _unused_name
from workbench.privacy.text_kinds import KindMarks
from workbench.records import EntryQuery, RunState


@pytest.fixture
async def direct(core):
    await core.catalog.connect("demo")
    core.services.settings.set(replace(core.settings, agent_direct="demo nothing", approval_wait_seconds=0))
    return core


async def test_they_are_listed_beside_the_doors_own_and_answer_masked(direct, agent):
    async with agent() as client:
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
        orders = await client.call_tool("demo__list_orders", {"status": "pending", "limit": 1})
        who = await client.call_tool("demo__get_customer", {"customer_id": "CUS-0001"})
        picture = await client.call_tool("demo__order_chart", {})
        wrong = await client.call_tool("demo__list_orders", {"stauts": "pending"})
    assert listed["demo__list_orders"].input_schema["properties"]["status"]
    assert "execute_code" in listed
    assert not orders.is_error, orders.content[0].text
    assert orders.content[0].text.startswith("{")
    assert "[EMAIL_1." in who.content[0].text
    assert [part.type for part in picture.content] == ["text", "image"]
    assert wrong.is_error
    assert "status" in wrong.content[0].text
    kinds = [entry.note.tool for entry in direct.journal.entries(EntryQuery(kind="call.done"))]
    assert kinds == ["order_chart", "get_customer", "list_orders"]


async def test_what_needs_a_person_waits_for_one(direct, agent):
    async with agent() as client:
        sent = await client.call_tool("demo__send_email", {"to": "a@example.org", "subject": "s", "body": "b"})
        gone = await client.call_tool("other__tool", {})
    assert sent.is_error
    assert "not answered in time" in sent.content[0].text
    (run,) = direct.run_manager.runs()
    assert (run.state, run.proposal.required) == (RunState.REFUSED, ("demo.send_email",))
    assert "There is no tool" in gone.content[0].text


async def test_without_the_setting_there_are_none(core, agent):
    async with agent() as client:
        assert not [tool.name for tool in (await client.list_tools()).tools if "__" in tool.name]
        assert (await client.call_tool("demo__list_orders", {})).is_error


async def test_serve_names_servers_for_one_agent_alone(core, agent, by_hand):
    await core.catalog.connect("demo")
    about = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "chosen", "version": "1"}}
    async with by_hand() as ask, agent() as other:
        await ask({"workbench": {"direct": ["demo"]}}, answers=False)
        begun = await ask({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about})
        await ask({"jsonrpc": "2.0", "method": "notifications/initialized"}, answers=False)
        listed = await ask({"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}})
        refused = await ask({"workbench": {"direct": []}})
        assert not [tool.name for tool in (await other.list_tools()).tools if "__" in tool.name]
    assert begun["id"] == 1
    assert "demo__list_orders" in [tool["name"] for tool in listed["result"]["tools"]]
    assert refused["error"]["code"] == -32700, "only the first line is none of the agent's"
    assert core.settings.agent_direct == ""


@pytest.mark.parametrize("line", [b'{"workbench":{"direct":3}}', b'{"workbench":[]}', b'{"workbench":', b"{}"])
def test_a_first_line_that_names_no_servers_is_the_agents_own(core, line):
    assert not DirectTools(core.services, None, KindMarks()).accept_preface(line)


def test_names_are_those_that_models_take_and_no_two_alike():
    taken: dict = {}
    for wish in ("a.b__tool with blanks", "a-b__x" * 40, "a-b__x" * 40):
        taken[_unused_name(wish, taken)] = None
    assert next(iter(taken)) == "a_b__tool_with_blanks"
    assert [len(name) <= LONGEST_NAME for name in taken] == [True] * 3


async def test_with_programs_switched_off_single_calls_still_work_and_no_program_runs(direct, agent):
    async with agent() as client:
        direct.services.settings.set(replace(direct.settings, run_enabled=False))
        listed = {tool.name for tool in (await client.list_tools()).tools}
        one = await client.call_tool("demo__count_orders", {})
        program = await client.call_tool("execute_code", {"code": "print(1)", "description": "Try."})
        file = await client.call_tool("write_workspace_file", {"path": "a.txt", "content": "b"})
    assert not {"execute_code", "run_skill"} & listed
    assert {"search_tools", "demo__count_orders"} <= listed
    assert not one.is_error, one.content[0].text
    assert not file.is_error, file.content[0].text
    assert program.is_error
    assert "Programs are switched off" in program.content[0].text
    assert [run.proposal.purpose for run in direct.run_manager.runs()] == [
        "Write the file a.txt.",
        "Call demo.count_orders.",
    ]
