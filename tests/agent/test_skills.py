"""Skills at the door: found by words, read whole, run like any program, offered as drafts."""

from __future__ import annotations

import pytest

from workbench.agent.skills import call_of
from workbench.errors import WorkbenchError
from workbench.records import Skill, SkillState


async def text(client, tool, **arguments):
    return (await client.call_tool(tool, arguments)).content[0].text


async def test_a_skill_is_found_read_and_run_and_the_run_is_known_as_the_skills(core, agent):
    async with agent() as client:
        found = await client.call_tool("search_skills", {"query": "summary of pending orders"})
        read = await text(client, "load_skill", name="pending_orders_summary")
        ran = await client.call_tool("run_skill", {"name": "pending-orders-summary", "arguments": {"show": 1}})
        missing = await text(client, "run_skill", name="no-such-skill")
        wrong = await text(client, "run_skill", name="pending-orders-summary", arguments={"a b": 1})
        none = await text(client, "search_skills", query="zzzz")
    assert found.structured_content["skills"][0]["name"] == "pending-orders-summary"
    assert "async def pending_orders_summary(" in read
    assert not ran.is_error, ran.content[0].text
    (run,) = core.conveyor.runs()
    assert run.proposal.skill == "pending-orders-summary"
    assert ran.structured_content["run"] == run.id
    assert "There are: " in missing
    assert "cannot be given" in wrong
    assert "No skill fits" in none


def test_values_become_keywords_and_what_is_no_value_is_refused():
    skill = Skill("late-orders", "", "def late_orders(days, of=None):\n    return days", SkillState.KEPT)
    code = call_of(skill, {"days": 3, "of": {"who": 'a "quote"\n', "deep": [None, True]}})
    assert code.endswith("""result = late_orders(days=3, of={'who': 'a "quote"\\n', 'deep': [None, True]})\n""")
    for values in ({"x); import os": 1}, {"days": float("nan")}, {"days": [float("inf")]}):
        with pytest.raises(WorkbenchError, match="cannot be given"):
            call_of(skill, values)


async def test_an_offer_is_a_draft_that_nobody_can_load_yet(agent):
    async with agent() as client:
        said = await text(client, "save_skill", name="my-sum", code="result = 1 + 1", description="Adds.")
        assert "is a draft now" in said
        assert "There is no kept skill" in await text(client, "load_skill", name="my-sum")
