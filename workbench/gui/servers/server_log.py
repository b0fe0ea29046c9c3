"""The page with the log messages of a server (MCP logging), filtered and live."""

from __future__ import annotations

import json
from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, QTimer
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QPushButton, QStackedLayout, QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.events import OffersChanged, ServerLogged
from workbench.gui.kit.adaptive_split import AdaptiveSplit
from workbench.gui.kit.controls import CalmCombo
from workbench.gui.kit.faults import FaultCard
from workbench.gui.kit.icons import icon
from workbench.gui.kit.json_text import dump
from workbench.gui.kit.lists import EmptyState, RowsView, Strip, label, lead_into, search_box, tool_button
from workbench.gui.kit.plain_edit import PlainEdit
from workbench.gui.kit.rows import Row, row_data
from workbench.gui.kit.text import one_line, visible
from workbench.gui.kit.theme import mark
from workbench.gui.kit.wording import Word, clock
from workbench.gui.servers.server_page import ServerPage
from workbench.gui.shell.commands import Commands
from workbench.gui.shell.context import Context
from workbench.records import Fault, LogLine, Offers, ServerLog, ServerState
from workbench.records.common_types import count_of

Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
LONGEST_LOG = 5_000  # lines that the window keeps
LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")


def level_word(level: str) -> Word:
    """The text, icon and colour role of a log level."""
    known = {
        "debug": Word("Debug", "terminal", "faint"),
        "info": Word("Info", "info", "info"),
        "notice": Word("Notice", "info", "success"),
        "warning": Word("Warning", "warning", "warning"),
        "error": Word("Error", "alert", "danger"),
        "critical": Word("Critical", "alert", "critical"),
        "alert": Word("Alert", "bolt", "critical"),
        "emergency": Word("Emergency", "bolt", "critical"),
    }
    return known.get(level, Word(one_line(level, 20) or "No level", "circle", "muted"))


class LogModel(QAbstractListModel):
    """A bounded list of log lines, oldest first, filtered by text and level."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._all: list[LogLine] = []
        self._shown: list[LogLine] = []
        self._filter: tuple[str, ...] = ()
        self._lowest = 0  # index into LEVELS; lower levels are hidden

    def append(self, lines: Sequence[LogLine]) -> None:
        """Add new lines at the end; the oldest ones above the limit are dropped."""
        self._all += lines
        matching = [line for line in lines if self._matches(line)]
        if len(self._all) > LONGEST_LOG:
            del self._all[: len(self._all) - LONGEST_LOG]
            self._drop(self._all[0].number)
        matching = [line for line in matching if line.number >= self._all[0].number] if self._all else []
        if matching:
            self.beginInsertRows(QModelIndex(), len(self._shown), len(self._shown) + len(matching) - 1)
            self._shown += matching
            self.endInsertRows()

    def clear(self) -> None:
        self.beginResetModel()
        self._all, self._shown = [], []
        self.endResetModel()

    def set_filter(self, text: str, lowest: str) -> None:
        """Show lines with all these words and at least this level. Unknown levels are always shown."""
        words = tuple(text.casefold().split())
        level = LEVELS.index(lowest) if lowest in LEVELS else 0
        if (words, level) == (self._filter, self._lowest):
            return
        self.beginResetModel()
        self._filter, self._lowest = words, level
        self._shown = [line for line in self._all if self._matches(line)]
        self.endResetModel()

    def total(self) -> int:
        return len(self._all)

    def line(self, index: Index) -> LogLine | None:
        return self._shown[index.row()] if index.isValid() and index.row() < len(self._shown) else None

    def text(self) -> str:
        """The shown lines for the clipboard."""
        return "\n".join(
            f"{clock(line.at)} {line.level or '-'} {line.logger or '-'} {line.text}" for line in self._shown
        )

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._shown)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        line = self.line(index)
        return None if line is None else row_data(_log_row(line), role)

    def _drop(self, first: int) -> None:
        dropped = next((row for row, line in enumerate(self._shown) if line.number >= first), len(self._shown))
        if dropped:
            self.beginRemoveRows(QModelIndex(), 0, dropped - 1)
            del self._shown[:dropped]
            self.endRemoveRows()

    def _matches(self, line: LogLine) -> bool:
        if line.level in LEVELS and LEVELS.index(line.level) < self._lowest:
            return False
        if not self._filter:
            return True
        text = f"{line.level} {line.logger} {line.text}".casefold()
        return all(word in text for word in self._filter)


def _log_row(line: LogLine) -> Row:
    word = level_word(line.level)
    return Row(
        key=str(line.number),
        title=one_line(line.text, 400),
        aside=" · ".join(part for part in (one_line(line.logger, 40), clock(line.at)) if part),
        icon=word.icon,
        tone=word.tone,
        badges=((word.text, word.tone),),
    )


_PAUSE_MS = 80  # after the last key in the filter
_WIDE = 220  # letters of width from which list and text are side by side


class LogPage(ServerPage):
    """Reads new lines while it is seen and not paused; the core keeps the lines that arrive meanwhile."""

    def __init__(self, context: Context, commands: Commands, state: ServerState, parent: QWidget | None = None) -> None:
        super().__init__(context, commands, state, parent)
        self._last = 0  # number of the newest line shown
        self._newest = 0  # number of the newest line in the core, as far as known
        self._fetching = False
        self._seen = False
        self._logs = False  # the server declares the capability
        self.model = LogModel(self)
        self.view = RowsView(context.theme, "Lines of the log", self)
        self.view.setUniformItemSizes(True)
        self.view.setModel(self.model)
        self.line_text = PlainEdit()
        self.level = CalmCombo()
        self.finder = search_box("Filter log", "Filter the log")
        self.pause = QPushButton(icon("pause", "muted"), "Pause")
        self.fault = FaultCard(context.theme)
        self.note = label("", "muted")
        self.empty = EmptyState(context.theme, "list", "", "")
        self._copy_line_action = QAction(icon("copy"), "Copy line", self)
        self._copy_action = QAction(icon("copy"), "Copy shown lines", self)
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._pause.timeout.connect(self._apply_filter)
        self._lay_out()
        self._connect_signals()
        self._say_empty()

    def load(self) -> None:
        """Start again from the first line: the log of a new core begins at 1."""
        self._last = self._newest = 0
        self.model.clear()
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
        self._logs = offers.logs
        self.level.setEnabled(offers.logs)
        self.level.setCurrentIndex(LEVELS.index(offers.log_level) if offers.log_level in LEVELS else -1)
        self._say_empty()

    def _choose_level(self, number: int) -> None:
        self.context.tasks.run("set a log level", self._set_level(LEVELS[number]))

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
            self.context.tasks.run("read a log", self._read())

    async def _read(self) -> None:
        try:
            log = await self.context.api.server_log(self.server, self._last)
        finally:
            self._fetching = False
        self._show(log)

    def _show(self, log: ServerLog) -> None:
        bar = self.view.verticalScrollBar()
        at_end = bar.value() >= bar.maximum()
        if log.lines:
            self._last = log.lines[-1].number
            self.model.append(log.lines)
        self.note.setText(f"{count_of(log.dropped, 'older line')} dropped" if log.dropped else "")
        self._update_stack()
        if at_end:
            self.view.scrollToBottom()
        self._newest = max(self._newest, self._last)

    def _update_stack(self) -> None:
        self._say_empty()
        self._stack.setCurrentWidget(self._split if self.model.rowCount() else self.empty)

    def _say_empty(self) -> None:
        if self.model.total():
            self.empty.say("No matches", "Clear the filter to see all lines.")
        elif self._logs:
            self.empty.say(
                "No messages yet", "Choose a level above. The server then sends messages of at least this level."
            )
        else:
            sentence = "The server does not support MCP logging, or has not run yet. Overview shows its error output."
            self.empty.say("No log", sentence)

    def _apply_filter(self) -> None:
        self.model.set_filter(self.finder.text(), "")
        self._update_stack()
        self.view.scrollToBottom()

    def _clear(self) -> None:
        self.model.clear()
        self.line_text.clear()
        self._update_stack()

    def _copy_line(self) -> None:
        if (line := self.model.line(self.view.currentIndex())) is not None:
            QGuiApplication.clipboard().setText(line.text)
            self.context.say("Copied the line.")

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.model.text())
        self.context.say(f"Copied {count_of(self.model.rowCount(), 'line')}.")

    def _set_paused(self, on: bool) -> None:
        self.pause.setIcon(icon("play" if on else "pause", "muted"))
        self.pause.setText("Resume" if on else "Pause")
        self._fetch()

    def _show_line(self, index: QModelIndex) -> None:
        line = self.model.line(index)
        if line is None:
            return
        try:
            text = dump(json.loads(line.text)) if line.text[:1] in ("{", "[") else line.text
        except (ValueError, RecursionError):
            text = line.text
        self.line_text.setPlainText(visible(text))

    def _connect_signals(self) -> None:
        self.level.activated.connect(self._choose_level)
        self.context.store.on(ServerLogged, self._logged)
        self.context.store.on(OffersChanged, self._offers_changed)
        self.finder.textChanged.connect(self._pause.start)
        lead_into(self.finder, self.view)
        self.view.addActions([self._copy_line_action, self._copy_action])
        self.view.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self._copy_line_action.triggered.connect(self._copy_line)
        self._copy_action.triggered.connect(self._copy)
        self.pause.toggled.connect(self._set_paused)
        self.view.selectionModel().currentChanged.connect(self._show_line)

    def _lay_out(self) -> None:
        strip = self._strip()
        self.line_text.setReadOnly(True)
        self.line_text.setTabChangesFocus(True)
        self.line_text.setAccessibleName("Full text of the selected line")
        self.line_text.setPlaceholderText("Select a line to see its full text.")
        self.line_text.setFont(self.context.theme.mono(-1))
        mark(self.line_text, kind="code")
        self._split = AdaptiveSplit(_WIDE, (4, 1), self.view, self.line_text)
        stacked = QWidget()
        self._stack = QStackedLayout(stacked)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self._split)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(strip)
        column.addWidget(self.fault)
        column.addWidget(stacked, 1)
        self.setFocusProxy(self.view)

    def _strip(self) -> Strip:
        theme = self.context.theme
        strip = Strip(theme)
        self.level.setAccessibleName("Lowest level that the server logs")
        self.level.setPlaceholderText("Log level…")
        for level in LEVELS:
            word = level_word(level)
            self.level.addItem(icon(word.icon, word.tone), word.text)
        self.level.setCurrentIndex(-1)
        self.level.setEnabled(False)
        self.pause.setCheckable(True)
        mark(self.pause, kind="quiet")
        copy = tool_button("copy", "Copy shown lines", theme)
        copy.clicked.connect(self._copy)
        clear = tool_button("trash", "Clear", theme)
        clear.clicked.connect(self._clear)
        strip.row.addWidget(self.level)
        strip.row.addWidget(self.finder, 1)
        for widget in (self.note, self.pause, copy, clear):
            strip.row.addWidget(widget)
        return strip
