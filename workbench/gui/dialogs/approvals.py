"""Opens the question about a waiting program, once, and tells it when its core is gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QDialog, QWidget

from workbench.events import Event, RunChanged
from workbench.gui.bridge import Link, LinkState
from workbench.gui.context import Context
from workbench.records import Decision, Fault, Run

if TYPE_CHECKING:
    from workbench.gui.dialogs.approval import ApprovalDialog


class ApprovalDialogs(QObject):
    """Belongs to one window."""

    allowed = Signal(str)
    """The id of a run that may go on now."""
    dry_run_wanted = Signal(str)
    """The id of a run that waits."""

    def __init__(self, context: Context, window: QWidget) -> None:
        super().__init__(window)
        self._context = context
        self._window = window
        self._open: dict[str, ApprovalDialog] = {}  # by run: one run is never asked about twice

    def show(self, run: Run) -> None:
        if run.id in self._open:
            self._open[run.id].come_back()
            return
        from workbench.gui.dialogs.approval import ApprovalDialog

        dialog = ApprovalDialog(self._context, run, self._window)
        self._open[run.id] = dialog
        dialog.decided.connect(self._decided)
        dialog.dry_run_wanted.connect(self.dry_run_wanted)
        dialog.destroyed.connect(lambda: self._open.pop(run.id, None))
        dialog.open()

    def show_refusal(self, run_id: str, fault: Fault) -> None:
        """Show why a dry run is not possible or gave no plan."""
        if (dialog := self._open.get(run_id)) is not None:
            dialog.show_dry_run(on=False, fault=fault)

    def hear(self, event: Event) -> None:
        if isinstance(event, RunChanged) and event.run.ended:
            waiting = self._open.get(event.run.proposal.dry_run_of)
            if waiting is not None and event.run.proposal.dry_run:
                waiting.show_dry_run(on=False)
        for dialog in tuple(self._open.values()):
            dialog.hear(event)

    def link(self, link: Link) -> None:
        """A question of a core that is gone cannot be answered any more."""
        if link.state is not LinkState.LINKED:
            for dialog in tuple(self._open.values()):
                dialog.core_lost()

    def put_away(self, run_id: str) -> None:
        """It was answered in another dialog of this window."""
        if (dialog := self._open.get(run_id)) is not None:
            dialog.done(QDialog.DialogCode.Accepted)

    def _decided(self, decision: Decision) -> None:
        """What was allowed is watched."""
        if decision.allow:
            self.allowed.emit(decision.run_id)
