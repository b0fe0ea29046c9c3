"""What the chosen server has to do with secrets: a sign-in it wants, and what stands in its entry in plain text."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from workbench.gui.actions import SERVER_PLAIN, SERVER_REMOTE
from workbench.gui.commands import Commands
from workbench.gui.context import Context
from workbench.gui.dialogs.question import Question
from workbench.gui.text import one_line, visible
from workbench.gui.theme import mark
from workbench.gui.views import label
from workbench.records import ServerState


class ServerKeys(QFrame):
    """A part of the server's card; nothing is seen of it while there is nothing to say."""

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
        move = commands["server.move_secrets"]
        self._move = QPushButton("Move into the keyring…")
        self._move.setToolTip(move.toolTip())
        self._move.clicked.connect(move.trigger)
        commands.bind("server.move_secrets", self._ask)
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
            named = ", ".join(visible(place) for place in places[:3])
            more = f" and {len(places) - 3} more" if len(places) > 3 else ""
            self._plain.setText(f"Looks like a secret in plain text: {named + more}.")

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

    async def _ask(self) -> None:
        state = self._state
        if state is None:
            return
        name = state.config.name
        question = Question(
            self._context.theme,
            f"Move the secrets of {one_line(name, 60)} out of .mcp.json?",
            "They are kept where your secrets are, and the entry refers to them as ${keyring:…}.",
            self.window(),
        )
        question.show_text("\n".join(state.plain_secrets), "What is moved")
        question.show_note(
            "What was shared already stays known: replace those secrets where they were issued. Other programs "
            "that read this file do not know such references."
        )
        if await question.ask("Move them"):
            await self._context.api.move_secrets(name)
