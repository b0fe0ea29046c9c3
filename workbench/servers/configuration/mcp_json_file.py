"""Reads and writes the project's `.mcp.json` and its entries. One invalid entry does not affect the others.

Other programs own the file too: unknown keys, order and indentation are kept, and a file that cannot be read is never
overwritten.
"""

from __future__ import annotations

import functools
import json
import math
import re
from collections.abc import Callable, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from msgspec import Struct

from workbench.errors import WorkbenchError
from workbench.files import read_plain, write_file
from workbench.paths import resources
from workbench.records import Fault, KnownServer, ServerConfig
from workbench.servers.configuration.launch_command import DEMO, demo_config

_NAME = re.compile(r"[^\x00-\x1f\x7f]{1,100}")
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}")
# Spellings of the transports in other clients; an entry that we write again keeps its spelling.
_TRANSPORTS = {
    "": "",
    "stdio": "stdio",
    "http": "http",
    "streamable-http": "http",
    "streamableHttp": "http",
    "streamable_http": "http",
    "sse": "sse",
}
# A timeout of at least this value is in milliseconds, as Claude Code writes it; a smaller one is in seconds.
_MILLISECONDS = 1_000
_LONGEST = 86_400  # seconds


def parse_entry(name: str, entry: object, file: str = ".mcp.json") -> ServerConfig:
    """Parse an entry. Raises WorkbenchError that names the entry and what is wrong in it."""
    where = f"The server {name!r:.120} in {file}"
    if not _NAME.fullmatch(name) or name != name.strip():
        raise WorkbenchError(f"{where} has an invalid name.", "Use 1 to 100 visible characters.")
    if not isinstance(entry, Mapping):
        raise WorkbenchError(f"{where} is not an object.", 'Write { "command": "…", "args": [] }.')
    return ServerConfig(
        name,
        _text(entry, "command", where),
        url=_text(entry, "url", where),
        transport=_transport(entry, where),
        args=_texts(entry, "args", where, 'Write "args": ["--one", "two"].'),
        env=_env(entry, where),
        cwd=_text(entry, "cwd", where),
        disabled=_disabled(entry, where),
        headers=_headers(entry, where),
        category=_text(entry, "category", where).strip()[:100],
        oauth=_oauth(entry, where),
        roots=_texts(entry, "roots", where, 'Write "roots": ["src", "/another/folder"].'),
        timeout_seconds=_timeout(entry, where),
        description=_text(entry, "description", where)[:2_000],
    )


def entry_as_json(config: ServerConfig, before: Mapping[str, Any]) -> dict[str, Any]:
    """Convert a config to the JSON of its entry. Existing keys keep their order, our fields replace their values, empty
    fields are left out."""
    ours: dict[str, Any] = {  # Any: JSON
        "type": config.transport,
        "command": config.command,
        "args": list(config.args),
        "env": dict(config.env),
        "cwd": config.cwd,
        "url": config.url,
        "headers": dict(config.headers),
        "oauth": dict(config.oauth),
        "roots": list(config.roots),
        "timeout": config.timeout_seconds * _MILLISECONDS,
        "category": config.category,
        "description": config.description,
        "disabled": config.disabled,
    }
    ours |= {key: before[key] for key in ("type", "timeout") if key in before and _means(key, before[key], config)}
    kept = {key: ours.get(key, value) for key, value in before.items()}
    return {key: value for key, value in (kept | ours).items() if value or _kept_empty(key, ours, before)}


def _kept_empty(key: str, ours: Mapping[str, Any], before: Mapping[str, Any]) -> bool:
    return key not in ours or (key in before and key not in ("type", "timeout"))


def _means(key: str, value: object, config: ServerConfig) -> bool:
    """Whether the value in the file is another spelling of what we would write."""
    try:
        if key == "type":
            return isinstance(value, str) and _TRANSPORTS.get(value) == config.transport
        return _timeout({key: value}, "") == config.timeout_seconds
    except WorkbenchError:
        return False


def _transport(entry: Mapping[str, Any], where: str) -> str:
    """Return the transport of an entry that has a command or a URL."""
    command, url = _text(entry, "command", where).strip(), _text(entry, "url", where).strip()
    spelled = _text(entry, "type", where)
    transport = _TRANSPORTS.get(spelled)
    if transport is None:
        raise WorkbenchError(f"{where}: the type {spelled!r:.40} is not known.", "Use stdio, http or sse.")
    if not command and not url:
        raise WorkbenchError(
            f"{where} has no command and no url.", "Add its url, or the command that starts it, for example npx."
        )
    if (transport == "stdio" and not command) or (transport in ("http", "sse") and not url):
        needed = "command" if transport == "stdio" else "url"
        raise WorkbenchError(f"{where} has the type {spelled} but no {needed}.", f"Add its {needed}.")
    return transport


def _text(entry: Mapping[str, Any], key: str, where: str) -> str:
    value = entry.get(key) or ""
    if not isinstance(value, str) or "\0" in value:
        raise WorkbenchError(f"{where}: {key} is not a string.", f'Write "{key}": "…".')
    return value


def _texts(entry: Mapping[str, Any], key: str, where: str, hint: str) -> tuple[str, ...]:
    texts = entry.get(key) or []
    if not isinstance(texts, list) or not all(isinstance(text, str) and "\0" not in text for text in texts):
        raise WorkbenchError(f"{where}: {key} is not a list of strings.", hint)
    return tuple(texts)


def _env(entry: Mapping[str, Any], where: str) -> dict[str, str]:
    env = entry.get("env") or {}
    usable = isinstance(env, Mapping) and all(isinstance(value, (str, int, float)) for value in env.values())
    if not usable or any(not name or "=" in name or "\0" in f"{name}{value}" for name, value in env.items()):
        raise WorkbenchError(f"{where}: env is not an object of strings.", 'Write "env": { "NAME": "value" }.')
    return {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in env.items()}


def _headers(entry: Mapping[str, Any], where: str) -> dict[str, str]:
    headers = entry.get("headers") or {}
    if not isinstance(headers, Mapping) or not all(isinstance(value, str) for value in headers.values()):
        raise WorkbenchError(
            f"{where}: headers is not an object of strings.", 'Write "headers": { "X-Name": "value" }.'
        )
    for name, value in headers.items():
        if not _HEADER.fullmatch(name) or any(mark in value for mark in "\0\r\n"):
            raise WorkbenchError(
                f"{where}: the header {name!r:.60} cannot be sent.", "Use a valid name and a value of one line."
            )
    return dict(headers)


def _oauth(entry: Mapping[str, Any], where: str) -> dict[str, Any]:  # Any: JSON, parsed by the sign-in
    oauth = entry.get("oauth") or {}
    if not isinstance(oauth, Mapping):
        raise WorkbenchError(f"{where}: oauth is not an object.", 'Write "oauth": { "clientId": "…" }.')
    return dict(oauth)


def _disabled(entry: Mapping[str, Any], where: str) -> bool:
    disabled = entry.get("disabled", False)
    if not isinstance(disabled, bool):
        raise WorkbenchError(f"{where}: disabled is not true or false.")
    return disabled


def _timeout(entry: Mapping[str, Any], where: str) -> int:
    value = entry.get("timeout") or 0
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= _LONGEST * _MILLISECONDS:
        raise WorkbenchError(f"{where}: timeout is not a valid number.", "Write seconds below 1000, or milliseconds.")
    return min(_LONGEST, math.ceil(value / _MILLISECONDS if value >= _MILLISECONDS else value))


FILE = "known_servers.json"


@functools.cache
def known_servers() -> tuple[KnownServer, ...]:
    """Return the known servers in the order of the file. None is started or added before the user adds it."""
    listed = json.loads((resources() / FILE).read_text(encoding="utf-8"))["servers"]
    return tuple(
        KnownServer(
            title=one["title"],
            config=parse_entry(one["name"], one["entry"], FILE),
            maker=one["maker"],
            page=one["page"],
            licence=one["licence"],
            needs=one["needs"],
        )
        for one in listed
    )


SERVERS = "mcpServers"
MOST_SERVERS = 1_000  # entries that are used; every change searches all of them


class McpJsonContents(Struct, frozen=True):
    """The entries of the file, and notices about what could not be used."""

    configs: tuple[ServerConfig, ...]
    notices: tuple[Fault, ...] = ()
    unreadable: bool = False  # the complete file is invalid


class McpJsonFile:
    """The `.mcp.json` file of one project."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._dropped: dict[str, tuple[Any, str]] = {}  # name → removed entry (JSON) and the name of the next entry

    def exists(self) -> bool:
        return self._file.exists()

    def read(self) -> McpJsonContents:
        """Read all usable entries. The built-in demo server comes first unless the file has an entry of that name."""
        try:
            listed = _entries(self._load())
        except WorkbenchError as fault:
            return McpJsonContents((demo_config(),), (Fault(fault.message, fault.hint),), unreadable=True)
        configs, notices = [], []
        if len(listed) > MOST_SERVERS:
            words = f"{self._file.name} lists {len(listed):,} servers; only the first {MOST_SERVERS:,} are used."
            notices.append(Fault(words, "Remove those that you do not need."))
        for name, entry in islice(listed.items(), MOST_SERVERS):
            try:
                configs.append(parse_entry(name, entry))
            except WorkbenchError as fault:
                notices.append(Fault(fault.message, fault.hint))
        builtin = () if DEMO in listed else (demo_config(),)
        return McpJsonContents((*builtin, *configs), tuple(notices))

    def put_entry(self, config: ServerConfig) -> None:
        """Write one entry, replacing one of the same name; unknown keys are kept."""
        document = self._load()
        document.setdefault(SERVERS, {})
        listed = _entries(document)
        before = listed.get(config.name)
        entry = entry_as_json(config, before if isinstance(before, Mapping) else {})
        parse_entry(config.name, entry)  # an entry that could not be read again is not written
        listed[config.name] = entry
        self._save(document)

    def remove_entry(self, name: str) -> None:
        """Remove one entry and remember it for `restore`. Does nothing when the entry does not exist."""
        document = self._load()
        listed = _entries(document)
        if name not in listed:
            return
        names = list(listed)
        after = names[names.index(name) + 1 :]
        self._dropped[name] = (listed.pop(name), after[0] if after else "")
        self._save(document)

    def restore(self, name: str) -> None:
        """Put a removed entry back at its former position, unknown keys included."""
        if name not in self._dropped:
            raise WorkbenchError(f"{name} can no longer be restored.", "Add it again.")
        entry, before = self._dropped[name]
        self._rearrange(lambda listed: _placed({**listed, name: entry}, name, before))
        del self._dropped[name]

    def rename(self, name: str, new: str) -> None:
        """Rename an entry; its position stays the same."""
        self._rearrange(lambda listed: {new if key == name else key: entry for key, entry in listed.items()}, new)

    def duplicate(self, name: str, new: str) -> None:
        """Insert a copy of an entry after it."""
        self._rearrange(lambda listed: _doubled(listed, name, new), new)

    def move(self, name: str, before: str) -> None:
        """Move an entry before another one, or to the end."""
        self._rearrange(lambda listed: _placed(listed, name, before))

    def _rearrange(self, change: Callable[[dict[str, Any]], dict[str, Any]], new: str = "") -> None:
        document = self._load()
        listed = _entries(document)
        if new and new in listed:
            raise WorkbenchError(f"The project already has a server {new}.", "Choose another name.")
        changed = change(listed)
        if new:
            parse_entry(new, changed.get(new))  # an entry that could not be read again is not written
        document[SERVERS] = changed
        self._save(document)

    def _load(self) -> dict[str, Any]:  # Any: the file's own JSON, unknown keys included
        try:
            text = read_plain(self._file, "utf-8-sig")
        except FileNotFoundError:
            return {}
        except UnicodeDecodeError as fault:
            raise WorkbenchError(
                f"{self._file.name} is not UTF-8 at byte {fault.start}.", "Save it as UTF-8."
            ) from fault
        except OSError as fault:
            raise WorkbenchError(f"{self._file.name} cannot be read: {fault.strerror}.") from fault
        return _parse(text, self._file.name) if text.strip() else {}

    def _save(self, document: Mapping[str, Any]) -> None:
        target = self._file.resolve()  # writes the target of a symbolic link, so the link remains
        text = json.dumps(document, ensure_ascii=False, indent=_indent(target)) + "\n"
        hint = "Check that the project's folder is writable."
        write_file(target, text, mode=0o644, keep_mode=True, name=self._file.name, hint=hint)


def _placed(listed: dict[str, Any], name: str, before: str) -> dict[str, Any]:
    rest = {key: entry for key, entry in listed.items() if key != name}
    if name not in listed or before not in rest:
        return {**rest, **({name: listed[name]} if name in listed else {})}
    return {key: listed[key] for other in rest for key in ((name, other) if other == before else (other,))}


def _doubled(listed: dict[str, Any], name: str, new: str) -> dict[str, Any]:
    return {key: entry for other, entry in listed.items() for key in ((other, new) if other == name else (other,))}


def _parse(text: str, name: str) -> dict[str, Any]:
    try:
        document = json.loads(text)
    except json.JSONDecodeError as fault:
        place = f"line {fault.lineno}, column {fault.colno}"
        raise WorkbenchError(f"{name} cannot be read: {place}: {fault.msg}.", _explain(text, fault)) from fault
    except RecursionError as fault:
        raise WorkbenchError(f"{name} cannot be read: it is nested too deeply.") from fault
    except ValueError as fault:
        raise WorkbenchError(f"{name} cannot be read: a number in it has too many digits.") from fault
    if not isinstance(document, dict):
        raise WorkbenchError(f"{name} does not contain a JSON object.", f'It should look like {{"{SERVERS}": {{}}}}.')
    return document


def _explain(text: str, fault: json.JSONDecodeError) -> str:
    """Explain common JSON mistakes in plain words."""
    before, after = text[: fault.pos].rstrip(), text[fault.pos :].lstrip()
    if after.startswith(("//", "/*", "#")) or before.endswith(("//", "/*")):
        return "Remove the comment: JSON does not allow comments."
    if after[:1] == "," or (before.endswith(",") and after[:1] in ("}", "]")):
        return "Remove the comma before the closing bracket."
    if after.startswith("'"):
        return "Use double quotes: \"name\", not 'name'."
    if not after:
        return "The file ends too early: a bracket or a quote is missing."
    if fault.msg.startswith("Expecting ',' delimiter"):
        return "Add a comma before this position."
    return "Correct the file, then press F5 to read it again. The workbench did not change it."


def _entries(document: Mapping[str, Any]) -> dict[str, Any]:
    listed = document.get(SERVERS, {})
    if not isinstance(listed, dict):
        raise WorkbenchError(
            f'"{SERVERS}" in .mcp.json is not an object.', f'Write "{SERVERS}": {{ "name": {{ … }} }}.'
        )
    return listed


def _indent(file: Path) -> int | str:
    try:
        found = re.search(r"^([ \t]+)\S", file.read_text(encoding="utf-8-sig"), re.MULTILINE)
    except FileNotFoundError:
        return 2
    return found[1] if found else 2
