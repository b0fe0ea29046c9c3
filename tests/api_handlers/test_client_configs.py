"""Imports and exports from a person's side: secrets apart, the audit told, and a way back."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from workbench.core import Core
from workbench.errors import WorkbenchError
from workbench.paths import home_folder
from workbench.records import EntryQuery, ImportChoice, ImportConflict, ServerConfig

KEY = "s3cr3t-" + "value"


@pytest.fixture
async def core(paths) -> AsyncIterator[Core]:
    house = Core(paths)
    await house.open()
    yield house
    await house.close()


def cursor(servers: Any) -> Path:
    file = home_folder() / ".cursor" / "mcp.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")
    return file


async def target(core: Core) -> str:
    return next(file.id for file in await core.api.client_files() if file.client == "Cursor" and not file.project)


async def test_a_found_server_comes_in_with_its_secret_apart_and_stays_off(core, paths):
    cursor({"hub": {"command": "npx", "args": ["hub"], "env": {"HUB_TOKEN": KEY}}})
    (one,) = (await core.api.found_servers()).servers
    assert KEY not in repr(one)
    assert await core.api.reveal_found_server(one.key) == {"env HUB_TOKEN": KEY}
    report = await core.api.import_servers((ImportChoice(one.key, one.sha, "hub", keep_secrets=True),))
    assert (report.added, report.secrets, report.faults) == (("hub",), 1, ())
    assert json.loads(paths.servers_file.read_text())["mcpServers"]["hub"]["env"] == {
        "HUB_TOKEN": "${keyring:hub/HUB_TOKEN}"
    }
    assert core.services.secrets.get_secret("hub/HUB_TOKEN") == KEY
    assert not core.catalog.server("hub").state.allowed
    kinds = {entry.note.kind for entry in core.journal.entries(EntryQuery())}
    assert {"server.imported", "secret.looked_at"} <= kinds
    assert KEY not in repr(core.journal.entries(EntryQuery()))


async def test_one_choice_that_fails_spoils_no_other(core):
    cursor({"a": {"command": "x"}, "b": {"command": "y"}})
    one, two = (await core.api.found_servers()).servers
    wrong = ImportChoice(one.key, "0" * 64, "a")
    report = await core.api.import_servers(
        (wrong, ImportChoice(two.key, two.sha, "demo"), ImportChoice(two.key, two.sha, "b"))
    )
    assert report.added == ("b",)
    assert ["changed" in report.faults[0].message, "already" in report.faults[1].message] == [True, True]
    shown = {found.config.name: found.standing for found in (await core.api.found_servers()).servers}
    assert shown == {"a": ImportConflict.NEW, "b": ImportConflict.HERE}


async def test_what_is_written_is_what_was_previewed_and_can_be_taken_back(core):
    file = cursor({"theirs": {"command": "x"}})
    before = file.read_text()
    await core.api.add_server(ServerConfig("mine", "run", ("--now",)))
    client = await target(core)
    preview = await core.api.preview_export(client, ("mine",), True)
    assert '"run"' in preview.entries
    assert "serve" in preview.diff
    with pytest.raises(WorkbenchError, match="has changed since the preview"):
        await core.api.export_servers(client, ("mine",), True, "0" * 64)
    report = await core.api.export_servers(client, ("mine",), True, preview.sha)
    assert report.names == ("mine", "workbench")
    assert set(json.loads(file.read_text())["mcpServers"]) == {"theirs", "mine", "workbench"}
    assert Path(report.backup).read_text() == before
    await core.api.undo_export(report.sha)
    assert file.read_text() == before
    with pytest.raises(WorkbenchError, match="no longer be undone"):
        await core.api.undo_export(report.sha)


async def test_what_is_not_here_cannot_be_exported(core):
    client = await target(core)
    for names, words in ((("ghost",), "no server"), (("demo",), "part of the workbench")):
        with pytest.raises(WorkbenchError, match=words):
            await core.api.preview_export(client, names, False)
    cursor({})
    (home_folder() / ".cursor" / "mcp.json").write_text("{ broken")
    preview = await core.api.preview_export(client, (), True)
    assert preview.blocked is not None
    with pytest.raises(WorkbenchError, match="line 1"):
        await core.api.export_servers(client, (), True, preview.sha)
    with pytest.raises(WorkbenchError, match="no longer configured"):
        await core.api.reveal_found_server("nothing")
