"""Opens the dialogs of what servers ask, closes those that nobody waits for, tells the core that a window is there."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication, QWidget

from workbench.errors import WorkbenchError
from workbench.events import AskArrived, AskSettled, Event, spawn
from workbench.gui.asks.keystrokes import Keystrokes
from workbench.gui.asks.strip import AskStrip
from workbench.gui.asks.words import own_call
from workbench.gui.bridge import Link, LinkState
from workbench.gui.context import Context
from workbench.gui.text import one_line
from workbench.records import Ask

if TYPE_CHECKING:
    from workbench.gui.asks.dialog import AskDialog

_OVER = {
    "withdrawn": "{} does not wait for your answer any more.",
    "timed out": "The time for the request of {} is over.",
}


class AskDialogs(QObject):
    """Belongs to one window."""

    said = Signal(str)
    """A short word for the status bar."""

    def __init__(self, context: Context, strip: AskStrip, window: QWidget) -> None:
        super().__init__(window)
        self._context = context
        self._strip = strip
        self._window = window
        self._keys = Keystrokes(self)
        self._open: dict[str, AskDialog] = {}

    def link(self, link: Link) -> None:
        """A core that is reached hears that somebody is there; one that is gone takes its questions with it."""
        if link.state is LinkState.LINKED:
            spawn("attend to servers", self._attend())
        else:
            for dialog in tuple(self._open.values()):
                dialog.end()

    def hear(self, event: Event) -> None:
        if isinstance(event, AskArrived):
            if (dialog := self._open.get(event.ask.id)) is not None:
                dialog.show_ask(event.ask)
            else:
                self._raise_own(event.ask)
        elif isinstance(event, AskSettled):
            self._settle(event)

    def show(self, ask_id: str = "") -> None:
        """Open a question, the oldest one if none is named."""
        ask = self._strip.ask(ask_id) or next(iter(self._strip.asks()), None)
        if ask is None:
            self.said.emit("No server waits for your input.")
        elif (dialog := self._open.get(ask.id)) is not None:
            dialog.come_back()
        else:
            self._present(ask)

    def dialogs(self) -> tuple[AskDialog, ...]:
        return tuple(self._open.values())

    async def _attend(self) -> None:
        with contextlib.suppress(WorkbenchError):  # the core is gone, or the window: nobody is there any more
            await self._context.api.attend()

    def _raise_own(self, ask: Ask) -> None:
        """A person who waits for their own call sees its question at once, unless they are busy with something."""
        busy = self._keys.typing() or QApplication.activeModalWidget() is not None
        if own_call(ask) and not busy and not self._in_front() and self._window.isVisible():
            self._present(ask)

    def _in_front(self) -> bool:
        return any(not dialog.away for dialog in self._open.values())

    def _present(self, ask: Ask) -> None:
        from workbench.gui.asks.dialog import AskDialog

        dialog = AskDialog(self._context, ask, self._window)
        self._open[ask.id] = dialog
        dialog.finished.connect(self._closed)
        dialog.show()

    def _closed(self) -> None:
        gone = self.sender()
        self._open = {ask_id: dialog for ask_id, dialog in self._open.items() if dialog is not gone}

    def _settle(self, event: AskSettled) -> None:
        dialog = self._open.pop(event.ask.id, None)
        if dialog is None:
            return
        dialog.end()
        if event.ending in _OVER:
            self.said.emit(_OVER[event.ending].format(one_line(event.ask.server, 60)))
            return
        asks = (ask for ask in self._strip.asks() if own_call(ask) and ask.id not in self._open)
        if not self._in_front() and (following := next(asks, None)) is not None:
            self._present(following)  # the next question of the user's own calls, unless they put it away
