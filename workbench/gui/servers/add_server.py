"""Offers servers of well-known makers in the form for a new server: one press fills it, and tells what they need."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from functools import partial

from msgspec.structs import replace
from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from workbench.errors import WorkbenchError
from workbench.gui.kit.controls import CalmCombo, TickBox
from workbench.gui.kit.lists import label
from workbench.gui.kit.plain_edit import PlainEdit
from workbench.gui.kit.text import ForeignLabel
from workbench.gui.kit.theme import mark
from workbench.gui.servers.import_servers import FoundRow, ImportServers
from workbench.gui.servers.pasted_config import read_pasted
from workbench.gui.shell.context import Context
from workbench.records import (
    Discovery,
    Fault,
    FoundServer,
    ImportConflict,
    ImportReport,
    KnownServer,
    ServerConfig,
    ServerState,
)


class KnownServers(QWidget):
    """A button with a menu, and below it the facts about what was chosen."""

    chosen = Signal(object)
    """Carries the KnownServer."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.menu = QMenu(self)
        self.button = QPushButton("Add a known server…")
        self.button.setToolTip("GitHub, Slack and others, from their own makers")
        self.button.clicked.connect(self._ask)
        mark(self.button, kind="quiet")
        self.facts = ForeignLabel()
        self.facts.setWordWrap(True)
        mark(self.facts, role="muted")
        self.facts.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(context.theme.unit)
        column.addWidget(self.button, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self.facts)
        self.setFocusProxy(self.button)

    def choose(self, known: KnownServer) -> None:
        """Tell what it needs, before anything is added."""
        self.facts.setText(facts(known))
        self.facts.show()
        self.chosen.emit(known)

    def _ask(self) -> None:
        self._context.tasks.run("known servers", self._context.api.known_servers(), self._offer)

    def _offer(self, known: tuple[KnownServer, ...]) -> None:
        self.menu.clear()
        for one in known:
            self.menu.addAction(one.title.replace("&", "&&"), partial(self.choose, one))
        self.menu.popup(self.button.mapToGlobal(QPoint(0, self.button.height())))


def facts(known: KnownServer) -> str:
    """Whose it is, what it takes, and how it signs in where the form has no field for that."""
    lines = [f"{known.maker} · {known.licence} · {known.page}", f"Needs: {known.needs}"]
    if known.config.oauth:
        lines.append("Signs in with " + ", ".join(f"{key}: {value}" for key, value in known.config.oauth.items()))
    return "\n".join(lines)


class PastedServers(ImportServers):
    """The list of the import, filled with what was pasted. Servers that are new are ticked."""

    def __init__(self, context: Context, configs: Sequence[ServerConfig], parent: QWidget | None = None) -> None:
        self._configs = tuple(configs)
        super().__init__(context, parent, title=_title(len(configs)))
        self.keep.setChecked(True)

    async def _load(self) -> None:
        states = await self._context.api.servers()
        here = {state.config.name: state.config for state in states}
        self._take(states, Discovery(tuple(self._found(at, config, here) for at, config in enumerate(self._configs))))
        self._tick_new()
        for row in self.rows:
            usable = bool(row.found.config.command or row.found.config.url)
            row.box.setEnabled(usable)
            row.box.setChecked(row.ticked() and usable)
        self._review()
        self.start.setFocus()

    def _found(self, number: int, config: ServerConfig, here: dict[str, ServerConfig]) -> FoundServer:
        named = replace(config, name=config.name or "server")
        taken = here.get(named.name)
        standing = ImportConflict.NEW if taken is None else ImportConflict.CLASH
        if taken is not None and (taken.command, taken.args, taken.url) == (named.command, named.args, named.url):
            standing = ImportConflict.HERE
        usable = bool(named.command or named.url)
        notes = () if usable else ("It has neither a command nor an address, so it cannot be added.",)
        return FoundServer(str(number), "Pasted", "", named, "", standing, notes=notes)

    def _title(self, found: FoundServer) -> str:
        return "From the configuration you pasted"

    def _intro(self) -> str:
        return "Ticked servers are written into this project's .mcp.json. You are asked before one is started."

    def _review(self) -> None:
        super()._review()
        self.keep.setText("Keep secrets apart instead of writing them into .mcp.json")
        self.keep.show()

    def _name_buttons(self, count: int) -> None:
        self.go.setText("Add 1 server" if count == 1 else f"Add {count} servers")
        self.start.setText("Add and connect")

    async def _add(self, rows: list[FoundRow], keep: bool) -> ImportReport:
        added, faults = list[str](), list[Fault]()
        for row in rows:
            name = row.chosen_name()
            try:
                config = replace(row.found.config, name=name)
                await self._context.api.edit_server(name if row.replaces() else "", config, keep)
            except WorkbenchError as fault:
                faults.append(Fault(f"{name}: {fault.message}", fault.hint))
            else:
                added.append(name)
        return ImportReport(tuple(added), 0, tuple(faults))


def _title(count: int) -> str:
    return f"Add {count} servers"


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
