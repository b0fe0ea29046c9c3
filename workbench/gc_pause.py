"""Pauses garbage collection while a long text is read. Its thousands of new objects all live until the end, and each
collection among them keeps the event loop waiting for up to 40 ms."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

_guard = Lock()
_readers = 0
_was_on = False


@contextmanager
def pause_gc() -> Iterator[None]:
    """Collection rests until the last of those who read at the same time is done; if it was off, it stays off."""
    _enter()
    try:
        yield
    finally:
        _leave()


def _enter() -> None:
    global _readers, _was_on
    with _guard:
        if not _readers:
            _was_on = gc.isenabled()
            gc.disable()
        _readers += 1


def _leave() -> None:
    global _readers
    with _guard:
        _readers -= 1
        if not _readers and _was_on:
            gc.enable()
