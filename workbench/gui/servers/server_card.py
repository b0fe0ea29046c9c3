"""The card about the selected server, with a notice about a required sign-in and secrets in plain text."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QWidget

from workbench.gui.kit.dialogs import Question
from workbench.gui.kit.icons import pixmap
from workbench.gui.kit.layouts import column, row
from workbench.gui.kit.lists import label
from workbench.gui.kit.plain_edit import reading_box
from workbench.gui.kit.text import ForeignLabel, one_line, visible, wrapping_label
from workbench.gui.kit.theme import mark
from workbench.gui.kit.wording import duration, state_word
from workbench.gui.servers.server_connector import RUNNING
from workbench.gui.shell.actions import SERVER_PLAIN, SERVER_REMOTE
from workbench.gui.shell.context import Context
from workbench.records import Fault, ServerConfig, ServerState, ServerStatus
from workbench.records.common_types import count_of


class SecretsNotice(QFrame):
    """Shows that a server requires a sign-in or has secrets in plain text in `.mcp.json`; hidden otherwise."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        commands = context.commands
        self._state: ServerState | None = None
        self._sign_in = push_button(commands["server.sign_in"], "Sign in…", "primary")
        self._plain = wrapping_label()
        mark(self._plain, role="warning")
        self._move = push_button(commands["server.move_secrets"], "Move into the keyring…")
        commands.bind("server.move_secrets", self._move_secrets)
        column(self, self._plain, row(None, self._sign_in, self._move, None), spacing=context.theme.unit)

    def show_state(self, state: ServerState | None) -> None:
        self._state = state
        places = state.plain_secrets if state else ()
        needed = state is not None and state.sign_in == "needed"
        self._context.commands.set_condition(SERVER_PLAIN, bool(places))
        self._context.commands.set_condition(SERVER_REMOTE, state is not None and state.config.remote)
        self.setVisible(bool(places) or needed)
        self._sign_in.setVisible(needed)
        for part in (self._plain, self._move):
            part.setVisible(bool(places))
        names = ", ".join(one_line(place, 80) for place in places[:3])
        more = f" and {len(places) - 3} more" if len(places) > 3 else ""
        self._plain.setText(f"Looks like a secret in plain text: {names}{more}.")

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


def error_output(fault: Fault | None, lines: Sequence[str]) -> str:
    """What a server printed to its error output, once, and what else is known about its fault."""
    detail = fault.detail if fault else ""
    return visible("\n".join((*([detail] if detail else []), *(line for line in lines if line not in detail))))


class ServerCard(QFrame):
    """State, facts or fault, buttons and error output of one server. Shown below the tree."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        commands = context.commands
        self._state: ServerState | None = None
        self.setObjectName("server-card")
        mark(self, kind="foot")
        self._picture, self._word = QLabel(), label("", "muted")
        self._name = ForeignLabel(elide=True, role="heading")
        self._command = ForeignLabel(elide=True, role="mono")
        self._facts = ForeignLabel(elide=True, role="muted")
        self._fault, self._hint = ForeignLabel(role="error"), ForeignLabel(role="muted")
        self._printed = ForeignLabel(elide=True, role="mono")
        self._warnings = ForeignLabel(elide=True, role="warning")
        self.keys = SecretsNotice(context)
        self._log = reading_box("", "Error output of the server")
        self._log.setPlaceholderText("The server printed nothing to its error output.")
        self._log.setFixedHeight(context.theme.unit * 32)
        self._log.hide()
        self._more = QPushButton("Error output")
        self._more.setCheckable(True)
        mark(self._more, kind="quiet")
        self._more.toggled.connect(self._log.setVisible)
        self._more.toggled.connect(self._read_log)
        self._connect = push_button(commands["server.connect"], "Connect", "primary")
        self._disconnect = push_button(commands["server.disconnect"], "Disconnect")
        self._restart = push_button(commands["server.restart"], "Restart")
        self._why = push_button(commands["server.doctor"], "Find out why")
        self._open = push_button(commands["server.open"], "Open")
        self._remove = push_button(commands["server.remove"], "Remove", "quiet")
        unit = context.theme.unit
        column(
            self,
            row(None, self._picture, self._name, self._word, spacing=unit * 2, grows=self._name),
            *(self._command, self._facts, self._fault, self._hint, self._printed, self._warnings, self.keys),
            # Two rows, so that the card does not make the pane wider.
            row(None, self._connect, self._disconnect, self._restart, self._why, None, spacing=unit),
            row(None, self._open, self._remove, self._more, None, spacing=unit),
            self._log,
            margins=(unit * 3,) * 4,
            spacing=unit + 1,
        )
        context.theme.changed.connect(self._draw)
        self.hide()

    def show_state(self, state: ServerState | None) -> None:
        """Show a server in its current state, or nothing."""
        self.keys.show_state(state)
        if state is None or self._state is None or state.config.name != self._state.config.name:
            self._more.setChecked(False)
        self._state = state
        self.setVisible(state is not None)
        self._draw()
        self._read_log()

    def _draw(self) -> None:
        """The lines of a server without a fault keep their places, whatever its state is."""
        state = self._state
        if state is None:
            return
        word, fault = state_word(state), state.fault
        self._picture.setPixmap(pixmap(word.icon, word.tone, self._context.theme.unit * 4, self.devicePixelRatioF()))
        self._name.setText(state.config.name)
        self._word.setText(word.text)
        self._command.setText(command_line(state.config))
        self._facts.setText(facts(state))
        self._facts.setVisible(bool(facts(state)))
        self._fault.setText(fault.message if fault else "")
        self._hint.setText(fault.hint if fault else "")
        self._printed.setText(last_line(fault) if fault else "")
        warnings = state.warnings
        text = warnings[0] if len(warnings) == 1 else f"{count_of(len(warnings), 'warning')}: {'; '.join(warnings)}"
        self._warnings.setText(text if warnings else "")
        runs, failed = state.status in RUNNING, state.status is ServerStatus.FAILED
        shown: dict[QWidget, bool] = {
            self._command: not state.config.builtin,
            self._facts: fault is None,
            **{part: bool(part.full_text()) for part in (self._fault, self._hint, self._printed, self._warnings)},
            self._connect: not runs,
            self._disconnect: runs,
            self._restart: runs,
            self._why: failed,
            self._more: not state.config.remote or bool(fault and fault.detail),
            self._remove: not state.config.builtin and not runs,
        }
        for part in sorted(shown, key=lambda part: shown[part]):  # hide first: all together are too wide
            part.setVisible(shown[part])

    def _read_log(self) -> None:
        if self._state is not None and self._more.isChecked():
            name = self._state.config.name
            self._context.tasks.run("server's error output", self._context.api.stderr(name), self._show_log)

    def _show_log(self, lines: tuple[str, ...]) -> None:
        self._log.setFont(self._context.theme.mono(-1))
        self._log.setPlainText(error_output(self._state.fault if self._state else None, lines))
        self._log.verticalScrollBar().setValue(self._log.verticalScrollBar().maximum())


def facts(state: ServerState) -> str:
    """Process, latency, name, version and protocol of a server in one line."""
    if state.status is ServerStatus.STARTING:
        return "Waiting for its first answer"
    parts = [f"pid {state.pid}"] if state.pid else []
    parts += [duration(state.latency_ms)] if state.latency_ms else []
    parts += [one_line(state.title, 60)] if state.title not in ("", state.config.name) else []
    parts += [f"v{state.version.removeprefix('v')}"] if state.version else []
    parts += [f"MCP {state.protocol}"] if state.protocol else []
    return " · ".join(parts)


def last_line(fault: Fault) -> str:
    """The last line of the error output, which says most, unless the fault quotes it already."""
    line = next((line.strip() for line in reversed(fault.detail.splitlines()) if line.strip()), "")
    return "" if line[:200] in f"{fault.message} {fault.hint}" else line


def push_button(action: QAction, text: str, kind: str = "") -> QPushButton:
    """A button that triggers an action and is enabled while the action is."""
    button = QPushButton(text)
    button.setAccessibleName(action.text())
    button.setToolTip(action.toolTip())
    button.setEnabled(action.isEnabled())
    action.enabledChanged.connect(button.setEnabled)
    button.clicked.connect(action.trigger)
    if kind:
        mark(button, kind=kind)
    return button
