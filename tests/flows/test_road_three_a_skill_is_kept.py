"""Road three: a good run becomes a draft, a person keeps it, agents see it and programs import it."""

from __future__ import annotations

import pytest

from workbench.errors import WorkbenchError
from workbench.records import RunState, SkillState

COUNT_OPEN = """\
from servers.demo import list_orders


async def count_pending(limit: int = 5) -> dict:
    page = await list_orders(status="pending", limit=limit)
    return {"total": page["total"], "shown": len(page["orders"])}


result = await count_pending()
"""


async def test_a_run_becomes_a_skill_that_agents_list_and_import(person, agent, run_that):
    await person.api.connect("demo")
    await person.api.submit(COUNT_OPEN, "count", "")
    run = await run_that(RunState.DONE, RunState.FAILED, RunState.REFUSED)
    assert run.state is RunState.DONE, run.fault
    draft = await person.api.draft_skill("count-pending", "Count pending orders.", run.proposal.code, run.id)
    assert draft.state is SkillState.DRAFT
    assert draft.tools == ("demo.list_orders",)
    async with agent() as client:
        before = (await client.call_tool("list_skills", {})).content[0].text
        assert "count-pending" not in before
        kept = await person.api.keep_skill(draft.name, draft.sha)
        assert kept.state is SkillState.KEPT
        assert kept.version == 1
        assert "count-pending" in (await client.call_tool("list_skills", {})).content[0].text
        program = "from skills.count_pending import count_pending\nresult = await count_pending(limit=2)\n"
        answer = await client.call_tool("execute_code", {"code": program, "description": "use the skill"})
    assert not answer.is_error, answer.content[0].text
    assert '"shown": 2' in answer.content[0].text


async def test_what_an_agent_saves_is_only_a_draft_until_a_person_keeps_it(person, agent):
    async with agent() as client:
        offered = {
            "name": "say-hello",
            "code": "async def say_hello():\n    return 'hello'\n",
            "description": "Greets.",
        }
        answer = await client.call_tool("save_skill", offered)
        assert not answer.is_error, answer.content[0].text
        use = {"code": "from skills.say_hello import say_hello\nresult = await say_hello()", "description": "use it"}
        early = await client.call_tool("execute_code", use)
        assert early.is_error
        skill = await person.api.skill("say-hello")
        assert skill.state is SkillState.DRAFT
        await person.api.keep_skill("say-hello", skill.sha)
        late = await client.call_tool("execute_code", use)
    assert not late.is_error, late.content[0].text
    assert "hello" in late.content[0].text


async def test_a_draft_that_changed_since_it_was_shown_is_not_kept(person):
    shown = await person.api.draft_skill("tidy", "Tidies.", "async def tidy():\n    return 1\n", "")
    await person.api.draft_skill("tidy", "Tidies.", "async def tidy():\n    return 2\n", "")
    with pytest.raises(WorkbenchError):
        await person.api.keep_skill("tidy", shown.sha)


async def test_a_retired_skill_is_hidden_from_agents(person, agent):
    draft = await person.api.draft_skill("old-way", "Was useful.", "async def old_way():\n    return 1\n", "")
    await person.api.keep_skill("old-way", draft.sha)
    assert (await person.api.retire_skill("old-way")).state is SkillState.RETIRED
    async with agent() as client:
        assert "old-way" not in (await client.call_tool("list_skills", {})).content[0].text
