"""Runs coroutines for the window and brings every error to one place, so that no pane needs its own `except`."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Signal

from workbench.errors import WorkbenchError
from workbench.events import spawn
from workbench.records import Fault

Result = TypeVar("Result")


class Tasks(QObject):
    """The tasks of one window; closing the window ends them."""

    failed = Signal(object)
    """Carries the Fault of a task that failed, as the user reads it."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._running: set[asyncio.Task[Any]] = set()  # Any: results differ from task to task
        self._over: asyncio.Future[Any] | None = None  # cancelled; what everybody gets who comes after the close

    def run(
        self,
        name: str,
        coro: Coroutine[Any, Any, Result],  # Any: what a coroutine yields and is sent concerns the loop alone
        done: Callable[[Result], None] | None = None,
    ) -> asyncio.Future[Result | None]:
        """Start; `done` gets the result on success. `failed` carries a fault, and the task's result is then None."""
        if self._over is not None:  # what would begin now is over; a late timer may ask when even the loop is gone
            coro.close()
            return self._over
        task = spawn(name, self._watch(name, coro, done))
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        task.add_done_callback(lambda _: coro.close())  # one that was cancelled before it began
        return task

    def running(self) -> int:
        return len(self._running)

    async def close(self) -> None:
        """Cancel everything and wait until it is gone; later tasks end before they begin."""
        self._over = asyncio.get_running_loop().create_future()
        self._over.cancel()
        own = asyncio.current_task()
        tasks = [task for task in self._running if task is not own]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _watch(
        self,
        name: str,
        coro: Coroutine[Any, Any, Result],  # Any: see run
        done: Callable[[Result], None] | None,
    ) -> Result | None:
        try:
            result = await coro
            if done is not None and self._over is None:
                done(result)
            return result
        except Exception as fault:
            if (shown := _fault_to_show(fault)) is not None:
                self.failed.emit(describe(name, shown))
            return None


def _fault_to_show(fault: Exception) -> Exception | None:
    """None if a dialog was only closed before the answer came; the fault that it could no longer show otherwise."""
    if not (isinstance(fault, RuntimeError) and str(fault).endswith("already deleted.")):
        return fault
    before = fault.__context__
    return before if isinstance(before, WorkbenchError) else None


def describe(name: str, fault: BaseException) -> Fault:
    """A fault as the user reads it; an unexpected one carries its traceback for a report."""
    if isinstance(fault, WorkbenchError):
        return Fault(fault.message, fault.hint)
    lines = "".join(traceback.format_exception(fault))
    return Fault(f"“{name}” did not work: {fault}", "This is a fault of the workbench itself; details below.", lines)
