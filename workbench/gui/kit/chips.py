"""Short texts on coloured backgrounds in lines that wrap. A layout of labels would not wrap."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.gui.kit.text import one_line
from workbench.gui.kit.theme import Theme

_MOST = 60  # chips; a server may claim as many capabilities as it likes
_LETTERS = 60


class Chips(QWidget):
    """Each chip is a text and the colour role of its background."""

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._chips: tuple[tuple[str, str], ...] = ()
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setAccessibleName(name)
        theme.changed.connect(self.updateGeometry)

    def show_chips(self, chips: Sequence[tuple[str, str]]) -> None:
        shown = tuple((one_line(word, _LETTERS), tone) for word, tone in chips[:_MOST])
        if shown != self._chips:
            self._chips = shown
            self.setAccessibleDescription(", ".join(self.texts()))
            self.updateGeometry()
            self.update()

    def texts(self) -> tuple[str, ...]:
        return tuple(text for text, _ in self._chips)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        places = self._places(width)
        return places[-1].bottom() + 1 if places else 0

    def sizeHint(self) -> QSize:
        width = self._theme.unit * 80
        return QSize(width, self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        return QSize(self._theme.unit * 20, self._line())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self._font())
        for place, (word, tone) in zip(self._places(self.width()), self._chips, strict=True):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._theme.soft(tone))
            painter.drawRoundedRect(place, self._theme.unit, self._theme.unit)
            painter.setPen(self._theme.colour(tone))
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, word)
        painter.end()

    def _places(self, width: int) -> list[QRect]:
        unit, line, metrics = self._theme.unit, self._line(), QFontMetrics(self._font())
        places: list[QRect] = []
        left = top = 0
        for word, _ in self._chips:
            wide = metrics.horizontalAdvance(word) + unit * 3
            if left and left + wide > width:
                left, top = 0, top + line + unit
            places.append(QRect(left, top, wide, line))
            left += wide + unit + unit // 2
        return places

    def _line(self) -> int:
        return QFontMetrics(self._font()).height() + self._theme.unit // 2

    def _font(self) -> QFont:
        return self._theme.ui(-1, QFont.Weight.Medium)
