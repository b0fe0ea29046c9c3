"""Opens the plan of a dry run when it is over, and keeps it informed about the program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from workbench.errors import WorkbenchError
from workbench.events import Event, RunChanged
from workbench.gui.bridge import Link, LinkState
from workbench.gui.context import Context
from workbench.records import Fault, Run, RunState

if TYPE_CHECKING:
    from workbench.gui.dialogs.plan import PlanDialog

OVER = (RunState.DONE, RunState.FAILED)
_WITHOUT = (RunState.REFUSED, RunState.STOPPED, RunState.INTERRUPTED)


class Plans(QObject):
    """Belongs to one window."""

    said = Signal(str)
    """A short word for the status bar."""
    run_wanted = Signal(str)
    """The id of a run to show."""
    refused = Signal(str, object)
    """The id of a waiting run, and the Fault that says why there is no plan for it."""
    decided = Signal(str)
    """The id of a waiting run that goes on by its plan."""

    def __init__(self, context: Context, window: QWidget) -> None:
        super().__init__(window)
        self._context = context
        self._window = window
        self._awaited: set[str] = set()  # dry runs that were started in this window
        self._open: dict[str, PlanDialog] = {}

    def dry_run(self, run_id: str) -> None:
        """Start a dry run of a program that waits for approval, and show its plan."""
        self._context.tasks.run("start a dry run of a waiting program", self._dry_run(run_id))

    def show(self, run_id: str) -> None:
        """Show the plan of a dry run, at once or when it is over."""
        self._awaited.add(run_id)
        self._context.tasks.run("read a plan", self._load(run_id))

    def link(self, link: Link) -> None:
        """A plan is lost when the core that made it ends."""
        if link.state is not LinkState.LINKED:
            self._awaited.clear()
            for dialog in self._open.values():
                dialog.end("The core is gone, and with it the plan.")

    def hear(self, event: Event) -> None:
        if isinstance(event, RunChanged):
            self._take(event.run)
            for dialog in tuple(self._open.values()):
                dialog.hear(event)

    async def _dry_run(self, run_id: str) -> None:
        try:
            run = await self._context.api.dry_run_waiting(run_id)
        except WorkbenchError as fault:
            self.said.emit(f"{fault.message} {fault.hint}")
            self.refused.emit(run_id, Fault(fault.message, fault.hint))
            return
        self.said.emit("The dry run has started. Reading works; everything else is held back.")
        self.run_wanted.emit(run.id)
        self.show(run.id)

    async def _load(self, run_id: str) -> None:
        try:
            self._take(await self._context.api.run(run_id))
        except WorkbenchError as fault:
            self._awaited.discard(run_id)
            self.said.emit(f"{fault.message} {fault.hint}")

    def _take(self, run: Run) -> None:
        if run.id not in self._awaited:
            return
        if run.state in OVER:
            self._awaited.discard(run.id)
            self._show(run)
        elif run.state in _WITHOUT:
            self._awaited.discard(run.id)
            words = "The dry run gave no plan. Its page says why."
            self.said.emit(words)
            self.refused.emit(run.proposal.dry_run_of, run.fault or Fault(words))

    def _show(self, run: Run) -> None:
        if (dialog := self._open.get(run.id)) is not None:
            dialog.activateWindow()
            return
        from workbench.gui.dialogs.plan import PlanDialog

        dialog = PlanDialog(self._context, run, self._window)
        self._open[run.id] = dialog
        dialog.finished.connect(self._closed)
        dialog.started.connect(self._started)
        dialog.open()

    def _started(self, real: Run) -> None:
        dialog = self.sender()
        waiting = next((one.run for one in self._open.values() if one is dialog), None)
        if waiting is not None and waiting.proposal.dry_run_of:
            self.decided.emit(waiting.proposal.dry_run_of)
        self.run_wanted.emit(real.id)

    def _closed(self) -> None:
        gone = self.sender()
        self._open = {run_id: dialog for run_id, dialog in self._open.items() if dialog is not gone}
