"""Timeouts of calls: a timeout restarts when the server reports progress, and pauses while the user is asked."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Iterator
from types import TracebackType


class CallTimeout:
    """Async context manager that raises TimeoutError when its time, not counting pauses, is over."""

    def __init__(self, seconds: float, others: set[CallTimeout] | None = None) -> None:
        """`others`: the set that holds this timeout while it runs."""
        self.seconds = seconds
        self._others = others if others is not None else set()
        self._timeout = asyncio.timeout(None)
        self._pauses = 0
        self._left = seconds  # seconds left while the timeout is paused
        self._paused_at = 0.0
        self._paused_for = 0.0
        self._entered = False

    async def __aenter__(self) -> CallTimeout:
        await self._timeout.__aenter__()
        self._entered = True
        self._others.add(self)
        if not self._pauses:
            self._run(self.seconds)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._entered = False
        self._others.discard(self)
        await self._timeout.__aexit__(kind, fault, trace)

    @property
    def remaining(self) -> float:
        """Seconds until the timeout; for a paused timeout, the seconds left after `resume`."""
        until = self._timeout.when()
        return self._left if until is None else max(0.0, until - asyncio.get_running_loop().time())

    @property
    def paused(self) -> bool:
        return self._pauses > 0

    @property
    def paused_seconds(self) -> float:
        """The total length of all pauses that are over: the time in which the user was asked."""
        return self._paused_for

    def restart(self) -> None:
        """Restart the timeout with its full time; a paused timeout stays paused."""
        self._left = self.seconds
        if not self._pauses:
            self._run(self.seconds)

    def pause(self) -> None:
        """Pause the timeout. Each pause needs its own `resume`."""
        self._pauses += 1
        if self._pauses == 1:
            self._paused_at = time.perf_counter()
        if self._pauses == 1 and self._entered:
            self._left = self.remaining
            self._set(None)

    def resume(self) -> None:
        self._pauses -= 1
        if not self._pauses:
            self._paused_for += time.perf_counter() - self._paused_at
            self._run(self._left)

    def _run(self, seconds: float) -> None:
        self._set(asyncio.get_running_loop().time() + seconds)

    def _set(self, until: float | None) -> None:
        """Set the deadline. Has no effect on a timeout that has expired or whose context was left."""
        if self._entered and not self._timeout.expired():
            self._timeout.reschedule(until)


class CallTimeouts:
    """The timeouts of all calls that wait for one server; they pause together."""

    def __init__(self) -> None:
        self._clocks: set[CallTimeout] = set()
        self._pauses = 0

    def running(self, seconds: float) -> CallTimeout:
        """Create the timeout of one call."""
        clock = CallTimeout(seconds, self._clocks)
        for _ in range(self._pauses):
            clock.pause()
        return clock

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Pause all timeouts, including those that start in the meantime."""
        self._pauses += 1
        for clock in tuple(self._clocks):
            clock.pause()
        try:
            yield
        finally:
            self._pauses -= 1
            for clock in tuple(self._clocks):
                clock.resume()
