"""Hooks are written into the files of clients, found there, and taken out without a trace."""

from __future__ import annotations

import json
import shlex
import subprocess
import tomllib
from pathlib import Path

import pytest

from workbench.client_configs import config_export, jsonc_editor
from workbench.client_hooks.hook_installation import draft, find_installations, places
from workbench.paths import Paths, home_folder

COMMENTED = """{
  // mine
  "model": "x",
  "hooks": {
    "Stop": [{ "hooks": [{ "type": "command", "command": "say done" }] }], // loud
    "PreToolUse": [
      { "matcher": "Bash", "hooks": [{ "type": "command", "command": "./own.sh" }] }
    ]
  },
  "env": { "A": "1" },
}
"""
TOML = """# mine
model = "x"

[[hooks.PreToolUse]]
matcher = "Bash" # own

[[hooks.PreToolUse.hooks]]
type = "command"
command = "./own.sh"

[mcp_servers.a]
command = "a"
"""


def file_of(paths: Paths, client: str, *, here: bool = False) -> Path:
    return next(one.file for one in places(paths.project) if one.client.id == client and bool(one.project) == here)


def change(paths: Paths, client: str, *, remove: bool = False, absent: str = "ask", here: bool = False) -> str:
    """Install or remove, and return what blocked it."""
    place = next(one for one in places(paths.project) if one.client.id == client and bool(one.project) == here)
    made = draft(place, paths, absent, remove=remove)
    if made.blocked is not None:
        return made.blocked.message
    if made.after != made.before:
        config_export.write(made)
    return ""


def commands(document: object) -> list[str]:
    """All commands in a configuration."""
    if isinstance(document, dict):
        own = [document["command"]] if isinstance(document.get("command"), str) else []
        return own + [one for value in document.values() for one in commands(value)]
    return [one for value in document for one in commands(value)] if isinstance(document, list) else []


def is_installed(paths: Paths, client: str) -> bool:
    return any(one.installed for one in find_installations(paths.project) if one.client.id.startswith(f"{client}:"))


@pytest.mark.parametrize("client", ["claude-code", "codex", "cursor", "vscode"])
def test_hooks_are_installed_changed_and_removed_in_each_client(paths: Paths, client: str):
    file = file_of(paths, client)
    assert str(file).startswith(str(home_folder()))
    assert not is_installed(paths, client)
    assert change(paths, client) == ""
    text = file.read_text()
    document = tomllib.loads(text) if client == "codex" else json.loads(text)
    ours = commands(document)
    assert len(ours) == {"claude-code": 2, "codex": 2, "cursor": 5, "vscode": 1}[client]
    words = shlex.split(ours[0])
    assert words[4:6] == [client, "ask"]
    assert words[-1] == str(paths.hook_socket)
    payload = b'{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}'
    done = subprocess.run(ours[0], shell=True, input=payload, capture_output=True, timeout=60, check=True)
    assert done.stdout == (b'{"permission":"ask"}\n' if client == "cursor" else b""), "no core runs"
    assert is_installed(paths, client)
    assert change(paths, client) == ""
    assert file.read_text() == text, "installed once"
    assert change(paths, client, absent="deny") == ""
    changed = file.read_text()
    assert len(commands(tomllib.loads(changed) if client == "codex" else json.loads(changed))) == len(ours)
    (state,) = [one for one in find_installations(paths.project) if one.installed]
    assert state.absent == "deny"
    assert change(paths, client, remove=True) == ""
    assert not is_installed(paths, client)
    assert "hook_program" not in file.read_text()


def test_the_users_own_hooks_and_comments_stay(paths: Paths):
    for client, before in (("claude-code", COMMENTED), ("codex", TOML)):
        file = file_of(paths, client)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(before)
        assert change(paths, client) == "", client
        after = file.read_text()
        document = tomllib.loads(after) if client == "codex" else jsonc_editor.parse(after, "x")
        assert "./own.sh" in commands(document)
        assert len([one for one in commands(document) if "hook_program" in one]) == 2
        assert ("// mine" in after and "// loud" in after) or "# own" in after
        assert change(paths, client, remove=True) == "", client
        left = tomllib.loads(file.read_text()) if client == "codex" else jsonc_editor.parse(file.read_text(), "x")
        assert left == (tomllib.loads(before) if client == "codex" else jsonc_editor.parse(before, "x"))
        assert ("// mine" in file.read_text()) or file.read_text() == before


def test_files_that_cannot_be_changed_safely_are_left_alone(paths: Paths):
    commented = '{"hooks": {"PreToolUse": [ /* keep */ {"hooks": []} ]}}'
    cases = {"claude-code": ["{", "[]", '{"hooks": []}', '{"hooks": {"PreToolUse": {}}}', commented],
             "codex": ["[", 'hooks = "x"', "[hooks]\nPreToolUse = [{ matcher = 1 }]"],
             "cursor": ['{"version": 1, "hooks": 3}']}  # fmt: skip
    for client, texts in cases.items():
        file = file_of(paths, client)
        file.parent.mkdir(parents=True, exist_ok=True)
        for text in texts:
            file.write_text(text)
            assert change(paths, client), text
            assert file.read_text() == text
    outside = paths.project.parent / "outside.json"
    outside.write_text("{}")
    link = file_of(paths, "claude-code", here=True)
    link.parent.mkdir(parents=True)
    link.symlink_to(outside)
    assert "symbolic link" in change(paths, "claude-code", here=True)
    assert outside.read_text() == "{}"


def test_members_are_removed_with_their_commas():
    for before, path, after in (
        ('{"a": 1, "b": 2}', ("a",), '{"b": 2}'),
        ('{"a": 1, "b": 2}', ("b",), '{"a": 1}'),
        ('{"a": 1}', ("a",), "{}"),
        ('{"a": {"x": 1}, "b": 2}', ("a", "x"), '{"a": {}, "b": 2}'),
        ('{\n  "a": 1, // one\n  "b": [2],\n}\n', ("b",), '{\n  "a": 1,\n}\n'),
        ('{"a": 1}', ("b",), '{"a": 1}'),
        ('{"a": 1}', ("a", "b"), '{"a": 1}'),
        ("", ("a",), ""),
    ):
        found = jsonc_editor.remove_member(before, path)
        assert found == after, before
        if found:
            jsonc_editor.parse(found, "x")
