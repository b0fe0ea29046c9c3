"""What a person asks of the list of servers: changes of its entries and of their order."""

from __future__ import annotations

from typing import Protocol

from workbench.records import KnownServer, ServerConfig, ServerState


class RegistryQuestions(Protocol):
    """Entries of `.mcp.json`."""

    async def edit_server(self, server: str, config: ServerConfig, keep_secrets: bool) -> ServerState:
        """Write another entry, and another name, in a server's place; a changed command asks again before it starts.
        Without a server it is a new one. With `keep_secrets`, values that look like secrets are stored apart."""

    async def known_servers(self) -> tuple[KnownServer, ...]:
        """Entries of well-known makers' servers, ready to be added."""

    async def duplicate_server(self, server: str) -> ServerState:
        """The same entry under a free name, behind the first."""

    async def switch_server(self, server: str, disabled: bool) -> ServerState: ...

    async def move_server(self, server: str, before: str) -> None:
        """Put it before another one; an empty name: last."""

    async def restore_server(self, server: str) -> ServerState:
        """Put a removed server back as it was."""
