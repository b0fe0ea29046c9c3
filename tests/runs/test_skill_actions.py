"""Kept skills are found like tools, read, and run through the normal pipeline."""

from __future__ import annotations

import pytest

from workbench.core import Core
from workbench.errors import WorkbenchError
from workbench.records import RunState
from workbench.runs.skill_actions import find_skills, kept_skill, read_skill_text, run_skill

CODE = "async def double_up(number: int) -> int:\n    return number * 2\n"


@pytest.fixture
def kept(core: Core) -> Core:
    for name, words, code in (
        ("double-up", "Multiplies a number by two.", CODE),
        ("quadruple-up", "Multiplies a number by four.", QUADRUPLE),
    ):
        draft = core.services.library.draft(name, words, code, "", "you")
        core.services.library.keep(draft.name, draft.sha, "you")
    return core


QUADRUPLE = """
from skills.double_up import double_up

async def quadruple_up(number: int) -> int:
    return await double_up(await double_up(number))
"""


async def test_a_skill_that_calls_a_skill_runs_with_its_arguments(kept: Core) -> None:
    session = kept.services.sessions.open("an agent")
    run = await run_skill(kept.services, kept.run_manager, session, "quadruple_up", {"number": 3})
    ended = await kept.run_manager.wait_until_finished(run.id)
    assert (ended.state, ended.result) == (RunState.DONE, "12"), ended.fault
    assert {"skills.double-up", "skills.quadruple-up"} <= set(ended.verdict.definitions)
    with pytest.raises(WorkbenchError, match="needs number"):
        await run_skill(kept.services, kept.run_manager, session, "double-up", {})


async def test_skills_are_found_by_what_they_are_for_and_read(kept: Core) -> None:
    assert (await find_skills(kept.services, "multiply by four"))[0].name == "quadruple-up"
    assert {one.name for one in await find_skills(kept.services, "")} >= {"double-up", "wait-for-message"}
    text = await read_skill_text(kept.services, "double-up")
    assert "## Usage" in text
    assert CODE in text
    kept.services.library.retire("double-up")
    with pytest.raises(WorkbenchError, match="no kept skill 'double-up'"):
        await kept_skill(kept.services, "double-up")


async def test_skills_that_call_each_other_in_a_circle_are_told(core: Core) -> None:
    for name, other in (("one", "two"), ("two", "one")):
        code = f"from skills.{other} import {other}\n\nasync def {name}():\n    return await {other}()\n"
        draft = core.services.library.draft(name, "Turns.", code, "", "you")
        core.services.library.keep(draft.name, draft.sha, "you")
    verdict = await core.run_manager.assess("from skills.one import one\nresult = await one()\n")
    assert any("one → two → one" in words for words in verdict.not_assessed)
