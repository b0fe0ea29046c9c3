"""The table of all servers, as it looks and as the keyboard moves in it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from workbench.gui.context import Context
from workbench.gui.models import all_servers as columns
from workbench.gui.models.all_servers import AllServersModel, Standing

_LETTERS = {
    columns.NAME: 18, columns.CATEGORY: 14, columns.STATE: 15, columns.PROTOCOL: 22, columns.SPEED: 16,
    columns.MEMORY: 12, columns.PROCESS: 12, columns.RESTARTS: 12, columns.TOOLS: 9, columns.RESOURCES: 14,
    columns.PROMPTS: 12, columns.CALLS: 9, columns.ERRORS: 10,
}  # fmt: skip
_LEAST_TELLING = (
    columns.PROCESS, columns.RESTARTS, columns.PROMPTS, columns.RESOURCES, columns.PROTOCOL, columns.CATEGORY,
    columns.CALLS, columns.SPEED, columns.TOOLS, columns.ERRORS, columns.MEMORY,
)  # fmt: skip
_ROOM = 30  # letters the last error should have


class ServersTable(QTableView):
    """Enter or a double click opens a server; what is typed is meant for the filter."""

    chosen = Signal()
    typed = Signal(str)

    def __init__(self, context: Context, model: AllServersModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._model = model
        self.setModel(model)
        self.setAccessibleName(self.tr("All servers"))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        head = self.horizontalHeader()
        head.setHighlightSections(False)
        head.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        head.setSectionResizeMode(columns.LAST_ERROR, QHeaderView.ResizeMode.Stretch)
        head.setSortIndicatorClearable(True)
        head.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.setSortingEnabled(True)
        self.doubleClicked.connect(self.chosen)
        self.installEventFilter(self)
        self._dress()
        context.theme.changed.connect(self._dress)

    def standings(self) -> tuple[Standing, ...]:
        """The servers that are chosen."""
        found = (self._model.standing_at(index) for index in self.selectionModel().selectedRows())
        return tuple(standing for standing in found if standing is not None)

    def fit_columns(self) -> None:
        """Where it is narrow the least telling columns go first; a server's own sheet has them all."""
        named = any(one.state.config.category for one in self._model.standings())
        letters = {column: wide for column, wide in _LETTERS.items() if named or column != columns.CATEGORY}
        self.setColumnHidden(columns.CATEGORY, not named)
        room = self.width() // max(1, self.fontMetrics().averageCharWidth())
        wanted = sum(letters.values()) + _ROOM
        for column in _LEAST_TELLING:
            if column in letters:
                self.setColumnHidden(column, wanted > room)
                wanted -= letters[column] if wanted > room else 0

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers():
            self.chosen.emit()
            return
        super().keyPressEvent(event)

    def keyboardSearch(self, search: str) -> None:
        """A filter finds more than Qt's search for the first letters, and shows it."""
        self.typed.emit(search)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self and event.type() == QEvent.Type.Resize:
            self.fit_columns()
        return super().eventFilter(watched, event)

    def _dress(self) -> None:
        unit = self._context.theme.unit
        self.setIconSize(QSize(unit * 3 + 1, unit * 3 + 1))
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + unit * 3)
        width = self.fontMetrics().averageCharWidth()
        for column, letters in _LETTERS.items():
            self.setColumnWidth(column, width * letters)
