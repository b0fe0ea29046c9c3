"""What a person changes in the list is what stands in `.mcp.json`, and nothing else there changes."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from msgspec.structs import replace

from workbench.core import Core
from workbench.errors import WorkbenchError
from workbench.events import ServersArranged
from workbench.records import EntryQuery, ServerConfig
from workbench.servers.tool_definitions.definition_parsing import read


@pytest.fixture
async def core(paths) -> AsyncIterator[Core]:
    entry = {"command": "x", "alwaysAllow": ["t"]}
    text = json.dumps({"theirs": 1, "mcpServers": {"a": entry, "b": {"command": "y"}, "c": {"command": "z"}}})
    paths.servers_file.write_text(text, encoding="utf-8")
    house = Core(paths)
    await house.open()
    yield house
    await house.close()


def written(paths: Any) -> dict[str, Any]:
    document = json.loads(paths.servers_file.read_text())
    assert document["theirs"] == 1
    found: dict[str, Any] = document["mcpServers"]
    return found


def names(core: Core) -> list[str]:
    return [state.config.name for state in core.catalog.states()]


async def test_the_order_is_the_order_in_the_file(core, paths) -> None:
    told = []
    core.bus.listen(lambda event: told.append(event.names) if isinstance(event, ServersArranged) else None)
    await core.api.move_server("c", "a")
    assert list(written(paths)) == ["c", "a", "b"]
    assert names(core) == ["demo", "c", "a", "b"]
    await core.api.move_server("c", "")
    assert list(written(paths)) == ["a", "b", "c"]
    assert told == [("demo", "c", "a", "b"), ("demo", "a", "b", "c")]


async def test_an_edited_entry_keeps_its_place_and_what_others_wrote_in_it(core, paths) -> None:
    config = core.catalog.server("a").state.config
    state = await core.api.edit_server("a", replace(config, name="first", command="other", category="work"), False)
    assert state.config.category == "work"
    assert list(written(paths)) == ["first", "b", "c"]
    assert written(paths)["first"] == {"command": "other", "alwaysAllow": ["t"], "category": "work"}
    with pytest.raises(WorkbenchError, match="already"):
        await core.api.edit_server("b", ServerConfig("c", "x"), False)


async def test_a_changed_command_asks_again_and_a_new_name_does_not(core) -> None:
    config = core.catalog.server("b").state.config
    core.catalog._consents.give(config)
    assert (await core.api.edit_server("b", replace(config, name="bee"), False)).allowed
    assert not (await core.api.edit_server("bee", replace(config, name="bee", args=("--more",)), False)).allowed


async def test_a_copy_stands_behind_the_first_under_a_free_name(core, paths) -> None:
    await core.api.duplicate_server("a")
    assert (await core.api.duplicate_server("a")).config.name == "a-3"
    assert list(written(paths)) == ["a", "a-3", "a-2", "b", "c"]
    assert written(paths)["a-2"] == written(paths)["a"]


async def test_a_server_is_switched_off_and_on_as_other_clients_understand_it(core, paths) -> None:
    assert (await core.api.switch_server("b", True)).config.disabled
    assert written(paths)["b"] == {"command": "y", "disabled": True}
    assert not (await core.api.switch_server("b", False)).config.disabled


async def test_what_was_removed_comes_back_as_it_was_and_where_it_was(core, paths) -> None:
    before = paths.servers_file.read_text()
    for name in ("a", "c"):
        await core.api.remove_server(name)
        assert name not in written(paths)
        await core.api.restore_server(name)
        assert json.loads(paths.servers_file.read_text()) == json.loads(before)
        assert list(written(paths)) == ["a", "b", "c"]
    with pytest.raises(WorkbenchError, match="already has a server named a"):
        await core.api.restore_server("a")
    with pytest.raises(WorkbenchError, match="can no longer be restored"):
        await core.api.restore_server("ghost")


async def test_the_built_in_server_stays_as_it_is(core) -> None:
    for change in (
        core.api.duplicate_server("demo"),
        core.api.move_server("demo", ""),
        core.api.switch_server("demo", True),
    ):
        with pytest.raises(WorkbenchError, match="built in"):
            await change


async def test_a_new_server_comes_with_its_secrets_apart(core, paths) -> None:
    value = "s3cr3t-" + "value"
    await core.api.edit_server("", ServerConfig("new", "x", env={"API_KEY": value, "LEVEL": "1"}), True)
    assert written(paths)["new"]["env"] == {"API_KEY": "${keyring:new/API_KEY}", "LEVEL": "1"}
    assert core.services.secrets.get_secret("new/API_KEY") == value
    assert core.journal.entries(EntryQuery(kind="secret."))[0].note.summary == "You stored the secret new/API_KEY"
    with pytest.raises(WorkbenchError, match="already"):
        await core.api.edit_server("", ServerConfig("new", "y"), False)


async def test_what_cannot_be_written_changes_nothing_at_all(core, paths) -> None:
    before = paths.servers_file.read_text()
    with pytest.raises(WorkbenchError, match="header"):
        await core.api.edit_server("a", ServerConfig("z", url="https://e.org", headers={"bad name": "x"}), True)
    assert paths.servers_file.read_text() == before
    assert "a" in names(core)


async def test_a_blocked_definition_stays_blocked_under_another_name(core, paths) -> None:
    pins = core.catalog.server("a").pins
    pins.take(read("a", [{"name": "tool", "description": "1"}]).tools)
    for name in (await core.api.duplicate_server("a")).config.name, "renamed":
        if name == "renamed":
            await core.api.edit_server("a", ServerConfig("renamed", "x"), False)
        there = core.catalog.server(name).pins
        there.take(read(name, [{"name": "tool", "description": "2"}]).tools)
        assert there.blocked("tool")


async def test_a_server_never_seen_is_seen_for_the_first_time_under_its_new_name(core, paths) -> None:
    await core.api.edit_server("a", ServerConfig("renamed", "x"), False)
    assert not core.catalog.server("renamed").pins.known


async def test_pins_that_cannot_be_read_are_told_until_they_are_approved_anew(core, paths) -> None:
    server = core.catalog.server("a")
    server.pins.take(read("a", [{"name": "tool"}]).tools)
    server.pins.save(server.pins.snapshot())
    next(paths.definition_pins.iterdir()).write_text("{")
    server.pins.load()
    assert any("of a cannot be read" in notice.message for notice in (await core.api.status()).notices)
    server.pins.take(read("a", [{"name": "tool"}]).tools)
    await server.own.approve({one.tool: one.hash for one in server.pins.changes()})
    assert (await core.api.status()).notices == ()
