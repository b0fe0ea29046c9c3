"""The base exception for errors that the user or an agent can act on: what happened, and what to do next."""

from __future__ import annotations


class WorkbenchError(Exception):
    """An error that the user or an agent can act on. Any other exception that reaches a client is a bug in the
    workbench.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()
