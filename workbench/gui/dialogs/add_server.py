"""Adds a server to the project's `.mcp.json`, or edits one: a command or an address, and what goes with it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping

from msgspec.structs import replace
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from workbench.errors import WorkbenchError
from workbench.gui.calm_combo import CalmCombo
from workbench.gui.context import Context
from workbench.gui.dialogs.known_servers import KnownServers
from workbench.gui.dialogs.pasted import read_pasted
from workbench.gui.plain_edit import PlainEdit
from workbench.gui.theme import mark
from workbench.gui.tick_box import TickBox
from workbench.gui.views import label
from workbench.records import KnownServer, ServerConfig, ServerState

_VARIABLE = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)")
_HEADER = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):\s*(.*)")
COMMAND, ADDRESS = range(2)
_LONGEST = 10_000_000  # characters that can be pasted; Qt's own limit cuts a long configuration without a word
_TRANSPORTS = ("", "http", "sse")
_TYPED = ("paste", "name", "command", "folder", "variables", "url", "headers", "category", "about")


def read_config(name: str, command: str, folder: str, variables: str) -> ServerConfig:
    """What was typed as a record; what does not fit is said in a sentence."""
    try:
        words = shlex.split(command)
    except ValueError as fault:
        raise WorkbenchError(f"The command line cannot be read: {fault}.", "Is a quotation mark missing?") from fault
    if not words:
        raise WorkbenchError(
            "The command line is empty.", "For example: npx -y @modelcontextprotocol/server-filesystem ."
        )
    env = _lines(variables, _VARIABLE, "environment is not NAME=value", "One variable per line.")
    return ServerConfig(read_name(name), words[0], tuple(words[1:]), env, folder.strip())


def read_address(name: str, url: str, transport: str, headers: str) -> ServerConfig:
    """The same for a server that is reached at an address."""
    if not url.strip().startswith(("http://", "https://", "${")):
        raise WorkbenchError("The address does not begin with http.", "For example: https://example.org/mcp")
    sent = _lines(headers, _HEADER, "headers is not Name: value", "One header per line.")
    return ServerConfig(read_name(name), url=url.strip(), transport=transport, headers=sent)


def read_name(name: str) -> str:
    if not name.strip():
        raise WorkbenchError("The server has no name yet.", "Any short word will do, for example “files”.")
    return name.strip()


def _lines(text: str, pattern: re.Pattern[str], wrong: str, hint: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        match = pattern.fullmatch(line.strip())
        if match is None:
            raise WorkbenchError(f"Line {number} of the {wrong}.", hint)
        found[match[1]] = match[2]
    return found


class AddServer(QDialog):
    """The form. It stays open, with everything typed, when the core refuses."""

    saved = Signal(object)
    """Carries the ServerState that the core made of it."""
    connect_wanted = Signal(object)
    """Carries the names of servers that were added and are to be connected now."""
    several_pasted = Signal(object)
    """Carries the servers of a pasted configuration that holds more than one."""

    def __init__(self, context: Context, parent: QWidget | None = None, *, before: ServerConfig | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._before = before
        self._oauth_of = ServerConfig("")  # the known server that was chosen, whose way to sign in has no field
        self.setWindowTitle(f"Edit {before.name}" if before else "Add a server")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._form = QFormLayout()
        self._rows: dict[QWidget, tuple[QLabel, int]] = {}  # field → its label, and the way it belongs to (-1: both)
        self._make_fields(context.theme.unit)
        self._lay_out(context.theme.unit)
        self.way.currentIndexChanged.connect(self._turn)
        self.paste.textChanged.connect(self._pasted)
        if before is not None:
            self.fill(before)
            self.name.setFocus()
        else:
            self.paste.setFocus()
        self._turn()

    def fill(self, config: ServerConfig) -> None:
        """Show an entry; what it says nothing of stays as it is."""
        self.way.setCurrentIndex(ADDRESS if config.remote else COMMAND)
        self.name.setText(config.name or self.name.text())
        self.command.setText(shlex.join((config.command, *config.args)) if config.command else "")
        self.folder.setText(config.cwd)
        self.variables.setPlainText("\n".join(f"{name}={value}" for name, value in config.env.items()))
        self.url.setText(config.url)
        self.transport.setCurrentIndex(_TRANSPORTS.index(config.transport) if config.transport in _TRANSPORTS else 0)
        self.headers.setPlainText("\n".join(f"{name}: {value}" for name, value in config.headers.items()))
        self.category.setText(config.category)
        self.seconds.setValue(config.timeout_seconds)
        self.about.setText(config.description or self.about.text())

    def read(self) -> ServerConfig:
        """What was typed, over what the entry was; raises WorkbenchError for what does not fit."""
        name = self.name.text()
        if self.way.currentIndex() == COMMAND:
            typed = read_config(name, self.command.text(), self.folder.text(), self.variables.text())
        else:
            transport = _TRANSPORTS[self.transport.currentIndex()]
            typed = read_address(name, self.url.text(), transport, self.headers.text())
        before = self._before or self._oauth_of
        same = self._before is not None or typed.url == before.url
        return replace(
            typed,
            disabled=before.disabled,
            oauth=before.oauth if typed.url and same else {},
            roots=before.roots,
            category=self.category.text().strip(),
            timeout_seconds=self.seconds.value(),
            description=self.about.text().strip(),
        )

    def typed(self) -> dict[str, str]:
        """Everything that was typed, by field, so that a form that was closed can be opened as it was."""
        texts = {name: getattr(self, name).text() for name in _TYPED}
        return {**texts, "way": str(self.way.currentIndex())} if any(texts.values()) else {}

    def bring_back(self, typed: Mapping[str, str]) -> None:
        """Show what `typed` answered."""
        self.paste.blockSignals(True)
        for name in _TYPED:
            field = getattr(self, name)
            field.setText(typed[name]) if isinstance(field, QLineEdit) else field.setPlainText(typed[name])
        self.paste.blockSignals(False)
        self.way.setCurrentIndex(int(typed["way"]))
        self._say("This is what you typed before. Clear a field, or add the server.", "muted")
        self.paste.selectAll()

    # looks

    def _make_fields(self, unit: int) -> None:
        self.known = KnownServers(self._context, self)
        self.known.setHidden(self._before is not None)
        self.known.chosen.connect(self._choose)
        self.paste = self._field("Paste", "a JSON snippet, npx -y …, claude mcp add …, or an address")
        self.paste.setMaxLength(_LONGEST)
        self.name = self._field("Name", "files")
        self.way = CalmCombo()
        self.way.addItems(["A program on this computer", "An address"])
        self.way.setMinimumContentsLength(26)
        self.way.setAccessibleName("How it is reached")
        self.command = self._field("Command line", "npx -y @modelcontextprotocol/server-filesystem .")
        self.folder = self._field("Working folder", "the project's folder")
        self.variables = self._box("Environment variables", "API_KEY=…", unit)
        self.url = self._field("Address", "https://example.org/mcp")
        self.transport = CalmCombo()
        self.transport.addItems(["whatever answers", "streamable HTTP", "SSE, the older way"])
        self.transport.setMinimumContentsLength(20)
        self.transport.setAccessibleName("Transport")
        self.headers = self._box("Headers", "Authorization: Bearer …", unit)
        self.category = self._field("Category", "none")
        self.about = self._field("Description", "in your own words")
        self.seconds = QSpinBox()
        self.seconds.setRange(0, 86_400)
        self.seconds.setSpecialValueText("as the setting says")
        self.seconds.setSuffix(" s")
        self.seconds.lineEdit().setTextMargins(unit * 2, 0, unit * 2, 0)
        self.seconds.setAccessibleName("Time limit of a call")
        self.keep = TickBox(self._context.theme, "Keep secrets apart instead of writing them into .mcp.json")
        self.keep.setChecked(True)

    def _field(self, name: str, example: str) -> QLineEdit:
        field = QLineEdit()
        field.setAccessibleName(name)
        field.setPlaceholderText(example)
        return field

    def _box(self, name: str, example: str, unit: int) -> PlainEdit:
        box = PlainEdit()
        box.setPlaceholderText(example)
        box.setAccessibleName(name)
        box.setFixedHeight(unit * 18)
        box.setTabChangesFocus(True)
        return box

    def _lay_out(self, unit: int) -> None:
        self.setMinimumWidth(unit * 140)
        column = QVBoxLayout(self)
        column.setContentsMargins(*(unit * 6,) * 4)
        column.setSpacing(unit * 3)
        column.addWidget(label(self.windowTitle(), "heading"))
        words = label(
            "It is written into the project's .mcp.json. You see the full command before it is started.",
            "muted",
        )
        words.setWordWrap(True)
        column.addWidget(words)
        self._form.setSpacing(unit * 2)
        self._form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
        if self._before is None:
            self._row("Known", self.known)
        self._row("Paste", self.paste)
        self._row("Name", self.name)
        self._row("Reached by", self.way)
        self._row("Command line", self.command, COMMAND)
        self._row("Working folder", self.folder, COMMAND)
        self._row("Environment", self.variables, COMMAND)
        self._row("Address", self.url, ADDRESS)
        self._row("Transport", self.transport, ADDRESS)
        self._row("Headers", self.headers, ADDRESS)
        self._row("Category", self.category)
        self._row("Description", self.about)
        self._row("Time limit", self.seconds)
        column.addLayout(self._form)
        column.addWidget(self.keep)
        self.fault = label("", "error")
        self.fault.setWordWrap(True)
        self.fault.hide()
        column.addWidget(self.fault)
        column.addLayout(self._foot())

    def _row(self, words: str, field: QWidget, way: int = -1) -> None:
        text = label(words)
        self._rows[field] = (text, way)
        self._form.addRow(text, field)

    def _foot(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.addStretch()
        cancel = QPushButton("Cancel")
        cancel.clicked.connect(self.reject)
        self.add = QPushButton("Save" if self._before else "Add")
        self.add.clicked.connect(self._start)
        self.connects = QPushButton("Add and connect")
        self.connects.clicked.connect(self._start_and_connect)
        self.connects.setHidden(self._before is not None)
        first = self.add if self._before else self.connects
        first.setDefault(True)
        mark(first, kind="primary")
        for button in (cancel, self.add, self.connects):
            row.addWidget(button)
        return row

    # what a person does

    def _turn(self) -> None:
        """Show the fields of the chosen way."""
        for field, (_, way) in self._rows.items():
            self._form.setRowVisible(field, way in (-1, self.way.currentIndex()))
        self.adjustSize()

    def _choose(self, known: KnownServer) -> None:
        """Show the whole entry, as it would be added."""
        self._oauth_of = known.config
        self.fill(known.config)
        self.adjustSize()
        self.connects.setFocus()

    def _pasted(self, text: str) -> None:
        """Fill the fields as soon as what was pasted makes sense; half a line while typing is no fault."""
        if not text.strip():
            self._say("")
            return
        try:
            found = read_pasted(text)
        except WorkbenchError as fault:
            self._say(str(fault))
            return
        self._say("")
        if len(found) == 1 or self._before is not None:
            self.fill(found[0])
        else:
            self.several_pasted.emit(found)

    def _say(self, words: str, role: str = "error") -> None:
        mark(self.fault, role=role)
        self.fault.setText(words)
        self.fault.setVisible(bool(words))

    def _start(self) -> None:
        self._save(connect=False)

    def _start_and_connect(self) -> None:
        self._save(connect=True)

    def _save(self, *, connect: bool) -> None:
        for button in (self.add, self.connects):
            button.setEnabled(False)
        self._context.tasks.run("save server", self._send(connect=connect))

    async def _send(self, *, connect: bool = False) -> ServerState | None:
        before = self._before.name if self._before else ""
        try:
            state = await self._context.api.edit_server(before, self.read(), self.keep.isChecked())
        except WorkbenchError as fault:
            self._say(str(fault))
            return None
        finally:
            for button in (self.add, self.connects):
                button.setEnabled(True)
        self.saved.emit(state)
        if connect:
            self.connect_wanted.emit((state.config.name,))
        self.accept()
        return state
