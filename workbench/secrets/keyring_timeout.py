"""Calls the keyring with a timeout: a locked keyring may show a prompt that nobody sees and never answer."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

Answer = TypeVar("Answer")


class Silent(Exception):
    """It did not answer in time."""


class Patience:
    """Runs blocking calls on threads of their own. One that hangs is left behind as a daemon: it keeps nobody alive."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._one_at_a_time = threading.Lock()
        self._hanging: threading.Thread | None = None

    def wait(self, work: Callable[[], Answer]) -> Answer:
        """What the work returns or raises, or Silent."""
        with self._one_at_a_time:
            if self._hanging is not None and self._still_hangs(self._hanging):
                raise Silent
            self._hanging = None
            return self._run(work)

    def _run(self, work: Callable[[], Answer]) -> Answer:
        answers: list[Answer] = []
        faults: list[BaseException] = []

        def call() -> None:
            try:
                answers.append(work())
            except BaseException as fault:
                faults.append(fault)

        thread = threading.Thread(target=call, name="keyring", daemon=True)
        thread.start()
        if self._still_hangs(thread):
            self._hanging = thread
            raise Silent
        if faults:
            raise faults[0]
        return answers[0]

    def _still_hangs(self, thread: threading.Thread) -> bool:
        thread.join(self._seconds)
        return thread.is_alive()
