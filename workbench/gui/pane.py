"""The base of everything inside the window's frame: a widget that has a context, hears events and may have wishes."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from workbench.events import Event
from workbench.gui.context import Context


class Pane(QWidget):
    """A part of the window. It never touches another pane: it emits `wished` and the window sees to it."""

    wished = Signal(object)
    """Carries one record of `workbench.gui.wishes`."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context

    def hear(self, event: Event) -> None:
        """Something happened in the core. Panes that care override this; it must be quick."""

    def refresh(self) -> None:
        """The core is there (again): load what is shown. Nothing a person typed may be lost by it."""
