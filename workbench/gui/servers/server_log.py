"""The page with the log messages of a server (MCP logging), filtered and live."""

from __future__ import annotations

import json

from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QPushButton

from workbench.errors import WorkbenchError
from workbench.events import OffersChanged, ServerLogged
from workbench.gui.kit.adaptive_split import AdaptiveSplit
from workbench.gui.kit.controls import CalmCombo
from workbench.gui.kit.icons import icon
from workbench.gui.kit.json_text import dump
from workbench.gui.kit.layouts import column
from workbench.gui.kit.lists import label, tool_button
from workbench.gui.kit.notice import Notice
from workbench.gui.kit.plain_edit import reading_box
from workbench.gui.kit.rows import Row
from workbench.gui.kit.text import one_line, visible
from workbench.gui.kit.theme import mark
from workbench.gui.kit.wording import StateText, clock
from workbench.gui.servers.filtered_list import FilteredList, FilteredModel
from workbench.gui.servers.server_page import ServerPage
from workbench.gui.shell.context import Context
from workbench.records import Fault, LogLine, Offers, ServerLog, ServerState
from workbench.records.common_types import count_of

LONGEST_LOG = 5_000  # lines that the window keeps
LEVELS = {
    "debug": StateText("Debug", "terminal", "faint"),
    "info": StateText("Info", "info", "info"),
    "notice": StateText("Notice", "info", "success"),
    "warning": StateText("Warning", "warning", "warning"),
    "error": StateText("Error", "alert", "danger"),
    "critical": StateText("Critical", "alert", "critical"),
    "alert": StateText("Alert", "bolt", "critical"),
    "emergency": StateText("Emergency", "bolt", "critical"),
}
_WIDE = 220  # letters of width from which list and text are side by side


def log_model() -> FilteredModel[LogLine]:
    """The lines of a log, the oldest first."""
    return FilteredModel(_key, lambda line: f"{line.level} {line.logger} {line.text}", _log_row, LONGEST_LOG)


def _key(line: LogLine) -> str:
    return str(line.number)


def level_word(level: str) -> StateText:
    """The text, icon and colour role of a log level."""
    return LEVELS.get(level, StateText(one_line(level, 20) or "No level", "circle", "muted"))


def _log_row(line: LogLine) -> Row:
    word = level_word(line.level)
    return Row(
        key=_key(line),
        title=one_line(line.text, 400),
        aside=" · ".join(part for part in (one_line(line.logger, 40), clock(line.at)) if part),
        icon=word.icon,
        tone=word.tone,
        badges=((word.text, word.tone),),
    )


class LogPage(ServerPage):
    """Reads new lines while it is seen and not paused; the core keeps the lines that arrive meanwhile."""

    def __init__(self, context: Context, state: ServerState) -> None:
        super().__init__(context, state)
        self._last = 0  # number of the newest line shown
        self._newest = 0  # number of the newest line in the core, as far as known
        self._fetching = False
        self._beginning = 0  # how often the log was started again; answers from before are dropped
        self._seen = False
        self.model = log_model()
        self.list = FilteredList(context.theme, "Lines of the log", "Filter the log", self.model)
        self.line_text = reading_box("", "Full text of the selected line")
        self.line_text.setPlaceholderText("Select a line to see its full text.")
        self.line_text.setFont(context.theme.mono(-1))
        self.level = CalmCombo()
        self.pause = QPushButton(icon("pause", "muted"), "Pause")
        self.fault = Notice(context.theme)
        self._dropped = label("", "muted")
        self._lay_out()
        context.store.on(ServerLogged, self._logged)
        context.store.on(OffersChanged, self._offers_changed)
        self.level.activated.connect(self._choose_level)
        self.pause.toggled.connect(self._set_paused)
        self.list.selected.connect(self._show_line)
        self.setFocusProxy(self.list)
        self._explain_empty(logs=False)

    def load(self) -> None:
        """Start again from the first line: the log of a new core begins at 1."""
        self._beginning += 1
        self._fetching = False
        self._last = self._newest = 0
        self.model.replace(())
        if self._seen:
            self.set_seen(seen=True)

    def set_seen(self, *, seen: bool) -> None:
        self._seen = seen
        if seen:
            self._read_offers()
            self._fetch(always=True)

    def _logged(self, event: ServerLogged) -> None:
        if event.server == self.server:
            self._newest = event.newest
            self._fetch()

    def _offers_changed(self, event: OffersChanged) -> None:
        if event.server == self.server and self._seen:
            self._read_offers()

    def _read_offers(self) -> None:
        self.context.tasks.run("read the log level", self.context.api.offers(self.server), self._show_offers)

    def _show_offers(self, offers: Offers) -> None:
        self.level.setEnabled(offers.logs)
        self.level.setCurrentIndex(self.level.findData(offers.log_level))
        self._explain_empty(logs=offers.logs)

    def _choose_level(self) -> None:
        self.context.tasks.run("set a log level", self._set_level(self.level.currentData()))

    async def _set_level(self, level: str) -> None:
        try:
            await self.context.api.set_log_level(self.server, level)
        except WorkbenchError as fault:
            self.fault.show_fault(Fault(fault.message, fault.hint))
            self.level.setCurrentIndex(-1)
        else:
            self.fault.show_fault(None)

    def _fetch(self, *, always: bool = False) -> None:
        """One request at a time: in a flood the next request returns all lines that arrived meanwhile."""
        waiting = self._newest - self._last
        if self.pause.isChecked():
            self.pause.setText(f"Resume ({waiting:,} new)" if waiting > 0 else "Resume")
            return
        if self._seen and not self._fetching and (always or waiting > 0):
            self._fetching = True
            self.context.tasks.run("read a log", self._read(self._beginning, self._last))

    async def _read(self, beginning: int, after: int) -> None:
        try:
            log = await self.context.api.server_log(self.server, after)
        finally:
            if beginning == self._beginning:
                self._fetching = False
        if beginning == self._beginning:
            self._show(log)

    def _show(self, log: ServerLog) -> None:
        bar = self.list.view.verticalScrollBar()
        at_end = bar.value() >= bar.maximum()
        if log.lines:
            self._last = log.lines[-1].number
            self.model.append(log.lines)
        self._dropped.setText(f"{count_of(log.dropped, 'older line')} dropped" if log.dropped else "")
        if at_end:
            self.list.view.scrollToBottom()
        self._newest = max(self._newest, self._last)

    def _explain_empty(self, *, logs: bool) -> None:
        if logs:
            sentence = "Choose a level above. The server then sends messages of at least this level."
            self.list.explain_empty("No messages yet", sentence)
        else:
            sentence = "The server does not support MCP logging, or has not run yet. Overview shows its error output."
            self.list.explain_empty("No log", sentence)

    def _clear(self) -> None:
        self.model.replace(())
        self.line_text.clear()

    def _copy_line(self) -> None:
        if (line := self.model.record(self.list.key())) is not None:
            QGuiApplication.clipboard().setText(line.text)
            self.context.say("Copied the line.")

    def _copy(self) -> None:
        lines = self.model.records()
        texts = (f"{clock(line.at)} {line.level or '-'} {line.logger or '-'} {line.text}" for line in lines)
        QGuiApplication.clipboard().setText("\n".join(texts))
        self.context.say(f"Copied {count_of(len(lines), 'line')}.")

    def _set_paused(self, on: bool) -> None:
        self.pause.setIcon(icon("play" if on else "pause", "muted"))
        self.pause.setText("Resume" if on else "Pause")
        self._fetch()

    def _show_line(self, key: str) -> None:
        line = self.model.record(key)
        if line is None:
            return
        try:
            text = dump(json.loads(line.text)) if line.text[:1] in ("{", "[") else line.text
        except (ValueError, RecursionError):
            text = line.text
        self.line_text.setPlainText(visible(text))

    def _lay_out(self) -> None:
        self.level.setAccessibleName("Lowest level that the server logs")
        self.level.setPlaceholderText("Log level…")
        for level, word in LEVELS.items():
            self.level.addItem(icon(word.icon, word.tone), word.text, level)
        self.level.setCurrentIndex(-1)
        self.level.setEnabled(False)
        self.pause.setCheckable(True)
        mark(self.pause, kind="quiet")
        self.list.strip.row.insertWidget(0, self.level)
        for widget in (self._dropped, self.pause):
            self.list.strip.row.addWidget(widget)
        menu = []
        for symbol, text, act in (("copy", "Copy shown lines", self._copy), ("trash", "Clear", self._clear)):
            button = tool_button(symbol, text, self.context.theme)
            button.clicked.connect(act)
            self.list.strip.row.addWidget(button)
        for text, act in (("Copy line", self._copy_line), ("Copy shown lines", self._copy)):
            menu.append(QAction(icon("copy"), text, self))
            menu[-1].triggered.connect(act)
        self.list.set_menu(*menu)
        split = AdaptiveSplit(_WIDE, (4, 1), self.list, self.line_text)
        column(self, self.fault, split, grows=split)
