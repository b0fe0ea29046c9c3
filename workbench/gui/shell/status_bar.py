"""The status bar: core, servers, sandbox, agents, tokens saved. Each part says more when it is pressed."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from workbench.gui.kit.icons import icon
from workbench.gui.kit.rows import plain_tip
from workbench.gui.kit.text import ForeignLabel, one_line, visible
from workbench.gui.kit.theme import mark
from workbench.gui.kit.wording import cost, learn_counter
from workbench.gui.shell.bridge import Link, LinkState
from workbench.gui.shell.context import Context, Message, Pane
from workbench.records import CoreStatus
from workbench.tokens import NOTHING_SAVED, saved

MESSAGE_MS = 5_000  # how long a message stays
OFFERED_MS = 20_000
"""How long a way back is offered."""


class Status(Pane):
    """Reads the core's status shortly after anything happened that changes it."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.setObjectName("status")
        self.core = self._part("loader", "core.again")
        self.servers = self._part("server", "pane.servers")
        self.sandbox = self._part("shield", "core.sandbox")
        self.waiting = self._part("hourglass", "run.review")
        self.states = self._part("layers", "states.open")
        self.agents = self._part("agent", "agent.connect")
        self.tokens = self._part("tokens", "core.tokens")
        self.undo = self._part("undo", "")
        self._say(self.undo, "Undo", "undo", "accent")
        self.undo.hide()
        self._offered = QTimer(self, singleShot=True, interval=OFFERED_MS)
        self._offered.timeout.connect(self.undo.hide)
        self._read = QTimer(self, singleShot=True, interval=MESSAGE_MS)
        self._read.timeout.connect(self._clear)
        self.said = ForeignLabel(elide=True)
        self.said.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter)
        mark(self.said, role="muted")
        context.store.status_changed.connect(self._show_status)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        for part in (self.core, self.servers, self.sandbox, self.waiting, self.states):
            row.addWidget(part)
        row.addWidget(self.said, 1)
        row.addWidget(self.undo)
        for part in (self.agents, self.tokens):
            row.addWidget(part)
        self.show_link(Link(LinkState.CONNECTING))

    def show_message(self, message: Message) -> None:
        """Show what just happened for a while, and the action that takes it back beside it."""
        self.show_tip(message.text)
        self.undo.setObjectName(message.undo)
        self.undo.setVisible(bool(message.undo))
        self._offered.start()
        self._read.start()

    def message(self) -> str:
        """The text that is shown now."""
        return self.said.full_text()

    def show_tip(self, text: str) -> None:
        """Show the help of the menu entry under the mouse; Qt's own place for it is taken by the parts."""
        self.said.setText(one_line(text, 300))
        self._read.stop()

    def _clear(self) -> None:
        self.said.setText("")

    def show_link(self, link: Link) -> None:
        text, symbol, tone = {
            LinkState.CONNECTING: ("Starting the core…", "loader", "warning"),
            LinkState.LINKED: ("Core running", "dot", "success"),
            LinkState.LOST: ("Restarting the core…", "loader", "warning"),
            LinkState.BROKEN: ("Core not running", "alert", "danger"),
        }[link.state]
        self._say(self.core, text, symbol, tone)
        for part in (self.servers, self.sandbox, self.waiting, self.states, self.agents, self.tokens):
            part.setVisible(link.state is LinkState.LINKED and self.context.store.status is not None)

    def _show_status(self) -> None:
        status = self.context.store.status
        if status is None:
            return
        learn_counter(status.counter)
        self.show_link(Link(LinkState.LINKED))
        tip = f"Core {status.version}, process {status.pid}\nProject {status.project}"
        self._say(self.core, "Core running", "dot", "success", tip)
        servers = f"{status.servers_ready} of {status.servers} servers · {status.tools:,} tools"
        self._say(self.servers, servers, "server", "muted")
        self._say(self.sandbox, *self._strength(status))
        self._say(self.waiting, f"{status.waiting} waiting", "hourglass", "warning")
        self.waiting.setVisible(status.waiting > 0)
        several = f"{status.kept_states} REPL sessions"
        sessions = "1 REPL session" if status.kept_states == 1 else several
        self._say(self.states, sessions, "layers", "muted", "Variables that programs share")
        self.states.setVisible(status.kept_states > 0)
        names = ", ".join(one_line(agent.name or "an agent", 40) for agent in status.agents)
        if names:
            self._say(self.agents, f"Connected: {names}", "agent", "success")
        else:
            self._say(self.agents, "No agent", "agent", "faint", "How an agent connects")
        ledger = status.ledger
        tokens = f"Programs used {ledger.actual:,} tokens; direct tool calls would have used {ledger.direct:,}."
        gain = saved(ledger)
        text = f"{cost(gain, ledger.counter)} saved" if gain else NOTHING_SAVED
        self._say(self.tokens, text, "tokens", "muted", tokens)

    def _strength(self, status: CoreStatus) -> tuple[str, str, str, str]:
        strength = status.strength
        marks = "  ".join(f"{visible(name)} {'✓' if there else '✗'}" for name, there in strength.features.items())
        lines = (strength.backend, marks, visible(strength.reason), visible(strength.hint))
        tip = "\n".join(filter(None, lines)) or "Show what was probed"
        match strength.level:
            case "full":
                return "Sandbox: full", "shield-check", "success", tip
            case "reduced":
                return "Sandbox: reduced", "shield", "warning", tip
            case _:
                return "Sandbox: none", "shield-alert", "danger", tip

    def _part(self, symbol: str, action: str) -> QToolButton:
        part = QToolButton(self)
        part.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        part.setIcon(icon(symbol))
        part.setIconSize(QSize(self.context.theme.unit * 3 + 2, self.context.theme.unit * 3 + 2))
        part.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        part.setObjectName(action)
        part.clicked.connect(partial(self._press, part))
        mark(part, kind="status")
        return part

    def _press(self, part: QToolButton, _checked: bool = False) -> None:
        self.context.commands.do(part.objectName())

    def _say(self, part: QToolButton, text: str, symbol: str, tone: str, tip: str = "") -> None:
        part.setText(f" {text}")  # air between icon and word, which the style cannot give
        part.setAccessibleName(text)
        part.setIcon(icon(symbol, tone))
        part.setToolTip(plain_tip(tip) if tip else "")
