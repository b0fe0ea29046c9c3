"""Which language the program of a tab is written in."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from workbench.gui.calm_combo import CalmCombo
from workbench.gui.words import language_word

LANGUAGES = ("python", "typescript")
"""What can be run."""
TEXTS = ("json", "markdown", "toml")
"""What is written beside programs."""


class LanguageChoice(CalmCombo):
    """Python, which is read before it runs, or TypeScript, which always asks."""

    chosen = Signal(str)

    def __init__(self, language: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        for name in (*LANGUAGES, *TEXTS):
            self.addItem(language_word(name), name)
        self.setCurrentIndex(max(0, self.findData(language)))
        self.setAccessibleName("Language of the program")
        self.setToolTip("Python is analyzed before it runs. TypeScript is not, so it always needs approval.")
        self.currentIndexChanged.connect(self._tell)

    def _tell(self, _number: int) -> None:
        self.chosen.emit(str(self.currentData()))
