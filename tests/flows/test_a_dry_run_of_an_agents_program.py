"""An agent's program waits, the user starts a dry run, and it goes on by what was ticked of its plan."""

from __future__ import annotations

import asyncio
import json

from workbench.records import Origin, PlanChoice, RunState, ToolCall

CODE = """\
from servers.demo import list_customers, send_email

person = (await list_customers(limit=1))["customers"][0]
first = await send_email(to=person["email"], subject="Hello", body="A test.")
await send_email(to="team@acme.example", subject="Done", body=f"Wrote {first['id']}")
result = {"wrote to": person["email"]}
"""


async def outbox(person):
    call = ToolCall("look", "demo", "list_outbox", {}, Origin.PERSON, "person")
    return json.loads((await person.api.call(call)).structured)["result"]


async def test_the_agent_gets_its_answer_after_nothing_but_the_plan_was_done(person, agent, run_that):
    await person.api.connect("demo")
    async with agent() as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        asked = asyncio.get_running_loop().create_task(
            client.call_tool("execute_code", {"code": CODE, "description": "say hello"})
        )
        waits = await run_that(RunState.WAITING)
        begun = await person.api.dry_run_waiting(waits.id)
        over = await run_that(RunState.DONE)
        assert over.id == begun.id
        assert await outbox(person) == []
        assert not asked.done(), "the agent is not told of a dry run"
        ticked = tuple(held.call_id for held in over.plan)
        await person.api.run_plan(PlanChoice(over.id, over.proposal.sha, ticked, 4.0))
        answer = await asked
    assert not answer.is_error, answer.content[0].text
    assert "[EMAIL_" in answer.content[0].text
    assert [mail["subject"] for mail in await outbox(person)] in (["Hello", "Done"], ["Done", "Hello"])
    assert not any("dry_run" in name or "plan" in name for name in names)
