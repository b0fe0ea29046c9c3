"""Converts one entry of a client's file to a `ServerConfig` and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from workbench.client_configs import codex_toml
from workbench.client_configs.client_table import CLAUDE_CODE, GEMINI, ClientApp
from workbench.client_configs.variable_syntax import braced, to_ours, to_theirs
from workbench.errors import WorkbenchError
from workbench.records import JsonObject, ServerConfig
from workbench.servers.configuration import mcp_json_file

_NAMES = {"cmd": "command", "envs": "env", "serverUrl": "url", "uri": "url", "httpUrl": "url", "transport": "type"}
_NOT_SERVERS = ("builtin", "platform", "frontend", "inline_python")  # internal parts of goose
_UNREAD = {
    "envFile": "Its envFile is not imported: set the variables in the environment or in the entry.",
    "env_keys": "goose stores these values itself: {}. Store them here as secrets.",
    "sandbox": "Its sandbox settings are not imported: they apply only in that app.",
}


def listed(document: Mapping[str, Any], path: tuple[str, ...]) -> Mapping[str, Any]:  # Any: the file's own JSON
    """Return the mapping at a path of the document, or an empty one. Raises WorkbenchError for a wrong type."""
    found: Any = document
    for key in path:
        found = found.get(key) or {}
        if not isinstance(found, Mapping):
            raise WorkbenchError(f'"{key}" is not an object.', "Correct the file in that app.")
    return {str(name): entry for name, entry in found.items()}


def read(client: ClientApp, name: str, entry: object, project: str, file: str) -> tuple[ServerConfig, tuple[str, ...]]:
    """Convert an entry. Returns the record and a note for each setting that cannot be imported. Raises WorkbenchError
    for an entry that is not a server."""
    if not isinstance(entry, Mapping):
        raise WorkbenchError(f"The server {name!r:.120} in {file} is not an object.")
    given = codex_toml.read(entry) if client.toml else entry
    known = {_NAMES.get(str(key), str(key)): value for key, value in given.items()}
    if client is GEMINI:
        known = _gemini(entry, known)
    if "enabled" in known and "disabled" not in known:
        known["disabled"] = known["enabled"] is False
    timeout = known.pop("timeout", 0)
    if isinstance(timeout, int) and not isinstance(timeout, bool) and _times(client):
        known["timeout"] = timeout * 1000 if client.seconds and timeout >= 1000 else timeout  # in seconds
    for key in ("category", "roots", "oauth") if client.yaml else ("category", "roots"):
        known.pop(key, None)  # these keys have another meaning in `.mcp.json`
    notes = tuple(_note(key, entry[key]) for key in _UNREAD if entry.get(key))
    config = mcp_json_file.parse_entry(name.strip(), _filled(known, name.strip(), project), file)
    _check_letters(config, file)
    return config, notes


def _times(client: ClientApp) -> bool:
    return client.seconds or client.milliseconds or client.toml or client is CLAUDE_CODE


def _gemini(entry: Mapping[str, Any], known: dict[str, Any]) -> dict[str, Any]:  # Any: JSON
    """Convert a Gemini CLI entry. Its URL key's name determines the transport; its variables have no braces."""
    if "type" not in known and "url" in known:
        known["type"] = "http" if entry.get("httpUrl") else "sse"
    return {key: braced(value) if key not in ("type", "timeout") else value for key, value in known.items()}


def is_server(entry: object) -> bool:
    """Whether an entry is a server. goose lists internal parts of itself among its extensions."""
    return not (isinstance(entry, Mapping) and entry.get("type") in _NOT_SERVERS)


def write(config: ServerConfig, client: ClientApp, before: JsonObject, tell: Callable[[str], None]) -> dict[str, Any]:
    """Convert a server to this client's entry. Unknown keys of the former entry `before` are kept. Any: JSON."""
    if config.remote and not client.address:
        raise WorkbenchError(
            f"{client.title} does not read remote servers from its file, and {config.name} is remote.",
            "Add it in that app under Settings, Connectors.",
        )
    if client.toml:
        ours = codex_toml.write(config, lambda text: to_theirs(text, client, tell))
    else:
        ours = _goose(config, client, tell) if client.yaml else _json(config, client, tell)
    known = {
        *ours,
        *_NAMES,
        *_NAMES.values(),
        *codex_toml.KEYS,
        "args",
        "env",
        "headers",
        "cwd",
        "disabled",
        "enabled",
        "timeout",
    }
    return ours | {key: value for key, value in before.items() if key not in known}


def _json(config: ServerConfig, client: ClientApp, tell: Callable[[str], None]) -> dict[str, Any]:
    def theirs(text: str) -> str:
        return to_theirs(text, client, tell)

    entry: dict[str, Any] = {"type": client.types.get(_transport(config), "")}  # Any: JSON
    if config.remote:
        address = "url" if client is GEMINI and config.transport == "sse" else client.address
        entry |= {address: theirs(config.url), "headers": _each(config.headers, theirs)}
    else:
        entry |= {"command": theirs(config.command), "args": [theirs(arg) for arg in config.args]}
        entry |= {"env": _each(config.env, theirs)}
        if config.cwd:
            _folder(config, client, entry, theirs, tell)
    if config.disabled:
        entry |= _off(config, client, tell)
    if config.timeout_seconds and (client.seconds or client.milliseconds):
        entry["timeout"] = config.timeout_seconds * (1000 if client.milliseconds else 1)
    return {key: value for key, value in entry.items() if value or key in ("command", "args")}


def _goose(config: ServerConfig, client: ClientApp, tell: Callable[[str], None]) -> dict[str, Any]:
    def theirs(text: str) -> str:
        return to_theirs(text, client, tell)

    entry: dict[str, Any] = {
        "enabled": not config.disabled,
        "type": client.types[_transport(config)],
        "name": config.name,
    }
    if config.remote:
        entry |= {"uri": theirs(config.url), "headers": _each(config.headers, theirs)}
    else:
        entry |= {"cmd": theirs(config.command), "args": [theirs(arg) for arg in config.args]}
        entry |= {"envs": _each(config.env, theirs)}
    if config.cwd:
        tell(f"{client.title} does not support working folders: {config.name} starts in the folder of the app.")
    return entry | {"description": config.description, "timeout": config.timeout_seconds or 300}


def _transport(config: ServerConfig) -> str:
    return (config.transport or "http") if config.remote else "stdio"


def _folder(
    config: ServerConfig,
    client: ClientApp,
    entry: dict[str, Any],
    theirs: Callable[[str], str],
    tell: Callable[[str], None],
) -> None:
    if client.folder:
        entry["cwd"] = theirs(config.cwd)
    else:
        tell(f"{client.title} does not support working folders: {config.name} starts in the folder of the app.")


def _off(config: ServerConfig, client: ClientApp, tell: Callable[[str], None]) -> dict[str, Any]:
    if client.switch:
        return {"disabled": True}
    tell(f"{client.title} does not support disabled servers: {config.name} will be enabled there.")
    return {}


def _each(values: Mapping[str, str], theirs: Callable[[str], str]) -> dict[str, str]:
    return {name: theirs(value) for name, value in values.items()}


def _filled(entry: Mapping[str, Any], server: str, project: str) -> dict[str, Any]:  # Any: JSON
    """Convert the variables in all texts of an entry to our syntax."""

    def ours(value: Any) -> Any:  # Any: values other than text pass unchanged; the parser checks them
        return to_ours(value, server, project) if isinstance(value, str) else value

    filled = {
        key: [ours(item) for item in value] if isinstance(value, list) else ours(value) for key, value in entry.items()
    }
    for key in ("env", "headers"):
        if isinstance(table := entry.get(key), Mapping):
            filled[key] = {str(name): ours(value) for name, value in table.items()}
    return filled


def _check_letters(config: ServerConfig, file: str) -> None:
    """Reject lone surrogates. JSON can escape them, but UTF-8 cannot encode them."""
    texts = (config.name, config.command, config.cwd, config.url, config.description, *config.args)
    pairs = (*config.env.items(), *config.headers.items())
    try:
        "".join((*texts, *(text for pair in pairs for text in pair))).encode()
    except UnicodeEncodeError:
        name = config.name.encode("ascii", "replace").decode()
        raise WorkbenchError(f"The server {name!r:.120} in {file} contains invalid Unicode characters.") from None


def _note(key: str, value: object) -> str:
    names = ", ".join(str(name)[:60] for name in value[:20]) if isinstance(value, list) else str(value)[:200]
    return _UNREAD[key].format(names)
