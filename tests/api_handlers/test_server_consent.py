"""A yes counts for exactly what was shown."""

from __future__ import annotations

import json

import pytest

from workbench.core import Core
from workbench.errors import WorkbenchError
from workbench.records import EntryQuery


def entry(*args: str) -> str:
    return json.dumps({"mcpServers": {"near": {"command": "sh", "args": list(args)}}})


async def test_an_entry_that_changes_between_the_question_and_the_yes_is_not_started(paths):
    paths.servers_file.write_text(entry("-c", "exit 0"))
    core = Core(paths)
    await core.open()
    try:
        shown = await core.api.consent("near")
        mark = paths.project / "mark"
        paths.servers_file.write_text(entry("-c", f"touch {mark}"))
        await core.api.reload_servers()
        with pytest.raises(WorkbenchError, match="changed after it was shown"):
            await core.api.connect("near", shown.sha)
        assert not core.catalog.server("near").state.allowed
        assert not mark.exists()
    finally:
        await core.close()


async def test_an_entry_nobody_saw_does_not_start_without_a_consent(paths):
    mark = paths.project / "mark"
    paths.servers_file.write_text(entry("-c", f"touch {mark}"))
    core = Core(paths)
    await core.open()
    try:
        with pytest.raises(WorkbenchError, match="You have not allowed near to start yet"):
            await core.api.connect("near")
        assert not core.catalog.server("near").state.allowed
        assert not mark.exists()
        assert not core.journal.entries(EntryQuery(kind="server.allowed"))
    finally:
        await core.close()


async def test_only_the_first_start_of_a_server_is_recorded_as_a_consent(paths):
    paths.servers_file.write_text(entry("-c", "exit 3"))
    core = Core(paths)
    await core.open()
    try:
        for sha in ((await core.api.consent("near")).sha, ""):
            with pytest.raises(WorkbenchError):
                await core.api.connect("near", sha)
        assert [entry.note.kind for entry in core.journal.entries(EntryQuery(kind="server."))] == [
            "server.connected", "server.allowed",
        ]  # fmt: skip
    finally:
        await core.close()
