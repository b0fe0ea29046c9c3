"""Opens the dialog of a waiting call, keeps it up to date, and tells it when nobody has to answer any more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from workbench.events import CallHeld, Event, HeldCallSettled
from workbench.gui.bridge import Link, LinkState
from workbench.gui.context import Context
from workbench.gui.held_calls.strip import HeldCallStrip

if TYPE_CHECKING:
    from workbench.gui.held_calls.dialog import HeldCallDialog

_ENDINGS = {
    "allowed": "This was allowed elsewhere.",
    "denied": "This was denied elsewhere.",
    "timed out": "Time ran out: the call was denied.",
    "withdrawn": "The run ended; nobody has to decide any more.",
}


class HeldCallDialogs(QObject):
    """Belongs to one window."""

    said = Signal(str)
    """A short word for the status bar."""
    run_wanted = Signal(str)
    """The id of a run to show."""

    def __init__(self, context: Context, strip: HeldCallStrip, window: QWidget) -> None:
        super().__init__(window)
        self._context = context
        self._strip = strip
        self._window = window
        self._open: dict[str, HeldCallDialog] = {}

    def link(self, link: Link) -> None:
        """A core that is gone has refused what waited."""
        if link.state is not LinkState.LINKED:
            for dialog in tuple(self._open.values()):
                dialog.end("The core is gone; what waited was denied.")

    def hear(self, event: Event) -> None:
        if isinstance(event, CallHeld):
            if (dialog := self._open.pop(event.before, None)) is not None:
                self._open[event.held_call.id] = dialog
                dialog.show_held_call(event.held_call)
        elif isinstance(event, HeldCallSettled) and (dialog := self._open.get(event.held_call.id)) is not None:
            dialog.end(_ENDINGS.get(event.ending, "Nobody has to decide any more."))

    def show(self, held_call_id: str = "") -> None:
        """Open a held call; of none named, the one whose time ends first."""
        held_call = self._strip.held_call(held_call_id)
        if held_call is None:
            self.said.emit("No call waits for you now.")
        elif (dialog := self._open.get(held_call.id)) is not None:
            dialog.come_back()
        else:
            from workbench.gui.held_calls.dialog import HeldCallDialog

            dialog = HeldCallDialog(self._context, held_call, self._window)
            self._open[held_call.id] = dialog
            dialog.finished.connect(self._closed)
            dialog.run_wanted.connect(self.run_wanted)
            dialog.show()

    def dialogs(self) -> tuple[HeldCallDialog, ...]:
        return tuple(self._open.values())

    def _closed(self) -> None:
        gone = self.sender()
        self._open = {held_call_id: dialog for held_call_id, dialog in self._open.items() if dialog is not gone}
