"""The status bar: core, servers, sandbox, agents, tokens saved. Each part opens details when it is pressed."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtWidgets import QToolButton, QWidget

from workbench.gui.kit.icons import icon
from workbench.gui.kit.layouts import row
from workbench.gui.kit.text import ForeignLabel, one_line, plain_tip, visible
from workbench.gui.kit.theme import mark
from workbench.gui.kit.wording import cost, learn_counter
from workbench.gui.shell.bridge import Link, LinkState
from workbench.gui.shell.context import Context, Message, Pane
from workbench.records import Strength
from workbench.records.common_types import count_of
from workbench.tokens import NOTHING_SAVED, saved

MESSAGE_MS = 5_000  # how long a message stays
OFFER_MS = 20_000  # how long a message with a button stays
_LINKS = {
    LinkState.CONNECTING: ("Starting the core…", "loader", "warning"),
    LinkState.LINKED: ("Core running", "dot", "success"),
    LinkState.LOST: ("Restarting the core…", "loader", "warning"),
    LinkState.BROKEN: ("Core not running", "alert", "danger"),
}
_STRENGTHS = {"full": ("shield-check", "success"), "reduced": ("shield", "warning"), "none": ("shield-alert", "danger")}


class Status(Pane):
    """Shows the core's status as the store has it, and the latest message."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.setObjectName("status")
        self.core = self._part("core.again")
        self.servers = self._part("pane.servers")
        self.sandbox = self._part("core.sandbox")
        self.waiting = self._part("run.review")
        self.paused = self._part("agent.pause")
        self.paused.hide()
        self.states = self._part("states.open")
        self.agents = self._part("agent.connect")
        self.tokens = self._part("core.tokens")
        self.offer = self._part("")
        self.offer.hide()
        self._message, self._tip = Message(""), ""
        self._message_end = QTimer(self, singleShot=True, interval=MESSAGE_MS)
        self.said = ForeignLabel(elide=True)
        self._message_end.timeout.connect(self._end_message)
        self.said.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter)
        mark(self.said, role="muted")
        context.store.status_changed.connect(self._show_status)
        context.store.waiting_changed.connect(self._show_waiting)
        context.store.muted_changed.connect(self._show_status)
        left = (self.core, self.servers, self.sandbox, self.waiting, self.paused, self.states)
        row(self, *left, self.said, self.offer, self.agents, self.tokens, grows=self.said)
        self.show_link(Link(LinkState.CONNECTING))

    def show_message(self, message: Message) -> None:
        """Show what just happened for a while, with a button that undoes or shows it."""
        self._message = message
        self.show_tip("")
        if message.show is not None:
            self._say(self.offer, "Show", "eye", "accent")
        else:
            self._say(self.offer, "Undo", "undo", "accent")
        offers = bool(message.undo) or message.show is not None
        self.offer.setVisible(offers)
        self._make_room()
        self._message_end.start(OFFER_MS if offers else MESSAGE_MS)

    def message(self) -> str:
        """The text that is shown now."""
        return self.said.full_text()

    def show_tip(self, text: str) -> None:
        """Show the help of the menu entry under the mouse, then the message again; Qt's own place for the help is taken
        by the parts."""
        self._tip = text
        self.said.setText(one_line(text or self._message.text, 300))

    def _end_message(self) -> None:
        self._message = Message("")
        self.offer.hide()
        self.show_tip(self._tip)
        self._make_room()

    def _make_room(self) -> None:
        """Hide the parts on the right while a message needs their place."""
        left = (self.core, self.servers, self.sandbox, self.waiting, self.paused, self.states, self.offer)
        right = (self.tokens, self.agents)
        is_linked = not self.servers.isHidden()
        shown = (*(part for part in left if not part.isHidden()), *right)
        free = self.width() - sum(part.sizeHint().width() for part in shown)
        needed = self.said.fontMetrics().horizontalAdvance(self._message.text)
        for part in right:
            part.setVisible(is_linked and needed <= free)
            free += part.sizeHint().width()

    def show_link(self, link: Link) -> None:
        self._say(self.core, *_LINKS[link.state])
        for part in (self.servers, self.sandbox):
            part.setVisible(link.state is LinkState.LINKED and self.context.store.status is not None)
        if link.state is not LinkState.LINKED:
            self.waiting.hide()
            self.paused.hide()
            self.states.hide()
        self._make_room()

    def _show_status(self) -> None:
        status = self.context.store.status
        if status is None:
            return
        learn_counter(status.counter)
        self.show_link(Link(LinkState.LINKED))
        tip = f"Core {status.version}, process {status.pid}\nProject {status.project}"
        self._say(self.core, *_LINKS[LinkState.LINKED], tip)
        servers = f"{status.servers_ready} of {status.servers} servers · {status.tools:,} tools"
        self._say(self.servers, servers, "server", "muted")
        self._show_strength(status.strength)
        self._show_waiting()
        self._say(self.paused, "Agents paused", "pause", "warning", "Programs and calls of agents are refused. Resume")
        self.paused.setVisible(status.paused)
        sessions = count_of(status.kept_states, "REPL session")
        self._say(self.states, sessions, "layers", "muted", "Variables that programs share")
        self.states.setVisible(status.kept_states > 0)
        muted = {agent.session for agent in self.context.store.muted}
        if names := ", ".join(
            f"{one_line(agent.name or 'an agent', 40)}{' (muted)' * (agent.session in muted)}"
            for agent in status.agents
        ):
            self._say(self.agents, f"Connected: {names}", "agent", "success")
        else:
            self._say(self.agents, "No agent", "agent", "faint", "How an agent connects")
        ledger = status.ledger
        text = f"{cost(saved(ledger), ledger.counter)} saved since start" if saved(ledger) else NOTHING_SAVED
        tip = (
            f"Since the core started, programs and searches of agents used {ledger.actual:,} tokens; direct tool "
            f"calls would have used {ledger.direct:,}. The line of a run counts that run alone."
        )
        self._say(self.tokens, text, "tokens", "muted", tip)

    def _show_waiting(self) -> None:
        """The number that the window's title shows too."""
        count = self.context.store.waiting_count
        self._say(self.waiting, f"{count} waiting", "hourglass", "warning")
        self.waiting.setVisible(count > 0)

    def _show_strength(self, strength: Strength) -> None:
        marks = "  ".join(f"{visible(name)} {'✓' if there else '✗'}" for name, there in strength.features.items())
        lines = (strength.backend, marks, visible(strength.reason), visible(strength.hint))
        tip = "\n".join(filter(None, lines)) or "Show what was probed"
        level = strength.level if strength.level in _STRENGTHS else "none"
        self._say(self.sandbox, f"Sandbox: {level}", *_STRENGTHS[level], tip)

    def _part(self, action: str) -> QToolButton:
        part = QToolButton(self)
        part.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        part.setIconSize(QSize(self.context.theme.unit * 3 + 2, self.context.theme.unit * 3 + 2))
        part.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        part.clicked.connect(lambda: self._press(action))
        mark(part, kind="status")
        return part

    def _press(self, action: str) -> None:
        if not action and self._message.show is not None:
            self.context.go(self._message.show)
        else:
            self.context.commands.do(action or self._message.undo)

    def _say(self, part: QToolButton, text: str, symbol: str, tone: str, tip: str = "") -> None:
        part.setText(f" {text}")  # air between icon and word, which the style cannot give
        part.setAccessibleName(text)
        part.setIcon(icon(symbol, tone))
        part.setToolTip(plain_tip(tip))
