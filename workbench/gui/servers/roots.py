"""The page with the MCP roots of a server: folders that it is told to work in. Roots restrict nothing."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QFileDialog, QListWidget, QListWidgetItem, QPushButton

from workbench.errors import WorkbenchError
from workbench.gui.kit.icons import icon
from workbench.gui.kit.layouts import column, row
from workbench.gui.kit.lists import label, paragraph
from workbench.gui.kit.notice import Notice
from workbench.gui.kit.text import visible
from workbench.gui.kit.theme import mark
from workbench.gui.servers.server_page import ServerPage
from workbench.gui.shell.context import Context
from workbench.records import Fault, ServerState

_WORKSPACE = "workspace"


class RootsPage(ServerPage):
    """Each change is written to `.mcp.json` and sent to the server at once."""

    def __init__(self, context: Context, state: ServerState) -> None:
        super().__init__(context, state)
        self.list = QListWidget()
        self.add = QPushButton(icon("folder", "muted"), "Add folder…")
        self.workspace = QPushButton("Add the workspace")
        self.remove = QPushButton(icon("trash", "muted"), "Remove")
        self.no_roots = label("", "muted")
        self.fault = Notice(context.theme)
        self._lay_out(context.theme.unit)
        self.add.clicked.connect(self._choose_folder)
        self.workspace.clicked.connect(self._add_workspace)
        self.remove.clicked.connect(self._remove)
        remove = QAction(self.remove.icon(), "Remove", self.list)
        remove.triggered.connect(self._remove)
        self.list.addAction(remove)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.list.currentRowChanged.connect(self._draw)
        self.setFocusProxy(self.list)
        self.show_state(state)

    def show_state(self, state: ServerState) -> None:
        super().show_state(state)
        if self._roots_in_list() != list(state.config.roots):
            place = self.list.currentRow()
            self.list.clear()
            for root in state.config.roots:
                item = QListWidgetItem(icon("folder", "muted"), visible(root))
                item.setData(Qt.ItemDataRole.UserRole, root)
                self.list.addItem(item)
            self.list.setCurrentRow(min(place, self.list.count() - 1))
        self._draw()

    def add_folder(self, folder: str) -> None:
        """Add a folder to the roots."""
        if folder and folder not in self.state.config.roots:
            self._change((*self.state.config.roots, folder))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Delete and self.remove.isEnabled():
            self._remove()
            return
        super().keyPressEvent(event)

    def _roots_in_list(self) -> list[str]:
        return [self.list.item(place).data(Qt.ItemDataRole.UserRole) for place in range(self.list.count())]

    def _choose_folder(self) -> None:
        dialog = QFileDialog(self, f"Folder for {visible(self.server)[:60]}")
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.add_folder)
        dialog.open()

    def _add_workspace(self) -> None:
        self.add_folder(_WORKSPACE)

    def _remove(self) -> None:
        if not self.remove.isEnabled():
            return
        removed = self.list.currentRow()
        self._change(tuple(root for place, root in enumerate(self.state.config.roots) if place != removed))

    def _change(self, roots: tuple[str, ...]) -> None:
        self.context.tasks.run("change the roots of a server", self._send(roots))

    async def _send(self, roots: tuple[str, ...]) -> None:
        try:
            state = await self.context.api.set_roots(self.server, roots)
        except WorkbenchError as fault:
            self.fault.show_fault(Fault(fault.message, fault.hint))
            return
        self.fault.show_fault(None)
        self.show_state(state)

    def _draw(self) -> None:
        builtin = self.state.config.builtin
        self.remove.setEnabled(self.list.currentRow() >= 0 and not builtin)
        self.add.setEnabled(not builtin)
        self.workspace.setEnabled(not builtin and _WORKSPACE not in self.state.config.roots)
        self.no_roots.setText("The built-in server uses no folders." if builtin else "No folders.")
        self.no_roots.setVisible(not self.state.config.roots)

    def _lay_out(self, unit: int) -> None:
        explanation = paragraph(
            "A server can ask which folders it should work in. These folders are the answer. They are a hint, not a "
            "restriction: a server can read everything that your user account can read.",
            "muted",
        )
        self.list.setAccessibleName("Folders of the server")
        mark(self.list, kind="code")
        buttons = row(None, self.add, self.workspace, self.remove, None, spacing=unit * 2)
        parts = (explanation, self.no_roots, self.list, buttons, self.fault)
        column(self, *parts, margins=(unit * 3,) * 4, spacing=unit * 2, grows=self.list)
