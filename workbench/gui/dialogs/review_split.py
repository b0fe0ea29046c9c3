"""Effects beside the code, or above it where there is little width; the code never gets less than a screen of lines.

What a person has to look at is the code, so a long list of effects scrolls in what the code leaves, not the other way.
"""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QWidget

from workbench.gui.dialogs.effects_view import EffectsView
from workbench.gui.dialogs.program_view import ProgramView

_LEAST_LETTERS = 96  # narrower than this, effects stand above the code
_CODE_LINES = 10  # that the code has at least
_EFFECT_LINES = 5  # of effects, where they stand above it


class ReviewSplit(QSplitter):
    """A person may move the border; from then on it stays where they put it."""

    def __init__(self, effects: EffectsView, program: ProgramView, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._effects, self._program = effects, program
        self._moved = False
        self.setChildrenCollapsible(False)
        self.addWidget(effects)
        self.addWidget(program)
        self.setSizes([420, 620])
        self.splitterMoved.connect(self._keep)

    def sizeHint(self) -> QSize:
        """Around it scrolls what does not fit, so it asks for no more than it must have and is given the rest."""
        return QSize(super().sizeHint().width(), self.minimumHeight())

    def resizeEvent(self, event: QResizeEvent) -> None:
        wide = self.width() >= self.fontMetrics().averageCharWidth() * _LEAST_LETTERS
        code = self._program.height_of(_CODE_LINES)
        self._program.setMinimumHeight(code)
        lines = 0 if wide else self.fontMetrics().lineSpacing() * _EFFECT_LINES
        self._effects.setMinimumHeight(lines)
        self.setMinimumHeight(code + lines + self.handleWidth())
        direction = Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical
        if self.orientation() is not direction:
            self.setOrientation(direction)
            self._moved = False
            if wide:
                self.setSizes([420, 620])
        super().resizeEvent(event)
        if not wide and not self._moved:
            self._share(code)

    def _share(self, code: int) -> None:
        """The effects get what they need, out of what ten lines of code leave."""
        left = self.height() - self.handleWidth()
        effects = min(self._effects.wanted_height(), max(0, left - code))
        self.setSizes([effects, left - effects])

    def _keep(self) -> None:
        self._moved = True
