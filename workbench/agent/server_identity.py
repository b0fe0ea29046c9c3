"""What the workbench says of itself when an agent begins, also to one of an older version of the protocol."""

from __future__ import annotations

from typing import Any

from mcp.server.lowlevel.server import NotificationOptions, Server
from mcp.server.models import InitializationOptions

from workbench.agent.protocol_extensions import EXTENSIONS


class IdentifyingServer(Server[Any]):  # Any: as the SDK leaves it
    """The SDK's server, which tells also older clients of its extensions and that its list of tools may change."""

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        """Any: settings of extensions, JSON."""
        options = notification_options or NotificationOptions(tools_changed=True)
        return super().create_initialization_options(options, experimental_capabilities or EXTENSIONS, extensions)
