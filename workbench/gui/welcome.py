"""What the welcome page says when other apps have servers and this project has none."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from workbench.gui.kit.icons import icon, pixmap
from workbench.gui.kit.lists import label
from workbench.gui.kit.text import visible
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.servers.server_list import client_names, found_sentence
from workbench.gui.shell.actions import action_named
from workbench.gui.shell.commands import Commands, keys_text
from workbench.gui.shell.context import Context, Pane
from workbench.records import FoundServer, Run, ServerState, ServerStatus, SkillState
from workbench.records.common_types import count_of


class FoundCard(QFrame):
    """One row: what was found, and the button that shows it."""

    def __init__(self, theme: Theme, action: QAction, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        mark(self, kind="card")
        self._picture = QLabel()
        self._title = label("", "heading")
        self._words = label("", "muted")
        self.button = QPushButton("Look at them…")
        self.button.setToolTip(action.toolTip())
        self.button.clicked.connect(action.trigger)
        unit = theme.unit
        row = QHBoxLayout(self)
        row.setContentsMargins(*(unit * 4,) * 4)
        row.setSpacing(unit * 4)
        words = QVBoxLayout()
        words.setSpacing(unit)
        for text in (self._title, self._words):
            text.setWordWrap(True)
            words.addWidget(text)
        row.addWidget(self._picture, 0, Qt.AlignmentFlag.AlignTop)
        words.addSpacing(unit)
        words.addWidget(self.button, 0, Qt.AlignmentFlag.AlignLeft)
        row.addLayout(words, 1)
        theme.changed.connect(self._draw)
        self._draw()
        self.hide()

    def show_found(self, found: list[FoundServer], states: tuple[ServerState, ...]) -> None:
        """An empty project need not stay empty; one with servers needs no advice."""
        empty = bool(states) and all(state.config.builtin for state in states)
        self._title.setText(found_sentence(len(found)))
        words = "{}. They stay off until you tick them; their full commands are shown first."
        self._words.setText(visible(words.format(client_names(found))))
        self.setVisible(bool(found) and empty)

    def _draw(self) -> None:
        self._picture.setPixmap(pixmap("download", "accent", self._theme.unit * 6, self.devicePixelRatioF()))


KEYS_SHOWN = ("palette.open", "front.start", "run.review", "help.open")


class Welcome(Pane):
    """Three cards, and the four keys worth knowing."""

    def __init__(self, context: Context, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        theme = context.theme
        self.tool = Card(theme, "server", "Test a tool", self._words_tool(), commands["demo.connect"], self)
        self.ask = Card(theme, "agent", "Review an agent's program", self._words_ask(), commands["agent.example"], self)
        self.skill = Card(theme, "book", "Keep what works", self._words_skill(), commands["pane.skills"], self)
        self.skill.button.setText("Open the skill library")
        self.cards = (self.tool, self.ask, self.skill)
        self.found = FoundCard(theme, commands["servers.import"], self)
        self._find = commands["servers.find"]
        self._page = QWidget()
        self._grid = QGridLayout()
        self._lay_out(commands)
        self._columns = 0
        self._arrange(3)
        store = context.store
        store.run_changed.connect(self._run_changed)
        store.servers_loaded.connect(self._show_servers)
        store.server_changed.connect(self._show_servers)
        store.skills_changed.connect(self._show_skills)

    def _run_changed(self, run: Run) -> None:
        if run.decision is not None and run.decision.by:
            self.ask.done("You have decided on a program")

    def _show_servers(self) -> None:
        for state in self.context.store.servers.values():
            if state.status is ServerStatus.READY:
                self.tool.done(f"{visible(state.config.name)} is connected")
                self.tool.lead(self._find, "Pick a tool")

    def _show_skills(self) -> None:
        skills = self.context.store.skills
        own = [skill for skill in skills if skill.state is SkillState.KEPT and not skill.starter]
        if own:
            self.skill.done(f"{count_of(len(own), 'skill')} of your own")

    def resizeEvent(self, event: object) -> None:
        self._arrange(3 if self.width() >= self._needed() else 1)

    def _needed(self) -> int:
        """What three cards side by side take up, with their gaps, the margins and a scroll bar."""
        unit = self.context.theme.unit
        return sum(card.minimumSizeHint().width() for card in self.cards) + unit * (2 * 4 + 2 * 10 + 4)

    def _words_tool(self) -> str:
        return "Connect the built-in demo server, fill in a form and see the answer beside it. It works offline."

    def _words_ask(self) -> str:
        return "An agent proposes a program. You read what it will do, then allow or deny it; it runs in a sandbox."

    def _words_skill(self) -> str:
        return "A program that went well becomes a skill: named, versioned, and found by every agent."

    def _lay_out(self, commands: Commands) -> None:
        unit = self.context.theme.unit
        inner = QVBoxLayout()
        inner.setSpacing(unit * 2)
        title = label("Welcome to MCP Workbench", "title")
        title.setWordWrap(True)
        inner.addWidget(title)
        words = label("Browse tools, review what agents want to run, keep what works.", "muted")
        words.setWordWrap(True)
        inner.addWidget(words)
        inner.addLayout(self._own_row(commands))
        inner.addSpacing(unit * 2)
        self._grid.setSpacing(unit * 4)
        inner.addWidget(self.found)
        inner.addSpacing(unit * 2)
        inner.addLayout(self._grid)
        inner.addSpacing(unit * 4)
        inner.addLayout(self._key_row(commands))
        inner.addStretch()
        self._outer = QHBoxLayout(self._page)
        self._outer.addLayout(inner)
        area = QScrollArea(self)
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(self._page)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(area)
        self.setFocusProxy(self.tool.button)

    def _own_row(self, commands: Commands) -> QHBoxLayout:
        """Whoever comes with a server of their own need not walk through the demo."""
        row = QHBoxLayout()
        row.setSpacing(self.context.theme.unit * 2)
        names = {"server.add": "Add a server…", "servers.import": "Import from other clients…"}
        for name, words in names.items():
            action = commands[name]
            button = QPushButton(icon(action_named(name).icon, "accent"), words)
            button.setToolTip(action.toolTip())
            button.setEnabled(action.isEnabled())
            action.enabledChanged.connect(button.setEnabled)
            button.clicked.connect(action.trigger)
            row.addWidget(button)
        row.addStretch()
        return row

    def _key_row(self, commands: Commands) -> QGridLayout:
        unit = self.context.theme.unit
        grid = QGridLayout()
        grid.setHorizontalSpacing(unit * 3)
        grid.setVerticalSpacing(unit * 2)
        for place, name in enumerate(KEYS_SHOWN):
            key = label(keys_text(action_named(name).keys), "key")
            grid.addWidget(key, place, 0, Qt.AlignmentFlag.AlignLeft)
            grid.addWidget(label(commands[name].text().removesuffix("…"), "muted"), place, 1)
        grid.setColumnStretch(2, 1)
        return grid

    def _arrange(self, columns: int) -> None:
        """Side by side where there is room, one below the other where there is not."""
        if columns == self._columns:
            return
        self._columns = columns
        unit = self.context.theme.unit
        side = unit * 10 if columns > 1 else unit * 5
        self._outer.setContentsMargins(side, unit * (8 if columns > 1 else 6), side, unit * 6)
        for place, card in enumerate(self.cards):
            self._grid.addWidget(card, place // columns, place % columns)
        for column in range(3):
            self._grid.setColumnStretch(column, 1 if column < columns else 0)


class Card(QFrame):
    """One road: what it is, and the button that starts it."""

    def __init__(
        self, theme: Theme, symbol: str, title: str, sentence: str, action: QAction, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._symbol = symbol
        mark(self, kind="card")
        self._picture = QLabel()
        self._words = label(sentence, "muted")
        self._words.setWordWrap(True)
        self._words.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._done = label("", "success")
        self._done.hide()
        self.button = QPushButton(action.text())
        self._action = action
        self._held = False  # the button had the keyboard when it was disabled
        self.button.setEnabled(action.isEnabled())
        action.enabledChanged.connect(self._able)
        self.button.clicked.connect(self._go)
        mark(self.button, kind="primary")
        column = QVBoxLayout(self)
        column.setContentsMargins(*(theme.unit * 4,) * 4)
        column.setSpacing(theme.unit * 2)
        column.addWidget(self._picture)
        column.addWidget(label(title, "heading"))
        column.addWidget(self._words, 1)
        column.addWidget(self._done)
        column.addSpacing(theme.unit)
        column.addWidget(self.button, alignment=Qt.AlignmentFlag.AlignLeft)
        self._draw()
        theme.changed.connect(self._draw)

    def done(self, words: str) -> None:
        """This road has been walked; it stays open."""
        self._done.setText(f"✓ {words}")
        self._done.show()
        mark(self.button, kind="")

    def lead(self, action: QAction, words: str) -> None:
        """From now on the button goes the next step of this road."""
        if action is not self._action:
            self._action.enabledChanged.disconnect(self._able)
            self._action = action
            action.enabledChanged.connect(self._able)
        self.button.setText(words)
        self._able()

    def _able(self) -> None:
        """An action rests while it works; the keyboard, which Qt moves to the next card, comes back after it."""
        able = self._action.isEnabled()
        self._held = self._held or (not able and self.button.hasFocus())
        self.button.setEnabled(able)
        if able and self._held:
            self._held = False
            self.button.setFocus(Qt.FocusReason.OtherFocusReason)

    def _go(self) -> None:
        self._action.trigger()

    def _draw(self) -> None:
        self._picture.setPixmap(pixmap(self._symbol, "accent", self._theme.unit * 6, self.devicePixelRatioF()))
