"""The tree of files: opens folders level by level, takes files that are dropped on it."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QRect, Signal
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent, QPainter
from PySide6.QtWidgets import QAbstractItemView, QWidget

from workbench.gui.icons import icon
from workbench.gui.models.files import FilesModel
from workbench.gui.rows import KEY
from workbench.gui.theme import Theme
from workbench.gui.views import Index, RowsTree


class FileTree(RowsTree):
    """Several rows can be chosen; Enter opens a file, or a folder below itself."""

    dropped = Signal(object, str)
    """Carries the paths of files from elsewhere, and the folder they were dropped on."""

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(theme, name, parent)
        self.model_ = FilesModel(self)
        self.setModel(self.model_)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setAcceptDrops(True)
        self.setIndentation(theme.unit * 4)

    def chosen_paths(self) -> tuple[str, ...]:
        """Those that are selected, without what lies in a folder that is."""
        paths = sorted({str(index.data(KEY)) for index in self.selectionModel().selectedIndexes()})
        return tuple(path for path in paths if not any(path.startswith(f"{other}/") for other in paths))

    def folder(self) -> str:
        """Where something new would go: the chosen folder, or the one of the chosen file."""
        info = self.model_.info(self.currentIndex())
        if info is None:
            return ""
        return info.path if info.kind == "folder" else info.path.rpartition("/")[0]

    def drawBranches(self, painter: QPainter, rect: QRect, index: Index) -> None:
        if not index.model().hasChildren(index):
            return
        size = self._theme.unit * 3
        name = "chevron-down" if self.isExpanded(index) else "chevron-right"
        place = QRect(rect.right() - size - self._theme.unit // 2, rect.center().y() - size // 2 + 1, size, size)
        icon(name, "muted").paint(painter, place)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        if event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        paths = tuple(url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile())
        if paths:
            info = self.model_.info(self.indexAt(event.position().toPoint()))
            folder = "" if info is None else info.path if info.kind == "folder" else info.path.rpartition("/")[0]
            event.acceptProposedAction()
            self.dropped.emit(paths, folder)

    def _choose(self, index: QModelIndex) -> None:
        info = self.model_.info(index)
        if info is not None and info.kind == "folder":
            self.setExpanded(index, not self.isExpanded(index))
        else:
            super()._choose(index)
