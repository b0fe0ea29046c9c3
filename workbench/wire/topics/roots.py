"""What a person decides about the folders servers are told of."""

from __future__ import annotations

from typing import Protocol

from workbench.records import ServerState


class RootQuestions(Protocol):
    """Roots."""

    async def set_roots(self, server: str, roots: tuple[str, ...]) -> ServerState:
        """Tell a server of these folders from now on; written into `.mcp.json`."""
