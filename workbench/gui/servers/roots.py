"""The folders a server is told of: none unless a person chooses some. Telling is no lock."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QListWidget, QListWidgetItem, QPushButton, QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.gui.kit.faults import FaultCard
from workbench.gui.kit.icons import icon
from workbench.gui.kit.lists import label
from workbench.gui.kit.text import visible
from workbench.gui.kit.theme import mark
from workbench.gui.servers.page import ServerPage
from workbench.gui.shell.commands import Commands
from workbench.gui.shell.context import Context
from workbench.records import Fault, ServerState

_WORKSPACE = "workspace"


class RootsPage(ServerPage):
    """Each change is written into .mcp.json and told to the server at once."""

    def __init__(self, context: Context, commands: Commands, state: ServerState, parent: QWidget | None = None) -> None:
        super().__init__(context, commands, state, parent)
        self.list = QListWidget()
        self.add = QPushButton(icon("folder", "muted"), "Add a folder…")
        self.workspace = QPushButton("Add the project's workspace")
        self.remove = QPushButton(icon("trash", "muted"), "Remove")
        self._empty = label("", "muted")
        self._fault = FaultCard(context.theme)
        self._lay_out(context.theme.unit)
        self.add.clicked.connect(self._choose)
        self.workspace.clicked.connect(self._add_workspace)
        self.remove.clicked.connect(self._remove)
        self.list.currentRowChanged.connect(self._draw)
        self.setFocusProxy(self.list)
        self.show_state(state)

    def show_state(self, state: ServerState) -> None:
        super().show_state(state)
        if self._shown() != list(state.config.roots):
            row = self.list.currentRow()
            self.list.clear()
            for root in state.config.roots:
                item = QListWidgetItem(icon("folder", "muted"), visible(root))
                item.setData(Qt.ItemDataRole.UserRole, root)
                self.list.addItem(item)
            self.list.setCurrentRow(min(row, self.list.count() - 1))
        self._draw()

    def put(self, folder: str) -> None:
        """Tell the server of one more folder."""
        if folder and folder not in self.state.config.roots:
            self._change((*self.state.config.roots, folder))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Delete and self.remove.isEnabled():
            self._remove()
            return
        super().keyPressEvent(event)

    def _shown(self) -> list[str]:
        return [self.list.item(row).data(Qt.ItemDataRole.UserRole) for row in range(self.list.count())]

    def _choose(self) -> None:
        dialog = QFileDialog(self, f"A folder that {visible(self.server)[:60]} is told of")
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.put)
        dialog.open()

    def _add_workspace(self) -> None:
        self.put(_WORKSPACE)

    def _remove(self) -> None:
        gone = self.list.currentRow()
        self._change(tuple(root for row, root in enumerate(self.state.config.roots) if row != gone))

    def _change(self, roots: tuple[str, ...]) -> None:
        self.context.tasks.run("change the roots of a server", self._send(roots))

    async def _send(self, roots: tuple[str, ...]) -> None:
        try:
            state = await self.context.api.set_roots(self.server, roots)
        except WorkbenchError as fault:
            self._fault.show_fault(Fault(fault.message, fault.hint))
            return
        self._fault.show_fault(None)
        self.show_state(state)

    def _draw(self) -> None:
        builtin = self.state.config.builtin
        self.remove.setEnabled(self.list.currentRow() >= 0 and not builtin)
        self.add.setEnabled(not builtin)
        self.workspace.setEnabled(not builtin and _WORKSPACE not in self.state.config.roots)
        words = "The built-in server uses no folders." if builtin else "It is told of no folder."
        self._empty.setText(words)
        self._empty.setVisible(not self.state.config.roots)

    def _lay_out(self, unit: int) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(unit * 3, unit * 3, unit * 3, unit * 3)
        column.setSpacing(unit * 2)
        words = label(
            (
                "The server may ask which folders it should work in; these are the answer. It is a hint and no lock: "
                "a server that runs as you can read what you can."
            ),
            "muted",
        )
        words.setWordWrap(True)
        column.addWidget(words)
        self.list.setAccessibleName("Folders the server is told of")
        mark(self.list, kind="code")
        column.addWidget(self._empty)
        column.addWidget(self.list, 1)
        row = QHBoxLayout()
        row.setSpacing(unit * 2)
        for button in (self.add, self.workspace, self.remove):
            row.addWidget(button)
        row.addStretch(1)
        column.addLayout(row)
        column.addWidget(self._fault)
