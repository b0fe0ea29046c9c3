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
from workbench.paths import Paths, home_folder, paths_of

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
        (config_export.write if made.after else config_export.delete)(made)
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
    assert words[-2:] == [str(paths.hook_socket), str(paths.project)]
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
    assert (state.absent, state.project) == ("deny", str(paths.project))
    done = subprocess.run(
        commands(tomllib.loads(changed) if client == "codex" else json.loads(changed))[0], shell=True, input=payload,
        capture_output=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert str(paths.project) in done.stderr.decode()
    assert change(paths, client, remove=True) == ""
    assert not is_installed(paths, client)
    assert not file.exists(), "nothing else was in it"


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
        assert file.read_text() == before


BEFORE = {
    "claude-code": (COMMENTED, "{}", '{"hooks":{"PreToolUse":[{"hooks":[{"command":"a"}]}],"Stop":[]}}', '{ "a": 1 }',
                    '{"hooks": {"PreToolUse": [ /* keep */ {"hooks": []} ]}}', '\ufeff{\r\n\t"a": 1\r\n}\r\n',
                    '{\n  "hooks": {\n    "PreToolUse": [\n      {"hooks": []}, // mine\n    ],\n  },\n}\n'),
    "codex": (TOML, "", 'model = "x"', 'model = "x"\n', 'model = "x"\n\n\n', "# only a remark\n"),
    "cursor": ('{"version": 1, "hooks": {"stop": [{"command": "a"}]}}', '{"version": 2}\n'),
}  # fmt: skip


def test_removing_restores_every_byte_of_what_was_there(paths: Paths):
    for client, texts in BEFORE.items():
        file = file_of(paths, client)
        file.parent.mkdir(parents=True, exist_ok=True)
        for before in texts:
            file.write_bytes(before.encode())
            assert change(paths, client) == "", before
            assert change(paths, client, absent="deny") == "", before
            assert change(paths, client, remove=True) == "", before
            left = file.read_bytes().decode() if file.exists() else ""
            assert left == before or (before in ("{}", '{"hooks": {}}') and not left), before


def test_what_the_user_changes_after_the_installation_stays(paths: Paths):
    claude, codex = file_of(paths, "claude-code"), file_of(paths, "codex")
    for file, before, client in ((claude, COMMENTED, "claude-code"), (codex, TOML, "codex")):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(before)
        assert change(paths, client) == ""
    codex.write_text(codex.read_text() + "\n[later]\na = 1\n")
    document = jsonc_editor.parse(claude.read_text(), "x")
    group = next(one for one in document["hooks"]["PreToolUse"] if "hook_program" in json.dumps(one))
    group["hooks"].append({"type": "command", "command": "./second.sh"})
    text = jsonc_editor.set_member(claude.read_text(), ("hooks", "PreToolUse"), document["hooks"]["PreToolUse"])
    claude.write_text(jsonc_editor.set_member(text, ("later",), True))
    for client in ("claude-code", "codex"):
        assert change(paths, client, remove=True) == ""
    assert codex.read_text() == TOML + "\n[later]\na = 1\n"
    left = jsonc_editor.parse(claude.read_text(), "x")
    assert commands(left) == ["say done", "./own.sh", "./second.sh"]
    assert left["later"] is True
    assert "// mine" in claude.read_text()
    codex.write_text(f"{TOML}\n")
    assert change(paths, "codex") == ""
    end = "# MCP Workbench hooks: end"
    codex.write_text(codex.read_text().replace(end, f'[[hooks.Stop]]\ncommand = "mine"\n{end}'))
    assert "other hooks too" in change(paths, "codex", remove=True)
    assert "mine" in codex.read_text()


def test_hooks_say_which_project_they_ask(paths: Paths):
    place = next(one for one in places(paths.project) if one.client.id == "cursor")
    made = draft(place, paths, "ask", remove=False)
    assert f"The hooks ask the workbench's project {paths.project}" in made.notes[0]
    assert "your own project" not in made.notes[0]
    config_export.write(made)
    elsewhere = paths_of(paths.project.parent / "other")
    notes = draft(place, elsewhere, "ask", remove=False).notes
    assert notes[1:] == [f"Until now they asked the project {paths.project}."]
    assert "your own project" in draft(place, paths_of(), "ask", remove=False).notes[0]


def test_files_that_cannot_be_changed_safely_are_left_alone(paths: Paths):
    cases = {"claude-code": ["{", "[]", '{"hooks": []}', '{"hooks": {"PreToolUse": {}}}'],
             "codex": ["[", 'hooks = "x"', "[hooks]\nPreToolUse = [{ matcher = 1 }]"],
             "cursor": ['{"version": 1, "hooks": 3}']}  # fmt: skip
    for client, texts in cases.items():
        file = file_of(paths, client)
        file.parent.mkdir(parents=True, exist_ok=True)
        for text in texts:
            file.write_text(text)
            assert str(file) in change(paths, client), text
            change(paths, client, remove=True)
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
        ('{\n  "a": 1, // one\n  "b": [2],\n}\n', ("b",), '{\n  "a": 1, // one\n}\n'),
        ('{"a": 1}', ("b",), '{"a": 1}'),
        ('{"a": 1}', ("a", "b"), '{"a": 1}'),
        ("", ("a",), ""),
    ):
        found = jsonc_editor.remove_member(before, path)
        assert found == after, before
        if found:
            jsonc_editor.parse(found, "x")
