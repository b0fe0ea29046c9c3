"""Saved calls and the history of calls: to open, repeat, check, copy, save and delete them."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QPushButton, QSplitter, QStackedWidget, QTabBar, QWidget

from workbench.errors import WorkbenchError
from workbench.events import CallsForgotten, CallsKept, SavedCallsChanged
from workbench.gui.kit.controls import CalmCombo
from workbench.gui.kit.icons import icon
from workbench.gui.kit.layouts import column, row
from workbench.gui.kit.list_pane import ListPane
from workbench.gui.kit.lists import EmptyState, RowsView, Strip, action_button
from workbench.gui.kit.rows import Row, RowsModel
from workbench.gui.kit.text import one_line, visible
from workbench.gui.kit.theme import mark
from workbench.gui.kit.wording import duration
from workbench.gui.shell.actions import CALL, REMOVED_CALL, SAVED_CALL
from workbench.gui.shell.context import Context, Pane
from workbench.gui.shell.long_text import fetch_whole
from workbench.gui.shell.navigation import SaveCall, ShowCall
from workbench.gui.tools.copying import add_copy_actions, copy_call
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
)
from workbench.records.common_types import count_of


def saved_rows(saved: SavedCalls, results: Mapping[str, CheckResult], text: str, running: Iterable[str]) -> list[Row]:
    """All rows of the list; `text` filters by name, tool, note and tags."""
    needle, busy = text.strip().casefold(), set(running)
    rows: list[Row] = []
    broken = [call for call in saved.broken if needle in call.file.casefold()]
    if broken:
        rows.append(Row("section:broken", "Files that cannot be read", aside=f"{len(broken):,}", section=True))
        rows.extend(broken_row(call) for call in broken)
    calls = [call for call in saved.calls if not needle or needle in _searchable(call)]
    for collection in dict.fromkeys(call.collection for call in calls):
        part = [call for call in calls if call.collection == collection]
        title = visible(collection) or "Without a collection"
        rows.append(Row(f"section:{collection}", title, aside=_passed(part, results), section=True))
        rows.extend(saved_row(call, results.get(call.file), call.file in busy) for call in part)
    return rows


def saved_row(call: SavedCall, result: CheckResult | None, running: bool) -> Row:
    symbol, tone, state = _state(result, running)
    expected = count_of(len(call.expectations), "expectation") if call.expectations else ""
    return Row(
        key=call.file,
        title=visible(call.name),
        detail=one_line(f"{call.server} › {call.tool}", 120),
        aside=state or expected,
        aside_tone=tone if state else "muted",
        icon=symbol,
        tone=tone,
        badges=tuple((one_line(tag, 20), "info") for tag in call.tags[:2]),
        tip=visible("\n".join(part for part in (call.file, call.note) if part)),
    )


def broken_row(call: BrokenCall) -> Row:
    return Row(
        key=f"broken:{call.file}",
        title=visible(call.file.removeprefix("calls/")),
        detail=one_line(call.fault.message.removeprefix(call.file), 200).lstrip(", "),
        icon="alert",
        tone="warning",
        tip=visible(f"{call.fault.message} {call.fault.hint}"),
    )


def mark_rows(result: CheckResult) -> list[Row]:
    """One row for each expectation; or the reason why the call could not be made."""
    if result.fault is not None:
        message = visible(result.fault.message)
        return [Row("fault", message, visible(result.fault.hint), icon="alert", tone="danger", tip=message)]
    return [
        Row(
            key=str(number),
            title=_expectation_text(mark.expectation),
            detail="" if mark.holds else one_line(mark.words, 300),
            icon="check" if mark.holds else "cross",
            tone="success" if mark.holds else "danger",
            tip=visible(mark.words),
        )
        for number, mark in enumerate(result.marks)
    ]


def _expectation_text(expectation: Expectation) -> str:
    text = {
        Expect.OK: "succeeds",
        Expect.ERROR: "error: {}",
        Expect.EQUALS: "= {}",
        Expect.EXISTS: "exists" if expectation.value else "does not exist",
        Expect.MATCHES: "matches {}",
        Expect.TYPE: "is {}",
        Expect.COUNT: "at least {}",
        Expect.TEXT: "contains {}",
        Expect.SCHEMA: "matches schema",
        Expect.KEPT: "equals the saved answer",
        Expect.UNDER_MS: "under {} ms",
    }[expectation.kind]
    return one_line(f"{expectation.path} {text.format(expectation.value)}".strip(), 120)


def _state(result: CheckResult | None, running: bool) -> tuple[str, str, str]:
    """Icon, colour role and text."""
    if running:
        return "loader", "info", "running"
    if result is None:
        return "bookmark", "muted", ""
    if result.passed:
        return "check", "success", "as expected"
    if result.fault is not None:
        return "alert", "warning", "not run"
    return "cross", "danger", count_of(sum(not mark.holds for mark in result.marks), "difference")


def _passed(calls: list[SavedCall], results: Mapping[str, CheckResult]) -> str:
    checked = [results[call.file] for call in calls if call.file in results]
    return f"{sum(result.passed for result in checked):,}/{len(calls):,}" if checked else f"{len(calls):,}"


def _searchable(call: SavedCall) -> str:
    return " ".join((call.file, call.server, call.tool, call.note, *call.tags)).casefold()


_DAY = 86_400


def past_rows(calls: Iterable[PastCall], now: float) -> list[Row]:
    """All rows of the history, with a heading for each day."""
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
    at = time.strftime("%H:%M", time.localtime(call.at))
    outcome = f"{call.server}.{call.tool} {'answered' if call.ok else 'failed'} after {duration(call.ms)}"
    return Row(
        key=str(call.id),
        title=one_line(call.tool, 100),
        detail=arguments or one_line(call.note, 200) or "no arguments",
        aside=f"{one_line(call.server, 30)} · {at}",
        icon="check" if call.ok else "alert",
        tone="success" if call.ok else "danger",
        badges=(("program", "info"),) if call.run_id else (),
        mono=True,
        tip=visible("\n".join(part for part in (outcome, call.arguments[:400], call.note) if part)),
    )


def day_name(at: float, now: float) -> str:
    """Today, Yesterday, or the date."""
    for days, text in ((0, "Today"), (1, "Yesterday")):
        if time.localtime(at)[:3] == time.localtime(now - days * _DAY)[:3]:
            return text
    return time.strftime("%A, %d %B %Y", time.localtime(at))


class CallList(QWidget):
    """What the two lists share: the list itself and its context menu."""

    changed = Signal()
    """A different call is selected, or the list changed."""

    def __init__(self, context: Context, title: str, search: str, empty: EmptyState) -> None:
        super().__init__()
        self.context = context
        self.empty = empty
        self.list = ListPane(context.theme, title, empty, search)
        self._copies = QMenu("Copy as", self)
        self._copies.setIcon(icon("copy", "muted"))
        add_copy_actions(self._copies, self.copy)
        self.setFocusProxy(self.list)
        self.list.set_menu(self._menu)
        self.list.chosen.connect(lambda _key: self.open_selected())

    def key(self) -> str:
        """The key of the selected row."""
        return self.list.key()

    def open_selected(self) -> None:
        raise NotImplementedError

    def copy(self, form: str) -> None:
        raise NotImplementedError

    def _menu(self, key: str) -> Sequence[QAction | None]:
        commands = self.context.commands
        if key.startswith("broken:"):
            return (commands["calls.remove"],)
        names = ("calls.open", "calls.again", "calls.keep")
        return (*(commands[name] for name in names), self._copies.menuAction(), None, commands["calls.remove"])


class SavedCallList(CallList):
    """Saved calls by collection; the result of the last check of the selected one is below."""

    def __init__(self, context: Context) -> None:
        empty = EmptyState(context.theme, "bookmark", "No saved calls", "")
        super().__init__(context, "Saved calls", "Find a saved call", empty)
        self.calls = SavedCalls()
        self.results: dict[str, CheckResult] = {}
        self.removed: tuple[str, str] | None = None
        """Name and text of the file that was deleted last."""
        self._running: set[str] = set()
        self.marks = RowsView(context.theme, "Expectations and whether they were met", self)
        self._mark_rows = RowsModel(self)
        self.marks.setModel(self._mark_rows)
        self.marks.setMinimumHeight(context.theme.unit * 20)
        self.marks.hide()
        self.marks.chosen.connect(self._open_mark)
        self._soon = QTimer(self, singleShot=True, interval=150)
        self._soon.timeout.connect(self.load)
        split = QSplitter(Qt.Orientation.Vertical, self)
        split.setChildrenCollapsible(False)
        for place, (part, share) in enumerate(((self.list, 3), (self.marks, 2))):
            split.addWidget(part)
            split.setStretchFactor(place, share)
        column(self, split)
        self.list.search_edited.connect(self._draw)
        self.list.selection_changed.connect(self._select)
        context.store.on(SavedCallsChanged, self._file_changed)
        context.store.linked.connect(self.load)
        self._draw()

    def load(self) -> None:
        self.context.tasks.run("saved calls", self.context.api.saved_calls(), self._show)

    def selected(self) -> SavedCall | None:
        key = self.key()
        return next((call for call in self.calls.calls if call.file == key), None)

    def open_selected(self) -> None:
        if call := self.selected():
            self.context.go(ShowCall(call.server, call.tool, call.arguments, call.withheld))

    def copy(self, form: str) -> None:
        if call := self.selected():
            copy_call(self.context, form, call.server, call.tool, call.arguments)

    def save_selected(self) -> None:
        """Change the name, note and expectations of the call."""
        if call := self.selected():
            result = self._result_of_selected()
            self.context.go(SaveCall(call, result.outcome if result else None))

    def call_again(self) -> None:
        """Check the selected call."""
        if call := self.selected():
            self.context.tasks.run(f"check {call.name}", self._check(call, ask=True))

    async def check_all(self) -> None:
        """Check all calls in their order; risky ones are skipped, and their result says so."""
        for call in self.calls.calls:
            await self._check(call, ask=False)

    def remove(self) -> None:
        file = self.key().removeprefix("broken:")
        if not file:
            return

        def removed(text: str) -> None:
            self.removed = file, text
            self.changed.emit()

        self.context.tasks.run("delete a saved call", self.context.api.remove_saved(file), removed)

    async def restore(self) -> None:
        """Restore the call that was deleted last."""
        if self.removed is not None:
            (file, text), self.removed = self.removed, None
            await self.context.api.restore_saved(file, text)
            self.changed.emit()

    def _file_changed(self, event: SavedCallsChanged) -> None:
        self.results.pop(event.file, None)
        self._soon.start()

    async def _check(self, call: SavedCall, *, ask: bool) -> None:
        if call.file in self._running:
            return
        self._running.add(call.file)
        self._draw()
        try:
            result = await self._result(call, confirmed=False, attended=ask)
            if result.needs_confirmation and ask and await self._confirmed(result):
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

    async def _confirmed(self, result: CheckResult) -> bool:
        sentence = result.fault.message if result.fault else "It may change or send something."
        title = f"Call {one_line(result.tool, 60)}?"
        return await self.context.ask(title, sentence, "Call once", danger=True, parent=self.window())

    def _show(self, calls: SavedCalls) -> None:
        self.calls = calls
        self._draw()

    def _draw(self) -> None:
        self.list.show_rows(saved_rows(self.calls, self.results, self.list.search_text(), self._running))
        if self.calls.calls or self.calls.broken:
            self.empty.say("No saved call matches", "Its name, tool, note and tags are searched.")
        else:
            self.empty.say(
                "No saved calls",
                "Call a tool, then choose “Save or copy” below its form. You can check a saved call at any time.",
            )
        self._select()

    def _select(self) -> None:
        result = self._result_of_selected()
        self._mark_rows.show_rows(mark_rows(result) if result else [])
        self.marks.setVisible(result is not None)
        self.changed.emit()

    def _result_of_selected(self) -> CheckResult | None:
        call = self.selected()
        return self.results.get(call.file) if call is not None else None

    def _open_mark(self, key: str) -> None:
        result = self._result_of_selected()
        if result is not None and key.isdigit():
            self.context.tasks.run("show a difference", self._show_difference(result.marks[int(key)]))

    async def _show_difference(self, mark: Mark) -> None:
        expected, got = await fetch_whole(self.context.fetch, (mark.expected, mark.got))
        from workbench.gui.code.diff_view import DifferenceDialog

        DifferenceDialog(self.context, mark.words, expected, got, self.window()).open()


_PAGE = 200  # calls that are requested at once
_MOST = 600  # calls that stay in the list while new ones are added


class HistoryList(CallList):
    """Past calls, newest first. The search covers names, arguments and answers."""

    def __init__(self, context: Context) -> None:
        empty = EmptyState(context.theme, "history", "No calls yet", "")
        super().__init__(context, "History of calls", "Find in names, arguments, answers", empty)
        self._calls: dict[int, PastCall] = {}
        self._question = 0  # number of the latest search; answers to earlier ones are ignored
        self._more = False
        self.state, self.server = CalmCombo(), CalmCombo()
        for text, state in (("All", ""), ("Answered", "ok"), ("Failed", "failed")):
            self.state.addItem(text, state)
        self.state.setAccessibleName("Outcome of the calls")
        self.server.addItem("All servers", "")
        self.server.setAccessibleName("Server of the calls")
        filters = Strip(context.theme)
        for box in (self.state, self.server):  # the pane must not make a small window grow
            box.setMinimumContentsLength(4)
            filters.row.addWidget(box, 1)
        self._older = QPushButton("Show older calls")
        mark(self._older, kind="quiet")
        self._older.hide()
        self._soon = QTimer(self, singleShot=True, interval=100)  # a program may make thousands of calls
        column(self, filters, self.list, self._older, grows=self.list)
        self.list.searched.connect(self.search)
        self.list.selection_changed.connect(self.changed)
        self.state.currentIndexChanged.connect(self.search)
        self.server.currentIndexChanged.connect(self.search)
        self._soon.timeout.connect(self._show_new)
        self._older.clicked.connect(self._load_older)
        store = self.context.store
        store.on(CallsKept, self._calls_added)
        store.on(CallsForgotten, self._calls_deleted)
        store.linked.connect(self.search)
        store.servers_loaded.connect(self._show_servers)
        store.server_changed.connect(self._show_servers)
        store.server_removed.connect(self._show_servers)
        self._show_servers()
        self._draw()

    def search(self) -> None:
        """Load the newest calls that match."""
        self._load(0)

    def selected(self) -> PastCall | None:
        """The selected call; its arguments may be shortened."""
        key = self.key()
        return self._calls.get(int(key)) if key.isdigit() else None

    def open_selected(self) -> None:
        self._show_call(start=False)

    def call_again(self) -> None:
        """Make the call again in the tool's form, where a risky one asks as usual."""
        self._show_call(start=True)

    def copy(self, form: str) -> None:
        self._with_complete(lambda call: copy_call(self.context, form, call.server, call.tool, _arguments(call)))

    def save_selected(self) -> None:
        """Save the selected call."""
        self._with_complete(self._save)

    async def remove(self) -> None:
        """Delete the selected call after a question, because the core cannot restore it."""
        if call := self.selected():
            title = f"Delete this call of {one_line(call.tool, 60)}?"
            sentence = "It is deleted from the history permanently, with its arguments and its answer."
            if await self.context.ask(title, sentence, "Delete", danger=True, parent=self.window()):
                await self.context.api.delete_calls((call.id,))

    async def clear(self) -> None:
        sentence = "All calls are deleted permanently, with arguments and answers. Saved calls stay."
        if await self.context.ask("Clear history?", sentence, "Clear history", danger=True, parent=self.window()):
            await self.context.api.clear_history()

    def _with_complete(self, done: Callable[[PastCall], None]) -> None:
        """Call `done` with the selected call and its complete arguments."""
        if call := self.selected():
            self.context.tasks.run("read a call", self.context.api.past_call(call.id), done)

    def _show_call(self, *, start: bool) -> None:
        self._with_complete(
            lambda call: self.context.go(ShowCall(call.server, call.tool, _arguments(call), call.withheld, start))
        )

    def _save(self, call: PastCall) -> None:
        saved = SavedCall("", "", call.server, call.tool, _arguments(call), withheld=call.withheld)
        self.context.go(SaveCall(saved, None if call.cut else call.outcome))

    def _calls_added(self, event: CallsKept) -> None:
        if self._filtered():
            self.search()
            return
        self._calls.update((call.id, call) for call in event.calls)
        self._soon.start()

    def _calls_deleted(self, _event: CallsForgotten) -> None:
        self.search()

    def _show_servers(self) -> None:
        """List the servers to choose from; the chosen one stays chosen."""
        names = list(self.context.store.servers)
        if names == [self.server.itemData(number) for number in range(1, self.server.count())]:
            return
        chosen = self.server.currentData()
        self.server.blockSignals(True)
        while self.server.count() > 1:
            self.server.removeItem(1)
        for name in names:
            self.server.addItem(one_line(name, 40), name)
        self.server.setCurrentIndex(max(0, self.server.findData(chosen)))
        self.server.blockSignals(False)

    def _filtered(self) -> bool:
        return bool(self.list.search_text() or self.state.currentData() or self.server.currentData())

    def _load_older(self) -> None:
        self._load(min(self._calls, default=0))

    def _load(self, before: int) -> None:
        self._question += 1
        number = self._question
        server, state = str(self.server.currentData() or ""), str(self.state.currentData() or "")
        query = PastQuery(self.list.search_text(), server, state=state, before=before, limit=_PAGE)

        def loaded(calls: tuple[PastCall, ...]) -> None:
            if number == self._question:
                self._calls = {**(self._calls if before else {}), **{call.id: call for call in calls}}
                self._more = len(calls) == _PAGE
                self._draw()

        self.context.tasks.run("history", self.context.api.past_calls(query), loaded)

    def _show_new(self) -> None:
        """Show calls that were added; the oldest ones that do not fit can be loaded again."""
        if len(self._calls) > _MOST:
            self._calls = {number: self._calls[number] for number in sorted(self._calls)[-_MOST:]}
            self._more = True
        self._draw()

    def _draw(self) -> None:
        if self._filtered():
            self.empty.say("No call matches", "Every word must occur, at least as the beginning of a word.")
        else:
            self.empty.say("No calls yet", "Calls are stored on this computer only, so that you can repeat them.")
        self.list.show_rows(past_rows(sorted(self._calls.values(), key=lambda call: -call.id), time.time()))
        self._older.setVisible(self._more)
        self.changed.emit()


def _arguments(call: PastCall) -> dict[str, object]:
    arguments: dict[str, object] = json.loads(call.arguments)
    return arguments


SAVED, HISTORY = range(2)
_TEXTS = {
    "calls.keep": ("Change saved call…", "Save this call…"),
    "calls.remove": ("Delete saved call", "Delete from history…"),
}
"""Texts of actions that differ between saved calls and the history."""
_BUTTONS = ("calls.again", "calls.check", "calls.keep", "calls.remove", "calls.undo")


class CallsPane(Pane):
    """Saved calls and history. The actions apply to the list that is shown."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.saved = SavedCallList(context)
        self.history = HistoryList(context)
        self.tabs = QTabBar()
        self._pages = QStackedWidget()
        for text, page in (("Saved", self.saved), ("History", self.history)):
            self.tabs.addTab(text)
            self._pages.addWidget(page)
            page.changed.connect(self._selected)
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setAccessibleName("Saved calls or history")
        self.tabs.currentChanged.connect(self._turned)
        self._buttons = {name: action_button(context.commands[name], context.theme) for name in _BUTTONS}
        head = row(None, self.tabs, *self._buttons.values(), margins=(0, 0, context.theme.unit, 0), grows=self.tabs)
        column(self, head, self._pages, grows=self._pages)
        self.setFocusProxy(self.saved)
        bind = context.commands.bind
        bind("calls.open", lambda: self._front().open_selected())
        bind("calls.again", lambda: self._front().call_again())
        bind("calls.keep", lambda: self._front().save_selected())
        bind("calls.remove", lambda: self._front().remove())
        bind("calls.undo", self.saved.restore)
        bind("calls.check", self.saved.check_all)
        bind("history.clear", self.history.clear)

    def show_list(self, tab: int) -> None:
        """Show SAVED or HISTORY."""
        self.tabs.setCurrentIndex(tab)

    def show_saved(self, file: str) -> None:
        """Select a saved call."""
        self.show_list(SAVED)
        self.saved.list.select(file)

    def _turned(self, tab: int) -> None:
        self._pages.setCurrentIndex(tab)
        self.setFocusProxy(self._front())
        self._selected()

    def _front(self) -> SavedCallList | HistoryList:
        return self.saved if self.tabs.currentIndex() == SAVED else self.history

    def _selected(self) -> None:
        set_condition = self.context.commands.set_condition
        set_condition(CALL, bool(self._front().key()))
        set_condition(SAVED_CALL, bool(self.saved.calls.calls))
        set_condition(REMOVED_CALL, self.saved.removed is not None)
        for name, texts in _TEXTS.items():
            text = texts[self.tabs.currentIndex()]
            self.context.commands[name].setText(text)
            self.context.commands[name].setToolTip(text)
            self._buttons[name].setAccessibleName(text)
        self._buttons["calls.check"].setVisible(self._front() is self.saved)
        self._buttons["calls.undo"].setVisible(self._front() is self.saved and self.saved.removed is not None)
