"""The form that adds a server to `.mcp.json` or edits one, filled by pasting or from a list of known servers."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from functools import partial

from msgspec.structs import replace
from PySide6.QtCore import QPoint, Signal
from PySide6.QtWidgets import QLineEdit, QMenu, QPushButton, QSpinBox, QWidget

from workbench.errors import WorkbenchError
from workbench.gui.kit.controls import CalmCombo, TickBox
from workbench.gui.kit.dialogs import FormDialog
from workbench.gui.kit.layouts import column, row
from workbench.gui.kit.plain_edit import PlainEdit
from workbench.gui.kit.text import ForeignLabel, one_line
from workbench.gui.kit.theme import mark
from workbench.gui.servers.pasted_config import read_pasted
from workbench.gui.shell.context import Context
from workbench.records import KnownServer, ServerConfig, ServerState

COMMAND, ADDRESS = range(2)
_LONGEST_PASTE = 10_000_000  # characters; by default Qt cuts long text silently
_TRANSPORTS = ("", "http", "sse")
_VARIABLE = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)")
_HEADER = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):\s*(.*)")


class KnownServers(QWidget):
    """A button with a menu of known servers, and the facts about the selected one."""

    selected = Signal(object)
    """Carries the KnownServer."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.menu = QMenu(self)
        self.button = QPushButton("Add a known server…")
        self.button.setToolTip("Servers of GitHub, Slack and others, from their own publishers")
        self.button.clicked.connect(self._load)
        mark(self.button, kind="quiet")
        self.facts = ForeignLabel(role="muted")
        self.facts.hide()
        column(self, row(None, self.button, None), self.facts, spacing=context.theme.unit)
        self.setFocusProxy(self.button)

    def select(self, known: KnownServer) -> None:
        """Show what the server needs before it is added."""
        self.facts.setText(known_server_facts(known))
        self.facts.show()
        self.selected.emit(known)

    def _load(self) -> None:
        self._context.tasks.run("known servers", self._context.api.known_servers(), self._open_menu)

    def _open_menu(self, servers: tuple[KnownServer, ...]) -> None:
        self.menu.clear()
        for known in servers:
            self.menu.addAction(known.title.replace("&", "&&"), partial(self.select, known))
        self.menu.popup(self.button.mapToGlobal(QPoint(0, self.button.height())))


def known_server_facts(known: KnownServer) -> str:
    """Publisher, licence, page, requirements, and sign-in parameters, for which the form has no fields."""
    lines = [f"{known.maker} · {known.licence} · {known.page}", f"Needs: {known.needs}"]
    if known.config.oauth:
        lines.append("Signs in with " + ", ".join(f"{key}: {value}" for key, value in known.config.oauth.items()))
    return "\n".join(lines)


def read_command(name: str, command: str, folder: str, variables: str) -> ServerConfig:
    """The entry of a server that is started by a command. Raises WorkbenchError for invalid fields."""
    try:
        words = shlex.split(command)
    except ValueError as fault:
        raise WorkbenchError(f"The command line cannot be read: {fault}.", "Is a quotation mark missing?") from fault
    if not words:
        raise WorkbenchError(
            "The command line is empty.", "For example: npx -y @modelcontextprotocol/server-filesystem ."
        )
    env = _read_lines(variables, _VARIABLE, "environment is not NAME=value", "Write one variable per line.")
    return ServerConfig(read_name(name), words[0], tuple(words[1:]), env, folder.strip())


def read_address(name: str, url: str, transport: str, headers: str) -> ServerConfig:
    """The entry of a server that is reached at an address. Raises WorkbenchError for invalid fields."""
    if not url.strip().startswith(("http://", "https://", "${")):
        raise WorkbenchError("The address does not begin with http.", "For example: https://example.org/mcp")
    sent = _read_lines(headers, _HEADER, "headers is not Name: value", "Write one header per line.")
    return ServerConfig(read_name(name), url=url.strip(), transport=transport, headers=sent)


def read_name(name: str) -> str:
    if not name.strip():
        raise WorkbenchError("The server has no name.", "Enter a short name, for example “files”.")
    return name.strip()


def _read_lines(text: str, pattern: re.Pattern[str], fault: str, hint: str) -> dict[str, str]:
    values: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        match = pattern.fullmatch(line.strip())
        if match is None:
            raise WorkbenchError(f"Line {number} of the {fault}.", hint)
        values[match[1]] = match[2]
    return values


class AddServer(FormDialog):
    """Stays open, with everything that was typed, if the core rejects the entry."""

    saved = Signal(object)
    """Carries the new ServerState."""
    connect_wanted = Signal(object)
    """Carries the names of servers that were added and are to be connected."""
    several_pasted = Signal(object)
    """Carries the entries of a pasted configuration with more than one server."""

    def __init__(self, context: Context, parent: QWidget | None = None, *, before: ServerConfig | None = None) -> None:
        intro = "The entry is written to this project's .mcp.json. You see the full command before it starts."
        title = f"Edit {one_line(before.name, 60)}" if before else "Add a server"
        super().__init__(context.theme, title, intro, parent)
        self._context = context
        self._before = before
        self._known_config = ServerConfig("")  # of the selected known server: its sign-in parameters have no field
        self._kind_of: dict[QWidget, int] = {}  # fields that belong to COMMAND or ADDRESS
        self.setMinimumWidth(context.theme.unit * 140)
        self._make_fields(context.theme.unit)
        self._add_rows()
        self._add_buttons()
        self.kind.currentIndexChanged.connect(self._show_kind)
        self.paste.textChanged.connect(self._read_paste)
        if before is not None:
            self.fill(before)
        self._show_kind()
        (self.name if before is not None else self.paste).setFocus()

    def fill(self, config: ServerConfig) -> None:
        """Show an entry. An entry without name or description leaves those fields as they are."""
        self.kind.setCurrentIndex(ADDRESS if config.remote else COMMAND)
        self.name.setText(config.name or self.name.text())
        self.command.setText(shlex.join((config.command, *config.args)) if config.command else "")
        self.folder.setText(config.cwd)
        self.variables.setPlainText("\n".join(f"{name}={value}" for name, value in config.env.items()))
        self.url.setText(config.url)
        self.transport.setCurrentIndex(_TRANSPORTS.index(config.transport) if config.transport in _TRANSPORTS else 0)
        self.headers.setPlainText("\n".join(f"{name}: {value}" for name, value in config.headers.items()))
        self.category.setText(config.category)
        self.time_limit.setValue(config.timeout_seconds)
        self.description.setText(config.description or self.description.text())

    def read(self) -> ServerConfig:
        """The entry from the fields; what has no field stays as it was. Raises WorkbenchError for invalid fields."""
        name = self.name.text()
        if self.kind.currentIndex() == COMMAND:
            typed = read_command(name, self.command.text(), self.folder.text(), self.variables.text())
        else:
            transport = _TRANSPORTS[self.transport.currentIndex()]
            typed = read_address(name, self.url.text(), transport, self.headers.text())
        before = self._before or self._known_config
        same_server = self._before is not None or typed.url == before.url
        return replace(
            typed,
            disabled=before.disabled,
            oauth=before.oauth if typed.url and same_server else {},
            roots=before.roots,
            category=self.category.text().strip(),
            timeout_seconds=self.time_limit.value(),
            description=self.description.text().strip(),
        )

    def texts(self) -> dict[str, str]:
        """The content of all fields, so that a cancelled form can be restored; empty if nothing was typed."""
        texts = {name: field.text() for name, field in self._text_fields().items()}
        return {**texts, "kind": str(self.kind.currentIndex())} if any(texts.values()) else {}

    def restore_texts(self, texts: Mapping[str, str]) -> None:
        """Show what `texts` returned before."""
        self.paste.blockSignals(True)
        for name, field in self._text_fields().items():
            field.setText(texts[name]) if isinstance(field, QLineEdit) else field.setPlainText(texts[name])
        self.paste.blockSignals(False)
        self.kind.setCurrentIndex(int(texts["kind"]))
        self.set_intro("This is what you typed before you closed the form.")
        self.paste.selectAll()

    # construction

    def _text_fields(self) -> dict[str, QLineEdit | PlainEdit]:
        lines = (self.paste, self.name, self.command, self.folder, self.url, self.category, self.description)
        return {field.accessibleName(): field for field in (*lines, self.variables, self.headers)}

    def _make_fields(self, unit: int) -> None:
        self.known = KnownServers(self._context, self)
        self.known.selected.connect(self._fill_known)
        self.paste = _line("JSON, npx -y …, claude mcp add … or an address")
        self.paste.setMaxLength(_LONGEST_PASTE)
        self.name = _line("files")
        self.kind = CalmCombo()
        self.kind.addItems(["Command on this computer", "Address"])
        self.kind.setMinimumContentsLength(26)
        self.command = _line("npx -y @modelcontextprotocol/server-filesystem .")
        self.folder = _line("project folder")
        self.variables = _box("API_KEY=…", unit)
        self.url = _line("https://example.org/mcp")
        self.transport = CalmCombo()
        self.transport.addItems(["Automatic", "Streamable HTTP", "SSE (older)"])
        self.transport.setMinimumContentsLength(20)
        self.headers = _box("Authorization: Bearer …", unit)
        self.category = _line("optional")
        self.description = _line("optional")
        self.time_limit = QSpinBox()
        self.time_limit.setRange(0, 86_400)
        self.time_limit.setSpecialValueText("Default (from settings)")
        self.time_limit.setSuffix(" s")
        self.time_limit.lineEdit().setTextMargins(unit * 2, 0, unit * 2, 0)
        self.separate_secrets = TickBox(self._context.theme, "Store secrets separately, not in .mcp.json")
        self.separate_secrets.setChecked(True)

    def _add_rows(self) -> None:
        if self._before is None:
            self.add_row("Known servers", self.known)
        self.add_row("Paste", self.paste)
        self.add_row("Name", self.name)
        self.add_row("Kind", self.kind)
        of_command = {
            "Command line": self.command,
            "Working folder": self.folder,
            "Environment variables": self.variables,
        }
        of_address = {"Address": self.url, "Transport": self.transport, "Headers": self.headers}
        for kind, fields in ((COMMAND, of_command), (ADDRESS, of_address)):
            for title, field in fields.items():
                self._kind_of[self.add_row(title, field)] = kind
        self.add_row("Category", self.category)
        self.add_row("Description", self.description)
        self.add_row("Time limit for calls", self.time_limit)
        self.body.addWidget(self.separate_secrets)
        self.body.addStretch(1)

    def _add_buttons(self) -> None:
        if self._before is not None:
            self.add_submit("Save", partial(self._save, connect=False))
            return
        self.add_button("Cancel", self.reject)
        self.add_button("Add", partial(self._save, connect=False))
        connect = self.add_button("Add and connect", partial(self._save, connect=True), "primary", default=True)
        self.add_shortcut(connect)

    # what the user does

    def _show_kind(self) -> None:
        """Show the fields of the selected kind."""
        for field, kind in self._kind_of.items():
            self.rows.setRowVisible(field, kind == self.kind.currentIndex())
        self.fit_height()

    def _fill_known(self, known: KnownServer) -> None:
        self._known_config = known.config
        self.fill(known.config)
        self.fit_height()
        self.button("Add and connect").setFocus()

    def _read_paste(self, text: str) -> None:
        """Fill the fields from a complete snippet."""
        self.show_fault(None)
        if not text.strip():
            return
        try:
            configs = read_pasted(text)
        except WorkbenchError as fault:
            self.show_fault(fault)
            self.fit_height()
            return
        if len(configs) == 1 or self._before is not None:
            self.fill(configs[0])
        else:
            self.several_pasted.emit(configs)

    def _save(self, *, connect: bool) -> None:
        self.run(self._context.tasks, "save a server", self._send(connect=connect))

    async def _send(self, *, connect: bool) -> None:
        before = self._before.name if self._before else ""
        try:
            state: ServerState = await self._context.api.edit_server(
                before, self.read(), self.separate_secrets.isChecked()
            )
        finally:
            self.fit_height()
        self.saved.emit(state)
        if connect:
            self.connect_wanted.emit((state.config.name,))
        self.accept()


def _line(example: str) -> QLineEdit:
    field = QLineEdit()
    field.setPlaceholderText(example)
    return field


def _box(example: str, unit: int) -> PlainEdit:
    box = PlainEdit()
    box.setPlaceholderText(example)
    box.setFixedHeight(unit * 18)
    box.setTabChangesFocus(True)
    return box
