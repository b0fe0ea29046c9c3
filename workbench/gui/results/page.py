"""What every page of a result can do: be searched, and give what is chosen on it."""

from __future__ import annotations

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

_LOW = 9  # lines of text; below this height the content matters more than its buttons


class Page(QWidget):
    """A way to look at a result."""

    strip: QWidget | None = None
    """The row of buttons that gives way where it is low."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.strip is not None:
            self.strip.setVisible(self.height() >= self.fontMetrics().lineSpacing() * _LOW)

    def seek(self, words: str, step: int) -> str:
        """Go to the next place with these words (`step` 1) or the one before (-1); answers what a person reads."""
        return "This view cannot be searched; text and tree can."
