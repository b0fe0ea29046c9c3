"""The page Files in the centre: one file to look at, or what somebody changed with its differences."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.events import Event, FilesChanged, FilesHeld
from workbench.gui.context import Context
from workbench.gui.files.change_page import ChangePage
from workbench.gui.files.preview import Preview
from workbench.gui.pane import Pane
from workbench.gui.views import EmptyState
from workbench.gui.whole import fetch_whole, whole_size
from workbench.gui.wishes import Say
from workbench.records import FilePiece


class FilesPage(Pane):
    """Made when it is first asked for."""

    named = Signal(str)
    """What its tab is called now."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._path = ""
        self.preview = Preview(context)
        self.changes = ChangePage(context)
        self._gone = EmptyState(context.theme, "file", "No file is open", "")
        self._stack = QStackedLayout(self)
        for page in (self._gone, self.preview, self.changes):
            self._stack.addWidget(page)
        self.preview.more_wanted.connect(self._read_on)
        self.preview.said.connect(self._say)
        self.changes.wished.connect(self.wished)

    def hear(self, event: Event) -> None:
        if isinstance(event, FilesChanged | FilesHeld):
            self.refresh()

    def refresh(self) -> None:
        if self._stack.currentWidget() is self.changes:
            self.changes.refresh()
        elif self._path:
            self.show_file(self._path)

    def show_file(self, path: str) -> None:
        """From its beginning."""
        self._path = path
        self.named.emit(path.rpartition("/")[2])
        self.context.tasks.run("read a file", self._load(path, 0))

    def show_changes(self, name: str) -> None:
        self._path = ""
        self._turn(self.changes)
        self.named.emit("Changed files")
        self.changes.show_changes(name)

    def _read_on(self, start: int) -> None:
        self.context.tasks.run("read on in a file", self._load(self._path, start))

    async def _load(self, path: str, start: int) -> None:
        try:
            piece = await self.context.api.file_piece(path, start)
        except WorkbenchError as fault:
            if path == self._path:
                self._gone.say(fault.message, fault.hint)
                self._turn(self._gone)
            return
        text = await self._whole(piece)
        if path == self._path:
            self.preview.show_piece(piece, text)
            self._turn(self.preview)

    async def _whole(self, piece: FilePiece) -> str:
        """Long texts come as a handle and are fetched in slices."""
        return (await fetch_whole(self.context.fetch, [piece.text]))[0] if whole_size([piece.text]) else piece.text

    def _turn(self, page: QWidget) -> None:
        self._stack.setCurrentWidget(page)
        self.setFocusProxy(page)

    def _say(self, words: str) -> None:
        self.wished.emit(Say(words))
