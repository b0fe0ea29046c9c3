"""Skills at the door: found by words, read whole, run like any program, offered as drafts."""

from __future__ import annotations


async def text(client, tool, **arguments):
    return (await client.call_tool(tool, arguments)).content[0].text


async def test_a_skill_is_found_read_and_run_and_the_run_is_known_as_the_skills(core, agent):
    async with agent() as client:
        found = await client.call_tool("search_skills", {"query": "summary of pending orders"})
        read = await text(client, "load_skill", name="pending_orders_summary")
        ran = await client.call_tool("run_skill", {"name": "pending-orders-summary", "arguments": {"show": 1}})
        missing = await text(client, "run_skill", name="no-such-skill")
        wrong = await text(client, "run_skill", name="pending-orders-summary", arguments={"a b": 1})
    assert found.structured_content["skills"][0]["name"] == "pending-orders-summary"
    assert "async def pending_orders_summary(" in read
    assert not ran.is_error, ran.content[0].text
    (run,) = core.conveyor.runs()
    assert run.proposal.skill == "pending-orders-summary"
    assert ran.structured_content["run"] == run.id
    assert "There are: " in missing
    assert "show" in wrong, "what it takes"


async def test_an_offer_is_a_draft_that_nobody_can_load_yet(agent):
    async with agent() as client:
        said = await text(client, "save_skill", name="my-sum", code="result = 1 + 1", description="Adds.")
        assert "is a draft now" in said
        assert "my-sum is a draft" in await text(client, "load_skill", name="my-sum")
