"""The welcome page: three ways to use the workbench, and the keys that are worth knowing."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QIcon
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QPushButton, QWidget

from workbench.gui.kit.icons import icon, pixmap
from workbench.gui.kit.layouts import column, row, scroll_area
from workbench.gui.kit.lists import label
from workbench.gui.kit.notice import Notice
from workbench.gui.kit.text import one_line, visible
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.servers.server_list import client_names, found_sentence
from workbench.gui.shell.actions import action_named
from workbench.gui.shell.commands import keys_text
from workbench.gui.shell.context import Context, Pane
from workbench.records import Fault, FoundServer, Run, ServerStatus, SkillState
from workbench.records.common_types import count_of

_KEYS_SHOWN = ("palette.open", "front.start", "run.review", "help.open")
_OWN_SERVER = {"server.add": "Add a server…", "servers.import": "Import from other clients…"}


class Welcome(Pane):
    """Three cards, buttons for own servers, and the four keys worth knowing."""

    def __init__(self, context: Context, parent: QWidget) -> None:
        super().__init__(context, parent)
        theme = context.theme
        self._commands = commands = context.commands
        self.tool = Card(
            theme,
            "server",
            "Test a tool",
            "Connect the built-in demo server, fill in a form and see the answer beside it. It works offline.",
            commands["demo.connect"],
        )
        self.ask = Card(
            theme,
            "agent",
            "Review an agent's program",
            "An agent proposes a program. You read what it will do, then allow or deny it; it runs in a sandbox.",
            commands["agent.example"],
        )
        self.skill = Card(
            theme,
            "book",
            "Keep what works",
            "A program that went well becomes a skill: named, versioned, and found by every agent.",
            commands["pane.skills"],
            "Open the skill library",
        )
        self.cards = (self.tool, self.ask, self.skill)
        self.found = Notice(theme, self, inline=True)
        self._columns = 0
        self._lay_out()
        self._arrange(3)
        self.setFocusProxy(self.tool.button)
        store = context.store
        store.run_changed.connect(self._run_changed)
        store.servers_loaded.connect(self._show_servers)
        store.server_changed.connect(self._show_servers)
        store.skills_changed.connect(self._show_skills)

    def show_found(self, found: list[FoundServer]) -> None:
        """Offer servers of other clients to a project that has none of its own."""
        states = self.context.store.servers.values()
        if not found or not states or not all(state.config.builtin for state in states):
            self.found.hide()
            return
        hint = f"{client_names(found)}. They stay off until you select them; their full commands are shown first."
        self.found.show_fault(Fault(found_sentence(len(found)), hint), tone="info")
        self.found.add_button("Look at them…", self._commands["servers.import"].trigger)

    def resizeEvent(self, event: object) -> None:
        """Three cards beside each other with gaps, margins and a scroll bar, or one below the other."""
        unit = self.context.theme.unit
        needed = sum(card.minimumSizeHint().width() for card in self.cards) + unit * (2 * 4 + 2 * 10 + 4)
        self._arrange(3 if self.width() >= needed else 1)

    def _run_changed(self, run: Run) -> None:
        if run.decision is not None and run.decision.by:
            self.ask.done("You have decided on a program")

    def _show_servers(self) -> None:
        for state in self.context.store.servers.values():
            if state.status is ServerStatus.READY:
                self.tool.done(f"{visible(state.config.name)} is connected")
                self.tool.set_next_step(self._commands["servers.find"], "Pick a tool")

    def _show_skills(self) -> None:
        skills = self.context.store.skills
        own = [skill for skill in skills if skill.state is SkillState.KEPT and not skill.starter]
        if own:
            self.skill.done(f"{count_of(len(own), 'skill')} of your own")

    def _lay_out(self) -> None:
        unit = self.context.theme.unit
        title = label("Welcome to MCP Workbench", "title")
        words = label("Browse tools, review what agents want to run, keep what works.", "muted")
        for text in (title, words):
            text.setWordWrap(True)
        own = row(None, *(self._action_button(*entry) for entry in _OWN_SERVER.items()), None, spacing=unit * 2)
        self._grid = QGridLayout()
        self._grid.setSpacing(unit * 4)
        inner = column(None, title, words, own, self.found, self._grid, self._keys(), None, spacing=unit * 4)
        page = QWidget()
        self._outer = row(page, inner)
        column(self, scroll_area(page))

    def _action_button(self, name: str, text: str) -> QPushButton:
        action = self._commands[name]
        button = _button(action, icon(action_named(name).icon, "accent"), text, action.trigger)
        button.setToolTip(action.toolTip())
        action.enabledChanged.connect(button.setEnabled)
        return button

    def _keys(self) -> QGridLayout:
        unit = self.context.theme.unit
        grid = QGridLayout()
        grid.setHorizontalSpacing(unit * 3)
        grid.setVerticalSpacing(unit * 2)
        for place, name in enumerate(_KEYS_SHOWN):
            action = action_named(name)
            grid.addWidget(label(keys_text(action.keys), "key"), place, 0, Qt.AlignmentFlag.AlignLeft)
            grid.addWidget(label(action.text.removesuffix("…"), "muted"), place, 1)
        grid.setColumnStretch(2, 1)
        return grid

    def _arrange(self, columns: int) -> None:
        if columns == self._columns:
            return
        self._columns = columns
        unit = self.context.theme.unit
        side = unit * 10 if columns > 1 else unit * 5
        self._outer.setContentsMargins(side, unit * (8 if columns > 1 else 6), side, unit * 6)
        for place, card in enumerate(self.cards):
            self._grid.addWidget(card, place // columns, place % columns)
            self._grid.setColumnStretch(place, int(place < columns))


class Card(QFrame):
    """One way to use the workbench: what it is, and the button that starts it."""

    def __init__(self, theme: Theme, symbol: str, title: str, sentence: str, action: QAction, start: str = "") -> None:
        super().__init__()
        self._theme = theme
        self._symbol = symbol
        self._action = action
        self._held = False  # the button had the keyboard when it was disabled
        mark(self, kind="card")
        self._picture = QLabel()
        text = label(sentence, "muted")
        text.setWordWrap(True)
        text.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._done = label("", "success")
        self._done.hide()
        self.button = _button(action, QIcon(), start or action.text(), lambda: self._action.trigger())
        mark(self.button, kind="primary")
        action.enabledChanged.connect(self._enable)
        unit = theme.unit
        parts = column(self, self._picture, label(title, "heading"), text, self._done, grows=text, spacing=unit * 2)
        parts.setContentsMargins(*(unit * 4,) * 4)
        parts.addSpacing(unit)
        parts.addWidget(self.button, alignment=Qt.AlignmentFlag.AlignLeft)
        self._draw()
        theme.changed.connect(self._draw)

    def done(self, words: str) -> None:
        """The user has done this; it can be done again."""
        self._done.setText(f"✓ {one_line(words, 60)}")
        self._done.show()
        mark(self.button, kind="")

    def set_next_step(self, action: QAction, text: str) -> None:
        """From now on the button does the next step."""
        if action is not self._action:
            self._action.enabledChanged.disconnect(self._enable)
            self._action = action
            action.enabledChanged.connect(self._enable)
        self.button.setText(text)
        self._enable()

    def _enable(self) -> None:
        """An action is disabled while it runs; the keyboard, which Qt moves to the next card, comes back after it."""
        enabled = self._action.isEnabled()
        self._held = self._held or (not enabled and self.button.hasFocus())
        self.button.setEnabled(enabled)
        if enabled and self._held:
            self._held = False
            self.button.setFocus(Qt.FocusReason.OtherFocusReason)

    def _draw(self) -> None:
        self._picture.setPixmap(pixmap(self._symbol, "accent", self._theme.unit * 6, self.devicePixelRatioF()))


def _button(action: QAction, symbol: QIcon, text: str, act: Callable[[], None]) -> QPushButton:
    button = QPushButton(symbol, text)
    button.setEnabled(action.isEnabled())
    button.clicked.connect(act)
    return button
