"""Opens the dialog of a waiting call, keeps it up to date, and tells it when nobody has to answer any more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from workbench.events import Event, PauseSettled, RunPaused
from workbench.gui.bridge import Link, LinkState
from workbench.gui.context import Context
from workbench.gui.pauses.strip import PauseStrip

if TYPE_CHECKING:
    from workbench.gui.pauses.dialog import PauseDialog

_ENDINGS = {
    "allowed": "This was allowed elsewhere.",
    "denied": "This was denied elsewhere.",
    "timed out": "Time ran out: the call was denied.",
    "withdrawn": "The run ended; nobody has to decide any more.",
}


class PauseDialogs(QObject):
    """Belongs to one window."""

    said = Signal(str)
    """A short word for the status bar."""
    run_wanted = Signal(str)
    """The id of a run to show."""

    def __init__(self, context: Context, strip: PauseStrip, window: QWidget) -> None:
        super().__init__(window)
        self._context = context
        self._strip = strip
        self._window = window
        self._open: dict[str, PauseDialog] = {}

    def link(self, link: Link) -> None:
        """A core that is gone has refused what waited."""
        if link.state is not LinkState.LINKED:
            for dialog in tuple(self._open.values()):
                dialog.end(self.tr("The core is gone; what waited was denied."))

    def hear(self, event: Event) -> None:
        if isinstance(event, RunPaused):
            if (dialog := self._open.pop(event.before, None)) is not None:
                self._open[event.pause.id] = dialog
                dialog.show_pause(event.pause)
        elif isinstance(event, PauseSettled) and (dialog := self._open.get(event.pause.id)) is not None:
            dialog.end(self.tr(_ENDINGS.get(event.ending, "Nobody has to decide any more.")))

    def show(self, pause_id: str = "") -> None:
        """Open a pause; of none named, the one whose time ends first."""
        pause = self._strip.pause(pause_id)
        if pause is None:
            self.said.emit(self.tr("No call waits for you now."))
        elif (dialog := self._open.get(pause.id)) is not None:
            dialog.come_back()
        else:
            from workbench.gui.pauses.dialog import PauseDialog

            dialog = PauseDialog(self._context, pause, self._window)
            self._open[pause.id] = dialog
            dialog.finished.connect(self._closed)
            dialog.run_wanted.connect(self.run_wanted)
            dialog.show()

    def dialogs(self) -> tuple[PauseDialog, ...]:
        return tuple(self._open.values())

    def _closed(self) -> None:
        gone = self.sender()
        self._open = {pause_id: dialog for pause_id, dialog in self._open.items() if dialog is not gone}
