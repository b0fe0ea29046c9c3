"""The tree of files: opens folders level by level, takes files that are dropped on it."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPoint, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QMenu,
    QProgressBar,
    QStackedLayout,
    QStackedWidget,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from workbench.events import Event, FilesChanged, FilesHeld
from workbench.gui.files.change_page import ChangesList
from workbench.gui.files.file_commands import FileDeeds
from workbench.gui.files.file_model import FilesModel
from workbench.gui.kit.icons import icon
from workbench.gui.kit.lists import EmptyState, Index, RowsTree, Strip, action_button, lead_focus, search_box
from workbench.gui.kit.rows import KEY
from workbench.gui.kit.text import ForeignLabel
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.shell.actions import CHANGED, FILE, PLAIN_FILE
from workbench.gui.shell.commands import Commands
from workbench.gui.shell.context import Context, Pane
from workbench.gui.shell.long_text import size_words
from workbench.gui.shell.navigation import ShowFile
from workbench.records import FileInfo, FileRoom, KeptFiles


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


_TIGHT = 0.9  # of what it may hold


class RoomBar(QWidget):
    """Below the tree."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        unit = theme.unit
        self._words = ForeignLabel(elide=True)
        mark(self._words, role="muted")
        self._bar = QProgressBar()
        self._bar.setRange(0, 1000)
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName("How full the workspace is")
        column = QVBoxLayout(self)
        column.setContentsMargins(unit * 3, unit, unit * 3, unit * 2)
        column.setSpacing(unit)
        column.addWidget(self._words)
        column.addWidget(self._bar)

    def show_room(self, room: FileRoom, kept: KeptFiles) -> None:
        share = max(room.size / max(1, room.most_size), room.files / max(1, room.most_files))
        self._bar.setValue(min(1000, round(share * 1000)))
        files = "1 file" if room.files == 1 else f"{room.files:,} files"
        words = f"{size_words(room.size)} of {size_words(room.most_size)} · {files}"
        full = "Almost full: delete files, or raise run.disk_mb or workspace.files."
        self._words.setText(f"{words} — {full}" if share >= _TIGHT else words)
        mark(self._words, role="warning" if share >= _TIGHT else "muted")
        undo = f"For undoing: {size_words(kept.size)} of {size_words(kept.most_size)} in {kept.changes} changes."
        cached = f"Kept answers of tools: {kept.cached}, {size_words(kept.cached_size)}."
        self.setToolTip(f"{undo}\n{cached}" if kept.cached else undo)
        self.setAccessibleDescription(self.toolTip())


FILES, CHANGES = range(2)
_GATHER_MS = 60  # changes that come together are read together
_MENU = ("files.open", "files.new", "files.folder", "files.rename", "files.remove", "files.bring", "files.take",
         "files.copy_path", "files.outside")  # fmt: skip


class FilesPane(Pane):
    """Two lists in one place, as in the pane Calls."""

    def __init__(self, context: Context, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._commands = commands
        self.tree = FileTree(context.theme, "Files of the workspace", self)
        self.model = self.tree.model_
        self.finder = search_box("Find a file", "Filter the files")
        self.changes = ChangesList(context, self)
        self.room = RoomBar(context.theme)
        self.deeds = FileDeeds(context, self)
        self.tabs = QTabBar()
        self._wanted = ""  # a path to be chosen as soon as it is there
        self._pages = QStackedWidget()
        self._gather = QTimer(self, singleShot=True, interval=_GATHER_MS)
        self._pause = QTimer(self, singleShot=True, interval=150)
        self._empty = self._make_empty()
        self._lay_out()
        self._bind()

    def hear(self, event: Event) -> None:
        if isinstance(event, FilesChanged | FilesHeld):
            self._gather.start()

    def refresh(self) -> None:
        self._read_again()

    def look(self, tab: int) -> None:
        """Bring files or changes to the front."""
        self.tabs.setCurrentIndex(tab)

    def chosen(self) -> FileInfo | None:
        return self.model.info(self.tree.currentIndex())

    def show_path(self, path: str) -> None:
        """Choose a file, now or when its folder was read."""
        self._wanted = path
        self.look(FILES)
        if self.finder.text():
            self.finder.clear()
        self._choose_wanted()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        plain = event.modifiers() == Qt.KeyboardModifier.NoModifier
        if event.key() == Qt.Key.Key_Escape and self.finder.text():
            self.finder.clear()
        elif event.key() == Qt.Key.Key_Down and self.finder.hasFocus():
            self.tree.setFocus()
            if not self.tree.currentIndex().isValid():
                self.tree.setCurrentIndex(self.model.index(0, 0))
        elif event.key() == Qt.Key.Key_Delete and plain and self.tree.hasFocus():
            self._commands.do("files.remove")
        elif event.key() == Qt.Key.Key_F2 and plain and self.tree.hasFocus():
            self._commands.do("files.rename")
        else:
            super().keyPressEvent(event)

    # what is shown

    def _read_again(self) -> None:
        self.context.tasks.run("the workspace's room", self._load_room())
        self.changes.refresh()
        if self.model.flat:
            self._sift()
        elif self.model.folders():
            for folder in self.model.folders():
                self._read(folder)
        else:
            self.model.show_tree()

    def _read(self, folder: str) -> None:
        self.context.tasks.run("a folder", self._load(folder))

    async def _load(self, folder: str) -> None:
        if folder and not self.model.find(folder).isValid():
            return
        self.model.fill(folder, await self.context.api.file_level(folder))
        self._fill()
        self._choose_wanted()

    async def _load_room(self) -> None:
        room = await self.context.api.file_room()
        self.room.show_room(room, await self.context.api.storage_usage())

    def _sift(self) -> None:
        words = self.finder.text().strip().casefold()
        if words:
            self.context.tasks.run("find files", self._find(words))
        elif self.model.flat:
            self.model.show_tree()

    async def _find(self, words: str) -> None:
        found = await self.context.api.files()
        if self.finder.text().strip().casefold() == words:
            parts = words.split()
            self.model.show_found([one for one in found if all(part in one.path.casefold() for part in parts)])
            self._fill()

    def _fill(self) -> None:
        empty = self.model.rowCount() == 0
        if empty and self.model.flat:
            self._empty.say("No file fits", "Look for another part of its path.")
        elif empty:
            words = "What programs save in workspace/ appears here. Drop files here to give them to programs."
            self._empty.say("The workspace is empty", words)
        self._stack.setCurrentWidget(self._empty if empty else self.tree)
        self._selected()

    def _choose_wanted(self) -> None:
        """Open its folders one by one; each asks the core."""
        if not self._wanted:
            return
        parts = self._wanted.split("/")
        for end in range(1, len(parts)):
            folder = self.model.find("/".join(parts[:end]))
            if not folder.isValid():
                return
            self.tree.expand(folder)
        index = self.model.find(self._wanted)
        if index.isValid():
            self.tree.setCurrentIndex(index)
            self._wanted = ""

    # what a person does

    def _selected(self) -> None:
        info = self.chosen()
        self._commands.hold(FILE, bool(self.tree.chosen_paths()))
        self._commands.hold(PLAIN_FILE, info is not None and info.kind == "file" and info.plain)
        self._commands.hold(CHANGED, bool(self.changes.chosen()))

    def _open(self) -> None:
        info = self.chosen()
        if info is not None and info.kind == "file":
            self.context.go(ShowFile(info.path))
        elif info is not None and info.kind == "folder":
            self.tree.expand(self.tree.currentIndex())

    def _chose(self, path: str) -> None:
        self._open()

    def _done(self, path: str) -> None:
        if path:
            self.show_path(path)
        self._gather.start()

    def _show_menu(self, place: QPoint) -> None:
        menu = QMenu(self)
        menu.addActions([self._commands[name] for name in _MENU])
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.tree.viewport().mapToGlobal(place))

    def _say(self, words: str) -> None:
        self.context.say(words)

    def _find_file(self) -> None:
        self.look(FILES)
        self.finder.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.finder.selectAll()

    def _turned(self, tab: int) -> None:
        self._pages.setCurrentIndex(tab)
        self.setFocusProxy(self.changes if tab == CHANGES else self._tree_page)

    # what it is made of

    def _make_empty(self) -> EmptyState:
        empty = EmptyState(self.context.theme, "folder", "The workspace is empty", "")
        empty.offer(self._commands["files.bring"])
        return empty

    def _lay_out(self) -> None:
        theme = self.context.theme
        self._tree_page, tree = QWidget(), QWidget()
        self._stack = QStackedLayout(tree)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.tree)
        strip = Strip(theme)
        strip.row.addWidget(self.finder, 1)
        for name in ("files.new", "files.bring"):
            strip.row.addWidget(action_button(self._commands[name], theme))
        page = QVBoxLayout(self._tree_page)
        page.setContentsMargins(0, 0, 0, 0)
        page.setSpacing(0)
        for part, share in ((strip, 0), (tree, 1), (self.room, 0)):
            page.addWidget(part, share)
        lead_focus(self._tree_page, self._stack)
        for words, inner in (("Files", self._tree_page), ("Changes", self.changes)):
            self.tabs.addTab(words)
            self._pages.addWidget(inner)
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setAccessibleName("Files, or what was changed")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.tabs)
        column.addWidget(self._pages, 1)
        self.setFocusProxy(self._tree_page)

    def _bind(self) -> None:
        self.tabs.currentChanged.connect(self._turned)
        self._gather.timeout.connect(self._read_again)
        self._pause.timeout.connect(self._sift)
        self.finder.textChanged.connect(self._pause.start)
        self.model.wants.connect(self._read)
        self.tree.chosen.connect(self._chose)
        self.tree.typed.connect(self.finder.setText)
        self.tree.dropped.connect(self.deeds.brought)
        self.tree.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.tree.customContextMenuRequested.connect(self._show_menu)
        self.tree.selectionModel().selectionChanged.connect(self._selected)
        self.changes.changed.connect(self._selected)
        self.deeds.done.connect(self._done)
        bind, deeds, tree = self._commands.bind, self.deeds, self.tree
        bind("files.find", self._find_file)
        bind("files.open", self._open)
        bind("files.new", lambda: deeds.new_file(tree.folder()))
        bind("files.folder", lambda: deeds.new_folder(tree.folder()))
        bind("files.rename", lambda: deeds.rename(tree.chosen_paths()[0]))
        bind("files.remove", lambda: deeds.remove(tree.chosen_paths()))
        bind("files.bring", lambda: deeds.bring(tree.folder()))
        bind("files.take", lambda: deeds.take(tree.chosen_paths()[0]))
        bind("files.copy_path", lambda: deeds.copy_path(tree.chosen_paths()[0]))
        bind("files.outside", lambda: deeds.show_outside((tree.chosen_paths() or ("",))[0]))
        bind("files.undo", self.changes.undo)
        bind("files.forget", deeds.forget)
        bind("cache.clear", deeds.clear_cache)
