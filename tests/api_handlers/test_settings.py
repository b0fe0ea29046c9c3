"""Settings of the user and of the project are changed, reset and explained; edited files apply while the core runs."""

from __future__ import annotations

import asyncio

import pytest

from workbench import core as core_module
from workbench.core import Core
from workbench.errors import WorkbenchError
from workbench.events import Event, Noticed, SettingsChanged
from workbench.paths import Paths
from workbench.records import EntryQuery, Fault, SettingSource, SettingValue


async def _value(core: Core, name: str) -> SettingValue:
    return next(value for value in await core.api.setting_values() if value.name == name)


def _changes(core: Core) -> list[tuple[str, ...]]:
    heard: list[tuple[str, ...]] = []

    def listen(event: Event) -> None:
        if isinstance(event, SettingsChanged):
            heard.append(event.names)

    core.bus.listen(listen)
    return heard


async def test_a_setting_is_changed_and_reset(core: Core, paths: Paths) -> None:
    heard = _changes(core)
    await core.api.change_setting("run.seconds", 45)
    value = await _value(core, "run.seconds")
    assert (value.value, value.source, value.user) == (45, SettingSource.USER, 45)
    assert core.settings.run_seconds == 45
    assert (await core.api.reset_setting("run.seconds")).run_seconds == 30
    assert "seconds" not in paths.user_settings.read_text("utf-8")
    assert heard == [("run.seconds",), ("run.seconds",)]
    notes = [entry.note.summary for entry in core.journal.entries(EntryQuery(kind="setting.changed"))]
    assert notes == ["You reset run.seconds", "You set run.seconds to 45"]


async def test_the_users_value_has_priority_over_the_projects(core: Core, paths: Paths) -> None:
    await core.api.change_setting("run.seconds", 50, "project")
    assert core.settings.run_seconds == 50
    assert "seconds = 50" in paths.project_settings.read_text("utf-8")
    await core.api.change_setting("run.seconds", 40)
    await core.api.change_setting("run.seconds", 45, "project")
    assert core.settings.run_seconds == 40
    assert (await core.api.reset_setting("run.seconds")).run_seconds == 45
    assert (await core.api.reset_setting("run.seconds", "project")).run_seconds == 30


async def test_the_projects_entries_of_a_joined_list_stay(core: Core, paths: Paths) -> None:
    await core.api.change_setting("privacy.sealed", "crm.list_customers:email", "project")
    await core.api.change_setting("privacy.sealed", "mail")
    assert core.settings.privacy_sealed == "crm.list_customers:email mail"
    value = await _value(core, "privacy.sealed")
    assert (value.source, value.user, value.project) == (SettingSource.BOTH, "mail", "crm.list_customers:email")
    await core.api.change_setting("privacy.sealed", "")
    assert core.settings.privacy_sealed == "crm.list_customers:email"


async def test_what_a_feature_cannot_use_is_said_at_its_setting(core: Core) -> None:
    await core.api.change_setting("run.packages", "no_such_package_here")
    await core.api.change_setting("privacy.off", "NO_SUCH_KIND")
    assert "not installed" in (await _value(core, "run.packages")).notice
    assert "NO_SUCH_KIND" in (await _value(core, "privacy.off")).notice
    assert (await _value(core, "run.preload")).notice == ""


async def test_a_project_cannot_set_what_protects_the_user(core: Core, paths: Paths) -> None:
    with pytest.raises(WorkbenchError, match=r"A project cannot set approval\.auto_medium"):
        await core.api.change_setting("approval.auto_medium", True, "project")
    with pytest.raises(WorkbenchError, match=r"at most 60\."):
        await core.api.change_setting("run.seconds", 61, "project")
    with pytest.raises(WorkbenchError, match="There is no setting"):
        await core.api.reset_setting("run.colour")
    assert not paths.project_settings.exists()


async def test_a_file_that_is_edited_applies_at_once(core: Core, paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    heard = _changes(core)
    paths.user_settings.parent.mkdir(parents=True, exist_ok=True)
    paths.user_settings.write_text("[run]\nseconds = 70\n[window]\ntheme = 'pink'\n", "utf-8")
    await core.reload_settings()
    assert core.settings.run_seconds == 70
    assert heard == [("run.seconds",)]
    assert any("window.theme" in notice.message for notice in (await core.api.status()).notices)
    paths.user_settings.write_text("[run]\nseconds = 70\n", "utf-8")
    await core.reload_settings()
    assert not any("window.theme" in notice.message for notice in (await core.api.status()).notices)
    assert heard == [("run.seconds",), ()]


async def test_the_users_file_is_watched_and_a_projects_file_is_only_reported(
    paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An agent may be able to write into the project's folder: what it writes there must not apply at once."""
    monkeypatch.setattr(core_module, "SETTINGS_SECONDS", 0.01)
    paths.project_settings.write_text("[privacy]\nsealed = 'demo.get_customer'\n", "utf-8")
    core = Core(paths)
    await core.open()
    try:
        changed, told = asyncio.Event(), asyncio.Event()
        core.bus.listen(
            lambda event: (
                changed.set() if isinstance(event, SettingsChanged) and "approval.wait_seconds" in event.names else None
            )
        )
        core.bus.listen(lambda event: told.set() if isinstance(event, Noticed) else None)
        paths.project_settings.write_text("[run]\nseconds = 50\n", "utf-8")
        async with asyncio.timeout(30):
            await told.wait()
        assert core.settings.privacy_sealed == "demo.get_customer"
        assert core.settings.run_seconds != 50
        paths.user_settings.parent.mkdir(parents=True, exist_ok=True)
        paths.user_settings.write_text("[approval]\nwait_seconds = 77\n", "utf-8")
        async with asyncio.timeout(30):
            await changed.wait()
        assert core.settings.approval_wait_seconds == 77
        assert core.settings.privacy_sealed == "demo.get_customer"
    finally:
        await core.close()


async def test_what_the_user_sets_for_the_project_and_new_servers_are_not_reported_as_changed_settings(
    paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(core_module, "SETTINGS_SECONDS", 0.01)
    core = Core(paths)
    await core.open()
    try:
        told = list[str]()
        core.bus.listen(lambda event: told.append(event.fault.message) if isinstance(event, Noticed) else None)
        await core.api.change_setting("run.seconds", 20, "project")
        assert core.settings.run_seconds == 20
        (paths.project / ".mcp.json").write_text('{"mcpServers": {"notes": {"command": "notes"}}}', "utf-8")
        paths.project_settings.touch()
        for _ in range(20):
            await asyncio.sleep(0.01)
        assert not [message for message in told if "settings" in message]
        paths.project_settings.write_text("[run]\nseconds = 30\n", "utf-8")
        async with asyncio.timeout(30):
            while "The project's settings were changed: run.seconds." not in told:
                await asyncio.sleep(0.01)
        assert core.settings.run_seconds == 20
    finally:
        await core.close()


async def test_a_projects_file_that_breaks_while_the_core_runs_is_reported_until_it_is_corrected(
    paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(core_module, "SETTINGS_SECONDS", 0.01)
    paths.project_settings.write_text("[run]\nseconds = 40\ncolour = 1\n", "utf-8")
    core = Core(paths)
    await core.open()
    try:
        told = list[Fault]()
        core.bus.listen(lambda event: told.append(event.fault) if isinstance(event, Noticed) else None)
        changes = _changes(core)

        async def wait_for_change(text: str) -> tuple[Fault, ...]:
            before = len(changes)
            paths.project_settings.write_text(text, "utf-8")
            async with asyncio.timeout(30):
                while len(changes) == before:
                    await asyncio.sleep(0.01)
            return (await core.api.status()).notices

        unreadable = "workbench.toml cannot be read"
        assert not [notice for notice in core.notices() if unreadable in notice.message]
        notices = await wait_for_change("[run\nseconds = 40\n")
        broken = next(fault for fault in told if unreadable in fault.message)
        assert broken in notices
        assert broken.hint.endswith("Nothing changes before the core starts again.")
        assert core.settings.run_seconds == 40
        told.clear()
        notices = await wait_for_change("[run]\nseconds = 40\ncolour = 1\n")
        assert not [notice for notice in notices if unreadable in notice.message]
        assert [fault.message for fault in told if "cannot be read" in fault.message] == []
        assert any("run.colour" in notice.message for notice in notices)
        assert not [notice for notice in notices if "settings were changed" in notice.message]
        notices = await wait_for_change("[run]\nseconds = 30\n")
        assert [notice.message for notice in notices] == ["The project's settings were changed: run.seconds."]
        assert notices[0] in told
    finally:
        await core.close()
