"""Timeout of a call: it starts anew when the server reports progress, and stands still while the user is asked."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from types import TracebackType


class CallTimeout:
    """An async context manager that raises TimeoutError when its time, not counting pauses, is over."""

    def __init__(self, seconds: float, others: set[CallTimeout] | None = None) -> None:
        """`others`: the set in which the clock stands while it runs."""
        self.seconds = seconds
        self._others = others if others is not None else set()
        self._timeout = asyncio.timeout(None)
        self._pauses = 0
        self._left = seconds  # while it stands still
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
        """Seconds until the timeout; while the clock stands still, those it will have afterwards."""
        until = self._timeout.when()
        return self._left if until is None else max(0.0, until - asyncio.get_running_loop().time())

    @property
    def paused(self) -> bool:
        return self._pauses > 0

    def restart(self) -> None:
        """The whole time again; a clock that stands still goes on standing."""
        self._left = self.seconds
        if not self._pauses:
            self._run(self.seconds)

    def pause(self) -> None:
        """Stand still; each pause needs its own resume."""
        self._pauses += 1
        if self._pauses == 1 and self._entered:
            self._left = self.remaining
            self._set(None)

    def resume(self) -> None:
        self._pauses -= 1
        if not self._pauses:
            self._run(self._left)

    def _run(self, seconds: float) -> None:
        self._set(asyncio.get_running_loop().time() + seconds)

    def _set(self, until: float | None) -> None:
        """Does nothing to a clock that has run out or was left."""
        if self._entered and not self._timeout.expired():
            self._timeout.reschedule(until)


class CallTimeouts:
    """The clocks of all calls that wait at one server; they stand still together."""

    def __init__(self) -> None:
        self._clocks: set[CallTimeout] = set()
        self._pauses = 0

    def running(self, seconds: float) -> CallTimeout:
        """The clock of one call, for as long as the call takes."""
        clock = CallTimeout(seconds, self._clocks)
        for _ in range(self._pauses):
            clock.pause()
        return clock

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """All of them stand, and those that start meanwhile."""
        self._pauses += 1
        for clock in tuple(self._clocks):
            clock.pause()
        try:
            yield
        finally:
            self._pauses -= 1
            for clock in tuple(self._clocks):
                clock.resume()
