"""The Files pane: the tree of the workspace, the list of changes, and how much space is used."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QDragMoveEvent, QDropEvent, QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QProgressBar, QStackedLayout, QTabWidget, QWidget

from workbench.events import FilesChanged, FilesHeld
from workbench.gui.files.change_page import ChangesList
from workbench.gui.files.file_commands import FileCommands
from workbench.gui.files.file_model import FilesModel
from workbench.gui.kit.layouts import column
from workbench.gui.kit.lists import EmptyState, RowsTree, Strip, action_button, lead_focus, search_box
from workbench.gui.kit.rows import KEY
from workbench.gui.kit.text import ForeignLabel
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.shell.actions import CHANGED, FILE, PLAIN_FILE
from workbench.gui.shell.commands import Commands
from workbench.gui.shell.context import Context, Pane
from workbench.gui.shell.long_text import size_words
from workbench.gui.shell.navigation import ShowFile
from workbench.records import FileInfo, FileRoom, KeptFiles
from workbench.records.common_types import count_of


class FileTree(RowsTree):
    """Several rows can be selected. Enter opens a file and expands a folder. Files can be dropped on it."""

    dropped = Signal(object, str)
    """Carries the paths of dropped files, and the folder of the workspace they were dropped on."""

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(theme, name, parent)
        self.files = FilesModel(self)
        self.setModel(self.files)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setAcceptDrops(True)
        self.setIndentation(theme.unit * 4)

    def selected_paths(self) -> tuple[str, ...]:
        """The selected paths, without those below a selected folder."""
        paths = sorted({str(index.data(KEY)) for index in self.selectionModel().selectedIndexes()})
        return tuple(path for path in paths if not any(path.startswith(f"{other}/") for other in paths))

    def folder(self) -> str:
        """The selected folder, or the folder of the selected file."""
        return _folder_of(self.files.info(self.currentIndex()))

    def dragEnterEvent(self, event: QDragMoveEvent) -> None:
        if event.mimeData().hasUrls():
            event.acceptProposedAction()

    dragMoveEvent = dragEnterEvent

    def dropEvent(self, event: QDropEvent) -> None:
        paths = tuple(url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile())
        if paths:
            event.acceptProposedAction()
            self.dropped.emit(paths, _folder_of(self.files.info(self.indexAt(event.position().toPoint()))))

    def _choose(self, index: QModelIndex) -> None:
        info = self.files.info(index)
        if info is not None and info.kind == "folder":
            self.setExpanded(index, not self.isExpanded(index))
        else:
            super()._choose(index)


def _folder_of(info: FileInfo | None) -> str:
    if info is None:
        return ""
    return info.path if info.kind == "folder" else info.path.rpartition("/")[0]


class UsageBar(QWidget):
    """How much of the workspace's space and number of files is used."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        unit = theme.unit
        self.text = ForeignLabel(elide=True)
        mark(self.text, role="muted")
        self._bar = QProgressBar()
        self._bar.setRange(0, 1000)
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName("Used space of the workspace")
        column(self, self.text, self._bar, margins=(unit * 3, unit, unit * 3, unit * 2), spacing=unit)

    def show_usage(self, room: FileRoom, kept: KeptFiles) -> None:
        share = max(room.size / max(1, room.most_size), room.files / max(1, room.most_files))
        self._bar.setValue(min(1000, round(share * 1000)))
        text = f"{size_words(room.size)} of {size_words(room.most_size)} · {count_of(room.files, 'file')}"
        nearly_full = "Nearly full: delete files, or raise run.disk_mb or workspace.files."
        self.text.setText(f"{text} — {nearly_full}" if share >= NEARLY_FULL else text)
        mark(self.text, role="warning" if share >= NEARLY_FULL else "muted")
        tip = f"For undo: {size_words(kept.size)} of {size_words(kept.most_size)}, {count_of(kept.changes, 'change')}."
        if kept.cached:
            tip += f"\nCached answers of tools: {kept.cached:,}, {size_words(kept.cached_size)}."
        self.setToolTip(tip)
        self.setAccessibleDescription(tip)


NEARLY_FULL = 0.9
FILES, CHANGES = range(2)
_RELOAD_MS = 60  # many changes cause one request
_SEARCH_MS = 150
_MENU = ("files.open", "files.new", "files.folder", "files.rename", "files.remove", "files.bring", "files.take",
         "files.copy_path", "files.outside")  # fmt: skip


class FilesPane(Pane):
    """Two tabs: the files of the workspace, and the changes to them."""

    def __init__(self, context: Context, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._commands = commands
        self.tree = FileTree(context.theme, "Files of the workspace", self)
        self.model = self.tree.files
        self.finder = search_box("Find a file", "Filter the files")
        self.changes = ChangesList(context, self)
        self.usage = UsageBar(context.theme)
        self.file_commands = FileCommands(context, self, self.tree.folder, self.tree.selected_paths)
        self.tabs = QTabWidget()
        self._path_to_select = ""  # a path that is selected as soon as its folder was read
        self._reload_soon = QTimer(self, singleShot=True, interval=_RELOAD_MS)
        self._search_soon = QTimer(self, singleShot=True, interval=_SEARCH_MS)
        self.empty = EmptyState(context.theme, "folder", "The workspace is empty", "")
        self.empty.offer(commands["files.bring"])
        self._lay_out()
        self._bind()

    def look(self, tab: int) -> None:
        """Show the tab FILES or CHANGES."""
        self.tabs.setCurrentIndex(tab)

    def selected(self) -> FileInfo | None:
        return self.model.info(self.tree.currentIndex())

    def show_path(self, path: str) -> None:
        """Select a file; its folders are read first."""
        self._path_to_select = path
        self.look(FILES)
        self.finder.clear()
        self._select_path()

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

    # loading

    def reload(self) -> None:
        """Load the expanded folders, the changes and the used space again."""
        self.context.tasks.run("space of the workspace", self._load_usage())
        self.changes.reload()
        if self.model.is_flat:
            self._search()
        elif self.model.folders():
            for folder in self.model.folders():
                self._read_folder(folder)
        else:
            self.model.show_tree()

    def _files_changed(self, _event: FilesChanged | FilesHeld) -> None:
        self._reload_soon.start()

    def _read_folder(self, folder: str) -> None:
        self.context.tasks.run("a folder", self._load_folder(folder))

    async def _load_folder(self, folder: str) -> None:
        if folder and not self.model.find(folder).isValid():
            return
        self.model.set_folder(folder, await self.context.api.file_level(folder))
        self._show_tree_or_empty()
        self._select_path()

    async def _load_usage(self) -> None:
        room = await self.context.api.file_room()
        self.usage.show_usage(room, await self.context.api.storage_usage())

    def _search(self) -> None:
        text = self.finder.text().strip().casefold()
        if text:
            self.context.tasks.run("find files", self._find(text))
        elif self.model.is_flat:
            self.model.show_tree()

    async def _find(self, text: str) -> None:
        files = await self.context.api.files()
        if self.finder.text().strip().casefold() == text:
            parts = text.split()
            self.model.show_matches([file for file in files if all(part in file.path.casefold() for part in parts)])
            self._show_tree_or_empty()

    def _show_tree_or_empty(self) -> None:
        is_empty = self.model.rowCount() == 0
        if is_empty and self.model.is_flat:
            self.empty.say("No file matches", "Search for another part of its path.")
        elif is_empty:
            self.empty.say("The workspace is empty", "Files that programs save appear here. Drop files to add them.")
        self._stack.setCurrentWidget(self.empty if is_empty else self.tree)
        self._selection_changed()

    def _select_path(self) -> None:
        """Expand the folders of the path one by one; each of them is read first."""
        if not self._path_to_select:
            return
        parts = self._path_to_select.split("/")
        for end in range(1, len(parts)):
            folder = self.model.find("/".join(parts[:end]))
            if not folder.isValid():
                return
            self.tree.expand(folder)
        index = self.model.find(self._path_to_select)
        if index.isValid():
            self.tree.setCurrentIndex(index)
            self._path_to_select = ""

    # actions

    def _selection_changed(self) -> None:
        info = self.selected()
        self._commands.set_condition(FILE, bool(self.tree.selected_paths()))
        self._commands.set_condition(PLAIN_FILE, info is not None and info.kind == "file" and info.plain)
        self._commands.set_condition(CHANGED, bool(self.changes.undoable()))

    def _open(self, _path: str = "") -> None:
        info = self.selected()
        if info is not None and info.kind == "file":
            self.context.go(ShowFile(info.path))
        elif info is not None and info.kind == "folder":
            self.tree.expand(self.tree.currentIndex())

    def _command_done(self, path: str) -> None:
        if path:
            self.show_path(path)
        self._reload_soon.start()

    def _find_file(self) -> None:
        self.look(FILES)
        self.finder.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.finder.selectAll()

    def _tab_changed(self, _tab: int) -> None:
        self.setFocusProxy(self.tabs.currentWidget())

    def _lay_out(self) -> None:
        theme = self.context.theme
        page, tree = QWidget(), QWidget()
        self._stack = QStackedLayout(tree)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self.tree)
        strip = Strip(theme)
        strip.row.addWidget(self.finder, 1)
        for name in ("files.new", "files.bring"):
            strip.row.addWidget(action_button(self._commands[name], theme))
        column(page, strip, tree, self.usage, grows=tree)
        lead_focus(page, self._stack)
        self.tabs.addTab(page, "Files")
        self.tabs.addTab(self.changes, "Changes")
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setAccessibleName("Files and changes")
        column(self, self.tabs)
        self.setFocusProxy(page)

    def _bind(self) -> None:
        store = self.context.store
        store.linked.connect(self.reload)
        store.on(FilesChanged, self._files_changed)
        store.on(FilesHeld, self._files_changed)
        self.tabs.currentChanged.connect(self._tab_changed)
        self._reload_soon.timeout.connect(self.reload)
        self._search_soon.timeout.connect(self._search)
        self.finder.textChanged.connect(self._search_soon.start)
        self.model.folder_needed.connect(self._read_folder)
        self.tree.chosen.connect(self._open)
        self.tree.typed.connect(self.finder.setText)
        self.tree.dropped.connect(self.file_commands.import_files)
        self.tree.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.tree.addActions([self._commands[name] for name in _MENU])
        self.tree.selectionModel().selectionChanged.connect(self._selection_changed)
        self.changes.selection_changed.connect(self._selection_changed)
        self.file_commands.done.connect(self._command_done)
        self._commands.bind("files.find", self._find_file)
        self._commands.bind("files.open", self._open)
        self._commands.bind("files.undo", self.changes.undo)
