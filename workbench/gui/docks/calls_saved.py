"""Saved calls: open one in its form, check it or all of them, see what differs, take one away and bring it back."""

from __future__ import annotations

import asyncio

from msgspec import Struct
from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QSplitter, QStackedLayout, QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.events import Event, SavedCallsChanged
from workbench.gui.commands import Commands
from workbench.gui.context import Context
from workbench.gui.dialogs.question import Question
from workbench.gui.docks.call_marks import CallMarks
from workbench.gui.models.rows import RowsModel
from workbench.gui.models.saved import saved_rows
from workbench.gui.pane import Pane
from workbench.gui.views import EmptyState, RowsView, Strip, action_button, lead_focus, lead_into, search_box
from workbench.gui.wishes import SaveCall, ShowCall
from workbench.records import CheckResult, Fault, SavedCall, SavedCalls


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
            self.wished.emit(ShowCall(call.server, call.tool, call.arguments, call.withheld))

    def keep(self) -> None:
        """Change its name, note and expectations."""
        if call := self.chosen():
            result = self.results.get(call.file)
            self.wished.emit(SaveCall(call, result.outcome if result else None))

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
