"""Servers start again after the core was lost, and `.mcp.json` is reloaded after other programs changed it."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from workbench.events import ServersArranged
from workbench.gui.servers.server_connector import describe_changes
from workbench.records import ServerConfig, ServerState, ServerStatus


def connected(fake_core: Any) -> list[str]:
    return [words[0] for name, words in fake_core.asked if name == "connect"]


def test_servers_that_ran_are_connected_again_by_a_new_core(
    window: Any, fake_core: Any, settled: Any, qtbot: Any
) -> None:
    config = ServerConfig("notes", "npx")
    fake_core.put(ServerState(config, ServerStatus.READY, allowed=True))
    fake_core.put(ServerState(ServerConfig("idle", "npx"), ServerStatus.STOPPED, allowed=True))
    settled()
    for name, state in fake_core.server_states.items():  # a new core: nothing runs
        fake_core.server_states[name] = replace(state, status=ServerStatus.STOPPED)
    window.context.store.load(restarted=True)
    qtbot.waitUntil(lambda: connected(fake_core) == ["notes"])
    assert fake_core.connected_automatically  # so that the audit does not say that the user did it
    settled()
    assert "Connecting again: notes." in window.status.message()


def test_a_connection_that_the_user_asked_for_is_not_called_automatic(
    window: Any, fake_core: Any, settled: Any, qtbot: Any
) -> None:
    window.servers.show_tool("demo")
    window.commands.do("server.connect")
    qtbot.waitUntil(lambda: connected(fake_core) == ["demo"])
    assert not fake_core.connected_automatically
    settled()


def test_servers_that_still_run_are_left_alone(window: Any, fake_core: Any, settled: Any) -> None:
    fake_core.put(ServerState(ServerConfig("notes", "npx"), ServerStatus.READY, allowed=True))
    settled()
    window.context.store.load()
    settled()
    assert connected(fake_core) == []


def test_a_change_of_the_file_by_another_program_is_noticed(
    window: Any, fake_core: Any, settled: Any, qtbot: Any
) -> None:
    file = window.context.paths.servers_file
    fake_core.asked.clear()  # the window reloads once when it is linked
    fake_core.server_states["fresh"] = ServerState(ServerConfig("fresh", "npx"))
    file.write_text('{"mcpServers": {}}')
    qtbot.waitUntil(lambda: ("reload_servers", ()) in fake_core.asked)
    settled()
    assert window.status.message() == "Servers were reloaded: added fresh."
    del fake_core.server_states["files"]
    file.unlink()
    qtbot.waitUntil(lambda: window.status.message().startswith(".mcp.json was deleted. Servers were reloaded:"))
    assert "removed files" in window.status.message()


def test_a_change_of_the_file_while_no_window_was_open_is_noticed_when_the_window_is_linked(
    window: Any, fake_core: Any, settled: Any, qtbot: Any, monkeypatch: Any
) -> None:
    fresh = ServerState(ServerConfig("fresh", "npx"))

    async def reload_servers() -> tuple[ServerState, ...]:
        fake_core.note("reload_servers")
        fake_core.put(fresh)
        states: tuple[ServerState, ...] = await fake_core.servers()
        return states

    fake_core.asked.clear()
    monkeypatch.setattr(fake_core, "reload_servers", reload_servers)
    window.context.store.load()
    qtbot.waitUntil(lambda: window.servers.model.find("fresh").isValid())
    settled()
    assert window.status.message().endswith("Servers were reloaded: added fresh.")
    fake_core.put(fresh)
    fake_core.bus.tell(ServersArranged(("fresh", "files", "demo")))  # the same list again
    settled()
    assert fake_core.asked.count(("reload_servers", ())) == 1


def test_other_files_of_the_project_reload_nothing(window: Any, fake_core: Any, settled: Any, qtbot: Any) -> None:
    fake_core.asked.clear()  # the window reloads once when it is linked
    (window.context.paths.project / "notes.txt").write_text("x")
    qtbot.wait(500)
    settled()
    assert ("reload_servers", ()) not in fake_core.asked


def test_f5_says_what_changed(window: Any, fake_core: Any, settled: Any, qtbot: Any) -> None:
    window.commands.do("servers.reload")
    qtbot.waitUntil(lambda: window.status.message() == "Servers were reloaded: nothing changed.")
    settled()


def test_changes_are_described_by_name() -> None:
    before = {name: ServerConfig(name, "x") for name in ("a", "b", "c")}
    after = {"a": ServerConfig("a", "x"), "b": ServerConfig("b", "y")}
    after |= {f"n{number}": ServerConfig(f"n{number}", "x") for number in range(7)}
    assert describe_changes(before, before) == ""
    assert describe_changes(before, after) == "added n0, n1, n2, n3, n4 and 2 more; removed c; changed b"
