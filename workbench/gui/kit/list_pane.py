"""A list of rows with search, empty state and context menu."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLineEdit, QStackedWidget, QVBoxLayout, QWidget

from workbench.gui.kit.icons import icon
from workbench.gui.kit.lists import (
    EmptyState,
    RowsView,
    Strip,
    action_button,
    lead_focus,
    lead_into,
    open_menu,
    search_box,
)
from workbench.gui.kit.rows import Row, RowsModel
from workbench.gui.kit.theme import Theme

SEARCH_MS = 120  # after the last key
MenuActions = Callable[[str], Sequence[QAction | None]]
"""The actions for the row of this key, with None for a separator; no actions: no menu."""


def menu_action(owner: QObject, text: str, work: Callable[[], object], symbol: str = "", tip: str = "") -> QAction:
    """An action for the menu of a list that is in no table of actions."""
    action = QAction(icon(symbol), text, owner) if symbol else QAction(text, owner)
    action.setToolTip(tip or text)
    action.triggered.connect(lambda: work())  # without `triggered`'s own argument
    return action


class ListPane(QWidget):
    """`show_rows` replaces the rows and keeps the selected one; without rows the empty state is shown."""

    chosen = Signal(str)
    """Carries the key of the row that Enter or a double click opened."""
    selection_changed = Signal()
    """`key()` answers something else now."""
    searched = Signal(str)
    """Carries the text of the search box, a moment after the last key, or as soon as Return is pressed."""
    search_edited = Signal()
    """`search_text()` changed; rows that are filtered now are right when Enter is pressed at once."""

    def __init__(
        self, theme: Theme, name: str, empty: EmptyState, search: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.theme = theme
        self.model = RowsModel(self)
        self.view = RowsView(theme, name, self)
        self.view.setModel(self.model)
        self.empty = empty
        self.strip = Strip(theme, self)
        self.finder: QLineEdit | None = None
        self._menu: MenuActions | None = None
        self._stack = QStackedWidget(self)
        self._stack.addWidget(self.view)
        self._stack.addWidget(empty)
        self._stack.setCurrentWidget(empty)
        self._pause = QTimer(self, singleShot=True, interval=SEARCH_MS)
        self._pause.timeout.connect(self._tell_search)
        if search:
            self.finder = search_box(search, f"Filter: {name}")
            self.finder.textChanged.connect(self._pause.start)
            self.finder.textChanged.connect(lambda _text: self.search_edited.emit())
            self.strip.row.addWidget(self.finder, 1)
            lead_into(self.finder, self.view, self._search_now)
        self.strip.setVisible(bool(search))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.strip)
        column.addWidget(self._stack, 1)
        lead_focus(self, self._stack)
        self.view.chosen.connect(self.chosen)
        self.view.selection_changed.connect(self.selection_changed)
        self.view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.view.customContextMenuRequested.connect(self._open_menu)

    def add_actions(self, *actions: QAction) -> None:
        """Show actions as buttons in the strip."""
        for action in actions:
            self.strip.row.addWidget(action_button(action, self.theme))
        self.strip.show()

    def set_menu(self, actions: MenuActions) -> None:
        """Offer these actions for a row, by right click and by the menu key."""
        self._menu = actions

    def show_rows(self, rows: Sequence[Row]) -> None:
        self.model.show_rows(rows)
        self._stack.setCurrentWidget(self.view if rows else self.empty)

    def key(self) -> str:
        """The key of the selected row, or nothing."""
        return self.view.key()

    def select(self, key: str) -> bool:
        """Select a row and scroll to it; False where no row has this key."""
        index = self.model.find(key)
        if index.isValid():
            self.view.setCurrentIndex(index)
            self.view.scrollTo(index)
        return index.isValid()

    def clear_search(self) -> None:
        if self.finder is not None:
            self.finder.clear()

    def search_text(self) -> str:
        return self.finder.text().strip() if self.finder is not None else ""

    def _search_now(self) -> None:
        """Return opens the first row of what was typed, not of what was shown before."""
        if self._pause.isActive():
            self._tell_search()

    def _tell_search(self) -> None:
        self._pause.stop()
        self.searched.emit(self.search_text())

    def _open_menu(self, place: QPoint) -> None:
        key = self.key()
        open_menu(self.view, self._menu(key) if self._menu is not None and key else (), place)
