"""Answers what a person decides about the folders servers are told of."""

from __future__ import annotations

from workbench.api.marker import api
from workbench.desk.seat import Seat
from workbench.records import ServerState


class RootsDesk(Seat):
    """Roots."""

    @api(decides=True)
    async def set_roots(self, server: str, roots: tuple[str, ...]) -> ServerState:
        """Tell a server of these folders from now on; written into `.mcp.json`."""
        before = self._entry(server)
        state = await self._catalog.set_roots(server, roots)
        self._carry_trust(server, before)
        told = ", ".join(roots) or "no folder"
        self._note("server.roots", f"You told {server} of {told}", server=server)
        return state
