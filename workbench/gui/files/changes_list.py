"""What runs, people and undos changed in the workspace, newest first."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QTimer, Signal
from PySide6.QtWidgets import QStackedLayout, QWidget

from workbench.gui.context import Context
from workbench.gui.files.undo_dialog import ask_undo
from workbench.gui.models.changes import HELD, change_rows, held_rows
from workbench.gui.models.rows import RowsModel
from workbench.gui.rows import KEY
from workbench.gui.views import EmptyState, RowsView, lead_focus
from workbench.gui.wishes import Say, ShowChanges
from workbench.records import FileChanges

MOST = 200


class ChangesList(QWidget):
    """One click shows what was changed."""

    wished = Signal(object)
    changed = Signal()
    """Others are chosen."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.model = RowsModel(self)
        self.list = RowsView(context.theme, "What was changed", self)
        self.list.setModel(self.model)
        words = "When a program or you change files, it is listed here, and can be taken back."
        self._empty = EmptyState(context.theme, "history", "Nothing was changed yet", words)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.list)
        lead_focus(self, self._stack)
        self._found: tuple[tuple[FileChanges, ...], tuple[FileChanges, ...]] = ((), ())
        self._minute = QTimer(self, interval=30_000)  # how long ago each was goes on
        self._minute.timeout.connect(self._show)
        self._minute.start()
        self.list.chosen.connect(self._choose)
        self.list.clicked.connect(self._clicked)
        self.list.selection_changed.connect(self._selected)

    def refresh(self) -> None:
        self._context.tasks.run("what was changed", self._read())

    def chosen(self) -> str:
        """Of changes that were made, and so can be undone."""
        key = self.list.key()
        return "" if key.startswith(HELD) else key

    async def undo(self) -> None:
        """Show what undoing would do, and do what is ticked."""
        if key := self.chosen():
            words = await ask_undo(self._context, key, self.window())
            if words:
                self.wished.emit(Say(words))

    async def _read(self) -> None:
        api = self._context.api
        self._load(await api.held_files(), await api.file_changes(MOST))

    def _load(self, held: tuple[FileChanges, ...], changes: tuple[FileChanges, ...]) -> None:
        self._found = (held, changes)
        self._show()
        self._selected()

    def _show(self) -> None:
        held, changes = self._found
        self.model.show_rows([*held_rows(held), *change_rows(changes)])
        self._stack.setCurrentWidget(self.list if changes or held else self._empty)

    def _clicked(self, index: QModelIndex) -> None:
        self._choose(str(index.data(KEY)))

    def _choose(self, key: str) -> None:
        self.wished.emit(ShowChanges(key))

    def _selected(self) -> None:
        self.changed.emit()
