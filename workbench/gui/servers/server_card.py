"""The card about the selected server, with a notice about a required sign-in and secrets in plain text."""

from __future__ import annotations

import shlex

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from workbench.gui.kit.faults import Question
from workbench.gui.kit.icons import pixmap
from workbench.gui.kit.lists import label
from workbench.gui.kit.plain_edit import PlainEdit
from workbench.gui.kit.text import one_line, visible
from workbench.gui.kit.theme import mark
from workbench.gui.kit.wording import duration, state_word
from workbench.gui.shell.actions import SERVER_PLAIN, SERVER_REMOTE
from workbench.gui.shell.commands import Commands
from workbench.gui.shell.context import Context
from workbench.records import ServerConfig, ServerState, ServerStatus


class SecretsNotice(QFrame):
    """Shows that a server requires a sign-in or has secrets in plain text in `.mcp.json`; hidden otherwise."""

    def __init__(self, context: Context, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._commands = commands
        self._state: ServerState | None = None
        self._sign_in = QPushButton("Sign in…")
        self._sign_in.setToolTip(commands["server.sign_in"].toolTip())
        self._sign_in.clicked.connect(commands["server.sign_in"].trigger)
        mark(self._sign_in, kind="primary")
        self._plain = label("", "warning")
        self._plain.setWordWrap(True)
        self._move = QPushButton("Move into the keyring…")
        self._move.setToolTip(commands["server.move_secrets"].toolTip())
        self._move.clicked.connect(commands["server.move_secrets"].trigger)
        commands.bind("server.move_secrets", self._move_secrets)
        self._lay_out(context.theme.unit)

    def show_state(self, state: ServerState | None) -> None:
        self._state = state
        places = state.plain_secrets if state else ()
        needed = state is not None and state.sign_in == "needed"
        self._commands.hold(SERVER_PLAIN, bool(places))
        self._commands.hold(SERVER_REMOTE, state is not None and state.config.remote)
        self.setVisible(bool(places) or needed)
        self._sign_in.setVisible(needed)
        self._plain.setVisible(bool(places))
        self._move.setVisible(bool(places))
        if places:
            shown = ", ".join(visible(place) for place in places[:3])
            more = f" and {len(places) - 3} more" if len(places) > 3 else ""
            self._plain.setText(f"Looks like a secret in plain text: {shown}{more}.")

    def _lay_out(self, unit: int) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(unit)
        column.addWidget(self._plain)
        row = QHBoxLayout()
        row.addWidget(self._sign_in)
        row.addWidget(self._move)
        row.addStretch()
        column.addLayout(row)
        self.hide()

    async def _move_secrets(self) -> None:
        state = self._state
        if state is None:
            return
        name = state.config.name
        question = Question(
            self._context.theme,
            f"Move the secrets of {one_line(name, 60)} out of .mcp.json?",
            "They are stored with your other secrets. The entry refers to them as ${keyring:…}.",
            self.window(),
        )
        question.show_text("\n".join(state.plain_secrets), "Secrets to move")
        question.show_note(
            "If the file was already shared, revoke these secrets where they were issued and create new ones. "
            "Other programs that read this file do not understand such references."
        )
        if await question.ask("Move secrets"):
            await self._context.api.move_secrets(name)


def command_line(config: ServerConfig) -> str:
    """The command as typed in a shell, with the names of its variables but not their values; or the address."""
    if config.remote:
        return config.url
    variables = [f"{name}=…" for name in config.env]
    return " ".join((*variables, shlex.join((config.command, *config.args) if config.command else config.args)))


class ServerCard(QFrame):
    """State, facts, fault, error output and buttons of one server. Shown below the tree."""

    def __init__(self, context: Context, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._state: ServerState | None = None
        self.setObjectName("server-card")
        mark(self, kind="foot")
        self._picture = QLabel()
        self._name = label("", "heading")
        self._word = label("", "muted")
        self._command = label("", "mono")
        self._facts = label("", "muted")
        self._fault = label("", "error")
        self._hint = label("", "muted")
        self._warnings = label("", "warning")
        self.keys = SecretsNotice(context, commands)
        self._log = PlainEdit()
        self._log.setReadOnly(True)
        self._log.setAccessibleName("Details and error output of the server")
        mark(self._log, kind="code")
        self._more = QPushButton("Error output")
        self._more.setCheckable(True)
        mark(self._more, kind="quiet")
        self._more.toggled.connect(self._toggle)
        self._connect = action_push(commands, "server.connect", "Connect", "primary")
        self._disconnect = action_push(commands, "server.disconnect", "Disconnect", "")
        self._restart = action_push(commands, "server.restart", "Restart", "")
        self._open = action_push(commands, "server.open", "Open", "")
        self._why = action_push(commands, "server.doctor", "Find out why", "")
        self._remove = action_push(commands, "server.remove", "Remove", "quiet")
        self._lay_out(context.theme.unit)
        context.theme.changed.connect(self._draw)
        self.hide()

    def show_state(self, state: ServerState | None) -> None:
        """Show a server in its current state, or nothing."""
        self.keys.show_state(state)
        before, known_fault = (self._state.config.name, self._state.fault) if self._state else ("", None)
        self._state = state
        if state is None:
            self.hide()
            return
        if state.config.name != before:
            self._more.setChecked(False)
            known_fault = None
        self._draw()
        self.show()
        if known_fault is not None and state.fault is None:
            self._more.setChecked(False)
        failed = state.status is ServerStatus.FAILED and state.fault is not None
        if failed and state.fault != known_fault and not self._more.isHidden() and not self._more.isChecked():
            self._more.setChecked(True)  # its error output usually says why it failed
        elif self._more.isChecked():
            self._read_log()

    def _lay_out(self, unit: int) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(unit * 3, unit * 3, unit * 3, unit * 3)
        column.setSpacing(unit + 1)
        head = QHBoxLayout()
        head.setSpacing(unit * 2)
        head.addWidget(self._picture)
        head.addWidget(self._name, 1)
        head.addWidget(self._word)
        column.addLayout(head)
        for text in (self._command, self._facts, self._fault, self._hint, self._warnings):
            text.setWordWrap(True)
            text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            column.addWidget(text)
        column.addWidget(self.keys)
        self._log.setFixedHeight(unit * 32)
        self._log.hide()
        column.addWidget(self._log)
        column.addSpacing(unit)
        for buttons in (
            (self._connect, self._disconnect, self._restart, self._why, self._open),
            (self._remove, self._more),
        ):
            row = QHBoxLayout()  # two rows, so that the card does not make the pane wider
            row.setSpacing(unit)
            for button in buttons:
                row.addWidget(button)
            row.addStretch()
            column.addLayout(row)

    def _draw(self) -> None:
        state = self._state
        if state is None:
            return
        word = state_word(state)
        self._picture.setPixmap(pixmap(word.icon, word.tone, self._context.theme.unit * 4, self.devicePixelRatioF()))
        self._name.setText(visible(state.config.name))
        self._word.setText(word.text)
        self._command.setText(visible(command_line(state.config)))
        self._command.setVisible(not state.config.builtin)
        _set_text(self._facts, facts(state))
        _set_text(self._fault, visible(state.fault.message) if state.fault else "")
        _set_text(self._hint, visible(state.fault.hint) if state.fault else "")
        _set_text(self._warnings, "\n".join(visible(warning) for warning in state.warnings[:5]))
        runs = state.status in (ServerStatus.READY, ServerStatus.STARTING)
        failed = state.status is ServerStatus.FAILED
        self._connect.setText("Try again" if failed else "Connect")
        shown = {
            self._connect: not runs,
            self._disconnect: runs,
            self._restart: runs,
            self._why: failed,
            self._more: not state.config.remote or bool(state.fault and state.fault.detail),
            self._remove: not state.config.builtin and not runs,
        }
        for button in sorted(shown, key=lambda button: shown[button]):  # hide first: all together are too wide
            button.setVisible(shown[button])

    def _toggle(self, shown: bool) -> None:
        self._log.setVisible(shown)
        if shown:
            self._read_log()

    def _read_log(self) -> None:
        if self._state is not None:
            name = self._state.config.name
            self._context.tasks.run("server's error output", self._context.api.stderr(name), self._show_log)

    def _show_log(self, lines: tuple[str, ...]) -> None:
        fault = self._state.fault if self._state else None
        parts = [fault.detail] if fault and fault.detail else []
        parts.extend(line for line in lines if not fault or line not in fault.detail)
        self._log.setFont(self._context.theme.mono(-1))
        self._log.setPlainText(visible("\n".join(parts)) or "The server printed nothing to its error output.")
        self._log.verticalScrollBar().setValue(self._log.verticalScrollBar().maximum())


def facts(state: ServerState) -> str:
    """Name and version in one line; protocol, process id and latency in a second one."""
    name = [one_line(state.title, 60)] if state.title not in ("", state.config.name) else []
    name += [f"v{visible(state.version).removeprefix('v')}"] if state.version else []
    process = [f"MCP {visible(state.protocol)}"] if state.protocol else []
    process += [f"pid {state.pid}"] if state.pid else []
    process += [duration(state.latency_ms)] if state.latency_ms else []
    return "\n".join(" · ".join(line) for line in (name, process) if line)


def _set_text(field: QLabel, text: str) -> None:
    field.setText(text)
    field.setVisible(bool(text))


def action_push(commands: Commands, name: str, text: str, kind: str) -> QPushButton:
    """A button that triggers an action and is enabled while the action is."""
    action = commands[name]
    button = QPushButton(text)
    button.setAccessibleName(action.text())
    button.setToolTip(action.toolTip())
    button.setEnabled(action.isEnabled())
    action.enabledChanged.connect(button.setEnabled)
    button.clicked.connect(action.trigger)
    if kind:
        mark(button, kind=kind)
    return button
