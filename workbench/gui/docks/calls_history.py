"""The history: search it, open a call in its form, make it again, save it, forget it."""

from __future__ import annotations

import json
import time

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QPushButton, QStackedLayout, QVBoxLayout, QWidget

from workbench.events import CallsForgotten, CallsKept, Event
from workbench.gui.calm_combo import CalmCombo
from workbench.gui.commands import Commands
from workbench.gui.context import Context
from workbench.gui.dialogs.question import Question
from workbench.gui.models.past import past_rows
from workbench.gui.models.rows import RowsModel
from workbench.gui.pane import Pane
from workbench.gui.text import one_line
from workbench.gui.theme import mark
from workbench.gui.views import EmptyState, RowsView, Strip, action_button, lead_focus, lead_into, search_box
from workbench.gui.wishes import SaveCall, ShowCall
from workbench.records import PastCall, PastQuery, SavedCall, ServerState

_PAGE = 200  # calls that are asked for at once
_MOST = 600  # calls that stay in the list while new ones come


class HistoryList(Pane):
    """Newest first; typing searches in names, arguments and answers."""

    changed = Signal()
    """Another call is chosen, or the list is another one."""

    def __init__(self, context: Context, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._commands = commands
        self._calls: dict[int, PastCall] = {}
        self._question = 0  # the number of the latest search: an older one's answer is not shown
        self._more = False
        self.model = RowsModel(self)
        self.list = RowsView(context.theme, "History of calls", self)
        self.list.setModel(self.model)
        self.finder = search_box("Find in names, arguments, answers", "Search the history")
        self.filter = CalmCombo()
        self.server = CalmCombo()
        self._pause = QTimer(self, singleShot=True, interval=120)
        self._soon = QTimer(self, singleShot=True, interval=100)  # a program may make thousands of calls
        self._empty = EmptyState(context.theme, "history", "", "")
        self._older = QPushButton("Show older calls")
        self._lay_out()
        self._bind()

    def hear(self, event: Event) -> None:
        if isinstance(event, CallsKept) and not self._searching():
            for call in event.calls:
                self._calls[call.id] = call
            self._soon.start()
        elif isinstance(event, CallsKept | CallsForgotten):
            self._pause.start()

    def refresh(self) -> None:
        self.context.tasks.run("servers", self.context.api.servers(), self._offer)
        self._search()

    def _search(self) -> None:
        self._ask(0)

    def _offer(self, states: tuple[ServerState, ...]) -> None:
        """The servers to choose from; what was chosen stays."""
        names = [state.config.name for state in states]
        if names == [self.server.itemData(number) for number in range(1, self.server.count())]:
            return
        chosen = self.server.currentData()
        self.server.blockSignals(True)
        for number in range(self.server.count() - 1, 0, -1):
            self.server.removeItem(number)
        for name in names:
            self.server.addItem(one_line(name, 40), name)
        self.server.setCurrentIndex(max(0, self.server.findData(chosen)))
        self.server.blockSignals(False)

    def chosen_key(self) -> str:
        return self.list.key()

    def chosen(self) -> PastCall | None:
        key = self.list.key()
        return self._calls.get(int(key)) if key.isdigit() else None

    def open_chosen(self) -> None:
        self._show(start=False)

    def again(self) -> None:
        """The same call once more, in its form, where a risky one asks as always."""
        self._show(start=True)

    def keep(self) -> None:
        call = self.chosen()
        if call is not None:
            self.context.tasks.run("read a call", self.context.api.past_call(call.id), self._save)

    def remove(self) -> None:
        call = self.chosen()
        if call is not None:
            self.context.tasks.run("forget a call", self.context.api.delete_calls((call.id,)))

    async def clear(self) -> None:
        question = Question(
            self.context.theme,
            "Clear the history?",
            "Every call that was kept is forgotten for good, with arguments and answer. Saved calls stay.",
            self.window(),
        )
        if await question.ask("Clear the history", danger=True):
            await self.context.api.clear_history()

    def _show(self, *, start: bool) -> None:
        call = self.chosen()
        if call is None:
            return

        def done(whole: PastCall) -> None:
            self.wished.emit(ShowCall(whole.server, whole.tool, json.loads(whole.arguments), whole.withheld, start))

        self.context.tasks.run("read a call", self.context.api.past_call(call.id), done)

    def _save(self, call: PastCall) -> None:
        saved = SavedCall("", "", call.server, call.tool, json.loads(call.arguments), withheld=call.withheld)
        self.wished.emit(SaveCall(saved, None if call.cut else call.outcome))

    def _lay_out(self) -> None:
        strip = Strip(self.context.theme)
        strip.row.addWidget(self.finder, 1)
        for name in ("calls.again", "calls.keep", "calls.remove"):
            strip.row.addWidget(action_button(self._commands[name], self.context.theme))
        for words, state in (("All", ""), ("Answered", "ok"), ("Failed", "failed")):
            self.filter.addItem(words, state)
        self.filter.setAccessibleName("Which calls")
        second = Strip(self.context.theme)
        self.server.addItem("All servers", "")
        self.server.setAccessibleName("Calls of which server")
        for box in (self.filter, self.server):  # the pane must not make a small window grow
            box.setSizeAdjustPolicy(CalmCombo.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            box.setMinimumContentsLength(4)
        self.finder.setMinimumWidth(self.context.theme.unit * 12)
        second.row.addWidget(self.filter, 1)
        second.row.addWidget(self.server, 1)
        mark(self._older, kind="quiet")
        self._older.hide()
        stacked = QWidget()
        self._stack = QStackedLayout(stacked)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.list)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for part in (strip, second):
            column.addWidget(part)
        column.addWidget(stacked, 1)
        column.addWidget(self._older)
        lead_focus(self, self._stack)

    def _bind(self) -> None:
        lead_into(self.finder, self.list)
        self.finder.textChanged.connect(self._pause.start)
        self.filter.currentIndexChanged.connect(self._search)
        self.server.currentIndexChanged.connect(self._search)
        self._pause.timeout.connect(self._search)
        self._soon.timeout.connect(self._draw_new)
        self._older.clicked.connect(self._ask_older)
        self.list.chosen.connect(self.open_chosen)
        self.list.selection_changed.connect(self.changed)

    def _searching(self) -> bool:
        return bool(self.finder.text().strip() or self.filter.currentData() or self.server.currentData())

    def _ask_older(self) -> None:
        self._ask(min(self._calls, default=0))

    def _ask(self, before: int) -> None:
        self._question += 1
        number = self._question
        server, state = str(self.server.currentData() or ""), str(self.filter.currentData() or "")
        query = PastQuery(self.finder.text(), server, state=state, before=before, limit=_PAGE)

        def done(calls: tuple[PastCall, ...]) -> None:
            if number == self._question:
                self._calls = {**(self._calls if before else {}), **{call.id: call for call in calls}}
                self._more = len(calls) == _PAGE
                self._draw()

        self.context.tasks.run("history", self.context.api.past_calls(query), done)

    def _draw_new(self) -> None:
        """What does not fit any more can be asked for again."""
        if len(self._calls) > _MOST:
            self._calls = {number: self._calls[number] for number in sorted(self._calls)[-_MOST:]}
            self._more = True
        self._draw()

    def _draw(self) -> None:
        self.model.show_rows(past_rows(sorted(self._calls.values(), key=lambda call: -call.id), time.time()))
        if self._searching():
            self._empty.say("No call fits", "Every word must occur, at least by its beginning.")
        else:
            words = "Each call you make is kept here, on this computer only, to be found and made again."
            self._empty.say("No calls yet", words)
        self._stack.setCurrentWidget(self.list if self._calls else self._empty)
        self._older.setVisible(self._more)
        self.changed.emit()
