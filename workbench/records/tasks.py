"""Tasks that a server keeps (protocol 2025-11-25), as a person sees them."""

from __future__ import annotations

from msgspec import Struct


class ServerTask(Struct, frozen=True):
    """One piece of work that goes on at a server, or ended there."""

    server: str
    id: str
    status: str  # working, input_required, completed, failed, cancelled
    message: str = ""  # the server's words about it
    tool: str = ""  # where it began with a call of ours since the core opened
    since: float = 0.0  # as the server says
    changed: float = 0.0

    @property
    def open(self) -> bool:
        """Whether it has not ended."""
        return self.status in ("working", "input_required")

    @property
    def has_result(self) -> bool:
        return self.status in ("completed", "failed")
