"""One message in full: its tree and text, what it belongs to, and what can be done with it again."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QMenu, QTabBar, QToolButton, QVBoxLayout, QWidget

from workbench.gui.context import Context
from workbench.gui.fault_card import FaultCard
from workbench.gui.icons import icon
from workbench.gui.models.frames import exact_time, title, way_words
from workbench.gui.models.pairs import Exchange
from workbench.gui.result import ResultView
from workbench.gui.server.compose import Compose
from workbench.gui.text import ForeignLabel
from workbench.gui.theme import mark
from workbench.gui.views import tool_button
from workbench.gui.whole import size_words
from workbench.gui.words import duration
from workbench.records import Fault

MESSAGE, ANSWER, COMPOSE = range(3)


class FrameDetail(QWidget):
    """Tabs: the message, its other half, and a sheet to write one."""

    whole_wanted = Signal(object)
    """Carries the Exchange whose text is to be shown by `show_text`."""
    copy_wanted = Signal(str)
    """message, pair or request."""
    replay_wanted = Signal()
    edit_wanted = Signal()

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = context.theme
        self.row: Exchange | None = None
        self.text = ""  # of the message on screen, as it passed
        self._told = ForeignLabel("", elide=True)
        self.fault = FaultCard(context.theme)
        self.view = ResultView(context)
        self.compose = Compose(context.theme)
        self.tabs = QTabBar()
        self.replay = tool_button("reload", "Replay: send this request once more", context.theme)
        self.edit = tool_button("pencil", "Edit and replay", context.theme)
        self.copy = self._copy_button()
        self._lay_out(context.theme.unit)
        self.tabs.currentChanged.connect(self._switched)
        self.replay.clicked.connect(self.replay_wanted)
        self.edit.clicked.connect(self.edit_wanted)
        self.show_row(None)
        self._switched(MESSAGE)

    def show_row(self, row: Exchange | None) -> None:
        """Another message is chosen, or the same one has its other half now."""
        known = self.row is row
        self.row = row
        self._told.setText(self._words(row) if row else "Choose a message above, or write one.")
        asks = row is not None and row.request is not None
        own = asks and row is not None and row.request is not None and row.request.frame.direction == ">"
        notice = row is not None and row.frame.kind == "notice" and row.frame.direction == ">"
        for button in (self.replay, self.edit):
            button.setEnabled(bool(own or notice))
        self.copy.setEnabled(row is not None)
        half = row.partner if row else None
        self.tabs.setTabText(ANSWER, "Its request" if half and half is half.request else "Its answer")
        self.tabs.setTabEnabled(ANSWER, half is not None)
        if row is None:
            self.view.clear()
        elif not known and not self.compose.busy:
            self.fault.show_fault(None)
            self.tabs.setCurrentIndex(MESSAGE)
            self._switched(MESSAGE)

    def look(self, tab: int) -> None:
        self.tabs.setCurrentIndex(tab)
        self._switched(tab)

    def looked_at(self) -> Exchange | None:
        """The message whose text is wanted now."""
        if self.row is None or self.tabs.currentIndex() == COMPOSE:
            return None
        return self.row.partner if self.tabs.currentIndex() == ANSWER else self.row

    def show_text(self, text: str) -> None:
        """The whole message."""
        self.text = text
        self.view.show_json(text)

    def say(self, fault: Fault | None, tone: str = "danger") -> None:
        self.fault.show_fault(fault, tone=tone)

    def _switched(self, tab: int) -> None:
        composing = tab == COMPOSE
        self.compose.setVisible(composing)
        self.view.setVisible(not composing)
        self.setFocusProxy(self.compose if composing else self.view)
        if (wanted := self.looked_at()) is not None:
            self.whole_wanted.emit(wanted)

    def _words(self, row: Exchange) -> str:
        frame = row.frame
        parts = [title(row), way_words(frame.direction), exact_time(frame.at), size_words(frame.bytes)]
        if row.ms >= 0:
            parts.append(f"took {duration(row.ms)}")
        if frame.cut:
            parts.append("too long to keep: this is its beginning")
        return "  ·  ".join(parts)

    def _copy_button(self) -> QToolButton:
        button = tool_button("copy", "Copy", self._theme)
        menu = QMenu(button)
        for words, what in (
            ("Copy the message", "message"),
            ("Copy the request as one line of JSON-RPC", "request"),
            ("Copy the request and its answer", "pair"),
        ):
            entry = menu.addAction(icon("copy"), words)
            entry.setData(what)
        menu.triggered.connect(self._copy)
        button.setMenu(menu)
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        return button

    def _copy(self, entry: QAction) -> None:
        self.copy_wanted.emit(str(entry.data()))

    def _lay_out(self, unit: int) -> None:
        for words in ("Message", "Its answer", "Write"):
            self.tabs.addTab(words)
        mark(self.tabs, kind="inline")
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setAccessibleName("The message, its other half, or one to write")
        head = QHBoxLayout()
        head.setContentsMargins(0, 0, unit * 2, 0)
        head.setSpacing(unit)
        head.addWidget(self.tabs)
        mark(self._told, role="muted")
        head.addWidget(self._told, 1)
        for button in (self.replay, self.edit, self.copy):
            head.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self.fault)
        column.addWidget(self.view, 1)
        column.addWidget(self.compose, 1)
