"""Writes the hook into the configuration of a client, takes it out again, and finds where it is installed.

Only our own entries change; comments, order and hooks of others stay. Drafts are previewed and written by
`client_configs/config_export.py`, as for servers.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from workbench.client_configs import config_export, jsonc_editor
from workbench.client_configs.client_table import ClientApp, ConfigFile
from workbench.client_configs.config_discovery import parser, read_document
from workbench.client_configs.config_export import ConfigDraft
from workbench.client_hooks import hook_program
from workbench.client_hooks.hook_calls import CLIENTS
from workbench.errors import WorkbenchError
from workbench.paths import Paths, home_folder
from workbench.records import Fault, HookInstallation

TIMEOUT_SECONDS: Final = 600  # the client's own limit for one hook; setting hooks.wait_seconds is usually shorter
MARGIN_SECONDS: Final = 10  # the hook program gives up this long before the client does
_BEGIN, _END = "# MCP Workbench hooks: begin", "# MCP Workbench hooks: end"
_BLOCK = re.compile(rf"\n*{re.escape(_BEGIN)}\n.*?{re.escape(_END)}\n?", re.DOTALL)
_MARK = "hook_program.py"
_TOOLS = "Bash|Edit|MultiEdit|Write|NotebookEdit|Read|Grep|Glob|WebFetch|mcp__.*"
_CODEX_TOOLS = "Bash|apply_patch|mcp__.*"
_SHARED = "This file may be shared with others through git; it would contain paths of this machine."


class _Events(Struct, frozen=True):
    """The events of one client, and whether its entries are groups with a matcher."""

    names: Mapping[str, str]  # event → matcher; empty: none
    grouped: bool = True


_EVENTS = {
    "claude-code": _Events({"PreToolUse": _TOOLS, "PermissionRequest": _TOOLS}),
    "codex": _Events({"PreToolUse": _CODEX_TOOLS, "PermissionRequest": _CODEX_TOOLS}),
    "cursor": _Events({"beforeShellExecution": "", "beforeMCPExecution": "", "beforeReadFile": "",
                       "preToolUse": "Write|Edit|StrReplace|Delete", "afterFileEdit": ""}, grouped=False),
    "vscode": _Events({"PreToolUse": ""}, grouped=False),
}  # fmt: skip


def places(project: Path) -> tuple[ConfigFile, ...]:
    """Return every file that may hold our hook: for each client the user's own one, then the one of this project."""
    home = home_folder()
    codex = Path(os.environ.get("CODEX_HOME") or home / ".codex")
    own = "mcp-workbench.json"
    files = {
        "claude-code": (home / ".claude" / "settings.json", project / ".claude" / "settings.local.json"),
        "codex": (codex / "config.toml", project / ".codex" / "config.toml"),
        "cursor": (home / ".cursor" / "hooks.json", project / ".cursor" / "hooks.json"),
        "vscode": (home / ".copilot" / "hooks" / own, project / ".github" / "hooks" / own),
    }  # fmt: skip
    made: list[ConfigFile] = []
    for client, (personal, shared) in files.items():
        app = ClientApp(client, CLIENTS[client], path=("hooks",), toml=client == "codex")
        made += [ConfigFile(app, personal), ConfigFile(app, shared, str(project))]
    return tuple(made)


def find_installations(project: Path) -> tuple[HookInstallation, ...]:
    """Return the state of every place. A file that cannot be read counts as without hook and says why."""
    return tuple(_state(place) for place in places(project))


def place_of(project: Path, name: str) -> ConfigFile:
    found = next((place for place in places(project) if place.id == name), None)
    if found is None:
        raise WorkbenchError("This client has no hooks.", f"Choose one of {', '.join(CLIENTS)}.")
    return found


def draft(place: ConfigFile, paths: Paths, absent: str, *, remove: bool) -> ConfigDraft:
    """Compute the new text of a file without writing it. Blocks: call it on a thread."""
    made = ConfigDraft(place)
    try:
        config_export.check_stays_inside(place)
        made.before, document = read_document(place)
        entries = {} if remove else _entries(place.client.id, hook_command(paths, place.client.id, absent))
        made.entries = dict(entries)
        made.after = _changed(place, made.before, document, entries)
    except (WorkbenchError, RecursionError) as fault:
        words = fault.message if isinstance(fault, WorkbenchError) else f"{place.file} is nested too deeply."
        made.blocked = Fault(words, "Change the hooks in it by hand.")
        made.after = made.before
    if place.project and not remove:
        made.notes.append(_SHARED)
    if place.client.id == "codex" and not remove:
        made.notes.append("Codex runs new hooks only after you have confirmed them: run /hooks in Codex.")
    return made


def hook_command(paths: Paths, client: str, absent: str) -> str:
    """Return the command line that the client runs, with full paths, so that it needs nothing on the PATH."""
    seconds = TIMEOUT_SECONDS - MARGIN_SECONDS
    words = [sys.executable, "-I", "-S", hook_program.__file__, client, absent, str(seconds), str(paths.hook_socket)]
    return shlex.join(words)


def _entries(client: str, command: str) -> dict[str, Any]:  # Any: JSON of a client
    events = _EVENTS[client]
    hook: dict[str, Any] = {"command": command, "timeout": TIMEOUT_SECONDS}
    if client != "cursor":
        hook = {"type": "command", **hook}
    made: dict[str, Any] = {}
    for event, matcher in events.names.items():
        matching = {"matcher": matcher} if matcher else {}
        made[event] = {**matching, "hooks": [hook]} if events.grouped else {**matching, **hook}
    return made


def _changed(place: ConfigFile, text: str, document: Mapping[str, Any], entries: Mapping[str, Any]) -> str:
    if place.client.toml:
        return _changed_toml(text, entries)
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    text = text.removeprefix(mark)
    wanted = json.loads(json.dumps(document))
    hooks = wanted.get("hooks", {})
    if not isinstance(hooks, dict):
        raise WorkbenchError(f'"hooks" in {place.file} is not an object.')
    for event in dict.fromkeys((*hooks, *entries)):
        listed = hooks.get(event, [])
        if not isinstance(listed, list):
            raise WorkbenchError(f'"{event}" in {place.file} is not a list.')
        kept = [one for one in listed if not _is_ours(one)]
        new = [*kept, entries[event]] if event in entries else kept
        if new == listed:
            continue
        if listed and jsonc_editor.has_comments(text, ("hooks", event)):
            raise WorkbenchError(f"The hooks of {event} in {place.file} contain comments, which would be lost.")
        text = (
            jsonc_editor.set_member(text, ("hooks", event), new)
            if new
            else jsonc_editor.remove_member(text, ("hooks", event))
        )
        hooks[event] = new
        if not new:
            del hooks[event]
    if hooks:
        wanted["hooks"] = hooks
    elif "hooks" in wanted:
        del wanted["hooks"]
        text = jsonc_editor.remove_member(text, ("hooks",))
    if place.client.id == "cursor" and entries and "version" not in wanted:
        wanted["version"] = 1
        text = jsonc_editor.set_member(text, ("version",), 1)
    _check(place, text, wanted)
    return mark + text


def _changed_toml(text: str, entries: Mapping[str, Any]) -> str:
    """Add or remove our block at the end of a TOML file."""
    bare = _BLOCK.sub("\n", text)
    plain = parser(ClientApp("codex", "Codex", toml=True))(bare, "config.toml")
    hooks = plain.get("hooks", {})
    if not isinstance(hooks, dict):
        raise WorkbenchError('"hooks" in this file is not a table.')
    left = [one for listed in hooks.values() if isinstance(listed, list) for one in listed]
    if any(_is_ours(one) for one in left):
        raise WorkbenchError("The marks around the workbench's hooks in this file are gone.")
    if not entries:
        return bare.lstrip("\n") if not text.startswith("\n") else bare
    from workbench.client_configs import codex_toml

    listed = {event: [entry] for event, entry in entries.items()}
    block = codex_toml.tables_text(("hooks",), listed)
    made = f"{bare.rstrip()}\n\n{_BEGIN}\n{block}\n{_END}\n".lstrip("\n")
    wanted = json.loads(json.dumps(plain, default=str))
    for event, new in listed.items():
        others = wanted.setdefault("hooks", {}).setdefault(event, [])
        if not isinstance(others, list):
            raise WorkbenchError(f'"{event}" in this file is not a list.')
        others.extend(new)
    after = parser(ClientApp("codex", "Codex", toml=True))(made, "config.toml")
    if json.loads(json.dumps(after, default=str)) != wanted:
        raise WorkbenchError("The file is formatted in a way that cannot be edited safely.")
    return made


def _check(place: ConfigFile, text: str, wanted: Mapping[str, Any]) -> None:
    if parser(place.client)(text, place.file.name) != wanted:
        raise WorkbenchError("The file is formatted in a way that cannot be edited safely.")


def _is_ours(entry: object) -> bool:
    """Whether an entry starts our hook program."""
    if not isinstance(entry, Mapping):
        return False
    inner = entry.get("hooks")
    entries = [entry, *(inner if isinstance(inner, list) else [])]
    commands = [one.get("command") for one in entries if isinstance(one, Mapping)]
    return any(isinstance(one, str) and _MARK in one for one in commands)


def _state(place: ConfigFile) -> HookInstallation:
    file = config_export.describe(place)
    try:
        _, document = read_document(place)
    except (WorkbenchError, RecursionError) as fault:
        return HookInstallation(file, fault=str(fault))
    hooks = document.get("hooks")
    listed = [one for entries in hooks.values() if isinstance(entries, list) for one in entries] if isinstance(
        hooks, Mapping
    ) else []  # fmt: skip
    ours = next((one for one in listed if _is_ours(one)), None)
    if ours is None:
        return HookInstallation(file)
    command = re.search(rf"{re.escape(_MARK)}\S*\s+\S+\s+(ask|deny)\s", json.dumps(ours, default=str))
    return HookInstallation(file, installed=True, absent=command[1] if command else "ask")
