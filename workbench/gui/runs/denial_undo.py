"""The button that takes back the last denial, for the few seconds in which the core has not told the agent."""

from __future__ import annotations

import time

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QPushButton, QWidget

from workbench.gui.kit.icons import icon
from workbench.gui.kit.theme import mark
from workbench.gui.shell.context import Context

_TICK_MS = 200


class DenialUndo(QPushButton):
    """Hidden while there is nothing to undo."""

    undone = Signal(object)
    """Carries the ids of the requests that wait again. A held call waits under a new id."""
    expired = Signal()
    """The denial can no longer be undone: the agent is told."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._ids: tuple[str, ...] = ()
        self._until = 0.0
        self.setIcon(icon("undo", "muted"))
        self.setAutoDefault(False)
        mark(self, kind="chip")
        self._tick = QTimer(self, interval=_TICK_MS)
        self._tick.timeout.connect(self._draw)
        self.clicked.connect(lambda: self.undo())
        self.hide()

    @property
    def active(self) -> bool:
        return bool(self._ids)

    def offer(self, ids: tuple[str, ...], until: float) -> None:
        """Offer to undo the denial of these requests until this time."""
        self._ids, self._until = ids, until
        self._draw()
        if self.active:
            self._tick.start()

    def undo(self) -> None:
        """Let the requests wait again."""
        if self.active:
            ids = self._ids
            self._forget()
            self._context.tasks.run("undo a denial", self._undo(ids))

    async def _undo(self, ids: tuple[str, ...]) -> None:
        for request_id in ids:
            await self._context.api.undo_denial(request_id)
        self.undone.emit(ids)

    def _draw(self) -> None:
        left = self._until - time.time()
        if left <= 0:
            self._forget()
            self.expired.emit()
            return
        count = f" {len(self._ids):,} denials" if len(self._ids) > 1 else ""
        self.setText(f"Undo{count} (U) · {int(left) + 1} s")
        self.setAccessibleName(f"Undo the last denial{count}")
        self.show()

    def _forget(self) -> None:
        self._ids = ()
        self._tick.stop()
        self.hide()
