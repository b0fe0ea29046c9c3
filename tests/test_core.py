"""The core builds its rooms, survives a broken project, and closes what it started."""

from __future__ import annotations

import asyncio

import psutil
import pytest

from workbench.core import Core
from workbench.errors import WorkbenchError
from workbench.records import EntryQuery


async def test_opening_and_closing_are_in_the_audit_and_leave_no_child(paths):
    core = Core(paths)
    await core.open()
    await core.catalog.connect("demo")
    children = psutil.Process().children(recursive=True)
    assert children
    kinds = [entry.note.kind for entry in core.journal.entries(EntryQuery(kind="core."))]
    await core.close()
    assert kinds == ["core.opened"]
    _, alive = psutil.wait_procs(children, timeout=60)
    assert alive == []


async def test_a_broken_servers_file_is_a_notice_with_line_and_column_and_the_rest_works(paths):
    paths.servers_file.write_text('{"mcpServers": {\n  "a": {"command": }\n}}')
    core = Core(paths)
    await core.open()
    try:
        notices = (await core.api.status()).notices
        assert any("line 2" in notice.message and "column" in notice.message for notice in notices), notices
        assert (await core.api.connect("demo")).status == "ready"
    finally:
        await core.close()


async def test_a_room_that_cannot_open_closes_those_below_it(paths, monkeypatch):
    def broken(self):
        raise WorkbenchError("The starter skills cannot be read.")

    monkeypatch.setattr("workbench.skills.library.Library.install_starters", broken)
    core = Core(paths)
    with pytest.raises(WorkbenchError, match="starter skills"):
        await core.open()
    assert psutil.Process().children(recursive=True) == []
    await core.close()


async def test_a_room_that_cannot_close_does_not_keep_the_others_open(paths, monkeypatch):
    core = Core(paths)
    await core.open()
    await core.catalog.connect("demo")
    children = psutil.Process().children(recursive=True)

    async def broken():
        raise RuntimeError("cannot close")

    monkeypatch.setattr(core.run_manager, "close", broken)
    with pytest.raises(RuntimeError, match="cannot close"):
        await core.close()
    _, alive = psutil.wait_procs(children, timeout=60)
    assert alive == []


async def test_a_broken_settings_file_is_a_notice_and_the_defaults_hold(paths):
    paths.project_settings.write_text("[run]\nseconds = 'long'\n")
    core = Core(paths)
    await core.open()
    try:
        status = await core.api.status()
        assert any("run.seconds" in notice.message for notice in status.notices)
        assert (await core.api.settings()).run_seconds == 30
    finally:
        await core.close()


async def test_the_example_agent_is_one_at_a_time_and_ends_with_the_core(paths):
    core = Core(paths)
    await core.open()
    both = await asyncio.gather(core.api.start_example_agent(), core.api.start_example_agent(), return_exceptions=True)
    assert [type(answer) for answer in both] == [type(None), WorkbenchError]
    await asyncio.sleep(0.1)
    children = psutil.Process().children(recursive=True)
    await core.close()
    _, alive = psutil.wait_procs(children, timeout=60)
    assert alive == []
