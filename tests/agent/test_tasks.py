"""MCP tasks (SEP-2663) and approval requests in the agent's own client, with the SDK's client at the other end."""

from __future__ import annotations

import asyncio
import itertools

import mcp.types as T
import pytest
from msgspec.structs import replace

from tests.agent.test_files import told
from tests.agent.test_waiting import DELETES, decide, until
from workbench.agent.protocol_identity import TASKS
from workbench.records import RunState

MODERN = "2026-07-28"
ADDS = {
    "code": "from servers.demo import create_ticket\n"
    "result = await create_ticket(customer_id='CUS-0001', subject='Late', body='Where is it?')",
    "description": "open a ticket",
}


class TasksError(Exception):
    """A JSON-RPC error."""


class Tasks:
    """Requests of a client that declares the tasks extension, or does not, written by hand."""

    def __init__(self, ask, declares=True, elicits=False):
        self._ask = ask
        capabilities = {"extensions": {TASKS: {}}} if declares else {}
        capabilities |= {"elicitation": {"form": {}}} if elicits else {}
        self._meta = {
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientInfo": {"name": "test agent", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": capabilities,
        }

    async def send(self, method, **params):
        number = next(_numbers)
        params = {**params, "_meta": self._meta}
        answer = await self._ask({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        assert answer["id"] == number
        if "error" in answer:
            raise TasksError(answer["error"])
        return answer["result"]

    async def call(self, tool, arguments):
        return await self.send("tools/call", name=tool, arguments=arguments)

    async def until(self, task_id, *statuses):
        async with asyncio.timeout(60):
            while (task := await self.send("tasks/get", taskId=task_id))["status"] not in statuses:
                await asyncio.sleep(0.05)
        return task


_numbers = itertools.count(1)


@pytest.fixture
async def asking(core):
    """A core whose isolation needs no container, with a file that a program may delete."""
    core.services.settings.set(
        replace(core.settings, isolation_high="process", isolation_medium="process", approval_auto_mild=False)
    )
    core.services.workspace_files.write("old.txt", "x")
    await core.catalog.connect("demo")
    return core


async def test_a_program_that_waits_for_the_user_is_a_task_that_outlives_its_connection(asking, by_hand):
    async with by_hand() as ask:
        created = await Tasks(ask).call("execute_code", DELETES)
        assert (created["resultType"], created["status"]) == ("task", "working")
        assert "approval" in created["statusMessage"]
        assert created["createdAt"].endswith("Z")
        task_id = created["taskId"]
        assert " d " in created["statusMessage"] or " h " in created["statusMessage"], "a task may wait for a day"
        deadline = asking.run_manager.runs()[0].deadline
        assert deadline - created["ttlMs"] / 1000 < deadline
    run = asking.run_manager.runs()[0]
    assert run.state is RunState.WAITING, "the connection ended, the task did not"
    async with by_hand() as ask:
        tasks = Tasks(ask)
        assert (await tasks.send("tasks/get", taskId=task_id))["status"] == "working"
        decide(asking, run.id)
        done = await tasks.until(task_id, "completed")
    assert done["result"]["content"][0]["text"] == 'result = "gone"'
    assert done["resultType"] == "complete"


async def test_a_client_without_the_extension_gets_no_task_and_no_answer_about_one(asking, by_hand):
    asking.services.settings.set(replace(asking.settings, agent_wait_seconds=0))
    async with by_hand() as ask:
        plain = await Tasks(ask, declares=False).call("execute_code", DELETES)
        assert "waits for the user's approval" in plain["content"][0]["text"]
        task_id = (await Tasks(ask).call("execute_code", DELETES))["taskId"]
        with pytest.raises(TasksError) as missing:
            await Tasks(ask, declares=False).send("tasks/get", taskId=task_id)
        assert missing.value.args[0]["code"] == T.MISSING_REQUIRED_CLIENT_CAPABILITY
        assert missing.value.args[0]["data"]["requiredCapabilities"]["extensions"] == {TASKS: {}}
        for wrong in (task_id[:-1], task_id.partition(".")[0], "r0.x", "", "x" * 10_000):
            with pytest.raises(TasksError):
                await Tasks(ask).send("tasks/get", taskId=wrong)
        with pytest.raises(TasksError) as gone:
            await Tasks(ask).send("tasks/result", taskId=task_id)
        assert gone.value.args[0]["code"] == T.METHOD_NOT_FOUND


async def test_a_cancelled_task_withdraws_its_request(asking, by_hand):
    async with by_hand() as ask:
        tasks = Tasks(ask)
        task_id = (await tasks.call("execute_code", DELETES))["taskId"]
        assert await tasks.send("tasks/cancel", taskId=task_id)
        assert (await tasks.until(task_id, "cancelled"))["status"] == "cancelled"
    run = asking.run_manager.runs()[0]
    assert (run.state, run.fault.message) == (RunState.STOPPED, "Its agent cancelled the task.")


async def test_a_short_program_is_answered_at_once(asking, by_hand):
    async with by_hand() as ask:
        answer = await Tasks(ask).call("execute_code", {"code": "result = 6 * 7"})
    assert answer["content"][0]["text"] == "result = 42"


async def test_the_user_may_answer_in_the_agents_client_if_it_is_switched_on(asking, by_hand):
    async with by_hand() as ask:
        tasks = Tasks(ask, elicits=True)
        task_id = (await tasks.call("execute_code", ADDS))["taskId"]
        assert (await tasks.send("tasks/get", taskId=task_id))["status"] == "working", "it is off by default"
        asking.services.settings.set(replace(asking.settings, approval_elicitation=True))
        waiting = await tasks.until(task_id, "input_required")
        ((key, request),) = waiting["inputRequests"].items()
        assert request["method"] == "elicitation/create"
        assert "CUS-0001" in request["params"]["message"] or "ticket" in request["params"]["message"]
        wrong = {"program-0000000000000000": {"action": "accept", "content": {"decision": "allow"}}}
        await tasks.send("tasks/update", taskId=task_id, inputResponses=wrong)
        assert asking.run_manager.runs()[0].state is RunState.WAITING
        right = {key: {"action": "accept", "content": {"decision": "allow"}}}
        await tasks.send("tasks/update", taskId=task_id, inputResponses=right)
        done = await tasks.until(task_id, "completed")
    assert not done["result"].get("isError"), done
    decision = asking.run_manager.runs()[0].decision
    assert (decision.allow, decision.by) == (True, "you, in test agent")


async def test_high_risk_is_never_asked_in_the_agents_client(asking, by_hand):
    asking.services.settings.set(replace(asking.settings, approval_elicitation=True))
    async with by_hand() as ask:
        tasks = Tasks(ask, elicits=True)
        task = await tasks.call("execute_code", DELETES)
        assert asking.run_manager.runs()[0].verdict.risk == "high"
        assert (await tasks.send("tasks/get", taskId=task["taskId"]))["status"] == "working"


async def test_a_client_without_tasks_is_asked_and_repeats_its_call(asking, agent):
    asking.services.settings.set(replace(asking.settings, approval_elicitation=True))
    asked = []

    async def answer(context, params):
        asked.append(params.message)
        return T.ElicitResult(action="accept", content={"decision": "deny", "reason": "Not today."})

    async with agent(mode=MODERN, elicitation_callback=answer) as client:
        text, _ = await told(client, "execute_code", **ADDS)
    assert len(asked) == 1
    assert "Not today." in text


async def test_a_client_of_an_older_protocol_is_asked_during_its_call(asking, agent):
    asking.services.settings.set(replace(asking.settings, approval_elicitation=True, agent_wait_seconds=0))

    async def answer(context, params):
        return T.ElicitResult(action="accept", content={"decision": "allow"})

    async with agent(mode="legacy", elicitation_callback=answer) as client:
        text, facts = await told(client, "execute_code", **ADDS)
    assert facts["state"] == "done", text


async def test_the_agent_is_told_that_its_request_waits_where_no_form_can_answer_it(asking, agent):
    asking.services.settings.set(replace(asking.settings, approval_elicitation=True, agent_wait_seconds=0))
    answers = [T.ElicitResult(action="cancel"), T.ErrorData(code=-32601, message="No forms.")]

    async def answer(context, params):
        return answers.pop(0)

    another = ADDS | {"code": ADDS["code"].replace("'Late'", "'Lost'")}
    async with agent(mode="legacy", elicitation_callback=answer) as client:
        for program in (DELETES, ADDS, another):  # of high risk; the form was cancelled; the client shows none
            text, facts = await told(client, "execute_code", **program)
            assert facts["state"] == "waiting", text
    assert not answers


async def test_a_second_run_of_the_same_program_gets_a_form_of_its_own(asking, agent):
    asking.services.settings.set(replace(asking.settings, approval_elicitation=True))
    decisions = ["deny", "allow"]

    async def answer(context, params):
        return T.ElicitResult(action="accept", content={"decision": decisions.pop(0)})

    async with agent(mode="legacy", elicitation_callback=answer) as client:
        states = [(await told(client, "execute_code", **ADDS))[1]["state"] for _ in range(2)]
    assert states == ["refused", "done"]


async def test_a_form_is_withdrawn_when_the_user_answers_elsewhere(asking, agent):
    asking.services.settings.set(replace(asking.settings, approval_elicitation=True))
    shown, withdrawn = asyncio.Event(), asyncio.Event()

    async def answer(context, params):
        shown.set()
        try:
            await asyncio.Event().wait()
        finally:
            withdrawn.set()

    async with agent(mode="legacy", elicitation_callback=answer) as client:
        call = asyncio.create_task(told(client, "execute_code", **ADDS))
        await asyncio.wait_for(shown.wait(), 60)
        decide(asking, asking.run_manager.runs()[0].id, allow=False, reason="In the window.")
        text, _ = await call
        assert "In the window." in text
        await until(withdrawn.is_set)
