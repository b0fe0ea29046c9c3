"""Counts the bytes that a run sends and receives, and enforces its limits."""

from __future__ import annotations

from collections.abc import Callable

from workbench.network.network_errors import Blocked

_MEGABYTE = 1 << 20


class Meter:
    """One run's bytes; `tell` is called once, when more was sent than usual."""

    def __init__(self, most_mb: int, unusual_mb: int, tell: Callable[[int], None]) -> None:
        self._most = most_mb * _MEGABYTE
        self._unusual = unusual_mb * _MEGABYTE
        self._tell = tell
        self._told = False
        self.sent = 0
        self.received = 0

    def out(self, size: int) -> None:
        """Bytes that leave."""
        self.sent += size
        if self.sent > self._unusual and not self._told:
            self._told = True
            self._tell(self.sent)
        self._check()

    def back(self, size: int) -> None:
        """Bytes that come."""
        self.received += size
        self._check()

    def _check(self) -> None:
        if self.sent + self.received > self._most:
            words = f"The run moved more than {self._most // _MEGABYTE} MB over the network."
            raise Blocked(words, "A person can raise network.megabytes.")
