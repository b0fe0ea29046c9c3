"""Draws the tokens in a text as chips, and shows what stands behind one: by resting the mouse, a click, or a key.

It is laid over any text view without being one: the boxes are painted before the view paints its letters.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPen, QTextBlock, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit
from shiboken6 import isValid

from workbench.gui.context import Context
from workbench.gui.privacy.reveal_card import RevealCard
from workbench.gui.privacy.tokens import Written, written

REST_MS = 350  # that a mouse rests on a chip before somebody wants to know
_MOST = 400  # chips that are painted at once


class TokenChips(QObject):
    """Belongs to one text view. Set `session` to whose tokens these are; without one nothing is drawn."""

    said = Signal(str)

    def __init__(self, edit: QPlainTextEdit, context: Context, session: str = "") -> None:
        super().__init__(edit)
        self._edit, self._context = edit, context
        self.session = session
        self._over: tuple[int, Written] | None = None  # the place of the chip under the mouse
        self.card: RevealCard | None = None
        self._rest = QTimer(self, singleShot=True, interval=REST_MS)
        self._rest.timeout.connect(self._rested)
        edit.viewport().setMouseTracking(True)
        edit.viewport().installEventFilter(self)
        edit.installEventFilter(self)
        context.theme.changed.connect(edit.viewport().update)

    def show_tokens_of(self, session: str) -> None:
        """Whose tokens these are, from now on."""
        self.session = session
        self._leave()
        self._edit.viewport().update()

    def reveal_next(self) -> bool:
        """The keyboard's way: look behind the token at the text cursor, or the next one after it."""
        found = self._next() if self.session else None
        if found is None:
            return False
        place, one = found
        cursor = QTextCursor(self._edit.document())
        cursor.setPosition(place + one.start)
        cursor.setPosition(place + one.end, QTextCursor.MoveMode.KeepAnchor)
        self._edit.setTextCursor(cursor)
        self._edit.ensureCursorVisible()
        self._show(place, one, held=True)
        return True

    def at(self, point: QPoint) -> tuple[int, Written] | None:
        """The token below a point of the view, with the place of its block."""
        cursor = self._edit.cursorForPosition(point)
        block = cursor.block()
        for one in written(block.text()) if self.session else ():
            near = one.start <= cursor.positionInBlock() <= one.end
            if near and any(box.contains(point) for box in self._boxes(block.position(), one)):
                return block.position(), one
        return None

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not self.session or not isValid(self._edit):
            return False
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            return event.key() == Qt.Key.Key_F4 and not event.modifiers() and self.reveal_next()
        if watched is not self._edit.viewport():
            return False
        if event.type() == QEvent.Type.Paint:
            self._paint()
        elif isinstance(event, QMouseEvent):
            self._moved(event)
        elif event.type() in (QEvent.Type.Leave, QEvent.Type.Wheel):
            self._leave()
        return False

    def _moved(self, event: QMouseEvent) -> None:
        if event.type() == QEvent.Type.MouseButtonRelease and event.button() == Qt.MouseButton.LeftButton:
            if not self._edit.textCursor().hasSelection() and (found := self.at(event.position().toPoint())):
                self._show(*found, held=True)
        elif event.type() == QEvent.Type.MouseMove:
            found = self.at(event.position().toPoint())
            if found != self._over:
                self._leave()
                self._over = found
                self._edit.viewport().setCursor(
                    Qt.CursorShape.PointingHandCursor if found else Qt.CursorShape.IBeamCursor
                )
                if found is not None and not event.buttons():
                    self._rest.start()

    def _rested(self) -> None:
        if self._over is not None:
            self._show(*self._over, held=False)

    def _leave(self) -> None:
        self._rest.stop()
        self._over = None
        if (
            self.card is not None and isValid(self.card) and not self.card.held
        ):  # one that has the keyboard goes when that goes
            self._put_away()

    def _put_away(self) -> None:
        card, self.card = self.card, None
        if card is not None and isValid(card):
            card.close()

    def _show(self, place: int, one: Written, *, held: bool) -> None:
        self._rest.stop()
        self._put_away()
        boxes = self._boxes(place, one)
        box = boxes[-1] if boxes else QRect()
        self.card = RevealCard(self._context, self.session, self._edit, held=held)
        self.card.said.connect(self.said)
        self.card.look(one.token, QRect(self._edit.viewport().mapToGlobal(box.topLeft()), box.size()))

    def _next(self) -> tuple[int, Written] | None:
        cursor = self._edit.textCursor()
        block, after = cursor.block(), cursor.selectionEnd() - cursor.block().position()
        first = block
        while block.isValid():
            for one in written(block.text()):
                if block != first or one.end > after or (one.start <= after < one.end):
                    return block.position(), one
            block = block.next()
        return self._first()

    def _first(self) -> tuple[int, Written] | None:
        """From the beginning again, after the last one."""
        block = self._edit.document().begin()
        while block.isValid():
            for one in written(block.text()):
                return block.position(), one
            block = block.next()
        return None

    def _paint(self) -> None:
        painter = QPainter(self._edit.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme = self._context.theme
        painter.setPen(QPen(theme.soft("info", 0.45), 1))
        painter.setBrush(theme.soft("info", 0.18))
        for place, one in self._visible():
            for box in self._boxes(place, one):
                painter.drawRoundedRect(QRectF(box).adjusted(-1.5, 0.5, 1.5, -0.5), theme.unit, theme.unit)
        painter.end()

    def _visible(self) -> list[tuple[int, Written]]:
        found: list[tuple[int, Written]] = []
        block: QTextBlock = self._edit.cursorForPosition(QPoint(0, 0)).block()
        last = self._edit.cursorForPosition(self._edit.viewport().rect().bottomRight()).block().blockNumber()
        while block.isValid() and block.blockNumber() <= last and len(found) < _MOST:
            found += [(block.position(), one) for one in written(block.text())]
            block = block.next()
        return found[:_MOST]

    def _boxes(self, place: int, one: Written) -> list[QRect]:
        """Where a token stands in the view; two boxes where the line is broken inside of it."""
        cursor = QTextCursor(self._edit.document())
        cursor.setPosition(place + one.start)
        start = self._edit.cursorRect(cursor)
        cursor.setPosition(place + one.end)
        end = self._edit.cursorRect(cursor)
        if start.top() == end.top():
            return [QRect(start.left(), start.top(), end.left() - start.left(), start.height())]
        margin = int(self._edit.document().documentMargin())
        right = self._edit.viewport().width() - margin
        return [
            QRect(start.left(), start.top(), max(0, right - start.left()), start.height()),
            QRect(margin, end.top(), max(0, end.left() - margin), end.height()),
        ]
