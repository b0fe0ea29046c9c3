"""The exception for errors that the user can understand: what happened, and what to do next."""

from __future__ import annotations


class WorkbenchError(Exception):
    """Something the person or the agent can act on; anything else that is raised is our own fault."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()
