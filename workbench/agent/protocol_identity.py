"""Names, versions and extensions that the workbench announces to an agent, and those that an agent declares."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import mcp.types as T
from mcp.server.lowlevel.server import NotificationOptions, Server
from mcp.server.models import InitializationOptions

from workbench.records import JsonObject

SKILLS: Final = "io.modelcontextprotocol/skills"
TASKS: Final = "io.modelcontextprotocol/tasks"
OLDER_EXTENSIONS: Final[dict[str, dict[str, Any]]] = {SKILLS: {}}  # for clients that begin with `initialize`
EXTENSIONS: Final[dict[str, dict[str, Any]]] = {**OLDER_EXTENSIONS, TASKS: {}}  # Any: their settings, JSON
# fields that only an answer to `initialize` has
_BEGINNING: Final = frozenset({"protocolVersion", "capabilities", "serverInfo"})
LONGEST_NAME: Final = 80  # characters
NOT_AGENTS: Final = frozenset({"you", "person", "user", "the user", "the workbench", "workbench"})


class IdentifyingServer(Server[Any]):  # Any: as the SDK leaves it
    """The SDK's server, which also announces its extensions and changes of its tool list to older clients."""

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        """Return options with the workbench's extensions. Any: settings of extensions, JSON."""
        options = notification_options or NotificationOptions(tools_changed=True)
        return super().create_initialization_options(options, experimental_capabilities or OLDER_EXTENSIONS, extensions)


def with_extensions(message: JsonObject) -> JsonObject:
    """Add the extensions to the capabilities in an answer to `initialize`; other messages are returned unchanged."""
    result = message.get("result")
    if not isinstance(result, dict) or not result.keys() >= _BEGINNING:
        return message
    capabilities = result["capabilities"]
    if not isinstance(capabilities, dict):
        return message
    return {**message, "result": {**result, "capabilities": {**capabilities, "extensions": dict(OLDER_EXTENSIONS)}}}


def claimed_identity(params: T.InitializeRequestParams) -> dict[str, str]:
    """Return what the client claims about itself, for the audit."""
    client = params.client_info
    words = {"client": shortened(client.name, LONGEST_NAME), "client_version": shortened(client.version, LONGEST_NAME)}
    name, version = _model(params.capabilities)
    return words | ({"model": name} if name else {}) | ({"model_version": version} if version else {})


def _model(capabilities: T.ClientCapabilities) -> tuple[str, str]:
    for told in (capabilities.experimental, capabilities.extensions):
        model = told.get("model") if isinstance(told, Mapping) else None
        if isinstance(model, Mapping):
            return _short_text(model.get("name")), _short_text(model.get("version"))
    return "", ""


def _short_text(value: object) -> str:
    return shortened(value, LONGEST_NAME) if isinstance(value, str) else ""


def agent_name(claimed: str) -> str:
    """Return the name that an agent gave itself, on one line, marked if it is a name that the audit and library use
    for the user."""
    name = shortened(claimed, LONGEST_NAME)
    return f'an agent named "{name}"' if name.casefold() in NOT_AGENTS else name or "an agent"


def shortened(text: str, letters: int) -> str:
    """Return the printable characters of a text on one line, at most this long."""
    plain = "".join(mark if mark.isprintable() else " " for mark in text[: 4 * letters])
    line = " ".join(plain.split())
    return line if len(line) <= letters else f"{line[: letters - 1]}…"
