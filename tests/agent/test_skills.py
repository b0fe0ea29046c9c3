"""Skills at the door: found by words, read whole, run like any program, offered as drafts."""

from __future__ import annotations

from msgspec.structs import replace

from workbench.records import SkillState


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
    (run,) = core.run_manager.runs()
    assert run.proposal.skill == "pending-orders-summary"
    assert ran.structured_content["run"] == run.id
    assert "Kept skills: " in missing
    assert "show" in wrong, "what it takes"


async def test_an_offer_is_a_draft_that_nobody_can_load_yet(agent):
    async with agent() as client:
        said = await text(client, "save_skill", name="my-sum", code="result = 1 + 1", description="Adds.")
        assert "is now a draft" in said
        assert "my-sum is a draft" in await text(client, "load_skill", name="my-sum")


FILTER = "def filter_high_risk(vulns): return [v for v in vulns if v['severity'] in ['high', 'critical']]"
USES = """
skill = load_skill("filter_high_risk")
exec(skill)
result = filter_high_risk([{"severity": "high"}, {"severity": "low"}])
"""


async def test_an_offer_under_a_kept_skills_name_says_so_and_replaces_it_whole_once_it_is_kept(core, agent):
    async with agent() as client:
        said = await text(
            client, "save_skill", name="filter_high_risk", code=FILTER, description="Filter to high and critical."
        )
        assert "Until then load_skill and run_skill use the kept skill of this name" in said
        draft = core.services.library.get("filter-high-risk", SkillState.DRAFT)
        kept = await core.api.keep_skill(draft.name, draft.sha)
        assert (kept.starter, kept.license) == (False, "")
        assert "await" not in kept.notes, "its instructions are about its own code"
        core.services.settings.set(replace(core.settings, approval_auto_medium=True, isolation_medium="process"))
        ran = await client.call_tool("execute_code", {"code": USES})
    assert '[{"severity": "high"}]' in ran.content[0].text, ran.content[0].text


async def test_a_program_offers_a_skill_and_learns_that_skills_are_no_files(core, agent):
    offers = "print(save_skill('my-sum', 'result = 1 + 1', 'Adds.'))"
    writes = "with open('./skills/check.py', 'w') as f:\n    f.write('x = 1')"
    async with agent() as client:
        offered = await client.call_tool("execute_code", {"code": offers})
        written = await client.call_tool("execute_code", {"code": writes})
    assert "my-sum is now a draft" in offered.content[0].text
    assert core.services.library.get("my-sum").state is SkillState.DRAFT
    assert written.is_error
    assert "Offer the skill with save_skill(name, code, description)" in written.content[0].text


async def test_a_file_beside_the_workspace_is_answered_with_the_path_that_works(agent):
    async with agent() as client:
        beside = await client.call_tool("execute_code", {"code": "open('out.txt', 'w').write('x')"})
        below = await client.call_tool("execute_code", {"code": "open('workspace/out.txt', 'w').write('x')"})
    assert "for example workspace/out.txt" in beside.content[0].text
    assert not below.is_error
