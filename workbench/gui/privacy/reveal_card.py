"""What stands behind one token, for the eyes of the person: a small card beside it that goes away by itself.

Resting the mouse on a chip shows the card; a click or a key shows it with its buttons. Each look is told to the audit
by the core, without the value.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QCloseEvent, QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.gui.context import Context
from workbench.gui.models.privacy import place_words
from workbench.gui.text import ForeignLabel
from workbench.gui.theme import mark
from workbench.gui.views import label
from workbench.records import PrivacyMark, Revealed


class RevealCard(QFrame):
    """One at a time; `look` asks the core."""

    said = Signal(str)
    """A short word, such as what was copied."""

    def __init__(self, context: Context, session: str, parent: QWidget, *, held: bool) -> None:
        super().__init__(parent.window())
        self._before = parent  # what has the keyboard again afterwards
        self._context, self._session, self.held = context, session, held
        self._token = ""
        self.revealed: Revealed | None = None
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        mark(self, kind="reveal")
        self.kind, self.value = label("", "badge"), ForeignLabel()
        mark(self.kind, tone="info")
        mark(self.value, role="mono")
        self.places, self.foot = ForeignLabel(), label("", "muted")
        mark(self.places, role="muted")
        self.copy = QPushButton("Copy")
        self.harmless = QPushButton("This is not personal")
        self._lay_out(context.theme.unit)
        self.hide()
        parent.installEventFilter(self)
        if held:
            QApplication.instance().focusChanged.connect(self._followed)  # type: ignore[union-attr]  # it is running
        self.copy.clicked.connect(self._copy)
        self.harmless.clicked.connect(self._let_pass)

    def look(self, token: str, beside: QRect) -> None:
        """Show what this stands for, below a place on the screen."""
        self._token = token
        self._context.tasks.run("look behind a token", self._ask(token, beside))

    async def _ask(self, token: str, beside: QRect) -> None:
        try:
            found = await self._context.api.reveal(self._session, token)
        except WorkbenchError as fault:
            self._fill("Not known", fault.message, fault.hint, "")
            self.copy.hide()
            self.harmless.hide()
        else:
            self.revealed = found
            seen = "You looked: the audit says so, without the value."
            self._fill(found.kind, found.value, place_words(found.sources, found.went), seen)
        self._place(beside)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """It goes with what it belongs to."""
        if event.type() == QEvent.Type.Hide:
            self.close()
        return False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close()
            return
        super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        if self.held and self._before.isVisible():
            self._before.setFocus(Qt.FocusReason.PopupFocusReason)
        super().closeEvent(event)

    def _followed(self, _: QWidget | None, now: QWidget | None) -> None:
        """It goes when the keyboard goes elsewhere."""
        if now is not None and self.isVisible() and now is not self and not self.isAncestorOf(now):
            self._before = now
            self.close()

    def _fill(self, kind: str, value: str, places: str, foot: str) -> None:
        self.kind.setText(kind)
        self.value.setText(value)
        self.places.setText(places)
        self.places.setVisible(bool(places))
        self.foot.setText(foot)
        self.foot.setVisible(bool(foot))
        self.setAccessibleName(f"{kind}: {value}"[:400])

    def _place(self, beside: QRect) -> None:
        """Below the token, or above it where the screen ends."""
        window, unit = self.window(), self._context.theme.unit
        self.setFixedWidth(min(unit * 90, window.width() - unit * 2))
        self.adjustSize()
        corner = window.mapFromGlobal(beside.topLeft())
        left = max(unit, min(corner.x(), window.width() - self.width() - unit))
        below, above = corner.y() + beside.height() + unit, corner.y() - self.height() - unit
        self.move(QPoint(left, below if below + self.height() <= window.height() else max(unit, above)))
        self.show()
        self.raise_()
        if self.held:
            (self.copy if not self.copy.isHidden() else self).setFocus(Qt.FocusReason.PopupFocusReason)

    def _copy(self) -> None:
        self._context.tasks.run("copy a value", self._copied())

    async def _copied(self) -> None:
        """Told to the audit as what it is."""
        found = await self._context.api.reveal(self._session, self._token, True)
        QGuiApplication.clipboard().setText(found.value)
        self.said.emit("The value was copied; the audit says so.")
        self.close()

    def _let_pass(self) -> None:
        if self.revealed is not None:
            self._context.tasks.run("let a value pass", self._passing(self.revealed.value))

    async def _passing(self, value: str) -> None:
        await self._context.api.mark_privacy(PrivacyMark(False, "value", value))
        self.said.emit("Models see it from now on; take that back under Personal data, Marks.")
        self.close()

    def _lay_out(self, unit: int) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(*(unit * 3,) * 4)
        column.setSpacing(unit)
        head = QHBoxLayout()
        head.setSpacing(unit * 2)
        head.addWidget(self.kind, 0, Qt.AlignmentFlag.AlignTop)
        head.addWidget(self.value, 1)
        column.addLayout(head)
        column.addWidget(self.places)
        column.addWidget(self.foot)
        row = QHBoxLayout()
        for button in (self.copy, self.harmless):
            mark(button, kind="quiet")
            button.setVisible(self.held)
            row.addWidget(button)
        row.addStretch(1)
        column.addLayout(row)
