"""Converts one entry of `.mcp.json` to a `ServerConfig` and back. The keys are those of other MCP clients."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from workbench.errors import WorkbenchError
from workbench.records import ServerConfig

_NAME = re.compile(r"[^\x00-\x1f\x7f]{1,100}")
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}")
# How clients spell the transports; an entry that we write again keeps its spelling.
_TRANSPORTS = {
    "": "",
    "stdio": "stdio",
    "http": "http",
    "streamable-http": "http",
    "streamableHttp": "http",
    "streamable_http": "http",
    "sse": "sse",
}
# A timeout from here on is in milliseconds, as Claude Code writes it; a smaller one in seconds.
_MILLISECONDS = 1_000
_LONGEST = 86_400  # seconds


def read(name: str, entry: object, file: str = ".mcp.json") -> ServerConfig:
    """The record of an entry; raises WorkbenchError that names the entry and what is wrong in it."""
    where = f"The server {name!r:.120} in {file}"
    if not _NAME.fullmatch(name) or name != name.strip():
        raise WorkbenchError(f"{where} has an unusable name.", "Use 1 to 100 visible characters.")
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


def write(config: ServerConfig, before: Mapping[str, Any]) -> dict[str, Any]:
    """The entry as JSON: what stood there in its order, our fields over it, empty ones left out."""
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
    """Whether what the file says is another spelling of what we would write."""
    try:
        if key == "type":
            return isinstance(value, str) and _TRANSPORTS.get(value) == config.transport
        return _timeout({key: value}, "") == config.timeout_seconds
    except WorkbenchError:
        return False


def _transport(entry: Mapping[str, Any], where: str) -> str:
    """The way to speak to it, and that there is somebody to speak to."""
    command, url = _text(entry, "command", where).strip(), _text(entry, "url", where).strip()
    spelled = _text(entry, "type", where)
    transport = _TRANSPORTS.get(spelled)
    if transport is None:
        raise WorkbenchError(f"{where}: the type {spelled!r:.40} is not known.", "Use stdio, http or sse.")
    if not command and not url:
        raise WorkbenchError(
            f"{where} has no command and no url.", "Give its address, or the program that starts it, such as npx."
        )
    if (transport == "stdio" and not command) or (transport in ("http", "sse") and not url):
        needed = "command" if transport == "stdio" else "url"
        raise WorkbenchError(f"{where} has the type {spelled} and no {needed}.", f"Give its {needed}.")
    return transport


def _text(entry: Mapping[str, Any], key: str, where: str) -> str:
    value = entry.get(key) or ""
    if not isinstance(value, str) or "\0" in value:
        raise WorkbenchError(f"{where}: {key} is not a text.", f'Write "{key}": "…".')
    return value


def _texts(entry: Mapping[str, Any], key: str, where: str, hint: str) -> tuple[str, ...]:
    texts = entry.get(key) or []
    if not isinstance(texts, list) or not all(isinstance(text, str) and "\0" not in text for text in texts):
        raise WorkbenchError(f"{where}: {key} is not a list of texts.", hint)
    return tuple(texts)


def _env(entry: Mapping[str, Any], where: str) -> dict[str, str]:
    env = entry.get("env") or {}
    usable = isinstance(env, Mapping) and all(isinstance(value, (str, int, float)) for value in env.values())
    if not usable or any(not name or "=" in name or "\0" in f"{name}{value}" for name, value in env.items()):
        raise WorkbenchError(f"{where}: env is not an object of texts.", 'Write "env": { "NAME": "value" }.')
    return {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in env.items()}


def _headers(entry: Mapping[str, Any], where: str) -> dict[str, str]:
    headers = entry.get("headers") or {}
    if not isinstance(headers, Mapping) or not all(isinstance(value, str) for value in headers.values()):
        raise WorkbenchError(f"{where}: headers is not an object of texts.", 'Write "headers": { "X-Name": "value" }.')
    for name, value in headers.items():
        if not _HEADER.fullmatch(name) or any(mark in value for mark in "\0\r\n"):
            raise WorkbenchError(f"{where}: the header {name!r:.60} cannot be sent.", "A header is one line of text.")
    return dict(headers)


def _oauth(entry: Mapping[str, Any], where: str) -> dict[str, Any]:  # Any: JSON, read by who signs in
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
        raise WorkbenchError(f"{where}: timeout is not a usable number.", "Give seconds below 1000, or milliseconds.")
    return min(_LONGEST, math.ceil(value / _MILLISECONDS if value >= _MILLISECONDS else value))
