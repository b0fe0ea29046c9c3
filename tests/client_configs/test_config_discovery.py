"""Servers of other clients are found whatever their files hold, and nothing in those files makes reading fail."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.client_configs import goose_yaml
from workbench.client_configs.config_discovery import find, show
from workbench.errors import WorkbenchError
from workbench.records import ImportConflict, ServerConfig
from workbench.servers.configuration.secret_masking import MASK


def found(paths: Any) -> dict[str, Any]:
    return {one.config.name: one for one in find(paths.project)[0]}


def test_servers_of_all_eight_clients_are_found(homes, paths, tmp_path) -> None:
    homes.write_all(str(tmp_path / "project"))
    finds, faults = find(paths.project)
    assert faults == ()
    assert [(one.place.client.title, one.config.name) for one in finds] == [
        ("Claude Desktop", "github"),
        ("Claude Code", "git"),
        ("Claude Code", "local"),
        ("Cursor", "files"),
        ("VS Code", "perplexity"),
        ("VS Code", "fetch"),
        ("Windsurf", "w"),
        ("Cline", "c"),
        ("LM Studio", "hf"),
        ("goose", "fetch"),
        ("goose", "far"),
    ]
    assert finds[2].place.project == str(tmp_path / "project")


def test_each_dialect_becomes_ours(homes, paths) -> None:
    homes.write_all("/nowhere")
    servers = {f"{one.place.client.id} {one.config.name}": one.config for one in find(paths.project)[0]}
    assert servers["vscode perplexity"] == ServerConfig(
        "perplexity",
        "npx",
        ("-y", "server-perplexity-ask"),
        {"PERPLEXITY_API_KEY": "${keyring:perplexity/perplexity-key}", "EDITOR": "${EDITOR}"},
        transport="stdio",
    )
    assert servers["windsurf w"].url == "https://w.example/mcp"
    assert (servers["cline c"].transport, servers["cline c"].timeout_seconds) == ("http", 3600)
    assert servers["cline c"].disabled
    assert servers["goose fetch"] == ServerConfig(
        "fetch", "uvx", ("mcp-server-fetch",), {"LIMIT": "5"}, disabled=True, transport="stdio", timeout_seconds=300
    )
    assert servers["goose far"].headers == {"Authorization": f"Bearer {homes.token}"}


def test_what_a_person_sees_holds_no_secret_and_says_what_is_not_taken_over(homes, paths) -> None:
    homes.write_all("/nowhere")
    shown = show(*find(paths.project), ())
    assert homes.token not in repr(shown)
    by_name = {f"{one.client} {one.config.name}": one for one in shown.servers}
    assert by_name["Claude Desktop github"].config.env == {"GITHUB_TOKEN": MASK}
    assert by_name["Claude Desktop github"].masked == ("env GITHUB_TOKEN",)
    assert by_name["goose far"].config.headers == {"Authorization": f"Bearer {MASK}"}
    assert by_name["LM Studio hf"].config.url == f"https://h.example/mcp?token={MASK}"
    assert "FETCH_KEY" in by_name["goose fetch"].notes[0]
    assert "${workspaceFolder}" in by_name["Cursor files"].notes[0]
    assert by_name["Cursor files"].file == "~/.cursor/mcp.json"


def test_what_the_project_has_is_marked_and_other_servers_of_that_name_too(homes, paths) -> None:
    homes.write_all("/nowhere")
    here = (ServerConfig("my-git", "uvx", ("mcp-server-git",)), ServerConfig("files", "another"))
    shown = {one.config.name: one.standing for one in show(*find(paths.project), here).servers}
    assert (shown["git"], shown["files"], shown["hf"]) == (
        ImportConflict.HERE,
        ImportConflict.CLASH,
        ImportConflict.NEW,
    )


def test_files_of_the_project_know_its_folder(homes, paths) -> None:
    file = paths.project / ".vscode" / "mcp.json"
    file.parent.mkdir()
    file.write_text('{"servers": {"a": {"command": "${workspaceFolder}/run"}}}')
    assert found(paths)["a"].config.command == f"{paths.project}/run"


def test_projects_of_claude_code_are_looked_into(homes, paths, tmp_path) -> None:
    project = tmp_path / "other"
    project.mkdir()
    (project / ".mcp.json").write_text('{"mcpServers": {"shared": {"command": "x"}}}')
    homes.write(".claude.json", {"projects": {str(project): {}, "relative": {}, str(paths.project): {}, "odd": 7}})
    assert list(found(paths)) == ["shared"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "line 1"),
        ("[1]", "JSON object"),
        ('{"mcpServers": [1]}', "not an object"),
        ('{"mcpServers": {"a": 7}}', "not an object"),
        ('{"mcpServers": {"a": {}}}', "no command"),
        ('{"mcpServers": {"a": {"command": "x", "args": 1}}}', "args"),
        ('{"mcpServers": {"a": {"command": "\\ud800"}}}', "invalid Unicode characters"),
        ('{"mcpServers": {"\\ud800": {"command": "x"}}}', "invalid Unicode characters"),
        ('{"mcpServers":' * 90_000, "deeply"),
    ],
)
def test_what_cannot_be_read_is_a_sentence_and_spoils_no_other_file(homes, paths, text, words) -> None:
    homes.write(".cursor/mcp.json", text)
    homes.write(".lmstudio/mcp.json", {"mcpServers": {"good": {"command": "x"}}})
    finds, faults = find(paths.project)
    assert [one.config.name for one in finds] == ["good"]
    assert len(faults) == 1
    assert words in faults[0].message
    assert "mcp.json" in faults[0].message


def test_a_byte_order_mark_is_no_fault(homes, paths) -> None:
    homes.write(".cursor/mcp.json", '\ufeff{"mcpServers": {"a": {"command": "x"}}}')
    homes.write("goose/config.yaml", "\ufeffextensions:\n  b: {type: stdio, cmd: x}\n", app=True)
    assert list(found(paths)) == ["a", "b"]


def test_pipes_devices_folders_and_giants_keep_nobody_waiting(homes, paths) -> None:
    pipe = homes.write(".cursor/mcp.json", "")
    pipe.unlink()
    os.mkfifo(pipe)
    device = homes.write(".lmstudio/mcp.json", "")
    device.unlink()
    device.symlink_to("/dev/zero")
    (homes.apps / "Claude" / "claude_desktop_config.json").mkdir(parents=True)
    giant = homes.write(".claude.json", "")
    os.truncate(giant, 17 << 20)
    homes.write("goose/config.yaml", "a: " + "x" * 300_000, app=True)
    (homes.home / ".codeium").write_text("a file where a folder should be")
    finds, faults = find(paths.project)
    assert finds == ()
    assert len(faults) == 5


@pytest.mark.parametrize(
    "text",
    [
        "extensions: [1, 2]",
        "a: b: c",
        "x: !!python/object/apply:os.system [true]",
        "extensions: &a {b: *a}",
        "extensions:\n  a: &e\n    cmd: x\n    envs: {SELF: *e}",
        "extensions: {a: {cmd: x, args: [2001-01-01]}}",
        "? [1, 2]\n: x",
        "a: " + "[" * 5_000,
        "- 1",
        "\x00",
        "x: 2001-99-99",
    ],
)
def test_odd_yaml_runs_nothing_and_is_a_sentence(homes, paths, text) -> None:
    homes.write("goose/config.yaml", text, app=True)
    finds, _ = find(paths.project)
    assert finds == ()


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
KEYS = st.sampled_from(["command", "args", "env", "url", "type", "headers", "timeout", "disabled", "cwd", "oauth"])


@settings(max_examples=60, deadline=None)
@given(entries=st.dictionaries(st.text(max_size=5), ANYTHING | st.dictionaries(KEYS, ANYTHING), max_size=4))
def test_no_entry_whatever_makes_it_fail(homes, paths, entries) -> None:
    homes.write(".cursor/mcp.json", json.dumps({"mcpServers": entries}))
    homes.write("goose/config.yaml", json.dumps({"extensions": entries}), app=True)
    show(*find(paths.project), ())


BOMB = "a0: &a0 {x: 1}\n" + "".join(f"a{n}: &a{n} {{x: *a{n - 1}, y: *a{n - 1}}}\n" for n in range(1, 60))


@pytest.mark.parametrize("text", [BOMB, "extensions: &a [*a]", "extensions: &a {b: *a}", "x: !!timestamp no"])
def test_yaml_that_means_more_than_it_says_is_not_followed(text: str) -> None:
    with pytest.raises(WorkbenchError, match="cannot be read"):
        goose_yaml.parse(text, "config.yaml")
