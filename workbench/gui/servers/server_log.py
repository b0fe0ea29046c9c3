"""The lines of a server's log as a list: bounded, sifted by words and level, appended to without losing one's place."""

from __future__ import annotations

import json
from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton, QSplitter, QStackedLayout, QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.events import Event, OffersChanged, ServerLogged
from workbench.gui.kit.controls import CalmCombo
from workbench.gui.kit.faults import FaultCard
from workbench.gui.kit.icons import icon
from workbench.gui.kit.json_text import dump
from workbench.gui.kit.lists import EmptyState, RowsView, Strip, label, search_box, tool_button
from workbench.gui.kit.plain_edit import PlainEdit
from workbench.gui.kit.rows import Row, row_data
from workbench.gui.kit.text import one_line, visible
from workbench.gui.kit.theme import mark
from workbench.gui.kit.wording import Word, clock
from workbench.gui.servers.page import ServerPage
from workbench.gui.shell.commands import Commands
from workbench.gui.shell.context import Context
from workbench.records import Fault, LogLine, Offers, ServerLog, ServerState

Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
KEPT = 5_000  # lines the window remembers
LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")


def level_word(level: str) -> Word:
    """Never by colour alone: the level's word, with an icon."""
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


class LogRows(QAbstractListModel):
    """Oldest first, as a log is read."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._all: list[LogLine] = []
        self._shown: list[LogLine] = []
        self._needle: tuple[str, ...] = ()
        self._lowest = 0  # index into LEVELS; lines below are not shown

    def append(self, lines: Sequence[LogLine]) -> None:
        """New lines below; what is over the limit goes at the top."""
        self._all += lines
        fitting = [line for line in lines if self._fits(line)]
        if len(self._all) > KEPT:
            del self._all[: len(self._all) - KEPT]
            self._drop(self._all[0].number)
        fitting = [line for line in fitting if line.number >= self._all[0].number] if self._all else []
        if fitting:
            self.beginInsertRows(QModelIndex(), len(self._shown), len(self._shown) + len(fitting) - 1)
            self._shown += fitting
            self.endInsertRows()

    def clear(self) -> None:
        self.beginResetModel()
        self._all, self._shown = [], []
        self.endResetModel()

    def sift(self, text: str, lowest: str) -> None:
        """Show lines that have all these words, from this level on; levels nobody knows are always shown."""
        needle = tuple(text.casefold().split())
        level = LEVELS.index(lowest) if lowest in LEVELS else 0
        if (needle, level) == (self._needle, self._lowest):
            return
        self.beginResetModel()
        self._needle, self._lowest = needle, level
        self._shown = [line for line in self._all if self._fits(line)]
        self.endResetModel()

    def total(self) -> int:
        return len(self._all)

    def line(self, index: Index) -> LogLine | None:
        return self._shown[index.row()] if index.isValid() and index.row() < len(self._shown) else None

    def text(self) -> str:
        """What is shown, a line each, for the clipboard."""
        return "\n".join(
            f"{clock(line.at)} {line.level or '-'} {line.logger or '-'} {line.text}" for line in self._shown
        )

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._shown)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        line = self.line(index)
        return None if line is None else row_data(_row(line), role)

    def _drop(self, first: int) -> None:
        gone = next((at for at, line in enumerate(self._shown) if line.number >= first), len(self._shown))
        if gone:
            self.beginRemoveRows(QModelIndex(), 0, gone - 1)
            del self._shown[:gone]
            self.endRemoveRows()

    def _fits(self, line: LogLine) -> bool:
        if line.level in LEVELS and LEVELS.index(line.level) < self._lowest:
            return False
        if not self._needle:
            return True
        words = f"{line.level} {line.logger} {line.text}".casefold()
        return all(word in words for word in self._needle)


def _row(line: LogLine) -> Row:
    word = level_word(line.level)
    return Row(
        key=str(line.number),
        title=one_line(line.text, 400),
        aside=" · ".join(part for part in (one_line(line.logger, 40), clock(line.at)) if part),
        icon=word.icon,
        tone=word.tone,
        badges=((word.text, word.tone),),
    )


_PAUSE_MS = 80


class LogPage(ServerPage):
    """Lines are fetched while the page is seen and not paused; the core keeps what comes meanwhile."""

    def __init__(self, context: Context, commands: Commands, state: ServerState, parent: QWidget | None = None) -> None:
        super().__init__(context, commands, state, parent)
        self._last = 0  # number of the newest line here
        self._newest = 0  # of the newest line there is, as far as told
        self._fetching = False
        self._seen = False
        self._logs = False  # the server says that it has a log
        self.model = LogRows(self)
        self.view = RowsView(context.theme, "Lines of the log", self)
        self.view.setUniformItemSizes(True)
        self.view.setModel(self.model)
        self._whole = PlainEdit()
        self.level = CalmCombo()
        self.finder = search_box("Find in the log", "Filter the log")
        self.pause = QPushButton(icon("pause", "muted"), "Pause")
        self._fault = FaultCard(context.theme)
        self._note = label("", "muted")
        self._empty = EmptyState(context.theme, "list", "", "")
        self._sifting = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._sifting.timeout.connect(self._sift)
        self._lay_out()
        self._bind()
        self._say_empty()

    def hear(self, event: Event) -> None:
        if isinstance(event, ServerLogged) and event.server == self.server:
            self._newest = event.newest
            self._fetch()
        elif isinstance(event, OffersChanged) and event.server == self.server and self._seen:
            self._ask()

    def refresh(self) -> None:
        """The core may be another one, whose log begins anew."""
        self._last = self._newest = 0
        self.model.clear()
        if self._seen:
            self.look(seen=True)

    def look(self, *, seen: bool) -> None:
        self._seen = seen
        if seen:
            self._ask()
            self._fetch(certainly=True)

    def _ask(self) -> None:
        self.context.tasks.run("what a server logs", self.context.api.offers(self.server), self._show_offers)

    def _show_offers(self, offers: Offers) -> None:
        self._logs = offers.logs
        self.level.setEnabled(offers.logs)
        self.level.setCurrentIndex(LEVELS.index(offers.log_level) if offers.log_level in LEVELS else -1)
        self._say_empty()

    def _choose(self, number: int) -> None:
        self.context.tasks.run("set a log level", self._set_level(LEVELS[number]))

    async def _set_level(self, level: str) -> None:
        try:
            await self.context.api.set_log_level(self.server, level)
        except WorkbenchError as fault:
            self._fault.show_fault(Fault(fault.message, fault.hint))
            self.level.setCurrentIndex(-1)
        else:
            self._fault.show_fault(None)

    def _fetch(self, *, certainly: bool = False) -> None:
        """One question at a time: in a flood the next one brings all that came meanwhile."""
        waiting = self._newest - self._last
        if self.pause.isChecked():
            self.pause.setText(f"Go on ({waiting} new)" if waiting > 0 else "Go on")
            return
        if self._seen and not self._fetching and (certainly or waiting > 0):
            self._fetching = True
            self.context.tasks.run("read a log", self._read())

    async def _read(self) -> None:
        try:
            found = await self.context.api.server_log(self.server, self._last)
        finally:
            self._fetching = False
        self._show(found)

    def _show(self, found: ServerLog) -> None:
        bar = self.view.verticalScrollBar()
        at_end = bar.value() >= bar.maximum()
        if found.lines:
            self._last = found.lines[-1].number
            self.model.append(found.lines)
        self._note.setText(f"{found.dropped} older lines are not kept" if found.dropped else "")
        self._tell()
        if at_end:
            self.view.scrollToBottom()
        self._newest = max(self._newest, self._last)

    def _tell(self) -> None:
        self._say_empty()
        self._stack.setCurrentWidget(self._split if self.model.rowCount() else self._empty)

    def _say_empty(self) -> None:
        if self.model.total():
            self._empty.say("Nothing has these words", "Try fewer letters.")
        elif self._logs:
            words = "Choose a level above: from it on, the server is asked to tell what it does."
            self._empty.say("Nothing logged yet", words)
        else:
            words = "A running server says whether it has a log. Its error output is on the overview."
            self._empty.say("This server tells no log", words)

    def _sift(self) -> None:
        self.model.sift(self.finder.text(), "")
        self._tell()
        self.view.scrollToBottom()

    def _clear(self) -> None:
        self.model.clear()
        self._whole.clear()
        self._tell()

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.model.text())
        self.context.say(f"{self.model.rowCount()} lines are in the clipboard.")

    def _paused(self, on: bool) -> None:
        self.pause.setIcon(icon("play" if on else "pause", "muted"))
        self.pause.setText("Go on" if on else "Pause")
        self._fetch()

    def _look_at(self, index: QModelIndex) -> None:
        line = self.model.line(index)
        if line is None:
            return
        try:
            text = dump(json.loads(line.text)) if line.text[:1] in ("{", "[") else line.text
        except (ValueError, RecursionError):
            text = line.text
        self._whole.setPlainText(visible(text))

    def _bind(self) -> None:
        self.level.activated.connect(self._choose)
        self.finder.textChanged.connect(self._sifting.start)
        self.pause.toggled.connect(self._paused)
        self.view.selectionModel().currentChanged.connect(self._look_at)

    def _lay_out(self) -> None:
        strip = self._strip()
        self._whole.setReadOnly(True)
        self._whole.setTabChangesFocus(True)
        self._whole.setAccessibleName("The whole line")
        self._whole.setPlaceholderText("Choose a line to read all of it.")
        self._whole.setFont(self.context.theme.mono(-1))
        mark(self._whole, kind="code")
        self._split = QSplitter(Qt.Orientation.Vertical)
        self._split.setChildrenCollapsible(False)
        self._split.addWidget(self.view)
        self._split.addWidget(self._whole)
        self._split.setSizes([500, 120])
        stacked = QWidget()
        self._stack = QStackedLayout(stacked)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self._split)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(strip)
        column.addWidget(self._fault)
        column.addWidget(stacked, 1)
        self.setFocusProxy(self.view)

    def _strip(self) -> Strip:
        theme = self.context.theme
        strip = Strip(theme)
        self.level.setAccessibleName("Level from which the server logs")
        self.level.setPlaceholderText("Log from…")
        for level in LEVELS:
            word = level_word(level)
            self.level.addItem(icon(word.icon, word.tone), word.text)
        self.level.setCurrentIndex(-1)
        self.level.setEnabled(False)
        self.pause.setCheckable(True)
        mark(self.pause, kind="quiet")
        copy = tool_button("copy", "Copy the shown lines", theme)
        copy.clicked.connect(self._copy)
        clear = tool_button("trash", "Clear the page", theme)
        clear.clicked.connect(self._clear)
        strip.row.addWidget(self.level)
        strip.row.addWidget(self.finder, 1)
        for widget in (self._note, self.pause, copy, clear):
            strip.row.addWidget(widget)
        return strip
