"""What waits is announced on the desktop of a real core, over a real socket to a session bus that the test serves."""

from __future__ import annotations

import asyncio

import pytest
from msgspec.structs import replace

from tests.notifications.session_bus import STRANGER, SessionBus
from tests.runs.steps import reached, waiting
from workbench.core import Core
from workbench.events import CallHeld, RequestsAnnounced, ReviewRequested, spawn
from workbench.records import CheckState, Decision, HeldCall, RunState

DELETES = "import os\nos.remove('workspace/{}.txt')\n"


@pytest.fixture
async def bus(tmp_path, monkeypatch, paths):
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", f"unix:path={tmp_path / 'bus'}")
    monkeypatch.delenv("DISPLAY", raising=False)
    async with SessionBus(tmp_path) as bus:
        yield bus


@pytest.fixture
async def core(bus, paths):
    house = Core(paths)
    await house.open()
    yield house
    await house.close()


@pytest.fixture
def agent(core):
    return core.services.sessions.open("Claude <b>Code</b>")


async def propose(core, agent, name="old"):
    return await waiting(core, core.run_manager.submit(DELETES.format(name), agent))


async def test_a_waiting_program_is_announced_and_denied_from_the_desktop(core, bus, agent):
    run = await propose(core, agent)
    shown = await bus.until_shown(1)
    assert shown.title == "A program of Claude <b>Code</b> waits"
    assert "risk." in shown.body
    assert "old.txt" in shown.body
    assert "mcp-workbench review" in shown.body, "no window can be opened here"
    assert shown.actions == ["deny", "Deny"]
    await bus.signal("ActionInvoked", "us", (shown.number, "deny"), STRANGER)
    await bus.signal("ActionInvoked", "us", (shown.number + 1, "deny"))
    await bus.signal("ActionInvoked", "us", (shown.number, "allow"))
    assert core.run_manager.run(run.id).state is RunState.WAITING
    await bus.signal("ActionInvoked", "us", (shown.number, "deny"))
    undo = await bus.until_shown(2)
    assert undo.number == shown.number
    assert undo.actions == ["undo", "Undo"]
    await bus.signal("ActionInvoked", "us", (undo.number, "undo"))
    again = await bus.until_shown(3)
    assert again.actions == ["deny", "Deny"]
    assert core.run_manager.run(run.id).awaits_answer
    core.services.settings.set(replace(core.settings, approval_undo_seconds=1))
    await bus.signal("ActionInvoked", "us", (again.number, "deny"))
    over = await reached(core, run, RunState.REFUSED)
    assert over.decision is not None
    assert (over.decision.allow, over.decision.by) == (False, "you, in a desktop notification")
    await bus.until(lambda: bus.closed == [shown.number])


async def test_several_programs_are_one_notification_that_is_updated_and_removed(core, bus, agent, monkeypatch):
    monkeypatch.setattr("workbench.notifications.notifier.UPDATE_SECONDS", 0.0)
    first = await propose(core, agent, "one")
    await bus.until_shown(1)
    runs = [first, *[await propose(core, agent, name) for name in ("two", "three")]]
    await bus.until(lambda: bus.shown[-1].title == "3 programs wait")
    assert len({one.number for one in bus.shown}) == 1, "one notification, updated"
    assert "deny" not in bus.shown[-1].actions, "which one would it deny?"
    for run in runs:
        core.run_manager.decide(Decision(run.id, run.proposal.sha, False, "you"))
    await bus.until(lambda: bool(bus.closed))
    before = len(bus.shown)
    await bus.drop_clients()
    await propose(core, agent, "four")
    assert (await bus.until_shown(before + 1)).title.startswith("A program of"), "on a new connection"


async def test_nothing_is_announced_while_the_user_looks_and_a_dismissed_one_stays_away(core, bus, agent, monkeypatch):
    monkeypatch.setattr("workbench.notifications.notifier.UPDATE_SECONDS", 0.0)
    looking = spawn("look", core.api.watch_requests())
    await asyncio.sleep(0)
    await propose(core, agent, "seen")
    looking.cancel()
    await asyncio.wait([looking])
    await propose(core, agent, "new")
    shown = await bus.until_shown(1)
    assert shown.title == "2 programs wait"
    assert len(bus.shown) == 1, "the first one was on the screen"
    await bus.signal("NotificationClosed", "uu", (shown.number, 2))
    third = await propose(core, agent, "third")
    assert (await bus.until_shown(2)).title == "3 programs wait"
    again = spawn("look", core.api.watch_requests())
    await bus.until(lambda: bool(bus.closed))
    again.cancel()
    await asyncio.wait([again])
    assert core.run_manager.run(third.id).state is RunState.WAITING


async def test_content_follows_the_settings_and_hides_personal_data(core, bus, agent):
    core.services.settings.set(replace(core.settings, notify_desktop_content="count"))
    call = HeldCall("c-1", "r-1", "c", "demo", "send_email", "{}", sentence="Mails to maria.keller@example.org.")
    core.bus.tell(CallHeld(replace(call, author="Claude")))
    assert (await bus.until_shown(1)).body.startswith("High risk. Project project.")
    core.services.settings.set(replace(core.settings, notify_desktop_content="sentence"))
    core.bus.tell(CallHeld(replace(call, id="c-2", author="Claude"), before="c-1"))
    shown = await bus.until_shown(2)
    assert "Mails to [EMAIL" in shown.body
    assert "maria" not in shown.body


async def test_review_opens_the_window_that_is_there(core, bus, agent):
    heard = asyncio.Queue()
    core.bus.listen(heard.put_nowait, ReviewRequested)
    window = spawn("window", core.api.attend())
    await asyncio.sleep(0)
    run = await propose(core, agent)
    shown = await bus.until_shown(1)
    assert shown.actions == ["default", "Review", "review", "Review", "deny", "Deny"]
    await bus.signal("ActivationToken", "us", (shown.number, "token-1"))
    await bus.signal("ActionInvoked", "us", (shown.number, "review"))
    async with asyncio.timeout(30):
        assert await heard.get() == ReviewRequested(run.id, "token-1")
    window.cancel()
    await asyncio.wait([window])


async def test_without_a_notification_service_a_window_is_told_to_announce(core, bus, agent):
    heard = asyncio.Queue()
    core.bus.listen(heard.put_nowait, RequestsAnnounced)
    bus.has_service = False
    window = spawn("window", core.api.attend())
    await asyncio.sleep(0)
    await propose(core, agent)
    async with asyncio.timeout(30):
        announced = await heard.get()
    assert announced.title == "A program of Claude <b>Code</b> waits"
    assert "Deletes workspace/old.txt." in announced.body
    window.cancel()
    await asyncio.wait([window])


async def test_the_doctor_says_why_a_desktop_shows_nothing(core, bus, agent):
    bus.has_service = False
    found = await core.api.test_notifications()
    assert found[0].state is CheckState.DOUBT
    assert "notification service" in found[0].sentence
    bus.has_service = True
    assert (await core.api.test_notifications())[0].state is CheckState.GOOD
    assert bus.shown[-1].title == "Test of notifications"
    core.services.settings.set(replace(core.settings, notify_desktop=False))
    assert (await core.api.test_notifications())[0].state is CheckState.SKIPPED
