"""What `asyncio.timeout` does, for calls that nearly all end long before their time: a timer each would be made, sorted
in and taken out again with every call. Here one timer of the loop stands for all of them, at the earliest time that one
of them had; when it rings too early, because that call is over, it is set once more.
"""

from __future__ import annotations

import asyncio
import weakref
from typing import Any


class Deadline:
    """Ends the task that entered it, at a time that may be moved."""

    def __init__(self) -> None:
        self._until: float | None = None
        self._bell: _Bell | None = None
        self._task: asyncio.Task[Any] | None = None  # Any: what the task answers is its own matter
        self._cancelling = 0
        self._expired = False

    def enter(self) -> None:
        """In the task that is to be ended. Not asked twice."""
        task = asyncio.current_task()
        assert task is not None, "a deadline belongs to a task"
        self._task, self._cancelling, self._bell = task, task.cancelling(), _bell()

    def when(self) -> float | None:
        return self._until

    @property
    def expired(self) -> bool:
        return self._expired

    def reschedule(self, until: float | None) -> None:
        """By the loop's clock; None: never."""
        self._until = until
        if until is not None and self._bell is not None:
            self._bell.watch(self, until)

    def leave(self, kind: type[BaseException] | None) -> bool:
        """Whether the task was ended by this and nothing else; then it is a TimeoutError."""
        task, bell = self._task, self._bell
        self._task = self._bell = None
        if bell is not None:
            bell.forget(self)
        if not self._expired or task is None:
            return False
        return task.uncancel() <= self._cancelling and kind is asyncio.CancelledError

    def ring(self) -> None:
        """Its time is over."""
        if self._task is not None and not self._expired:
            self._expired = True
            self._task.cancel()


class _Bell:
    """One loop's timer, and everything that waits for it."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = weakref.ref(loop)
        self._waiting: set[Deadline] = set()
        self._timer: asyncio.TimerHandle | None = None

    def watch(self, deadline: Deadline, until: float) -> None:
        self._waiting.add(deadline)
        if self._timer is None or until < self._timer.when():
            self._set(until)

    def forget(self, deadline: Deadline) -> None:
        self._waiting.discard(deadline)

    def _set(self, until: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        loop = self._loop()
        assert loop is not None, "it is asked from its loop"
        self._timer = loop.call_at(until, self._ring, until)

    def _ring(self, now: float) -> None:
        self._timer = None
        for deadline in [one for one in self._waiting if (until := one.when()) is not None and until <= now]:
            self._waiting.discard(deadline)
            deadline.ring()
        if later := [until for one in self._waiting if (until := one.when()) is not None]:
            self._set(min(later))


_bells: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, _Bell] = weakref.WeakKeyDictionary()


def _bell() -> _Bell:
    loop = asyncio.get_running_loop()
    bell = _bells.get(loop)
    if bell is None:
        bell = _bells[loop] = _Bell(loop)
    return bell
