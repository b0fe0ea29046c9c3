"""Back-off between restarts of a server that keeps exiting, and when to give up."""

from __future__ import annotations

from collections.abc import Callable

ATTEMPTS = 5  # restarts in a row that nobody asked for
_STEADY = 60.0  # seconds of life after which earlier deaths are forgotten
_LONGEST = 60.0  # seconds between two attempts
_FIRST = 1.0  # seconds before the first one of ours; a call may start it at once


class RestartBackoff:
    """Counts deaths. Whoever calls may try again after 0, 1, 2, 4 … seconds, we by ourselves a little later."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self.deaths = 0
        self._not_before = 0.0
        self._ready_at: float | None = None  # None: it was not ready since a person last asked for it

    def forget(self) -> None:
        """A person asks: everything begins anew."""
        self.deaths, self._not_before, self._ready_at = 0, 0.0, None

    def ready(self) -> None:
        self._ready_at = self._now()

    def died(self) -> None:
        if self._ready_at is not None and self._now() - self._ready_at > _STEADY:
            self.deaths = 0
        self.deaths += 1
        pause = 0.0 if self.deaths < 2 else min(_LONGEST, 2.0 ** (self.deaths - 2))
        self._not_before = self._now() + pause

    @property
    def wait(self) -> float:
        """Seconds until anybody may try again."""
        return max(0.0, self._not_before - self._now())

    @property
    def again(self) -> float | None:
        """Seconds until we try by ourselves; None: we do not. A server that never was ready is not tried again."""
        if self._ready_at is None or self.deaths > ATTEMPTS:
            return None
        return max(self.wait, _FIRST)

    def hint(self) -> str:
        """What happens next, for whoever reads why it died."""
        if self._ready_at is None:
            return ""
        if (seconds := self.again) is None:
            return f"It was started again {ATTEMPTS} times and is left alone now; press Connect to try once more."
        return f"It is started again in {seconds:.0f} s (attempt {self.deaths} of {ATTEMPTS}), or by the next call."
