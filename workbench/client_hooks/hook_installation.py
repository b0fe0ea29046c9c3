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
from workbench.paths import Paths, home_folder, paths_of
from workbench.records import Fault, HookInstallation

TIMEOUT_SECONDS: Final = 600  # the client's own limit for one hook; setting hooks.wait_seconds is usually shorter
MARGIN_SECONDS: Final = 10  # the hook program gives up this long before the client does
_BEGIN, _END = "# MCP Workbench hooks: begin", "# MCP Workbench hooks: end"
_BLOCK = re.compile(rf"\n{{0,2}}{re.escape(_BEGIN)}\n.*?{re.escape(_END)}\n?", re.DOTALL)
_MARK = "hook_program.py"
_TOOLS = "Bash|PowerShell|Monitor|Edit|MultiEdit|Write|NotebookEdit|Read|Grep|Glob|WebFetch|mcp__.*"
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
        entries = {} if remove else _entries(place.client.id, hook_command(paths, place.client.id, absent), absent)
        made.entries = dict(entries)
        made.after = _changed(place, made.before, document, entries)
    except (WorkbenchError, RecursionError) as fault:
        words = fault.message if isinstance(fault, WorkbenchError) else "It is nested too deeply."
        words = words if str(place.file) in words else f"{place.file}: {words}"
        made.blocked = Fault(words, "Change the hooks in it by hand.")
        made.after = made.before
    if not remove:
        made.notes += _project_notes(place, paths)
    if place.project and not remove:
        made.notes.append(_SHARED)
    if place.client.id == "codex" and not remove:
        made.notes.append("Codex runs new hooks only after you have confirmed them: run /hooks in Codex.")
    return made


def hook_command(paths: Paths, client: str, absent: str) -> str:
    """Return the command line that the client runs, with full paths, so that it needs nothing on the PATH."""
    seconds = TIMEOUT_SECONDS - MARGIN_SECONDS
    words = [sys.executable, "-I", "-S", hook_program.__file__, client, absent, str(seconds), str(paths.hook_socket)]
    return shlex.join([*words, str(paths.project)])


def _entries(client: str, command: str, absent: str) -> dict[str, Any]:  # Any: JSON of a client
    events = _EVENTS[client]
    hook: dict[str, Any] = {"command": command, "timeout": TIMEOUT_SECONDS}
    if client != "cursor":
        hook = {"type": "command", **hook}
    elif absent == "deny":
        hook["failClosed"] = True  # Cursor also refuses a call whose hook cannot be started
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
        ours = [one for one in listed if _is_ours(one)]
        if ours == ([entries[event]] if event in entries else []):
            continue
        text = _without_ours(text, event, listed)
        if event in entries:
            listed.append(entries[event])
            text = jsonc_editor.append_item(text, ("hooks", event), entries[event])
        hooks[event] = listed
        if not listed:
            del hooks[event]
            text = jsonc_editor.remove_member(text, ("hooks", event))
    if hooks:
        wanted["hooks"] = hooks
    elif document.get("hooks"):
        del wanted["hooks"]
        text = jsonc_editor.remove_member(text, ("hooks",))
    if place.client.id == "cursor" and entries and "version" not in wanted:
        wanted["version"] = 1
        text = jsonc_editor.set_member(text, ("version",), 1)
    _check(place, text, wanted)
    left = "" if entries else re.sub(r"\s", "", text)
    return "" if left in ("{}", '{"version":1}') else mark + text  # nothing but our hooks was in it


def _without_ours(text: str, event: str, listed: list[Any]) -> str:  # Any: JSON of a client
    """Remove our hooks from the list of an event and from its text; hooks of others in the same entry stay."""
    for number in reversed(range(len(listed))):
        entry = listed[number]
        if not _is_ours(entry):
            continue
        inner = entry.get("hooks")
        path = ("hooks", event, str(number))
        if isinstance(inner, list) and not all(map(_is_ours, inner)):
            for place in reversed(range(len(inner))):
                if _is_ours(inner[place]):
                    del inner[place]
                    text = jsonc_editor.remove_member(text, (*path, "hooks", str(place)))
        else:
            del listed[number]
            text = jsonc_editor.remove_member(text, path)
    return text


def _changed_toml(text: str, entries: Mapping[str, Any]) -> str:
    """Add or remove our block at the end of a TOML file."""
    before, block, after = _split_block(text)
    bare = f"{before}\n{after}" if before and after and not before.endswith("\n") else before + after
    if not all(map(_is_ours, _hooks_in(block))):
        raise WorkbenchError("The marks around the workbench's hooks in this file contain other hooks too.")
    plain = parser(ClientApp("codex", "Codex", toml=True))(bare, "config.toml")
    hooks = plain.get("hooks", {})
    if not isinstance(hooks, dict):
        raise WorkbenchError('"hooks" in this file is not a table.')
    if any(map(_is_ours, _hooks_in(bare))):
        raise WorkbenchError("The marks around the workbench's hooks in this file are gone.")
    if not entries:
        return bare
    from workbench.client_configs import codex_toml

    listed = {event: [entry] for event, entry in entries.items()}
    new_block = f"{_BEGIN}\n{codex_toml.tables_text(('hooks',), listed)}\n{_END}\n"
    made = f"{bare}\n\n{new_block}" if bare else new_block
    wanted = json.loads(json.dumps(plain, default=str))
    for event, new in listed.items():
        others = wanted.setdefault("hooks", {}).setdefault(event, [])
        if not isinstance(others, list):
            raise WorkbenchError(f'"{event}" in this file is not a list.')
        others.extend(new)
    parsed = parser(ClientApp("codex", "Codex", toml=True))(made, "config.toml")
    if json.loads(json.dumps(parsed, default=str)) != wanted:
        raise WorkbenchError("The file is formatted in a way that cannot be edited safely.")
    return made


def _split_block(text: str) -> tuple[str, str, str]:
    """Return the text before our block, the block, and the text after it."""
    found = _BLOCK.search(text)
    return (text[: found.start()], found.group(), text[found.end() :]) if found is not None else (text, "", "")


def _hooks_in(text: str) -> list[object]:
    """Every entry of a hook in a TOML text."""
    hooks = parser(ClientApp("codex", "Codex", toml=True))(text, "config.toml").get("hooks", {})
    listed = hooks.values() if isinstance(hooks, dict) else ()
    return [one for entries in listed if isinstance(entries, list) for one in entries]


def _check(place: ConfigFile, text: str, wanted: Mapping[str, Any]) -> None:
    if parser(place.client)(text, place.file.name) != wanted:
        raise WorkbenchError("The file is formatted in a way that cannot be edited safely.")


def _is_ours(entry: object) -> bool:
    """Whether an entry starts our hook program."""
    return bool(_our_commands(entry))


def _our_commands(entry: object) -> list[list[str]]:
    """The arguments with which an entry starts our hook program: client, answer without a core, seconds, socket,
    project."""
    if not isinstance(entry, Mapping):
        return []
    inner = entry.get("hooks")
    entries = [entry, *(inner if isinstance(inner, list) else [])]
    found: list[list[str]] = []
    for one in entries:
        command = one.get("command") if isinstance(one, Mapping) else None
        if isinstance(command, str) and _MARK in command:
            try:
                words = shlex.split(command)
            except ValueError:
                words = command.split()
            at = next((number for number, word in enumerate(words) if word.endswith(_MARK)), len(words))
            found.append(words[at + 1 :])
    return found


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
    ours = next((words for one in listed for words in _our_commands(one)), None)
    if ours is None:
        return HookInstallation(file)
    absent, project = (*ours[1:2], "ask")[0], (*ours[4:5], "")[0]
    return HookInstallation(file, True, absent if absent in ("ask", "deny") else "ask", project=project)


def _project_notes(place: ConfigFile, paths: Paths) -> list[str]:
    """Say which project answers the hooks."""
    own = " (your own project; --project chooses another one)" if paths.project == paths_of().project else ""
    former = _state(place).project
    notes = [f"The hooks ask the workbench's project {paths.project}{own}, whichever folder the client works in."]
    if former not in ("", str(paths.project)):
        notes.append(f"Until now they asked the project {former}.")
    return notes
