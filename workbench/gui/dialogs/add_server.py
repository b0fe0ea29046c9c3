"""Adds a stdio server to the bench's `.mcp.json`: a name, a command line, environment variables."""

from __future__ import annotations

import re
import shlex

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from workbench.errors import WorkbenchError
from workbench.gui.context import Context
from workbench.gui.theme import mark
from workbench.gui.views import label
from workbench.records import ServerConfig, ServerState

_VARIABLE = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)")


def read_config(name: str, command: str, folder: str, variables: str) -> ServerConfig:
    """What was typed as a record; what does not fit is said in a sentence."""
    if not name.strip():
        raise WorkbenchError("The server has no name yet.", "Any short word will do, for example “files”.")
    try:
        words = shlex.split(command)
    except ValueError as fault:
        raise WorkbenchError(f"The command line cannot be read: {fault}.", "Is a quotation mark missing?") from fault
    if not words:
        raise WorkbenchError(
            "The command line is empty.", "For example: npx -y @modelcontextprotocol/server-filesystem ."
        )
    return ServerConfig(name.strip(), words[0], tuple(words[1:]), _variables(variables), folder.strip())


def _variables(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        match = _VARIABLE.fullmatch(line.strip())
        if match is None:
            raise WorkbenchError(f"Line {number} of the environment is not NAME=value.", "One variable per line.")
        found[match[1]] = match[2]
    return found


class AddServer(QDialog):
    """The form. It stays open, with everything typed, when the core refuses."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.setWindowTitle(self.tr("Add a server"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        unit = context.theme.unit
        self.setMinimumWidth(unit * 130)
        self.name = self._field(self.tr("Name"), "files")
        self.command = self._field(self.tr("Command line"), "npx -y @modelcontextprotocol/server-filesystem .")
        self.folder = self._field(self.tr("Working folder"), self.tr("the bench's folder"))
        self.variables = QPlainTextEdit()
        self.variables.setPlaceholderText("API_KEY=…")
        self.variables.setAccessibleName(self.tr("Environment variables"))
        self.variables.setFixedHeight(unit * 20)
        self.variables.setTabChangesFocus(True)
        self.fault = label("", "error")
        self.fault.setWordWrap(True)
        self.fault.hide()
        self._lay_out(unit)

    def _field(self, name: str, example: str) -> QLineEdit:
        field = QLineEdit()
        field.setAccessibleName(name)
        field.setPlaceholderText(example)
        return field

    def _lay_out(self, unit: int) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(*(unit * 6,) * 4)
        column.setSpacing(unit * 3)
        column.addWidget(label(self.tr("Add a server"), "heading"))
        words = label(
            self.tr("It is written into the bench's .mcp.json. Nothing starts before you connect it."), "muted"
        )
        words.setWordWrap(True)
        column.addWidget(words)
        form = QFormLayout()
        form.setSpacing(unit * 2)
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
        form.addRow(label(self.tr("Name")), self.name)
        form.addRow(label(self.tr("Command line")), self.command)
        form.addRow(label(self.tr("Working folder")), self.folder)
        form.addRow(label(self.tr("Environment")), self.variables)
        column.addLayout(form)
        column.addWidget(self.fault)
        row = QHBoxLayout()
        row.addStretch()
        cancel = QPushButton(self.tr("Cancel"))
        cancel.clicked.connect(self.reject)
        self.add = QPushButton(self.tr("Add the server"))
        self.add.setDefault(True)
        self.add.clicked.connect(self._start)
        mark(self.add, kind="primary")
        row.addWidget(cancel)
        row.addWidget(self.add)
        column.addLayout(row)

    def _start(self) -> None:
        self.add.setEnabled(False)
        self._context.tasks.run("add server", self._send())

    async def _send(self) -> ServerState | None:
        try:
            config = read_config(
                self.name.text(), self.command.text(), self.folder.text(), self.variables.toPlainText()
            )
            state = await self._context.questions.add_server(config)
        except WorkbenchError as fault:
            self.fault.setText(str(fault))
            self.fault.show()
            return None
        finally:
            self.add.setEnabled(True)
        self.accept()
        return state
