"""Errors of a connection: blocked by a rule or guard, or not reachable."""

from __future__ import annotations

from workbench.errors import WorkbenchError


class Blocked(WorkbenchError):
    """A rule or guard refused the connection; `address` is where it would have led, if known."""

    def __init__(self, message: str, hint: str = "", address: str = "") -> None:
        super().__init__(message, hint)
        self.address = address


class Unreachable(WorkbenchError):
    """The connection is allowed and failed; `kind`: unknown, timeout or failed."""

    def __init__(self, message: str, kind: str = "failed") -> None:
        super().__init__(message)
        self.kind = kind
