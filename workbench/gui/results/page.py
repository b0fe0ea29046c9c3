"""Base class of the pages of a result."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from workbench.gui.kit.layouts import column
from workbench.gui.kit.plain_edit import PlainEdit

_LOW = 9  # lines of text; below this height the content matters more than its buttons


class Page(QWidget):
    """One view of a result: a widget that fills it, and a row of buttons that is hidden where the page is low."""

    said = Signal(str)
    """Carries a message."""
    save_wanted = Signal(object)
    """Carries the Content to be saved."""
    strip: QWidget | None = None

    def set_content(self, widget: QWidget, *, above: QWidget | None = None, below: QWidget | None = None) -> None:
        """Fill the page with a widget, which gets the keyboard focus, and the rows above and below it."""
        column(self, *(part for part in (above, widget, below) if part is not None), grows=widget)
        self.setFocusProxy(widget)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.strip is not None:
            self.strip.setVisible(self.height() >= self.fontMetrics().lineSpacing() * _LOW)

    def search_target(self) -> PlainEdit | Page:
        """What the find bar searches: a text box, or this page by `seek`."""
        return self

    def seek(self, text: str, step: int) -> str:
        """Go to the next match (`step` 1) or the previous one (-1); returns a message for the user."""
        return "This view cannot be searched. Use Tree or JSON."
