"""The desk answers every question of the vocabulary, and says no with a sentence."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator

import pytest

from workbench.core import Core
from workbench.desk import Desk
from workbench.errors import WorkbenchError
from workbench.records import EntryQuery, Origin, ToolCall
from workbench.wire.questions import Questions


@pytest.fixture
async def core(paths) -> AsyncIterator[Core]:
    house = Core(paths)
    await house.open()
    yield house
    await house.close()


def test_every_question_has_its_own_answer():
    for name, question in inspect.getmembers(Questions, inspect.iscoroutinefunction):
        assert getattr(Desk, name) is not question, name


async def test_a_door_cannot_claim_to_be_somebody_else(core):
    await core.catalog.connect("demo")
    forged = ToolCall("x", "demo", "list_orders", {"limit": 1}, Origin.AGENT, "agent-other", run_id="r9")
    assert (await core.desk.call(forged)).ok
    entry = core.journal.entries(EntryQuery(tool="list_orders"))[0]
    assert (entry.note.session, entry.note.run_id) == ("person", "")


async def test_a_changed_setting_counts_at_once_and_next_time(core, paths):
    changed = await core.desk.change_setting("run.seconds", 7)
    assert changed.run_seconds == 7
    assert (await core.desk.settings()).run_seconds == 7
    assert "seconds = 7" in paths.person_settings.read_text()
    with pytest.raises(WorkbenchError):
        await core.desk.change_setting("run.seconds", "long")


async def test_a_token_is_revealed_to_a_person_and_the_audit_knows(core):
    session = core.rooms.sessions.open("agent")
    token = session.mask("ada@example.org")
    assert await core.desk.reveal(session.id, token) == "ada@example.org"
    assert core.journal.entries(EntryQuery(kind="privacy."))[0].note.session == session.id
    with pytest.raises(WorkbenchError):
        await core.desk.reveal("agent-gone", token)


async def test_hidden_characters_do_not_become_a_skill(core):
    with pytest.raises(WorkbenchError):
        await core.desk.draft_skill("sneaky", "x", "print(1) # \u202e", "")


async def test_the_status_counts_what_is_there(core):
    status = await core.desk.status()
    assert status.servers >= 1
    assert status.skills >= 3
    assert status.strength.backend in ("native", "bubblewrap", "none")
