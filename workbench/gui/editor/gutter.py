"""The strip left of the code: line numbers, and a mark with its words where something was found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import Struct
from PySide6.QtCore import QEvent, QRect, QSize, Qt
from PySide6.QtGui import QHelpEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QToolTip, QWidget

from workbench.gui.icons import icon
from workbench.gui.text import plain_tip
from workbench.gui.words import risk_word
from workbench.records import Risk

if TYPE_CHECKING:
    from workbench.gui.editor.code_editor import CodeEditor


class Mark(Struct, frozen=True):
    """What stands in the gutter beside a line."""

    risk: Risk
    words: str


class Gutter(QWidget):
    """Belongs to one editor and draws only the lines one can see."""

    def __init__(self, editor: CodeEditor) -> None:
        super().__init__(editor)
        self._editor = editor
        self._marks: Mapping[int, Mark] = {}
        self.setAccessibleName("Line numbers")

    def show_marks(self, marks: Mapping[int, Mark]) -> None:
        self._marks = marks
        self.update()

    def mark_of(self, line: int) -> Mark | None:
        return self._marks.get(line)

    def wanted_width(self) -> int:
        digits = max(3, len(str(self._editor.line_count())))
        return self._sign() + self.fontMetrics().horizontalAdvance("9") * digits + self._sign() // 2

    def sizeHint(self) -> QSize:
        return QSize(self.wanted_width(), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        scheme = self._editor.scheme
        painter.fillRect(event.rect(), scheme.colour("sunken"))
        current = self._editor.line_of(self._editor.textCursor().block())
        for number, top, height in self._editor.visible_lines():
            if top > event.rect().bottom() or top + height < event.rect().top():
                continue
            painter.setPen(scheme.colour("text" if number == current else "muted"))
            room = QRect(0, top, self.width() - self._sign() // 2, height)
            painter.drawText(room, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop, str(number + 1))
            self._paint_mark(painter, number + 1, top)
        painter.end()

    def _paint_mark(self, painter: QPainter, line: int, top: int) -> None:
        mark = self._marks.get(line)
        if mark is not None:
            word, side = risk_word(mark.risk), self._sign() - 2
            icon(word.icon, word.tone).paint(painter, QRect(1, top + 1, side, side))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        line = self._line_at(event.position().y())
        if line:
            self._editor.go_to(line)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            mark = self._marks.get(self._line_at(event.pos().y()))
            QToolTip.showText(event.globalPos(), plain_tip(mark.words) if mark else "", self)
            return True
        return super().event(event)

    def _line_at(self, y: float) -> int:
        for number, top, height in self._editor.visible_lines():
            if top <= y < top + height:
                return number + 1
        return 0

    def _sign(self) -> int:
        return self.fontMetrics().height()
