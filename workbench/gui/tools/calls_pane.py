"""Saved calls as rows: a heading for each collection, and at each call how its last check went."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterable, Mapping

from msgspec import Struct
from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QPushButton, QSplitter, QStackedLayout, QStackedWidget, QTabBar, QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.events import CallsForgotten, CallsKept, Event, SavedCallsChanged
from workbench.gui.code.diff_view import DifferenceDialog
from workbench.gui.kit.controls import CalmCombo
from workbench.gui.kit.faults import Question
from workbench.gui.kit.lists import EmptyState, RowsView, Strip, action_button, lead_focus, lead_into, search_box
from workbench.gui.kit.rows import Row, RowsModel
from workbench.gui.kit.text import one_line, visible
from workbench.gui.kit.theme import mark
from workbench.gui.shell.actions import CALL, REMOVED_CALL, SAVED_CALL
from workbench.gui.shell.commands import Commands
from workbench.gui.shell.context import Context, Pane
from workbench.gui.shell.long_text import fetch_whole
from workbench.gui.shell.navigation import SaveCall, ShowCall
from workbench.records import (
    BrokenCall,
    CheckResult,
    Expect,
    Expectation,
    Fault,
    Mark,
    PastCall,
    PastQuery,
    SavedCall,
    SavedCalls,
    ServerState,
)


def saved_rows(saved: SavedCalls, results: Mapping[str, CheckResult], text: str, running: Iterable[str]) -> list[Row]:
    """The whole list; `text` filters by name, tool, note and tags."""
    needle, busy = text.strip().casefold(), set(running)
    rows: list[Row] = []
    broken = [one for one in saved.broken if needle in one.file.casefold()]
    if broken:
        title = "Files that cannot be read"
        rows.append(Row("section:broken", title, aside=str(len(broken)), section=True))
        rows.extend(broken_row(one) for one in broken)
    calls = [call for call in saved.calls if not needle or needle in _words(call)]
    for collection in dict.fromkeys(call.collection for call in calls):
        part = [call for call in calls if call.collection == collection]
        title = visible(collection) or "Without a collection"
        rows.append(Row(f"section:{collection}", title, aside=_passed(part, results), section=True))
        rows.extend(saved_row(call, results.get(call.file), call.file in busy) for call in part)
    return rows


def saved_row(call: SavedCall, result: CheckResult | None, running: bool) -> Row:
    icon, tone, word = _state(result, running)
    expected = len(call.expectations)
    count = f"{expected} expected" if expected else ""
    return Row(
        key=call.file,
        title=visible(call.name),
        detail=one_line(f"{call.server} › {call.tool}", 120),
        aside=word or count,
        aside_tone=tone if word else "muted",
        icon=icon,
        tone=tone,
        badges=tuple((one_line(tag, 20), "info") for tag in call.tags[:2]),
        tip=visible("\n".join(part for part in (call.file, call.note) if part)),
    )


def broken_row(one: BrokenCall) -> Row:
    return Row(
        key=f"broken:{one.file}",
        title=visible(one.file.removeprefix("calls/")),
        detail=one_line(one.fault.message.removeprefix(f"{one.file}"), 200).lstrip(", "),
        icon="alert",
        tone="warning",
        tip=visible(f"{one.fault.message} {one.fault.hint}"),
    )


def mark_rows(result: CheckResult) -> list[Row]:
    """What was expected and whether it held; or why the call could not be made."""
    if result.fault is not None:
        words = visible(result.fault.message)
        return [Row("fault", words, visible(result.fault.hint), icon="alert", tone="danger", tip=words)]
    return [_mark_row(number, mark) for number, mark in enumerate(result.marks)]


def _mark_row(number: int, mark: Mark) -> Row:
    return Row(
        key=str(number),
        title=_expected(mark.expectation),
        detail="" if mark.holds else one_line(mark.words, 300),
        icon="check" if mark.holds else "cross",
        tone="success" if mark.holds else "danger",
        tip=visible(mark.words),
    )


def _expected(one: Expectation) -> str:
    """An expectation in a few words."""
    words = {
        Expect.OK: "answers",
        Expect.ERROR: "error: {}",
        Expect.EQUALS: "= {}",
        Expect.EXISTS: "is there" if one.value else "is not there",
        Expect.MATCHES: "matches {}",
        Expect.TYPE: "is {}",
        Expect.COUNT: "at least {}",
        Expect.TEXT: "text: {}",
        Expect.SCHEMA: "matches schema",
        Expect.KEPT: "is the answer that is kept",
        Expect.UNDER_MS: "under {} ms",
    }[one.kind]
    return one_line(f"{one.path} {words.format(one.value)}".strip(), 120)


def _state(result: CheckResult | None, running: bool) -> tuple[str, str, str]:
    if running:
        return "loader", "info", "running"
    if result is None:
        return "bookmark", "muted", ""
    if result.passed:
        return "check", "success", "as expected"
    if result.fault is not None:
        return "alert", "warning", "not made"
    return "cross", "danger", f"{sum(not mark.holds for mark in result.marks)} differ"


def _passed(calls: list[SavedCall], results: Mapping[str, CheckResult]) -> str:
    known = [results[call.file] for call in calls if call.file in results]
    return f"{sum(one.passed for one in known)}/{len(calls)}" if known else str(len(calls))


def _words(call: SavedCall) -> str:
    return " ".join((call.file, call.server, call.tool, call.note, *call.tags)).casefold()


_DAY = 86_400


def past_rows(calls: Iterable[PastCall], now: float) -> list[Row]:
    """The whole list with its days."""
    rows: list[Row] = []
    day: tuple[int, ...] = ()
    for call in calls:
        if (date := time.localtime(call.at)[:3]) != day:
            day = date
            rows.append(Row(f"day:{day}", day_name(call.at, now), section=True))
        rows.append(past_row(call))
    return rows


def past_row(call: PastCall) -> Row:
    arguments = "" if call.arguments == "{}" else one_line(call.arguments, 200)
    nested = (("program", "info"),) if call.run_id else ()
    at = time.strftime("%H:%M", time.localtime(call.at))
    return Row(
        key=str(call.id),
        title=one_line(call.tool, 100),
        detail=arguments or one_line(call.note, 200) or "no arguments",
        aside=f"{one_line(call.server, 30)} · {at}",
        icon="check" if call.ok else "alert",
        tone="success" if call.ok else "danger",
        badges=nested,
        mono=True,
        tip=_tip(call),
    )


def day_name(at: float, now: float) -> str:
    """Today, yesterday, or the date."""
    for days, words in ((0, "Today"), (1, "Yesterday")):
        if time.localtime(at)[:3] == time.localtime(now - days * _DAY)[:3]:
            return words
    return time.strftime("%A, %d %B %Y", time.localtime(at))


def _tip(call: PastCall) -> str:
    went = "answered" if call.ok else "failed"
    took = f"{call.server}.{call.tool} {went} in {call.ms:.0f} ms"
    return visible("\n".join(part for part in (took, call.arguments[:400], call.note) if part))


class CallMarks(QWidget):
    """Hidden until there is something to say."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._result: CheckResult | None = None
        self.model = RowsModel(self)
        self.list = RowsView(context.theme, "What was expected, and whether it held", self)
        self.list.setModel(self.model)
        self.list.chosen.connect(self._choose)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.list)
        self.setMinimumHeight(context.theme.unit * 20)
        self.hide()

    def show_result(self, result: CheckResult | None) -> None:
        """The marks of this result; None hides everything."""
        self._result = result
        self.model.show_rows(mark_rows(result) if result else [])
        self.setVisible(result is not None)

    def _choose(self, key: str) -> None:
        if self._result is None or not key.isdigit():
            return
        self._context.tasks.run("show a difference", self._show(self._result.marks[int(key)]))

    async def _show(self, mark: Mark) -> None:
        expected, got = await fetch_whole(self._context.fetch, (mark.expected, mark.got))
        DifferenceDialog(self._context, mark.words, expected, got, self.window()).open()


class Removed(Struct, frozen=True):
    """A file that was taken away and can be brought back."""

    file: str
    text: str


class SavedList(Pane):
    """The list with its marks below."""

    changed = Signal()
    """Another call is chosen, or the list is another one."""

    def __init__(self, context: Context, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._commands = commands
        self.calls = SavedCalls()
        self.results: dict[str, CheckResult] = {}
        self.removed: Removed | None = None
        self._running: set[str] = set()
        self.model = RowsModel(self)
        self.list = RowsView(context.theme, "Saved calls", self)
        self.list.setModel(self.model)
        self.finder = search_box("Find a saved call", "Filter saved calls")
        self.marks = CallMarks(context, self)
        self._pause = QTimer(self, singleShot=True, interval=150)
        self._empty = EmptyState(
            context.theme,
            "bookmark",
            "No saved calls yet",
            "Call a tool, then choose “Save or copy” below its form. A saved call can be checked any time.",
        )
        self._lay_out()
        self._bind()

    def hear(self, event: Event) -> None:
        if isinstance(event, SavedCallsChanged):
            self.results.pop(event.file, None)
            self._pause.start()

    def refresh(self) -> None:
        self.context.tasks.run("saved calls", self.context.api.saved_calls(), self._load)

    def chosen_key(self) -> str:
        return self.list.key()

    def chosen(self) -> SavedCall | None:
        key = self.list.key()
        return next((call for call in self.calls.calls if call.file == key), None)

    def open_chosen(self) -> None:
        if call := self.chosen():
            self.context.go(ShowCall(call.server, call.tool, call.arguments, call.withheld))

    def keep(self) -> None:
        """Change its name, note and expectations."""
        if call := self.chosen():
            result = self.results.get(call.file)
            self.context.go(SaveCall(call, result.outcome if result else None))

    def again(self) -> None:
        """Check the chosen call."""
        if call := self.chosen():
            self.context.tasks.run(f"check {call.name}", self._check(call, ask=True))

    async def check_all(self) -> None:
        """Each in the order of the list; risky ones are left out and say so."""
        for call in self.calls.calls:
            await self._check(call, ask=False)

    def remove(self) -> None:
        file = self.list.key().removeprefix("broken:")
        if not file:
            return

        def done(text: str) -> None:
            self.removed = Removed(file, text)
            self._say_changed()

        self.context.tasks.run("remove a saved call", self.context.api.remove_saved(file), done)

    async def bring_back(self) -> None:
        if self.removed is not None:
            removed, self.removed = self.removed, None
            await self.context.api.restore_saved(removed.file, removed.text)
            self._say_changed()

    async def _check(self, call: SavedCall, *, ask: bool) -> None:
        if call.file in self._running:
            return
        self._running.add(call.file)
        self._draw()
        try:
            result = await self._result(call, confirmed=False, attended=ask)
            if result.needs_confirmation and ask and await self._agreed(result):
                result = await self._result(call, confirmed=True, attended=ask)
            self.results[call.file] = result
        finally:
            self._running.discard(call.file)
            self._draw()
        await asyncio.sleep(0)  # the list is painted between two calls

    async def _result(self, call: SavedCall, *, confirmed: bool, attended: bool) -> CheckResult:
        try:
            return await self.context.api.check_saved(call.file, confirmed, attended)
        except WorkbenchError as fault:
            return CheckResult(call.file, call.server, call.tool, False, fault=Fault(fault.message, fault.hint))

    async def _agreed(self, result: CheckResult) -> bool:
        sentence = result.fault.message if result.fault else "It may change or send something."
        title = f"Make the call {result.tool}?"
        question = Question(self.context.theme, title, sentence, self.window())
        return await question.ask("Call once", danger=True)

    def _load(self, calls: SavedCalls) -> None:
        self.calls = calls
        self._draw()

    def _lay_out(self) -> None:
        strip = Strip(self.context.theme)
        strip.row.addWidget(self.finder, 1)
        for name in ("calls.again", "calls.check", "calls.keep", "calls.remove", "calls.undo"):
            button = action_button(self._commands[name], self.context.theme)
            strip.row.addWidget(button)
        self._undo = button
        self._undo.hide()
        self.finder.setMinimumWidth(self.context.theme.unit * 10)
        stacked = QWidget()
        self._stack = QStackedLayout(stacked)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.list)
        split = QSplitter(self)
        split.setOrientation(Qt.Orientation.Vertical)
        split.setChildrenCollapsible(False)
        split.addWidget(stacked)
        split.addWidget(self.marks)
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 2)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(strip)
        column.addWidget(split, 1)
        lead_focus(self, self._stack)

    def _bind(self) -> None:
        lead_into(self.finder, self.list)
        self.finder.textChanged.connect(self._draw)
        self._pause.timeout.connect(self.refresh)
        self.list.chosen.connect(self.open_chosen)
        self.list.selection_changed.connect(self._selected)

    def _draw(self) -> None:
        self.model.show_rows(saved_rows(self.calls, self.results, self.finder.text(), self._running))
        self._stack.setCurrentWidget(self.list if self.calls.calls or self.calls.broken else self._empty)
        self._selected()

    def _selected(self) -> None:
        call = self.chosen()
        self.marks.show_result(self.results.get(call.file) if call else None)
        self._say_changed()

    def _say_changed(self) -> None:
        self._undo.setVisible(self.removed is not None)
        self.changed.emit()


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
            self.context.go(ShowCall(whole.server, whole.tool, json.loads(whole.arguments), whole.withheld, start))

        self.context.tasks.run("read a call", self.context.api.past_call(call.id), done)

    def _save(self, call: PastCall) -> None:
        saved = SavedCall("", "", call.server, call.tool, json.loads(call.arguments), withheld=call.withheld)
        self.context.go(SaveCall(saved, None if call.cut else call.outcome))

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


SAVED, HISTORY = range(2)


class CallsPane(Pane):
    """Two lists in one place; what the actions do, they do in the one that is seen."""

    def __init__(self, context: Context, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._commands = commands
        self.saved = SavedList(context, commands, self)
        self.history = HistoryList(context, commands, self)
        self.tabs = QTabBar()
        self._pages = QStackedWidget()
        self._lay_out()
        self._bind()

    def hear(self, event: Event) -> None:
        self.saved.hear(event)
        self.history.hear(event)

    def refresh(self) -> None:
        self.saved.refresh()
        self.history.refresh()

    def look(self, tab: int) -> None:
        """Bring one of the two lists to the front."""
        self.tabs.setCurrentIndex(tab)

    def _lay_out(self) -> None:
        for words, page in (("Saved", self.saved), ("History", self.history)):
            self.tabs.addTab(words)
            self._pages.addWidget(page)
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setAccessibleName("Saved calls or history")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.tabs)
        column.addWidget(self._pages, 1)
        self.setFocusProxy(self.saved)

    def _bind(self) -> None:
        self.tabs.currentChanged.connect(self._turned)
        for page in (self.saved, self.history):
            page.changed.connect(self._selected)
        bind = self._commands.bind
        bind("calls.open", self._open)
        bind("calls.again", self._again)
        bind("calls.keep", self._keep)
        bind("calls.remove", self._remove)
        bind("calls.undo", self.saved.bring_back)
        bind("calls.check", self.saved.check_all)
        bind("history.clear", self.history.clear)

    def _turned(self, tab: int) -> None:
        self._pages.setCurrentIndex(tab)
        self.setFocusProxy(self._front())
        self._selected()

    def _front(self) -> SavedList | HistoryList:
        return self.saved if self.tabs.currentIndex() == SAVED else self.history

    def _selected(self) -> None:
        front = self._front()
        self._commands.hold(CALL, bool(front.chosen_key()))
        self._commands.hold(SAVED_CALL, bool(self.saved.calls.calls))
        self._commands.hold(REMOVED_CALL, self.saved.removed is not None)

    def _open(self) -> None:
        self._front().open_chosen()

    def _again(self) -> None:
        self._front().again()

    def _keep(self) -> None:
        self._front().keep()

    def _remove(self) -> None:
        self._front().remove()
