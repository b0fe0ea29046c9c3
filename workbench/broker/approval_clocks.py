"""The time that waiting approval requests have left. It is paused while the user reviews requests.

While a client of the user has its list of requests open, the clocks of all requests are stopped, so that reading one
does not let the others lapse. A clock can be stopped for a limited time only, so that a forgotten window does not make
an agent wait for ever.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from workbench.events import ApprovalClocksChanged, Event
from workbench.records import RequestClock

LEAST: Final = 30.0  # seconds that a request has left, at least, when its clock continues
LONGEST: Final = 3600.0  # seconds for which one clock can be stopped, if nothing else is set


class ApprovalClock:
    """The clock of one request. It calls `on_end` when the time is over, unless it was cancelled."""

    def __init__(
        self,
        seconds: float,
        on_end: Callable[[], None],
        describe: Callable[[], RequestClock | None],
        longest: Callable[[], float],
    ) -> None:
        self.describe = describe
        self.left = 0.0  # seconds that are left, while it is stopped
        self.deadline = 0.0  # when it ends; while it is stopped, when it ends at the latest
        self._on_end = on_end
        self._longest = longest
        self._stopped_at = 0.0
        self._stopped_for = 0.0  # seconds, without the current stop
        self._timer: asyncio.TimerHandle | None = None
        self._run(seconds)

    def stop(self, on_continue: Callable[[], None]) -> None:
        """Stop the clock; `on_continue` is called if it continues because the longest stop is over."""
        allowance = self._longest() - self._stopped_for
        if self._timer is None or self.left or allowance <= 0:
            return
        loop = asyncio.get_running_loop()
        self.left, self._stopped_at = max(0.01, self._timer.when() - loop.time()), loop.time()
        self._timer.cancel()

        def limit_reached() -> None:
            self.resume()
            on_continue()

        self.deadline = time.time() + allowance + self.left
        self._timer = loop.call_later(allowance, limit_reached)

    def resume(self) -> None:
        """Continue with the time that was left, and at least `LEAST` seconds."""
        if self._timer is None or not self.left:
            return
        self._stopped_for += asyncio.get_running_loop().time() - self._stopped_at
        self._timer.cancel()
        seconds, self.left = max(self.left, LEAST), 0.0
        self._run(seconds)

    def extend(self, seconds: float) -> None:
        """Leave at least this many seconds."""
        if self._timer is None:
            return
        if self.left:
            self.deadline += max(0.0, seconds - self.left)
            self.left = max(self.left, seconds)
        elif self._timer.when() - asyncio.get_running_loop().time() < seconds:
            self._timer.cancel()
            self._run(seconds)

    def cancel(self) -> float:
        """End the clock without a call; returns the seconds that were left."""
        if self._timer is None:
            return 0.0
        seconds = self.left or max(0.0, self._timer.when() - asyncio.get_running_loop().time())
        self._timer.cancel()
        self._timer = None
        return seconds

    def _run(self, seconds: float) -> None:
        self.deadline = time.time() + seconds
        self._timer = asyncio.get_running_loop().call_later(seconds, self._end)

    def _end(self) -> None:
        self._timer = None
        self._on_end()


class ApprovalClocks:
    """The clocks of all waiting requests of a core, and how many clients are reviewing them."""

    def __init__(self, tell: Callable[[Event], None], longest: Callable[[], float] = lambda: LONGEST) -> None:
        """`longest`: for how many seconds one clock can be stopped."""
        self._tell = tell
        self._longest = longest
        self._clocks: set[ApprovalClock] = set()
        self._reviewers = 0

    @property
    def reviewed(self) -> bool:
        """Whether a client of the user has its requests open."""
        return self._reviewers > 0

    @contextmanager
    def reviewing(self) -> Iterator[None]:
        """Stop the clocks while this context is open."""
        self._reviewers += 1
        if self._reviewers == 1:
            for clock in self._clocks:
                clock.stop(self._tell_all)
            self._tell_all()
        try:
            yield
        finally:
            self._reviewers -= 1
            if not self._reviewers:
                for clock in self._clocks:
                    clock.resume()
                self._tell_all()

    def start(
        self, seconds: float, on_end: Callable[[], None], describe: Callable[[], RequestClock | None]
    ) -> ApprovalClock:
        """Start the clock of a request; it is stopped at once while the user is reviewing. `describe` brings the
        record of the request up to date and returns its clock; several clocks may belong to one request."""

        def end() -> None:
            self._clocks.discard(clock)
            on_end()

        clock = ApprovalClock(seconds, end, describe, self._longest)
        self._clocks.add(clock)
        if self._reviewers and seconds > 0:
            clock.stop(self._tell_all)
        return clock

    def cancel(self, clock: ApprovalClock) -> float:
        """End a clock, because its request was answered or withdrawn; returns the seconds that were left."""
        self._clocks.discard(clock)
        return clock.cancel()

    def _tell_all(self) -> None:
        """Notify clients of the clocks, once for each request."""
        found = {one.request_id: one for clock in self._clocks if (one := clock.describe()) is not None}
        if found:
            self._tell(ApprovalClocksChanged(tuple(found.values())))
