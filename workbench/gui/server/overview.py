"""The first page of a server: what it says of itself, how it runs, and what it writes to its error output."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QGridLayout, QLabel, QPlainTextEdit, QVBoxLayout, QWidget

from workbench.gui.commands import Commands
from workbench.gui.context import Context
from workbench.gui.docks.server_card import command_line
from workbench.gui.fault_card import FaultCard
from workbench.gui.server.page import ServerPage
from workbench.gui.text import ForeignLabel, visible
from workbench.gui.theme import mark
from workbench.gui.views import label
from workbench.gui.words import duration, server_word
from workbench.records import ServerState

_BEAT = 1000  # milliseconds between two looks at the error output while the page is seen


class OverviewPage(ServerPage):
    """Facts above, error output below."""

    def __init__(self, context: Context, commands: Commands, state: ServerState, parent: QWidget | None = None) -> None:
        super().__init__(context, commands, state, parent)
        self._fault = FaultCard(context.theme)
        self._facts = QGridLayout()
        self._rows: dict[str, tuple[QLabel, ForeignLabel]] = {}
        self._log = QPlainTextEdit()
        self._beat = QTimer(self, interval=_BEAT)
        self._beat.timeout.connect(self._read_log)
        self._lay_out(context.theme.unit)
        self.show_state(state)

    def show_state(self, state: ServerState) -> None:
        super().show_state(state)
        self._fault.show_fault(state.fault)
        for name, words in self._told(state).items():
            self._tell(name, words)

    def look(self, *, seen: bool) -> None:
        if seen:
            self._read_log()
            self._beat.start()
        else:
            self._beat.stop()

    def _told(self, state: ServerState) -> dict[str, str]:
        return {
            self.tr("State"): server_word(state.status).text,
            self.tr("Command"): command_line(state.config),
            self.tr("Folder"): state.config.cwd,
            self.tr("Name"): " ".join(part for part in (state.title, state.version) if part),
            self.tr("Protocol"): state.protocol,
            self.tr("Process"): str(state.pid) if state.pid else "",
            self.tr("Listing took"): duration(state.latency_ms) if state.latency_ms else "",
            self.tr("Tools"): str(state.tool_count),
            self.tr("Instructions"): state.instructions,
            self.tr("Warnings"): "\n".join(state.warnings),
        }

    def _tell(self, name: str, words: str) -> None:
        if name not in self._rows:
            row = len(self._rows)
            title, text = label(name, "muted"), ForeignLabel("")
            text.setWordWrap(True)
            text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            self._facts.addWidget(title, row, 0, Qt.AlignmentFlag.AlignTop)
            self._facts.addWidget(text, row, 1)
            self._rows[name] = (title, text)
        title, text = self._rows[name]
        text.setText(words)
        title.setVisible(bool(words))
        text.setVisible(bool(words))

    def _lay_out(self, unit: int) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(unit * 3, unit * 3, unit * 3, unit * 3)
        column.setSpacing(unit * 2)
        column.addWidget(self._fault)
        self._facts.setHorizontalSpacing(unit * 4)
        self._facts.setVerticalSpacing(unit + 1)
        self._facts.setColumnStretch(1, 1)
        column.addLayout(self._facts)
        column.addWidget(label(self.tr("Error output"), "muted"))
        self._log.setReadOnly(True)
        self._log.setAccessibleName(self.tr("Error output of the server"))
        self._log.setPlaceholderText(self.tr("The server has written nothing to its error output."))
        mark(self._log, kind="code")
        self._log.setFont(self.context.theme.mono(-1))
        column.addWidget(self._log, 1)

    def _read_log(self) -> None:
        self.context.tasks.run("server's error output", self.context.questions.stderr(self.server), self._show_log)

    def _show_log(self, lines: tuple[str, ...]) -> None:
        text = visible("\n".join(lines))
        if text == self._log.toPlainText():
            return
        bar = self._log.verticalScrollBar()
        at_end = bar.value() >= bar.maximum()
        self._log.setPlainText(text)
        bar.setValue(bar.maximum() if at_end else bar.value())
