"""What is written into another client's file is what was previewed; everything else in it stays as it was."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from workbench.client_configs import config_export
from workbench.client_configs.client_table import ConfigFile
from workbench.client_configs.config_discovery import find
from workbench.client_configs.config_export import ConfigDraft, describe, draft, show, take_back, targets, write
from workbench.errors import WorkbenchError
from workbench.records import ServerConfig

LOCAL = ServerConfig("files", "npx", ("-y", "@acme/files", "."), {"LEVEL": "2"}, transport="stdio")
FAR = ServerConfig("far", url="https://far.example/mcp", headers={"X-Team": "blue"}, transport="http")


def place(paths: Any, client: str) -> ConfigFile:
    return next(place for place in targets(paths.project) if place.client.id == client)


def drafted(paths: Any, client: str, *configs: ServerConfig) -> ConfigDraft:
    return draft(place(paths, client), configs)


@pytest.mark.parametrize(
    "client",
    ["claude-code", "cursor", "vscode", "windsurf", "cline", "lm-studio", "goose", "claude-desktop", "codex", "gemini"],
)
def test_what_is_exported_is_found_again_as_it_was(homes, paths, client: str) -> None:
    homes.write_all("/nowhere")
    wanted = (LOCAL,) if client == "claude-desktop" else (LOCAL, FAR)
    made = drafted(paths, client, *wanted)
    assert made.blocked is None
    write(made)
    again = {one.config.name: one.config for one in find(paths.project)[0] if one.place.client.id == client}
    for config in wanted:
        found = replace(again[config.name], timeout_seconds=0)
        assert found == replace(config, transport=found.transport)
        assert found.transport in ("", config.transport)


def test_what_is_found_is_exported_and_found_again(homes, paths) -> None:
    homes.write_all("/nowhere")
    known = [one.config for one in find(paths.project)[0] if one.place.client.id in ("vscode", "cline")]
    write(drafted(paths, "cursor", *known))
    again = {one.config.name: one.config for one in find(paths.project)[0] if one.place.client.id == "cursor"}
    for config in known:
        assert (again[config.name].command, again[config.name].url) == (config.command, config.url)


def test_only_the_lines_of_the_server_are_new(homes, paths) -> None:
    homes.write_all("/nowhere")
    for client in ("vscode", "goose", "claude-code", "cline"):
        made = drafted(paths, client, LOCAL)
        after = made.after.splitlines()
        assert [line for line in made.before.splitlines() if line not in after and f"{line}," not in after] == []
        assert all(
            not line.startswith("-") or line.rstrip() + "," in made.diff for line in show(made).diff.splitlines()
        )


def test_the_preview_shows_the_change_and_the_entry_alone(homes, paths) -> None:
    homes.write("Claude/claude_desktop_config.json", {"mcpServers": {}, "other": 1}, app=True)
    preview = show(drafted(paths, "claude-desktop", LOCAL))
    assert json.loads(preview.entries)["mcpServers"]["files"]["args"] == ["-y", "@acme/files", "."]
    assert '+      "command": "npx",' in preview.diff
    assert preview.client.installed
    assert not show(drafted(paths, "lm-studio", LOCAL)).client.installed


def test_a_copy_lies_beside_it_and_the_way_back_leads_to_the_same_bytes(homes, paths) -> None:
    file = homes.write(".cursor/mcp.json", '{\r\n  "mcpServers": {}\r\n}\r\n')
    file.chmod(0o640)
    before = file.read_bytes()
    made = drafted(paths, "cursor", LOCAL)
    backup = Path(write(made))
    assert backup.read_bytes() == before
    assert (backup.stat().st_mode & 0o777, file.stat().st_mode & 0o777) == (0o640, 0o640)
    assert b"files" in file.read_bytes()
    take_back(made.place, made.before, config_export.sha(made.after), True)
    assert file.read_bytes() == before


def test_a_new_file_is_the_persons_own_and_goes_again(homes, paths) -> None:
    (homes.home / ".lmstudio").mkdir(parents=True)
    made = drafted(paths, "lm-studio", LOCAL)
    assert write(made) == ""
    assert made.place.file.stat().st_mode & 0o777 == 0o600
    take_back(made.place, "", config_export.sha(made.after), False)
    assert not made.place.file.exists()
    assert os.listdir(homes.home / ".lmstudio") == []


def test_the_way_back_is_closed_when_somebody_changed_the_file(homes, paths) -> None:
    homes.write(".cursor/mcp.json", {})
    made = drafted(paths, "cursor", LOCAL)
    write(made)
    made.place.file.write_text('{"mine": 1}')
    with pytest.raises(WorkbenchError, match="changed after the export"):
        take_back(made.place, made.before, config_export.sha(made.after), True)
    assert made.place.file.read_text() == '{"mine": 1}'


def test_a_link_stays_a_link(homes, paths, tmp_path) -> None:
    real = tmp_path / "dotfiles.json"
    real.write_text("{}")
    link = homes.write(".cursor/mcp.json", "")
    link.unlink()
    link.symlink_to(real)
    write(drafted(paths, "cursor", LOCAL))
    assert link.is_symlink()
    assert "files" in real.read_text()


def test_keys_of_an_entry_that_only_that_client_knows_stay(homes, paths) -> None:
    homes.write_all("/nowhere")
    made = drafted(paths, "cline", ServerConfig("c", "npx"))
    entry = json.loads(made.after)["mcpServers"]["c"]
    assert entry == {"command": "npx", "args": [], "autoApprove": ["read"]}
    assert made.replaced == ["c"]


def test_secrets_are_asked_for_or_left_out_and_never_written(homes, paths) -> None:
    homes.write_all("/nowhere")
    config = ServerConfig("s", "x", (), {"A_TOKEN": "${keyring:s/A_TOKEN}", "HOME2": "${HOME:-/x}"})
    code = drafted(paths, "vscode", config)
    assert '"A_TOKEN": "${input:s-A_TOKEN}"' in code.after
    assert '"id": "s-A_TOKEN"' in code.after
    assert "// kept by hand" in code.after
    desktop = drafted(paths, "claude-desktop", config)
    assert '"A_TOKEN": "<s/A_TOKEN>"' in desktop.after
    assert any("by hand" in note for note in desktop.notes)
    assert "${env:HOME2}" not in drafted(paths, "cursor", config).after


def test_what_a_client_cannot_do_is_said(homes, paths) -> None:
    homes.write_all("/nowhere")
    assert "does not read remote servers" in drafted(paths, "claude-desktop", FAR).notes[0]
    assert "far" not in drafted(paths, "claude-desktop", FAR).after
    off = drafted(paths, "cursor", replace(LOCAL, disabled=True))
    assert "will be enabled there" in off.notes[0]
    assert '"disabled": true' in drafted(paths, "windsurf", replace(LOCAL, disabled=True)).after


@pytest.mark.parametrize(
    ("client", "file", "text"),
    [
        ("cursor", ".cursor/mcp.json", "{ broken"),
        ("cursor", ".cursor/mcp.json", '{"mcpServers": [1]}'),
        ("cursor", ".cursor/mcp.json", '{"mcpServers": null}'),
        ("goose", ".config/goose/config.yaml", "extensions: {a: {cmd: x}}\n"),
        ("goose", ".config/goose/config.yaml", "{a: 1}"),
    ],
)
def test_a_file_that_cannot_be_changed_safely_is_left_alone_and_the_entry_can_be_pasted(
    homes, paths, client, file, text
) -> None:
    homes.write(file, text)
    made = drafted(paths, client, LOCAL)
    assert made.blocked is not None
    assert made.blocked.hint
    assert made.after == made.before
    assert "npx" in show(made).entries


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# only a remark\n",
        "model: x\n",
        "extensions:\nmodel: x\n",
        "extensions: {}\nmodel: x\n",
        "extensions: # none\n",
        "extensions:\n    a:\n        cmd: |\n            x\n        # remark\n    # more\n\nmodel: x\n",
        "extensions:\n  files:\n    cmd: old\n    bundled: null\n\n  # the other\n  b: {cmd: x}\n",
        "---\nextensions:\n  a: &x\n    cmd: y\n  c: *x\n",
    ],
)
def test_every_way_to_write_goose_keeps_its_lines(homes, paths, text) -> None:
    homes.write("goose/config.yaml", text, app=True)
    made = drafted(paths, "goose", LOCAL)
    assert made.blocked is None, made.blocked
    loaded = yaml.safe_load(made.after)
    assert loaded["extensions"]["files"]["cmd"] == "npx"
    assert [line for line in text.splitlines() if "#" in line and line not in made.after] == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=8,
)


@settings(max_examples=60, deadline=None)
@given(
    others=st.dictionaries(st.text(max_size=6), JSON, max_size=4),
    servers=st.dictionaries(st.text(max_size=6), JSON, max_size=3),
    indent=st.sampled_from([None, 2, "\t"]),
)
def test_unknown_keys_stay_whatever_they_are(homes, paths, others, servers, indent) -> None:
    document = {**others, "mcpServers": servers}
    homes.write(".cursor/mcp.json", json.dumps(document, indent=indent))
    made = drafted(paths, "cursor", LOCAL)
    assert made.blocked is None
    after = json.loads(made.after)
    assert list(after["mcpServers"].pop("files")) == ["command", "args", "env"]
    document["mcpServers"].pop("files", None)
    assert after == document


@settings(max_examples=40, deadline=None)
@given(others=st.dictionaries(st.text(max_size=6), JSON, max_size=4), flow=st.booleans())
def test_unknown_yaml_stays_whatever_it_is(homes, paths, others, flow) -> None:
    others.pop("extensions", None)
    document = {**others, "extensions": {"a": {"cmd": "x"}}}
    homes.write("goose/config.yaml", yaml.safe_dump(document, default_flow_style=flow), app=True)
    made = drafted(paths, "goose", LOCAL)
    if made.blocked is None:
        after = yaml.safe_load(made.after)
        assert after["extensions"].pop("files")["cmd"] == "npx"
        assert after == document


def test_an_unknown_target_is_a_sentence(paths) -> None:
    with pytest.raises(WorkbenchError, match="unknown"):
        config_export.target(paths.project, "cursor:/etc/passwd")
    assert all(describe(one).file for one in targets(paths.project))


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_nothing_is_written_through_a_link_that_leads_out_of_the_project(homes, paths, tmp_path, kind) -> None:
    victim = tmp_path / "elsewhere"
    victim.mkdir()
    (victim / "mcp.json").write_text('{"theirs": 1}')
    folder = paths.project / ".cursor"
    if kind == "folder":
        folder.symlink_to(victim)
    else:
        folder.mkdir()
        (folder / "mcp.json").symlink_to(victim / "mcp.json")
    place = next(one for one in config_export.targets(paths.project) if one.project and one.client.title == "Cursor")
    made = config_export.draft(place, [LOCAL])
    assert "is a symbolic link to" in made.blocked.message
    assert made.after == made.before == ""
