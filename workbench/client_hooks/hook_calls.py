"""Reads what clients send to their hooks, and writes the answers that they understand. `docs/hooks.md` has the formats.

A payload is hostile input: whatever is missing, unknown or of another type leaves the decision to the client.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, Final

from msgspec import Struct, field

from workbench.records import JsonObject

CLIENTS: Final = {"claude-code": "Claude Code", "codex": "Codex", "cursor": "Cursor", "vscode": "VS Code"}
_LONGEST = 200  # characters of a name
_MOST_PATHS = 50


class CallKind(StrEnum):
    """What a client's tool does."""

    SHELL = "shell"
    EDIT = "edit"
    READ = "read"
    FETCH = "fetch"
    MCP = "mcp"
    OTHER = "other"  # not judged


class HookDecision(StrEnum):
    """The answer to a client. NONE: the client decides as if there were no hook."""

    ALLOW = "allow"
    DENY = "deny"
    ASK = "ask"
    NONE = ""


class HookCall(Struct, frozen=True):
    """One call of a client's own tool."""

    client: str
    event: str
    kind: CallKind
    tool: str = ""
    session: str = ""
    call_id: str = ""
    cwd: str = ""
    start: str = ""  # the folder in which the client's session began, whose project it works on
    roots: tuple[str, ...] = ()
    command: str = ""
    paths: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()
    server: str = ""  # of an MCP call
    arguments: JsonObject = field(default_factory=dict)

    @property
    def title(self) -> str:
        return CLIENTS.get(self.client, self.client)


_KINDS = {
    CallKind.SHELL: "bash shell exec_command local_shell run_in_terminal runinterminal run_terminal_cmd powershell"
                    " beforeshellexecution execute_bash unified_exec shell_command monitor",
    CallKind.EDIT: "write edit multiedit notebookedit apply_patch create_file replace_string_in_file editfiles"
                   " multi_replace_string_in_file insert_edit_into_file edit_notebook_file strreplace delete"
                   " delete_file create_directory search_replace edit_file write_file afterfileedit applypatch",
    CallKind.READ: "read read_file readfile grep glob ls list_dir grep_search file_search view_image notebookread"
                   " beforereadfile beforetabfileread copilot_readfile",
    CallKind.FETCH: "webfetch fetch_webpage web_fetch fetch open_simple_browser networkaccess",
}  # fmt: skip
_KIND_OF = {name: kind for kind, names in _KINDS.items() for name in names.split()}
_PATH_KEYS = ("file_path", "filePath", "path", "notebook_path", "target_file", "relative_workspace_path", "dirPath",
              "directory", "folder")  # fmt: skip
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$|^\*\*\* Move to: (.+)$", re.MULTILINE)
_EVENT = re.compile(rb'"(?:hook_event_name|hookEventName)"\s*:\s*"([A-Za-z]{1,40})"')
# Codex asks with the command of a call whether it may also reach a host; an agent can write the same words itself
_CODEX_NETWORK = re.compile(r"network-access (\S+)")
_MCP_NAME = re.compile(r"mcp__(.+?)__(.+)|mcp_([^_]+)_(.+)|MCP:(?:([^:]+):)?(.+)", re.DOTALL)


def read_payload(client: str, payload: bytes) -> HookCall | None:
    """Return the call that a client asks about; None if the payload is not understood."""
    try:
        found = json.loads(payload)
    except (ValueError, RecursionError):
        return None
    if type(found) is not dict or client not in CLIENTS:
        return None
    event = _text(found, "hook_event_name", "hookEventName")
    tool = _text(found, "tool_name", "toolName")
    given = found.get("tool_input", found.get("toolInput"))
    if isinstance(given, str):
        given = _parsed(given)
    arguments = given if type(given) is dict else {}
    common = {
        "client": client,
        "event": event,
        "session": _text(found, "session_id", "sessionId", "conversation_id"),
        "call_id": _text(found, "tool_use_id", "toolUseId", "generation_id"),
        "roots": tuple(_texts(found.get("workspace_roots"))),
    }
    common["cwd"] = _path(found.get("cwd")) or next(iter(common["roots"]), "")
    return _as_call(found, tool, arguments, common)


def unreadable_call(client: str, payload: bytes) -> HookCall | None:
    """Return what is needed to answer a payload that was not understood. Quotes inside its texts are escaped, so no
    text in it can pass for the name of the event."""
    found = _EVENT.search(payload)
    return HookCall(client, found[1].decode(), CallKind.OTHER) if found is not None and client in CLIENTS else None


def _as_call(
    found: Mapping[str, Any], tool: str, arguments: dict[str, Any], common: dict[str, Any]
) -> HookCall:  # Any: JSON of a client
    event = common["event"]
    if event == "beforeMCPExecution":
        server = _text(found, "server_name", "url") or _text(found, "command")
        return HookCall(**common, kind=CallKind.MCP, tool=tool, server=server, arguments=arguments)
    if (match := _MCP_NAME.fullmatch(tool)) is not None:
        server = match[1] or match[3] or match[5] or ""
        name = match[2] or match[4] or match[6]
        return HookCall(**common, kind=CallKind.MCP, tool=name, server=server, arguments=arguments)
    kind = _KIND_OF.get((tool or event).lower(), CallKind.OTHER)
    if event in ("beforeShellExecution", "beforeReadFile", "beforeTabFileRead", "afterFileEdit"):
        kind = _KIND_OF[event.lower()]
        arguments = {key: found[key] for key in ("command", "file_path", "edits") if key in found}
    command = _command(arguments) if kind is CallKind.SHELL else ""
    common["cwd"] = _path(arguments.get("workdir")) or _path(arguments.get("cwd")) or common["cwd"]
    described = _text(arguments, "description")
    reached = _CODEX_NETWORK.fullmatch(described) if common["client"] == "codex" and command else None
    paths = tuple(_paths(arguments)) if kind in (CallKind.EDIT, CallKind.READ) else ()
    urls = tuple(_texts([arguments.get("url"), arguments.get("urls")])) if kind is CallKind.FETCH else ()
    urls = (reached[1],) if reached is not None else urls
    missing = (
        (kind is CallKind.SHELL and not command)
        or (kind is CallKind.EDIT and not paths)
        or (kind is CallKind.FETCH and not urls)
    )
    return HookCall(
        **common, kind=CallKind.OTHER if missing else kind, tool=tool or event, command=command, paths=paths, urls=urls,
        arguments=arguments,
    )  # fmt: skip


def write_answer(call: HookCall | None, decision: HookDecision, reason: str) -> bytes:
    """Return the answer as the hook program expects it: its exit code, what it prints, and a line end."""
    shown = _answer(call, decision, reason) if call is not None else None
    return b"0" + (json.dumps(shown).encode() if shown else b"") + b"\n"


def _answer(call: HookCall, decision: HookDecision, reason: str) -> JsonObject | None:
    reason = f"MCP Workbench: {reason}" if reason else "MCP Workbench"
    if call.client == "cursor":
        return _cursor_answer(call, decision, reason)
    if call.event == "PermissionRequest":
        if decision is HookDecision.ALLOW:
            return {"hookSpecificOutput": {"hookEventName": call.event, "decision": {"behavior": "allow"}}}
        if decision is HookDecision.DENY:
            answer = {"behavior": "deny", "message": reason}
            return {"hookSpecificOutput": {"hookEventName": call.event, "decision": answer}}
        return None
    only_denies = call.client == "codex"  # Codex reports every other answer of this event as a fault
    if (
        call.event != "PreToolUse"
        or decision is HookDecision.NONE
        or (only_denies and decision is not HookDecision.DENY)
    ):
        return None
    return {
        "hookSpecificOutput": {
            "hookEventName": call.event,
            "permissionDecision": decision.value,
            "permissionDecisionReason": reason,
        }
    }


def _cursor_answer(call: HookCall, decision: HookDecision, reason: str) -> JsonObject | None:
    if call.event == "afterFileEdit":
        return None
    only_yes_no = call.event not in ("beforeShellExecution", "beforeMCPExecution")
    if decision is HookDecision.NONE:
        return {"permission": "allow"} if call.event in ("beforeReadFile", "beforeTabFileRead") else {}
    if only_yes_no and decision is HookDecision.ASK:
        decision, reason = HookDecision.DENY, f"{reason} Cursor cannot ask about this call."
    messages = {} if decision is HookDecision.ALLOW else {"user_message": reason, "agent_message": reason}
    return {"permission": decision.value, **messages}


def _command(arguments: Mapping[str, Any]) -> str:
    given = arguments.get("command", arguments.get("cmd", arguments.get("script")))
    if isinstance(given, list) and all(isinstance(one, str) for one in given):
        return shlex.join(given)
    return given if isinstance(given, str) else ""


def _paths(arguments: Mapping[str, Any]) -> Iterable[str]:
    found = [arguments.get(key) for key in _PATH_KEYS]
    for key in ("files", "paths", "filePaths"):
        found.append(arguments.get(key))
    for key in ("edits", "replacements", "operations"):
        changes = arguments.get(key)
        found += [_text(one, *_PATH_KEYS) for one in changes if type(one) is dict] if isinstance(changes, list) else []
    for key in ("input", "patch", "command"):
        if isinstance(text := arguments.get(key), str):
            found += [one[1] or one[2] for one in _PATCHED.finditer(text)]
    return list(dict.fromkeys(_texts(found)))[:_MOST_PATHS]


def _texts(found: object) -> Iterable[str]:
    """The texts of a value: itself, or those of a list."""
    if isinstance(found, list):
        for one in found[:_MOST_PATHS]:
            yield from _texts(one)
    elif isinstance(found, str) and found and "\x00" not in found:
        yield found


def _text(found: Mapping[str, Any], *keys: str) -> str:
    for key in keys:
        if isinstance(value := found.get(key), str) and value:
            return value[:_LONGEST] if key not in _PATH_KEYS else value
    return ""


def _path(value: object) -> str:
    return value if isinstance(value, str) and value.startswith("/") and "\x00" not in value else ""


def _parsed(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
