"""Cancels long work on a thread: the caller sets a flag, and the work checks it now and then."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Event

_flag: ContextVar[Event | None] = ContextVar("cancellation", default=None)


class WorkCancelled(Exception):
    """The work was given up before its end; nothing of it may be used."""


@contextmanager
def cancellable(flag: Event) -> Iterator[None]:
    """What runs inside, also on threads that `asyncio.to_thread` starts here, ends soon after the flag is set."""
    token = _flag.set(flag)
    try:
        yield
    finally:
        _flag.reset(token)


def check_cancelled() -> None:
    """Called by long loops; raises WorkCancelled once the flag is set."""
    if (flag := _flag.get()) is not None and flag.is_set():
        raise WorkCancelled
