"""The first page of a server: what it says of itself, how it runs, and what it writes to its error output."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QGridLayout, QLabel, QScrollArea, QSplitter, QVBoxLayout, QWidget

from workbench.gui.kit.chips import Chips
from workbench.gui.kit.faults import FaultCard
from workbench.gui.kit.lists import label
from workbench.gui.kit.plain_edit import PlainEdit
from workbench.gui.kit.text import ForeignLabel, visible
from workbench.gui.kit.theme import mark
from workbench.gui.kit.wording import clock, duration, state_word
from workbench.gui.servers.page import ServerPage
from workbench.gui.servers.server_card import command_line
from workbench.gui.shell.commands import Commands
from workbench.gui.shell.context import Context
from workbench.gui.shell.long_text import size_words
from workbench.records import ServerState, Vitals

_SLOW = 3000  # milliseconds between two looks at memory and calls, which cost a walk through /proc
_LONG = 4000  # characters of instructions that are shown
_BEAT = 1000  # milliseconds between two looks at the error output while the page is seen


class OverviewPage(ServerPage):
    """Facts above, error output below."""

    def __init__(self, context: Context, commands: Commands, state: ServerState, parent: QWidget | None = None) -> None:
        super().__init__(context, commands, state, parent)
        self._fault = FaultCard(context.theme)
        self._facts = QGridLayout()
        self._rows: dict[str, tuple[QLabel, ForeignLabel]] = {}
        self._offers = Chips(context.theme, "What the server offers")
        self._log = PlainEdit()
        self._beat = QTimer(self, interval=_BEAT)
        self._beat.timeout.connect(self._read_log)
        self._slow = QTimer(self, interval=_SLOW)
        self._slow.timeout.connect(self._read_vitals)
        self._lay_out(context.theme.unit)
        self.show_state(state)

    def show_state(self, state: ServerState) -> None:
        super().show_state(state)
        self._fault.show_fault(state.fault)
        for lines in (
            self._told(state),
            {} if self._rows else self._condition(Vitals(self.server)),
            self._words(state),
        ):
            for name, words in lines.items():
                self._tell(name, words)
        self._offers.show_chips(self._offered(state))
        self._rows["Offers"][0].setVisible(bool(state.capabilities))
        self._offers.setVisible(bool(state.capabilities))

    def look(self, *, seen: bool) -> None:
        if seen:
            self._read_log()
            self._read_vitals()
            self._beat.start()
            self._slow.start()
        else:
            self._beat.stop()
            self._slow.stop()

    def _told(self, state: ServerState) -> dict[str, str]:
        return {
            "State": state_word(state).text,
            "Command": command_line(state.config),
            "Folder": state.config.cwd,
            "Name": " ".join(part for part in (state.title, state.version) if part),
            "Protocol": self._protocol(state),
            "Process": str(state.pid) if state.pid else "",
            "Offers": "",
            "Restarts": str(state.restarts) if state.restarts else "",
            "Tools": str(state.tool_count),
            "Resources": str(state.resource_count or ""),
            "Prompts": str(state.prompt_count or ""),
        }

    def _protocol(self, state: ServerState) -> str:
        """With what the era means: how the two of them talk."""
        eras = {
            "modern": "without sessions: each request stands for itself",
            "legacy": "with a session that began with a handshake",
        }
        return "  ·  ".join(part for part in (state.protocol, eras.get(state.era, state.era)) if part)

    def _offered(self, state: ServerState) -> list[tuple[str, str]]:
        """What it offers; a feature of something stands behind a dot, and is quieter."""
        return [(word, "muted" if "." in word else "info") for word in state.capabilities]

    def _words(self, state: ServerState) -> dict[str, str]:
        """What may be long stands last."""
        return {
            "Warnings": "\n".join(state.warnings),
            "Instructions": state.instructions[:_LONG] + ("…" if len(state.instructions) > _LONG else ""),
        }

    def _condition(self, found: Vitals) -> dict[str, str]:
        """How it does right now, in lines."""
        memory = "{0:.0f} MB in {1} processes" if found.processes != 1 else "{0:.0f} MB"
        speed = f"typically {duration(found.typical_ms)}, at most {duration(found.slowest_ms)}"
        listed = f"listing took {duration(self.state.latency_ms)}" if self.state.latency_ms else ""
        calls = f"{found.calls:,}, {found.errors:,} of them failed"
        traffic = f"{size_words(found.sent_bytes)} to it, {size_words(found.received_bytes)} from it"
        last = f"{clock(found.last_error_at)}  {found.last_error}" if found.last_error else ""
        return {
            "Running since": clock(found.since) if found.since else "",
            "Memory": memory.format(found.memory_mb, found.processes) if found.memory_mb else "",
            "Speed": speed if found.calls else listed,
            "Calls": calls if found.calls else "",
            "Traffic": traffic if found.received_bytes else "",
            "Last error": last,
        }

    def _read_vitals(self) -> None:
        self.context.tasks.run("server's condition", self.context.api.vitals(self.server), self._show_vitals)

    def _show_vitals(self, found: Vitals) -> None:
        for name, words in self._condition(found).items():
            self._tell(name, words)

    def _tell(self, name: str, words: str) -> None:
        if name not in self._rows:
            row = len(self._rows)
            title, text = label(name, "muted"), ForeignLabel("")
            text.setWordWrap(True)
            text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            self._facts.addWidget(title, row, 0, Qt.AlignmentFlag.AlignTop)
            self._facts.addWidget(self._offers if name == "Offers" else text, row, 1)
            self._rows[name] = (title, text)
        title, text = self._rows[name]
        text.setText(words)
        title.setVisible(bool(words))
        text.setVisible(bool(words))

    def _lay_out(self, unit: int) -> None:
        self._facts.setContentsMargins(unit * 3, unit * 3, unit * 3, unit * 2)
        self._facts.setHorizontalSpacing(unit * 4)
        self._facts.setVerticalSpacing(unit + 1)
        self._facts.setColumnStretch(1, 1)
        facts = QWidget()
        above = QVBoxLayout(facts)
        above.setContentsMargins(0, 0, 0, 0)
        above.addLayout(self._facts)
        above.addStretch(1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setWidget(facts)
        area.setAccessibleName("Facts about the server")
        split = QSplitter(Qt.Orientation.Vertical)
        split.addWidget(area)
        split.addWidget(self._errors(unit))
        split.setChildrenCollapsible(False)
        split.setSizes([unit * 95, unit * 50])
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._fault)
        column.addWidget(split, 1)

    def _errors(self, unit: int) -> QWidget:
        whole = QWidget()
        column = QVBoxLayout(whole)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        title = label("Error output", "muted")
        title.setContentsMargins(unit * 3, unit, unit * 3, unit)
        column.addWidget(title)
        self._log.setReadOnly(True)
        self._log.setTabChangesFocus(True)
        self._log.setAccessibleName("Error output of the server")
        self._log.setPlaceholderText("The server has written nothing to its error output.")
        mark(self._log, kind="code")
        self._log.setFont(self.context.theme.mono(-1))
        column.addWidget(self._log, 1)
        return whole

    def _read_log(self) -> None:
        self.context.tasks.run("server's error output", self.context.api.stderr(self.server), self._show_log)

    def _show_log(self, lines: tuple[str, ...]) -> None:
        text = visible("\n".join(lines))
        if text == self._log.text():
            return
        bar = self._log.verticalScrollBar()
        at_end = bar.value() >= bar.maximum()
        self._log.setPlainText(text)
        bar.setValue(bar.maximum() if at_end else bar.value())
