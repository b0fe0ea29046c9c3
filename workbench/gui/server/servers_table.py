"""The table of all servers, as it looks and as the keyboard moves in it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from workbench.gui.context import Context
from workbench.gui.models import all_servers as columns
from workbench.gui.models.all_servers import AllServersModel, Standing

_SAMPLES = {
    columns.NAME: "a-rather-long-name", columns.CATEGORY: "Category one", columns.STATE: "□ Starting…  ",
    columns.PROTOCOL: "2025-11-25 · modern", columns.SPEED: "888.8 s", columns.MEMORY: "8,888 MB",
    columns.PROCESS: "8888888", columns.RESTARTS: "888", columns.TOOLS: "88,888", columns.RESOURCES: "88,888",
    columns.PROMPTS: "8,888", columns.CALLS: "888,888", columns.ERRORS: "8,888", columns.LAST_ERROR: "x" * 22,
}  # fmt: skip
"""What a column must have room for, besides its title."""
_LEAST_TELLING = (
    columns.PROCESS, columns.RESTARTS, columns.PROMPTS, columns.RESOURCES, columns.PROTOCOL, columns.CATEGORY,
    columns.CALLS, columns.SPEED, columns.TOOLS, columns.ERRORS, columns.MEMORY,
)  # fmt: skip


class ServersTable(QTableView):
    """Enter or a double click opens a server; what is typed is meant for the filter."""

    chosen = Signal()
    typed = Signal(str)

    def __init__(self, context: Context, model: AllServersModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._model = model
        self._widths: dict[int, int] = {}
        self.setModel(model)
        self.setAccessibleName("All servers")
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
        """Where it is narrow the least telling columns go first; a server's name tells what they said."""
        named = any(one.state.config.category for one in self._model.standings())
        widths = {column: wide for column, wide in self._widths.items() if named or column != columns.CATEGORY}
        self.setColumnHidden(columns.CATEGORY, not named)
        wanted = sum(widths.values())
        room = self.width() - self.verticalScrollBar().sizeHint().width()
        for column in _LEAST_TELLING:
            if column in widths:
                hidden = wanted > room
                self.setColumnHidden(column, hidden)
                wanted -= widths[column] if hidden else 0

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
        for column, sample in _SAMPLES.items():
            words = max(self.fontMetrics().horizontalAdvance(text) for text in (columns.title(column), sample))
            self._widths[column] = words + unit * 6
            self.setColumnWidth(column, self._widths[column])
