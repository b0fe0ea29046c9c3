"""The time one call has. It stands still while a person is asked and begins anew when the call says how far it is."""

from __future__ import annotations

import asyncio
from types import TracebackType


class CallClock:
    """An async context manager; raises TimeoutError when the time is used up."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._timeout = asyncio.timeout(seconds)
        self._stops = 0
        self._over = False
        self._left = seconds

    async def __aenter__(self) -> CallClock:
        await self._timeout.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over = True
        await self._timeout.__aexit__(kind, fault, trace)

    @property
    def stands(self) -> bool:
        return self._stops > 0

    def pause(self) -> None:
        """Somebody is asked; several may be, and the time goes on when the last one is done."""
        self._stops += 1
        if self._stops == 1 and not self.over:
            when = self._timeout.when()
            self._left = max(0.0, when - _now()) if when is not None else self._seconds
            self._timeout.reschedule(None)

    def resume(self) -> None:
        self._stops -= 1
        if self._stops == 0 and not self.over:
            self._timeout.reschedule(_now() + self._left)

    def begin_anew(self) -> None:
        """A call that says how far it is does not hang."""
        self._left = self._seconds
        if not self._stops and not self.over:
            self._timeout.reschedule(_now() + self._seconds)

    @property
    def over(self) -> bool:
        """What comes after the end, a late progress or an answer, changes nothing."""
        return self._over or self._timeout.expired()


def _now() -> float:
    return asyncio.get_running_loop().time()
