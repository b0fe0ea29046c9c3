"""What the workbench says of itself when an agent begins, in every version of the protocol.

Since 2026-07-28 capabilities have a place for extensions. Before, the list of capabilities was not a closed one, so
they stand there too: as `extensions`, where whoever knows of extensions looks, and as `experimental`, which every
client of those versions can read. The SDK drops the first from its answer, so the edge puts it in again.
"""

from __future__ import annotations

from typing import Any

from mcp.server.lowlevel.server import NotificationOptions, Server
from mcp.server.models import InitializationOptions

from workbench.records import JsonObject

_BEGINNING = frozenset({"protocolVersion", "capabilities", "serverInfo"})  # of an answer to `initialize`, and no other


class Announcing(Server[Any]):  # Any: as the SDK leaves it
    """The SDK's server, which tells also older clients of its extensions and that its list of tools may change."""

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        """Any: settings of extensions, JSON."""
        options = notification_options or NotificationOptions(tools_changed=True)
        return super().create_initialization_options(
            options, experimental_capabilities or dict(self.extensions), extensions
        )


def announced(message: JsonObject, extensions: JsonObject) -> JsonObject:
    """The message; an answer to `initialize` with the extensions among the capabilities."""
    result = message.get("result")
    if not extensions or not isinstance(result, dict) or not result.keys() >= _BEGINNING:
        return message
    capabilities = result["capabilities"]
    if not isinstance(capabilities, dict):
        return message
    return {**message, "result": {**result, "capabilities": {**capabilities, "extensions": dict(extensions)}}}
