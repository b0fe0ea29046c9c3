"""The table of a server's messages, as it looks and as it follows its end."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from workbench.gui.context import Context
from workbench.gui.models.frames import ID, SIZE, TIME, TOOK, WHAT, FramesModel

_LETTERS = {TIME: 15, ID: 6, TOOK: 10, SIZE: 10}
_LEAST_TELLING = (ID, SIZE, TOOK, TIME)
_ROOM = 34  # letters a message's words should have


class FrameTable(QTableView):
    """Enter on a row opens it; End goes to the newest message and stays there."""

    chosen = Signal()
    followed = Signal(bool)
    """Whether new messages are to stay in sight."""

    def __init__(self, context: Context, model: FramesModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.following = True
        self.setModel(model)
        self.setAccessibleName("Messages of the server")
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setSortingEnabled(True)
        self.sortByColumn(TIME, Qt.SortOrder.AscendingOrder)
        self.verticalHeader().hide()
        head = self.horizontalHeader()
        head.setHighlightSections(False)
        head.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        head.setSectionResizeMode(WHAT, QHeaderView.ResizeMode.Stretch)
        head.sortIndicatorChanged.connect(self._sorted)
        self.verticalScrollBar().actionTriggered.connect(self._scrolled)
        self.verticalScrollBar().rangeChanged.connect(self.keep_up)
        self.doubleClicked.connect(self.chosen)
        self.installEventFilter(self)
        self._dress()
        context.theme.changed.connect(self._dress)

    def follow(self, on: bool) -> None:
        if on != self.following:
            self.following = on
            self.followed.emit(on)
        self.keep_up()

    def keep_up(self) -> None:
        """After messages came."""
        if self.following:
            self.scrollToBottom()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self and event.type() == QEvent.Type.Resize:
            self._fit_columns()
            self.keep_up()
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers():
            self.chosen.emit()
            return
        if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_PageUp, Qt.Key.Key_Home):
            self.follow(False)
        super().keyPressEvent(event)
        if event.key() == Qt.Key.Key_End:
            self.follow(True)

    def _scrolled(self, _action: int) -> None:
        """A person moved the bar: at the end it follows, elsewhere it stays. The place is the one it will have."""
        bar = self.verticalScrollBar()
        self.follow(bar.sliderPosition() >= bar.maximum())

    def _sorted(self, column: int, order: Qt.SortOrder) -> None:
        if (column, order) != (TIME, Qt.SortOrder.AscendingOrder):
            self.follow(False)

    def _fit_columns(self) -> None:
        """Where it is narrow the least telling columns go first; the detail below has them all."""
        room = self.width() // max(1, self.fontMetrics().averageCharWidth())
        wanted = sum(_LETTERS.values()) + _ROOM
        for column in _LEAST_TELLING:
            self.setColumnHidden(column, wanted > room)
            wanted -= _LETTERS[column] if wanted > room else 0

    def _dress(self) -> None:
        unit = self._context.theme.unit
        self.setIconSize(QSize(unit * 3 + 1, unit * 3 + 1))
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + unit + 2)
        width = self.fontMetrics().averageCharWidth()
        for column, letters in _LETTERS.items():
            self.setColumnWidth(column, width * letters)
