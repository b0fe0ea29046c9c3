"""A page that a server wants visited: where it really leads, large; nothing opens without a press."""

from __future__ import annotations

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from workbench.gui.asks.body import AskBody
from workbench.gui.context import Context
from workbench.gui.fault_card import FaultCard
from workbench.gui.icons import icon
from workbench.gui.plain_edit import PlainEdit
from workbench.gui.text import ForeignLabel, one_line, visible
from workbench.gui.theme import mark
from workbench.gui.views import label
from workbench.records import Ask, Fault


def open_page(url: str) -> bool:
    """Hand exactly this address to the person's browser; False when there is none."""
    address = QUrl(url, QUrl.ParsingMode.StrictMode)
    return address.isValid() and QDesktopServices.openUrl(address)


class PageBody(AskBody):
    """The host, the warnings, the whole address; then how far the visit is."""

    def __init__(self, context: Context, ask: Ask, parent: QWidget | None = None) -> None:
        super().__init__(context, ask, parent)
        self._by_hand = False  # the person opens it somewhere else
        self.host = ForeignLabel(ask.host)
        mark(self.host, role="title")
        self.address = PlainEdit(visible(ask.url))
        self.copy = QPushButton(icon("copy", "muted"), "Copy the address")
        self.elsewhere = QPushButton("I opened it myself")
        self._state = label("", "muted")
        self._state.setWordWrap(True)
        self._fault = FaultCard(context.theme)
        self._lay_out(ask)
        self.copy.clicked.connect(self._copy)
        self.elsewhere.clicked.connect(self._opened_elsewhere)
        self.setFocusProxy(self.copy)
        self.show_ask(ask)

    def send_word(self) -> str:
        if not self.shown.opened:
            return "Open in browser"
        return "Call again" if self.shown.repeats else "Done"

    def before_sending(self) -> bool:
        if self.shown.opened or self._by_hand or open_page(self.shown.url):
            return True
        words = "No browser could be opened."
        self._fault.show_fault(Fault(words, "Copy the address, open it yourself, then say so."))
        self.elsewhere.show()
        return False

    def show_ask(self, ask: Ask) -> None:
        super().show_ask(ask)
        self.elsewhere.setVisible(self.elsewhere.isVisible() and not ask.opened)
        self._state.setText(self._words(ask))

    def _words(self, ask: Ask) -> str:
        if not ask.opened:
            return "What you enter there goes to that page, not through the workbench."
        if ask.repeats:
            return "The page was opened. When you are done there, the call is made again."
        return "The page was opened. This closes when the server says that it is done."

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.shown.url)
        self.elsewhere.setVisible(not self.shown.opened)

    def _opened_elsewhere(self) -> None:
        self._by_hand = True
        self.done.emit()

    def _lay_out(self, ask: Ask) -> None:
        unit = self.context.theme.unit
        column = QVBoxLayout(self)
        column.setContentsMargins(unit * 3, unit * 2, unit * 3, unit * 3)
        column.setSpacing(unit * 2)
        column.addWidget(label("It leads to", "section"))
        column.addWidget(self.host)
        if ask.host_shown:
            reads = ForeignLabel(f"In its own letters: {one_line(ask.host_shown, 200)}")
            column.addWidget(reads)
        for warning in ask.warnings:
            card = FaultCard(self.context.theme)
            card.show_fault(Fault(warning), tone="warning")
            column.addWidget(card)
        column.addWidget(label("The whole address", "section"))
        self._dress_address(unit)
        column.addWidget(self.address)
        buttons = QHBoxLayout()
        buttons.setSpacing(unit * 2)
        for button in (self.copy, self.elsewhere):
            button.setAutoDefault(True)
            mark(button, kind="quiet")
            buttons.addWidget(button)
        buttons.addStretch(1)
        self.elsewhere.hide()
        column.addLayout(buttons)
        column.addWidget(self._fault)
        column.addWidget(self._state)
        column.addStretch(1)

    def _dress_address(self, unit: int) -> None:
        self.address.setReadOnly(True)
        self.address.setTabChangesFocus(True)
        self.address.setAccessibleName("The whole address")
        self.address.setFont(self.context.theme.mono())
        mark(self.address, kind="code")
        lines = min(6, max(2, 1 + len(self.shown.url) // 60))
        self.address.setFixedHeight(self.address.fontMetrics().lineSpacing() * lines + unit * 5)
