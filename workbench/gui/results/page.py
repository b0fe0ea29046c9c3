"""What every page of a result can do: be searched, and give what is chosen on it."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget


class Page(QWidget):
    """A way to look at a result."""

    def seek(self, words: str, step: int) -> str:
        """Go to the next place with these words (`step` 1) or the one before (-1); answers what a person reads."""
        return self.tr("This view cannot be searched; text and tree can.")
