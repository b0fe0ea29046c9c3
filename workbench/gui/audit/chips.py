"""The row of chips below the audit's search: what it is filtered by, and filters that were kept for later."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QScrollArea, QWidget

from workbench.gui.audit.filters import Filters, put, read, told
from workbench.gui.icons import icon
from workbench.gui.text import one_line, plain_tip
from workbench.gui.theme import Theme, mark


class ChipRow(QScrollArea):
    """Hidden while there is nothing in it. A chip goes by a click, by Enter, or by Delete."""

    changed = Signal()
    """Other filters."""
    recalled = Signal(str)
    """A kept filter was chosen: its text and its chips, as `filters.line` writes them."""
    kept_changed = Signal(object)
    """Carries all kept filters, as texts."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.filters: Filters = ()
        self.kept: tuple[str, ...] = ()
        self._line: Callable[[], str] = str  # what would be kept now
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setFixedHeight(self.fontMetrics().height() + theme.unit * 4)
        self.hide()

    def bind(self, line: Callable[[], str]) -> None:
        """Where the text to be kept with the chips comes from."""
        self._line = line

    def show_chips(self, filters: Filters, kept: tuple[str, ...] | None = None) -> None:
        """Others than before; nothing is told."""
        had = self._focused()
        self.filters, self.kept = filters, self.kept if kept is None else kept
        page = QWidget()
        row = QHBoxLayout(page)
        row.setContentsMargins(self._theme.unit * 2, 0, self._theme.unit * 2, self._theme.unit)
        row.setSpacing(self._theme.unit)
        for one in filters:
            row.addWidget(self._chip(told(one), partial(self._drop, one.field), "Remove the filter {}", "close"))
        if filters and self._line() not in self.kept:
            row.addWidget(self._quiet("Keep this filter", self._keep))
        for text in self.kept:
            if text != self._line():
                row.addWidget(self._kept_chip(text))
        row.addStretch(1)
        self.setWidget(page)
        self.setVisible(bool(filters or self.kept))
        if had and (first := page.findChild(QPushButton)) is not None:
            first.setFocus(Qt.FocusReason.OtherFocusReason)

    def add(self, filters: Filters) -> None:
        for one in filters:
            self.filters = put(self.filters, one)
        self.show_chips(self.filters)
        self.changed.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and isinstance(watched, QPushButton):
            if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
                if text := watched.property("kept"):
                    self._forget(str(text))
                else:
                    watched.click()
                return True
            if event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right):
                self.focusNextPrevChild(event.key() == Qt.Key.Key_Right)
                return True
        return super().eventFilter(watched, event)

    def _chip(self, text: str, deed: Callable[[], None], name: str, symbol: str) -> QPushButton:
        chip = QPushButton(text)
        mark(chip, kind="chip")
        chip.setCheckable(True)
        chip.setChecked(True)
        chip.setIcon(icon(symbol, "accent"))
        chip.setLayoutDirection(Qt.LayoutDirection.RightToLeft)  # the cross stands behind the words
        chip.setAccessibleName(name.format(text))
        chip.setToolTip(plain_tip(name.format(text)))
        chip.installEventFilter(self)
        chip.clicked.connect(deed)
        return chip

    def _kept_chip(self, kept: str) -> QPushButton:
        text, filters = read(kept)
        words = ", ".join(filter(None, (text, *map(told, filters))))
        chip = self._chip(one_line(words, 60), partial(self.recalled.emit, kept), "Use the kept filter {}", "bookmark")
        chip.setCheckable(False)
        chip.setIcon(icon("bookmark", "muted"))
        chip.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        chip.setProperty("kept", kept)
        chip.setToolTip("Use this kept filter. Delete forgets it.")
        return chip

    def _quiet(self, text: str, deed: Callable[[], None]) -> QPushButton:
        button = QPushButton(text)
        mark(button, kind="quiet")
        button.clicked.connect(deed)
        return button

    def _drop(self, field: str) -> None:
        self.show_chips(tuple(one for one in self.filters if one.field != field))
        self.changed.emit()

    def _keep(self) -> None:
        self.kept = (*self.kept, self._line())[-8:]
        self.show_chips(self.filters)
        self.kept_changed.emit(self.kept)

    def _forget(self, kept: str) -> None:
        self.kept = tuple(one for one in self.kept if one != kept)
        self.show_chips(self.filters)
        self.kept_changed.emit(self.kept)

    def _focused(self) -> bool:
        page, focus = self.widget(), self.window().focusWidget()
        return page is not None and focus is not None and page.isAncestorOf(focus)
