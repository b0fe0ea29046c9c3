"""Errors of a connection: blocked by a rule or by the SSRF guard, or unreachable."""

from __future__ import annotations

from workbench.errors import WorkbenchError


class Blocked(WorkbenchError):
    """A rule or guard refused the connection. `address` is the resolved target, if known."""

    def __init__(self, message: str, hint: str = "", address: str = "") -> None:
        super().__init__(message, hint)
        self.address = address


class Unreachable(WorkbenchError):
    """The connection was allowed but failed. `kind` is unknown, timeout or failed."""

    def __init__(self, message: str, kind: str = "failed") -> None:
        super().__init__(message)
        self.kind = kind
