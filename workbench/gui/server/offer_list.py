"""The list on the left of a page about what a server offers: a filter, the entries, and what to say where none are."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QStackedLayout, QVBoxLayout, QWidget

from workbench.gui.models.offer_rows import OfferEntry, OfferRows
from workbench.gui.rows import KEY
from workbench.gui.theme import Theme
from workbench.gui.views import EmptyState, RowsView, Strip, label, search_box

_PAUSE_MS = 80


class OfferList(QWidget):
    """Moving looks at an entry (`looked`); Enter or a click wants it (`wanted`). Both carry its key."""

    looked = Signal(str)
    wanted = Signal(str)

    def __init__(self, theme: Theme, name: str, finder: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = OfferRows(self)
        self.view = RowsView(theme, name, self)
        self.view.setUniformItemSizes(True)
        self.view.setModel(self.model)
        self.finder = search_box(finder, finder)
        self._count = label("", "muted")
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._none = EmptyState(theme, "search", "Nothing has these words", "Try fewer letters.")
        self._none.offer(text="Clear the filter").clicked.connect(self.finder.clear)
        self._lay_out(theme)
        self.finder.textChanged.connect(self._pause.start)
        self.finder.returnPressed.connect(self._to_first)
        self._pause.timeout.connect(self._sift)
        self.view.chosen.connect(self.wanted)
        self.view.clicked.connect(self._clicked)
        self.view.selectionModel().currentChanged.connect(self._moved)
        self.setFocusProxy(self.view)

    def show_entries(self, entries: Sequence[OfferEntry]) -> None:
        """Become these; the chosen one stays chosen, and the list stays where it was scrolled to."""
        key, place = self.view.key(), self.view.verticalScrollBar().value()
        self.model.show_entries(entries)
        self._tell()
        if (index := self.model.find(key)).isValid():
            self.view.selectionModel().blockSignals(True)
            self.view.setCurrentIndex(index)
            self.view.selectionModel().blockSignals(False)
            self.view.verticalScrollBar().setValue(place)

    def choose(self, key: str) -> bool:
        """Go to an entry, whatever the filter says; False when there is none."""
        if not self.model.find(key).isValid():
            self.finder.clear()
            self._sift()
        index = self.model.find(key)
        if index.isValid():
            self.view.setCurrentIndex(index)
        return index.isValid()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.finder.text():
            self.finder.clear()
        elif event.key() == Qt.Key.Key_Down and self.finder.hasFocus():
            self._to_first()
        else:
            super().keyPressEvent(event)

    def _lay_out(self, theme: Theme) -> None:
        strip = Strip(theme)
        strip.row.addWidget(self.finder, 1)
        strip.row.addWidget(self._count)
        stacked = QWidget()
        self._stack = QStackedLayout(stacked)
        self._stack.addWidget(self.view)
        self._stack.addWidget(self._none)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(strip)
        column.addWidget(stacked, 1)

    def _sift(self) -> None:
        self._pause.stop()
        key = self.view.key()
        self.model.filter(self.finder.text())
        self._tell()
        if (index := self.model.find(key)).isValid():
            self.view.setCurrentIndex(index)

    def _tell(self) -> None:
        shown, total = self.model.rowCount(), self.model.total()
        self._count.setText(str(total) if shown == total else f"{shown} of {total}")
        self._stack.setCurrentWidget(self.view if shown or not total else self._none)

    def _to_first(self) -> None:
        self._sift()
        if self.model.rowCount():
            self.view.setCurrentIndex(self.model.index(0))
            self.view.setFocus(Qt.FocusReason.TabFocusReason)

    def _clicked(self) -> None:
        if key := self.view.key():
            self.wanted.emit(key)

    def _moved(self, index: QModelIndex) -> None:
        if index.isValid():
            self.looked.emit(self.view.key() or str(self.model.data(index, KEY)))
