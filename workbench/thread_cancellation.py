"""Cooperative cancellation of long work on a thread: the caller sets a flag, and the work checks it regularly."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Event

_flag: ContextVar[Event | None] = ContextVar("cancellation", default=None)


class WorkCancelled(Exception):
    """The work was cancelled before it finished; its partial results must not be used."""


@contextmanager
def cancellable(flag: Event) -> Iterator[None]:
    """Let `flag` cancel the code in this block, and threads that the block starts with `asyncio.to_thread`."""
    token = _flag.set(flag)
    try:
        yield
    finally:
        _flag.reset(token)


def check_cancelled() -> None:
    """Raise WorkCancelled if the flag is set. Long loops call this regularly."""
    if (flag := _flag.get()) is not None and flag.is_set():
        raise WorkCancelled
