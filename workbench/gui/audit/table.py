"""The table of entries: columns that give way where it is narrow, and a menu that narrows down to what a row has."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QMenu, QTableView, QWidget

from workbench.gui.audit.filters import Filter, told
from workbench.gui.models import audit as columns
from workbench.gui.models.audit import AuditModel
from workbench.gui.theme import Theme

LETTERS = (9, 10, 15, 30, 17, 22, 13, 10, 10)
"""Widths of the columns in letters; the fourth takes what is left."""
LEAST_TELLING = (
    columns.TOKENS, columns.WHO, columns.MS, columns.TOOL, columns.RISK, columns.SEQ, columns.KIND,
)  # fmt: skip


class AuditTable(QTableView):
    """Enter shows the road of a run; the menu key opens the menu."""

    only = Signal(object)
    """Carries the Filter that the entries are to be narrowed down by."""
    road_wanted = Signal()

    def __init__(self, theme: Theme, model: AuditModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._entries = model
        unit = theme.unit
        self.setModel(model)
        self.setAccessibleName("Audit entries")
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setShowGrid(False)
        self.setIconSize(QSize(unit * 3 + 1, unit * 3 + 1))
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + unit * 2)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._open_menu)
        self.doubleClicked.connect(self.road_wanted)
        head = self.horizontalHeader()
        head.setHighlightSections(False)
        head.setMinimumSectionSize(unit * 6)
        head.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        head.setSectionResizeMode(columns.WHAT, QHeaderView.ResizeMode.Stretch)
        width = self.fontMetrics().averageCharWidth()
        for column, letters in enumerate(LETTERS):
            self.setColumnWidth(column, width * letters)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.road_wanted.emit()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where it is narrow the least telling columns go first; the entry beside the table has them all."""
        super().resizeEvent(event)
        room = self.width() // max(1, self.fontMetrics().averageCharWidth())
        shown = sum(LETTERS)
        for column in LEAST_TELLING:
            self.setColumnHidden(column, shown > room)
            shown -= LETTERS[column] if shown > room else 0

    def _open_menu(self, place: QPoint) -> None:
        menu = self.narrowing()
        if menu is not None:
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            menu.popup(self.viewport().mapToGlobal(place))

    def narrowing(self) -> QMenu | None:
        """The menu of the chosen entry."""
        entry = self._entries.entry(self.currentIndex())
        if entry is None:
            return None
        note, menu = entry.note, QMenu(self)
        if note.run_id:
            menu.addAction("Show timeline").triggered.connect(self.road_wanted)
            menu.addSeparator()
        values = (
            ("run", note.run_id), ("session", note.session), ("actor", note.actor), ("server", note.server),
            ("tool", note.tool), ("risk", note.risk), ("kind", note.kind), ("outcome", "" if note.ok else "failed"),
        )  # fmt: skip
        for field, value in values:
            if value:
                one = Filter(field, value)
                words = f"Only {told(one)}".replace("&", "&&")
                menu.addAction(words).triggered.connect(partial(self._choose, one))
        return menu

    def _choose(self, one: Filter, checked: bool = False) -> None:
        self.only.emit(one)
