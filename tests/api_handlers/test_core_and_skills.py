"""What an open core answers about itself, settings and skills, and what it refuses with a sentence."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from workbench.core import Core
from workbench.errors import WorkbenchError
from workbench.events import SkillsChanged
from workbench.records import EntryQuery, Origin, SkillState, ToolCall


@pytest.fixture
async def core(paths) -> AsyncIterator[Core]:
    house = Core(paths)
    await house.open()
    yield house
    await house.close()


async def test_a_door_cannot_claim_to_be_somebody_else(core):
    await core.catalog.connect("demo")
    forged = ToolCall("x", "demo", "list_orders", {"limit": 1}, Origin.AGENT, "agent-other", run_id="r9")
    assert (await core.api.call(forged)).ok
    entry = core.journal.entries(EntryQuery(tool="list_orders"))[0]
    assert (entry.note.session, entry.note.run_id) == ("person", "")


async def test_a_changed_setting_counts_at_once_and_next_time(core, paths):
    changed = await core.api.change_setting("run.seconds", 7)
    assert changed.run_seconds == 7
    assert (await core.api.settings()).run_seconds == 7
    assert "seconds = 7" in paths.user_settings.read_text()
    with pytest.raises(WorkbenchError):
        await core.api.change_setting("run.seconds", "long")


async def test_hidden_characters_do_not_become_a_skill(core):
    with pytest.raises(WorkbenchError):
        await core.api.draft_skill("sneaky", "x", "print(1) # \u202e", "")


async def test_hidden_characters_in_a_draft_on_disk_are_not_kept(core, paths):
    core.services.library.draft("late", "x", "async def late():\n    return 1\n", "", "an agent")
    code = paths.drafts / "late" / "late.py"
    code.write_text("async def late():\n    return 1  # \u202e\n", encoding="utf-8")
    with pytest.raises(WorkbenchError, match="direction of text"):
        await core.api.keep_skill("late", core.services.library.get("late").sha)
    assert core.services.library.get("late").state is SkillState.DRAFT


async def test_each_change_of_a_skill_is_told_once_and_before_the_answer(core):
    told = []
    core.bus.listen(lambda event: told.append(event.name) if isinstance(event, SkillsChanged) else None)
    draft = await core.api.draft_skill("late", "Late orders.", "async def late():\n    return 1\n", "")
    assert told == ["late"]
    await core.api.keep_skill("late", draft.sha)
    assert told == ["late"] * 2
    await core.api.retire_skill("late")
    assert told == ["late"] * 3


async def test_the_status_counts_what_is_there(core):
    status = await core.api.status()
    assert status.servers >= 1
    assert status.skills >= 3
    assert status.strength.backend in ("native", "bubblewrap", "none")


async def test_a_draft_that_cannot_be_read_is_not_kept_and_a_kept_one_has_its_risk_in_the_audit(core):
    broken = core.services.library.draft("broken", "x", "if True print(1)", "", "an agent")
    with pytest.raises(WorkbenchError, match="not valid Python"):
        await core.api.keep_skill("broken", broken.sha)
    fine = core.services.library.draft("fine", "x", "async def fine():\n    return 1\n", "", "an agent")
    await core.api.keep_skill("fine", fine.sha)
    assert core.journal.entries(EntryQuery(kind="skill.kept"))[0].note.risk == "low"


async def test_what_the_project_seals_stays_when_a_person_changes_that_setting(core):
    core.paths.project_settings.write_text('[privacy]\nsealed = "crm:email"\n')
    assert (await core.api.change_setting("privacy.sealed", "mail")).privacy_sealed == "crm:email mail"
    assert (await core.api.change_setting("privacy.sealed", "")).privacy_sealed == "crm:email"
