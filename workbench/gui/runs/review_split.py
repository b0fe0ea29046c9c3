"""The effects of a program beside its code, or above it where it is narrow."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent

from workbench.gui.kit.adaptive_split import AdaptiveSplit
from workbench.gui.runs.effects_view import EffectsView
from workbench.gui.runs.program_view import ProgramView

_WIDE = 96  # characters of width from which the effects are beside the code, not above it
_CODE_LINES = 10  # that are visible at least
_EFFECT_LINES = 5  # that are visible at least where the effects are above the code
_SHARES = (42, 62)  # of effects and code beside each other


class ReviewSplit(AdaptiveSplit):
    """Effects beside the code or above it. The border stays where the user put it."""

    def __init__(self, effects: EffectsView, program: ProgramView) -> None:
        super().__init__(_WIDE, _SHARES, effects, program)
        self._effects, self._program = effects, program

    def sizeHint(self) -> QSize:
        """The minimum height: the area around it scrolls, and gives it the rest."""
        return QSize(super().sizeHint().width(), self.minimumHeight())

    def resizeEvent(self, event: QResizeEvent) -> None:
        wide = self.width() >= self.fontMetrics().averageCharWidth() * _WIDE
        code = self._program.height_of(_CODE_LINES)
        lines = 0 if wide else self.fontMetrics().lineSpacing() * _EFFECT_LINES
        self._program.setMinimumHeight(code)
        self._effects.setMinimumHeight(lines)
        self.setMinimumHeight(code + lines + self.handleWidth())
        super().resizeEvent(event)

    def usual_sizes(self, room: int) -> list[int]:
        """Where the effects are above the code, they get what they need, out of what ten lines of code leave."""
        if self.orientation() is Qt.Orientation.Horizontal:
            return super().usual_sizes(room)
        left = room - self.handleWidth()
        effects = min(self._effects.wanted_height(), max(0, left - self._program.minimumHeight()))
        return [effects, left - effects]
