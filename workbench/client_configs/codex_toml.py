"""Converts server entries of Codex and edits them in its TOML configuration file."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import AbstractTable, Comment, InlineTable, Item, Table, Whitespace

from workbench.errors import WorkbenchError
from workbench.files import parse_toml
from workbench.records import ServerConfig

KEYS = ("http_headers", "env_http_headers", "bearer_token_env_var", "env_vars", "tool_timeout_sec", "enabled")
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_BEARER = "Bearer "


def parse(text: str, name: str) -> dict[str, Any]:  # Any: the file's own TOML
    """Parse the text of a file. Raises WorkbenchError when it is not valid TOML."""
    try:
        return parse_toml(text)
    except (ValueError, RecursionError) as fault:
        raise WorkbenchError(f"{name} cannot be read: {fault}.", "Correct the file; it was not changed.") from fault


def read(entry: Mapping[str, Any]) -> dict[str, Any]:  # Any: TOML
    """Convert one server entry to the keys of `.mcp.json`."""
    known = {str(key): value for key, value in entry.items()}
    headers = dict(_table(known.pop("http_headers", {})))
    headers |= {name: f"${{{variable}}}" for name, variable in _table(known.pop("env_http_headers", {})).items()}
    if token := known.pop("bearer_token_env_var", ""):
        headers["Authorization"] = f"{_BEARER}${{{token}}}"
    passed = {name: f"${{{name}}}" for name in map(_passed, known.pop("env_vars", None) or ()) if name}
    if passed:
        known["env"] = {**passed, **_table(known.get("env", {}))}
    if headers:
        known["headers"] = headers
    if "url" in known and "type" not in known:
        known["type"] = "http"
    seconds = known.pop("tool_timeout_sec", 0)
    if isinstance(seconds, int | float) and not isinstance(seconds, bool) and seconds > 0:
        known["timeout"] = int(seconds * 1000)
    return known


def write(config: ServerConfig, theirs: Callable[[str], str]) -> dict[str, Any]:  # Any: TOML
    """Convert a server to a Codex entry. Codex substitutes no variables in values; it has separate keys for headers and
    environment variables that come from a variable."""
    entry: dict[str, Any] = {}
    if config.remote:
        if config.transport == "sse":
            words = f"Codex does not support HTTP with SSE, which {config.name} uses."
            raise WorkbenchError(words, "Leave it out of this export.")
        entry |= {"url": theirs(config.url)} | _headers(config.headers, theirs)
    else:
        passed = [name for name, value in config.env.items() if value == f"${{{name}}}"]
        env = {name: theirs(value) for name, value in config.env.items() if name not in passed}
        entry |= {"command": theirs(config.command), "args": [theirs(arg) for arg in config.args]}
        entry |= {"env_vars": passed, "env": env, "cwd": theirs(config.cwd)}
    if config.timeout_seconds:
        entry["tool_timeout_sec"] = config.timeout_seconds
    kept = {key: value for key, value in entry.items() if value or key in ("command", "args")}
    return kept | ({"enabled": False} if config.disabled else {})


def _headers(headers: Mapping[str, str], theirs: Callable[[str], str]) -> dict[str, Any]:  # Any: TOML
    plain, filled, token = dict[str, str](), dict[str, str](), ""
    for name, value in headers.items():
        if match := _VARIABLE.fullmatch(value):
            filled[name] = match[1]
        elif name.lower() == "authorization" and (match := _VARIABLE.fullmatch(value.removeprefix(_BEARER))):
            token = match[1]
        else:
            plain[name] = theirs(value)
    return {"bearer_token_env_var": token, "http_headers": plain, "env_http_headers": filled}


def _passed(one: object) -> str:
    """Return the name of an environment variable that Codex passes on. The entry is the name or a table with "name"."""
    found = one.get("name") if isinstance(one, Mapping) else one
    return found if isinstance(found, str) else ""


def _table(value: object) -> Mapping[str, Any]:  # Any: TOML
    return value if isinstance(value, Mapping) else {}


LARGEST = 256 << 10  # characters; tomlkit takes 10 s for a megabyte
_PASTE = "Copy the entry into it by hand."


def tables_text(path: Sequence[str], entries: Mapping[str, Any]) -> str:  # Any: TOML
    """Format entries as TOML tables."""
    nested: Mapping[str, Any] = entries
    for key in reversed(path):
        nested = {key: nested}
    return tomlkit.dumps(nested).strip()


def set_table(text: str, path: Sequence[str], value: Mapping[str, Any]) -> str:  # Any: TOML
    """Set one server in the text. Lines of unchanged keys and everything else stay as they are."""
    if len(text) > LARGEST:
        raise WorkbenchError(f"The file is larger than {LARGEST >> 10} KB.", "Copy the entry into it by hand.")
    try:
        document = tomlkit.parse(text)
        _set(document, path, value)
        return document.as_string()
    except (TOMLKitError, ValueError, RecursionError) as fault:
        raise WorkbenchError("The file is formatted in a way that cannot be edited safely.", _PASTE) from fault


def _set(document: tomlkit.TOMLDocument, path: Sequence[str], value: Mapping[str, Any]) -> None:  # Any: TOML
    servers: Any = document
    for key in path[:-1]:
        if key not in servers:
            servers[key] = tomlkit.table(is_super_table=True)
        servers = servers[key]
    server = servers.get(path[-1])
    if not isinstance(server, AbstractTable):
        servers[path[-1]] = _item(value, inline=isinstance(servers, InlineTable))
        return
    for key in [key for key in server if key not in value]:
        remarks = _remarks_after(server[key])
        del server[key]
        for remark in remarks:
            server.add(remark)
    for key, inner in value.items():
        if key not in server or tomlkit.item(server[key]).unwrap() != inner:
            server[key] = _item(inner, inline=isinstance(server, InlineTable))


def _item(value: Any, *, inline: bool) -> Item:  # Any: TOML
    if not (inline and isinstance(value, Mapping)):
        made: Item = tomlkit.item(value)
        return made
    table = tomlkit.inline_table()
    for key, inner in value.items():
        table[key] = _item(inner, inline=True)
    return table


def _remarks_after(item: object) -> list[Comment | Whitespace]:
    """Return the comments and blank lines at the end of a table. tomlkit counts them as part of the table, but they
    belong to the next header."""
    found: list[Comment | Whitespace] = []
    for key, part in reversed(item.value.body) if isinstance(item, Table) else ():
        if key is not None or not isinstance(part, Comment | Whitespace):
            break
        found.insert(0, part)
    return found
