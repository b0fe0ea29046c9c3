"""The whole road of a skill: run, draft, edit, test, Keep; an agent lists and runs it; a new version; retired."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from workbench.core import Core
from workbench.errors import WorkbenchError
from workbench.records import RunState, SkillState
from workbench.runs.skill_actions import find_skills, kept_skills, run_skill

PROGRAM = """\
from servers.demo import list_orders


async def count_pending(limit: int = 2) -> dict:
    page = await list_orders(status="pending", limit=limit)
    return {"shown": len(page["orders"]), "total": page["total"]}


result = await count_pending(limit=2)
"""


@pytest.fixture
async def core(paths) -> AsyncIterator[Core]:
    house = Core(paths)
    await house.open()
    await house.catalog.connect("demo")
    yield house
    await house.close()


async def test_a_skill_that_is_begun_runs_as_it_stands_under_a_free_name(core):
    draft = await core.api.new_skill("late-mails", "Finds late mails.")
    assert (draft.state, draft.description, draft.faults) == (SkillState.DRAFT, "Finds late mails.", ())
    run = await core.run_manager.wait_until_finished((await core.api.run_skill("late-mails", {"limit": 2})).id)
    assert run.result == '{"found": 2, "first": [0, 1]}', run.fault
    for name, words in (("late-mails", "already"), ("wait-for-message", "already"), ("Late Mails", "not a skill name")):
        with pytest.raises(WorkbenchError, match=words):
            await core.api.new_skill(name, "Finds late mails.")


async def test_a_skill_from_its_first_run_to_its_end(core):
    api, run_manager = core.api, core.run_manager
    run = await run_manager.wait_until_finished((await api.submit(PROGRAM, "count", "")).id)
    assert run.state is RunState.DONE, run.fault
    await api.draft_skill("count-pending", "Count pending orders.", run.proposal.code, run.id)
    made = await api.record_cassette(run.id, "count-pending", "two", {})
    assert (made.arguments, made.calls) == ('{"limit": 2}', 1)
    edited = PROGRAM.replace('"shown": len(page["orders"]), ', "")  # an edit that breaks what was recorded
    draft = await api.draft_skill("count-pending", "Count pending orders.", edited, run.id)
    (test,) = await api.test_skill("count-pending", draft=True)
    assert [str(one.kind) for one in test.differences] == ["code", "result"]
    draft = await api.draft_skill("count-pending", "Count pending orders.", PROGRAM, run.id)
    (test,) = await api.test_skill("count-pending", draft=True)
    assert test.state == "passed"
    kept = await api.keep_skill("count-pending", draft.sha)
    assert (kept.version, kept.run_id, kept.kept_by, kept.cassettes) == (1, run.id, "you", ("two",))

    agent = core.services.sessions.open("an agent")
    assert (await find_skills(core.services, "pending orders count"))[0].name == "count-pending"
    used = await run_skill(core.services, run_manager, agent, "count_pending", {"limit": 3})
    used = await run_manager.wait_until_finished(used.id)
    assert '"shown": 3' in used.model_view, used.fault
    assert (await api.skill_page("count-pending")).use.runs == 1

    second = await api.draft_skill("count-pending", "Count pending orders.", PROGRAM.replace("= 2)", "= 5)", 1), "")
    assert (await api.test_skill("count-pending", draft=True))[0].state == "changed"
    await api.accept_cassette("count-pending", "two", draft=True)
    await api.keep_skill("count-pending", second.sha)
    page = await api.skill_page("count-pending")
    assert (page.skill.version, [one.version for one in page.versions]) == (2, [1])
    assert (await api.test_skill("count-pending"))[0].state == "passed"
    assert (await api.retire_skill("count-pending")).state is SkillState.RETIRED
    assert "count-pending" not in {one.name for one in await kept_skills(core.services)}
    with pytest.raises(WorkbenchError, match="no kept skill"):
        await run_skill(core.services, run_manager, agent, "count-pending", {})
