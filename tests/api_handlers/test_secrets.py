"""A person stores secrets and never gets them back; servers get them, frames and audit do not."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from workbench.core import Core
from workbench.errors import WorkbenchError
from workbench.events import SecretsChanged
from workbench.records import EntryQuery, Origin, SecretInfo, ServerStatus, ToolCall
from workbench.secrets import encrypted_file

FAULTY = str(Path(__file__).resolve().parent.parent / "mcp_servers" / "faulty.py")
VALUE = "hush-" + "hush-hush"


@pytest.fixture
async def core(paths, monkeypatch) -> AsyncIterator[Core]:
    monkeypatch.setattr(encrypted_file, "COST", 16)
    entry = {"command": sys.executable, "args": ["-S", FAULTY, "echo"], "env": {"KEY": "${keyring:github}"}}
    paths.servers_file.write_text(json.dumps({"mcpServers": {"one": entry}}), encoding="utf-8")
    house = Core(paths)
    await house.open()
    yield house
    await house.close()


async def test_what_servers_refer_to_is_listed_before_it_is_stored(core):
    store = await core.api.secrets()
    assert store.kind == ""  # looking opens nothing
    opened = await core.api.open_secrets()
    assert (opened.kind, opened.passphrase) == ("memory", "create")
    assert store.secrets == opened.secrets == (SecretInfo("github", stored=False, servers=("one",)),)


async def test_each_change_is_told_with_names_only(core):
    told = []
    core.bus.listen(lambda event: told.append(event) if isinstance(event, SecretsChanged) else None)
    await core.api.set_secret("github", VALUE)
    await core.api.set_secret("mine", VALUE)
    await core.api.delete_secret("mine")
    assert [[info.name for info in event.store.secrets if info.stored] for event in told] == [
        ["github"], ["github", "mine"], ["github"],
    ]  # fmt: skip
    kinds = [entry.note.kind for entry in core.journal.entries(EntryQuery(kind="secret."))]
    assert kinds == ["secret.deleted", "secret.stored", "secret.stored"]
    assert VALUE not in str(told) + str(core.journal.entries(EntryQuery()))


async def test_a_server_that_needs_a_secret_starts_when_it_is_stored_and_nothing_shows_it(core):
    with pytest.raises(WorkbenchError, match="The secret 'github' is not stored"):
        await core.api.connect("one", (await core.api.consent("one")).sha)
    await core.api.set_secret("github", VALUE)
    assert (await core.api.connect("one")).status is ServerStatus.READY
    said = await core.api.call(ToolCall("x", "one", "echo", {"text": VALUE}, Origin.PERSON, "", confirmed=True))
    assert VALUE in said.content[0].text
    shown = [str(await core.api.frames("one", 0.0)), str(core.journal.entries(EntryQuery()))]
    shown.append(core.services.sessions.open("an agent").mask(said.content[0].text))
    assert all(VALUE not in text for text in shown)
    assert "••••••" in shown[0]


async def test_a_passphrase_makes_a_file_that_the_next_core_unlocks(core, paths):
    await core.api.set_secret("github", VALUE)
    store = await core.api.unlock_secrets("four words " + "are enough")
    assert (store.kind, store.passphrase) == ("file", "")
    following = Core(paths)
    following.settings = core.settings
    await core.close()
    await following.open()
    try:
        assert (await following.api.open_secrets()).kind == "locked"
        with pytest.raises(WorkbenchError, match="passphrase is wrong"):
            await following.api.unlock_secrets("something else")
        store = await following.api.unlock_secrets("four words " + "are enough")
        assert store.secrets == (SecretInfo("github", stored=True, servers=("one",)),)
    finally:
        await following.close()


async def test_secrets_in_plain_text_are_told_and_moved_and_the_server_runs_on(core, paths):
    entry = {"command": sys.executable, "args": ["-S", FAULTY, "echo"], "env": {"API_KEY": VALUE}}
    paths.servers_file.write_text(json.dumps({"mcpServers": {"one": entry}}), encoding="utf-8")
    await core.api.reload_servers()
    assert core.catalog.server("one").state.plain_secrets == ("API_KEY in env",)
    await core.api.connect("one", (await core.api.consent("one")).sha)
    with pytest.raises(WorkbenchError, match="lost when the core ends"):
        await core.api.move_secrets("one")
    assert VALUE in paths.servers_file.read_text()
    await core.api.unlock_secrets("four words " + "are enough")
    state = await core.api.move_secrets("one")
    assert (state.status, state.plain_secrets) == (ServerStatus.READY, ())
    assert state.config.env == {"API_KEY": "${keyring:one API_KEY}"}
    assert VALUE not in paths.servers_file.read_text()
    assert (await core.api.connect("one")).allowed
