"""What isolation this machine gives, line by line as it was probed, and how it could be stronger."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFrame, QLabel, QScrollArea, QVBoxLayout, QWidget
from shiboken6 import isValid

from workbench.gui.context import Context
from workbench.gui.dialogs.levels_view import LevelsView
from workbench.gui.dialogs.locks_view import LocksView
from workbench.gui.icons import icon
from workbench.gui.text import visible
from workbench.gui.views import label
from workbench.records import CoreStatus, Level, Strength


class StrengthDialog(QDialog):
    """Read only; what is missing can be installed meanwhile and looked for again."""

    def __init__(self, context: Context, status: CoreStatus, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        theme, strength = context.theme, status.strength
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Sandbox strength")
        self.setMinimumWidth(theme.unit * 170)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(*(theme.unit * 6,) * 4)
        outer.setSpacing(theme.unit * 3)
        column = self._scrolled(outer)
        column.setSpacing(theme.unit * 3)
        column.addWidget(label(self._title(strength), "heading"))
        column.addWidget(_wrapped("What this machine was found to give when the core started:", "muted"))
        column.addWidget(LocksView(theme, strength))
        if strength.reason:
            column.addWidget(_wrapped(visible(strength.reason), "warning"))
        if strength.hint:
            column.addWidget(_wrapped(visible(strength.hint), "muted"))
        column.addWidget(label("Levels", "section"))
        words = "A program gets the level that its risk requires (isolation settings), or a stronger one."
        column.addWidget(_wrapped(words, "muted"))
        self._levels = LevelsView(theme)
        column.addWidget(self._levels)
        self._show(status.levels)
        close = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        self._again = close.addButton("Look again", QDialogButtonBox.ButtonRole.ActionRole)
        self._again.setIcon(icon("refresh", "muted"))
        self._again.clicked.connect(self._look_again)
        close.rejected.connect(self.reject)
        outer.addWidget(close)
        self._look_again()

    def _scrolled(self, outer: QVBoxLayout) -> QVBoxLayout:
        """Where the words go: a low screen shows a part of them, and the buttons always."""
        self._area = QScrollArea()
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setAccessibleName("Locks and levels")
        self._words = QWidget()
        self._area.setWidget(self._words)
        outer.addWidget(self._area, 1)
        column = QVBoxLayout(self._words)
        column.setContentsMargins(0, 0, 0, 0)
        return column

    def _look_again(self) -> None:
        """Somebody may have built what was missing since the core looked."""
        self._again.setEnabled(False)
        looking = self._context.tasks.run("look for isolation", self._context.api.levels(), self._show)
        looking.add_done_callback(self._looked)

    def _looked(self, looking: object) -> None:
        if isValid(self):
            self._again.setEnabled(True)

    def _show(self, levels: tuple[Level, ...]) -> None:
        if isValid(self):
            self._levels.show_levels(levels)
            self._fit()

    def _fit(self) -> None:
        """Wrapped words need more room than there was before them."""
        layout, words = self.layout(), self._words.layout()
        if layout is None or words is None:
            return
        words.activate()
        unit, width = self._context.theme.unit, max(self.width(), self.minimumWidth())
        around = layout.sizeHint().height() - self._area.sizeHint().height()
        wanted = words.totalHeightForWidth(width - unit * 12) + around
        self.resize(width, min(wanted, self.screen().availableSize().height() - unit * 12))

    def _title(self, strength: Strength) -> str:
        words = {
            "full": "Full isolation",
            "reduced": "Reduced isolation",
            "none": "No isolation",
        }
        return f"{words.get(strength.level, strength.level)} ({strength.backend})"


def _wrapped(text: str, role: str) -> QLabel:
    made = label(text, role)
    made.setWordWrap(True)
    return made
