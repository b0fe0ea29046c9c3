"""The locks of the process sandbox, one a line: whether it holds here, what it means, and how a missing one is had."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from workbench.gui.icons import pixmap
from workbench.gui.text import visible
from workbench.gui.theme import Theme
from workbench.gui.views import label
from workbench.records import Strength


class LocksView(QWidget):
    """Read only."""

    def __init__(self, theme: Theme, strength: Strength, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(theme.unit * 3)
        self._grid.setVerticalSpacing(theme.unit)
        self._grid.setColumnStretch(2, 1)
        meanings = self._meanings()
        for name, there in strength.features.items():
            self._add(name, there, self._words(meanings.get(name, ""), there, strength.fixes.get(name, "")))

    def _add(self, name: str, there: bool, meaning: str) -> None:
        place, top = self._grid.rowCount(), Qt.AlignmentFlag.AlignTop
        picture = QLabel()
        symbol, tone = ("check", "success") if there else ("close", "danger")
        picture.setPixmap(pixmap(symbol, tone, self._theme.unit * 4, self.devicePixelRatioF()))
        answer = "yes" if there else "no"
        words = label(meaning, "muted")
        words.setWordWrap(True)
        words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        words.setAccessibleName(f"{visible(name)}: {answer}. {meaning}")
        self._grid.addWidget(picture, place, 0, top)
        self._grid.addWidget(label(visible(name)), place, 1, top)
        self._grid.addWidget(words, place, 2)
        self._grid.addWidget(label(answer, "muted"), place, 3, top | Qt.AlignmentFlag.AlignRight)

    def _words(self, meaning: str, there: bool, fix: str) -> str:
        """What it means; where it is missing, the line that brings it."""
        return meaning if there or not fix else f"{meaning} To have it: {visible(fix)}".strip()

    def _meanings(self) -> dict[str, str]:
        return {
            "namespaces": "It sees files, processes and a network of its own, none of this machine's.",
            "seccomp": "Only the system calls on a list are answered.",
            "Landlock": "A second lock on files: nothing else can be opened, wherever it lies.",
            "inode quota": "Temporary folders have an end for the number of files, not only for their size.",
            "no files of yours": "A file of yours was laid out, and could not be opened.",
            "read-only root": "Nothing outside its workspace, home and temporary folder can be written.",
            "no network": "No connection can be made; tools and places you open are reached by the workbench.",
            "no processes": "No other program can be started, and no other process be reached.",
            "not root": "It runs as an ordinary user or as nobody, whoever started the workbench.",
            "no capabilities": "It has none of the rights that root is made of, and can gain none.",
        }
